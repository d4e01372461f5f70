//! The device engine: the device branches, bounds, prunes and selects. The host queues rounds,
//! checks the state every few milliseconds, passes incumbents and nodes between devices, and takes
//! nodes back when a device's memory fills up. Further devices join a long search, and the CPU's
//! threads where that is faster.

mod crew;
mod helper;
mod kernels;
mod layout;
mod record;
mod self_test;
mod stack;
mod tables;
#[cfg(test)]
mod tests;

use std::thread::{self, Scope};
use std::time::{Duration, Instant};

use self::crew::Crew;
use self::helper::Helper;
pub(super) use self::kernels::{Advance, Batch, CONSTANTS, Tile, rule};
#[cfg(test)]
pub(super) use self::kernels::{Branch, Sample, Shift, Smallest, Tails};
pub(super) use self::layout::{Layout, RESERVED_BYTES, does_not_fit, too_large};
pub(super) use self::record::encode;
pub(super) use self::self_test::compare;
use self::stack::Stack;
pub(super) use self::tables::{Explored, Tables};
use super::keeper::Keeper;
use super::limit::Limit;
use super::node::Open;
use super::problem::Problem;
use super::{Counts, Slice};
use crate::context::Crewing;
use crate::memory::Grow;
use crate::opencl::Device;
use crate::solve::Monitor;
use crate::{Context, Result, Team, parallel};

/// Time between two queries of the least open bound.
const BOUND_INTERVAL: Duration = Duration::from_millis(250);
/// Nodes to encode as records at once.
const MOST_ENCODED: usize = 1 << 15;
/// Nodes for an empty stack, in batches: a slow device takes long to give many back.
const MOST_FED: usize = 16;
/// Nodes for each of the CPU's threads.
const HELPED: usize = 64;
/// Records that one thread decodes at once.
const MOST_DECODED: usize = 1 << 12;

/// Searches below the open nodes until none is left or the slice ends; leaves the remaining open
/// nodes in `open`.
pub(super) fn advance<O: Explored>(
    device: &Device,
    team: &Team<'_>,
    problem: &Problem<'_, O>,
    limit: &Limit,
    open: &mut Vec<Open>,
    slice: &Slice<'_, O>,
) -> Result<Counts> {
    thread::scope(|scope| {
        let nodes = std::mem::take(open);
        let mut search = DeviceSearch::new(scope, device, team, problem, nodes, slice.monitor)?;
        let context = team.context();
        let least = search.run(context, limit, slice)?;
        let counts = search.count()?;
        let is_last = !slice.keeps_open && slice.monitor.should_stop();
        *open = match least {
            // The root covers all open nodes.
            Some(bound) if is_last => vec![Open { bound, ..problem.root_node() }],
            _ => search.open(context)?,
        };
        search.crew.dismiss();
        Ok(counts)
    })
}

/// A search with its open nodes on devices.
struct DeviceSearch<'s, 'e, 'c, O: Explored> {
    problem: &'e Problem<'e, O>,
    monitor: &'e Monitor,
    layout: Layout,
    crew: Crew<'s, 'e, 'c, O>,
    /// The CPU's threads, while they take part.
    helper: Option<Helper<'s, 'e, O>>,
    /// The work of the CPU's threads before.
    helped: Counts,
    /// Nodes that no device has had yet, the next ones last.
    fresh: Vec<Open>,
}

