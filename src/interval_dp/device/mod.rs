//! The OpenCL engine: the triangle in tiles, one diagonal of tiles after the other. As soon as a
//! diagonal is solved, all products that it makes possible are added, also to tiles far ahead. So
//! the tiles of a diagonal have all their products when their turn comes, and the device stays busy
//! to the end.

mod check;
mod exchange;
mod fill;
pub(super) mod instance;
pub(super) mod kernels;
pub(super) mod knuth;
pub(super) mod mapping;
pub(super) mod pipeline;
pub(super) mod self_test;
pub(super) mod together;
mod traceback;
mod workload;

use std::sync::Arc;

use self::exchange::take_off_and_put_back;
use self::fill::{Fringe, Products, fill};
use self::instance::{DeviceInstance, device_instance};
#[cfg(test)]
use self::kernels::Terms;
use self::kernels::{CONSTANTS, Layout, Table, Tiling, build};
pub(crate) use self::workload::TIMED;
use crate::interval_dp::Instance;
use crate::interval_dp::number::Value;
use crate::interval_dp::semiring::CellType;
use crate::interval_dp::values::Values;
use crate::interval_dp::view::{Request, SplitCosts, View};
use crate::opencl::{
    Device, DeviceInfo, Failing, Kernel, KernelFamily, Program, Trial, Tunable, Usual, source,
};
use crate::solve::Monitor;
use crate::{Context, Error, Result};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "interval_dp",
    sources: &[
        source!("interval_dp.cl"),
        source!("interval_dp_tiles.cl"),
        source!("interval_dp_knuth.cl"),
    ],
    #[cfg(test)]
    kernels: crate::opencl::declared![
        fill::Diagonal,
        fill::Products,
        fill::Fringe,
        knuth::Knuth,
        exchange::Pack,
        exchange::Unpack,
        Terms,
        check::Part,
        traceback::Walk,
        traceback::Splits
    ],
    constants: CONSTANTS,
    tuning: &[
        Tunable::power("TILE: cells along the edge of a tile", (16, 128)),
        Tunable::power("BLOCK: cells along the edge of a work-item's block", (4, 8)),
        Tunable::power("PANEL: splits in local memory at a time, up to 32 bits", (8, 32)),
        Tunable::power("WIDE_PANEL: splits in local memory at a time, 64 bits", (8, 32)),
        Tunable::power(
            "EXPRESSION_TILE: cells along the edge of a tile with an expression",
            (16, 64),
        ),
        Tunable::power("COPY_GROUP: work-items of a group for copies", (16, 1024)),
        knuth::KNUTH_ALONE,
        traceback::SPLITS_GROUP,
        traceback::SPLITS_AT_ONCE,
        traceback::SPLITS_OF_LAUNCH,
        traceback::LAUNCHES,
        traceback::RUN_STEPS,
        traceback::LONG_RUN,
    ],
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
    self_test::compare_table(trial, &FAMILY, layout, &|table| {
        let pacer = fill(table, tiling, None)?;
        take_off_and_put_back(table, tiling.tile)?;
        Ok(pacer)
    })?;
    self_test::compare_knuth(trial, &FAMILY, layout, &|table| {
        Ok(knuth::fill(table, tiling.tile, None)?.0)
    })
}

impl Tiling {
    /// The tuned tiling, then smaller ones, as far as they fit a device's groups and local memory.
    /// A kernel may allow smaller groups than its device, see [`Tiling::suits`].
    pub(super) fn fitting(device: &Device, cell_type: CellType, expression: bool) -> Vec<Tiling> {
        let (info, tuned) = (device.info(), |name| device.tuned(&FAMILY, name));
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
        let all = [chosen].into_iter().chain(smaller.map(common));
        all.filter(|tiling| tiling.fits(info, cell_type)).collect()
    }

    /// Whether the device, by its description, allows the tiling's groups.
    fn fits(&self, info: &DeviceInfo, cell_type: CellType) -> bool {
        self.is_sound()
            && self.group().max(self.tile) <= info.max_work_group_size
            && self.local_bytes(cell_type) as u64 <= info.group_memory_bytes()
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
    fn local_bytes(&self, cell_type: CellType) -> usize {
        let bytes = cell_type.bytes().max(4);
        let products = 2 * self.panel * (2 * self.tile * bytes + 16);
        let fringe = 4 * self.tile * self.block * bytes;
        products.max(fringe)
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
    Err(no_tile(device))
}

fn no_tile(device: &Device) -> Box<Error> {
    let DeviceInfo { name, max_work_group_size, .. } = device.info();
    let bytes = device.info().group_memory_bytes();
    Error::device_failed(format!(
        "no tile of an interval program fits {name}, which has {bytes} bytes for each group and \
         groups of {max_work_group_size} work-items"
    ))
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
    check::filled(checker, &table, instance, request, |check| fill(&table, tiling, check))
}

#[cfg(test)]
mod tests;
