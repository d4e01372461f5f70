//! The search as a whole: slices on the faster engine, the open nodes between slices, and the
//! checkpoint.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::checkpoint::Checkpoint;
use super::keeper::Keeper;
use super::limit::Limit;
use super::node::Open;
use super::objective::Objective;
use super::options::Plan;
use super::problem::Problem;
use super::turns::Turns;
use super::{Counts, ExactOptions, Slice, cpu};
use crate::context::{Crewing, Readiness};
use crate::flow_shop::incumbent::{Best, Incumbent};
use crate::opencl::Device;
use crate::solve::{Monitor, Statistics};
use crate::{Context, Dispatch, Error, Forecast, Result, Team};

/// Duration of the CPU's first slice; each later one is longer.
const FIRST_SLICE: Duration = Duration::from_millis(50);
/// Maximum duration of a CPU slice, unless handing over the open nodes takes long.
const LONGEST_SLICE: Duration = Duration::from_secs(1);
/// A CPU slice lasts at least this many times as long as handing over the open nodes.
const HANDOVER_SHARE: u32 = 20;
/// How long the CPU searches before the library looks for a device and opens it.
const WORTH_A_LOOK: Duration = Duration::from_millis(50);
/// With as many threads, one rests while the device is opened.
const SPARE_THREADS: usize = 4;
/// Practically no limit, for a device that has no competitor.
const DEVICE_SLICE: Duration = Duration::from_secs(1 << 30);
/// With more open nodes than `MANY_NODES`, or nodes that take more than 1 / `MANY_SHARE` of the
/// memory, the search takes the deepest first, which keeps their number down.
const MANY_NODES: u64 = 1 << 20;
const MANY_SHARE: u64 = 4;

/// Why an iteration limit excludes devices: they visit nodes in another order.
pub(super) const COUNTED_ON_CPU: &str =
    "iterations of branch and bound are counted on the CPU alone";

/// An objective whose searches devices can help.
pub(super) trait OnDevices: Objective {
    /// Searches below the open nodes on a device, and on those of the team, until there are none or
    /// the slice ends; leaves those that are open then.
    fn advance(
        plan: &Plan,
        device: &Device,
        team: &Team<'_>,
        problem: &Problem<'_, Self>,
        limit: &Limit,
        open: &mut Vec<Open>,
        slice: &Slice<'_, Self>,
    ) -> Result<Counts>;
}

/// Searches by an objective until the optimum is proved or a limit comes; each decomposed node may
/// count as an iteration of the monitor's.
pub(super) fn run<O: OnDevices>(
    incumbent: &mut Incumbent<'_>,
    objective: impl FnOnce() -> Result<O>,
    options: &ExactOptions,
    counts_iterations: bool,
    dispatch: &mut Dispatch<'_>,
    statistics: &mut Statistics,
) -> Result<()> {
    let (instance, monitor, context) = (incumbent.instance, incumbent.monitor, dispatch.context());
    let plan = options.plan();
    check_engines(counts_iterations, dispatch)?;
    let read = |path: &std::path::PathBuf| Checkpoint::read::<O>(instance, path, monitor);
    let kept = options.checkpoint.as_ref().map(read).transpose()?.flatten();
    if let Some(kept) = &kept {
        incumbent.offer(&kept.best.order, kept.best.value);
    }
    let given =
        options.upper_bound.map_or(u32::MAX, |limit| u32::try_from(limit).unwrap_or(u32::MAX));
    let kept_limit = kept.as_ref().map_or(u32::MAX, |kept| kept.limit);
    if kept_limit < given.min(incumbent.value()) {
        dispatch.warn(format!(
            "the checkpoint's search for schedules shorter than {kept_limit} continues"
        ));
    }
    let limit = Limit::new(incumbent.best(), given.min(kept_limit));
    let branching_limit = kept.as_ref().map_or(limit.get(), |kept| kept.branching_limit);
    let objective = match objective() {
        // No node has been decomposed.
        Err(error) if matches!(*error, Error::Stopped) => return Ok(()),
        objective => objective?,
    };
    let problem = Problem::new(instance, objective, options.branching, branching_limit);
    let interval = options.checkpoint_interval;
    let keeper = options
        .checkpoint
        .as_deref()
        .map(|path| Keeper::new(context, &problem, &limit, path, interval));
    // The file does not name the device that took part. If a device of this run turns out to be
    // wrong, the search begins again at the root.
    let by_device = kept.as_ref().is_some_and(|kept| kept.by_device);
    let mut search = Search {
        keeper: keeper.as_ref(),
        keeps_open: keeper.is_some(),
        counts: kept.as_ref().map_or(Counts::default(), |kept| kept.counts),
        open: kept.map_or_else(|| vec![problem.root_node()], |kept| kept.open.into_owned()),
        without_devices: by_device.then(|| (vec![problem.root_node()], Counts::default())),
        ..Search::new(&problem, &limit, monitor, plan, counts_iterations, dispatch)
    };
    search.leave_what_is_known(incumbent);
    search.run(dispatch)?;
    if plan.bounds_pool() && search.counts.nodes > 0 && !dispatch.used_device() {
        dispatch.warn("the host's pool needs a device: the CPU engine searched without one".into());
    }
    statistics.add("nodes", search.counts.nodes);
    statistics.add("bounds", search.counts.bounds);
    let proved = search.proved();
    dispatch.shared_with(search.team);
    conclude(incumbent, limit.best(), proved)
}

