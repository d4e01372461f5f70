//! Interval dynamic programming, also called non-serial polyadic: optimal orders of matrix chains,
//! optimal search trees, polygon triangulations, and any recurrence of their form over several
//! semirings.
//!
//! Cell (i, j) of the table combines cells (i, k) and (k, j) with the best k in between; see
//! [`Instance`]. That takes n^3 / 6 steps for n points. All but a thin fringe of these steps are
//! (min,+) matrix products, and this module runs them at the rate of such a product:
//!
//! - *Tiles* (`cubic`): the triangle in square tiles. Two finished tiles contribute a
//!   register-blocked matrix product to a third. The remaining steps are the fringe, whose cells
//!   depend on cells of the same tile. No splits are stored: the traceback finds them again along
//!   the optimal path.
//! - The *mappings* of Diwan and Tembhurne (2019), one kernel launch for each diagonal, for
//!   comparison and study: see [`Mapping`].
//! - [RNA folding](folding), whose cells have candidates of their own in addition to their splits.
//! - Better algorithms for special structures: Hu and Shing's for matrix chains, O(n log n);
//!   Knuth's bound for search trees and other costs with the quadrangle inequality, O(n^2).

mod batch;
mod blocks;
mod by_cell;
mod cell_instance;
mod cost_model;
mod cpu;
mod device;
mod enclosing;
pub mod folding;
mod format;
mod hu_shing;
mod instance;
mod knuth;
mod lanes;
mod magnitude;
mod number;
mod options;
mod pipeline;
mod scales;
mod schedule;
mod semiring;
mod serial;
mod solution;
mod solver;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tiles;
mod traceback;
mod tree;
mod values;
mod view;

pub use batch::solve_batch;
pub(crate) use batch::solve_batch_watched;
pub use device::mapping::{Mapping, MappingOptions};
pub use format::{AnyInstance, DEFAULT_LARGEST};
pub use instance::{CellCost, Expression, Instance, Kind, SplitCost};
pub use number::{Number, SplitFunction};
pub use options::{Method, Options};
pub(crate) use scales::SCALES;
pub use semiring::{CellType, Semiring};
pub use solution::Solution;
pub use tree::{Node, Tree};

pub(crate) const KERNEL_FAMILIES: &[TimedFamily] = &[
    batch::TIMED,
    device::TIMED,
    TimedFamily::untimed(&device::mapping::FAMILY),
    TimedFamily::untimed(&folding::FAMILY),
];

use self::solver::{Solver, broken_promise};
use crate::opencl::{TimedFamily, Usual};
use crate::solve::{Engine, Monitor, Outcome, Report, SolveOptions};
use crate::{Context, Error, Result};

/// The programs of chains, search trees and polygons of whole numbers.
pub(crate) fn usual_programs() -> Vec<Usual> {
    let mapping = device::mapping::usual_programs();
    let by_name = folding::usual_programs().chain(mapping).map(Usual::by_name);
    device::usual_programs().chain(batch::usual_programs()).chain(by_name).collect()
}

/// Finds the value of the last cell, with its tree. The statistic `relaxations` counts the splits
/// tried.
///
/// Whole numbers are solved exactly: the outcome is [`Status::Optimal`](crate::Status::Optimal)
/// unless a limit ends the solve. If a limit ends it, the outcome is
/// [`Status::Feasible`](crate::Status::Feasible) with a balanced tree and no bound. It is
/// [`Status::Stopped`](crate::Status::Stopped) if the semiring has no tree, if the CPU can't
/// compute the value of a tree, or if cells are requested.
///
/// Real numbers are rounded. The objective is that of the tree, computed again. The bound allows
/// for all roundings and for numbers too small for the cells, so the status is
/// [`Status::Feasible`](crate::Status::Feasible) unless objective and bound are equal. The same
/// holds for whole numbers if [`Options::cell_type`] is not exact for them, and for whole doubles
/// whose sums may exceed 2^53.
///
/// Results are the same for every engine and number of threads, except those of
/// [`Semiring::PlusTimes`] on real numbers and of split costs whose function and expression differ.
/// May be called on several threads at once.
///
/// # Errors
/// [`Error::InvalidArgument`] for cells out of range, for a type of cell that cannot hold the
/// values and for an [`Expression`] that breaks its promises; [`Error::Overflow`] if no type is
/// known to hold the values of whole numbers; [`Error::Unsupported`] if no type is known to hold
/// those of real numbers, for a method that does not apply to the instance, and with
/// [`Engine::Device`] for one without kernels; [`Error::OutOfMemory`] if the table exceeds the memory
/// limit or the device; device errors with [`Engine::Device`].
pub fn solve<V: Number>(
    context: &Context,
    instance: &Instance<V>,
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Outcome<Solution<V>, V>> {
    let monitor = context.watch(instance.semiring().sense(), solve_options)?;
    Ok(monitor.conclude(solve_watched(context, instance, options, solve_options.engine, &monitor)?))
}

/// Like [`solve`], under the given monitor.
fn solve_watched<V: Number>(
    context: &Context,
    instance: &Instance<V>,
    options: &Options,
    engine: Option<Engine>,
    monitor: &Monitor,
) -> Result<Outcome<Solution<V>, V>> {
    check_cells(&options.cells, instance.points())?;
    crate::options::check(options, options.method.name())?;
    let mut dispatch = context.dispatch(engine)?;
    options.method.check_engine(&dispatch)?;
    let mut solver = Solver::new(instance, options, monitor);
    let mut report = Report { method: options.method.name(), ..Report::default() };
    let result = solver.method().and_then(|method| {
        report.method = method.name();
        monitor.begin_iteration()?;
        solver.run(method, &mut dispatch)
    });
    report.method = solver.instead.map_or(report.method, Method::name);
    report.statistics = std::mem::take(&mut solver.statistics);
    dispatch.finish(monitor, &mut report);
    match result {
        Err(error) if matches!(*error, Error::Stopped) => solver.opening(report),
        Err(error) => Err(broken_promise(instance, *error)),
        Ok(found) => {
            solver.certify(found, report).map_err(|error| broken_promise(instance, *error))
        }
    }
}

fn check_cells(cells: &[(usize, usize)], points: usize) -> Result<()> {
    let is_missing = |&(i, j): &(usize, usize)| i >= j || j >= points;
    match cells.iter().position(is_missing) {
        Some(index) => {
            let (i, j) = cells[index];
            let reason = format!("there is no cell ({i}, {j}): it needs {i} < {j} < {points}");
            Err(Error::element("cells", index, reason))
        }
        None => Ok(()),
    }
}
