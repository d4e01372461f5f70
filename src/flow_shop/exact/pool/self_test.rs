//! Compares the kernel with the CPU.

use super::bounder::Bounder;
use super::host::Host;
use super::{HostPool, Placement};
use crate::context::Pacer;
use crate::flow_shop::exact::node::Open;
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::exact::{Bound, Branching, self_test};
use crate::flow_shop::self_test::instance;
use crate::opencl::{Failing, Trial, agree};
use crate::solve::{Monitor, SolveOptions};
use crate::{Context, Result};

/// Work-groups of children, and further children that fill part of another group.
const GROUPS: usize = 3;
const MORE: usize = 21;

/// Bounds children of random nodes of an instance that matches the program's defines.
pub(super) fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
    let define = |name| trial.define(name).unwrap_or(0);
    let longest = match define("TIME_BYTES") {
        1 => 99,
        2 => 9_999,
        _ => 65_600,
    };
    let [jobs, machines, pinned] = ["JOBS", "MACHINES", "PINNED"].map(|name| define(name) as usize);
    if jobs - pinned < 2 {
        // No node has children.
        return Ok(());
    }
    let instance = instance(jobs, machines, pinned, longest)?;
    let monitor = Monitor::new(&SolveOptions::default());
    let bound = if define("BOUND") == 0 { Bound::OneMachine } else { Bound::TwoMachine };
    let problem = Problem::new(&instance, bound, Branching::default(), u32::MAX, &monitor)?;
    let options = HostPool {
        branch_free: define("BRANCH_FREE") == 1,
        placement: match (define("LOCAL_TIMES"), define("LOCAL_JOHNSON")) {
            (0, 0) => Placement::Global,
            (_, 0) => Placement::Times,
            (0, _) => Placement::Johnson,
            _ => Placement::Both,
        },
        ..HostPool::default()
    };
    let queue = trial.device().queue()?;
    let mut bounder = Bounder::new(trial.device(), &queue, &problem, &options)?;
    let most = GROUPS * bounder.group() + MORE;
    let (parents, mut expected) = parents(&problem, most, &monitor)?;
    let host = Host { problem: &problem, options: &options };
    let (orders, mut children) =
        Context::of_one_thread()?.install(|| host.children(&parents))??;
    children.truncate(most);
    expected.truncate(most);
    let found =
        bounder.bound(&orders, &children, &mut Pacer::new(&queue, &monitor, "self-test"))?;
    agree("pool_bound", &found, &expected)
}

/// Nodes with at least `children` children in total, and the children's bounds in the host's order.
fn parents(
    problem: &Problem<'_>,
    children: usize,
    monitor: &Monitor,
) -> Result<(Vec<Open>, Vec<u32>)> {
    let (mut parents, mut expected) = (Vec::new(), Vec::new());
    for node in self_test::nodes(problem, [2, usize::MAX]) {
        if expected.len() >= children {
            break;
        }
        let bounds = self_test::bounds(problem, &node, monitor)?;
        expected.extend(
            bounds.iter().map(|[front, _]| front).chain(bounds.iter().map(|[_, back]| back)),
        );
        parents.push(node);
    }
    Ok((parents, expected))
}

#[cfg(test)]
mod tests {
    use crate::flow_shop::exact::pool::bounder::FAMILY;
    use crate::opencl::Failing;
    use crate::opencl::testing::{expect_lies_to_be_noticed, self_testing_devices};

    /// Vector widths for which Intel's runtime for processors miscompiles [`FIX_BY_POINTER`].
    const WIDTHS: [&str; 3] = ["4", "8", "16"];
    /// The environment variable of that runtime that sets the width.
    const WIDTH: &str = "CL_CONFIG_CPU_VECTORIZER_MODE";

    fn form(time_bytes: u64, branch_free: u64, bound: u64, local: u64) -> [(&'static str, u64); 9] {
        [
            ("JOBS", 13),
            ("MACHINES", 5),
            ("PINNED", 1),
            ("TIME_BYTES", time_bytes),
            ("JOB_BYTES", 1),
            ("LOCAL_TIMES", local),
            ("LOCAL_JOHNSON", local * bound),
            ("BRANCH_FREE", branch_free),
            ("BOUND", bound),
        ]
    }

    #[test]
    fn wrong_kernels_are_barred() {
        for (time_bytes, branch_free, bound, local) in [(1, 1, 1, 1), (2, 1, 0, 0), (4, 0, 1, 0)] {
            let defines = form(time_bytes, branch_free, bound, local);
            expect_lies_to_be_noticed(&FAMILY, &defines, &[("pool_bound", &[9])]);
        }
    }

    /// Fixes a job at an end that is selected by a pointer; `Quirks` describes the fault.
    const FIX: &str = "fix(ptm + fixed * MACHINES, child % 2, front, back);";
    const FIX_BY_POINTER: &str = "
        int end = 0;
        for (int k = 0; k < MACHINES; ++k) {
            int i = child % 2 ? MACHINES - 1 - k : k;
            int *times = child % 2 ? back : front;
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