/// What a part of a search leaves.
pub(super) struct Left {
    pub(super) open: Vec<Open>,
    pub(super) counts: Counts,
    /// Whether a device was wrong. The work is then that of the CPU and of other devices.
    pub(super) was_misled: bool,
}

/// Searches below the open nodes, without a file, until none is left or a limit comes. After a
/// failure, too, the nodes left open have all of the search below them.
pub(super) fn run_part<O: OnDevices>(
    problem: &Problem<'_, O>,
    limit: &Limit,
    monitor: &Monitor,
    options: &ExactOptions,
    counts_iterations: bool,
    open: Vec<Open>,
    dispatch: &mut Dispatch<'_>,
) -> (Left, Result<()>) {
    let plan = options.plan();
    if let Err(refused) = check_engines(counts_iterations, dispatch) {
        return (Left { open, counts: Counts::default(), was_misled: false }, Err(refused));
    }
    let mut search = Search {
        keeps_open: true,
        open,
        ..Search::new(problem, limit, monitor, plan, counts_iterations, dispatch)
    };
    let searched = search.run(dispatch);
    let Search { open, counts, was_misled, team, .. } = search;
    dispatch.shared_with(team);
    (Left { open, counts, was_misled }, searched)
}

/// # Errors
/// [`Error::Unsupported`] if iterations are counted and a device was asked for.
fn check_engines(counts_iterations: bool, dispatch: &mut Dispatch<'_>) -> Result<()> {
    if counts_iterations { dispatch.cpu_only(COUNTED_ON_CPU) } else { Ok(()) }
}

/// Takes over the best sequence and the proved bound of a search.
fn conclude(incumbent: &mut Incumbent<'_>, best: Best, proved: u32) -> Result<()> {
    incumbent.offer(&best.order, best.value);
    if proved > incumbent.value() {
        return Err(Error::internal(format!("bound {proved} above value {}", incumbent.value())));
    }
    incumbent.raise(proved);
    Ok(())
}

/// A search under way. Between slices it holds all open nodes.
struct Search<'a, 'c, O: OnDevices> {
    problem: &'a Problem<'a, O>,
    limit: &'a Limit,
    monitor: &'a Monitor,
    keeper: Option<&'a Keeper<'a, O>>,
    /// Whether the caller takes the open nodes at the end.
    keeps_open: bool,
    plan: Plan,
    counts_iterations: bool,
    begun: Instant,
    /// Duration of the CPU's next slice while there is no device, and the least one at any time.
    length: Duration,
    least_length: Duration,
    /// The engines' turns, if they compete.
    turns: Option<Turns>,
    counts: Counts,
    open: Vec<Open>,
    /// The open nodes and counts before a device first took part, once one has.
    without_devices: Option<(Vec<Open>, Counts)>,
    /// Whether a device was wrong, so that the search began again without its nodes.
    was_misled: bool,
    /// The further devices, without the chosen one.
    team: Team<'c>,
}

impl<'a, 'c, O: OnDevices> Search<'a, 'c, O> {
    /// A search without open nodes and without a file.
    fn new(
        problem: &'a Problem<'a, O>,
        limit: &'a Limit,
        monitor: &'a Monitor,
        plan: Plan,
        counts_iterations: bool,
        dispatch: &Dispatch<'c>,
    ) -> Self {
        Search {
            problem,
            limit,
            monitor,
            keeper: None,
            keeps_open: false,
            plan,
            counts_iterations,
            begun: Instant::now(),
            length: FIRST_SLICE,
            least_length: Duration::ZERO,
            turns: dispatch.is_auto().then(Turns::new),
            counts: Counts::default(),
            open: Vec::new(),
            without_devices: None,
            was_misled: false,
            team: dispatch.context().team(monitor),
        }
    }

