//! The methods, each by itself or several under one limit.

use std::time::{Duration, Instant};

use super::beam::{self, Pass};
use super::evaluator::{Found, PartialSequence};
use super::iterated_greedy::{self, IteratedGreedy};
use super::makespan::{CpuNeighbours, DeviceTabu, Guide, Reinsertion, Scan, Time, TwoEndedTree};
use super::tabu::{self, HostTabu};
use super::{SearchOptions, Shop};
use crate::flow_shop::{ExactOptions, Incumbent, bounds};
use crate::solve::{Monitor, SolveOptions, Statistics};
use crate::{Context, DeviceKind, Dispatch, Error, Result, parallel};

/// A search for a better incumbent, in one phase or several.
pub(super) struct Portfolio<'a, 'i> {
    pub(super) context: &'a Context,
    pub(super) shop: &'a Shop,
    pub(super) incumbent: &'a mut Incumbent<'i>,
    pub(super) options: &'a SearchOptions,
    pub(super) exact: &'a ExactOptions,
    pub(super) solve_options: &'a SolveOptions,
    pub(super) statistics: &'a mut Statistics,
}

/// When beam search has to leave the rest to others.
#[derive(Clone, Copy)]
struct BeamLimits {
    width: usize,
    /// Time since the start of the solve.
    until: Option<Duration>,
}

/// The shares of the time after which the phases of a portfolio are over; 0 of those that are left out. Iterated greedy
/// search takes the rest.
struct Plan {
    beam: f64,
    first_greedy: f64,
    proof: f64,
}

impl Plan {
    /// What the others do with the time of iterated greedy search.
    fn without_greedy(self) -> Self {
        Plan {
            beam: if self.proof > 0.0 { self.beam } else { 1.0 },
            first_greedy: 0.0,
            proof: self.proof.ceil(),
        }
    }

    fn of(shop: &Shop) -> Self {
        match (shop.jobs(), shop.machines()) {
            // The optimum is soon found, and most of these are proved in seconds.
            (..=20, _) => Plan { beam: 0.1, first_greedy: 0.25, proof: 1.0 },
            // Few machines: often the root's bound is the optimum, and if not, branch and bound is quick or hopeless.
            (_, ..=10) => Plan { beam: 0.4, first_greedy: 0.0, proof: 0.5 },
            // The beam leads where there are many jobs, even more so on many machines.
            (300.., _) | (200.., 40..) => Plan { beam: 0.8, first_greedy: 0.0, proof: 0.0 },
            _ => Plan { beam: 0.5, first_greedy: 0.0, proof: 0.0 },
        }
    }
}

/// Beams of this width try both guides; wider ones go on with the better.
const TRIAL_WIDTH: usize = 64;
/// Trajectories where the result must not depend on the number of threads.
const TRAJECTORIES: usize = 4;
/// Completion times of a generation, for each thread, from which on a graphics processor is faster than the vectors of
/// the threads: those that a core computes in some 50 us, which a generation takes on the device at least.
const DEVICE_WORK: u64 = 1 << 20;
/// Children of a level from which on a graphics processor is faster than a few cores.
const DEVICE_CHILDREN: usize = 1 << 13;
/// Completion times that generations of tabu search compute where nothing limits them, a second or two's worth, and how many
/// there are at most.
const GENERATIONS_WORK: u64 = 30_000_000_000;
const MOST_GENERATIONS: u64 = 10_000;
/// Iterations between two looks at the other trajectories.
const ROUND: u64 = 32;

