//! Iterated greedy search with local search of partial sequences. The search is that of Ruiz and
//! Stützle (2007), "A simple and effective iterated greedy algorithm for the permutation flowshop
//! scheduling problem", EJOR 177, 2033-2049. The local search is that of Dubois-Lacoste, Pagnozzi
//! and Stützle (2017), "An iterated greedy algorithm with optimization of partial solutions for the
//! makespan permutation flowshop problem", Computers & Operations Research 81, 160-166.

use super::evaluator::{PartialSequence, ValuedSequence};
use crate::random::Random;
use crate::solve::Monitor;

/// Parameters of a trajectory.
#[derive(Debug, Clone, Copy)]
pub(in crate::flow_shop) struct Settings {
    /// Jobs that an iteration removes.
    pub(in crate::flow_shop) taken: usize,
    /// The longest blocks of consecutive jobs that move together, in sequences that take blocks.
    pub(in crate::flow_shop) longest_block: usize,
}

impl Settings {
    const MAKESPAN_TAKEN: usize = 2;
    /// [`Settings::moved`] for makespans.
    pub(super) const MAKESPAN_MOVED: u32 = Settings::MAKESPAN_TAKEN as u32 + 1;

    /// Those for makespans.
    pub(super) const OF_MAKESPANS: Settings =
        Settings { taken: Self::MAKESPAN_TAKEN, longest_block: 1 };

    /// Most jobs by which an evaluated sequence differs from the iteration's current one or a better
    /// one: the removed jobs, and the longest block.
    pub(in crate::flow_shop) fn moved(&self) -> u32 {
        (self.taken + self.longest_block) as u32
    }
}

/// One trajectory.
pub(in crate::flow_shop) struct IteratedGreedy<'a, S: PartialSequence> {
    monitor: &'a Monitor,
    sequence: S,
    random: Random,
    settings: Settings,
    current: ValuedSequence<S::Value>,
    best: ValuedSequence<S::Value>,
    /// The jobs that an iteration has removed.
    taken: Vec<u32>,
    /// The jobs in the order in which the local search visits them.
    turns: Vec<u32>,
    /// Sequences evaluated.
    pub(in crate::flow_shop) evaluations: u64,
    pub(in crate::flow_shop) iterations: u64,
}

impl<'a, S: PartialSequence> IteratedGreedy<'a, S> {
    /// The sequence type must be able to evaluate all sequences reached from the start; see
    /// [`Settings::moved`].
    pub(in crate::flow_shop) fn new(
        mut sequence: S,
        monitor: &'a Monitor,
        start: &[u32],
        settings: Settings,
        seed: u64,
    ) -> Self {
        sequence.set(start);
        let start = ValuedSequence { order: start.to_vec(), value: sequence.value() };
        IteratedGreedy {
            monitor,
            sequence,
            random: Random::new(seed),
            settings,
            current: start.clone(),
            best: start,
            taken: Vec::new(),
            turns: Vec::new(),
            evaluations: 0,
            iterations: 0,
        }
    }

    /// The best sequence so far.
    pub(in crate::flow_shop) fn best(&self) -> &ValuedSequence<S::Value> {
        &self.best
    }

    /// Some iterations, until a stop. A fresh search begins with a descent.
    pub(in crate::flow_shop) fn run(&mut self, iterations: u64, fresh: bool) {
        if fresh {
            self.descend();
        }
        for _ in 0..iterations {
            if self.monitor.should_stop() {
                return;
            }
            self.iterate();
        }
    }

    /// Improves the start by reinsertions to a local optimum, or until a stop.
    fn descend(&mut self) {
        self.sequence.set(&self.current.order);
        let value = self.improve(self.current.value);
        self.take_over(value);
    }

    /// Removes some jobs, improves the remaining sequence, reinserts the jobs, and improves the
    /// whole sequence. A stop ends the improvements, so that their gain is kept.
    fn iterate(&mut self) {
        self.iterations += 1;
        let (value, current) = (self.rebuild(), self.current.value);
        let accepted =
            value <= current || self.sequence.accepts(value, current, self.random.unit());
        if accepted && self.sequence.reaches(value, self.settings.moved()) {
            self.take_over(value);
        }
    }

    fn take_over(&mut self, value: S::Value) {
        self.current.order.clear();
        self.current.order.extend_from_slice(self.sequence.order());
        self.current.value = value;
        if value < self.best.value {
            self.best.clone_from(&self.current);
        }
    }

    fn rebuild(&mut self) -> S::Value {
        self.sequence.set(&self.current.order);
        self.taken.clear();
        for _ in 0..self.settings.taken.min(self.current.order.len()) {
            let position = self.random.below(self.sequence.order().len() as u64) as usize;
            self.taken.push(self.sequence.remove(position));
        }
        let value = self.sequence.value();
        let mut value = self.improve_by_jobs(value);
        for turn in 0..self.taken.len() {
            value = self.put(self.taken[turn]);
        }
        self.improve(value)
    }

    /// Inserts a job at its best position.
    fn put(&mut self, job: u32) -> S::Value {
        let (position, value) = self.sequence.best_place(job);
        self.sequence.insert(position, job);
        self.evaluations += self.sequence.order().len() as u64;
        value
    }

