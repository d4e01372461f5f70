//! The methods and their common state: one alone, or several under one limit.

use std::time::Duration;

use super::evaluators::Evaluators;
use crate::flow_shop::planner::incumbent::Incumbent;
use crate::flow_shop::planner::problem::Problem;
use crate::flow_shop::planner::{beam, exact};
use crate::flow_shop::{ExactOptions, SearchOptions};
use crate::solve::{SolveOptions, Statistics};
use crate::{Context, Dispatch, Result};

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
    pub(in crate::flow_shop::planner) fn prove(
        &mut self,
        options: &ExactOptions,
        dispatch: &mut Dispatch<'_>,
    ) -> Result<()> {
        let counts = self.counts_iterations();
        let Portfolio { problem, incumbent, statistics, .. } = self;
        exact::run(incumbent, problem, options, counts, dispatch, statistics)
    }

    /// Branch and bound on the engines of that for the makespan, until a limit.
    pub(in crate::flow_shop::planner) fn prove_on_engines(
        &mut self,
        options: &ExactOptions,
        dispatch: &mut Dispatch<'_>,
    ) -> Result<()> {
        let counts = self.counts_iterations();
        let Portfolio { problem, incumbent, statistics, .. } = self;
        exact::run_on_engines(incumbent, problem, options, counts, dispatch, statistics)
    }

    fn counts_iterations(&self) -> bool {
        self.solve_options.limits.iterations.is_some()
    }

    /// Beam search until a limit, or until no pass would end in time.
    pub(in crate::flow_shop::planner) fn beam(
        &mut self,
        until: Option<Duration>,
        dispatch: &mut Dispatch<'_>,
    ) -> Result<()> {
        let limits = &self.solve_options.limits;
        let extent = beam::Extent { until, ..beam::Extent::new(self.options.beam_width, limits) };
        beam::run(self.incumbent, self.context, extent, dispatch, self.statistics)
    }
}
