//! The data partitioning of Li, Ghalami, Schwiebert and Grosu 2018 (Algorithms 4 and 5), and the
//! order by levels that it improves on (Algorithm 2, from Ghalami and Grosu 2017).
//!
//! *By levels*: the cells whose components have the same sum are independent of each other, and one
//! level follows the other. *By blocks*: the box is cut into blocks of one shape. Blocks whose
//! coordinates have the same sum, a block level, are independent too, since v - s lies in a block
//! whose coordinates are all smaller or equal. The cells of a block are contiguous. On a device, a
//! work-group fills a block level by level, with a barrier after each level of the block. On the
//! CPU, a thread fills a block in row-major order.
//!
//! The source searches for the place of a sub-configuration; here it is arithmetic (`layout.rs`),
//! and so are the members of levels (`diagonals.rs`): no vector is stored. The source deals the
//! blocks of a block level to four streams; here they are one launch. As everywhere in the parent
//! module, a cell looks at the offsets of one group, not at all of them.

mod cpu;
mod device;
mod diagonals;
mod layout;
mod model;
mod plan;
mod self_test;
mod shape;
#[cfg(test)]
mod testing;
mod workload;

pub use shape::{DivisorRule, Partition};

pub(super) use self::device::usual_programs;
pub(crate) use self::workload::TIMED;

use self::diagonals::Diagonals;
use self::layout::Layout;
use self::model::{Estimate, Model};
use super::cell::Cell as _;
use super::device::{possible_launches, room_for_several};
use super::{Children, Instance, Launches, Options, Path, check_path, solve_each};
use crate::opencl::{Device, DeviceInfo, DeviceKind, DeviceSpeeds};
use crate::solve::{Monitor, Statistics};
use crate::{Context, Dispatch, Error, Forecast, Result};

/// Value of a cell that no sequence of steps reaches. This module's tables have 16-bit cells.
const UNREACHABLE: u16 = u16::UNREACHABLE;

/// The parts that are computed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// The cells of a level of the whole box.
    Levels,
    /// The blocks of a block level.
    Blocks,
}

/// How a table is filled. The CPU knows only the order.
#[derive(Debug, Clone, Copy)]
struct Way {
    order: Order,
    launches: Launches,
    children: Children,
}

impl Way {
    fn new(order: Order, options: &Options) -> Self {
        Way { order, launches: options.launches, children: options.children }
    }
}

/// Fills the tables level by level and returns the cheapest paths to their last cells.
pub(super) fn solve_by_levels(
    dispatch: &mut Dispatch<'_>,
    monitor: &Monitor,
    instances: &[&Instance],
    options: &Options,
    statistics: &mut Statistics,
) -> Result<Vec<Option<Path>>> {
    let whole: Vec<_> =
        instances.iter().map(|instance| vec![Partition::whole(&instance.sizes())]).collect();
    let levels = whole.iter().flatten().map(Partition::in_block_levels).sum();
    statistics.add("levels", levels);
    solve(dispatch, monitor, instances, Way::new(Order::Levels, options), &whole, statistics)
}

/// Fills the tables by blocks and returns the cheapest paths to their last cells. Without a number of
/// dimensions to cut and without parts, each table takes the number with the shortest estimated time
/// on the engine that runs.
pub(super) fn solve_by_blocks(
    dispatch: &mut Dispatch<'_>,
    monitor: &Monitor,
    instances: &[&Instance],
    options: &Options,
    statistics: &mut Statistics,
) -> Result<Vec<Option<Path>>> {
    let &Options { partition, divisors, .. } = options;
    let tried = partition.map_or(Partition::DIMENSIONS, |dimensions| dimensions..=dimensions);
    let partitions_of = |instance: &&Instance| {
        let sizes = instance.sizes();
        if let Some(parts) = &options.parts {
            return Ok(vec![Partition::into_parts(&sizes, parts)?]);
        }
        let cut = |dimensions| Partition::new(&sizes, dimensions, divisors);
        let mut partitions = tried.clone().map(cut).collect::<Result<Vec<_>>>()?;
        partitions.dedup();
        Ok(partitions)
    };
    let partitions = instances.iter().map(partitions_of).collect::<Result<Vec<_>>>()?;
    solve(dispatch, monitor, instances, Way::new(Order::Blocks, options), &partitions, statistics)
}

/// A table with the candidate partitions.
struct Task<'a> {
    instance: &'a Instance,
    models: Vec<Model<'a>>,
    /// The fastest partition on the CPU.
    on_cpu: Estimate<'a>,
}

/// The result of a task: the path and the partition used.
type Solved<'a> = (Option<Path>, &'a Partition);

