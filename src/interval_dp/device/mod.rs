//! The OpenCL engine: the triangle in tiles, one diagonal of tiles after the other. As soon as a
//! diagonal is solved, all products that it makes possible are added, also to tiles far ahead. So
//! the tiles of a diagonal have all their products when their turn comes, and the device stays busy
//! to the end.

mod check;
pub(super) mod instance;
pub(super) mod kernels;
pub(super) mod mapping;
pub(super) mod pipeline;
pub(super) mod self_test;
mod traceback;
mod workload;

use std::sync::Arc;

use self::check::Check;
use self::instance::{DeviceInstance, device_instance};
#[cfg(test)]
use self::kernels::Terms;
use self::kernels::{CONSTANTS, Cells, Layout, Lists, Table, Tiling, build};
use crate::context::{Pacer, Units};
use crate::interval_dp::Instance;
use crate::interval_dp::number::Value;
use crate::interval_dp::semiring::CellType;
use crate::interval_dp::values::Values;
use crate::interval_dp::view::{Request, SplitCosts, View};
use crate::opencl::{
    Buffer, Device, DeviceInfo, Failing, Kernel, KernelFamily, Program, Trial, Tunable, Usual,
    kernel_arguments, source,
};
use crate::solve::Monitor;
use crate::{Context, Error, Result};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "interval_dp",
    sources: &[source!("interval_dp.cl"), source!("interval_dp_tiles.cl")],
    #[cfg(test)]
    kernels: crate::opencl::declared![
        Diagonal,
        Products,
        Fringe,
        Terms,
        check::Part,
        traceback::Walk,
        traceback::Splits
    ],
    constants: CONSTANTS,
    tuning: &[
        Tunable::power("TILE", (16, 128), "cells along the edge of a tile"),
        Tunable::power("BLOCK", (4, 8), "cells along the edge of a work-item's block"),
        Tunable::power("PANEL", (8, 32), "splits in local memory at a time, up to 32 bits"),
        Tunable::power("WIDE_PANEL", (8, 32), "splits in local memory at a time, 64 bits"),
        Tunable::power(
            "EXPRESSION_TILE",
            (16, 64),
            "cells along the edge of a tile with an expression",
        ),
    ],
    workloads: workload::WORKLOADS,
    self_test: compare,
};

/// The programs of the usual problems for whole numbers of 32 and of 64 bits.
pub(super) fn usual_programs() -> impl Iterator<Item = Usual> {
    usual_forms().map(|(instance, cell_type)| {
        Usual::new(FAMILY.name, move |device| {
            laid_out(device, &View::of(&instance()?), cell_type).map(drop)
        })
    })
}

type MakeInstance = fn() -> Result<Instance<i64>>;

/// Small instances of the usual problems, with the usual types of their cells.
pub(super) fn usual_forms() -> impl Iterator<Item = (MakeInstance, CellType)> {
    let makers: [MakeInstance; 3] = [
        || Instance::matrix_chain(vec![1; 4]),
        || Instance::search_tree(&[1; 3], &[1; 4]),
        || Instance::triangulation_by_weights(vec![1; 4]),
    ];
    let types = [CellType::I32, CellType::I64];
    makers.into_iter().flat_map(move |maker| types.map(|cell_type| (maker, cell_type)))
}

/// A table in the tiles that the program is for, unless its kernels do not allow their groups: then
/// smaller tiles take their place.
fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
    let define = |name| trial.define(name).unwrap_or(1) as usize;
    let tiling = Tiling { tile: define("TILE"), block: define("BLOCK"), panel: define("PANEL") };
    if !tiling.suits(trial.program())? {
        return Ok(());
    }
    let layout = Layout::Triangle(tiling);
    self_test::compare_table(trial, &FAMILY, layout, |table| fill(table, tiling, None))
}

