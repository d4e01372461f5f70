//! Tabu search over all neighbours of a sequence: Czapiński and Barnes (2011), "Tabu Search with two approaches to
//! parallel flowshop evaluation on CUDA platform", Journal of Parallel and Distributed Computing 71, 802-811, with the
//! reuse of common prefixes and what goes beyond it.
//!
//! In each generation the best neighbour that the list allows becomes the next sequence, even if it is worse; of equal
//! ones that with the smallest number. A sequence shorter than all before is always allowed.

mod cpu;
mod device;
mod list;
mod moves;

pub(super) use device::MOST_JOBS as MOST_DEVICE_JOBS;
pub use list::TabuList;
pub use moves::Neighbourhood;

use self::cpu::CpuEvaluator;
use self::list::List;
use super::{SearchOptions, Shop};
use crate::opencl::Device;
use crate::random::Random;
use crate::simd::Simd;
use crate::solve::Monitor;
use crate::{Error, Result};

/// How the makespan of a swap's outcome is computed. The search is the same with each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Evaluation {
    /// From the first job to the last.
    Full,
    /// From the first position that changed: what comes before is shared with the parent.
    Prefix,
    /// From the first to the last position that changed, joined with the parent's tails there.
    #[default]
    HeadsAndTails,
}

/// What a tabu search does; see [`SearchOptions`](super::SearchOptions).
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub(super) neighbourhood: Neighbourhood,
    pub(super) evaluation: Evaluation,
    pub(super) list: TabuList,
    pub(super) tenure: usize,
    pub(super) local_columns: bool,
}

impl Settings {
    pub(super) fn new(options: &SearchOptions) -> Self {
        Settings {
            neighbourhood: options.neighbourhood,
            evaluation: options.evaluation.unwrap_or_default(),
            list: options.tabu_list,
            tenure: options.tenure as usize,
            local_columns: options.local_columns,
        }
    }

    /// Completion times that a generation computes.
    pub(super) fn generation_work(&self, shop: &Shop) -> u64 {
        let jobs = shop.jobs() as u64;
        let columns = match (self.neighbourhood, self.evaluation) {
            (Neighbourhood::Insertion, _) => 2,
            (_, Evaluation::HeadsAndTails) => jobs / 3 + 1,
            (_, Evaluation::Prefix) => 2 * jobs / 3 + 1,
            (_, Evaluation::Full) => jobs,
        };
        self.neighbourhood.moves(shop.jobs()) * columns * shop.machines() as u64
    }
}

/// A sequence of the search with its makespan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) order: Vec<u32>,
    pub(super) makespan: u32,
}

/// Where the trajectories start: the first one with the sequence itself, each other one after some random exchanges.
///
/// # Errors
/// [`Error::OutOfMemory`] if they don't fit.
pub(super) fn starts(
    shop: &Shop,
    order: &[u32],
    trajectories: usize,
    seed: u64,
    monitor: &Monitor,
) -> Result<Vec<Found>> {
    // A device takes a copy of each, and one to keep the best in.
    check_memory(3 * Found::bytes(shop), trajectories, monitor.memory_bytes())?;
    let start = |number: usize| {
        let mut order = order.to_vec();
        let mut random = Random::new(seed.wrapping_add((number as u64) << 32));
        for _ in 0..if number == 0 { 0 } else { EXCHANGES } {
            let [a, b] = [0; 2].map(|_| random.below(order.len() as u64) as usize);
            order.swap(a, b);
        }
        let makespan = shop.makespan(&order);
        Found { order, makespan }
    };
    // The first one is there whatever the limits.
    let numbers = (0..trajectories).take_while(|&number| number == 0 || !monitor.should_stop());
    Ok(numbers.map(start).collect())
}

/// Random exchanges before a trajectory starts.
const EXCHANGES: usize = 4;

impl Found {
    /// Bytes of one.
    fn bytes(shop: &Shop) -> u128 {
        size_of::<Found>() as u128 + size_of::<u32>() as u128 * shop.jobs() as u128
    }
}

