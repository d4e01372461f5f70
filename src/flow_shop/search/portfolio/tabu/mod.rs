//! Tabu search. The engines take turns in one search, and the faster one continues: the
//! trajectories move from one to the other between two generations, which changes no move.

mod on_devices;

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use self::on_devices::Watch;
use super::{Portfolio, note, refuse_more_jobs};
use crate::context::{Crewing, EngineTrial, Readiness};
use crate::flow_shop::search::evaluator::ValuedSequence;
use crate::flow_shop::search::objective::Objective;
use crate::flow_shop::search::tabu::{
    Generations, HostTabu, Settings, State, Trajectories, advance, check_memory, no_trajectory,
    starts,
};
use crate::flow_shop::search::{SearchOptions, Shop};
use crate::flow_shop::search::{WORTH_A_LOOK, WORTH_OPENING};
use crate::opencl::Device;
use crate::solve::Monitor;
use crate::{Context, Dispatch, Error, Forecast, Result, Team};

/// If there is no limit, generations compute this many completion times, worth one or two seconds,
/// and there are at most `MOST_GENERATIONS`.
const GENERATIONS_WORK: u64 = 30_000_000_000;
const MOST_GENERATIONS: u64 = 10_000;
/// Seconds that two launches take on any device: most devices need two for a generation. Where the
/// CPU is faster, no device is tried.
const LEAST_ON_DEVICE: f64 = 2e-5;

impl<O: Objective> Portfolio<'_, '_, O> {
    /// Runs tabu search until a limit. An iteration is one generation of each trajectory.
    pub(in crate::flow_shop::search) fn tabu(&mut self, dispatch: &mut Dispatch<'_>) -> Result<()> {
        refuse_more_jobs(self.shop, "tabu search", O::MOST_TABU_JOBS, dispatch)?;
        let (shop, monitor, options) = (self.shop, self.incumbent.monitor, self.options);
        let trajectories = options.trajectories.unwrap_or(1);
        let settings = Settings::new(options);
        let order = shop.order(self.incumbent.order());
        let value = |order: &[u32]| O::value(shop, order);
        let starts = starts(&order, trajectories, self.solve_options.seed, monitor, value)?;
        let work = O::neighbourhood_work(shop, options).saturating_mul(trajectories as u64);
        let usual = (GENERATIONS_WORK / work.max(1)).clamp(1, MOST_GENERATIONS);
        let most = if self.is_limited() { u64::MAX } else { usual };
        let limit = self.solve_options.limits.iterations.unwrap_or(u64::MAX);
        let team = self.context.team(monitor);
        let mut search: Search<'_, O> = Search {
            team: &team,
            is_shared: false,
            rates: None,
            context: self.context,
            shop,
            monitor,
            options,
            settings,
            generations: Generations::new(monitor, most),
            expected: most.min(limit),
            states: State::at(&settings, &starts),
            host: None,
            is_on_host: false,
            before_devices: None,
            last: None,
            trial: dispatch.is_auto().then(EngineTrial::default),
            budget: None,
            begun: Instant::now(),
            cpu_seconds: 0.0,
            cpu_generations: 0,
        };
        search.run(dispatch)?;
        if let Some(trial) = &search.trial {
            dispatch.log_turns("tabu search", trial);
        }
        let (best, generations) = (search.best()?, search.generations.made());
        let each = settings.neighbourhood.moves(shop.jobs()) * trajectories as u64;
        self.statistics.add("iterations", generations);
        self.statistics.add("evaluations", generations.saturating_mul(each));
        self.offer(&best);
        drop(search);
        if trajectories > 1 {
            dispatch.shared_with(team);
        }
        Ok(())
    }
}

/// A search under way.
struct Search<'a, O: Objective> {
    /// The further devices, and whether they take part by now.
    team: &'a Team<'a>,
    is_shared: bool,
    /// How fast the devices that share the trajectories are, once it was measured.
    rates: Option<Vec<f64>>,
    context: &'a Context,
    shop: &'a Shop,
    monitor: &'a Monitor,
    options: &'a SearchOptions,
    settings: Settings,
    generations: Generations<'a>,
    /// Generations that the search will make, if time allows.
    expected: u64,
    /// The latest states, unless the host has them.
    states: Vec<State>,
    host: Option<HostTabu<O::Neighbours<'a>>>,
    is_on_host: bool,
    /// The states and the number of generations before a device first took part, once one has.
    before_devices: Option<(Vec<State>, u64)>,
    /// The best sequence of a device that was stopped within a generation.
    last: Option<ValuedSequence>,
    /// The engines' rates, if they compete. Generations are the measure of work.
    trial: Option<EngineTrial>,
    /// The work of a device's launches, as learnt in earlier slices.
    budget: Option<u64>,
    begun: Instant,
    cpu_seconds: f64,
    cpu_generations: u64,
}

impl<'a, O: Objective> Search<'a, O> {
    fn run(&mut self, dispatch: &mut Dispatch<'_>) -> Result<()> {
        while !self.is_over() {
            match self.advance(dispatch) {
                // The kernels were not ready in time, or a limit came.
                Err(error) if matches!(*error, Error::Stopped) => break,
                advanced => advanced?,
            }
        }
        Ok(())
    }

    fn is_over(&mut self) -> bool {
        self.monitor.should_stop() || !self.generations.begin()
    }

    fn best(&self) -> Result<ValuedSequence> {
        let states = self.states.iter().map(|state| &state.best);
        let known = states.chain(&self.last).min_by_key(|best| best.value).cloned();
        let known = known.ok_or_else(no_trajectory)?;
        match &self.host {
            Some(host) if self.is_on_host => {
                let best = host.best()?;
                Ok(if best.value <= known.value { best } else { known })
            }
            _ => Ok(known),
        }
    }

