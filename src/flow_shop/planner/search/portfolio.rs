//! The methods with what they share: one alone, or several under one limit.

use std::time::Duration;

use super::evaluators::Evaluators;
use super::settings::Work;
use crate::flow_shop::SearchOptions;
use crate::flow_shop::planner::incumbent::Incumbent;
use crate::flow_shop::planner::problem::Problem;
use crate::flow_shop::planner::{beam, exact};
use crate::flow_shop::search::IteratedGreedy;
use crate::solve::{SolveOptions, Statistics};
use crate::{Context, Result, parallel};

/// Number of trajectories if the result must not depend on the number of threads.
const TRAJECTORIES: usize = 4;

/// A search for a better incumbent.
pub(in crate::flow_shop::planner) struct Portfolio<'a, 'i> {
    pub(in crate::flow_shop::planner) context: &'a Context,
    pub(in crate::flow_shop::planner) problem: &'i Problem<'i>,
    pub(in crate::flow_shop::planner) evaluators: &'a Evaluators<'i>,
    pub(in crate::flow_shop::planner) incumbent: &'a mut Incumbent<'i>,
    pub(in crate::flow_shop::planner) options: &'a SearchOptions,
    pub(in crate::flow_shop::planner) solve_options: &'a SolveOptions,
    pub(in crate::flow_shop::planner) statistics: &'a mut Statistics,
}

impl Portfolio<'_, '_> {
    /// Proves the best sequence of a small instance.
    pub(in crate::flow_shop::planner) fn prove_if_small(&mut self) -> Result<()> {
        exact::prove_small(self.incumbent, self.problem, self.context, self.statistics)
    }

    /// Branch and bound until a limit.
    pub(in crate::flow_shop::planner) fn prove(&mut self, counts_iterations: bool) -> Result<()> {
        let Portfolio { context, problem, incumbent, statistics, .. } = self;
        exact::run(incumbent, problem, context, counts_iterations, statistics)
    }

    /// Beam search until a limit, or until no pass would end in time.
    pub(in crate::flow_shop::planner) fn beam(&mut self, until: Option<Duration>) -> Result<()> {
        let limits = &self.solve_options.limits;
        let extent = beam::Extent { until, ..beam::Extent::new(self.options.beam_width, limits) };
        beam::run(self.incumbent, self.context, extent, self.statistics)
    }

    /// Runs iterated greedy search until a limit, or for a fixed number of iterations. An iteration
    /// is one of each trajectory.
    pub(in crate::flow_shop::planner) fn iterated_greedy(&mut self) -> Result<()> {
        let (problem, monitor) = (self.problem, self.incumbent.monitor);
        if problem.free_jobs.len() < 2 || self.incumbent.is_optimal() {
            return Ok(());
        }
        let (work, settings) = (Work::of(problem), super::settings::of(problem));
        let start = &self.incumbent.order()[problem.pinned().len()..];
        let (latest, count) = (problem.latest(start), self.trajectories());
        self.evaluators.check_memory(latest, settings.moved(), count, monitor)?;
        monitor.enter("iterated greedy")?;
        let mut trajectories = Vec::with_capacity(count);
        for number in 0..count as u64 {
            if monitor.should_stop() {
                break;
            }
            let sequence = self.evaluators.sequence(latest, settings.moved())?;
            let seed = self.solve_options.seed.wrapping_add(number << 32);
            trajectories.push(IteratedGreedy::new(sequence, monitor, start, settings, seed));
        }
        let mut left = if self.is_limited() { u64::MAX } else { work.usual_rounds() };
        let mut fresh = true;
        while left > 0 && !self.incumbent.is_optimal() && !monitor.should_stop() {
            let round = monitor.begin_iterations(work.round().min(left));
            if round == 0 {
                break;
            }
            left -= round;
            let run = || {
                parallel::for_each(trajectories.iter_mut(), |search| search.run(round, fresh));
            };
            self.context.install_reporting(monitor, "iterated greedy", || None, run)?;
            fresh = false;
            for search in &trajectories {
                self.incumbent.offer(&[problem.pinned(), &search.best().order].concat());
            }
        }
        for search in &trajectories {
            self.statistics.add("evaluations", search.evaluations);
        }
        let iterations = trajectories.iter().map(|search| search.iterations).max();
        self.statistics.add("iterations", iterations.unwrap_or(0));
        Ok(())
    }

    fn is_limited(&self) -> bool {
        let limits = &self.solve_options.limits;
        limits.time.is_some() || limits.iterations.is_some()
    }

    fn trajectories(&self) -> usize {
        let limits = &self.solve_options.limits;
        let only_time = limits.time.is_some() && limits.iterations.is_none();
        let usual = if only_time { self.context.threads() } else { TRAJECTORIES };
        self.options.trajectories.unwrap_or(usual)
    }
}
