//! Iterated greedy search in several trajectories.

use std::time::Duration;

use super::{Portfolio, note};
use crate::flow_shop::search::evaluator::PartialSequence;
use crate::flow_shop::search::iterated_greedy::{IteratedGreedy, Settings};
use crate::flow_shop::search::objective::Objective;
use crate::solve::Monitor;
use crate::{Result, parallel};

/// Number of trajectories if the result must not depend on the number of threads.
const TRAJECTORIES: usize = 4;
/// Iterations between two exchanges with the other trajectories.
const ROUND: u64 = 32;

impl<O: Objective> Portfolio<'_, '_, O> {
    /// Runs iterated greedy search until a limit.
    pub(in crate::flow_shop::search) fn run_iterated_greedy(&mut self) -> Result<()> {
        self.check_trajectories()?;
        self.iterated_greedy(self.usual_rounds().max(1), None)
    }

    /// Runs iterated greedy search for at most `most` iterations, until a limit, or until `until`
    /// has passed since the start. An iteration is one of each trajectory.
    pub(super) fn iterated_greedy(&mut self, most: u64, until: Option<Duration>) -> Result<()> {
        let (shop, whole) = (self.shop, self.incumbent.monitor);
        let part = whole.part(until.map(|until| until.saturating_sub(whole.elapsed())), None);
        part.enter("iterated greedy")?;
        if self.is_narrow() {
            self.walk(&part, most, || O::narrow(shop))?;
        } else {
            self.walk(&part, most, || O::wide(shop))?;
        }
        whole.join(&part);
        Ok(())
    }

    fn walk<S: PartialSequence<Value = u64> + Send>(
        &mut self,
        part: &Monitor,
        most: u64,
        sequence: impl Fn() -> S,
    ) -> Result<()> {
        let mut left = most;
        let start = self.shop.order(self.incumbent.order());
        let settings = Settings::OF_MAKESPANS;
        let seeds = (0..self.trajectories() as u64)
            .map(|number| self.solve_options.seed.wrapping_add(number << 32));
        let seeds = seeds.take_while(|_| !part.should_stop());
        let mut trajectories: Vec<_> = seeds
            .map(|seed| IteratedGreedy::new(sequence(), part, &start, settings, seed))
            .collect();
        let mut fresh = true;
        while left > 0 && !self.is_settled() && !part.should_stop() {
            let round = self.incumbent.monitor.begin_iterations(ROUND.min(left));
            if round == 0 {
                break;
            }
            left -= round;
            let work =
                || parallel::for_each(trajectories.iter_mut(), |search| search.run(round, fresh));
            self.context.install_reporting(part, "iterated greedy", || None, work)?;
            fresh = false;
            for search in &trajectories {
                let best = search.best();
                if best.value < self.incumbent.value().into() {
                    self.offer(best);
                    note(self.shop, part, best);
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

    /// Whether the times of all evaluated sequences fit in 16 bits.
    fn is_narrow(&self) -> bool {
        O::is_narrow(self.shop, self.incumbent.value().into(), Settings::MAKESPAN_MOVED)
    }

    fn trajectories(&self) -> usize {
        let limits = &self.solve_options.limits;
        let only_time = limits.time.is_some() && limits.iterations.is_none();
        let usual = if only_time { self.context.threads() } else { TRAJECTORIES };
        self.options.trajectories.unwrap_or(usual)
    }

    /// Number of iterations without a limit: worth some seconds, or 0 if even a few would take
    /// longer.
    pub(super) fn usual_rounds(&self) -> u64 {
        if self.is_limited() {
            return u64::MAX;
        }
        let work = (self.shop.jobs() * self.shop.jobs()) as u64 * self.shop.machines() as u64;
        match 100_000_000 / work.max(1) {
            ..4 => 0,
            rounds => rounds.min(500),
        }
    }

    /// Refuses more trajectories than fit in memory.
    pub(super) fn check_trajectories(&self) -> Result<()> {
        let each = O::sequence_bytes(self.shop, self.is_narrow());
        let required = self.trajectories() as u128 * u128::from(each);
        self.incumbent
            .monitor
            .check_memory(required, || "heads and tails of the trajectories".into())
    }
}