    /// Reinserts jobs and blocks at their best positions until no job and no visited block improves
    /// the sequence, or until a stop. Returns its value.
    fn improve(&mut self, value: S::Value) -> S::Value {
        let mut value = self.improve_by_jobs(value);
        loop {
            let better = self.improve_by_blocks(value);
            if better >= value {
                return value;
            }
            value = self.improve_by_jobs(better);
        }
    }

    /// Reinserts once the blocks that begin with each job. Returns the value.
    fn improve_by_blocks(&mut self, mut value: S::Value) -> S::Value {
        for length in 2..=self.settings.longest_block.min(self.sequence.order().len()) {
            self.shuffle_turns();
            for turn in 0..self.turns.len() {
                if self.monitor.should_stop() {
                    return value;
                }
                let Some(place) = self.place_of(self.turns[turn]) else { continue };
                let Some(block) = self.sequence.order().get(place..place + length) else {
                    continue;
                };
                let block = block.to_vec();
                for _ in 0..length {
                    self.sequence.remove(place);
                }
                let found = self.sequence.best_place_of_block(&block);
                // A sequence takes all blocks or none.
                let (position, better) = found.unwrap_or((place, value));
                let places = (position..).zip(&block);
                places.for_each(|(position, &job)| self.sequence.insert(position, job));
                if found.is_none() {
                    return value;
                }
                self.evaluations += (self.sequence.order().len() - length + 1) as u64;
                value = better;
            }
        }
        value
    }

    /// Lets the local search visit all jobs of the sequence in random order.
    fn shuffle_turns(&mut self) {
        self.turns.clear();
        self.turns.extend_from_slice(self.sequence.order());
        let jobs = self.turns.len();
        self.random.choose(&mut self.turns, jobs);
    }

    fn place_of(&self, job: u32) -> Option<usize> {
        self.sequence.order().iter().position(|&other| other == job)
    }

    /// Reinserts each job at its best position until no reinsertion improves the sequence. Returns
    /// its value.
    fn improve_by_jobs(&mut self, mut value: S::Value) -> S::Value {
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
                    return value;
                }
                let job = self.turns[turn];
                let Some(position) = self.place_of(job) else { continue };
                self.sequence.remove(position);
                let better = self.put(job);
                idle = if better < value { 0 } else { idle + 1 };
                value = better;
                if idle >= jobs {
                    break;
                }
            }
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;

    use super::*;
    use crate::flow_shop::Instance;
    use crate::flow_shop::permutation::is_permutation;
    use crate::flow_shop::search::Shop;
    use crate::flow_shop::search::makespan::Reinsertion;
    use crate::flow_shop::search::testing::FlowTime;
    use crate::flow_shop::testing::{best_by_enumeration, instances};
    use crate::{SolveOptions, StopHandle};

    /// The best value after some iterations from several starts, since a search may get stuck near
    /// its start. In each iteration, the best sequence must have the value that `value` computes.
    fn searched<S: PartialSequence<Value = u64>>(
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
            let settings = Settings::OF_MAKESPANS;
            let mut search = IteratedGreedy::new(sequence(), &monitor, &start, settings, seed);
            search.descend();
            for _ in 0..100 {
                search.iterate();
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

    /// A sequence whose search is stopped after some insertions.
    struct Stopping<'a> {
        sequence: FlowTime<'a>,
        left: Cell<usize>,
        stop: StopHandle,
    }

    impl PartialSequence for Stopping<'_> {
        type Value = u64;

        fn order(&self) -> &[u32] {
            self.sequence.order()
        }

        fn set(&mut self, order: &[u32]) {
            self.sequence.set(order);
        }

        fn insert(&mut self, position: usize, job: u32) {
            self.sequence.insert(position, job);
        }

        fn remove(&mut self, position: usize) -> u32 {
            self.sequence.remove(position)
        }

        fn value(&mut self) -> u64 {
            self.sequence.value()
        }

        fn accepts(&self, worse: u64, better: u64, unit: f64) -> bool {
            self.sequence.accepts(worse, better, unit)
        }

        fn best_place(&mut self, job: u32) -> (usize, u64) {
            self.left.set(self.left.get().saturating_sub(1));
            if self.left.get() == 0 {
                self.stop.stop();
            }
            self.sequence.best_place(job)
        }

        fn reaches(&self, value: u64, moved: u32) -> bool {
            self.sequence.reaches(value, moved)
        }
    }

    #[test]
    fn what_a_stopped_search_has_gained_is_kept() {
        let times: Vec<u32> = (1..=8).flat_map(|time| [time, 3]).collect();
        let shop = Shop::of(&Instance::new(8, 2, times).unwrap());
        let (flow_time, start) = (FlowTime::new(&shop), [7, 6, 5, 4, 3, 2, 1, 0]);
        // Some stops come in the descent, others while jobs are removed.
        for insertions in 1..100 {
            let stop = StopHandle::new();
            let options = SolveOptions { stop: Some(stop.clone()), ..SolveOptions::default() };
            let monitor = Monitor::new(&options);
            let left = Cell::new(insertions);
            let sequence = Stopping { sequence: flow_time.clone(), left, stop };
            let settings = Settings::OF_MAKESPANS;
            let mut search = IteratedGreedy::new(sequence, &monitor, &start, settings, 1);
            search.run(100, true);
            let best = search.best();
            assert!(best.value < flow_time.of(&start), "{insertions} insertions");
            assert_eq!(best.value, flow_time.of(&best.order));
            assert!(is_permutation(best.order.iter().copied(), 8));
        }
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
