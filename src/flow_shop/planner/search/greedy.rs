//! Iterated greedy search in several trajectories, on the CPU or on a device.

use std::cell::{Cell, RefCell};
use std::time::Instant;

use super::device::{Crowd, Found, Member, check_device_model, go_on_together};
use super::evaluators::Evaluators;
use super::places::Sequence;
use super::portfolio::Portfolio;
use super::settings::{self, Work};
use crate::context::Readiness;
use crate::flow_shop::planner::problem::Problem;
use crate::flow_shop::search::{IteratedGreedy, Settings, WORTH_A_LOOK};
use crate::opencl::{Device, DeviceKind};
use crate::solve::{Monitor, Statistics, unless_stopped};
use crate::{Dispatch, Error, Forecast, Limits, Result, Team, parallel};

/// Number of trajectories if the result must not depend on the machine.
const TRAJECTORIES: usize = 4;
/// Number of trajectories for each compute unit of a graphics card.
const UNIT_TRAJECTORIES: usize = 4;

/// Seconds of a device before it is compared with the CPU.
const UNCOMPARED: f64 = 0.25;
/// Seconds left for which a device is tried: one that turns out to be slower takes a part of them.
pub(in crate::flow_shop::planner) const LEAST_LEFT: f64 = 4.0 * UNCOMPARED;

/// How many trajectories and iterations a search has.
pub(in crate::flow_shop::planner) struct Extent<'a> {
    trajectories: Option<usize>,
    limits: &'a Limits,
}

impl<'a> Extent<'a> {
    pub(in crate::flow_shop::planner) fn new(
        trajectories: Option<usize>,
        limits: &'a Limits,
    ) -> Self {
        Extent { trajectories, limits }
    }

    /// Whether time alone ends the search, so that its result depends on the machine anyway.
    pub(in crate::flow_shop::planner) fn only_time(&self) -> bool {
        self.limits.time.is_some() && self.limits.iterations.is_none()
    }

    pub(super) fn on_cpu(&self, threads: usize) -> usize {
        let usual = if self.only_time() { threads } else { TRAJECTORIES };
        self.trajectories.unwrap_or(usual)
    }

    /// Trajectories of each of some instances that a device searches together.
    pub(in crate::flow_shop::planner) fn on_device(&self, device: &Device, count: usize) -> usize {
        let usual = match self.only_time() {
            true => usual_crowd(device).div_ceil(count.max(1)),
            false => TRAJECTORIES,
        };
        self.trajectories.unwrap_or(usual)
    }

    /// Iterations until another limit ends the search.
    pub(in crate::flow_shop::planner) fn iterations(&self, problem: &Problem<'_>) -> u64 {
        match (self.limits.iterations, self.limits.time) {
            (Some(iterations), _) => iterations,
            (None, Some(_)) => u64::MAX / 2,
            (None, None) => Work::of(problem).usual_rounds(),
        }
    }
}

/// The number of trajectories that keeps a device busy.
pub(super) fn usual_crowd(device: &Device) -> usize {
    let info = device.info();
    let units = info.compute_units.max(1) as usize;
    if info.kind == DeviceKind::Cpu { units } else { UNIT_TRAJECTORIES * units }
}

