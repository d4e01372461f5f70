//! Compares the kernels with the CPU.

use crate::flow_shop::exact::makespan::pool::{instance_of, options_of, problem_of};
use crate::flow_shop::exact::{Branching, self_test, tree_pool};
use crate::opencl::{Failing, Trial};
use crate::solve::{Monitor, SolveOptions};

/// Work-groups of trees by the usual rule.
const GROUPS: usize = 3;
/// Roots by which the limit is chosen.
const SAMPLE: usize = 20;

/// Explores trees below random nodes of an instance that matches the program's defines.
pub(super) fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
    let Some(instance) = instance_of(trial)? else { return Ok(()) };
    let monitor = Monitor::new(&SolveOptions::default());
    let problem = |rule, limit| problem_of(trial, &instance, rule, limit, &monitor);
    let any = problem(Branching::default(), u32::MAX)?;
    let roots: Vec<_> = self_test::nodes(&any, [2, tree_pool::FREE]).take(SAMPLE).collect();
    let limit = self_test::limit(&any, &roots, &monitor)?;
    for rule in Branching::ALL {
        let groups = if rule == Branching::default() { GROUPS } else { 0 };
        let problem = problem(rule, limit)?;
        tree_pool::compare(trial, &problem, &options_of(trial), groups, &monitor)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::flow_shop::exact::makespan::tree_pool::FAMILY;
    use crate::opencl::testing::expect_lies_to_be_noticed;

    #[test]
    fn wrong_kernels_are_barred() {
        for (bytes, branch_free, bound) in [(1, 1, 1), (2, 0, 0)] {
            let defines = [
                ("JOBS", 13),
                ("MACHINES", 5),
                ("PINNED", 1),
                ("LOCAL_TIMES", bound),
                ("LOCAL_PAIRS", 10 * bound),
                ("BRANCH_FREE", branch_free),
                ("TWO_MACHINES", bound),
                ("TIME_BYTES", bytes),
                ("JOB_BYTES", 1),
                ("LAG_BYTES", bytes),
                ("START_BYTES", 2),
                ("TAIL_BYTES", 2),
                ("MACHINE_BYTES", 1),
            ];
            let lies: [(_, &[&str]); 3] = [
                ("flow_shop_tree_explore", &["all_stack_bounds"]),
                ("flow_shop_tree_left", &["left"]),
                ("flow_shop_tree_left", &["rows"]),
            ];
            expect_lies_to_be_noticed(&FAMILY, &defines, &lies);
        }
    }
}
