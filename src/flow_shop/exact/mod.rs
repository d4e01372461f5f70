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
mod keeper;
mod limit;
mod makespan;
mod node;
mod objective;
#[cfg(test)]
mod oracles;
mod pool;
mod problem;
mod search;
mod self_test;
mod subproblem;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::time::{Duration, Instant};

pub use branching::Branching;
pub use makespan::{Bound, ChildBounds, bound_children, search_subproblems};
pub(super) use makespan::{bound_watched, run};
pub use pool::{HostPool, Placement};
pub use subproblem::{Searched, Subproblem};

#[cfg(test)]
pub(crate) use self::makespan::KERNEL_FAMILIES;

use self::keeper::Keeper;
use self::objective::Objective;
use super::Method;
use super::method::Given;
use crate::solve::Monitor;
use crate::{Error, Result};

#[cfg(any(test, fuzzing))]
pub(super) fn fuzz_checkpoint(data: &[u8]) {
    checkpoint::fuzz::<makespan::Makespan<'static>>(data);
}

/// Options of branch and bound.
#[derive(Debug, Clone, Default)]
pub struct ExactOptions {
    /// The lower bound that prunes.
    pub bound: Bound,
    /// Where jobs are fixed.
    pub branching: Branching,
    /// How a device takes part.
    pub exploration: Exploration,
    /// Search only for schedules shorter than this. If none exists and no schedule of exactly this
    /// length is known, the status is [`Status::Infeasible`](crate::Status::Infeasible), without a
    /// solution.
    pub upper_bound: Option<u64>,
    /// Keeps the search in a file, so that a later run can continue it however this one ends. Other
    /// methods refuse it.
    pub checkpoint: Option<CheckpointOptions>,
}

impl ExactOptions {
    /// The names of the options, whether each was set, and the methods that use it.
    pub(super) fn given(&self) -> [Given; 5] {
        const USERS: &[Method] = &[Method::BranchAndBound, Method::Auto];
        let default = ExactOptions::default();
        [
            ("bound", self.bound != default.bound, USERS),
            ("branching", self.branching != default.branching, USERS),
            ("search", self.exploration != default.exploration, USERS),
            ("upper_bound", self.upper_bound.is_some(), USERS),
            ("checkpoint", self.checkpoint.is_some(), &[Method::BranchAndBound]),
        ]
    }

    /// Refuses options that are invalid on every device.
    pub(super) fn check(&self) -> Result<()> {
        let Exploration::HostPool(pool) = self.exploration else { return Ok(()) };
        if !(1..=HostPool::MAX_SIZE).contains(&pool.size) {
            let reason = format!("is {}, must be from 1 to {}", pool.size, HostPool::MAX_SIZE);
            return Err(Error::argument("pool_size", reason));
        }
        if self.bound == Bound::Refined {
            let reason = "the host's pool is bounded by lb1 or lb2, not by both in turn";
            return Err(Error::argument("bound", reason));
        }
        Ok(())
    }
}

/// How a device takes part in the search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Exploration {
    /// The device branches, bounds, prunes and selects; the host checks its progress now and then.
    /// Parallel tree exploration.
    #[default]
    OnDevice,
    /// The device only bounds the host's nodes, by one bound. Parallel evaluation of bounds.
    HostPool(HostPool),
}

/// Where and how often to save a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointOptions {
    /// The file. If it exists, the search continues from it, with the upper bound that it was given
    /// then. The file remains after a complete proof. A checksum detects damaged files but not
    /// forged ones: the solver believes what a file claims to be proved.
    ///
    /// If the file can't be written before the search, the solve ends with [`Error::Io`]. A failure
    /// during the search is logged, and the next attempt follows an interval later. A failure at
    /// the end adds a [`warning`](crate::Report::warning) to the result.
    pub path: PathBuf,
    /// Time between two writes. A killed run loses at most this much work and the current step,
    /// such as one pool of the host.
    pub interval: Duration,
}

impl CheckpointOptions {
    /// The default interval: one minute.
    pub const DEFAULT_INTERVAL: Duration = Duration::from_secs(60);

    /// A file that is written every minute.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        CheckpointOptions { path: path.into(), interval: CheckpointOptions::DEFAULT_INTERVAL }
    }
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
}

impl<O: Objective> Slice<'_, O> {
    fn is_over(&self) -> bool {
        self.monitor.should_stop() || Instant::now() >= self.end
    }
}
