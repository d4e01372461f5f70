//! Min-plus dynamic programming over a mixed-radix box with a list of offset vectors.
//!
//! A cell is a vector v with 0 <= v_i < size_i. Cell 0 costs 0. Every step adds one offset vector
//! and its cost; the value of a cell is the least cost of reaching it inside the box:
//!
//! ```text
//! value(0) = 0,   value(v) = min over offsets s <= v, s != 0, of value(v - s) + cost(s)
//! ```
//!
//! With machine configurations as offsets and every cost 1 this is the recurrence of the P||Cmax
//! scheme (Hochbaum and Shmoys 1987; Eq. 1 of Li, Ghalami, Schwiebert and Grosu 2018) and of
//! high-multiplicity bin packing. The source searches the table for v - s. Here the place of every
//! cell is plain arithmetic: mixed-radix numbers, row major, and each offset is a constant
//! distance.
//!
//! # Groups and slabs
//!
//! Let i be the first dimension with v_i > 0. The steps of a cheapest path to v sum to v and may be
//! taken in any order, since every partial sum stays inside the box. Some step has s_i > 0, and all
//! steps have 0 before i. So it is enough to look at the offsets whose first component above 0 is
//! the i-th, the *group* of i. This has two consequences. First, a cell looks at one group instead
//! of all offsets. The dimension with the smallest group comes first in the layout, because most
//! cells have a nonzero component there. Second, all cells of a *slab*, the cells with 0 before i
//! and a given v_i, are contiguous and independent of each other: they depend only on slabs of
//! smaller v_i. There are as many slabs as the source has anti-diagonal levels, but most cells are
//! in the last few.

mod batch;
mod cell;
mod configurations;
mod cost_model;
mod cpu;
mod device;
mod first_fit;
mod format;
mod instance;
mod options;
mod pack;
mod packing;
mod partition;
mod rows;
mod scales;
mod self_test;
mod solution;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod unit_steps;
mod windows;
mod workload;

pub use batch::solve_batch;
pub(crate) use configurations::configurations;
pub use format::Problem;
pub use instance::Instance;
pub(crate) use instance::count_cells;
pub use options::{Children, Launches, Options, Traversal};
pub use pack::{Recurrence, pack, pack_batch};
pub use packing::{Containers, Packing};
pub use partition::{DivisorRule, Partition};
pub(crate) use scales::SCALES;
pub use solution::Solution;

pub(crate) const KERNEL_FAMILIES: &[crate::opencl::TimedFamily] =
    &[device::BATCH, device::RESIDENT, device::SLABS, partition::TIMED, unit_steps::TIMED];

use crate::context::SpotChecks;
use crate::opencl::Usual;
use crate::solve::{
    Certificate, Monitor, Outcome, Report, Sense, SolveOptions, Statistics, unless_stopped,
};
use crate::{Context, Dispatch, Error, Forecast, Result, parallel};

/// Name of the cost model.
const MODEL: &str = "lattice";

/// The programs of tables, also of those that P||Cmax and cutting stock fill.
pub(crate) fn usual_programs() -> Vec<Usual> {
    let others = partition::usual_programs().chain(unit_steps::usual_programs());
    device::usual_programs().chain(others.map(Usual::by_name)).collect()
}

/// An engine's result: the last cell's value and the positions of the offsets on a path of this
/// cost.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Path {
    value: u16,
    pub(crate) steps: Vec<u32>,
}

