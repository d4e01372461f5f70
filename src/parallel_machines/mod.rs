//! P||Cmax: jobs on identical parallel machines with the least makespan.
//!
//! The problem is strongly NP-hard. [`solve`] returns the best schedule of all methods that it
//! tried, with a proved lower bound, so that the caller knows the guarantee reached for this
//! instance, makespan / bound ([`Outcome::guarantee`]).

mod bounds;
mod format;
mod gap;
mod improve;
mod incumbent;
mod instance;
mod job_types;
mod lpt;
mod multifit;
mod options;
mod portfolio;
mod ptas;
mod rounding;
mod schedule;
mod split;

pub use instance::Instance;
pub use options::{Method, Options};
pub use schedule::Schedule;

use self::incumbent::Incumbent;
use self::portfolio::Portfolio;
use crate::solve::{Outcome, Report, Sense, SolveOptions};
use crate::{Context, Error, Result};

/// Approximate bytes of all lists for each job: its position in the order and in some schedules,
/// its type, memory for sorting, and at most one machine with its jobs.
const JOB_BYTES: u128 = 128;

/// Finds a short schedule and proves a bound on the shortest.
///
/// There always is a schedule, since LPT completes under any limits; it is never longer than
/// [`Options::start`]. The status is
/// [`Status::Optimal`](crate::Status::Optimal) if the bound equals its makespan, otherwise
/// [`Status::Feasible`](crate::Status::Feasible). An iteration is one table of the scheme, or one
/// attempt to find a schedule for a target or to refute it. The result is the same for every engine
/// and number of threads, unless time, memory or a stop request ends the solve. May be called on
/// several threads at once.
///
/// # Errors
/// [`Error::InvalidArgument`] if the start is no schedule of the instance, if epsilon is not in (0, 1], for an impossible number of segments or
/// traversal, and for segments or table options with methods other than [`Method::Ptas`]. With
/// [`Method::Ptas`], [`Error::OutOfMemory`] or [`Error::Unsupported`] if a table is too large and
/// the guarantee 1 + epsilon is not reached without it. With
/// [`Engine::Device`](crate::Engine::Device) device errors, and [`Error::Unsupported`] for a method
/// without kernels.
pub fn solve(
    context: &Context,
    instance: &Instance,
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Outcome<Schedule>> {
    let k = rounding::precision(options.epsilon)?;
    options.check()?;
    if context.wants_device(solve_options.engine) && !options.method.has_kernels() {
        return Err(Error::unsupported(format!(
            "the method {} on a device",
            options.method.name()
        )));
    }
    let start = options.start.as_ref().map(|start| start.on_useful_machines(instance));
    let start = start.transpose().map_err(|error| error.about("start"))?;
    let monitor = context.watch(Sense::Minimise, solve_options)?;
    let mut dispatch = context.dispatch(solve_options.engine)?;
    let required = instance.jobs() as u128 * JOB_BYTES;
    monitor.expect_lists(required, || format!("schedules of {} jobs", instance.jobs()))?;
    let mut report = Report { method: options.method.name(), ..Report::default() };

    // A table's result decides which table is next.
    dispatch.chain_steps();
    let incumbent = loop {
        let mut portfolio = Portfolio {
            incumbent: Incumbent::start(instance, &monitor, start.clone())?,
            dispatch: &mut dispatch,
            statistics: &mut report.statistics,
            seed: solve_options.seed,
        };
        match portfolio.run(options, k) {
            // The incumbent is sound after a stop, too.
            Ok(()) => break portfolio.incumbent,
            Err(error) if matches!(*error, Error::Stopped) => break portfolio.incumbent,
            // The device's earlier results do not count either.
            Err(error)
                if matches!(*error, Error::DeviceWrong(_))
                    && portfolio.dispatch.has_fallen_back() =>
            {
                report.statistics = Default::default();
            }
            Err(error)
                if matches!(*error, Error::OutOfMemory { .. })
                    && options.method != Method::Ptas =>
            {
                portfolio.dispatch.warn(error.to_string());
                break portfolio.incumbent;
            }
            Err(error) => return Err(error),
        }
    };
    dispatch.finish(&monitor, &mut report);
    Ok(monitor.conclude(incumbent.into_outcome(report)?))
}

/// Solves many small instances, each on one thread of the CPU, and returns their outcomes in the
/// same order. Where [`Engine::Device`](crate::Engine::Device) is asked for, they are solved one
/// after the other.
///
/// The limits apply to the whole batch, [`Limits::iterations`](crate::Limits::iterations) to each
/// instance. Instances that a limit leaves out are [`Status::Stopped`](crate::Status::Stopped) and
/// have no solution.
///
/// # Errors
/// Those of [`solve`] for the first instance in order that fails.
pub fn solve_batch(
    context: &Context,
    instances: &[&Instance],
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Vec<Outcome<Schedule>>> {
    let solve = |context: &Context, instance: &Instance, part: &SolveOptions| {
        solve(context, instance, options, part)
    };
    crate::batch::solve_each(context, instances, Sense::Minimise, solve_options, solve)
}
