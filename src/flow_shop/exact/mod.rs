//! Branch and bound: fixes jobs from both ends of the sequence and prunes nodes by lower bounds.

mod branching;
mod checkpoint;
mod checks;
mod children;
mod cpu;
mod device;
mod expand;
#[cfg(test)]
mod flow_time;
mod general;
mod keeper;
mod limit;
mod makespan;
mod node;
mod objective;
mod options;
#[cfg(test)]
mod oracles;
mod pool;
mod problem;
mod proof;
mod search;
mod self_test;
mod subproblem;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tree_pool;
mod turns;
pub mod units;

use std::time::Instant;

pub use branching::Branching;
pub(super) use general::run as run_general;
pub use makespan::{Bound, ChildBounds, bound_children, search_subproblems};
pub(super) use makespan::{bound_watched, run};
pub use options::{ExactOptions, Exploration};
pub use pool::{HostPool, Placement};
pub use subproblem::{Searched, Subproblem};

use std::sync::Arc;

use self::keeper::Keeper;
use self::objective::Objective;
use self::turns::Turns;
use super::Instance;
use crate::Result;
use crate::opencl::{Device, TimedFamily, Usual};
use crate::solve::Monitor;

pub(crate) const KERNEL_FAMILIES: [&[TimedFamily]; 2] =
    [makespan::KERNEL_FAMILIES, general::KERNEL_FAMILIES];

/// The programs of an instance's proofs.
pub(crate) fn usual(instance: &Arc<Instance>) -> impl Iterator<Item = Usual> {
    makespan::usual(instance).into_iter().chain([general::usual(instance)])
}

/// Requests the program by which a device searches any model.
pub(super) fn general_program(instance: &Instance, device: &Device) -> Result<()> {
    general::request(instance, device)
}

#[cfg(any(test, fuzzing))]
pub(super) fn fuzz_checkpoint(data: &[u8]) {
    checkpoint::fuzz::<makespan::Makespan<'static>>(data);
}

#[cfg(any(test, fuzzing))]
pub(super) fn fuzz_unit(data: &[u8]) {
    units::fuzz(data);
}

/// Work done by a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    /// Decomposed nodes, that is nodes with bounded children, including the root.
    nodes: u64,
    bounds: u64,
}

/// When an engine must return its open nodes.
struct Slice<'a, O: Objective> {
    monitor: &'a Monitor,
    end: Instant,
    /// Whether each decomposed node counts as an iteration. Then one thread visits nodes in a fixed
    /// order, and the next slice continues at the open nodes.
    counts_iterations: bool,
    /// Whether the caller still needs the open nodes at the end of the search, not only their least
    /// bound.
    keeps_open: bool,
    /// The checkpoint, for engines with long slices.
    keeper: Option<&'a Keeper<'a, O>>,
    /// What may lengthen a device's slice.
    turns: Option<&'a Turns>,
    /// Threads that leave their cores to others.
    idle_threads: usize,
    /// Whether another engine waits for the open nodes.
    until: Option<&'a (dyn Fn() -> bool + Sync)>,
}

impl<O: Objective> Slice<'_, O> {
    fn is_over(&self) -> bool {
        self.monitor.should_stop()
            || self.until.is_some_and(|until| until())
            || Instant::now() >= self.end
    }
}