/// Finds a cheapest path to the last cell of the box. Exact: without a limit the outcome is
/// [`Status::Optimal`](crate::Status::Optimal), or
/// [`Status::Infeasible`](crate::Status::Infeasible) if no path leads there. One unit of the
/// iteration limit is one table.
///
/// # Errors
/// [`Error::InvalidArgument`] for an impossible traversal; [`Error::OutOfMemory`] if the table
/// exceeds the memory limit or the device; [`Error::Unsupported`] if it is too large for the
/// traversal or for a persistent kernel; device errors with
/// [`Engine::Device`](crate::Engine::Device).
pub fn solve(
    context: &Context,
    instance: &Instance,
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Outcome<Solution>> {
    options.check_lattice()?;
    let monitor = context.watch(Sense::Minimise, solve_options)?;
    let mut dispatch = context.dispatch(solve_options.engine)?;
    let mut report = Report { method: options.traversal.name(), ..Report::default() };
    let result =
        solve_tables(&mut dispatch, &monitor, &[instance], options, &mut report.statistics);
    dispatch.finish(&monitor, &mut report);
    let path = unless_stopped(result)?.map(|paths| paths.into_iter().flatten().next());
    Ok(monitor.conclude(certify(instance, path, report)?))
}

/// The outcome of an instance: `None` if it was stopped, then `None` if no path leads to the last
/// cell.
fn certify(
    instance: &Instance,
    path: Option<Option<Path>>,
    report: Report,
) -> Result<Outcome<Solution>> {
    let certificate = match &path {
        None => Certificate::stopped(Sense::Minimise, None),
        Some(None) => Certificate::infeasible(Sense::Minimise),
        Some(Some(Path { value, steps })) => {
            let (value, cost) =
                (u64::from(*value), instance.path_cost(steps).map_err(Error::defect)?);
            Certificate::new(Sense::Minimise, value, cost, Some(value))?
        }
    };
    let solution = path.flatten().map(|Path { steps, .. }| Solution { steps });
    Ok(certificate.outcome(solution, report))
}

/// Fills the table and returns a cheapest path to its last cell, if there is one.
pub(crate) fn solve_table(
    dispatch: &mut Dispatch<'_>,
    monitor: &Monitor,
    instance: &Instance,
    statistics: &mut Statistics,
) -> Result<Option<Vec<u32>>> {
    let paths = solve_tables(dispatch, monitor, &[instance], &Options::default(), statistics)?;
    Ok(paths.into_iter().flatten().next().map(|path| path.steps))
}

/// Fills the tables by slabs, several at once on the CPU, and returns checked cheapest paths to
/// their last cells.
pub(crate) fn solve_tables(
    dispatch: &mut Dispatch<'_>,
    monitor: &Monitor,
    instances: &[&Instance],
    options: &Options,
    statistics: &mut Statistics,
) -> Result<Vec<Option<Path>>> {
    instances.iter().try_for_each(|_| monitor.begin_iteration())?;
    let paths = match options.traversal {
        // An empty batch needs no engine.
        _ if instances.is_empty() => Ok(Vec::new()),
        Traversal::Slabs => solve_by_slabs(dispatch, monitor, instances, options.launches),
        Traversal::Levels => {
            partition::solve_by_levels(dispatch, monitor, instances, options, statistics)
        }
        Traversal::Blocks => {
            partition::solve_by_blocks(dispatch, monitor, instances, options, statistics)
        }
    }?;
    statistics.add("tables", instances.len() as u64);
    statistics.add(
        "cells",
        instances.iter().map(|instance| instance.cells()).fold(0, u64::saturating_add),
    );
    check_paths(dispatch.context(), instances, &paths)?;
    Ok(paths)
}

fn solve_by_slabs(
    dispatch: &mut Dispatch<'_>,
    monitor: &Monitor,
    instances: &[&Instance],
    launches: Launches,
) -> Result<Vec<Option<Path>>> {
    let context = dispatch.context();
    let checks = device::Checks::new(SpotChecks::new());
    let team = context.team(monitor);
    let paths = dispatch.run_with(
        Some(&team),
        monitor,
        &Forecast {
            cpu: &|| {
                let processor = context.processor_speeds();
                cost_model::cpu_seconds(instances, context.threads(), &processor, monitor)
            },
            device: &|info, speeds| {
                cost_model::device_seconds(instances, info, speeds, &context.processor_speeds())
            },
            ..Forecast::of(MODEL)
        },
        |device| {
            let on = (&team, device);
            let paths = device::solve_with(context, on, instances, launches, &checks, monitor)?;
            check_paths(context, instances, &paths)?;
            Ok(paths)
        },
        |monitor| cpu::solve_all(context, instances, monitor),
    );
    dispatch.shared_with(team);
    paths
}

/// Re-checks a path against the instance.
fn check_path((instance, path): (&&Instance, &Option<Path>)) -> Result<()> {
    let Some(Path { value, steps }) = path else { return Ok(()) };
    let cost = instance.path_cost(steps).map_err(Error::defect)?;
    if cost != u64::from(*value) {
        return Err(Error::internal(format!("a lattice path costs {cost}, its cell {value}")));
    }
    Ok(())
}

fn check_paths(context: &Context, instances: &[&Instance], paths: &[Option<Path>]) -> Result<()> {
    if instances.len() < FEW_PATHS {
        return instances.iter().zip(paths).try_for_each(check_path);
    }
    let parts = instances.chunks(FEW_PATHS).zip(paths.chunks(FEW_PATHS));
    context.install(|| {
        parallel::try_for_each(parts, |(instances, paths)| {
            instances.iter().zip(paths).try_for_each(check_path)
        })
    })?
}

/// Checking this many paths takes less time than waking other threads.
const FEW_PATHS: usize = 256;

/// Solves tables side by side on the threads, or one after the other.
fn solve_each<T: Sync, R: Send>(
    context: &Context,
    tasks: &[T],
    side_by_side: bool,
    monitor: &Monitor,
    solve: impl Fn(&T) -> Result<R> + Send + Sync,
) -> Result<Vec<R>> {
    if tasks.len() < 2 || !side_by_side {
        return tasks.iter().map(solve).collect();
    }
    let all = || parallel::try_map(tasks.iter(), solve);
    context.install_reporting(monitor, "lattice", || None, all)?
}

/// Whether the tables fit into a memory of `bytes` bytes at once, and into the memory limit.
fn fit_together(instances: &[&Instance], bytes: u64, monitor: &Monitor) -> bool {
    let total =
        instances.iter().map(|instance| instance.table_bytes()).fold(0, u64::saturating_add);
    total <= bytes && monitor.has_memory(total.into())
}
