//! The device engine: the device branches, bounds, prunes and selects. The host queues rounds,
//! checks the state every few milliseconds, passes incumbents and nodes between devices, and takes
//! nodes back when a device's memory fills up. Further devices join a long search, and the CPU's
//! threads where that is faster.

mod crew;
mod helper;
mod host;
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
use self::host::Host;
pub(super) use self::kernels::{Advance, Batch, CONSTANTS, Tile, rule};
#[cfg(test)]
pub(super) use self::kernels::{Branch, Sample, Shift, Smallest, Tails};
pub(super) use self::layout::{Layout, RESERVED_BYTES, does_not_fit, too_large};
pub(super) use self::record::encode;
pub(super) use self::self_test::compare;
pub(super) use self::stack::{BRANCH_GROUP, MOST_ROUNDS, STACK_BATCHES};
pub(super) use self::tables::{Explored, Tables};
use super::keeper::Keeper;
use super::limit::Limit;
use super::node::Open;
use super::problem::Problem;
use super::{Counts, Slice};
use crate::memory::Grow;
use crate::opencl::Device;
use crate::solve::Monitor;
use crate::{Context, Result, Team, parallel};

/// Time between two queries of the least open bound, for which all devices wait: a share of the time
/// so far, within limits.
const BOUND_SHARE: u32 = 8;
const LEAST_INTERVAL: Duration = Duration::from_millis(250);
const MOST_INTERVAL: Duration = Duration::from_secs(2);
/// Nodes for an empty stack, in batches: a slow device takes long to give many back.
const MOST_FED: usize = 16;
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
    crew: Crew<'s, 'e, 'c, O>,
    host: Host<'s, 'e, O>,
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
        let host = Host::new(scope, team.context(), problem, open, monitor)?;
        Ok(DeviceSearch { problem, monitor, crew, host })
    }

    /// Searches until no node is open or the slice ends, and writes the checkpoint whenever it is
    /// due. Returns the least open bound at the end.
    fn run(
        &mut self,
        context: &'e Context,
        limit: &'e Limit,
        slice: &Slice<'_, O>,
    ) -> Result<Option<u32>> {
        let (begun, mut least, mut end) = (Instant::now(), None, slice.end);
        if let Some(turns) = slice.turns {
            let (crewing, length) = turns.set_out();
            self.host.crew_as(crewing, limit)?;
            end = Instant::now() + length;
        }
        while !self.is_done() && !self.monitor.should_stop() {
            if Instant::now() >= end {
                match self.next_turn(limit, slice)? {
                    Some(next) => end = next,
                    None => break,
                }
            }
            let interval = (begun.elapsed() / BOUND_SHARE).clamp(LEAST_INTERVAL, MOST_INTERVAL);
            let next = end.min(Instant::now() + interval);
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
        self.host.dismiss_helper()?;
        Ok(least)
    }

    /// The end of the next part of the slice, if the devices have one.
    fn next_turn(&mut self, limit: &'e Limit, slice: &Slice<'_, O>) -> Result<Option<Instant>> {
        let Some(turns) = slice.turns else { return Ok(None) };
        // Only work that has ended counts.
        self.host.dismiss_helper()?;
        let Some((crewing, length)) = turns.go_on(self.count()?.nodes) else { return Ok(None) };
        self.host.crew_as(crewing, limit)?;
        Ok(Some(Instant::now() + length))
    }

    /// Searches until no node is open, `end` is reached or the solve has to stop.
    fn advance(&mut self, limit: &Limit, end: Instant) -> Result<()> {
        while !self.is_done() && !self.monitor.should_stop() {
            self.crew.search(limit, end, &mut self.host)?;
            // Checked after a turn: a search whose checkpoint is always due must still progress.
            if Instant::now() >= end {
                break;
            }
        }
        self.crew.end_checks()
    }

    /// Whether no node is open.
    fn is_done(&self) -> bool {
        self.host.is_idle() && self.crew.waiting.is_empty() && self.are_stacks_empty()
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
        let (layout, words) = (self.host.layout(), self.host.layout().record_words());
        let waiting = self.crew.waiting.chunks_exact(words).map(|record| layout.bound(record));
        let on_host = self.host.least_bound();
        Ok(on_stack.into_iter().flatten().chain(waiting).chain(on_host).min())
    }

    /// All open nodes.
    fn open(&mut self, context: &Context) -> Result<Vec<Open>> {
        let mut open = self.host.open()?.to_vec();
        let on_stacks = self.crew.collect(|stack| stack.tails())?;
        let (layout, problem) = (self.host.layout(), self.problem);
        let mut tails = vec![layout.tails(&self.crew.waiting)];
        tails.extend(on_stacks);
        let some = layout.tail_words() * MOST_DECODED;
        let parts: Vec<&[u32]> =
            tails.iter().flat_map(|tails: &Vec<u32>| tails.chunks(some)).collect();
        let decode = |tails: &[u32]| layout.decode(problem.instance, tails);
        let parts = context.install(|| parallel::try_map(parts.into_iter(), decode))??;
        open.try_extend(parts.into_iter().flatten())?;
        Ok(open)
    }

    /// The work since the start, except that of the CPU's threads under way.
    fn count(&mut self) -> Result<Counts> {
        let [nodes, free_jobs] = self.crew.totals()?;
        let bounds = self.problem.branching.bounds_of(1) * free_jobs;
        let of_host = self.host.counts();
        Ok(Counts { nodes: nodes + of_host.nodes, bounds: bounds + of_host.bounds })
    }
}
