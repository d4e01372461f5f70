//! Branch and bound: sequences are fixed from both ends, and nodes are pruned by lower bounds.

mod branching;
mod cpu;
mod expand;
mod lanes;
mod limit;
mod node;
mod packed;
mod pairs;
mod problem;
#[cfg(test)]
mod tests;
mod tree;

use std::cell::RefCell;
use std::cmp::Reverse;
use std::time::{Duration, Instant};

pub use branching::Branching;

use self::limit::Limit;
use self::node::Open;
use self::problem::Problem;
use super::incumbent::Incumbent;
use crate::opencl::Device;
use crate::solve::{Monitor, Statistics};
use crate::{Context, DeviceInfo, DeviceKind, Dispatch, Error, Result};

/// Lower bound of a node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Bound {
    /// The one-machine bound LB1 of all children.
    #[default]
    OneMachine,
    /// The two-machine bound LB2 of Lenstra, Lageweg and Rinnooy Kan of all children, over all pairs of machines.
    TwoMachine,
    /// The end is chosen by LB1; the children that it leaves open there get LB2, pairs that closed many before first.
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
    /// Look for schedules shorter than this only. If there are none, this is the bound that was proved.
    pub upper_bound: Option<u64>,
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
    /// Whether each node is an iteration, explored by one thread in an order that is always the same.
    counts_iterations: bool,
    /// Whether what is open at the end of the search is still of use, beyond its least bound.
    keeps_open: bool,
}

/// Searches until the optimum is proved or a limit comes.
pub(super) fn run(
    incumbent: &mut Incumbent<'_>,
    options: &ExactOptions,
    counts_iterations: bool,
    dispatch: &mut Dispatch<'_>,
    statistics: &mut Statistics,
) -> Result<()> {
    ["nodes", "bounds"].into_iter().for_each(|counter| statistics.add(counter, 0));
    let given = options.upper_bound.map_or(u32::MAX, |limit| u32::try_from(limit).unwrap_or(u32::MAX));
    let limit = Limit::new(incumbent.makespan().min(given));
    let problem = Problem::new(incumbent.instance, options.bound, options.branching, limit.get());
    let mut search = Search {
        problem: &problem,
        limit: &limit,
        monitor: incumbent.monitor,
        open: vec![problem.root_node()],
        counts_iterations,
        length: FIRST_SLICE,
    };
    if problem.root.free_count <= 1 {
        // There is one sequence only.
        search.open.clear();
        limit.offer(problem.root.last_makespan(&problem), &problem.only_sequence(), incumbent.monitor);
    }
    search.run(dispatch, statistics)?;

    let proved = search.proved();
    if let Some(best) = limit.into_best() {
        incumbent.offer(&best.order, best.makespan);
    }
    if proved > incumbent.makespan() {
        return Err(Error::Internal(format!("bound {proved} above makespan {}", incumbent.makespan())));
    }
    incumbent.raise(proved);
    Ok(())
}

/// How long the CPU's first slice lasts; each later one lasts longer.
const FIRST_SLICE: Duration = Duration::from_millis(100);
/// How long a slice of the CPU lasts at most.
const LONGEST_SLICE: Duration = Duration::from_secs(1);
/// How long the CPU searches before a device is looked for.
const WORTH_A_LOOK: Duration = Duration::from_millis(500);
/// A device's search is cut for good reasons only.
const DEVICE_SLICE: Duration = Duration::from_secs(1 << 30);
/// With more nodes than this the deepest come first, which keeps their number down.
const MANY_NODES: usize = 1 << 20;

/// A search under way: between slices all that is open is here.
struct Search<'a> {
    problem: &'a Problem<'a>,
    limit: &'a Limit,
    monitor: &'a Monitor,
    open: Vec<Open>,
    counts_iterations: bool,
    /// How long the CPU's next slice lasts.
    length: Duration,
}

impl Search<'_> {
    fn run(&mut self, dispatch: &mut Dispatch<'_>, statistics: &mut Statistics) -> Result<()> {
        loop {
            let limit = self.limit.get();
            self.open.retain(|node| node.bound < limit);
            if self.open.is_empty() || self.monitor.should_stop() {
                return Ok(());
            }
            self.order();
            let counts = self.advance(dispatch)?;
            statistics.add("nodes", counts.nodes);
            statistics.add("bounds", counts.bounds);
            self.monitor.note(None, Some(self.proved().into()));
        }
    }

    /// No sequence is shorter.
    fn proved(&self) -> u32 {
        self.open.iter().map(|node| node.bound).min().unwrap_or(u32::MAX).min(self.limit.get())
    }

    /// One slice on the engine that is faster.
    fn advance(&mut self, dispatch: &mut Dispatch<'_>) -> Result<Counts> {
        let context = dispatch.context();
        if self.counts_iterations {
            return self.on_cpu(context);
        }
        let promising = self.monitor.elapsed() > WORTH_A_LOOK;
        // A processor behind OpenCL does no better than the CPU engine.
        let worth = |info: &DeviceInfo| promising && info.kind != DeviceKind::Cpu;
        let search = RefCell::new(self);
        dispatch.run(
            promising,
            worth,
            |device| search.borrow_mut().on_device(device),
            || search.borrow_mut().on_cpu(context),
        )
    }

    fn on_cpu(&mut self, context: &Context) -> Result<Counts> {
        let end = Instant::now() + self.length;
        self.length = (self.length * 2).min(LONGEST_SLICE);
        let counts_iterations = self.counts_iterations;
        let slice = Slice { monitor: self.monitor, end, counts_iterations, keeps_open: true };
        cpu::advance(context, self.problem, self.limit, &mut self.open, &slice)
    }

    fn on_device(&mut self, device: &Device) -> Result<Counts> {
        let end = Instant::now() + DEVICE_SLICE;
        let slice = Slice { monitor: self.monitor, end, counts_iterations: false, keeps_open: false };
        let before = self.open.clone();
        let counts = tree::advance(device, self.problem, self.limit, &mut self.open, &slice);
        if counts.is_err() {
            // What the device had is lost; all of it was below these.
            self.open = before;
        }
        counts
    }

    /// The nodes that come next last: those with the least bound, so that the proved bound rises.
    fn order(&mut self) {
        match self.open.len() < MANY_NODES {
            true => self.open.sort_unstable_by_key(|node| (Reverse(node.bound), node.fixed.len())),
            false => self.open.sort_unstable_by_key(|node| node.fixed.len()),
        }
    }
}
