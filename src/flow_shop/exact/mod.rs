//! Branch and bound: sequences are fixed from both ends, and nodes are pruned by lower bounds.

mod branching;
mod checkpoint;
mod cpu;
mod device;
mod evaluate;
mod expand;
mod keeper;
mod lanes;
mod limit;
mod node;
#[cfg(test)]
mod oracles;
mod pairs;
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
#[cfg(any(test, fuzzing))]
pub(super) use checkpoint::fuzz as fuzz_checkpoint;
pub(super) use evaluate::bound_watched;
pub use evaluate::{ChildBounds, bound_children};
pub use pool::{HostPool, Placement};
pub(super) use search::run;
pub use subproblem::{Searched, Subproblem, search_subproblems};

use self::keeper::Keeper;
use self::limit::Limit;
use self::node::Open;
use self::problem::Problem;
use super::{Given, Method};
use crate::opencl::Device;
use crate::solve::Monitor;
use crate::{Error, Result, Team};

/// Lower bound of a node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Bound {
    /// The one-machine bound LB1 of all children.
    #[default]
    OneMachine,
    /// The two-machine bound LB2 of Lenstra, Lageweg and Rinnooy Kan of all children, over all
    /// pairs of machines.
    TwoMachine,
    /// The end is chosen by LB1; the children that it leaves open there get LB2, pairs that closed
    /// many before first.
    Refined,
}

impl Bound {
    /// All bounds.
    pub const ALL: [Bound; 3] = [Bound::OneMachine, Bound::TwoMachine, Bound::Refined];

    /// The bound's name in the command's spelling.
    pub fn name(self) -> &'static str {
        match self {
            Bound::OneMachine => "lb1",
            Bound::TwoMachine => "lb2",
            Bound::Refined => "lb1-lb2",
        }
    }
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
    /// Look for schedules shorter than this only. If it is proved that there are none, and none of
    /// just this length is known, the status is [`Status::Infeasible`](crate::Status::Infeasible),
    /// without a solution.
    pub upper_bound: Option<u64>,
    /// Where branch and bound keeps its search, so that it can go on after an end of any kind.
    /// Other methods refuse it.
    pub checkpoint: Option<CheckpointOptions>,
}

impl ExactOptions {
    /// Which options are given.
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

    /// Refuses what can't be right on any device.
    pub(super) fn check(&self) -> Result<()> {
        let Exploration::HostPool(pool) = self.exploration else { return Ok(()) };
        if !(1..=HostPool::MAX_SIZE).contains(&pool.size) {
            let reason = format!("is {}, must be from 1 to {}", pool.size, HostPool::MAX_SIZE);
            return Err(Error::argument("pool_size", reason));
        }
        if self.bound == Bound::Refined {
            let reason = "the host's pool is bounded by lb1 or by lb2, not by one after the other";
            return Err(Error::argument("bound", reason));
        }
        Ok(())
    }
}

/// How a device takes part in the search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Exploration {
    /// It branches, bounds, prunes and selects; the host looks in now and then. Parallel tree
    /// exploration.
    #[default]
    OnDevice,
    /// It only bounds the host's nodes, by one bound. Parallel evaluation of bounds.
    HostPool(HostPool),
}

impl Exploration {
    /// Searches below the open nodes until there are none or the slice ends; leaves those that are
    /// open then. The host's pool is bounded by the first device alone.
    fn advance(
        self,
        device: &Device,
        team: &Team<'_>,
        problem: &Problem<'_>,
        limit: &Limit,
        open: &mut Vec<Open>,
        slice: &Slice<'_>,
    ) -> Result<Counts> {
        match self {
            Exploration::OnDevice => device::advance(device, team, problem, limit, open, slice),
            Exploration::HostPool(pool) => {
                pool::advance(team.context(), device, problem, &pool, limit, open, slice)
            }
        }
    }
}

/// Where and how often a search is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointOptions {
    /// The file. If it is there, the search goes on where it stopped, for what it looked for: an
    /// upper bound given then stays. It is left when the proof is complete. A checksum finds files
    /// that were damaged, not forged ones: what a file says was proved is believed.
    ///
    /// If it can't be written before the search, the solve ends with [`Error::Io`]; if it can't
    /// later, that is logged and tried again after the interval; if it can't at the end, the result
    /// has a [`warning`](crate::Report::warning).
    pub path: PathBuf,
    /// Time between two writings: what a killed run loses at most, but for the one step that is
    /// under way, such as a whole pool of the host's.
    pub interval: Duration,
}

impl CheckpointOptions {
    /// The interval by default: a minute.
    pub const DEFAULT_INTERVAL: Duration = Duration::from_secs(60);

    /// A file that is written every minute.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        CheckpointOptions { path: path.into(), interval: CheckpointOptions::DEFAULT_INTERVAL }
    }
}

/// What a search has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    /// Decomposed nodes: those whose children were bounded, the root included.
    nodes: u64,
    bounds: u64,
}

/// When an engine hands back what is open.
struct Slice<'a> {
    monitor: &'a Monitor,
    end: Instant,
    /// Whether each node is an iteration, explored by one thread in an order that is always the
    /// same: what is open at the end goes on where it stopped.
    counts_iterations: bool,
    /// Whether what is open at the end of the search is still of use, beyond its least bound.
    keeps_open: bool,
    /// The file of the search, for engines whose slices are long.
    keeper: Option<&'a Keeper<'a>>,
}

impl Slice<'_> {
    fn is_over(&self) -> bool {
        self.monitor.should_stop() || Instant::now() >= self.end
    }
}
