//! Estimated times of the engines, to choose the engine and the number of dimensions to cut. The
//! figures are measured; see docs/src/benchmarks/results.md.

use super::diagonals::Diagonals;
use super::shape::Partition;
use super::{Order, table_bytes, work_per_cell};
use crate::lattice_dp::Launches;
use crate::lattice_dp::instance::Instance;
use crate::opencl::DeviceInfo;

/// Work per second of one CPU core and of a compute unit of a graphics card.
const CORE_WORK: f64 = 5e8;
const UNIT_WORK: f64 = 1.5e9;
/// Fixed seconds of a block, and seconds to wake and join the threads.
const BLOCK: f64 = 6e-8;
const WAKE: f64 = 4e-5;
/// On a graphics card: seconds from launch to launch, seconds from step to step of a persistent
/// kernel, and fixed seconds of a table for buffers, transfers and the traceback.
const LAUNCH: f64 = 8e-6;
const PERSISTENT_STEP: f64 = 5e-6;
const DEVICE_FIXED: f64 = 5e-5;
/// Seconds that a work-group takes for a level of its block that has at most one cell for each
/// work-item.
const BLOCK_LEVEL: f64 = 3.5e-6;
/// Work-items that fill a block, and blocks in flight on a compute unit by launches and by a
/// persistent kernel.
const GROUP: f64 = 128.0;
const UNIT_BLOCKS: f64 = 8.0;
const PERSISTENT_UNIT_BLOCKS: f64 = 4.0;

/// One way to fill a table, with its estimated time.
pub(super) struct Model<'a> {
    instance: &'a Instance,
    partition: &'a Partition,
    order: Order,
    blocks: Diagonals,
    inside: Diagonals,
}

impl<'a> Model<'a> {
    pub(super) fn new(instance: &'a Instance, partition: &'a Partition, order: Order) -> Self {
        let (blocks, inside) =
            (Diagonals::new(partition.parts()), Diagonals::new(&partition.block()));
        Model { instance, partition, order, blocks, inside }
    }

    pub(super) fn cpu_seconds(&self, threads: usize) -> f64 {
        let threads = threads as f64;
        let cell = work_per_cell(self.instance) as f64 / CORE_WORK;
        let (levels, task) = match self.order {
            Order::Levels => (&self.inside, cell),
            Order::Blocks => (&self.blocks, widths(&self.inside).sum::<f64>() * cell + BLOCK),
        };
        // The engine wakes the other threads only if that is faster.
        let level = |width: f64| (width * task).min((width / threads).ceil() * task + WAKE);
        widths(levels).map(level).sum()
    }

    pub(super) fn device_seconds(&self, device: &DeviceInfo, launches: Launches) -> f64 {
        let (step, unit_blocks) = match launches {
            Launches::Persistent => (PERSISTENT_STEP, PERSISTENT_UNIT_BLOCKS),
            _ => (LAUNCH, UNIT_BLOCKS),
        };
        let units = f64::from(device.compute_units);
        let work = work_per_cell(self.instance) as f64 / UNIT_WORK;
        let throughput = self.instance.cells() as f64 * work / units;
        let steps: f64 = match self.order {
            Order::Levels => widths(&self.inside).count() as f64 * step,
            Order::Blocks => {
                let level = |width: f64| (width / GROUP).ceil() * BLOCK_LEVEL;
                let block: f64 = widths(&self.inside).map(level).sum();
                widths(&self.blocks)
                    .map(|width| (width / (units * unit_blocks)).ceil() * block + step)
                    .sum()
            }
        };
        DEVICE_FIXED + steps + throughput
    }
}

/// A partition with its estimate.
pub(super) struct Estimate<'a> {
    pub(super) partition: &'a Partition,
    pub(super) seconds: f64,
}

/// The first model with the shortest estimate; there is at least one model.
pub(super) fn fastest<'a>(
    models: &[Model<'a>],
    seconds: impl Fn(&Model<'a>) -> f64,
) -> Estimate<'a> {
    let estimates =
        models.iter().map(|model| Estimate { partition: model.partition, seconds: seconds(model) });
    let shorter = |a: &Estimate<'_>, b: &Estimate<'_>| a.seconds.total_cmp(&b.seconds);
    estimates.min_by(shorter).expect("there is a model")
}

fn widths(diagonals: &Diagonals) -> impl Iterator<Item = f64> {
    (0..diagonals.levels()).map(|level| diagonals.width(level).into())
}

/// Whether the device can hold the table.
pub(super) fn device_holds(instance: &Instance, device: &DeviceInfo) -> bool {
    table_bytes(instance) <= device.max_allocation_bytes
}
