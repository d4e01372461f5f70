//! Iterated greedy search in several trajectories, on the CPU or on a device.

use super::device::{Crowd, Found, Member};
use super::evaluators::{Evaluators, Sequence};
use super::portfolio::Portfolio;
use super::settings::{self, Work};
use crate::flow_shop::planner::problem::Problem;
use crate::flow_shop::search::{IteratedGreedy, Settings};
use crate::opencl::{Device, DeviceKind};
use crate::solve::{Monitor, unless_stopped};
use crate::{Dispatch, Error, Forecast, Limits, Result, parallel};

/// Number of trajectories if the result must not depend on the machine.
const TRAJECTORIES: usize = 4;
/// Number of trajectories for each compute unit of a graphics card.
const UNIT_TRAJECTORIES: usize = 4;

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
    fn only_time(&self) -> bool {
        self.limits.time.is_some() && self.limits.iterations.is_none()
    }

    fn on_cpu(&self, threads: usize) -> usize {
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

impl Portfolio<'_, '_> {
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
            return self.greedy_on_cpu();
        }
        let forecast = Forecast::device_only("iterated greedy search");
        let no_cpu = |_: &Monitor| Err(Error::internal("a device was asked for"));
        let run = dispatch.run(monitor, &forecast, |device| self.greedy_on_device(device), no_cpu);
        unless_stopped(run).map(|_| ())
    }

    fn greedy_on_cpu(&mut self) -> Result<()> {
        let (problem, monitor, extent) = (self.problem, self.incumbent.monitor, self.extent());
        let settings = match extent.only_time() {
            true => settings::with_blocks(problem),
            false => settings::OF_ANY_ENGINE,
        };
        let kind = (extent.on_cpu(self.context.threads()), settings);
        let (start, seed) = (self.incumbent.free_order(), self.solve_options.seed);
        let mut trajectories = trajectories(self.evaluators, monitor, start, kind, seed)?;
        let work = Work::of(problem);
        let mut left = extent.iterations(problem);
        let mut fresh = true;
        while left > 0 && !self.incumbent.is_optimal() && !monitor.should_stop() {
            let round = monitor.begin_iterations(work.round().min(left));
            if round == 0 {
                break;
            }
            left -= round;
            let run = || {
                parallel::for_each(trajectories.iter_mut(), |search| search.run(round, fresh));
            };
            self.context.install_reporting(monitor, "iterated greedy", || None, run)?;
            fresh = false;
            for search in &trajectories {
                self.incumbent.offer_free(&search.best().order);
            }
        }
        let iterations = trajectories.iter().map(|search| search.iterations).max();
        let evaluations = trajectories.iter().map(|search| search.evaluations).sum();
        self.statistics.add("evaluations", evaluations);
        self.statistics.add("iterations", iterations.unwrap_or(0));
        Ok(())
    }

    fn greedy_on_device(&mut self, device: &Device) -> Result<()> {
        let (problem, monitor, extent) = (self.problem, self.incumbent.monitor, self.extent());
        let start = self.incumbent.free_order().to_vec();
        let members = [Member::new(self.evaluators, &start)];
        let (queue, each) = (device.queue(), extent.on_device(device, 1));
        let seed = self.solve_options.seed;
        let mut crowd = Crowd::new(device, &queue, monitor, &members, each, seed)?;
        let iterations = monitor.begin_iterations(extent.iterations(problem));
        each_found(&mut crowd, iterations, |found| {
            self.incumbent.offer_free(&found.order);
            !self.incumbent.is_optimal()
        })?;
        crowd.count(0, self.statistics);
        Ok(())
    }

    fn extent(&self) -> Extent<'_> {
        Extent::new(self.options.trajectories, &self.solve_options.limits)
    }
}

/// Searches until all trajectories have made the iterations, a limit ends it, or `take` returns
/// false. It gets each better sequence, at the end all of the best values.
pub(in crate::flow_shop::planner) fn each_found(
    crowd: &mut Crowd<'_>,
    iterations: u64,
    mut take: impl FnMut(&Found) -> bool,
) -> Result<()> {
    let mut known = crowd.known();
    while !crowd.is_at(iterations) {
        let advanced = crowd.advance(iterations);
        let goes_on = crowd.better(&mut known)?.iter().all(&mut take);
        match advanced {
            Err(error) if matches!(*error, Error::Stopped) => break,
            advanced => advanced?,
        }
        if !goes_on {
            break;
        }
    }
    crowd.bests()?.iter().for_each(|found| {
        take(found);
    });
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
