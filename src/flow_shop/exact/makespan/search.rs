//! Searches for short makespans.

use super::Makespan;
use crate::flow_shop::Instance;
use crate::flow_shop::exact::limit::Limit;
use crate::flow_shop::exact::node::Open;
use crate::flow_shop::exact::options::Plan;
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::exact::search::OnDevices;
use crate::flow_shop::exact::subproblem::{self, Searched, Subproblem};
use crate::flow_shop::exact::{
    Counts, ExactOptions, Exploration, Slice, device as on_device, pool, search, tree_pool,
};
use crate::flow_shop::incumbent::Incumbent;
use crate::opencl::Device;
use crate::solve::{SolveOptions, Statistics};
use crate::{Context, Dispatch, Result, Team};

/// Searches for the optimum; see [`search::run`].
pub(in crate::flow_shop) fn run(
    incumbent: &mut Incumbent<'_>,
    options: &ExactOptions,
    counts_iterations: bool,
    dispatch: &mut Dispatch<'_>,
    statistics: &mut Statistics,
) -> Result<()> {
    let (instance, monitor) = (incumbent.instance, incumbent.monitor);
    let objective = || Makespan::new(instance, options.bound, monitor);
    search::run(incumbent, objective, options, counts_iterations, dispatch, statistics)
}

/// Searches subproblems for sequences shorter than the options' upper bound.
///
/// If there are no such sequences, the number of decomposed nodes depends neither on the engine nor
/// on the order of the search, so it is a measure of work to compare engines by. With an iteration
/// limit, one CPU thread searches. May be called on several threads at once.
///
/// # Errors
/// [`Error::Unsupported`] with an iteration limit on a device; [`Error::InvalidArgument`] without
/// an upper bound, with a checkpoint, or, with the subproblem's index, for jobs that don't exist or
/// occur twice and for missing pinned jobs; [`Error::OutOfMemory`] if the search does not fit;
/// [`Error::Stopped`] if a limit is reached before the search begins; and errors of the engine.
///
/// [`Error::Unsupported`]: crate::Error::Unsupported
/// [`Error::InvalidArgument`]: crate::Error::InvalidArgument
/// [`Error::OutOfMemory`]: crate::Error::OutOfMemory
/// [`Error::Stopped`]: crate::Error::Stopped
pub fn search_subproblems(
    context: &Context,
    instance: &Instance,
    subproblems: &[Subproblem],
    options: &ExactOptions,
    solve_options: &SolveOptions,
) -> Result<Searched> {
    subproblem::search(
        context,
        instance,
        subproblems,
        |monitor| Makespan::new(instance, options.bound, monitor),
        options,
        solve_options,
    )
}

impl OnDevices for Makespan<'_> {
    fn advance(
        plan: &Plan,
        device: &Device,
        team: &Team<'_>,
        problem: &Problem<'_, Self>,
        limit: &Limit,
        open: &mut Vec<Open>,
        slice: &Slice<'_, Self>,
    ) -> Result<Counts> {
        match plan.exploration {
            Exploration::OnDevice => on_device::advance(device, team, problem, limit, open, slice),
            Exploration::HostPool => {
                pool::advance(device, team, problem, &plan.pool, limit, open, slice)
            }
            Exploration::TreePool => {
                tree_pool::advance(device, team, problem, &plan.pool, limit, open, slice)
            }
        }
    }
}