kernel_arguments! {
    /// The tiles on the diagonal from `first` on.
    struct Diagonal<'a> = "interval_diagonal" {
        table: Cells<'a>,
        first: u32,
    }

    /// The products of the `latest` diagonal of tiles, for those at some distances from row `first`
    /// on.
    struct Products<'a> = "interval_products" {
        cells: &'a Buffer<u8> as VALUE,
        lists: Lists<'a>,
        latest: u32,
        distance_first: u32,
        first: u32,
        tiles: u32,
    }

    /// The tiles at a distance from the diagonal, from row `first` on, which have all other products.
    struct Fringe<'a> = "interval_fringe" {
        table: Cells<'a>,
        distance: u32,
        first: u32,
    }
}

impl Tiling {
    /// The tuned tiling, then smaller ones, as far as they fit a device's groups and local memory.
    /// A kernel may allow smaller groups than its device, see [`Tiling::suits`].
    pub(super) fn fitting(device: &Device, cell_type: CellType, expression: bool) -> Vec<Tiling> {
        let info = device.info();
        let tuning = device.tuning_of(&FAMILY);
        let tuned = |name| tuning[name] as usize;
        let common = |tile| Tiling { tile, block: 4, panel: 8 };
        let chosen = match expression {
            // An expression takes registers.
            true => common(tuned("EXPRESSION_TILE")),
            false => {
                let panel = if cell_type.bytes() == 8 { "WIDE_PANEL" } else { "PANEL" };
                Tiling { tile: tuned("TILE"), block: tuned("BLOCK"), panel: tuned(panel) }
            }
        };
        // Of the same size, the common tile may fit where the tuned one does not.
        let smaller = [64, 32, 16].into_iter().filter(|&tile| tile <= chosen.tile);
        let fits = |tiling: &Tiling| {
            tiling.is_sound()
                && tiling.group() <= info.max_work_group_size
                && tiling.local_bytes(cell_type) <= info.local_memory_bytes
        };
        [chosen].into_iter().chain(smaller.map(common)).filter(fits).collect()
    }

    /// Whether each work-item loads the same number of words of a panel, two cells or one for each,
    /// and a tile has whole panels.
    fn is_sound(&self) -> bool {
        self.tile * self.panel >= 2 * self.group() && self.panel <= self.tile
    }

    /// Whether the kernels of a program for this tiling allow its groups.
    fn suits(&self, program: &Arc<Program>) -> Result<bool> {
        let products: Kernel<Products<'static>> = program.kernel()?;
        let fringe: Kernel<Fringe<'static>> = program.kernel()?;
        Ok(self.group() <= products.max_work_group_size().min(fringe.max_work_group_size()))
    }

    /// Most local memory of a kernel. Words have up to eight bytes.
    fn local_bytes(&self, cell_type: CellType) -> u64 {
        let bytes = cell_type.bytes().max(4);
        let products = 2 * self.panel * (2 * self.tile * bytes + 16);
        let fringe = 4 * self.tile * self.block * bytes;
        products.max(fringe) as u64
    }

    /// Work-items of a group that works on a tile.
    fn group(&self) -> usize {
        (self.tile / self.block).pow(2)
    }
}

/// Solves the instance in cells of the given type. If `checker` is given, some cells are computed
/// again.
pub(super) fn solve(
    checker: Option<&Context>,
    device: &Device,
    request: &Request<'_>,
    cell_type: CellType,
    monitor: &Monitor,
) -> Result<Values<Value>> {
    let (tiling, instance) = laid_out(device, &request.view, cell_type)?;
    solve_tiled(checker, device, request, &*instance, tiling, monitor)
}

/// The instance in the largest tiles that the device and its kernels allow.
pub(super) fn laid_out<'a>(
    device: &Device,
    view: &View<'a>,
    cell_type: CellType,
) -> Result<(Tiling, Box<dyn DeviceInstance + 'a>)> {
    let expression = matches!(view.split_costs, SplitCosts::Expression { .. });
    for tiling in Tiling::fitting(device, cell_type, expression) {
        let instance = device_instance(view, cell_type, tiling.tile)?;
        let program = build(device, &instance.form(), Layout::Triangle(tiling), &FAMILY)?;
        if tiling.suits(&program)? {
            return Ok((tiling, instance));
        }
    }
    let DeviceInfo { name, local_memory_bytes, max_work_group_size, .. } = device.info();
    Err(Error::device_failed(format!(
        "no tile of an interval program fits {name}, which has {local_memory_bytes} bytes of \
         local memory and groups of {max_work_group_size} work-items"
    )))
}