    /// Runs one slice on the engine whose turn it is. While a device is being opened, or its kernels
    /// are being built, the CPU works until it is ready.
    fn advance(&mut self, dispatch: &mut Dispatch<'_>) -> Result<()> {
        let monitor = self.monitor;
        let readiness = dispatch.readiness(monitor, self.is_long());
        let is_ready = matches!(readiness, Readiness::Ready);
        let (side, length) = self.turn(is_ready);
        let length = match &readiness {
            Readiness::Later => match WORTH_A_LOOK.saturating_sub(self.begun.elapsed()) {
                Duration::ZERO => length,
                soon => length.min(soon),
            },
            _ => length,
        };
        let opening = match readiness {
            Readiness::Opening(is_done) => Some(is_done),
            _ => None,
        };
        let forecast = match side.has_device() {
            true => Forecast::device_preferred("tabu"),
            false => Forecast::cpu_preferred("tabu"),
        };
        let search = RefCell::new(self);
        dispatch.run(
            monitor,
            &forecast,
            |device| search.borrow_mut().on_device(device, length),
            |until| search.borrow_mut().on_cpu(until, opening.as_ref(), length),
        )
    }

    /// The engine of the next slice, and how long the slice takes.
    fn turn(&mut self, is_ready: bool) -> (Crewing, Duration) {
        let can_gain = self.generation_on_cpu() >= LEAST_ON_DEVICE;
        match &mut self.trial {
            Some(trial) => trial.next(|side| match side {
                Crewing::Cpu => true,
                Crewing::Device => is_ready && can_gain,
                Crewing::Both => false,
            }),
            None if is_ready => (Crewing::Device, Duration::MAX),
            None => (Crewing::Cpu, Duration::MAX),
        }
    }

    /// Whether it is worth while to look for a device.
    fn is_long(&self) -> bool {
        let generation = self.generation_on_cpu();
        let left = self.expected.saturating_sub(self.generations.made()) as f64 * generation;
        self.begun.elapsed() >= WORTH_A_LOOK
            && generation >= LEAST_ON_DEVICE
            && left >= WORTH_OPENING
    }

    /// Seconds of a generation on the CPU, at least if it has completed none.
    fn generation_on_cpu(&self) -> f64 {
        self.cpu_seconds / self.cpu_generations.max(1) as f64
    }

    /// Records the work of an engine.
    fn note(&mut self, side: Crewing, generations: u64, time: Duration) {
        if side == Crewing::Cpu {
            self.cpu_seconds += time.as_secs_f64();
            self.cpu_generations += generations;
        }
        if let Some(trial) = &mut self.trial {
            trial.note(side, generations, time);
        }
    }

    /// Runs a slice on the CPU, which `until` or the end of the device's opening may end early.
    fn on_cpu(
        &mut self,
        until: &Monitor,
        opening: Option<&Arc<AtomicBool>>,
        length: Duration,
    ) -> Result<()> {
        let (shop, monitor, options) = (self.shop, self.monitor, self.options);
        let (begun, before) = (Instant::now(), self.generations.made());
        let host = match &mut self.host {
            Some(host) => {
                if !self.is_on_host {
                    host.resume(&self.states);
                }
                host
            }
            none => {
                let bytes = O::neighbours_bytes(shop, options);
                let evaluator = || O::neighbours(shop, monitor, options);
                none.insert(HostTabu::new(&self.settings, &self.states, monitor, bytes, evaluator)?)
            }
        };
        self.is_on_host = true;
        let generations = &mut self.generations;
        let goes_on = || {
            let is_awaited = opening.is_some_and(|is_done| is_done.load(Ordering::Acquire));
            begun.elapsed() < length && !is_awaited && !until.should_stop()
        };
        let tell = |best: &ValuedSequence| note(shop, monitor, best);
        let work = || advance(host, generations, &goes_on, &tell);
        let advanced = self.context.install_reporting(monitor, "tabu", || None, work)?;
        self.note(Crewing::Cpu, self.generations.made() - before, begun.elapsed());
        advanced
    }

    /// Runs slices on a device as long as it is its turn.
    fn on_device(&mut self, device: &Device, length: Duration) -> Result<()> {
        let made = self.generations.made();
        if let Some(host) = self.host.as_ref().filter(|_| self.is_on_host) {
            self.states = host.states()?;
            self.is_on_host = false;
        }
        if self.trial.is_some() {
            let each = 2 * State::<u64>::bytes(&self.settings, self.shop.jobs());
            check_memory(each, self.states.len(), self.monitor.memory_bytes())?;
            self.before_devices.get_or_insert_with(|| (self.states.clone(), made));
        }
        let watch = Arc::new(Watch::default());
        let watched = Arc::clone(&watch);
        let part = self.monitor.until(move || watched.is_late());
        let advanced = self.slices(device, &part, &watch, length);
        self.monitor.join(&part);
        if let Err(error) = &advanced
            && matches!(**error, Error::DeviceWrong(_) | Error::Internal(_))
            && let Some((states, made)) = self.before_devices.take()
        {
            // It is unknown since when the device was wrong.
            self.states = states;
            self.generations.return_to(made);
        }
        advanced
    }

    /// The longest that a device's slice may take. A slice has at least one generation, unless the
    /// CPU would make some in that time.
    fn patience(&self, length: Duration) -> Duration {
        let some = Duration::try_from_secs_f64(2.0 * self.generation_on_cpu());
        (length * 2).max(some.unwrap_or(Duration::MAX / 4))
    }
}
