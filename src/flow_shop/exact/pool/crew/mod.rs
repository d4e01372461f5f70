//! The engines that work on the host's pool at the same time. Each takes nodes off the pool, branches
//! them and puts their open children back. None waits for another one while nodes are open.

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use super::{Host, Threads};
use crate::context::{Awaited, Crewing};
use crate::flow_shop::exact::keeper::Keeper;
use crate::flow_shop::exact::limit::Limit;
use crate::flow_shop::exact::node::Open;
use crate::flow_shop::exact::objective::Objective;
use crate::flow_shop::exact::{Counts, Slice};
use crate::memory::Grow;
use crate::mutex::lock;
use crate::opencl::Device;
use crate::solve::Monitor;
use crate::{Context, Error, Result, Team, scoped};

/// Time after which an engine without nodes looks whether the slice is over.
const WAIT: Duration = Duration::from_millis(5);
/// How long the chosen device waits for the nodes of slow engines before it takes them back.
const PATIENCE: Duration = Duration::from_millis(100);

/// What the engines of a search share.
pub(in crate::flow_shop::exact) struct Search<'a, 's, O: Objective> {
    pub(in crate::flow_shop::exact) context: &'a Context,
    pub(in crate::flow_shop::exact) host: Host<'a, O>,
    pub(in crate::flow_shop::exact) limit: &'a Limit,
    pub(in crate::flow_shop::exact) slice: &'a Slice<'s, O>,
}

impl<O: Objective> Search<'_, '_, O> {
    /// Open nodes for which the memory has room, besides as many children.
    pub(in crate::flow_shop::exact) fn most_open(&self) -> usize {
        let node = Open::bytes(self.host.problem.instance.jobs());
        let bytes = self.slice.monitor.memory_bytes() / 2 / node;
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }
}

/// An engine.
pub(in crate::flow_shop::exact) trait Worker {
    /// Takes nodes off the open ones, at most `most`. Memory has room for `room` children of theirs.
    /// With little room it takes few nodes: depth-first search then reduces the number of open ones.
    fn select(&mut self, open: &mut Vec<Open>, most: usize, room: usize) -> Result<Vec<Open>>;

    /// Branches nodes, and some of those below them. Returns the nodes that are left open, the next
    /// ones last. The monitor is that of this work alone.
    fn branch(&mut self, nodes: &[Open], monitor: &Monitor) -> Result<(Vec<Open>, Counts)>;
}

/// Searches on the chosen device, and on the CPU's threads if they have a turn. The devices of the
/// team join once the search has taken long and the open nodes are more than a pool. Leaves the
/// remaining open nodes in `open`.
pub(in crate::flow_shop::exact) fn advance<'a, O: Objective>(
    device: &'a Device,
    team: &'a Team<'_>,
    search: &'a Search<'a, '_, O>,
    open: &mut Vec<Open>,
    prepare: impl Fn(&'a Device) -> Result<Box<dyn Worker + 'a>> + Sync + 'a,
) -> Result<Counts> {
    let mut chosen = prepare(device)?;
    let (crew, mut awaited) = (Crew::new(search, team), Awaited::new());
    team.summon();
    crew.lock().open = std::mem::take(open);
    let has_helper = search.slice.turns.is_some_and(|turns| turns.set_out().0 == Crewing::Both);
    let begun = Instant::now();
    let ended = thread::scope(|scope| {
        let mut joining = Vec::new();
        if has_helper {
            let help = || crew.work(&mut Threads { search }, Rank::Further, || {});
            // Without a thread, the devices have all nodes.
            joining.extend(awaited.spawn(scope, help).ok().map(|thread| (None, thread)));
        }
        let mut is_alone = true;
        let searched = crew.work(&mut *chosen, Rank::Chosen, || {
            search.slice.monitor.report("branch and bound", None);
            if is_alone && team.may_join(begun) && crew.lock().open.len() > search.host.options.size
            {
                is_alone = false;
                joining.extend(crew.call(scope, &awaited, &prepare));
            }
        });
        // Devices that are not ready yet have no more to do.
        crew.end_if(true);
        team.dismiss();
        if !awaited.end_within(PATIENCE, search.slice.monitor) {
            crew.recall();
        }
        awaited.wait(search.slice.monitor);
        let end = |(place, thread)| settle(team, place, scoped::join(thread));
        let further = joining.into_iter().map(end);
        [searched].into_iter().chain(further).collect::<Vec<_>>()
    });
    first_failure(ended)?;
    let state = crew.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    *open = state.open;
    Ok(state.counts)
}

