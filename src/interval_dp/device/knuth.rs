//! Knuth's bound on a device: one diagonal of tiles after the other, a work-item for each row of a
//! tile.

use super::check::{self, Check};
use super::kernels::{Cells, Layout, Table};
use super::{FAMILY, laid_out};
use crate::context::{Pacer, Units};
use crate::interval_dp::number::Value;
use crate::interval_dp::semiring::CellType;
use crate::interval_dp::values::Values;
use crate::interval_dp::view::Request;
use crate::opencl::{Buffer, Device, GroupArrays, Kernel, Tunable, kernel_arguments};
use crate::solve::Monitor;
use crate::{Context, Result};

/// The work-items share the splits of a cell that has more.
pub(super) const KNUTH_ALONE: Tunable =
    Tunable::power("KNUTH_ALONE: most splits of a cell that a work-item tries alone", (2, 1024));

kernel_arguments! {
    /// The tiles at a distance from the diagonal, from row `first` on.
    pub(super) struct Knuth<'a> = "interval_knuth" {
        table: Cells<'a>,
        distance: u32,
        first: u32,
        row_splits: &'a Buffer<u32>,
        column_splits: &'a Buffer<u32>,
        looked_at: &'a Buffer<u64>,
        group_arrays: GroupArrays,
    }
}

/// Solves an instance in the form of Knuth's bound, whose inequality holds. Returns the number of
/// splits tried, too.
pub(in crate::interval_dp) fn solve(
    checker: Option<&Context>,
    device: &Device,
    request: &Request<'_>,
    cell_type: CellType,
    monitor: &Monitor,
) -> Result<(Values<Value>, u64)> {
    let (tiling, instance) = laid_out(device, &request.view, cell_type)?;
    let table = Table::new(device, &*instance, Layout::Triangle(tiling), &FAMILY, monitor)?;
    let mut looked_at = 0;
    let values = check::filled(checker, &table, &*instance, request, |check| {
        let (pacer, tried) = fill(&table, tiling.tile, check)?;
        looked_at = tried;
        Ok(pacer)
    })?;
    Ok((values, looked_at))
}

/// Fills the table, and checks it meanwhile if wanted; returns the pacer, which knows the speed of
/// the fill, and the number of splits tried.
pub(super) fn fill<'a>(
    table: &'a Table<'_>,
    tile: usize,
    mut check: Option<&mut Check<'_>>,
) -> Result<(Pacer<'a>, u64)> {
    let (queue, side) = (&table.queue, table.points.div_ceil(tile));
    let kernel: Kernel<Knuth<'static>> = table.program.kernel()?;
    let none = vec![0u32; side * tile];
    let row_splits = table.device.buffer_from(queue, &none)?;
    let column_splits = table.device.buffer_from(queue, &none)?;
    let looked_at = table.device.buffer_from(queue, &vec![0u64; side * tile])?;
    let mut pacer = Pacer::new(queue, table.monitor, "knuth");
    let (tile_work, all) = ((tile * tile) as u64, (side * (side + 1) / 2) as f64);
    let group_arrays = GroupArrays::of([8 * tile, 8 * tile, 4 * tile, 8, 8 * tile, 4 * tile]);
    let mut done = 0;
    for distance in 0..side {
        let (mut first, tiles) = (0, side - distance);
        while first < tiles {
            let some = pacer.share(Units::of(tile_work), tiles - first);
            let arguments = Knuth {
                table: table.cells(),
                distance: distance as u32,
                first: first as u32,
                row_splits: &row_splits,
                column_splits: &column_splits,
                looked_at: &looked_at,
                group_arrays,
            };
            queue.launch(&kernel, &arguments, [some * tile], [tile])?;
            first += some;
            done += some;
            let solved = if first == tiles { distance + 1 } else { distance };
            let (work, fraction) = (some as u64 * tile_work, done as f64 / all);
            check::launched(&mut check, &mut pacer, work, fraction, solved * tile)?;
        }
    }
    let mut tried = vec![0u64; side * tile];
    queue.read(&looked_at, 0, &mut tried)?;
    // A faulty device may return any numbers.
    Ok((pacer, tried.into_iter().fold(0, u64::saturating_add)))
}
