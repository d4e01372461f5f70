//! The device engine: the tree is branched, bounded, pruned and selected on the device. The host queues rounds of it,
//! looks every few milliseconds, carries incumbents and nodes between devices, and takes nodes in when a device's memory
//! fills up.

mod evaluator;
mod layout;
mod stack;
mod tables;
#[cfg(test)]
mod tests;

use std::thread;
use std::time::{Duration, Instant};

pub(super) use self::evaluator::Evaluator;
use self::layout::Layout;
use self::stack::Stack;
use super::limit::Limit;
use super::node::Open;
use super::problem::Problem;
use super::{Counts, Slice};
use crate::opencl::Device;
use crate::solve::Monitor;
use crate::{Error, Result};

/// Searches below the open nodes until there are none or the slice ends; leaves those that are open then.
pub(super) fn advance(
    devices: &[&Device],
    problem: &Problem<'_>,
    limit: &Limit,
    open: &mut Vec<Open>,
    slice: &Slice<'_>,
) -> Result<Counts> {
    let monitor = slice.monitor;
    let mut search = DeviceSearch::new(devices, problem, open, monitor)?;
    let mut counts = Counts::default();
    let mut least = None;
    while !search.is_done() && !monitor.should_stop() && Instant::now() < slice.end {
        let new = search.advance(limit, monitor, slice.end.min(Instant::now() + BOUND_INTERVAL))?;
        counts.nodes += new.nodes;
        counts.bounds += new.bounds;
        least = search.least_bound()?;
        monitor.note(None, least.map(|least| least.min(limit.get()).into()));
    }
    *open = match least {
        // The root stands for all that is open below it.
        Some(bound) if !slice.keeps_open => vec![Open { bound, ..problem.root_node() }],
        _ => search.open()?,
    };
    Ok(counts)
}

/// A search whose open nodes are on devices.
struct DeviceSearch<'a> {
    problem: &'a Problem<'a>,
    layout: Layout,
    stacks: Vec<Stack<'a>>,
    /// Records of nodes that no device has.
    waiting: Vec<u32>,
    /// Rounds that are queued at once.
    rounds: usize,
    counted: Counts,
}

/// How often the least open bound is asked for.
const BOUND_INTERVAL: Duration = Duration::from_millis(250);
/// How long the rounds that are queued at once are to take.
const LOOK_INTERVAL: Duration = Duration::from_millis(10);
/// Rounds of the first look. The tree is small then.
const FIRST_ROUNDS: usize = 8;
const MOST_ROUNDS: usize = 256;

impl<'a> DeviceSearch<'a> {
    /// A search below these nodes.
    fn new(
        devices: &[&'a Device],
        problem: &'a Problem<'a>,
        open: &[Open],
        monitor: &Monitor,
    ) -> Result<Self> {
        let layout = Layout::new(problem)?;
        let stacks: Result<Vec<_>> =
            devices.iter().map(|&device| Stack::new(device, problem, monitor)).collect();
        let mut waiting = Vec::with_capacity(open.len() * layout.record_words());
        open.iter().for_each(|node| layout.encode(problem, node, &mut waiting));
        let counted = Counts::default();
        Ok(DeviceSearch { problem, layout, stacks: stacks?, waiting, rounds: FIRST_ROUNDS, counted })
    }

    /// Searches until no node is open, `end` has come or the solve is to stop.
    fn advance(&mut self, limit: &Limit, monitor: &Monitor, end: Instant) -> Result<Counts> {
        self.share_nodes()?;
        while !self.is_done() && !monitor.should_stop() && Instant::now() < end {
            let start = Instant::now();
            self.turn(limit, monitor)?;
            self.pace(start.elapsed());
            self.share_nodes()?;
            monitor.report("branch and bound", None);
        }
        self.count()
    }

    /// Has all devices run their rounds, and looks at what came out.
    fn turn(&mut self, limit: &Limit, monitor: &Monitor) -> Result<()> {
        let rounds = self.rounds;
        let turn = |stack: &mut Stack<'_>| {
            stack.lower_incumbent(limit.get())?;
            stack.launch(rounds)?;
            if let Some(middle) = stack.look()? {
                let order = [self.problem.instance.pinned(), &middle].concat();
                limit.offer(stack.position().incumbent, &order, monitor);
            }
            Ok(())
        };
        match &mut self.stacks[..] {
            [stack] => turn(stack),
            // One thread could not queue the rounds of many devices fast enough.
            stacks => thread::scope(|scope| {
                let turns: Vec<_> = stacks.iter_mut().map(|stack| scope.spawn(|| turn(stack))).collect();
                let panicked = |_| Err(Error::Internal("a thread for a device panicked".into()));
                turns.into_iter().try_for_each(|turn| turn.join().unwrap_or_else(panicked))
            }),
        }
    }

    /// Whether no node is open.
    fn is_done(&self) -> bool {
        self.waiting.is_empty() && self.stacks.iter().all(|stack| stack.position().nodes == 0)
    }

    /// The smallest bound of an open node.
    fn least_bound(&self) -> Result<Option<u32>> {
        let words = self.layout.record_words();
        let mut least = self.waiting.chunks_exact(words).map(|record| self.layout.bound(record)).min();
        for stack in &self.stacks {
            if stack.position().nodes > 0 {
                least = Some(stack.least_bound()?.min(least.unwrap_or(u32::MAX)));
            }
        }
        Ok(least)
    }

    /// All open nodes.
    fn open(&self) -> Result<Vec<Open>> {
        let mut records = self.waiting.clone();
        for stack in &self.stacks {
            records.extend(stack.records(0..stack.position().nodes)?);
        }
        let records = records.chunks_exact(self.layout.record_words());
        Ok(records.map(|record| self.layout.decode(self.problem, record)).collect())
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

    fn pace(&mut self, elapsed: Duration) {
        if elapsed < LOOK_INTERVAL / 2 {
            self.rounds = (self.rounds * 2).min(MOST_ROUNDS);
        } else if elapsed > LOOK_INTERVAL * 2 {
            self.rounds = (self.rounds / 2).max(1);
        }
    }

    /// Takes nodes in from stacks that are too full to go on well, and gives some to those that are empty.
    fn share_nodes(&mut self) -> Result<()> {
        for stack in &mut self.stacks {
            if stack.is_cramped() {
                let half = stack.position().nodes.div_ceil(2);
                self.waiting.extend(take_lowest(stack, half)?);
            }
        }
        while let Some(idle) = self.stacks.iter().position(|stack| stack.position().nodes == 0) {
            let words = self.layout.record_words();
            if !self.waiting.is_empty() {
                // The deepest of those that wait; half of what there is room for leaves room to search.
                let most = (self.stacks[idle].capacity() / 2).max(1);
                let share = (self.waiting.len() / words).div_ceil(self.stacks.len()).min(most);
                let given = self.waiting.split_off(self.waiting.len() - share * words);
                self.stacks[idle].put(0, &given)?;
                continue;
            }
            let Some(richest) = self.stacks.iter_mut().max_by_key(|stack| stack.position().nodes) else {
                break;
            };
            if richest.position().nodes < 2 {
                break;
            }
            let half = richest.position().nodes / 2;
            let given = take_lowest(richest, half)?;
            self.stacks[idle].put(0, &given)?;
        }
        Ok(())
    }
}

/// Takes the records of the lowest nodes, which have the largest trees below, from a stack.
fn take_lowest(stack: &mut Stack<'_>, count: usize) -> Result<Vec<u32>> {
    let taken = stack.records(0..count)?;
    let rest = stack.records(count..stack.position().nodes)?;
    stack.put(0, &rest)?;
    Ok(taken)
}
