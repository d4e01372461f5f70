//! P||Cmax: jobs on identical parallel machines with the least makespan.
//!
//! The problem is strongly NP-hard. [`solve`] returns the best schedule of all methods that it
//! tried, with a proved lower bound, so that the caller knows the guarantee reached for this
//! instance, makespan / bound ([`Outcome::guarantee`]).

mod bounds;
mod format;
mod gap;
mod improve;
mod in_order;
mod incumbent;
mod instance;
mod job_types;
mod lpt;
mod multifit;
mod options;
mod pinned;
mod portfolio;
mod ptas;
mod rounding;
mod schedule;
mod split;

pub use instance::Instance;
pub use options::{Method, Options, SegmentShares};
pub use schedule::Schedule;

use self::incumbent::{Answer, Incumbent};
use self::portfolio::Portfolio;
use crate::solve::{Outcome, Report, Sense, SolveOptions, Statistics, unless_stopped};
use crate::{Context, Dispatch, Error, Result};

/// Approximate bytes of all lists for each job: its position in the order and in some schedules,
/// its type, memory for sorting, and at most one machine with its jobs.
const JOB_BYTES: u128 = 128;

/// Finds a short schedule and proves a lower bound on the makespan of all schedules.
///
/// The result has a schedule under any limits: at least that of LPT, or, if a limit comes earlier
/// with more than 16,384 jobs, one that fills the machines in the order of the jobs. It is never
/// longer than [`Options::start`]. The status is [`Status::Optimal`](crate::Status::Optimal) if the
/// bound equals its makespan, otherwise [`Status::Feasible`](crate::Status::Feasible). An iteration
/// is one table of the scheme, or one attempt to find a schedule for a target or to refute it. The
/// result is the same for every engine and number of threads, unless time, memory or a stop request
/// ends the solve. May be called on several threads at once.
///
/// # Errors
/// [`Error::InvalidArgument`] if the start is not a schedule of the instance, if epsilon is not in
/// (0, 1], if the number of segments or the traversal is impossible, or if segments or table
/// options are set for a method other than [`Method::Ptas`]. [`Method::Ptas`] returns
/// [`Error::Unsupported`] for pinned jobs, and [`Error::OutOfMemory`] or [`Error::Unsupported`] if
/// a table is too large and the guarantee 1 + epsilon is not reached without it. With pinned jobs,
/// [`Error::Overflow`] is possible if twice the makespan of LPT times the number of machines that a
/// schedule can use is 2^63 or more. With [`Engine::Device`](crate::Engine::Device), a method
/// without kernels is [`Error::Unsupported`], and device errors are possible.
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
    let is_pinned = !instance.pinned().is_empty();
    if is_pinned && options.method == Method::Ptas {
        return Err(Error::unsupported("the method ptas with pinned jobs"));
    }
    // Refuses a wrong start before any work.
    let start = options.start.as_ref().map(|start| start.on_useful_machines(instance));
    let start = start.transpose().map_err(|error| error.about("start"))?;
    let monitor = context.watch(Sense::Minimise, solve_options)?;
    let mut dispatch = context.dispatch(solve_options.engine)?;
    // A reduced instance has a block for each machine.
    let required = instance.jobs() as u128 * JOB_BYTES * if is_pinned { 3 } else { 1 };
    monitor.expect_lists(required, || format!("schedules of {} jobs", instance.jobs()))?;
    let mut report = Report { method: options.method.name(), ..Report::default() };

    // A table's result decides which table is next.
    dispatch.chain_steps();
    let (dispatch_to, statistics) = (&mut dispatch, &mut report.statistics);
    let seed = solve_options.seed;
    let search = Search { options, k, seed, dispatch: dispatch_to, statistics };
    let answer = if is_pinned {
        pinned::solve(instance, search, start.clone(), &monitor)
    } else {
        search.run(|| Incumbent::start(instance, &monitor, start.clone()))
    };
    let answer = match unless_stopped(answer)? {
        Some(answer) => answer,
        None => in_order::answer(instance, start)?,
    };
    let mut outcome = answer.certify(instance, report)?;
    dispatch.finish(&monitor, &mut outcome.report);
    Ok(monitor.conclude(outcome))
}

/// A search with its means.
struct Search<'s, 'c> {
    options: &'s Options,
    /// The precision of the scheme.
    k: u64,
    seed: u64,
    dispatch: &'s mut Dispatch<'c>,
    statistics: &'s mut Statistics,
}

impl Search<'_, '_> {
    /// Searches from what `begin` returns.
    ///
    /// # Errors
    /// [`Error::Stopped`] if a stop ends `begin`, and those of `begin` and of the methods.
    fn run<'a>(self, begin: impl Fn() -> Result<Incumbent<'a>>) -> Result<Answer> {
        loop {
            let mut portfolio = Portfolio {
                incumbent: begin()?,
                dispatch: &mut *self.dispatch,
                statistics: &mut *self.statistics,
                seed: self.seed,
            };
            match portfolio.run(self.options, self.k) {
                // The incumbent is sound after a stop, too.
                Ok(()) => return Ok(portfolio.incumbent.into_answer()),
                Err(error) if matches!(*error, Error::Stopped) => {
                    return Ok(portfolio.incumbent.into_answer());
                }
                // The device's earlier results do not count either.
                Err(error)
                    if matches!(*error, Error::DeviceWrong(_))
                        && portfolio.dispatch.has_fallen_back() =>
                {
                    *self.statistics = Statistics::default();
                }
                Err(error)
                    if matches!(*error, Error::OutOfMemory { .. })
                        && self.options.method != Method::Ptas =>
                {
                    portfolio.dispatch.warn(error.to_string());
                    return Ok(portfolio.incumbent.into_answer());
                }
                Err(error) => return Err(error),
            }
        }
    }
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