fn solve(
    dispatch: &mut Dispatch<'_>,
    monitor: &Monitor,
    instances: &[&Instance],
    way: Way,
    partitions: &[Vec<Partition>],
    statistics: &mut Statistics,
) -> Result<Vec<Option<Path>>> {
    instances.iter().try_for_each(|instance| check_size(instance, monitor))?;
    let (context, order) = (dispatch.context(), way.order);
    let tasks: Vec<Task<'_>> = instances
        .iter()
        .zip(partitions)
        .map(|(instance, partitions)| Task::new(instance, partitions, order, context))
        .collect();
    let solved = dispatch.run(
        monitor,
        &Forecast {
            cpu: &|| tasks.iter().map(|task| task.on_cpu.seconds).sum(),
            device: &|info, speeds| {
                tasks.iter().map(|task| task.device_seconds(info, speeds)).sum()
            },
            ..Forecast::of("lattice-partition")
        },
        |device| {
            // The host's check has a copy of each table, a processor's device another one.
            let copies = if device.info().kind == DeviceKind::Cpu { 2 } else { 1 };
            let side_by_side = fit_into(&tasks, copies, room_for_several(device), monitor);
            solve_each(context, &tasks, side_by_side, monitor, |task| {
                task.solve_on_device(context, device, way, monitor)
            })
        },
        |monitor| solve_on_cpu(context, &tasks, order, monitor),
    )?;
    if order == Order::Blocks {
        for (_, partition) in &solved {
            statistics.add("block_levels", partition.block_levels());
            statistics.add("blocks", partition.blocks());
            context.log().info(|| format!("a lattice by {partition}"));
        }
    }
    Ok(solved.into_iter().map(|(path, _)| path).collect())
}

/// Whether the tables fit into a memory of `bytes` bytes at once, and some copies of them into the
/// memory limit.
fn fit_into(tasks: &[Task<'_>], copies: u128, bytes: u64, monitor: &Monitor) -> bool {
    let together: u128 = tasks.iter().map(|task| u128::from(table_bytes(task.instance))).sum();
    together <= bytes.into() && monitor.has_memory(copies * together)
}

/// Fills the tables on all threads, in parallel where the memory limit allows it.
fn solve_on_cpu<'a>(
    context: &Context,
    tasks: &[Task<'a>],
    order: Order,
    monitor: &Monitor,
) -> Result<Vec<Solved<'a>>> {
    let solve_one = |task: &Task<'a>| {
        let partition = task.on_cpu.partition;
        Ok((
            cpu::solve(context, &Layout::new(task.instance, partition), order, monitor)?,
            partition,
        ))
    };
    let side_by_side = context.threads() > 1 && fit_into(tasks, 1, u64::MAX, monitor);
    solve_each(context, tasks, side_by_side, monitor, solve_one)
}

impl<'a> Task<'a> {
    fn new(
        instance: &'a Instance,
        partitions: &'a [Partition],
        order: Order,
        context: &Context,
    ) -> Self {
        let models: Vec<Model<'a>> =
            partitions.iter().map(|partition| Model::new(instance, partition, order)).collect();
        let (threads, speeds) = (context.threads(), context.processor_speeds());
        let on_cpu = model::fastest(&models, |model| model.cpu_seconds(threads, &speeds));
        Task { instance, models, on_cpu }
    }

    fn device_seconds(&self, device: &DeviceInfo, speeds: &DeviceSpeeds) -> f64 {
        if !model::device_holds(self.instance, device) {
            return f64::INFINITY;
        }
        let seconds = |model: &Model<'a>| model.device_seconds(device, speeds, Launches::Stepwise);
        model::fastest(&self.models, seconds).seconds
    }

    fn solve_on_device(
        &self,
        context: &Context,
        device: &Device,
        way: Way,
        monitor: &Monitor,
    ) -> Result<Solved<'a>> {
        let instance = self.instance;
        let work = instance.cells().saturating_mul(work_per_cell(instance));
        let possible = possible_launches(device, way.launches, work, instance)?;
        let speeds = device.speeds();
        let estimates = possible.iter().map(|&launches| {
            let seconds =
                |model: &Model<'a>| model.device_seconds(device.info(), &speeds, launches);
            (model::fastest(&self.models, seconds), launches)
        });
        let shorter =
            |a: &(Estimate<'_>, _), b: &(Estimate<'_>, _)| a.0.seconds.total_cmp(&b.0.seconds);
        let (on_device, launches) = estimates.min_by(shorter).expect("some launches are possible");
        let layout = Layout::new(instance, on_device.partition);
        let path = device::solve(context, device, &layout, Way { launches, ..way }, monitor)?;
        check_path((&instance, &path))?;
        Ok((path, on_device.partition))
    }
}

/// Refuses tables that exceed the number types or the memory of this module's engines.
fn check_size(instance: &Instance, monitor: &Monitor) -> Result<()> {
    let cells = instance.cells();
    if cells >= layout::MOST_CELLS {
        return Err(Error::unsupported(format!("a lattice of {cells} cells by levels or blocks")));
    }
    // The levels of the box of blocks and of one block take no more.
    let required = 2 * Diagonals::bytes(&instance.sizes());
    monitor.check_memory(required, || format!("the levels of a lattice of {cells} cells"))
}

/// Bytes of a table.
fn table_bytes(instance: &Instance) -> u64 {
    // No overflow: fewer than 2^40 cells.
    instance.cells() * size_of::<u16>() as u64
}

/// Approximate look-ups for each cell, including the work to find its coordinates.
fn work_per_cell(instance: &Instance) -> u64 {
    instance.lookups() / instance.cells() + instance.dimensions().len() as u64 + 1
}
