//! Iterated greedy search with local search of partial sequences. The search is that of Ruiz and
//! Stützle (2007), "A simple and effective iterated greedy algorithm for the permutation flowshop
//! scheduling problem", EJOR 177, 2033-2049. The local search is that of Dubois-Lacoste, Pagnozzi
//! and Stützle (2017), "An iterated greedy algorithm with optimization of partial solutions for the
//! makespan permutation flowshop problem", Computers & Operations Research 81, 160-166.

use super::evaluator::{PartialSequence, ValuedSequence};
use crate::random::Random;
use crate::solve::Monitor;

/// Jobs that an iteration removes.
const TAKEN: usize = 2;
/// Most jobs by which an evaluated sequence differs from the iteration's current one: the removed
/// jobs, and one more.
pub(super) const MOVED: u32 = TAKEN as u32 + 1;
/// The temperature of acceptance, in tenths of the unit.
const TEMPERATURE: f64 = 0.7;

/// One trajectory.
pub(super) struct IteratedGreedy<'a, S> {
    monitor: &'a Monitor,
    sequence: S,
    random: Random,
    temperature: f64,
    current: ValuedSequence,
    best: ValuedSequence,
    /// The jobs in the order in which the local search visits them.
    turns: Vec<u32>,
    /// Sequences evaluated.
    pub(super) evaluations: u64,
    pub(super) iterations: u64,
}

impl<'a, S: PartialSequence> IteratedGreedy<'a, S> {
    /// `unit` scales differences of values: for the makespan it is the mean processing time. The
    /// sequence type must be able to evaluate all sequences reached from the start; see [`MOVED`].
    pub(super) fn new(
        mut sequence: S,
        monitor: &'a Monitor,
        start: &[u32],
        unit: f64,
        seed: u64,
    ) -> Self {
        sequence.set(start);
        let start = ValuedSequence { order: start.to_vec(), value: sequence.value() };
        IteratedGreedy {
            monitor,
            sequence,
            random: Random::new(seed),
            temperature: TEMPERATURE * unit / 10.0,
            current: start.clone(),
            best: start,
            turns: Vec::new(),
            evaluations: 0,
            iterations: 0,
        }
    }

    /// The best sequence so far.
    pub(super) fn best(&self) -> &ValuedSequence {
        &self.best
    }

    /// Improves the start by reinsertions to a local optimum; false if a stop came first.
    pub(super) fn descend(&mut self) -> bool {
        self.sequence.set(&self.current.order);
        let Some(value) = self.improve(self.current.value) else { return false };
        self.take_over(value);
        true
    }

    /// Removes some jobs, improves the remaining sequence, reinserts the jobs, and improves the
    /// whole sequence. Returns false if a stop came first; the search is then unchanged.
    pub(super) fn iterate(&mut self) -> bool {
        self.iterations += 1;
        let Some(value) = self.rebuild() else { return false };
        let worse = value as f64 - self.current.value as f64;
        let accepted = worse <= 0.0 || self.random.unit() < (-worse / self.temperature).exp();
        if accepted && self.sequence.reaches(value, MOVED) {
            self.take_over(value);
        }
        true
    }

    fn take_over(&mut self, value: u64) {
        self.current.order.clear();
        self.current.order.extend_from_slice(self.sequence.order());
        self.current.value = value;
        if value < self.best.value {
            self.best.clone_from(&self.current);
        }
    }

    fn rebuild(&mut self) -> Option<u64> {
        self.sequence.set(&self.current.order);
        let mut taken = [0; TAKEN];
        let count = TAKEN.min(self.current.order.len());
        for job in &mut taken[..count] {
            let position = self.random.below(self.sequence.order().len() as u64) as usize;
            *job = self.sequence.remove(position);
        }
        let mut value = self.improve(self.sequence.value())?;
        for &job in &taken[..count] {
            value = self.put(job);
        }
        self.improve(value)
    }

    /// Inserts a job at its best position.
    fn put(&mut self, job: u32) -> u64 {
        let (position, value) = self.sequence.best_place(job);
        self.sequence.insert(position, job);
        self.evaluations += self.sequence.order().len() as u64;
        value
    }

