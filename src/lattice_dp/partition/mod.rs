//! The data partitioning of Li, Ghalami, Schwiebert and Grosu 2018 (Algorithms 4 and 5), and the order by levels that
//! it improves on (Algorithm 2, from Ghalami and Grosu 2017).
//!
//! *By levels*: the cells whose components have the same sum are independent of each other, and levels follow each
//! other. *By blocks*: the box is cut into blocks of one shape. Blocks whose coordinates have the same sum, a block
//! level, are independent too, since v - s lies in a block of componentwise smaller or equal coordinates; the cells of a
//! block lie together. On a device a work-group fills a block by its own levels, with a barrier after each; on the CPU
//! a thread does. What the source searches for, the place of a sub-configuration, is arithmetic here
//! (`layout.rs`), and so are the members of levels (`diagonals.rs`): no vector is stored. The blocks of a block
//! level, which the source deals to four streams, are one launch. As everywhere in the parent module, a cell looks
//! at the offsets of one group, not at all of them.

mod cpu;
mod device;
mod diagonals;
mod layout;
mod model;
mod shape;
#[cfg(test)]
mod testing;

pub use shape::{DivisorRule, Partition};

use self::diagonals::Diagonals;
use self::layout::Layout;
use self::model::{Estimate, Model};
use super::cell::Cell as _;
use super::device::possible_launches;
use super::{Instance, Launches, Path};
use crate::solve::{Monitor, Statistics};
use crate::{Dispatch, Error, Result};

/// Value of a cell that no sequence of steps reaches. The tables of this module have cells of 16 bits.
const UNREACHABLE: u16 = u16::UNREACHABLE;

/// Which cells are computed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Those of a level of the whole box.
    Levels,
    /// The blocks of a block level.
    Blocks,
}

/// Fills the table level by level and returns the cheapest path to its last cell.
pub(super) fn solve_by_levels(
    dispatch: &mut Dispatch<'_>,
    monitor: &Monitor,
    instance: &Instance,
    launches: Launches,
    statistics: &mut Statistics,
) -> Result<Option<Path>> {
    let whole = Partition::whole(&instance.sizes());
    statistics.add("levels", whole.in_block_levels());
    solve(dispatch, monitor, instance, (Order::Levels, launches), &[whole], statistics)
}

/// Fills the table by blocks and returns the cheapest path to its last cell. So many dimensions are cut, or as many
/// as promise the shortest time on the engine that runs.
pub(super) fn solve_by_blocks(
    dispatch: &mut Dispatch<'_>,
    monitor: &Monitor,
    instance: &Instance,
    (dimensions, rule): (Option<usize>, DivisorRule),
    launches: Launches,
    statistics: &mut Statistics,
) -> Result<Option<Path>> {
    let sizes = instance.sizes();
    let tried = dimensions.map_or(Partition::DIMENSIONS, |dimensions| dimensions..=dimensions);
    let mut partitions =
        tried.map(|dimensions| Partition::new(&sizes, dimensions, rule)).collect::<Result<Vec<_>>>()?;
    partitions.dedup();
    solve(dispatch, monitor, instance, (Order::Blocks, launches), &partitions, statistics)
}

fn solve(
    dispatch: &mut Dispatch<'_>,
    monitor: &Monitor,
    instance: &Instance,
    (order, launches): (Order, Launches),
    partitions: &[Partition],
    statistics: &mut Statistics,
) -> Result<Option<Path>> {
    check_size(instance, monitor)?;
    let context = dispatch.context();
    let threads = context.threads();
    let models: Vec<Model<'_>> =
        partitions.iter().map(|partition| Model::new(instance, partition, order)).collect();
    let on_cpu = model::fastest(&models, |model| model.cpu_seconds(threads));
    let (path, partition) = dispatch.run(
        dispatch.is_promising(|| on_cpu.seconds),
        |device| {
            let on_device = model::fastest(&models, |model| model.device_seconds(device, Launches::Stepwise));
            model::device_holds(instance, device) && on_device.seconds < on_cpu.seconds
        },
        |device| {
            let work = instance.cells().saturating_mul(work_per_cell(instance));
            let possible = possible_launches(device, launches, work, instance)?;
            let estimates = possible.iter().map(|&launches| {
                let seconds = |model: &Model<'_>| model.device_seconds(device.info(), launches);
                (model::fastest(&models, seconds), launches)
            });
            let shorter = |a: &(Estimate<'_>, _), b: &(Estimate<'_>, _)| a.0.seconds.total_cmp(&b.0.seconds);
            let (on_device, launches) = estimates.min_by(shorter).expect("some launches are possible");
            let layout = Layout::new(instance, on_device.partition);
            Ok((device::solve(device, &layout, order, launches, monitor)?, on_device.partition))
        },
        || {
            let partition = on_cpu.partition;
            Ok((cpu::solve(context, &Layout::new(instance, partition), order, monitor)?, partition))
        },
    )?;
    if order == Order::Blocks {
        statistics.add("block_levels", partition.block_levels());
        statistics.add("blocks", partition.blocks());
        context.log().info(|| format!("a lattice by {partition}"));
    }
    Ok(path)
}

/// Refuses what the engines of this module can't hold.
fn check_size(instance: &Instance, monitor: &Monitor) -> Result<()> {
    let cells = instance.cells();
    if cells >= layout::MOST_CELLS {
        return Err(Error::Unsupported(format!("a lattice of {cells} cells by levels or blocks")));
    }
    // Those of the box of blocks and of a block are no more.
    let required = 2 * Diagonals::bytes(&instance.sizes());
    if !monitor.has_memory(required) {
        let limit = monitor.memory_bytes();
        let what = format!("the levels of a lattice of {cells} cells");
        return Err(Error::OutOfMemory { what, required, limit });
    }
    Ok(())
}

/// Bytes of a table.
fn table_bytes(instance: &Instance) -> u64 {
    // Below 2^40 cells.
    instance.cells() * size_of::<u16>() as u64
}

/// About how many look-ups a cell takes, those that find its coordinates included.
fn work_per_cell(instance: &Instance) -> u64 {
    instance.lookups() / instance.cells() + instance.dimensions().len() as u64 + 1
}