impl<'s, 'e, 'c: 'e, O: Explored> DeviceSearch<'s, 'e, 'c, O> {
    /// A search below these nodes. Threads of the scope prepare further devices.
    fn new(
        scope: &'s Scope<'s, 'e>,
        device: &'e Device,
        team: &'e Team<'c>,
        problem: &'e Problem<'e, O>,
        open: Vec<Open>,
        monitor: &'e Monitor,
    ) -> Result<Self> {
        let crew = Crew::new(scope, device, team, problem, monitor)?;
        Ok(DeviceSearch {
            problem,
            monitor,
            layout: problem.objective.layout()?,
            crew,
            helper: None,
            helped: Counts::default(),
            fresh: open,
        })
    }

    /// Searches until no node is open or the slice ends, and writes the checkpoint whenever it is
    /// due. Returns the least open bound at the end.
    fn run(
        &mut self,
        context: &'e Context,
        limit: &'e Limit,
        slice: &Slice<'_, O>,
    ) -> Result<Option<u32>> {
        let (mut least, mut end) = (None, slice.end);
        if let Some(turns) = slice.turns {
            let (crewing, length) = turns.set_out();
            self.crew_as(crewing, context, limit)?;
            end = Instant::now() + length;
        }
        while !self.is_done() && !self.monitor.should_stop() {
            if Instant::now() >= end {
                match self.next_turn(context, limit, slice)? {
                    Some(next) => end = next,
                    None => break,
                }
            }
            let next = end.min(Instant::now() + BOUND_INTERVAL);
            self.advance(limit, slice.keeper.map_or(next, |keeper| keeper.next(next)))?;
            least = self.least_bound()?;
            if let Some(least) = least {
                self.monitor.note_bound(least.min(limit.get()));
            }
            let is_due = |keeper: &&Keeper<'_, O>| keeper.is_due() && !self.monitor.should_stop();
            if let Some(keeper) = slice.keeper.filter(is_due) {
                let open = self.open(context)?;
                keeper.keep_midway(&open, self.count()?);
            }
        }
        self.dismiss_helper()?;
        Ok(least)
    }

    /// The end of the next part of the slice, if the devices go on.
    fn next_turn(
        &mut self,
        context: &'e Context,
        limit: &'e Limit,
        slice: &Slice<'_, O>,
    ) -> Result<Option<Instant>> {
        let Some(turns) = slice.turns else { return Ok(None) };
        // Only work that has ended counts.
        self.dismiss_helper()?;
        let Some((crewing, length)) = turns.go_on(self.count()?.nodes) else { return Ok(None) };
        self.crew_as(crewing, context, limit)?;
        Ok(Some(Instant::now() + length))
    }

    /// Lets the CPU's threads take part, or not.
    fn crew_as(&mut self, crewing: Crewing, context: &'e Context, limit: &'e Limit) -> Result<()> {
        self.dismiss_helper()?;
        if crewing == Crewing::Both {
            let (scope, problem, monitor) = (self.crew.scope, self.problem, self.monitor);
            self.helper = Some(Helper::new(scope, context, problem, limit, monitor));
        }
        Ok(())
    }

    /// Takes the nodes of the CPU's threads back.
    fn dismiss_helper(&mut self) -> Result<()> {
        if let Some(mut helper) = self.helper.take() {
            self.fresh.extend(helper.take()?);
            self.helped.nodes += helper.counts().nodes;
            self.helped.bounds += helper.counts().bounds;
        }
        Ok(())
    }

    /// Searches until no node is open, `end` is reached or the solve has to stop.
    fn advance(&mut self, limit: &Limit, end: Instant) -> Result<()> {
        self.share_nodes()?;
        while !self.is_done() && !self.monitor.should_stop() {
            self.crew.turn(limit)?;
            self.share_nodes()?;
            self.monitor.report("branch and bound", None);
            // Checked after a turn: a search whose checkpoint is always due must still progress.
            if Instant::now() >= end {
                break;
            }
        }
        self.crew.end_checks()
    }

    /// Whether no node is open.
    fn is_done(&self) -> bool {
        self.fresh.is_empty()
            && self.crew.waiting.is_empty()
            && self.helper.as_ref().is_none_or(Helper::is_idle)
            && self.are_stacks_empty()
    }

    fn are_stacks_empty(&self) -> bool {
        self.crew.stacks().all(|stack| stack.position().nodes == 0)
    }

    /// The least bound of all open nodes.
    fn least_bound(&mut self) -> Result<Option<u32>> {
        let on_stack = self.crew.collect(|stack| match stack.position().nodes {
            0 => Ok(None),
            _ => stack.least_bound().map(Some),
        })?;
        let (layout, words) = (&self.layout, self.layout.record_words());
        let waiting = self.crew.waiting.chunks_exact(words).map(|record| layout.bound(record));
        let fresh = self.fresh.iter().map(|node| node.bound);
        let helped = self.helper.as_ref().and_then(Helper::least_bound);
        Ok(on_stack.into_iter().flatten().chain(waiting).chain(fresh).chain(helped).min())
    }

    /// All open nodes.
    fn open(&mut self, context: &Context) -> Result<Vec<Open>> {
        if let Some(helper) = &mut self.helper {
            self.fresh.extend(helper.take()?);
        }
        let mut open = self.fresh.clone();
        let on_stacks = self.crew.collect(|stack| stack.tails())?;
        let (layout, problem) = (&self.layout, self.problem);
        let mut tails = vec![self.tails_of(&self.crew.waiting)];
        tails.extend(on_stacks);
        let some = layout.tail_words() * MOST_DECODED;
        let parts: Vec<&[u32]> =
            tails.iter().flat_map(|tails: &Vec<u32>| tails.chunks(some)).collect();
        let decode = |tails: &[u32]| layout.decode(problem.instance, tails);
        let parts = context.install(|| parallel::try_map(parts.into_iter(), decode))??;
        open.try_extend(parts.into_iter().flatten())?;
        Ok(open)
    }

    /// The ends of some records.
    fn tails_of(&self, records: &[u32]) -> Vec<u32> {
        let records = records.chunks_exact(self.layout.record_words());
        records.flat_map(|record| self.layout.tail(record)).copied().collect()
    }

    /// The work since the start, except that of the CPU's threads under way.
    fn count(&mut self) -> Result<Counts> {
        let [nodes, free_jobs] = self.crew.totals()?;
        let bounds = self.problem.branching.bounds_of(1) * free_jobs;
        let now = self.helper.as_ref().map_or(Counts::default(), Helper::counts);
        let of_threads = [self.helped, now];
        Ok(Counts {
            nodes: nodes + of_threads.map(|counts| counts.nodes).iter().sum::<u64>(),
            bounds: bounds + of_threads.map(|counts| counts.bounds).iter().sum::<u64>(),
        })
    }

    /// Takes nodes from stacks that are almost full, and gives some to empty stacks and to idle
    /// threads of the CPU.
    fn share_nodes(&mut self) -> Result<()> {
        self.look_after_helper()?;
        let members = self.crew.stacks().len();
        for index in (0..members).rev() {
            self.relieve(index)?;
        }
        let members = self.crew.stacks().len();
        for index in (0..members).rev() {
            self.feed(index)?;
        }
        Ok(())
    }

    /// Takes nodes from a stack that is almost full.
    fn relieve(&mut self, index: usize) -> Result<()> {
        let Some(stack) = self.crew.stacks().nth(index).filter(|stack| stack.is_cramped()) else {
            return Ok(());
        };
        let half = stack.position().nodes / 2;
        let words = self.crew.waiting.len() + half * self.layout.record_words();
        let required = words as u128 * size_of::<u32>() as u128;
        self.monitor
            .check_memory(required, || "open nodes beyond the device's memory".to_owned())?;
        if let Some(records) = self.crew.with(index, |stack| stack.take_lowest(half))? {
            self.crew.waiting.extend(records);
        }
        Ok(())
    }

    /// Gives nodes to an empty stack, if there are any to share.
    fn feed(&mut self, index: usize) -> Result<()> {
        let room = self.crew.stacks().nth(index).filter(|stack| stack.position().nodes == 0);
        // Filling only half of the stack leaves room to search.
        let fit =
            |stack: &Stack<'_>| (stack.capacity() / 2).min(stack.batch_nodes() * MOST_FED).max(1);
        let Some(most) = room.map(fit) else { return Ok(()) };
        let records = self.records(most)?;
        if records.is_empty() { Ok(()) } else { self.crew.lend(index, records) }
    }

    /// Up to `most` records for an empty stack: waiting nodes, otherwise some of the fullest
    /// stack's. There are none if too little of the search is left to share.
    fn records(&mut self, most: usize) -> Result<Vec<u32>> {
        let words = self.layout.record_words();
        let members = self.crew.stacks().len();
        let share = |nodes: usize| nodes.div_ceil(members).min(most);
        let waiting = &mut self.crew.waiting;
        if !waiting.is_empty() {
            // The deepest waiting nodes.
            let first = waiting.len() - share(waiting.len() / words) * words;
            return Ok(waiting.split_off(first));
        }
        if !self.fresh.is_empty() {
            let first = self.fresh.len() - share(self.fresh.len()).min(MOST_ENCODED);
            let mut records = Vec::with_capacity((self.fresh.len() - first) * words);
            let fresh = self.fresh.drain(first..);
            fresh.for_each(|node| encode(&self.layout, self.problem, &node, &mut records));
            return Ok(records);
        }
        self.take_from_fullest(most)
    }

    /// Up to `most` records of the fullest stack; none if it has no more than a batch.
    fn take_from_fullest(&mut self, most: usize) -> Result<Vec<u32>> {
        let fullest =
            self.crew.stacks().enumerate().max_by_key(|(_, stack)| stack.position().nodes);
        match fullest.map(|(index, stack)| (index, stack.position().nodes, stack.batch_nodes())) {
            Some((index, nodes, batch)) if nodes > batch => {
                let half = (batch / 2).min(most);
                Ok(self.crew.with(index, |stack| stack.take_lowest(half))?.unwrap_or_default())
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Gives nodes to idle threads of the CPU. Takes all of theirs if the devices have none.
    fn look_after_helper(&mut self) -> Result<()> {
        let Some(helper) = &mut self.helper else { return Ok(()) };
        helper.look()?;
        let is_idle = helper.is_idle();
        let have_none = self.are_stacks_empty() && self.crew.waiting.is_empty();
        if have_none && self.fresh.is_empty() && !is_idle {
            if let Some(helper) = &mut self.helper {
                self.fresh = helper.take()?;
            }
        } else if is_idle && !have_none {
            let most = HELPED * self.crew.threads();
            let given = match self.fresh.len() {
                0 => {
                    let records = self.take_from_fullest(most)?;
                    self.layout.decode(self.problem.instance, &self.tails_of(&records))?
                }
                nodes => self.fresh.split_off(nodes - nodes.div_ceil(2).min(most)),
            };
            if let Some(helper) = &mut self.helper {
                helper.search(given);
            }
        }
        Ok(())
    }
}