impl Portfolio<'_, '_> {
    /// All methods in turn: beam search, branch and bound where the proof may be cheap, iterated greedy search. How long
    /// each of them takes is by what was found to suit the sizes.
    pub(super) fn run_all(&mut self, dispatch: &mut Dispatch<'_>) -> Result<()> {
        let mut plan = Plan::of(self.shop);
        let most = self.usual_rounds();
        let greedy = match self.check_trajectories() {
            Err(error @ Error::OutOfMemory { .. }) => {
                dispatch.warn(format!("iterated greedy search was left out: {error}"));
                plan = plan.without_greedy();
                false
            }
            checked => checked.map(|()| most > 0)?,
        };
        let limit = self.solve_options.limits.time;
        let until = |share: f64| limit.map(|limit| limit.mul_f64(share));
        let width = self.beam_width(limit.is_some());
        self.beam(BeamLimits { width, until: until(plan.beam) }, dispatch)?;
        if plan.first_greedy > plan.beam && limit.is_some() && self.goes_on() {
            self.iterated_greedy(most, until(plan.first_greedy))?;
        }
        if plan.proof > 0.0 && self.goes_on() {
            self.prove(until(plan.proof), dispatch)?;
        }
        if greedy && self.goes_on() { self.iterated_greedy(most, None) } else { Ok(()) }
    }

    /// Iterated greedy search until a limit.
    pub(super) fn run_iterated_greedy(&mut self) -> Result<()> {
        self.check_trajectories()?;
        self.iterated_greedy(self.usual_rounds().max(1), None)
    }

    /// Beam search until a limit.
    pub(super) fn run_beam(&mut self, dispatch: &mut Dispatch<'_>) -> Result<()> {
        let width = self.beam_width(self.is_limited());
        self.beam(BeamLimits { width, until: None }, dispatch)
    }

    fn goes_on(&self) -> bool {
        !self.is_settled() && !self.incumbent.monitor.should_stop()
    }

    /// Whether the best sequence is optimal, or none is as short as was sought.
    pub(super) fn is_settled(&self) -> bool {
        let bound = u64::from(self.incumbent.bound());
        self.incumbent.is_optimal() || self.exact.upper_bound.is_some_and(|limit| limit <= bound)
    }

    fn is_limited(&self) -> bool {
        let limits = &self.solve_options.limits;
        limits.time.is_some() || limits.iterations.is_some()
    }

    /// The widest beam; so wide that it takes about a second where no limit is to end it.
    fn beam_width(&self, limited: bool) -> usize {
        let work = (self.shop.jobs() * self.shop.jobs()) as u64 * self.shop.machines() as u64;
        let usual = if limited { usize::MAX } else { (400_000_000 / work.max(1)).clamp(1, 1024) as usize };
        self.options.beam_width.unwrap_or(usual)
    }

    /// An iteration is a pass. Their width doubles.
    fn beam(&mut self, limits: BeamLimits, dispatch: &mut Dispatch<'_>) -> Result<()> {
        let monitor = self.incumbent.monitor;
        refuse_more_jobs(self.shop, "beam search", TwoEndedTree::MOST_DEVICE_JOBS, dispatch)?;
        let root_bound = bounds::one_machine(self.incumbent.instance);
        let mut guides = vec![(Guide::IdleThenBound, u32::MAX), (Guide::Bound, u32::MAX)];
        let mut width = 1;
        let mut last_time = Duration::ZERO;
        let mut narrowed = false;
        loop {
            for (guide, own) in &mut guides {
                if monitor.begin_iteration().is_err() {
                    return Ok(());
                }
                let start = Instant::now();
                let upper = self.incumbent.makespan();
                // While the guides compete, one may not profit from what the other found.
                let target = if width <= TRIAL_WIDTH { *own } else { upper };
                let tree = TwoEndedTree::new(self.shop, monitor, root_bound, *guide, target);
                let promising = width * self.shop.jobs() >= DEVICE_CHILDREN;
                let pass = dispatch.run(
                    promising,
                    |info| info.kind == DeviceKind::Gpu && promising,
                    |device| beam::on_device(&tree, device, monitor, width),
                    || {
                        let pass = || beam::on_cpu(&tree, monitor, width);
                        self.context.install_reporting(monitor, "beam", || None, pass)?
                    },
                );
                let pass = match pass {
                    Err(Error::Stopped) => return Ok(()),
                    pass => pass?,
                };
                narrowed |= pass.width < width;
                last_time = start.elapsed();
                *own = pass.found.as_ref().map_or(*own, makespan);
                if self.settle(pass, target) {
                    return Ok(());
                }
            }
            if width >= TRIAL_WIDTH {
                guides.sort_by_cached_key(|&(_, own)| u64::from(own));
                guides.truncate(1);
            }
            if narrowed {
                dispatch.warn(format!("memory keeps beam search below a width of {width}"));
            }
            if narrowed || width >= limits.width {
                return Ok(());
            }
            width = match limits.until {
                None => width * 2,
                Some(until) => match fit(width, last_time, until.saturating_sub(monitor.elapsed())) {
                    0 => return Ok(()),
                    width => width,
                },
            }
            .min(limits.width);
        }
    }

