//! Compares the kernel with the CPU.

use super::tables::{LEAST_STARTS, WIDTHS, Widths, most};
use crate::Result;
use crate::flow_shop::Instance;
use crate::flow_shop::exact::Branching;
use crate::flow_shop::exact::makespan::{Bound, Makespan};
use crate::flow_shop::exact::pool::{self, HostPool, Placement};
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::self_test::instance;
use crate::opencl::{Failing, Trial};
use crate::solve::{Monitor, SolveOptions};

/// Bounds children of random nodes of an instance that matches the program's defines.
pub(super) fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
    let Some(instance) = instance_of(trial)? else { return Ok(()) };
    let monitor = Monitor::new(&SolveOptions::default());
    let problem = problem_of(trial, &instance, Branching::default(), u32::MAX, &monitor)?;
    pool::compare(trial, &problem, &options_of(trial), &monitor)
}

/// An instance that matches a program's defines; none if no node would have children.
pub(in crate::flow_shop::exact::makespan) fn instance_of(
    trial: &Trial<'_>,
) -> Result<Option<Instance>> {
    let define = |name| trial.define(name).unwrap_or(0);
    let Widths([time, _, lag, start, tail, _]) = widths_of(trial);
    let [jobs, machines, pinned] = ["JOBS", "MACHINES", "PINNED"].map(|name| define(name) as u32);
    let longest = match time {
        1 => 99,
        2 => 9_999,
        _ => 65_600,
    };
    // The sums of the other tables fit, too.
    let longest = [(lag, machines), (start, LEAST_STARTS + pinned + machines), (tail, machines)]
        .iter()
        .fold(longest, |longest, &(bytes, times)| longest.min(most(bytes) / times));
    if jobs - pinned < 2 {
        return Ok(None);
    }
    instance(jobs as usize, machines as usize, pinned as usize, longest).map(Some)
}

/// The widths of a program's tables.
fn widths_of(trial: &Trial<'_>) -> Widths {
    Widths(WIDTHS.map(|name| trial.define(name).unwrap_or(0)))
}

/// The problem by the bound of a program's defines.
pub(in crate::flow_shop::exact::makespan) fn problem_of<'a>(
    trial: &Trial<'_>,
    instance: &'a Instance,
    branching: Branching,
    limit: u32,
    monitor: &Monitor,
) -> Result<Problem<'a, Makespan<'a>>> {
    let by_pairs = trial.define("TWO_MACHINES") == Some(1);
    let bound = if by_pairs { Bound::TwoMachine } else { Bound::OneMachine };
    let mut objective = Makespan::new(instance, bound, monitor)?;
    objective.least_widths = widths_of(trial);
    Ok(Problem::new(instance, objective, branching, limit))
}

/// The options of the pool that make a program's defines.
pub(in crate::flow_shop::exact::makespan) fn options_of(trial: &Trial<'_>) -> HostPool {
    let define = |name| trial.define(name).unwrap_or(0);
    HostPool {
        branch_free: define("BRANCH_FREE") == 1,
        placement: match (define("LOCAL_TIMES"), define("LOCAL_PAIRS")) {
            (0, 0) => Placement::Global,
            (_, 0) => Placement::Times,
            // All pairs, if they fit.
            (0, _) => Placement::PartOfJohnson,
            _ => Placement::Both,
        },
        ..HostPool::default()
    }
}

#[cfg(test)]
mod tests {
    use crate::flow_shop::exact::makespan::pool::FAMILY;
    use crate::opencl::Failing;
    use crate::opencl::testing::{expect_lies_to_be_noticed, self_testing_devices};

    /// Vector widths for which Intel's runtime for processors miscompiles [`FIX_BY_POINTER`].
    const WIDTHS: [&str; 3] = ["4", "8", "16"];
    /// The environment variable of that runtime that sets the width.
    const WIDTH: &str = "CL_CONFIG_CPU_VECTORIZER_MODE";

    fn form(bytes: u64, branch_free: u64, bound: u64, local: u64) -> [(&'static str, u64); 13] {
        [
            ("JOBS", 13),
            ("MACHINES", 5),
            ("PINNED", 1),
            ("LOCAL_TIMES", local),
            ("LOCAL_PAIRS", 10 * local * bound),
            ("BRANCH_FREE", branch_free),
            ("TWO_MACHINES", bound),
            ("TIME_BYTES", bytes),
            ("JOB_BYTES", 1),
            ("LAG_BYTES", bytes),
            ("START_BYTES", bytes.max(2)),
            ("TAIL_BYTES", bytes.max(2)),
            ("MACHINE_BYTES", 1),
        ]
    }

    #[test]
    fn wrong_kernels_are_barred() {
        for (bytes, branch_free, bound, local) in [(1, 1, 1, 1), (2, 1, 0, 0), (4, 0, 1, 0)] {
            let defines = form(bytes, branch_free, bound, local);
            expect_lies_to_be_noticed(&FAMILY, &defines, &[("flow_shop_pool_bound", &["bounds"])]);
        }
    }

    /// Fixes a job at an end that is selected by a pointer; `Quirks` describes the fault.
    const FIX: &str = "fix(ptm + fixed * MACHINES, at_back, front, back);";
    const FIX_BY_POINTER: &str = "
        int end = 0;
        for (int k = 0; k < MACHINES; ++k) {
            int i = at_back ? MACHINES - 1 - k : k;
            int *times = at_back ? back : front;
            end = larger(end, times[i]) + ptm[fixed * MACHINES + i];
            times[i] = end;
        }";

    #[test]
    fn a_kernel_that_is_compiled_wrongly_is_barred() {
        let width = std::env::var(WIDTH).unwrap_or_default();
        for device in self_testing_devices().into_iter().filter(|device| !device.quirks().simulator)
        {
            let vectors = device.info().platform.contains("Intel") && WIDTHS.contains(&&width[..]);
            for (bound, local) in [(0, 0), (0, 1), (1, 1)] {
                match device.test_changed(&FAMILY, &form(1, 1, bound, local), [FIX, FIX_BY_POINTER])
                {
                    Err(Failing::Wrong(_)) => {}
                    // Other compilers may be right, and so may this one without vectors.
                    Ok(()) => assert!(!vectors, "{width} {bound} {local}"),
                    Err(Failing::Error(error)) => panic!("{error}"),
                }
            }
        }
    }
}
