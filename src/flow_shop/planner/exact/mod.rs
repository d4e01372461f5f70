//! Branch and bound for every model and objective: fixes jobs at the front, best bound first, and
//! drops a beginning if another one of the same jobs is no worse.

mod dominance;
mod numbers;
mod queue;
#[cfg(test)]
mod tests;
mod worker;

pub(in crate::flow_shop) use self::numbers::{JobTerms, Numbers, offset};

use std::sync::Mutex;

use self::dominance::Seen;
use self::queue::Queue;
use self::worker::{Node, Worker};
use super::bounds::Bounds;
use super::cost::Cost;
use super::incumbent::Incumbent;
use super::problem::Problem;
use crate::flow_shop::exact::{self, ExactOptions};
use crate::flow_shop::incumbent::{Best, Incumbent as OneStage};
use crate::solve::{Offset, Statistics};
use crate::{Context, Dispatch, Error, Result, parallel};

/// Most jobs that are not pinned.
pub(in crate::flow_shop) const MOST_JOBS: usize = 64;
/// Most jobs of an instance for which a proof is tried before a search, and its nodes.
const FEW_JOBS: usize = 12;
const FEW_NODES: u64 = 1 << 15;

/// How long a search may take, besides the limits of the solve.
#[derive(Debug, Clone, Copy)]
struct Effort {
    threads: usize,
    /// Whether each decomposed node counts as an iteration.
    counts_iterations: bool,
    most_nodes: u64,
}

/// Refuses options of the makespan's branch and bound, which this one does not have.
pub(super) fn check_options(options: &ExactOptions) -> Result<()> {
    let usual = ExactOptions::default();
    let given = [
        ("bound", options.bound != usual.bound),
        ("branching", options.branching != usual.branching),
        ("upper_bound", options.upper_bound.is_some()),
        ("exploration", options.exploration != usual.exploration),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((name, _)) => {
            let reason = "applies only to the makespan without set-ups, release times and blocking";
            Err(Error::argument(name, reason))
        }
    }
}

/// Whether the search runs on the [engines](exact) of the makespan's branch and bound, which need
/// no dominance: on a device, or where a file keeps it.
///
/// # Errors
/// [`Error::Unsupported`] for what no branch and bound, or not that one, searches.
pub(super) fn uses_engines(
    problem: &Problem<'_>,
    options: &ExactOptions,
    wants_device: bool,
) -> Result<bool> {
    let jobs = problem.free_jobs.len();
    if jobs > MOST_JOBS {
        return Err(Error::unsupported(format!(
            "branch and bound of {jobs} jobs that are not pinned for this model; at most \
             {MOST_JOBS} are",
        )));
    }
    let uses = wants_device || options.checkpoint.is_some();
    if uses {
        numbers::check(problem)?;
    }
    Ok(uses)
}

/// Searches on the engines until the best sequence is proved or a limit is reached.
pub(super) fn run_on_engines(
    incumbent: &mut Incumbent<'_>,
    problem: &Problem<'_>,
    options: &ExactOptions,
    counts_iterations: bool,
    dispatch: &mut Dispatch<'_>,
    statistics: &mut Statistics,
) -> Result<()> {
    let numbers = Numbers::new(problem, incumbent.monitor);
    let added = numbers.offset;
    let whole = Offset { added, highest: i64::MAX, found: |found| found };
    let part = incumbent.monitor.reduced(None, whole);
    // Checked values have 31 bits; a bound may be as low as it likes.
    let [value, bound] = [incumbent.cost(), incumbent.bound()]
        .map(|cost| cost.first().saturating_sub(added).max(0) as u32);
    let best = Best { value, order: incumbent.order().to_vec() };
    let mut own = OneStage::start(problem.instance, &part, best, bound);
    exact::run_general(&mut own, numbers, options, counts_iterations, dispatch, statistics)?;
    incumbent.monitor.join(&part);
    incumbent.offer(own.order());
    let mut proved = Cost::default();
    proved.0[0] = i64::from(own.bound()) + added;
    incumbent.raise(proved);
    statistics.add("iterations", statistics.get("nodes").unwrap_or(0));
    Ok(())
}

/// Searches on the CPU until the best sequence is proved or a limit is reached.
pub(super) fn run(
    incumbent: &mut Incumbent<'_>,
    problem: &Problem<'_>,
    context: &Context,
    counts_iterations: bool,
    statistics: &mut Statistics,
) -> Result<()> {
    let threads = if counts_iterations { 1 } else { context.threads() };
    let effort = Effort { threads, counts_iterations, most_nodes: u64::MAX };
    search(incumbent, problem, context, effort, statistics)?;
    statistics.add("iterations", statistics.get("nodes").unwrap_or(0));
    Ok(())
}

/// Proves the best sequence of a small instance if that is quick, on one thread, so that the result
/// is always the same.
pub(super) fn prove_small(
    incumbent: &mut Incumbent<'_>,
    problem: &Problem<'_>,
    context: &Context,
    statistics: &mut Statistics,
) -> Result<()> {
    if problem.free_jobs.len() > FEW_JOBS {
        return Ok(());
    }
    let effort = Effort { threads: 1, counts_iterations: false, most_nodes: FEW_NODES };
    search(incumbent, problem, context, effort, statistics)
}

fn search(
    incumbent: &mut Incumbent<'_>,
    problem: &Problem<'_>,
    context: &Context,
    effort: Effort,
    statistics: &mut Statistics,
) -> Result<()> {
    if incumbent.is_optimal() {
        return Ok(());
    }
    let monitor = incumbent.monitor;
    let bounds = Bounds::new(problem, monitor);
    let root = Node::root(problem, &bounds);
    let seen = Seen::new(problem, monitor);
    check_memory(problem, effort.threads, incumbent)?;
    let queue = Queue::new(root, effort.most_nodes);
    {
        let best = Mutex::new(&mut *incumbent);
        let worker = Worker { problem, bounds: &bounds, seen: &seen, queue: &queue, best: &best };
        let work = || {
            parallel::for_each(0..effort.threads, |_| {
                worker.run(monitor, effort.counts_iterations);
            });
        };
        context.install_reporting(monitor, "branch and bound", || None, work)?;
    }
    let (nodes, open) = queue.into_parts();
    statistics.add("nodes", nodes);
    // The best sequence is known, or begins with an open node.
    let least = open.iter().map(|node| node.bound).min();
    let cost = incumbent.cost();
    incumbent.raise(least.map_or(cost, |least| least.min(cost)));
    Ok(())
}

/// Refuses more waiting nodes than fit into memory: for each job on the path of a thread one for
/// each other job.
fn check_memory(problem: &Problem<'_>, threads: usize, incumbent: &Incumbent<'_>) -> Result<()> {
    let jobs = problem.free_jobs.len() as u128;
    let each = size_of::<Node>() as u128 + 4 * (problem.machines() + problem.jobs()) as u128;
    let required = threads as u128 * jobs * jobs / 2 * each;
    incumbent.monitor.check_memory(required, || format!("open nodes of {threads} threads"))
}