    /// Closes all nodes if there is only one sequence or the best one is known.
    fn leave_what_is_known(&mut self, incumbent: &Incumbent<'_>) {
        let problem = self.problem;
        if problem.root.free_count <= 1 {
            self.open.clear();
            self.limit.offer(
                problem.objective.last_value(&problem.root),
                &problem.only_sequence(),
                self.monitor,
            );
        }
        if incumbent.is_optimal() {
            self.open.clear();
        }
    }

    fn run(&mut self, dispatch: &mut Dispatch<'c>) -> Result<()> {
        // Writes the file first, so that an unwritable path is noticed before the work.
        self.keep()?;
        self.order();
        while self.is_open() && !self.monitor.should_stop() {
            if !self.counts_iterations {
                self.order();
            }
            let counts = match self.advance(dispatch) {
                Err(error) if matches!(*error, Error::OutOfMemory { .. }) => {
                    if self.keeps_open {
                        return Err(error);
                    }
                    // All nodes are still open, and a feasible result is better than none.
                    dispatch.warn(format!("branch and bound ended early: {error}"));
                    break;
                }
                // The kernels were not ready in time; all nodes are still open.
                Err(error) if matches!(*error, Error::Stopped) => break,
                Err(error) if error.is_device_failure() => {
                    // A requested device failed. Keep the search, so that a later run can resume
                    // it.
                    return self.keep().and(Err(error));
                }
                counts => counts?,
            };
            self.counts.nodes += counts.nodes;
            self.counts.bounds += counts.bounds;
            self.monitor.note_bound(self.proved());
            if let Some(keeper) =
                self.keeper.filter(|keeper| keeper.is_due() && !self.monitor.should_stop())
            {
                self.begin_slice(keeper);
                keeper.keep_midway(&self.open, Counts::default());
            }
        }
        if let Err(error) = self.keep() {
            // A failed write must not lose the result.
            dispatch.warn(format!("the checkpoint holds an earlier state of the search: {error}"));
        }
        Ok(())
    }

    /// Drops closed nodes; returns whether any are left.
    fn is_open(&mut self) -> bool {
        let limit = self.limit.get();
        self.open.retain(|node| node.bound < limit);
        !self.open.is_empty()
    }

    /// No sequence has a smaller value.
    fn proved(&self) -> u32 {
        self.open.iter().map(|node| node.bound).min().unwrap_or(u32::MAX).min(self.limit.get())
    }

    /// Writes the file, if there is one.
    fn keep(&self) -> Result<()> {
        let Some(keeper) = self.keeper else { return Ok(()) };
        self.begin_slice(keeper);
        keeper.keep(&self.open, Counts::default())
    }

    fn begin_slice(&self, keeper: &Keeper<'_, O>) {
        keeper.begin_slice(self.counts, self.without_devices.is_some());
    }

    /// Runs one slice on the engine whose turn it is. While a device is being opened, or its kernels
    /// are being built, the CPU works until it is ready.
    fn advance(&mut self, dispatch: &mut Dispatch<'c>) -> Result<Counts> {
        let (context, monitor) = (dispatch.context(), self.monitor);
        let readiness = dispatch.readiness(monitor, self.begun.elapsed() >= WORTH_A_LOOK);
        let is_ready = matches!(readiness, Readiness::Ready);
        let turn = self.turns.as_ref().map(|turns| turns.next(is_ready));
        let has_device = turn.is_none_or(Crewing::has_device);
        let opening = match readiness {
            Readiness::Opening(is_done) => Some(is_done),
            _ => None,
        };
        let forecast = match has_device {
            true => Forecast::device_preferred("branch-and-bound"),
            false => Forecast::cpu_preferred("branch-and-bound"),
        };
        let search = RefCell::new(self);
        dispatch.run(
            monitor,
            &forecast,
            |device| search.borrow_mut().on_device(device),
            |until| {
                let competes = is_ready && !has_device;
                search.borrow_mut().on_cpu(context, until, opening.as_ref(), competes)
            },
        )
    }