/// Leaves a failed further engine out; the pool has its nodes. A wrong device is an error. The CPU's
/// threads have no place in the team.
fn settle(team: &Team<'_>, place: Option<usize>, worked: Result<()>) -> Result<()> {
    let Err(error) = worked else { return Ok(()) };
    match place {
        // Its kernels were not ready in time.
        _ if matches!(*error, Error::Stopped) => Ok(()),
        Some(place) => {
            team.leave_out(place, &error);
            if matches!(*error, Error::DeviceWrong(_)) { Err(error) } else { Ok(()) }
        }
        // Memory that the threads did not get.
        None if error.is_device_failure() => Ok(()),
        None => Err(error),
    }
}

/// A wrong device counts more than other failures: its work must be forgotten.
fn first_failure(results: Vec<Result<()>>) -> Result<()> {
    let (mut wrong, mut failure) = (None, None);
    for error in results.into_iter().filter_map(Result::err) {
        let first = if matches!(*error, Error::DeviceWrong(_)) { &mut wrong } else { &mut failure };
        first.get_or_insert(error);
    }
    wrong.or(failure).map_or(Ok(()), Err)
}

struct Crew<'a, 's, 'c, O: Objective> {
    search: &'a Search<'a, 's, O>,
    team: &'a Team<'c>,
    state: Mutex<State>,
    /// Nodes were put back, or the search is over.
    changed: Condvar,
    /// How often slow engines were asked for their nodes.
    recalls: Arc<AtomicU64>,
}

/// The chosen device can take nodes back from the other engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rank {
    Chosen,
    Further,
}

#[derive(Default)]
struct State {
    open: Vec<Open>,
    /// Number of nodes that engines have.
    taken: usize,
    counts: Counts,
    /// Engines that work or wait for nodes, and those that have nodes.
    present: usize,
    busy: usize,
    is_over: bool,
}

/// A thread that lets the device at this place of the team work.
type Joining<'s> = (Option<usize>, ScopedJoinHandle<'s, Result<()>>);

impl<'a, 's, 'c, O: Objective> Crew<'a, 's, 'c, O> {
    fn new(search: &'a Search<'a, 's, O>, team: &'a Team<'c>) -> Self {
        let (state, changed, recalls) = (Mutex::default(), Condvar::new(), Arc::default());
        Crew { search, team, state, changed, recalls }
    }
}