/// Solves an instance that is laid out for the given tiling.
fn solve_tiled(
    checker: Option<&Context>,
    device: &Device,
    request: &Request<'_>,
    instance: &dyn DeviceInstance,
    tiling: Tiling,
    monitor: &Monitor,
) -> Result<Values<Value>> {
    let table = Table::new(device, instance, Layout::Triangle(tiling), &FAMILY, monitor)?;
    let mut check = checker.map(|context| Check::new(&table, context, instance)).transpose()?;
    let pacer = fill(&table, tiling, check.as_mut())?;
    check.map_or(Ok(()), Check::finish)?;
    table.values(request, pacer)
}

/// Fills the table, and checks it meanwhile if wanted; returns the pacer, which knows the speed of
/// the fill.
fn fill<'a>(
    table: &'a Table<'_>,
    tiling: Tiling,
    mut check: Option<&mut Check<'_>>,
) -> Result<Pacer<'a>> {
    let (side, group) = (table.points.div_ceil(tiling.tile), tiling.group());
    let mut pacer = Pacer::new(&table.queue, table.monitor, "interval");
    let tile_work = (tiling.tile as u64).pow(3);
    let all = side as f64 * (side as f64 + 1.0) * (side as f64 + 2.0) / 6.0;
    let mut done = side as f64;

    let diagonal: Kernel<Diagonal<'static>> = table.program.kernel()?;
    let items = tiling.tile.min(diagonal.max_work_group_size());
    pacer.launch(0..side, Units::of(tile_work / 6), &mut |tiles| {
        let arguments = Diagonal { table: table.cells(), first: tiles.start as u32 };
        table.queue.launch(&diagonal, &arguments, [tiles.len() * items], [items])?;
        Ok(None)
    })?;

    let (fringe, products) = (table.program.kernel()?, table.program.kernel()?);
    for latest in 1..side {
        let tiles = side - latest;
        let span = (latest + 1) * tiling.tile;
        let mut first = 0;
        while first < tiles {
            let some = pacer.share(Units::of(tile_work), tiles - first);
            let (distance, row) = (latest as u32, first as u32);
            let arguments = Fringe { table: table.cells(), distance, first: row };
            table.queue.launch(&fringe, &arguments, [some * group], [group])?;
            first += some;
            done += some as f64;
            let ready = if first == tiles { span } else { span - tiling.tile };
            check::launched(&mut check, &mut pacer, some as u64 * tile_work, done / all, ready)?;
        }
        let mut distance = latest + 1;
        let end = (2 * latest + 1).min(side);
        while distance < end {
            let rows = tiles - 1;
            let room = pacer.room() / (rows as u64 * 2 * tile_work);
            let count = (room as usize).clamp(1, end - distance);
            let row_work = count as u64 * 2 * tile_work;
            let mut first = 0;
            while first < rows {
                let some = pacer.share(Units::of(row_work), rows - first);
                let arguments = Products {
                    cells: table.cells().cells,
                    lists: table.lists(),
                    latest: latest as u32,
                    distance_first: distance as u32,
                    first: first as u32,
                    tiles: side as u32,
                };
                table.queue.launch(&products, &arguments, [some * group, count], [group, 1])?;
                first += some;
                done += 2.0 * (some * count) as f64;
                let (work, fraction) = (some as u64 * row_work, (done / all).min(1.0));
                check::launched(&mut check, &mut pacer, work, fraction, span)?;
            }
            distance += count;
        }
    }
    Ok(pacer)
}

#[cfg(test)]
mod tests;