    /// Reinserts each job at its best position until no reinsertion improves the sequence. Returns
    /// its value, or `None` if stopped.
    fn improve(&mut self, mut value: u64) -> Option<u64> {
        self.turns.clear();
        self.turns.extend_from_slice(self.sequence.order());
        let jobs = self.turns.len();
        // Consecutive jobs without an improvement.
        let mut idle = 0;
        while idle < jobs {
            let jobs = self.turns.len();
            self.random.choose(&mut self.turns, jobs);
            for turn in 0..jobs {
                if self.monitor.should_stop() {
                    return None;
                }
                let job = self.turns[turn];
                let position = self.sequence.order().iter().position(|&other| other == job)?;
                self.sequence.remove(position);
                let better = self.put(job);
                idle = if better < value { 0 } else { idle + 1 };
                value = better;
                if idle >= jobs {
                    break;
                }
            }
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;

    use super::*;
    use crate::SolveOptions;
    use crate::flow_shop::search::Shop;
    use crate::flow_shop::search::makespan::Reinsertion;
    use crate::flow_shop::search::testing::FlowTime;
    use crate::flow_shop::testing::{best_by_enumeration, instances};

    /// The best value after some iterations from several starts, since a search may get stuck near
    /// its start. In each iteration, the best sequence must have the value that `value` computes.
    fn searched<S: PartialSequence>(
        sequence: impl Fn() -> S,
        shop: &Shop,
        seed: u64,
        value: impl Fn(&[u32]) -> u64,
    ) -> Result<u64, TestCaseError> {
        let monitor = Monitor::new(&SolveOptions::default());
        let mut start: Vec<u32> = (0..shop.jobs() as u32).collect();
        let mut least = u64::MAX;
        for turn in 0..2 * start.len() {
            start.rotate_left(1);
            if turn == start.len() {
                start.reverse();
            }
            let mut search =
                IteratedGreedy::new(sequence(), &monitor, &start, shop.mean_time(), seed);
            prop_assert!(search.descend());
            for _ in 0..100 {
                prop_assert!(search.iterate());
                prop_assert_eq!(search.best().value, value(&search.best().order));
            }
            least = least.min(search.best().value);
        }
        Ok(least)
    }

    fn makespan(shop: &Shop, seed: u64) -> Result<u64, TestCaseError> {
        let sequence = || Reinsertion::<u16>::new(shop);
        searched(sequence, shop, seed, |order| shop.makespan(order).into())
    }

    /// Another objective needs another evaluator alone.
    fn total_flow_time(flow_time: &FlowTime, shop: &Shop, seed: u64) -> Result<u64, TestCaseError> {
        searched(|| flow_time.clone(), shop, seed, |order| flow_time.of(order))
    }

    /// Both objectives reach their optima on the instances of a fixed list. A heuristic may miss
    /// one on others, so this is no property.
    #[test]
    fn small_instances_are_soon_solved() {
        let cases = (instances(6, 4), any::<u64>());
        let solved = TestRunner::deterministic().run(&cases, |(instance, seed)| {
            let shop = Shop::of(&instance);
            prop_assume!(shop.jobs() > 0);
            prop_assert_eq!(makespan(&shop, seed)?, u64::from(best_by_enumeration(&instance)));
            let flow_time = FlowTime::new(&shop);
            prop_assert_eq!(total_flow_time(&flow_time, &shop, seed)?, flow_time.least());
            Ok(())
        });
        solved.unwrap();
    }

    proptest! {
        #[test]
        fn values_belong_to_sequences(instance in instances(6, 4), seed in any::<u64>()) {
            let shop = Shop::of(&instance);
            prop_assume!(shop.jobs() > 0);
            prop_assert!(makespan(&shop, seed)? >= best_by_enumeration(&instance).into());
            let flow_time = FlowTime::new(&shop);
            prop_assert!(total_flow_time(&flow_time, &shop, seed)? >= flow_time.least());
        }
    }
}