impl<'i> Portfolio<'_, 'i> {
    /// Runs iterated greedy search until a limit, or for a fixed number of iterations. An iteration
    /// is one of each trajectory.
    pub(in crate::flow_shop::planner) fn iterated_greedy(
        &mut self,
        dispatch: &mut Dispatch<'_>,
    ) -> Result<()> {
        if self.problem.free_jobs.len() < 2 || self.incumbent.is_optimal() {
            return Ok(());
        }
        let monitor = self.incumbent.monitor;
        monitor.enter("iterated greedy")?;
        if !dispatch.wants_device() {
            // Where the result must not depend on the engine, the CPU's trajectories are enough.
            let may_choose = dispatch.is_auto() && self.extent().only_time();
            return match may_choose && check_device_model(self.problem).is_ok() {
                true => self.greedy_on_any(dispatch),
                false => self.greedy_on_cpu(),
            };
        }
        let forecast = Forecast::device_only("iterated greedy search");
        let no_cpu = |_: &Monitor| Err(Error::internal("a device was asked for"));
        let team = self.context.team(monitor);
        let on_device = |device: &Device| self.greedy_on_device((&team, device), |_, _| true);
        let searched = unless_stopped(dispatch.run(monitor, &forecast, on_device, no_cpu));
        dispatch.shared_with(team);
        searched.map(|_| ())
    }

    fn greedy_on_cpu(&mut self) -> Result<()> {
        let mut walk = self.walk()?;
        self.go_on(&mut walk, self.incumbent.monitor)?;
        walk.count(self.statistics);
        Ok(())
    }

    /// Searches on the CPU until a device is ready, and then there if it turns out to be faster.
    fn greedy_on_any(&mut self, dispatch: &mut Dispatch<'_>) -> Result<()> {
        let (mut walk, monitor) = (self.walk()?, self.incumbent.monitor);
        while self.goes_on(&walk, monitor) {
            let left = monitor.left().map_or(f64::INFINITY, |left| left.as_secs_f64());
            let is_long = walk.begun.elapsed() >= WORTH_A_LOOK && left >= LEAST_LEFT;
            match dispatch.readiness(monitor, is_long) {
                Readiness::Ready if is_long => {
                    self.compete(&mut walk, dispatch)?;
                    break;
                }
                Readiness::Never => break,
                _ => self.make_round(&mut walk)?,
            }
        }
        self.go_on(&mut walk, monitor)?;
        walk.count(self.statistics);
        Ok(())
    }

    /// Searches on a device until a limit, or until it turns out to be slower than the CPU. While
    /// the kernel is being built, the CPU searches.
    fn compete(&mut self, walk: &mut Walk<'_>, dispatch: &mut Dispatch<'_>) -> Result<()> {
        let monitor = self.incumbent.monitor;
        let on_cpu = walk.evaluations() as f64 / walk.seconds;
        let threads = walk.trajectories.len();
        let team = self.context.team(monitor);
        let shared = RefCell::new((self, walk));
        let on_device = |device: &Device| {
            let begun = Instant::now();
            shared.borrow_mut().0.greedy_on_device((&team, device), |evaluations, each| {
                let (seconds, worth) = (begun.elapsed().as_secs_f64(), depth(threads, each));
                seconds < UNCOMPARED || evaluations as f64 * worth >= on_cpu * seconds
            })
        };
        let meanwhile = |until: &Monitor| {
            let (search, walk) = &mut *shared.borrow_mut();
            search.go_on(walk, until)?;
            // A device that is ready by now gets its turn.
            if until.is_relieved() { Err(Error::stopped()) } else { Ok(()) }
        };
        let forecast = Forecast::device_preferred("iterated greedy search");
        let searched = unless_stopped(dispatch.run(monitor, &forecast, on_device, meanwhile));
        dispatch.shared_with(team);
        searched.map(|_| ())
    }

    /// The CPU's trajectories.
    fn walk(&self) -> Result<Walk<'i>> {
        let extent = self.extent();
        let settings = match extent.only_time() {
            true => settings::with_blocks(self.problem),
            false => settings::OF_ANY_ENGINE,
        };
        let kind = (extent.on_cpu(self.context.threads()), settings);
        let (start, seed) = (self.incumbent.free_order(), self.solve_options.seed);
        Ok(Walk {
            trajectories: trajectories(self.evaluators, self.incumbent.monitor, start, kind, seed)?,
            left: extent.iterations(self.problem),
            is_fresh: true,
            begun: Instant::now(),
            seconds: 0.0,
        })
    }

    fn goes_on(&self, walk: &Walk<'_>, until: &Monitor) -> bool {
        let is_over = self.incumbent.is_optimal() || self.incumbent.monitor.should_stop();
        walk.left > 0 && !is_over && !until.is_over()
    }

    fn go_on(&mut self, walk: &mut Walk<'_>, until: &Monitor) -> Result<()> {
        while self.goes_on(walk, until) {
            self.make_round(walk)?;
        }
        Ok(())
    }

    /// Makes some iterations of each of the CPU's trajectories.
    fn make_round(&mut self, walk: &mut Walk<'_>) -> Result<()> {
        let monitor = self.incumbent.monitor;
        let wanted = Work::of(self.problem).round().min(walk.left);
        let (round, begun) = (monitor.begin_iterations(wanted), Instant::now());
        // A limit ends the search.
        walk.left = if round == 0 { 0 } else { walk.left - round };
        let is_fresh = std::mem::replace(&mut walk.is_fresh, false);
        let trajectories = &mut walk.trajectories;
        let run = || {
            parallel::for_each(trajectories.iter_mut(), |search| search.run(round, is_fresh));
        };
        self.context.install_reporting(monitor, "iterated greedy", || None, run)?;
        for search in &walk.trajectories {
            self.incumbent.offer_free(&search.best().order);
        }
        walk.seconds += begun.elapsed().as_secs_f64();
        Ok(())
    }

    /// Searches on a device, and on those of the team once the search has taken long, as long as
    /// `goes_on` with the evaluations so far and the number of trajectories.
    fn greedy_on_device(
        &mut self,
        (team, device): (&Team<'_>, &Device),
        goes_on: impl Fn(u64, usize) -> bool,
    ) -> Result<()> {
        let (problem, monitor, extent) = (self.problem, self.incumbent.monitor, self.extent());
        let start = self.incumbent.free_order().to_vec();
        let members = [Member::new(self.evaluators, &start)];
        let (queue, each) = (device.queue(), extent.on_device(device, 1));
        let seed = self.solve_options.seed;
        let mut crowd = Crowd::new(device, &queue, monitor, &members, each, seed)?;
        let iterations = monitor.begin_iterations(extent.iterations(problem));
        let (begun, can_share) = (Instant::now(), each > 1 && !team.places().is_empty());
        let (is_over, incumbent) = (Cell::new(false), &mut *self.incumbent);
        let mut take = |evaluations: u64, found: &[Found]| {
            found.iter().for_each(|found| incumbent.offer_free(&found.order));
            is_over.set(is_over.get() || incumbent.is_optimal() || !goes_on(evaluations, each));
            !is_over.get()
        };
        each_found(&mut crowd, iterations, |evaluations, found| {
            take(evaluations, found) && !(can_share && begun.elapsed() >= team.alone())
        })?;
        let has_ended = is_over.get() || crowd.is_at(iterations) || monitor.should_stop();
        if !can_share || has_ended {
            crowd.count(0, self.statistics);
            return Ok(());
        }
        let (on, begin) = ((team, device), crowd.snapshot()?);
        let end = go_on_together(on, monitor, members[0], begin, iterations, &mut take)?;
        end.count(self.statistics);
        Ok(())
    }

    fn extent(&self) -> Extent<'_> {
        Extent::new(self.options.trajectories, &self.solve_options.limits)
    }
}

