//! Tabu search over all neighbours of a sequence, after Czapiński and Barnes (2011), "Tabu Search
//! with two approaches to parallel flowshop evaluation on CUDA platform", Journal of Parallel and
//! Distributed Computing 71, 802-811. It reuses common prefixes, and more than the paper does.
//!
//! In each generation, the best neighbour that is not tabu becomes the next sequence, even if it is
//! worse; on ties the one with the smallest move index. A new best sequence is always allowed.

mod list;
mod together;

use std::borrow::Cow;

pub use self::list::TabuList;

pub(super) use self::list::{Entries, List};
pub(super) use self::together::{advance_together, best_of_all};

use super::SearchOptions;
use super::evaluator::{NeighbourhoodEvaluator, ValuedSequence};
use super::moves::Neighbourhood;
use crate::random::Random;
use crate::solve::Monitor;
use crate::{Error, Result};

/// The parameters of a tabu search; see [`SearchOptions`](super::SearchOptions).
#[derive(Debug, Clone, Copy)]
pub(in crate::flow_shop) struct Settings {
    pub(in crate::flow_shop) neighbourhood: Neighbourhood,
    pub(super) list: TabuList,
    pub(super) tenure: usize,
}

impl Settings {
    pub(in crate::flow_shop) fn new(options: &SearchOptions) -> Self {
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
pub(in crate::flow_shop) fn starts<V>(
    order: &[u32],
    trajectories: usize,
    seed: u64,
    monitor: &Monitor,
    value: impl Fn(&[u32]) -> V,
) -> Result<Vec<ValuedSequence<V>>> {
    // A device copies each start and has a buffer for each best sequence.
    check_memory(
        3 * ValuedSequence::<V>::bytes(order.len()),
        trajectories,
        monitor.memory_bytes(),
    )?;
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

/// A trajectory between two generations: all that an engine needs to continue it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::flow_shop) struct State<V = u64> {
    pub(super) present: ValuedSequence<V>,
    pub(super) best: ValuedSequence<V>,
    pub(super) list: List,
}

impl<V: Clone> State<V> {
    /// The states of trajectories at their starts.
    pub(in crate::flow_shop) fn at(
        settings: &Settings,
        starts: &[ValuedSequence<V>],
    ) -> Vec<State<V>> {
        let state = |start: &ValuedSequence<V>| State {
            present: start.clone(),
            best: start.clone(),
            list: List::new(settings, &start.order),
        };
        starts.iter().map(state).collect()
    }

    /// Bytes of a state for sequences of `jobs` jobs.
    pub(super) fn bytes(settings: &Settings, jobs: usize) -> u128 {
        2 * ValuedSequence::<V>::bytes(jobs) + List::bytes(settings, jobs)
    }
}

/// Trajectories that advance together, each by equally many generations.
pub(in crate::flow_shop) trait Trajectories {
    /// The value of a sequence.
    type Value: Copy + Ord;

    /// Generations that it makes best at once.
    fn stride(&self) -> u64 {
        1
    }

    /// Advances each trajectory by `count` generations. Adds the complete ones to `made`, also if an
    /// error ends the others.
    fn generations(&mut self, count: u64, made: &mut u64) -> Result<()>;

    /// The best sequence so far, if it is known or was last looked at a while ago.
    fn news(&mut self) -> Result<Option<Cow<'_, ValuedSequence<Self::Value>>>>;

    /// The best sequence so far; on ties that of the first trajectory.
    fn best(&self) -> Result<ValuedSequence<Self::Value>>;

    /// The states after the last generation.
    fn states(&self) -> Result<Vec<State<Self::Value>>>;
}

/// Trajectories on a device, whose launches have as much work as fits into some milliseconds.
pub(super) trait Paced: Trajectories<Value = u64> {
    /// Begins with launches of that much work.
    fn with_budget(self, budget: u64) -> Self;

    /// The work that it has learnt to launch at once.
    fn budget(&self) -> u64;
}

/// Counts the generations of a search. Those that are made a second time count once.
pub(in crate::flow_shop) struct Generations<'a> {
    monitor: &'a Monitor,
    most: u64,
    begun: u64,
    made: u64,
}

impl<'a> Generations<'a> {
    /// At most `most`, and at most as many as the monitor allows.
    pub(in crate::flow_shop) fn new(monitor: &'a Monitor, most: u64) -> Self {
        Generations { monitor, most, begun: 0, made: 0 }
    }

    /// Whether another one may be made.
    pub(in crate::flow_shop) fn begin(&mut self) -> bool {
        self.begin_some(1) == 1
    }

    /// How many of `wanted` further ones may be made.
    fn begin_some(&mut self, wanted: u64) -> u64 {
        let wanted = wanted.min(self.most - self.made);
        let begun = self.begun - self.made;
        if wanted > begun {
            self.begun += self.monitor.begin_iterations(wanted - begun);
        }
        wanted.min(self.begun - self.made)
    }

