//! Tabu search over all neighbours of a sequence, after Czapiński and Barnes (2011), "Tabu Search
//! with two approaches to parallel flowshop evaluation on CUDA platform", Journal of Parallel and
//! Distributed Computing 71, 802-811. It reuses common prefixes, and more than the paper does.
//!
//! In each generation, the best neighbour that is not tabu becomes the next sequence, even if it is
//! worse; on ties the one with the smallest move index. A new best sequence is always allowed.

mod list;

use std::borrow::Cow;

pub use self::list::TabuList;

use self::list::List;
use super::SearchOptions;
use super::evaluator::{NeighbourhoodEvaluator, ValuedSequence};
use super::moves::Neighbourhood;
use crate::random::Random;
use crate::solve::Monitor;
use crate::{Error, Result};

/// The parameters of a tabu search; see [`SearchOptions`](super::SearchOptions).
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub(super) neighbourhood: Neighbourhood,
    pub(super) list: TabuList,
    pub(super) tenure: usize,
}

impl Settings {
    pub(super) fn new(options: &SearchOptions) -> Self {
        Settings {
            neighbourhood: options.neighbourhood,
            list: options.tabu_list,
            tenure: options.tenure as usize,
        }
    }
}

/// The start sequences of the trajectories, with their values by `value`: the first is `order`, the
/// others follow from it by random exchanges.
///
/// # Errors
/// [`Error::OutOfMemory`] if they don't fit.
pub(super) fn starts(
    order: &[u32],
    trajectories: usize,
    seed: u64,
    monitor: &Monitor,
    value: impl Fn(&[u32]) -> u64,
) -> Result<Vec<ValuedSequence>> {
    // A device copies each start and has a buffer for each best sequence.
    check_memory(3 * ValuedSequence::bytes(order.len()), trajectories, monitor.memory_bytes())?;
    let start = |number: usize| {
        let mut order = order.to_vec();
        let mut random = Random::new(seed.wrapping_add((number as u64) << 32));
        for _ in 0..if number == 0 { 0 } else { EXCHANGES } {
            let [a, b] = [0; 2].map(|_| random.below(order.len() as u64) as usize);
            order.swap(a, b);
        }
        let value = value(&order);
        ValuedSequence { order, value }
    };
    // The first one always exists, even if the solve has to stop.
    let numbers = (0..trajectories).take_while(|&number| number == 0 || !monitor.should_stop());
    Ok(numbers.map(start).collect())
}

/// Random exchanges in a start sequence.
const EXCHANGES: usize = 4;

/// Refuses trajectories that take more than `limit` bytes in total.
pub(super) fn check_memory(each: u128, trajectories: usize, limit: u64) -> Result<()> {
    let required = each.saturating_mul(trajectories as u128);
    if required <= u128::from(limit) {
        return Ok(());
    }
    let what = format!(
        "{trajectories} {} of tabu search",
        if trajectories == 1 { "trajectory" } else { "trajectories" }
    );
    Err(Box::new(Error::OutOfMemory { what, required, limit }))
}

/// Trajectories that advance together, one generation at a time.
pub(super) trait Trajectories {
    /// Advances each trajectory by one generation. Returns the best sequence so far if it is known.
    fn generation(&mut self) -> Result<Option<Cow<'_, ValuedSequence>>>;

    /// The best sequence so far; on ties that of the first trajectory.
    fn best(&self) -> Result<ValuedSequence>;
}

/// Runs trajectories until a limit, for at most `most` generations. It passes each better sequence
/// to `tell`. Returns the best sequence and the number of generations.
pub(super) fn run<T: Trajectories>(
    mut trajectories: T,
    monitor: &Monitor,
    most: u64,
    tell: &dyn Fn(&ValuedSequence),
) -> Result<(ValuedSequence, u64)> {
    let mut generations = 0;
    while generations < most && monitor.begin_iterations(1) == 1 {
        match trajectories.generation() {
            Err(error) if matches!(*error, Error::Stopped) => break,
            best => best?.iter().for_each(|best| tell(best)),
        }
        generations += 1;
    }
    Ok((trajectories.best()?, generations))
}

/// Trajectories on the host, each with its own evaluator. A generation advances one after the
/// other.
pub(super) struct HostTabu<E>(Vec<Tabu<E>>);

impl<E: NeighbourhoodEvaluator> HostTabu<E> {
    /// `bytes` is the most memory that an evaluator takes.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if the trajectories don't fit.
    pub(super) fn new(
        settings: &Settings,
        starts: &[ValuedSequence],
        monitor: &Monitor,
        bytes: u128,
        evaluator: impl Fn() -> E,
    ) -> Result<Self> {
        let jobs = starts.first().map_or(0, |start| start.order.len());
        // The start, the present sequence and the best one.
        let each = bytes + 3 * ValuedSequence::bytes(jobs) + List::bytes(settings, jobs);
        check_memory(each, starts.len(), monitor.memory_bytes())?;
        Ok(HostTabu(starts.iter().map(|start| Tabu::new(settings, evaluator(), start)).collect()))
    }

    fn known_best(&self) -> Option<&ValuedSequence> {
        self.0.iter().map(|search| &search.best).min_by_key(|best| best.value)
    }
}

impl<E: NeighbourhoodEvaluator> Trajectories for HostTabu<E> {
    fn generation(&mut self) -> Result<Option<Cow<'_, ValuedSequence>>> {
        self.0.iter_mut().try_for_each(Tabu::generation)?;
        Ok(self.known_best().map(Cow::Borrowed))
    }

    fn best(&self) -> Result<ValuedSequence> {
        self.known_best().cloned().ok_or_else(no_trajectory)
    }
}

pub(super) fn no_trajectory() -> Box<Error> {
    Error::internal("a search without a trajectory")
}

/// One trajectory.
struct Tabu<E> {
    neighbourhood: Neighbourhood,
    evaluator: E,
    list: List,
    present: ValuedSequence,
    best: ValuedSequence,
}

impl<E: NeighbourhoodEvaluator> Tabu<E> {
    fn new(settings: &Settings, evaluator: E, start: &ValuedSequence) -> Self {
        Tabu {
            neighbourhood: settings.neighbourhood,
            evaluator,
            list: List::new(settings, &start.order),
            present: start.clone(),
            best: start.clone(),
        }
    }

    /// Moves to the next sequence; stays if all moves are forbidden.
    fn generation(&mut self) -> Result<()> {
        let forbidden = self.list.forbidden(&self.present.order);
        let chosen = self.evaluator.best(&self.present, &forbidden, self.best.value)?;
        let led = chosen.map(|(number, value)| {
            let led = self.neighbourhood.numbered(number, self.present.order.len());
            led.apply(&mut self.present.order);
            self.present.value = value;
            led
        });
        if self.present.value < self.best.value {
            self.best.clone_from(&self.present);
        }
        self.list.push(&self.present.order, led);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
