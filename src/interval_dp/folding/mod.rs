//! RNA folding: the best nested pairs of a sequence's bases.
//!
//! A structure pairs bases such that no two pairs cross. *Nussinov's* model values a structure by
//! its pairs, *Zuker's* by the energies of its loops. The cubic part of both is the interval
//! recurrence with candidates of a cell's own in addition to its splits, so the products of tiles
//! solve them.

mod base;
mod energies;
mod evaluate;
mod instance;
mod model;
mod nussinov;
mod structure;
#[cfg(test)]
mod tests;
mod zuker;

pub use base::Base;
pub use energies::{Energies, LARGEST_LOOP, LEAST_HAIRPIN};
pub use instance::Instance;
pub use model::{Model, Nussinov};
pub use structure::Structure;

use super::options::{Method, Options};
use crate::opencl::Usual;
use crate::solve::{Certificate, Engine, Monitor, Outcome, Report, SolveOptions};
use crate::{Context, Error, Result};

pub(super) use zuker::device::FAMILY;

/// The programs of both models.
pub(super) fn usual_programs() -> impl Iterator<Item = Usual> {
    nussinov::usual_programs().chain([zuker::device::usual_program()])
}

/// Finds the best structure of a sequence. The statistic `relaxations` counts the splits tried.
///
/// The result is exact: the outcome is [`Status::Optimal`](crate::Status::Optimal) unless a limit
/// ends the solve. Then it is [`Status::Feasible`](crate::Status::Feasible) with a structure without
/// pairs and no bound. The objective is computed again from the structure. Results are the same for
/// every engine, method and number of threads. May be called on several threads at once.
///
/// # Errors
/// [`Error::Unsupported`] for methods other than [`Method::Auto`], [`Method::Cubic`] and
/// [`Method::Serial`], and for the latter with Zuker's model or [`Engine::Device`];
/// [`Error::Overflow`] for energies whose sums may not fit; [`Error::InvalidArgument`] for cells,
/// which have no meaning here, and for a type of cell that cannot hold the values;
/// [`Error::OutOfMemory`] if the table exceeds the memory limit or the device; device errors with
/// [`Engine::Device`].
pub fn solve(
    context: &Context,
    instance: &Instance,
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Outcome<Structure, i64>> {
    let monitor = context.watch(instance.model().sense(), solve_options)?;
    Ok(monitor.conclude(solve_watched(context, instance, options, solve_options.engine, &monitor)?))
}

/// What a method found: the structure's pairs and its value.
struct Found {
    pairs: Vec<(u32, u32)>,
    value: i64,
}

/// Like [`solve`], under the given monitor.
fn solve_watched(
    context: &Context,
    instance: &Instance,
    options: &Options,
    engine: Option<Engine>,
    monitor: &Monitor,
) -> Result<Outcome<Structure, i64>> {
    let method = method(options)?;
    crate::options::check(options, options.method.name())?;
    let mut dispatch = context.dispatch(engine)?;
    method.check_engine(&dispatch)?;
    let mut report = Report { method: method.name(), ..Report::default() };
    let found = monitor.begin_iteration().and_then(|()| match instance.model() {
        Model::Nussinov(model) => {
            nussinov::solve(instance, model, method, options, &mut dispatch, monitor)
        }
        Model::Zuker(energies) => zuker::solve(instance, energies, options, &mut dispatch, monitor),
    });
    dispatch.finish(monitor, &mut report);
    let sense = instance.model().sense();
    match found {
        Err(error) if matches!(*error, Error::Stopped) => {
            let structure = Structure::new(instance.len(), Vec::new())?;
            let value = instance.evaluate(&structure)?;
            let certificate = Certificate::new(sense, value, value, None)?;
            Ok(certificate.outcome(Some(structure), report))
        }
        Err(error) => Err(error),
        Ok(Found { pairs, value }) => {
            report.statistics.add("relaxations", instance.relaxations());
            let structure = Structure::new(instance.len(), pairs)?;
            let certificate =
                Certificate::new(sense, value, instance.evaluate(&structure)?, Some(value))?;
            Ok(certificate.outcome(Some(structure), report))
        }
    }
}

/// The method to run, with `Auto` resolved.
fn method(options: &Options) -> Result<Method> {
    if !options.cells.is_empty() {
        return Err(Error::argument("cells", "are not for folding"));
    }
    match options.method {
        Method::Auto | Method::Cubic => Ok(Method::Cubic),
        Method::Serial => Ok(Method::Serial),
        other => Err(Error::unsupported(format!("the method {} for folding", other.name()))),
    }
}
