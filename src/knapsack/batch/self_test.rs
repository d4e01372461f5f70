//! Compares the kernel with the CPU.

use std::sync::atomic::AtomicU64;

use super::cpu::{CpuBatch, Profit};
use super::{Engine, Job, Shared};
use crate::knapsack::Instance;
use crate::opencl::{Device, Failing, Trial, agree};
use crate::random::Random;
use crate::solve::{Monitor, SolveOptions};
use crate::{Context, Result};

/// More bundles than a word has bits, and more than fit.
const ITEMS: usize = 40;
/// More instances than groups.
const INSTANCES: usize = 17;
const GROUPS: usize = 7;

/// Compares instances whose tables leave a few work-items without cells. `engine` gives a device's
/// engine with this number of work-groups.
pub(super) fn compare<T: Profit>(
    trial: &Trial<'_>,
    engine: impl for<'a> Fn(&'a Job<'a>, &'a Device, usize) -> Result<Box<dyn Engine<T> + 'a>>,
) -> Result<(), Failing> {
    let define = |name| trial.define(name).unwrap_or(1);
    let cells = define("GROUP") * define("EACH") - 5;
    let mut random = Random::new(4);
    let weights = (0..ITEMS).map(|_| 1 + random.below(cells / 4)).collect();
    let instance = Instance::new(vec![1; ITEMS], weights, cells - 1)?;
    let shared = Shared::new(&instance)?;
    let (context, monitor) =
        (Context::of_one_thread()?, Monitor::maximising(&SolveOptions::default()));
    let (context, monitor, solved_count) = (&context, &monitor, &AtomicU64::new(0));
    let (instances, shared) = (INSTANCES, &shared);
    let job = Job { context, monitor, shared, instances, solved: solved_count };
    let bundles = shared.bundles.len();
    let profits: Vec<T> =
        (0..INSTANCES * bundles).map(|_| T::from_profit(random.below(1000) as i64)).collect();
    let found = solved(shared, &mut *engine(&job, trial.device(), GROUPS)?, &profits)?;
    agree("knapsack_batch", &found, &solved(shared, &mut CpuBatch { job: &job }, &profits)?)
}

/// Values, and words of taken bundles.
fn solved<T: Profit>(
    shared: &Shared<'_>,
    engine: &mut dyn Engine<T>,
    profits: &[T],
) -> Result<Vec<i64>> {
    let (mut values, mut taken) = (vec![T::ZERO; INSTANCES], vec![0; INSTANCES * shared.words()]);
    engine.solve(profits.to_vec(), &mut values, &mut taken)?;
    Ok(values.into_iter().map(Into::into).chain(taken.into_iter().map(i64::from)).collect())
}

#[cfg(test)]
mod tests {
    use crate::knapsack::batch::device::FAMILY;
    use crate::opencl::testing::expect_lies_to_be_noticed;

    #[test]
    fn wrong_kernels_are_barred() {
        for (bytes, each) in [(4, 1), (8, 4)] {
            let defines = [("CELL_BYTES", bytes), ("GROUP", 64), ("EACH", each)];
            let lies: [(_, &[&str]); 2] =
                [("knapsack_batch", &["values"]), ("knapsack_batch", &["taken"])];
            expect_lies_to_be_noticed(&FAMILY, &defines, &lies);
        }
    }
}
