//! Iterated greedy search: Ruiz and Stützle (2007), "A simple and effective iterated greedy algorithm for the permutation
//! flowshop scheduling problem", EJOR 177, 2033-2049, with the local search of partial sequences of Dubois-Lacoste,
//! Pagnozzi and Stützle (2017), "An iterated greedy algorithm with optimization of partial solutions for the makespan
//! permutation flowshop problem", Computers & Operations Research 81, 160-166.

use super::Shop;
use super::reinsertion::Reinsertion;
use super::time::Time;
use crate::random::Random;
use crate::solve::Monitor;

/// Jobs that an iteration takes out.
const TAKEN: usize = 2;
/// Jobs by which a sequence that an iteration looks at may differ from the one before: those taken out, and one more.
pub(super) const MOVED: u32 = TAKEN as u32 + 1;
/// The temperature of acceptance, in tenths of a mean processing time.
const TEMPERATURE: f64 = 0.7;

/// One trajectory.
pub(super) struct IteratedGreedy<'a, T: Time> {
    shop: &'a Shop,
    monitor: &'a Monitor,
    sequence: Reinsertion<'a, T>,
    random: Random,
    temperature: f64,
    current: Vec<u32>,
    current_makespan: u32,
    best: Vec<u32>,
    best_makespan: u32,
    /// Jobs in the order in which the local search takes them.
    turns: Vec<u32>,
    /// Makespans computed.
    pub(super) evaluations: u64,
    pub(super) iterations: u64,
}

impl<'a, T: Time> IteratedGreedy<'a, T> {
    /// Numbers of type `T` must hold what comes of the start; see [`MOVED`].
    pub(super) fn new(shop: &'a Shop, monitor: &'a Monitor, start: &[u32], seed: u64) -> Self {
        let mean =
            shop.times().iter().copied().map(f64::from).sum::<f64>() / shop.times().len().max(1) as f64;
        let makespan = shop.makespan(start);
        IteratedGreedy {
            shop,
            monitor,
            sequence: Reinsertion::new(shop),
            random: Random::new(seed),
            temperature: TEMPERATURE * mean / 10.0,
            current: start.to_vec(),
            current_makespan: makespan,
            best: start.to_vec(),
            best_makespan: makespan,
            turns: Vec::new(),
            evaluations: 0,
            iterations: 0,
        }
    }

    /// The shortest sequence so far.
    pub(super) fn best(&self) -> (&[u32], u32) {
        (&self.best, self.best_makespan)
    }

    /// Improves the start as far as reinsertions do; false where a stop came first.
    pub(super) fn descend(&mut self) -> bool {
        self.sequence.set(&self.current);
        let Some(makespan) = self.improve(self.current_makespan) else { return false };
        self.take_over(makespan);
        true
    }

    /// Takes some jobs out, improves the rest, puts them back, and improves the whole; false where a stop came first,
    /// which leaves the search as it was.
    pub(super) fn iterate(&mut self) -> bool {
        self.iterations += 1;
        let Some(makespan) = self.rebuild() else { return false };
        let worse = f64::from(makespan) - f64::from(self.current_makespan);
        let accepted = worse <= 0.0 || self.random.unit() < (-worse / self.temperature).exp();
        if accepted && self.shop.fits::<T>(makespan, MOVED) {
            self.take_over(makespan);
        }
        true
    }

    fn take_over(&mut self, makespan: u32) {
        self.current.clear();
        self.current.extend_from_slice(self.sequence.order());
        self.current_makespan = makespan;
        self.keep_best();
    }

    fn keep_best(&mut self) {
        if self.current_makespan < self.best_makespan {
            self.best.clone_from(&self.current);
            self.best_makespan = self.current_makespan;
        }
    }

    fn rebuild(&mut self) -> Option<u32> {
        self.sequence.set(&self.current);
        let mut taken = [0; TAKEN];
        let count = TAKEN.min(self.shop.jobs());
        for job in &mut taken[..count] {
            let position = self.random.below(self.sequence.order().len() as u64) as usize;
            *job = self.sequence.remove(position);
        }
        let partial = self.shop.makespan(self.sequence.order());
        let mut makespan = self.improve(partial)?;
        for &job in &taken[..count] {
            makespan = self.put(job);
        }
        self.improve(makespan)
    }

    /// Puts a job where the sequence becomes shortest.
    fn put(&mut self, job: u32) -> u32 {
        let (position, makespan) = self.sequence.best(job);
        self.sequence.insert(position, job);
        self.evaluations += self.sequence.order().len() as u64;
        makespan
    }

    /// Takes each job out and puts it back in its best place, until that shortens the sequence no more. Gives the
    /// makespan, or `None` when stopped.
    fn improve(&mut self, mut makespan: u32) -> Option<u32> {
        self.turns.clear();
        self.turns.extend_from_slice(self.sequence.order());
        let jobs = self.turns.len();
        // Jobs in turn that moved nothing.
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
                let shorter = self.put(job);
                idle = if shorter < makespan { 0 } else { idle + 1 };
                makespan = shorter;
                if idle >= jobs {
                    break;
                }
            }
        }
        Some(makespan)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::SolveOptions;
    use crate::flow_shop::testing::{best_by_enumeration, instances};

    proptest! {
        #[test]
        fn small_instances_are_soon_solved(instance in instances(6, 4), seed in any::<u64>()) {
            let shop = Shop::of(&instance);
            prop_assume!(shop.jobs() > 0);
            let monitor = Monitor::new(&SolveOptions::default());
            let start: Vec<u32> = (0..shop.jobs() as u32).collect();
            let mut search = IteratedGreedy::<u16>::new(&shop, &monitor, &start, seed);
            prop_assert!(search.descend());
            for _ in 0..200 {
                prop_assert!(search.iterate());
                let (order, makespan) = search.best();
                prop_assert_eq!(makespan, shop.makespan(order));
            }
            prop_assert_eq!(search.best().1, best_by_enumeration(&instance));
        }
    }
}