impl<'a, O: Objective> Crew<'a, '_, '_, O> {
    /// Lets an engine work until no node is open or the slice is over. Calls `between` after each
    /// part of its work. After a failure the pool has the engine's nodes.
    fn work(&self, worker: &mut dyn Worker, rank: Rank, mut between: impl FnMut()) -> Result<()> {
        self.lock().present += 1;
        let worked = loop {
            match self.step(worker, rank) {
                Ok(true) => between(),
                Ok(false) => break Ok(()),
                Err(error) if matches!(*error, Error::Stopped) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        let is_fatal =
            |error: &Error| !error.is_device_failure() || matches!(error, Error::DeviceWrong(_));
        self.end_if(worked.as_ref().is_err_and(|error| is_fatal(error)));
        self.lock().present -= 1;
        worked
    }

    /// Branches nodes of the pool. Returns false if there are no more, or the slice is over.
    fn step(&self, worker: &mut dyn Worker, rank: Rank) -> Result<bool> {
        let Some(mut taken) = self.take(worker, rank)? else { return Ok(false) };
        let Some((children, counts)) = self.branch(worker, rank, &taken.nodes)? else {
            drop(taken);
            // The chosen device is to get the nodes.
            thread::sleep(WAIT);
            return Ok(true);
        };
        let mut state = self.lock();
        state.open.try_extend(children)?;
        taken.nodes.clear();
        state.counts.nodes += counts.nodes;
        state.counts.bounds += counts.bounds;
        state.is_over |= self.search.slice.keeper.is_some_and(Keeper::is_due);
        Ok(true)
    }

    /// Branches nodes; None if they were recalled meanwhile.
    fn branch(
        &self,
        worker: &mut dyn Worker,
        rank: Rank,
        nodes: &[Open],
    ) -> Result<Option<(Vec<Open>, Counts)>> {
        let monitor = self.search.slice.monitor;
        if rank == Rank::Chosen {
            return worker.branch(nodes, monitor).map(Some);
        }
        let (recalls, before) = (Arc::clone(&self.recalls), self.recalls());
        let part = monitor.one_of_several(move || recalls.load(Ordering::Relaxed) != before);
        let branched = worker.branch(nodes, &part);
        monitor.join(&part);
        match branched {
            Err(error) if matches!(*error, Error::Stopped) && part.is_relieved() => Ok(None),
            branched => branched.map(Some),
        }
    }

    fn recalls(&self) -> u64 {
        self.recalls.load(Ordering::Relaxed)
    }

    /// Lets further engines give back the nodes that they have.
    fn recall(&self) {
        self.recalls.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes the next nodes, or waits for some.
    fn take(&self, worker: &mut dyn Worker, rank: Rank) -> Result<Option<Taken<'_>>> {
        let most_open = self.search.most_open();
        let mut idle = None::<Instant>;
        // The question may call the user, so no lock is held.
        while !self.search.slice.is_over() {
            let mut guard = self.lock();
            let state = &mut *guard;
            if state.is_over {
                break;
            }
            let present = state.present.max(1);
            let share = state.open.len().div_ceil(present);
            let room = most_open.saturating_sub(state.open.len() + state.taken) / present;
            let nodes = worker.select(&mut state.open, share, room)?;
            if !nodes.is_empty() {
                state.busy += 1;
                state.taken += nodes.len();
                let count = nodes.len();
                let (state, changed) = (&self.state, &self.changed);
                return Ok(Some(Taken { state, changed, count, nodes }));
            }
            if state.open.is_empty() {
                if state.busy == 0 {
                    break;
                }
                let since = *idle.get_or_insert_with(Instant::now);
                if rank == Rank::Chosen && since.elapsed() >= PATIENCE {
                    self.recall();
                    idle = None;
                }
                drop(self.changed.wait_timeout(guard, WAIT));
            }
        }
        Ok(None)
    }

    /// Prepares the further devices, with a thread for each.
    fn call<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        awaited: &Awaited,
        prepare: &'s (impl Fn(&'a Device) -> Result<Box<dyn Worker + 'a>> + Sync),
    ) -> Vec<Joining<'s>> {
        let called = self.team.places().into_iter().filter_map(|place| {
            let work = move || {
                let Some(device) = self.team.device(place) else { return Ok(()) };
                let mut worker = prepare(device)?;
                self.team.joined(place);
                self.work(&mut *worker, Rank::Further, || {})
            };
            let spawned = awaited.spawn(scope, work);
            let spawned = spawned.inspect_err(|error| self.team.leave_out(place, error));
            spawned.ok().map(|thread| (Some(place), thread))
        });
        called.collect()
    }

    /// Lets all engines end after their present work.
    fn end_if(&self, condition: bool) {
        self.lock().is_over |= condition;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// Nodes that an engine has. The pool gets them back, or what is left of them.
struct Taken<'a> {
    state: &'a Mutex<State>,
    changed: &'a Condvar,
    /// How many it took.
    count: usize,
    nodes: Vec<Open>,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut state = lock(self.state);
        state.open.append(&mut self.nodes);
        state.busy -= 1;
        state.taken -= self.count;
        // A fault that must not show up only after a long search.
        state.is_over |= thread::panicking();
        self.changed.notify_all();
    }
}
