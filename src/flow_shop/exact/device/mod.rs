//! The device engine: the tree is branched, bounded, pruned and selected on the device. The host queues rounds of it,
//! looks every few milliseconds, carries incumbents and nodes between devices, and takes nodes in when a device's memory
//! fills up. Further devices join when the search turns out to be long.

mod evaluator;
mod layout;
mod stack;
mod tables;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rayon::prelude::*;

pub(super) use self::evaluator::Evaluator;
use self::layout::Layout;
use self::stack::Stack;
use super::limit::Limit;
use super::node::Open;
use super::problem::Problem;
use super::{Counts, Slice};
use crate::opencl::Device;
use crate::solve::Monitor;
use crate::{Context, Error, Result};

/// How often the least open bound is asked for.
const BOUND_INTERVAL: Duration = Duration::from_millis(250);
/// How long a search is the first device's alone.
const ALONE: Duration = Duration::from_millis(100);
/// Nodes that are made records for a device at once.
const MOST_ENCODED: usize = 1 << 15;
/// Records that one thread makes nodes of at once.
const MOST_DECODED: usize = 1 << 12;

/// Searches below the open nodes until there are none or the slice ends; leaves those that are open then. Says how many
/// of the devices took part.
pub(super) fn advance(
    context: &Context,
    devices: &[&Device],
    problem: &Problem<'_>,
    limit: &Limit,
    open: &mut Vec<Open>,
    slice: &Slice<'_>,
) -> Result<(Counts, usize)> {
    let monitor = slice.monitor;
    let mut search = DeviceSearch::new(devices, problem, std::mem::take(open), monitor)?;
    let mut counts = Counts::default();
    let mut least = None;
    while !search.is_done() && !slice.is_over() {
        let end = slice.end.min(Instant::now() + BOUND_INTERVAL);
        let new = search.advance(limit, monitor, slice.keeper.map_or(end, |keeper| keeper.next(end)))?;
        counts.nodes += new.nodes;
        counts.bounds += new.bounds;
        least = search.least_bound()?;
        monitor.note(None, least.map(|least| least.min(limit.get()).into()));
        if let Some(keeper) = slice.keeper.filter(|keeper| keeper.is_due() && !slice.is_over()) {
            keeper.keep(&search.open(context)?, counts)?;
        }
    }
    *open = match least {
        // The root stands for all that is open below it.
        Some(bound) if !slice.keeps_open => vec![Open { bound, ..problem.root_node() }],
        _ => search.open(context)?,
    };
    Ok((counts, search.stacks.len()))
}

/// A search whose open nodes are on devices.
struct DeviceSearch<'a> {
    devices: &'a [&'a Device],
    problem: &'a Problem<'a>,
    layout: Layout,
    /// Those of the first devices; the others have not joined yet.
    stacks: Vec<Stack<'a>>,
    /// Records of nodes that no device has.
    waiting: Vec<u32>,
    /// Nodes that no device has had, the next ones last.
    fresh: Vec<Open>,
    start: Instant,
    counted: Counts,
}

