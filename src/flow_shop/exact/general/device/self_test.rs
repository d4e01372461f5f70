//! Compares the kernels with the CPU.

use super::Shape;
use crate::Result;
use crate::flow_shop::exact::general::General;
use crate::flow_shop::exact::node::Open;
use crate::flow_shop::exact::{device, self_test};
use crate::flow_shop::self_test::{Model, of_model};
use crate::flow_shop::{Instance, Objective};
use crate::opencl::{Failing, Trial};
use crate::solve::{Monitor, SolveOptions};

/// Jobs, one of them pinned.
const JOBS: usize = 12;
/// Initial nodes, if a batch has room for them: more than a tile holds.
const NODES: usize = 45;
/// Free jobs of the initial nodes.
const FREE: [usize; 2] = [1, 6];

/// Decomposes some nodes.
pub(super) fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
    let define = |name| trial.define(name).unwrap_or(0) as usize;
    let has = |name| define(name) == 1;
    let shape = Shape {
        machines: define("MACHINES"),
        has_setups: has("SETUPS"),
        has_releases: has("RELEASES"),
        has_blocking: has("BLOCKING"),
        has_plan: has("PLAN"),
    };
    let instance = instance(&shape, JOBS)?.with_pinned(vec![4])?;
    let monitor = Monitor::new(&SolveOptions::default());
    let any = General::problem(&instance, u32::MAX, &monitor)?;
    let at_front = |node: Open| Open { front: node.fixed.len() as u32, ..node };
    let nodes: Vec<Open> = self_test::nodes(&any, FREE).map(at_front).take(NODES).collect();
    let limit = self_test::limit(&any, &nodes, &monitor)?;
    device::compare(trial, &General::problem(&instance, limit, &monitor)?, nodes, &monitor)
}

/// An instance of a shape. Its objective has every criterion that the shape allows.
pub(super) fn instance(shape: &Shape, jobs: usize) -> Result<Instance> {
    let model = Model {
        has_setups: shape.has_setups,
        has_releases: shape.has_releases,
        has_blocking: shape.has_blocking,
    };
    let mut objective = "total-flow-time+3*weighted-flow-time+2*total-tardiness\
                         +4*weighted-tardiness+5*makespan+6*max-lateness+700*late-jobs"
        .to_owned();
    let mut instance = of_model(jobs, shape.machines, 0, model)?;
    if shape.has_plan {
        objective += "+80*inversions+90*new-predecessors";
        // The last job is not in the plan.
        instance = instance.with_running_plan((0..jobs as u32 - 1).rev().collect())?;
    }
    instance.with_objective(Objective::parse(&objective)?)
}

#[cfg(test)]
mod tests {
    use crate::flow_shop::exact::general::device::FAMILY;
    use crate::opencl::testing::expect_lies_to_be_noticed;

    #[test]
    fn wrong_kernels_are_barred() {
        // Lies in other results would make later kernels write outside their buffers.
        let lies: [(_, &[&str]); 5] = [
            ("flow_shop_advance", &["totals", "best"]),
            ("flow_shop_smallest", &["smallest"]),
            ("flow_shop_tails", &["tails"]),
            ("flow_shop_sample", &["samples"]),
            ("flow_shop_shift", &["stack"]),
        ];
        for parts in [0, 1] {
            let defines = [
                ("MACHINES", 5),
                ("SETUPS", parts),
                ("RELEASES", parts),
                ("BLOCKING", 1 - parts),
                ("PLAN", parts),
            ];
            expect_lies_to_be_noticed(&FAMILY, &defines, &lies);
        }
    }
}