    /// Takes over what a pass found below `target`; whether the search is over.
    fn settle(&mut self, pass: Pass, target: u32) -> bool {
        self.statistics.add("children", pass.children);
        self.statistics.add("iterations", 1);
        let best = pass.found.as_ref().map_or(target, makespan);
        if let Some(found) = pass.found {
            self.offer(&found);
        }
        if pass.exhaustive {
            // Nothing shorter than `best` exists, whether or not a sequence of that makespan does.
            self.incumbent.raise(best.min(self.incumbent.makespan()));
        }
        self.is_settled()
    }

    /// Iterated greedy search for so many iterations, until a limit, or until so much time has passed since the start. An
    /// iteration is one of each trajectory.
    fn iterated_greedy(&mut self, most: u64, until: Option<Duration>) -> Result<()> {
        let whole = self.incumbent.monitor;
        let part = whole.part(until.map(|until| until.saturating_sub(whole.elapsed())), None);
        part.enter("iterated greedy");
        if self.is_narrow() {
            self.iterated_greedy_within::<u16>(&part, most)?;
        } else {
            self.iterated_greedy_within::<u32>(&part, most)?;
        }
        whole.join(&part);
        // The part may have ended with the whole, which has not looked since.
        whole.should_stop();
        Ok(())
    }

    /// Whether 16 bits hold the times of all sequences that iterated greedy search looks at.
    fn is_narrow(&self) -> bool {
        self.shop.fits::<u16>(self.incumbent.makespan().into(), iterated_greedy::MOVED)
    }

    /// Trajectories of iterated greedy search.
    fn trajectories(&self) -> usize {
        let limits = &self.solve_options.limits;
        let only_time = limits.time.is_some() && limits.iterations.is_none();
        let usual = if only_time { self.context.threads() } else { TRAJECTORIES };
        self.options.trajectories.unwrap_or(usual)
    }

    fn iterated_greedy_within<T: Time>(&mut self, part: &Monitor, most: u64) -> Result<()> {
        let mut left = most;
        let start = self.shop.order(self.incumbent.order());
        let seeds =
            (0..self.trajectories() as u64).map(|number| self.solve_options.seed.wrapping_add(number << 32));
        let seeds = seeds.take_while(|_| !part.should_stop());
        let unit = self.shop.mean_time();
        let trajectory =
            |seed| IteratedGreedy::new(Reinsertion::<T>::new(self.shop), part, &start, unit, seed);
        let mut trajectories: Vec<_> = seeds.map(trajectory).collect();
        let mut fresh = true;
        while left > 0 && !self.is_settled() && !part.should_stop() {
            let round = self.incumbent.monitor.begin_iterations(ROUND.min(left));
            if round == 0 {
                break;
            }
            left -= round;
            let work = || parallel::for_each(trajectories.iter_mut(), |search| walk(search, round, fresh));
            self.context.install_reporting(part, "iterated greedy", || None, work)?;
            fresh = false;
            for search in &trajectories {
                let best = search.best();
                if best.value < self.incumbent.makespan().into() {
                    self.offer(best);
                    part.note(Some(best.value), None);
                }
            }
        }
        for search in &trajectories {
            self.statistics.add("evaluations", search.evaluations);
        }
        let iterations = trajectories.iter().map(|search| search.iterations).max();
        self.statistics.add("iterations", iterations.unwrap_or(0));
        Ok(())
    }