    pub(in crate::flow_shop) fn made(&self) -> u64 {
        self.made
    }

    /// Drops all later ones.
    pub(super) fn return_to(&mut self, made: u64) {
        self.made = made;
    }
}

/// Advances trajectories while `goes_on` says so and further generations are allowed. It passes each
/// better sequence to `tell`.
///
/// # Errors
/// [`Error::Stopped`] in the midst of a generation, which then does not count.
pub(in crate::flow_shop) fn advance<T: Trajectories>(
    trajectories: &mut T,
    generations: &mut Generations<'_>,
    goes_on: &dyn Fn() -> bool,
    tell: &dyn Fn(&ValuedSequence<T::Value>),
) -> Result<()> {
    while goes_on() {
        let count = generations.begin_some(trajectories.stride());
        if count == 0 {
            break;
        }
        trajectories.generations(count, &mut generations.made)?;
        trajectories.news()?.iter().for_each(|best| tell(best));
    }
    Ok(())
}

/// Runs trajectories until a limit, for at most `most` generations. Returns the best sequence and
/// the number of generations.
pub(super) fn run<T: Trajectories>(
    mut trajectories: T,
    monitor: &Monitor,
    most: u64,
) -> Result<(ValuedSequence<T::Value>, u64)> {
    let mut generations = Generations::new(monitor, most);
    match advance(&mut trajectories, &mut generations, &|| true, &|_| ()) {
        Err(error) if !matches!(*error, Error::Stopped) => Err(error),
        _ => Ok((trajectories.best()?, generations.made)),
    }
}

/// Trajectories on the host, each with its own evaluator. A generation advances one after the
/// other.
pub(in crate::flow_shop) struct HostTabu<E: NeighbourhoodEvaluator>(Vec<Tabu<E>>);

impl<E: NeighbourhoodEvaluator> HostTabu<E> {
    /// `bytes` is the most memory that an evaluator takes.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if the trajectories don't fit.
    pub(in crate::flow_shop) fn new(
        settings: &Settings,
        states: &[State<E::Value>],
        monitor: &Monitor,
        bytes: u128,
        evaluator: impl Fn() -> E,
    ) -> Result<Self> {
        let jobs = states.first().map_or(0, |state| state.present.order.len());
        // The start as well.
        let each = bytes
            + ValuedSequence::<E::Value>::bytes(jobs)
            + State::<E::Value>::bytes(settings, jobs);
        check_memory(each, states.len(), monitor.memory_bytes())?;
        let neighbourhood = settings.neighbourhood;
        let search = |state: &State<E::Value>| Tabu {
            neighbourhood,
            evaluator: evaluator(),
            state: state.clone(),
        };
        Ok(HostTabu(states.iter().map(search).collect()))
    }

    /// Continues from these states.
    pub(super) fn resume(&mut self, states: &[State<E::Value>]) {
        self.0.iter_mut().zip(states).for_each(|(search, state)| search.state.clone_from(state));
    }

    fn known_best(&self) -> Option<&ValuedSequence<E::Value>> {
        self.0.iter().map(|search| &search.state.best).min_by_key(|best| best.value)
    }
}

impl<E: NeighbourhoodEvaluator> Trajectories for HostTabu<E> {
    type Value = E::Value;

    fn generations(&mut self, count: u64, made: &mut u64) -> Result<()> {
        for _ in 0..count {
            self.0.iter_mut().try_for_each(Tabu::generation)?;
            *made += 1;
        }
        Ok(())
    }

    fn news(&mut self) -> Result<Option<Cow<'_, ValuedSequence<E::Value>>>> {
        Ok(self.known_best().map(Cow::Borrowed))
    }

    fn best(&self) -> Result<ValuedSequence<E::Value>> {
        self.known_best().cloned().ok_or_else(no_trajectory)
    }

    fn states(&self) -> Result<Vec<State<E::Value>>> {
        Ok(self.0.iter().map(|search| search.state.clone()).collect())
    }
}

pub(super) fn no_trajectory() -> Box<Error> {
    Error::internal("a search without a trajectory")
}

/// One trajectory.
struct Tabu<E: NeighbourhoodEvaluator> {
    neighbourhood: Neighbourhood,
    evaluator: E,
    state: State<E::Value>,
}

impl<E: NeighbourhoodEvaluator> Tabu<E> {
    /// Moves to the next sequence; stays if all moves are forbidden.
    fn generation(&mut self) -> Result<()> {
        let State { present, best, list } = &mut self.state;
        let forbidden = list.forbidden(&present.order);
        let chosen = self.evaluator.best(present, &forbidden, best.value)?;
        let led = chosen.map(|(number, value)| {
            let led = self.neighbourhood.numbered(number, present.order.len());
            led.apply(&mut present.order);
            present.value = value;
            led
        });
        if present.value < best.value {
            best.clone_from(present);
        }
        list.push(&present.order, led);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
