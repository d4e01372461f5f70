//! Branch and bound for every model and objective: fixes jobs at the front, best bound first, and
//! drops a beginning if another one of the same jobs is no worse.

mod dominance;
mod node;
mod numbers;
mod queue;
#[cfg(test)]
mod tests;
mod worker;

pub(in crate::flow_shop) use self::numbers::{JobTerms, Numbers, offset};

use std::sync::Mutex;
use std::time::{Duration, Instant};

use self::dominance::Seen;
use self::node::Node;
use self::queue::Queue;
use self::worker::Worker;
use super::bounds::Bounds;
use super::cost::Cost;
use super::incumbent::Incumbent;
use super::problem::Problem;
use crate::context::Readiness;
use crate::flow_shop::exact::{self, ExactOptions};
use crate::flow_shop::incumbent::{Best, Incumbent as OneStage};
use crate::opencl::Device;
use crate::solve::{Monitor, Offset, Statistics, unless_stopped};
use crate::{Context, Dispatch, Error, Forecast, Result, parallel};

/// Most jobs that are not pinned.
pub(in crate::flow_shop) const MOST_JOBS: usize = 64;
/// Most jobs of an instance for which a proof is tried before a search, and its nodes.
const FEW_JOBS: usize = 12;
const FEW_NODES: u64 = 1 << 15;
/// Time after which a search is worth another beginning on a device, and the least time before a
/// limit.
const LONG: Duration = Duration::from_millis(300);
const LEAST_LEFT: Duration = Duration::from_millis(500);
/// Time between two looks for a device.
const SLICE: Duration = Duration::from_millis(100);

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

/// Searches on the CPU until the best sequence is proved or a limit is reached. If `auto` finds a
/// device in a long search, and its kernels are built, the engines begin again without dominance.
pub(super) fn run(
    incumbent: &mut Incumbent<'_>,
    problem: &Problem<'_>,
    options: &ExactOptions,
    counts_iterations: bool,
    dispatch: &mut Dispatch<'_>,
    statistics: &mut Statistics,
) -> Result<()> {
    let (context, monitor, begun) = (dispatch.context(), incumbent.monitor, Instant::now());
    let threads = if counts_iterations { 1 } else { context.threads() };
    let effort = Effort { threads, counts_iterations, most_nodes: u64::MAX };
    // The result of a search with an iteration limit depends on no engine.
    let may_choose = dispatch.is_auto() && !counts_iterations && numbers::check(problem).is_ok();
    let Some(tree) = Tree::new(incumbent, problem, effort)? else { return Ok(()) };
    while may_choose && tree.is_open() && !monitor.should_stop() {
        let is_long = begun.elapsed() >= LONG && !monitor.ends_within(LEAST_LEFT);
        match dispatch.readiness(monitor, is_long) {
            Readiness::Ready if is_long => {
                if !has_kernels(&tree, incumbent, dispatch)? {
                    break;
                }
                tree.conclude(incumbent, statistics);
                return run_on_engines(incumbent, problem, options, false, dispatch, statistics);
            }
            Readiness::Never => break,
            _ => {
                let part = monitor.part(Some(SLICE), None);
                tree.advance(incumbent, context, &part)?;
                monitor.join(&part);
            }
        }
    }
    tree.advance(incumbent, context, monitor)?;
    tree.conclude(incumbent, statistics);
    statistics.add("iterations", statistics.get("nodes").unwrap_or(0));
    Ok(())
}

/// Whether a device has kernels for the engines. Searches on the CPU while they are being built, and
/// to the end if there is no device.
fn has_kernels(
    tree: &Tree<'_>,
    incumbent: &mut Incumbent<'_>,
    dispatch: &mut Dispatch<'_>,
) -> Result<bool> {
    let (context, monitor) = (dispatch.context(), incumbent.monitor);
    let forecast = Forecast::device_preferred("branch and bound");
    let on_device =
        |device: &Device| exact::general_program(tree.problem.instance, device).map(|()| true);
    let on_cpu = |until: &Monitor| {
        tree.advance(incumbent, context, until)?;
        // A device that is ready by now gets its turn.
        if until.is_relieved() { Err(Error::stopped()) } else { Ok(false) }
    };
    Ok(unless_stopped(dispatch.run(monitor, &forecast, on_device, on_cpu))?.unwrap_or(false))
}

/// Whether [`prove_small`] tries to prove the optimum.
pub(super) fn is_small(problem: &Problem<'_>) -> bool {
    problem.free_jobs.len() <= FEW_JOBS
}

/// Proves the best sequence of a small instance if that is quick, on one thread, so that the result
/// is always the same.
pub(super) fn prove_small(
    incumbent: &mut Incumbent<'_>,
    problem: &Problem<'_>,
    context: &Context,
    statistics: &mut Statistics,
) -> Result<()> {
    if !is_small(problem) {
        return Ok(());
    }
    let effort = Effort { threads: 1, counts_iterations: false, most_nodes: FEW_NODES };
    let Some(tree) = Tree::new(incumbent, problem, effort)? else { return Ok(()) };
    tree.advance(incumbent, context, incumbent.monitor)?;
    tree.conclude(incumbent, statistics);
    Ok(())
}

/// A search with dominance, which can be continued.
struct Tree<'a> {
    problem: &'a Problem<'a>,
    bounds: Bounds<'a>,
    seen: Seen<'a>,
    queue: Queue,
    effort: Effort,
}

impl<'a> Tree<'a> {
    /// None if nothing is left to prove.
    fn new(
        incumbent: &Incumbent<'a>,
        problem: &'a Problem<'a>,
        effort: Effort,
    ) -> Result<Option<Self>> {
        if incumbent.is_optimal() {
            return Ok(None);
        }
        let monitor = incumbent.monitor;
        let bounds = Bounds::new(problem, monitor);
        check_memory(problem, effort.threads, incumbent)?;
        let queue = Queue::new(Node::root(problem, &bounds), effort.most_nodes);
        Ok(Some(Tree { problem, seen: Seen::new(problem, monitor), bounds, queue, effort }))
    }

    fn is_open(&self) -> bool {
        self.queue.least().is_some()
    }

    /// Searches until no node is left or the monitor ends it.
    fn advance(
        &self,
        incumbent: &mut Incumbent<'_>,
        context: &Context,
        monitor: &Monitor,
    ) -> Result<()> {
        self.queue.begin();
        let best = Mutex::new(incumbent);
        let Tree { problem, bounds, seen, queue, effort } = self;
        let worker = Worker { problem, bounds, seen, queue, best: &best };
        let work = || {
            parallel::for_each(0..effort.threads, |_| {
                worker.run(monitor, effort.counts_iterations);
            });
        };
        context.install_reporting(monitor, "branch and bound", || None, work)
    }

    /// Raises the bound: the best sequence is known, or begins with an open node.
    fn conclude(&self, incumbent: &mut Incumbent<'_>, statistics: &mut Statistics) {
        statistics.add("nodes", self.queue.nodes());
        let cost = incumbent.cost();
        incumbent.raise(self.queue.least().map_or(cost, |least| least.min(cost)));
    }
}

/// Refuses more waiting nodes than fit into memory: for each job on the path of a thread one for
/// each other job.
fn check_memory(problem: &Problem<'_>, threads: usize, incumbent: &Incumbent<'_>) -> Result<()> {
    let jobs = problem.free_jobs.len() as u128;
    let each = size_of::<Node>() as u128 + 4 * (problem.machines() + problem.jobs()) as u128;
    let required = threads as u128 * jobs * jobs / 2 * each;
    incumbent.monitor.check_memory(required, || format!("open nodes of {threads} threads"))
}
