//! Branch and bound: sequences are fixed from both ends, and nodes are pruned by lower bounds.

mod branching;
mod cpu;
mod expand;
mod lanes;
mod limit;
mod node;
mod pairs;
mod problem;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

pub use branching::Branching;

use self::cpu::Slice;
use self::limit::Limit;
use self::node::Open;
use self::problem::Problem;
use super::incumbent::Incumbent;
use crate::solve::Statistics;
use crate::{Dispatch, Error, Result};

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

/// Searches until the optimum is proved or a limit comes.
pub(super) fn run(
    incumbent: &mut Incumbent<'_>,
    options: &ExactOptions,
    counts_iterations: bool,
    dispatch: &mut Dispatch<'_>,
    statistics: &mut Statistics,
) -> Result<()> {
    ["nodes", "bounds"].into_iter().for_each(|counter| statistics.add(counter, 0));
    let instance = incumbent.instance;
    let monitor = incumbent.monitor;
    let given = options.upper_bound.map_or(u32::MAX, |limit| u32::try_from(limit).unwrap_or(u32::MAX));
    let limit = Limit::new(incumbent.makespan().min(given));
    let problem = Problem::new(instance, options.bound, options.branching, limit.get());
    let mut open = vec![problem.root_node()];
    let mut length = cpu::FIRST_SLICE;
    if problem.root.free_count <= 1 {
        // There is one sequence only.
        open.clear();
        limit.offer(problem.root.last_makespan(&problem), &problem.only_sequence(), monitor);
    }
    let context = dispatch.context();
    while !open.is_empty() {
        open.retain(|node| node.bound < limit.get());
        if monitor.should_stop() {
            break;
        }
        order_for_search(&mut open);
        let slice = Slice { monitor, end: Instant::now() + length, counts_iterations };
        let counts = cpu::advance(context, &problem, &limit, &mut open, &slice)?;
        statistics.add("nodes", counts.nodes);
        statistics.add("bounds", counts.bounds);
        let least = open.iter().map(|node| node.bound).min().unwrap_or(u32::MAX);
        incumbent.raise(least.min(limit.get()));
        length = (length * 2).min(LONGEST_SLICE);
    }
    let least = open.iter().map(|node| node.bound).min().unwrap_or(u32::MAX);
    let proved = least.min(limit.get());
    if let Some(best) = limit.into_best() {
        incumbent.offer(&best.order, best.makespan);
    }
    if proved > incumbent.makespan() {
        return Err(Error::Internal(format!("bound {proved} above makespan {}", incumbent.makespan())));
    }
    incumbent.raise(proved);
    Ok(())
}

/// How long a slice lasts at most.
const LONGEST_SLICE: Duration = Duration::from_secs(1);
/// With more nodes than this the deepest come first, which keeps their number down.
const MANY_NODES: usize = 1 << 20;

/// The nodes that come next last: those with the least bound, so that the proved bound rises.
fn order_for_search(open: &mut [Open]) {
    match open.len() < MANY_NODES {
        true => open.sort_unstable_by_key(|node| (std::cmp::Reverse(node.bound), node.fixed.len())),
        false => open.sort_unstable_by_key(|node| node.fixed.len()),
    }
}
