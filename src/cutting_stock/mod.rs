//! One-dimensional cutting stock: items of given lengths and demands are cut from as few stock
//! pieces of one length as possible. With every demand 1 it is bin packing.
//!
//! The problem is strongly NP-hard. [`solve`] returns the best packing of the methods it tried,
//! with a proved lower bound. For few lengths, a dynamic program over all vectors of item counts
//! finds the optimum, in pseudo-polynomial time for any demands; it uses
//! [`lattice_dp`](crate::lattice_dp). For many lengths there is column generation.

mod bounds;
mod columns;
mod decreasing;
mod exact;
mod fill;
mod format;
mod in_order;
mod incumbent;
mod instance;
mod options;
mod packing;
mod pinned;
mod portfolio;
mod sizes;

pub use instance::Instance;
pub use options::{Method, Options};
pub use packing::{Cut, Packing, Pattern};

use self::incumbent::{Answer, Incumbent};
use crate::solve::{Monitor, Outcome, Report, Sense, SolveOptions, unless_stopped};
use crate::{Context, Dispatch, Error, Result};

/// Approximate bytes of all lists for each item type: its size, and the patterns found for it, each
/// of some types.
const TYPE_BYTES: u128 = 512;

/// Cuts the items from few stock pieces and proves a lower bound on their number: L2 of Martello
/// and Toth (1990), the bound of the configuration LP (Gilmore and Gomory 1961), or the optimum of
/// the dynamic program.
///
/// The result has a packing under any limits. It never takes more pieces than [`Options::start`].
/// The status is [`Status::Optimal`](crate::Status::Optimal) if the bound equals its pieces,
/// otherwise [`Status::Feasible`](crate::Status::Feasible). An iteration is one of these: a table
/// of the dynamic program, the configuration LP, a number of pieces that column generation tries to
/// reach or refute, a round of the search for patterns without waste. With more than 10,000 items,
/// the solver first cuts the patterns that the configuration LP uses as a whole. If more than
/// 10,000 items then remain, it does not search further, and the packing may stay some pieces above
/// the bound. The result is the same for every engine and number of threads, unless time, memory or
/// a stop request ends the solve. May be called on several threads at once.
///
/// # Errors
/// [`Error::InvalidArgument`] if the start is not a packing of the instance. With
/// [`Engine::Device`](crate::Engine::Device), [`Method::Ffd`] is [`Error::Unsupported`], since it
/// has no kernels, and device errors are possible.
pub fn solve(
    context: &Context,
    instance: &Instance,
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Outcome<Packing>> {
    if context.wants_device(solve_options.engine) && options.method == Method::Ffd {
        return Err(Error::unsupported(format!(
            "the method {} on a device",
            options.method.name()
        )));
    }
    let monitor = context.watch(Sense::Minimise, solve_options)?;
    let mut dispatch = context.dispatch(solve_options.engine)?;
    let required = (instance.types() + instance.pinned().len()) as u128 * TYPE_BYTES;
    monitor.expect_lists(required, || format!("patterns of {} item types", instance.types()))?;
    let mut report = Report { method: options.method.name(), ..Report::default() };

    let (method, start) = (options.method, options.start.as_ref());
    let (dispatch_to, report_to) = (&mut dispatch, &mut report);
    let mut search =
        Search { method, seed: solve_options.seed, dispatch: dispatch_to, report: report_to };
    let solve = || -> Result<Answer> {
        if !instance.pinned().is_empty() {
            return pinned::solve(instance, search, start, &monitor);
        }
        let mut incumbent = Incumbent::start(instance, &monitor, start)?;
        if let Some(reason) = search.run(&mut incumbent, &monitor)? {
            search.dispatch.warn(reason);
        }
        Ok(incumbent.into_answer())
    };
    let answer = match unless_stopped(solve())? {
        Some(answer) => answer,
        None => in_order::answer(instance, start)?,
    };
    let mut outcome = answer.certify(instance, report)?;
    dispatch.finish(&monitor, &mut outcome.report);
    Ok(monitor.conclude(outcome))
}

/// A search with its means.
struct Search<'s, 'c> {
    method: Method,
    seed: u64,
    dispatch: &'s mut Dispatch<'c>,
    report: &'s mut Report,
}

impl Search<'_, '_> {
    /// Improves the packing. Returns which methods were left out because the instance is too large,
    /// if something is left to do.
    fn run(&mut self, incumbent: &mut Incumbent<'_>, monitor: &Monitor) -> Result<Option<String>> {
        if self.method != Method::Ffd {
            match incumbent.improve(self.method, self.seed, self.dispatch, monitor, self.report) {
                // The packing and the bound are sound after a stop, too.
                Ok(()) => {}
                Err(error) if matches!(*error, Error::Stopped) => {}
                Err(error) if matches!(*error, Error::OutOfMemory { .. }) => {
                    self.dispatch.warn(error.to_string())
                }
                Err(error) => return Err(error),
            }
        }
        Ok(incumbent.left_out.take().filter(|_| !incumbent.is_settled()))
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
) -> Result<Vec<Outcome<Packing>>> {
    let solve = |context: &Context, instance: &Instance, part: &SolveOptions| {
        solve(context, instance, options, part)
    };
    crate::batch::solve_each(context, instances, Sense::Minimise, solve_options, solve)
}
