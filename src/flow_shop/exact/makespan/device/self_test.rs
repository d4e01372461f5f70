//! Compares the kernels with the CPU.

use super::evaluator::Evaluator;
use super::tables::most_near_bytes;
use crate::Result;
use crate::flow_shop::Instance;
use crate::flow_shop::exact::makespan::{Bound, Makespan};
use crate::flow_shop::exact::node::Open;
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::exact::{Branching, device, self_test};
use crate::flow_shop::self_test::instance;
use crate::opencl::{Failing, KernelFamily, Trial, agree};
use crate::solve::{Monitor, SolveOptions};

/// Initial nodes, if a batch has room for them: more than a tile holds.
const NODES: usize = 45;
/// Free jobs of the initial nodes.
const FREE: [usize; 2] = [1, 6];

/// Bounds the children of some nodes or decomposes the nodes, depending on the program's use.
pub(super) fn compare(trial: &Trial<'_>, family: &'static KernelFamily) -> Result<(), Failing> {
    let instance = form(trial)?;
    let monitor = Monitor::new(&SolveOptions::default());
    let has = |name| trial.define(name) == Some(1);
    let bound = match (has("TWO_MACHINES"), has("REFINE")) {
        (_, true) => Bound::Refined,
        (true, _) => Bound::TwoMachine,
        _ => Bound::OneMachine,
    };
    let problem = |rule, limit| Makespan::problem(&instance, bound, rule, limit, &monitor);
    let any = problem(Branching::default(), u32::MAX)?;
    let nodes: Vec<Open> = self_test::nodes(&any, FREE).take(NODES).collect();
    if !has("SEARCHES") {
        return bound_children(trial, family, &any, &nodes, &monitor);
    }
    let limit = self_test::limit(&any, &nodes, &monitor)?;
    for rule in Branching::ALL {
        device::compare(trial, &problem(rule, limit)?, nodes.clone(), &monitor)?;
    }
    Ok(())
}

/// An instance that matches the program's defines.
fn form(trial: &Trial<'_>) -> Result<Instance> {
    let define = |name| trial.define(name).unwrap_or(0) as usize;
    let machines = define("MACHINES");
    let row_bytes = 4 * machines.next_multiple_of(4) * if define("WIDE") == 1 { 2 } else { 1 };
    let far = most_near_bytes(trial.device()) / row_bytes + 1;
    let least = if define("LONG_NUMBERS") == 1 { 257 } else { 11 };
    let jobs = if define("TIMES_IN_LOCAL") == 1 { least } else { least.max(far) };
    let longest = match define("WIDE") {
        1 => 99_999,
        // Every schedule's length fits in 16 bits.
        _ => (60_000 / (jobs + machines + 3)).clamp(1, 99) as u32,
    };
    instance(jobs + 1, machines, 1, longest)
}

fn bound_children(
    trial: &Trial<'_>,
    family: &'static KernelFamily,
    problem: &Problem<'_, Makespan<'_>>,
    nodes: &[Open],
    monitor: &Monitor,
) -> Result<(), Failing> {
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    Evaluator::new(trial.device(), family, problem)?.evaluate(nodes, &mut found)?;
    for node in nodes {
        expected.extend(self_test::bounds(problem, node, monitor)?);
    }
    agree("flow_shop_children", &found, &expected)
}

#[cfg(test)]
mod tests {
    use crate::flow_shop::exact::makespan::device::FAMILY;
    use crate::opencl::testing::{expect_lies_to_be_noticed, self_testing_devices};

    fn form(wide: u64, [two, refine]: [u64; 2], searches: u64) -> [(&'static str, u64); 7] {
        [
            ("MACHINES", 5),
            ("WIDE", wide),
            ("LONG_NUMBERS", 0),
            ("TIMES_IN_LOCAL", 1),
            ("TWO_MACHINES", two),
            ("REFINE", refine),
            ("SEARCHES", searches),
        ]
    }

    #[test]
    fn wrong_kernels_are_barred() {
        let bounds: &[(_, &[&str])] = &[("flow_shop_children", &["bounds"])];
        expect_lies_to_be_noticed(&FAMILY, &form(0, [0, 0], 0), bounds);
        expect_lies_to_be_noticed(&FAMILY, &form(1, [1, 0], 0), bounds);
        // Lies in other results of the kernels would make later kernels write outside their
        // buffers.
        let lies: [(_, &[&str]); 5] = [
            ("flow_shop_advance", &["totals", "best"]),
            ("flow_shop_smallest", &["smallest"]),
            ("flow_shop_tails", &["tails"]),
            ("flow_shop_sample", &["samples"]),
            ("flow_shop_shift", &["stack"]),
        ];
        expect_lies_to_be_noticed(&FAMILY, &form(0, [1, 1], 1), &lies);
        expect_lies_to_be_noticed(&FAMILY, &form(0, [0, 0], 1), &[]);
        expect_lies_to_be_noticed(&FAMILY, &form(1, [1, 0], 1), &[]);
    }

    #[test]
    fn rounds_are_compared_where_batches_are_small() {
        let many_jobs = [
            ("MACHINES", 5),
            ("WIDE", 0),
            ("LONG_NUMBERS", 1),
            ("TIMES_IN_LOCAL", 0),
            ("TWO_MACHINES", 1),
            ("REFINE", 0),
            ("SEARCHES", 1),
        ];
        let change = ["node[BOUND] = bound;", "node[BOUND] = bound + (child == 1);"];
        for device in self_testing_devices().into_iter().filter(|device| !device.quirks().simulator)
        {
            assert!(device.test_changed(&FAMILY, &many_jobs, change).is_err());
        }
    }

    #[test]
    fn kernels_that_expand_or_branch_wrongly_are_barred() {
        let changes = [
            ["bound = larger(bound, start + load.P1);", ""],
            [
                "return difference == 0 ? by_sum(bounds, open) : difference < 0;",
                "return difference > 0;",
            ],
            ["rest[own] -= time[own];", ""],
            ["node[BOUND] = bound;", "node[BOUND] = bound + (child == 1);"],
        ];
        for device in self_testing_devices().into_iter().filter(|device| !device.quirks().simulator)
        {
            for change in changes {
                let found = device.test_changed(&FAMILY, &form(0, [0, 0], 1), change);
                assert!(found.is_err(), "{change:?}");
            }
        }
    }
}