/// Refuses trajectories that take more than so many bytes together.
fn check_memory(each: u128, trajectories: usize, limit: u64) -> Result<()> {
    let required = each.saturating_mul(trajectories as u128);
    if required <= u128::from(limit) {
        return Ok(());
    }
    let what = format!(
        "{trajectories} {} of tabu search",
        if trajectories == 1 { "trajectory" } else { "trajectories" }
    );
    Err(Error::OutOfMemory { what, required, limit })
}

/// Finds the best neighbour of a sequence.
pub(super) trait Evaluator {
    /// The best move by number, with its makespan, apart from the forbidden ones that do not lead below `goal`.
    fn best(&mut self, from: &Found, forbidden: &[usize], goal: u32) -> Result<Option<(usize, u32)>>;
}

/// One trajectory.
struct Tabu<E> {
    neighbourhood: Neighbourhood,
    evaluator: E,
    list: List,
    present: Found,
    /// The shortest sequence so far.
    best: Found,
}

impl<E: Evaluator> Tabu<E> {
    fn new(settings: &Settings, evaluator: E, start: &Found) -> Self {
        Tabu {
            neighbourhood: settings.neighbourhood,
            evaluator,
            list: List::new(settings, &start.order),
            present: start.clone(),
            best: start.clone(),
        }
    }

    /// Goes on to the next sequence; stays where all are forbidden.
    fn generation(&mut self) -> Result<()> {
        let forbidden = self.list.forbidden(&self.present.order);
        let chosen = self.evaluator.best(&self.present, &forbidden, self.best.makespan)?;
        let led = chosen.map(|(number, makespan)| {
            let led = self.neighbourhood.numbered(number, self.present.order.len());
            led.apply(&mut self.present.order);
            self.present.makespan = makespan;
            led
        });
        if self.present.makespan < self.best.makespan {
            self.best.clone_from(&self.present);
        }
        self.list.push(&self.present.order, led);
        Ok(())
    }
}

/// Runs trajectories on the CPU, one after the other in each generation, until a limit, at most `most` generations.
/// Gives the shortest sequence, of equal ones that of the first trajectory, and the number of generations.
///
/// # Errors
/// [`Error::OutOfMemory`] if the trajectories don't fit.
pub(super) fn run_on_cpu(
    shop: &Shop,
    monitor: &Monitor,
    settings: Settings,
    starts: &[Found],
    most: u64,
) -> Result<(Found, u64)> {
    // The start, the present sequence and the best one.
    let sequences = 3 * Found::bytes(shop);
    let each = CpuEvaluator::bytes(shop, &settings) + sequences + List::bytes(&settings, shop.jobs());
    check_memory(each, starts.len(), monitor.memory_bytes())?;
    let evaluator = || CpuEvaluator::new(shop, monitor, settings, Simd::detect());
    run(starts.iter().map(|start| Tabu::new(&settings, evaluator(), start)).collect(), monitor, most)
}

fn run<E: Evaluator>(mut searches: Vec<Tabu<E>>, monitor: &Monitor, most: u64) -> Result<(Found, u64)> {
    let mut generations = 0;
    while generations < most && monitor.begin_iterations(1) == 1 {
        let generation = searches.iter_mut().try_for_each(Tabu::generation);
        let best = searches.iter().map(|search| search.best.makespan).min();
        monitor.note(best.map(u64::from), None);
        match generation {
            Err(Error::Stopped) => break,
            generation => generation?,
        }
        generations += 1;
    }
    let best = searches.into_iter().map(|search| search.best).min_by_key(|best| best.makespan);
    Ok((best.ok_or_else(|| Error::Internal("a search without a trajectory".into()))?, generations))
}

/// Runs trajectories on a device like [`run_on_cpu`].
pub(super) fn run_on_device(
    device: &Device,
    shop: &Shop,
    monitor: &Monitor,
    settings: Settings,
    starts: &[Found],
    most: u64,
) -> Result<(Found, u64)> {
    let queue = device.queue()?;
    device::DeviceTabu::new(device, &queue, shop, monitor, settings, starts)?.run(most)
}

#[cfg(test)]
mod tests;