    /// Tabu search until a limit. An iteration is a generation of each trajectory.
    pub(super) fn tabu(&mut self, dispatch: &mut Dispatch<'_>) -> Result<()> {
        let (shop, monitor, options) = (self.shop, self.incumbent.monitor, self.options);
        let trajectories = options.trajectories.unwrap_or(1);
        let (settings, scan) = (tabu::Settings::new(options), Scan::new(options));
        let order = shop.order(self.incumbent.order());
        let value = |order: &[u32]| shop.makespan(order).into();
        let starts = tabu::starts(&order, trajectories, self.solve_options.seed, monitor, value)?;
        let work = scan.work(shop).saturating_mul(trajectories as u64);
        let usual = (GENERATIONS_WORK / work.max(1)).clamp(1, MOST_GENERATIONS);
        let most = if self.is_limited() { u64::MAX } else { usual };
        refuse_more_jobs(shop, "tabu search", DeviceTabu::MOST_JOBS, dispatch)?;
        let context = self.context;
        let promising = work / context.threads() as u64 >= DEVICE_WORK;
        let (found, generations) = dispatch.run(
            promising,
            |info| info.kind == DeviceKind::Gpu && promising,
            |device| {
                let queue = device.queue()?;
                let search = DeviceTabu::new(device, &queue, shop, monitor, (settings, scan), &starts)?;
                tabu::run(search, monitor, most)
            },
            || {
                let evaluator = || CpuNeighbours::new(shop, monitor, scan);
                let bytes = CpuNeighbours::bytes(shop, &scan);
                let search = HostTabu::new(&settings, &starts, monitor, bytes, evaluator)?;
                let run = || tabu::run(search, monitor, most);
                context.install_reporting(monitor, "tabu", || None, run)?
            },
        )?;
        let each = settings.neighbourhood.moves(shop.jobs()) * trajectories as u64;
        self.statistics.add("iterations", generations);
        self.statistics.add("evaluations", generations.saturating_mul(each));
        self.offer(&found);
        Ok(())
    }

    fn offer(&mut self, found: &Found) {
        self.incumbent.offer(&self.shop.sequence(&found.order), makespan(found));
    }

    /// Iterations of iterated greedy search: where nothing limits them some seconds' worth, 0 where few would take longer.
    fn usual_rounds(&self) -> u64 {
        if self.is_limited() {
            return u64::MAX;
        }
        let work = (self.shop.jobs() * self.shop.jobs()) as u64 * self.shop.machines() as u64;
        match 100_000_000 / work.max(1) {
            ..4 => 0,
            rounds => rounds.min(500),
        }
    }

    /// Refuses more trajectories of iterated greedy search than there is memory for.
    fn check_trajectories(&self) -> Result<()> {
        let each = match self.is_narrow() {
            true => Reinsertion::<u16>::bytes(self.shop),
            false => Reinsertion::<u32>::bytes(self.shop),
        };
        let required = self.trajectories() as u128 * u128::from(each);
        self.incumbent.monitor.check_memory(required, || "heads and tails of the trajectories".into())
    }
}

/// Leaves more jobs than the kernels number to the CPU.
fn refuse_more_jobs(shop: &Shop, search: &str, most: usize, dispatch: &mut Dispatch<'_>) -> Result<()> {
    if shop.jobs() <= most {
        return Ok(());
    }
    dispatch.cpu_only(&format!("{search} of more than {most} jobs on a device"))
}

/// The value of what the makespan's evaluators found.
fn makespan(found: &Found) -> u32 {
    found.value as u32
}

fn walk<S: PartialSequence>(search: &mut IteratedGreedy<'_, S>, iterations: u64, fresh: bool) {
    if fresh && !search.descend() {
        return;
    }
    for _ in 0..iterations {
        if !search.iterate() {
            return;
        }
    }
}

/// The next width: twice the last one, or what the time left allows; 0 where that is less than half of it.
fn fit(width: usize, last: Duration, left: Duration) -> usize {
    let factor = left.as_secs_f64() / last.as_secs_f64().max(1e-9) * 0.9;
    if factor < 0.5 { 0 } else { (width as f64 * factor.min(2.0)) as usize }
}