    /// Runs a slice on the CPU, which `until` or the end of the device's opening may end early.
    fn on_cpu(
        &mut self,
        context: &Context,
        until: &Monitor,
        opening: Option<&Arc<AtomicBool>>,
        competes: bool,
    ) -> Result<Counts> {
        let planned = self.turns.as_ref().filter(|_| competes).map(Turns::length);
        let length = planned.map_or(self.length, |planned| planned.max(self.least_length));
        let is_awaited = || {
            until.should_stop() || opening.is_some_and(|is_done| is_done.load(Ordering::Acquire))
        };
        // On an idle core the driver starts in much less time.
        let idle_threads = usize::from(opening.is_some() && context.threads() >= SPARE_THREADS);
        let mut slice = Slice { until: Some(&is_awaited), idle_threads, ..self.slice(length) };
        slice.end = self.keeper.map_or(slice.end, |keeper| keeper.next(slice.end));
        let counts = cpu::advance(context, self.problem, self.limit, &mut self.open, &slice)?;
        let handover = Instant::now().saturating_duration_since(slice.end);
        self.least_length = handover * HANDOVER_SHARE;
        self.length = (self.length * 2).min(LONGEST_SLICE).max(self.least_length);
        if let Some(turns) = &self.turns {
            turns.on_cpu(counts.nodes);
        }
        Ok(counts)
    }

    fn on_device(&mut self, device: &Device) -> Result<Counts> {
        loop {
            let is_first = self.without_devices.is_none();
            self.without_devices.get_or_insert_with(|| (self.open.clone(), self.counts));
            let length = self.turns.as_ref().map_or(DEVICE_SLICE, Turns::length);
            let before = self.open.clone();
            let slice = Slice { turns: self.turns.as_ref(), ..self.slice(length) };
            let (problem, limit, team) = (self.problem, self.limit, &self.team);
            let members = team.places().len();
            let (plan, open) = (&self.plan, &mut self.open);
            let advanced = O::advance(plan, device, team, problem, limit, open, &slice);
            match &advanced {
                Ok(counts) => {
                    if let Some(turns) = &self.turns {
                        turns.end(counts.nodes);
                    }
                    return advanced;
                }
                Err(error) if matches!(**error, Error::DeviceWrong(_)) => self.forget_devices(),
                Err(_) => {
                    self.resume(before);
                    if is_first && device.waited().missing.is_some() {
                        // The kernels were not built yet, so the device did nothing.
                        self.without_devices = None;
                    }
                    return advanced;
                }
            }
            // The remaining devices start again, if the chosen one is among them.
            if self.team.places().len() == members {
                return advanced;
            }
        }
    }

    /// Returns the search and its file to the state before any device took part: a device was
    /// wrong, and it is unknown since when. Its schedules stay, since the host evaluated them.
    fn forget_devices(&mut self) {
        self.was_misled = true;
        if let Some((open, counts)) = self.without_devices.take() {
            (self.open, self.counts) = (open, counts);
        }
        if let Some(keeper) = self.keeper {
            self.begin_slice(keeper);
            keeper.keep_midway(&self.open, Counts::default());
        }
    }

    /// Resumes after the open nodes of a device are lost. All of them are below the nodes that it
    /// was given, or below those of the last checkpoint in this slice.
    fn resume(&mut self, given: Vec<Open>) {
        (self.open, self.counts) =
            match self.keeper.and_then(|keeper| keeper.kept_in_slice(self.monitor)) {
                Some(kept) => (kept.open.into_owned(), kept.counts),
                None => (given, self.counts),
            };
    }

    /// A slice of at most the given length.
    fn slice<'s>(&self, length: Duration) -> Slice<'s, O>
    where
        'a: 's,
    {
        if let Some(keeper) = self.keeper {
            self.begin_slice(keeper);
        }
        Slice {
            monitor: self.monitor,
            end: Instant::now() + length,
            counts_iterations: self.counts_iterations,
            keeps_open: self.keeps_open,
            keeper: self.keeper,
            turns: None,
            idle_threads: 0,
            until: None,
        }
    }

    /// Sorts the open nodes so that the next ones are last: those with the least bound, which
    /// raises the proved bound.
    fn order(&mut self) {
        let fit =
            self.monitor.memory_bytes() / MANY_SHARE / Open::bytes(self.problem.instance.jobs());
        let by_bound = (self.open.len() as u64) < fit.min(MANY_NODES);
        let bound = |node: &Open| if by_bound { node.bound } else { 0 };
        self.open.sort_by_cached_key(|node| {
            u64::from(u32::MAX - bound(node)) << 32 | node.fixed.len() as u64
        });
    }
}

#[cfg(test)]
mod tests;
