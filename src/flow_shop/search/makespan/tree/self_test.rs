//! Compares the kernels with the CPU.

use super::{Guide, TwoEndedTree};
use crate::Context;
use crate::flow_shop::bounds;
use crate::flow_shop::search::{Shop, beam};
use crate::flow_shop::self_test::instance;
use crate::opencl::{Failing, Trial, agree};
use crate::solve::{Monitor, SolveOptions};

/// Jobs, and kept nodes per level: several blocks of children, the last one partly filled.
const JOBS: usize = 24;
const WIDTH: usize = 150;

/// Runs whole passes with both guides.
pub(super) fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
    let machines = trial.define("MACHINES").unwrap_or(1) as usize;
    let instance = instance(JOBS, machines, 0, 99)?;
    let (shop, monitor) = (Shop::of(&instance), Monitor::new(&SolveOptions::default()));
    let context = Context::of_one_thread()?;
    for guide in [Guide::IdleThenBound, Guide::Bound] {
        let tree =
            TwoEndedTree::new(&shop, &monitor, bounds::one_machine(&instance), guide, u32::MAX);
        let expected = context.install(|| beam::on_cpu(&tree, &monitor, WIDTH))??;
        let found = beam::on_device(&context, &tree, trial.device(), &monitor, WIDTH, &|_| ())?;
        agree("a pass", &[found], &[expected])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::flow_shop::search::makespan::tree::device::FAMILY;
    use crate::opencl::testing::expect_lies_to_be_noticed;

    #[test]
    fn wrong_kernels_are_barred() {
        // Lies in node indices would make other kernels access memory outside their buffers.
        let lies: [(_, &[&str]); 3] = [
            ("flow_shop_beam_expand", &["ranks"]),
            ("flow_shop_beam_grow", &["next_states"]),
            ("flow_shop_level_trace", &["steps"]),
        ];
        expect_lies_to_be_noticed(&FAMILY, &[("MACHINES", 6)], &lies);
    }
}
