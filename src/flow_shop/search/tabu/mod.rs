//! Tabu search over all neighbours of a sequence: Czapiński and Barnes (2011), "Tabu Search with two approaches to
//! parallel flowshop evaluation on CUDA platform", Journal of Parallel and Distributed Computing 71, 802-811, with the
//! reuse of common prefixes and what goes beyond it.
//!
//! In each generation the best neighbour that is not on the list becomes the next sequence, even if it is worse; of
//! equal ones that with the smallest number. The list holds the whole sequences of the last generations, as many as the
//! tenure; a sequence on it cannot be better than the best, so that no rule of aspiration is needed.

mod cpu;
mod device;
mod moves;

pub use moves::Neighbourhood;

use std::collections::VecDeque;

use super::time::Time;
use super::{SearchOptions, Shop};
use crate::opencl::Device;
use crate::random::Random;
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
    pub(super) tenure: usize,
    pub(super) local_columns: bool,
}

impl Settings {
    pub(super) fn new(options: &SearchOptions) -> Self {
        Settings {
            neighbourhood: options.neighbourhood,
            evaluation: options.evaluation.unwrap_or_default(),
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

/// A sequence of the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) order: Vec<u32>,
    pub(super) makespan: u32,
}

/// Where the trajectories start: the first one with the sequence itself, each other one after some random exchanges.
pub(super) fn starts(order: &[u32], trajectories: usize, seed: u64) -> Vec<Vec<u32>> {
    let start = |number: usize| {
        let mut start = order.to_vec();
        let mut random = Random::new(seed.wrapping_add((number as u64) << 32));
        for _ in 0..if number == 0 { 0 } else { EXCHANGES } {
            let [a, b] = [0; 2].map(|_| random.below(order.len() as u64) as usize);
            start.swap(a, b);
        }
        start
    };
    (0..trajectories).map(start).collect()
}

/// Random exchanges before a trajectory starts.
const EXCHANGES: usize = 4;

/// Finds the best neighbour of a sequence.
pub(super) trait Evaluator {
    /// The best move by number, with its makespan, apart from the forbidden ones.
    fn best(&mut self, order: &[u32], forbidden: &[usize]) -> Result<Option<(usize, u32)>>;
}

/// One trajectory.
pub(super) struct Tabu<E> {
    neighbourhood: Neighbourhood,
    evaluator: E,
    tenure: usize,
    order: Vec<u32>,
    /// The last sequences, the present one too.
    list: VecDeque<Vec<u32>>,
    /// The shortest sequence so far.
    best: Found,
}

impl<E: Evaluator> Tabu<E> {
    pub(super) fn new(
        neighbourhood: Neighbourhood,
        evaluator: E,
        tenure: usize,
        start: &[u32],
        makespan: u32,
    ) -> Self {
        let list = VecDeque::from([start.to_vec()]);
        let best = Found { order: start.to_vec(), makespan };
        Tabu { neighbourhood, evaluator, tenure, order: start.to_vec(), list, best }
    }

    /// Goes on to the next sequence; stays where all are forbidden.
    pub(super) fn generation(&mut self) -> Result<()> {
        let jobs = self.order.len();
        let forbidden: Vec<usize> =
            self.list.iter().flat_map(|listed| self.neighbourhood.leading_to(&self.order, listed)).collect();
        if let Some((number, makespan)) = self.evaluator.best(&self.order, &forbidden)? {
            self.neighbourhood.numbered(number, jobs).apply(&mut self.order);
            if makespan < self.best.makespan {
                self.best = Found { order: self.order.clone(), makespan };
            }
        }
        if self.list.len() >= self.tenure {
            self.list.pop_front();
        }
        self.list.push_back(self.order.clone());
        Ok(())
    }
}

/// Runs trajectories on the CPU, one after the other in each generation, until a limit, at most `most` generations.
/// Gives the shortest sequence, of equal ones that of the first trajectory, and the number of generations.
pub(super) fn run_on_cpu<T: Time>(
    shop: &Shop,
    monitor: &Monitor,
    settings: Settings,
    starts: &[Vec<u32>],
    most: u64,
) -> Result<(Found, u64)> {
    let searches = starts.iter().map(|start| on_cpu::<T>(shop, monitor, settings, start));
    let mut searches = searches.collect::<Result<Vec<_>>>()?;
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
    starts: &[Vec<u32>],
    most: u64,
) -> Result<(Found, u64)> {
    let queue = device.queue()?;
    device::DeviceTabu::new(device, &queue, shop, monitor, settings, starts)?.run(most)
}

fn on_cpu<'a, T: Time>(
    shop: &'a Shop,
    monitor: &'a Monitor,
    settings: Settings,
    start: &[u32],
) -> Result<Tabu<cpu::CpuEvaluator<'a, T>>> {
    let (neighbourhood, evaluation) = (settings.neighbourhood, settings.evaluation);
    let evaluator = cpu::CpuEvaluator::new(shop, monitor, neighbourhood, evaluation)?;
    Ok(Tabu::new(neighbourhood, evaluator, settings.tenure, start, shop.makespan(start)))
}

#[cfg(test)]
mod tests;
