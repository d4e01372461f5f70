//! How long the engines take, to choose the engine and the number of dimensions to cut: formulas over
//! the measured facts of processor and device. The shape factors were fitted to an H200 and 16 cores
//! (Sapphire Rapids, AVX-512); see docs/src/benchmarks/results.md.

use super::diagonals::Diagonals;
use super::shape::Partition;
use super::{Order, table_bytes, work_per_cell};
use crate::ProcessorSpeeds;
use crate::lattice_dp::Launches;
use crate::lattice_dp::instance::Instance;
use crate::opencl::{DeviceInfo, DeviceSpeeds};

/// Add-min pairs of a core, one after the other, for a unit of work and for a block.
const WORK_PAIRS: f64 = 2.5;
const BLOCK_PAIRS: f64 = 75.0;
/// Waking and joining threads that have not fallen asleep, as a part of waking them.
const WAKE: f64 = 0.4;
/// Bytes of a device's global memory for a unit of work.
const WORK_BYTES: f64 = 20.0;
/// From one step to the next: launches of a queue, and barriers across all work-groups.
const STEP_LAUNCHES: f64 = 1.3;
const STEP_BARRIERS: f64 = 5.0;
/// Round trips of a table for buffers, transfers and the traceback.
const TABLE_TRIPS: f64 = 4.3;
/// Add-min pairs of a compute unit in the time that a work-group takes for a level of its block, if
/// the level has at most one cell for each work-item.
const LEVEL_PAIRS: f64 = 4.2e5;
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

    pub(super) fn cpu_seconds(&self, threads: usize, speeds: &ProcessorSpeeds) -> f64 {
        let (threads, wake) = (threads as f64, WAKE * speeds.wake_seconds);
        let cell = work_per_cell(self.instance) as f64 * WORK_PAIRS / speeds.core_serial_rate;
        let block = BLOCK_PAIRS / speeds.core_serial_rate;
        let (levels, task) = match self.order {
            Order::Levels => (&self.inside, cell),
            Order::Blocks => (&self.blocks, widths(&self.inside).sum::<f64>() * cell + block),
        };
        // The engine wakes the other threads only if that is faster.
        let level = |width: f64| (width * task).min((width / threads).ceil() * task + wake);
        widths(levels).map(level).sum()
    }

    pub(super) fn device_seconds(
        &self,
        device: &DeviceInfo,
        speeds: &DeviceSpeeds,
        launches: Launches,
    ) -> f64 {
        let (step, unit_blocks) = match (launches, speeds.barrier_seconds) {
            (Launches::Persistent, Some(barrier)) => {
                (STEP_BARRIERS * barrier, PERSISTENT_UNIT_BLOCKS)
            }
            _ => (STEP_LAUNCHES * speeds.launch_seconds, UNIT_BLOCKS),
        };
        let units = f64::from(device.compute_units);
        let work = self.instance.cells() as f64 * work_per_cell(self.instance) as f64;
        let throughput = work * WORK_BYTES / speeds.global_rate;
        let steps: f64 = match self.order {
            Order::Levels => widths(&self.inside).count() as f64 * step,
            Order::Blocks => {
                let seconds = LEVEL_PAIRS * units / speeds.add_min_rate;
                let level = |width: f64| (width / GROUP).ceil() * seconds;
                let block: f64 = widths(&self.inside).map(level).sum();
                widths(&self.blocks)
                    .map(|width| (width / (units * unit_blocks)).ceil() * block + step)
                    .sum()
            }
        };
        TABLE_TRIPS * speeds.round_trip_seconds + steps + throughput
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