/// What an evaluation on a device is worth, with `each` trajectories of an instance there and
/// `threads` on the CPU: many shallow trajectories are worth less than a few deep ones.
pub(super) fn depth(threads: usize, each: usize) -> f64 {
    (threads as f64 / each as f64).sqrt().min(1.0)
}

/// The CPU's part of a search.
struct Walk<'a> {
    trajectories: Vec<IteratedGreedy<'a, Sequence<'a>>>,
    /// Iterations to make.
    left: u64,
    /// Whether the trajectories have not begun.
    is_fresh: bool,
    begun: Instant,
    /// Seconds of all rounds.
    seconds: f64,
}

impl Walk<'_> {
    fn evaluations(&self) -> u64 {
        self.trajectories.iter().map(|search| search.evaluations).sum()
    }

    fn count(&self, statistics: &mut Statistics) {
        let iterations = self.trajectories.iter().map(|search| search.iterations).max();
        statistics.add("evaluations", self.evaluations());
        statistics.add("iterations", iterations.unwrap_or(0));
    }
}

/// Searches until all trajectories have made the iterations, a limit ends it, or `take` returns
/// false. It gets the number of evaluations and each better sequence, at the end all of the best
/// values.
fn each_found(
    crowd: &mut Crowd<'_>,
    iterations: u64,
    mut take: impl FnMut(u64, &[Found]) -> bool,
) -> Result<()> {
    let mut known = crowd.known();
    while !crowd.is_at(iterations) {
        let advanced = crowd.advance(iterations);
        let goes_on = take(crowd.evaluations(), &crowd.better(&mut known)?);
        match advanced {
            Err(error) if matches!(*error, Error::Stopped) => break,
            advanced => advanced?,
        }
        if !goes_on {
            break;
        }
    }
    take(crowd.evaluations(), &crowd.bests()?);
    Ok(())
}

/// Trajectories that begin with the same sequence, as far as a stop lets them.
pub(super) fn trajectories<'a>(
    evaluators: &Evaluators<'a>,
    monitor: &'a Monitor,
    start: &[u32],
    (count, settings): (usize, Settings),
    seed: u64,
) -> Result<Vec<IteratedGreedy<'a, Sequence<'a>>>> {
    if monitor.should_stop() {
        return Ok(Vec::new());
    }
    let latest = evaluators.problem().latest(start);
    evaluators.check_memory(latest, settings.moved(), count, monitor)?;
    let mut trajectories = Vec::with_capacity(count);
    for number in 0..count as u64 {
        if monitor.should_stop() {
            break;
        }
        let sequence = evaluators.sequence(latest, settings.moved())?;
        let seed = seed.wrapping_add(number << 32);
        trajectories.push(IteratedGreedy::new(sequence, monitor, start, settings, seed));
    }
    Ok(trajectories)
}
