//! The multidimensional knapsack problem: given items with a profit and with a weight in each of
//! several dimensions, find the largest profit whose weights exceed no capacity.
//!
//! [`solve`] is exact. Multipliers of the capacities give a bound, which decides most items. A branch
//! and bound decides the others, or Bellman's dense table over all vectors of capacities.

mod bounds;
mod branch_and_bound;
mod cost_model;
mod cpu;
mod dense;
mod device;
mod format;
mod instance;
mod lattice;
mod options;
mod reduction;
mod scales;
mod search;
mod selection;
mod self_test;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use device::usual_programs;
pub use instance::Instance;
use instance::MOST_DIMENSIONS;
pub use options::{Method, Options};
pub(crate) use scales::SCALES;
pub use selection::Selection;

pub(crate) const KERNEL_FAMILIES: &[TimedFamily] = &[TimedFamily::untimed(&device::FAMILY)];

use search::Search;

use crate::opencl::TimedFamily;
use crate::solve::{Outcome, Report, Sense, SolveOptions, unless_stopped};
use crate::{Context, Error, Result};

/// Finds the largest profit that fits, with a proved upper bound.
///
/// The result has a selection under any limits. It is never worth less than [`Options::start`]. The
/// status is [`Status::Optimal`](crate::Status::Optimal) if the bound equals its profit, otherwise
/// [`Status::Feasible`](crate::Status::Feasible). An iteration is a branch and bound or a table. With
/// [`Method::Auto`], the first iteration is a short branch and bound, and the second is all the rest.
/// Statistics: `nodes` of the branch and bound and `cells` of the table. With [`Method::Auto`], they
/// depend on the measured speeds. The result is the same for every engine and number of threads,
/// unless time or a stop request ends the solve. If the table exceeds the memory, [`Method::Auto`]
/// may find another one of the best selections. May be called on several threads at once.
///
/// # Errors
/// [`Error::InvalidArgument`] if the start does not fit or takes more copies than an item has;
/// [`Error::OutOfMemory`] for too many items, and with [`Method::Dense`] if the table is too large.
/// With [`Engine::Device`](crate::Engine::Device), [`Method::Greedy`] and
/// [`Method::BranchAndBound`] are [`Error::Unsupported`], since they run on the CPU only, and
/// device errors are possible.
pub fn solve(
    context: &Context,
    instance: &Instance,
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Outcome<Selection>> {
    let monitor = context.watch(Sense::Maximise, solve_options)?;
    if context.wants_device(solve_options.engine) && !options.method.has_kernels() {
        let name = options.method.name();
        return Err(Error::unsupported(format!("the method {name} on a device")));
    }
    if let Some(start) = &options.start {
        // Refuses a wrong start before any work.
        instance.profit_of(&start.counts).map_err(|error| error.about("start"))?;
    }
    let mut dispatch = context.dispatch(solve_options.engine)?;
    let mut report = Report { method: options.method.name(), ..Report::default() };
    ["nodes", "cells"].into_iter().for_each(|counter| report.statistics.add(counter, 0));
    let mut search = Search::start(instance, &monitor)?;
    if let Some(start) = &options.start {
        search.offer(&start.counts, &monitor)?;
    }
    unless_stopped(search.run(options.method, &mut dispatch, &monitor, &mut report))?;
    dispatch.finish(&monitor, &mut report);
    Ok(monitor.conclude(search.certify(report)?))
}

/// Solves many small instances, each on one thread of the CPU, and returns their outcomes in the
/// same order. Where [`Engine::Device`](crate::Engine::Device) is asked for, they are solved one
/// after the other.
///
/// The limits apply to the whole batch, [`Limits::iterations`](crate::Limits::iterations) to each
/// instance. Instances that a limit leaves out are [`Status::Stopped`](crate::Status::Stopped) and
/// have no selection.
///
/// # Errors
/// Those of [`solve`] for the first instance in order that fails.
pub fn solve_batch(
    context: &Context,
    instances: &[&Instance],
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Vec<Outcome<Selection>>> {
    let solve = |context: &Context, instance: &Instance, part: &SolveOptions| {
        solve(context, instance, options, part)
    };
    crate::batch::solve_each(context, instances, Sense::Maximise, solve_options, solve)
}