impl<'a> DeviceSearch<'a> {
    /// A search below these nodes.
    fn new(
        devices: &'a [&'a Device],
        problem: &'a Problem<'a>,
        open: Vec<Open>,
        monitor: &Monitor,
    ) -> Result<Self> {
        Ok(DeviceSearch {
            devices,
            problem,
            layout: Layout::new(problem)?,
            stacks: vec![Stack::new(devices[0], problem, monitor)?],
            waiting: Vec::new(),
            fresh: open,
            start: Instant::now(),
            counted: Counts::default(),
        })
    }

    /// Searches until no node is open, `end` has come or the solve is to stop.
    fn advance(&mut self, limit: &Limit, monitor: &Monitor, end: Instant) -> Result<Counts> {
        self.share_nodes()?;
        while !self.is_done() && !monitor.should_stop() {
            self.turn(limit, monitor)?;
            self.share_nodes()?;
            monitor.report("branch and bound", None);
            // Later than at the beginning: a search whose file is always due must get on.
            if Instant::now() >= end {
                break;
            }
        }
        self.count()
    }

    /// Has all devices run their rounds, and looks at what came out.
    fn turn(&mut self, limit: &Limit, monitor: &Monitor) -> Result<()> {
        let problem = self.problem;
        let devices: &'a [&'a Device] = self.devices;
        let joining = if self.is_long() { &devices[self.stacks.len()..] } else { &[] };
        if let ([stack], []) = (&mut self.stacks[..], joining) {
            return stack.turn(problem, limit, monitor);
        }
        // One thread could not queue the rounds of many devices fast enough. Building kernels takes longer than a turn.
        let ready = AtomicUsize::new(0);
        let join = |device: &'a Device| {
            let stack = Stack::new(device, problem, monitor);
            ready.fetch_add(1, Ordering::Relaxed);
            stack
        };
        let turn = |stack: &mut Stack<'_>| loop {
            stack.turn(problem, limit, monitor)?;
            let others_are_ready = ready.load(Ordering::Relaxed) == joining.len();
            if others_are_ready || stack.position().nodes == 0 || monitor.should_stop() {
                return Ok(());
            }
        };
        let joined: Result<Vec<_>> = thread::scope(|scope| {
            let turns: Vec<_> = self.stacks.iter_mut().map(|stack| scope.spawn(|| turn(stack))).collect();
            let joining: Vec<_> = joining.iter().map(|&device| scope.spawn(move || join(device))).collect();
            let turned: Result<()> =
                turns.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(|_| Err(panicked())));
            let joined = joining.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(panicked())));
            let joined = joined.collect();
            turned.and(joined)
        });
        self.stacks.extend(joined?);
        Ok(())
    }

    /// Whether there is work for further devices: a search that takes long, and more open nodes than fit into a batch.
    fn is_long(&self) -> bool {
        let first = &self.stacks[0];
        self.start.elapsed() > ALONE && first.position().nodes > first.batch_nodes()
    }

    /// Whether no node is open.
    fn is_done(&self) -> bool {
        self.waiting.is_empty()
            && self.fresh.is_empty()
            && self.stacks.iter().all(|stack| stack.position().nodes == 0)
    }

    /// The smallest bound of an open node.
    fn least_bound(&self) -> Result<Option<u32>> {
        let words = self.layout.record_words();
        let waiting = self.waiting.chunks_exact(words).map(|record| self.layout.bound(record));
        let mut least = waiting.chain(self.fresh.iter().map(|node| node.bound)).min();
        for stack in &self.stacks {
            if stack.position().nodes > 0 {
                least = Some(stack.least_bound()?.min(least.unwrap_or(u32::MAX)));
            }
        }
        Ok(least)
    }

    /// All open nodes.
    fn open(&self, context: &Context) -> Result<Vec<Open>> {
        let mut open = self.fresh.clone();
        let records = self.waiting.chunks_exact(self.layout.record_words());
        let mut tails = vec![records.flat_map(|record| self.layout.tail(record)).copied().collect()];
        for stack in &self.stacks {
            tails.push(stack.tails()?);
        }
        let (layout, problem) = (&self.layout, self.problem);
        let some = layout.tail_words() * MOST_DECODED;
        let parts = tails.par_iter().flat_map(|tails: &Vec<u32>| tails.par_chunks(some));
        let decode = || parts.map(|tails| layout.decode(problem, tails)).collect();
        let parts: Vec<Vec<Open>> = context.install(decode)?;
        open.reserve(parts.iter().map(Vec::len).sum());
        parts.into_iter().for_each(|part| open.extend(part));
        Ok(open)
    }

    /// What was done since the last time.
    fn count(&mut self) -> Result<Counts> {
        let mut all = Counts::default();
        for stack in &self.stacks {
            let [nodes, free_jobs] = stack.totals()?;
            all.nodes += nodes;
            all.bounds += self.problem.branching.bounds_of(1) * free_jobs;
        }
        let new = Counts { nodes: all.nodes - self.counted.nodes, bounds: all.bounds - self.counted.bounds };
        self.counted = all;
        Ok(new)
    }

    /// Takes nodes in from stacks that are too full to go on well, and gives some to those that are empty.
    fn share_nodes(&mut self) -> Result<()> {
        for stack in &mut self.stacks {
            if stack.is_cramped() {
                let half = stack.position().nodes / 2;
                self.waiting.extend(stack.take_lowest(half)?);
            }
        }
        for idle in 0..self.stacks.len() {
            if self.stacks[idle].position().nodes == 0 {
                let records = self.records_for(idle)?;
                if !records.is_empty() {
                    self.stacks[idle].push(&records)?;
                }
            }
        }
        Ok(())
    }

    /// Records for an empty stack: nodes that wait, else some of the fullest stack. There are none if the rest of the
    /// search is too short to be worth it.
    fn records_for(&mut self, idle: usize) -> Result<Vec<u32>> {
        let words = self.layout.record_words();
        // Half of what there is room for leaves room to search.
        let most = (self.stacks[idle].capacity() / 2).max(1);
        let share = |nodes: usize| nodes.div_ceil(self.stacks.len()).min(most);
        if !self.waiting.is_empty() {
            // The deepest of those that wait.
            let first = self.waiting.len() - share(self.waiting.len() / words) * words;
            return Ok(self.waiting.split_off(first));
        }
        if !self.fresh.is_empty() {
            let first = self.fresh.len() - share(self.fresh.len()).min(MOST_ENCODED);
            let mut records = Vec::with_capacity((self.fresh.len() - first) * words);
            let fresh = self.fresh.drain(first..);
            fresh.for_each(|node| self.layout.encode(self.problem, &node, &mut records));
            return Ok(records);
        }
        match self.stacks.iter_mut().max_by_key(|stack| stack.position().nodes) {
            Some(fullest) if fullest.position().nodes > fullest.batch_nodes() => {
                let half = (fullest.batch_nodes() / 2).min(most);
                fullest.take_lowest(half)
            }
            _ => Ok(Vec::new()),
        }
    }
}

fn panicked() -> Error {
    Error::Internal("a thread for a device panicked".into())
}
