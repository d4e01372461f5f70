//! Estimates whether the device is faster than the CPU. The figures are measured; see
//! docs/src/benchmarks/results.md.

use super::instance::Instance;
use super::number::Number;
use super::semiring::CellType;
use crate::opencl::DeviceInfo;

/// Relaxations per second of one CPU core in 32-bit cells; half as many in 64-bit ones.
const CORE_RATE: f64 = 12e9;
/// Relaxations per second if the CPU calls a function for each.
const FUNCTION_RATE: f64 = 1e8;
/// Relaxations per second of one compute unit of a graphics card, in 32-bit and in 64-bit cells.
const UNIT_RATE: f64 = 50e9;
const WIDE_UNIT_RATE: f64 = 12e9;
/// Seconds from one diagonal of tiles to the next on a graphics card.
const DIAGONAL: f64 = 2e-4;
/// Cells along the edge of a tile.
const TILE: f64 = 128.0;

/// Relaxations per second of one CPU core in tables of a single tile, and fixed seconds of each
/// table.
const SMALL_RATE: f64 = 3e9;
const SMALL_TABLE: f64 = 2e-5;
/// Fixed seconds of a launch of small tables and of each table, mostly on the host.
const SMALL_LAUNCH: f64 = 1e-3;
const SMALL_TABLE_ON_DEVICE: f64 = 3e-6;

/// Expected seconds of a device for the small tables.
pub(super) fn batch_device_seconds(tables: usize) -> f64 {
    SMALL_LAUNCH + tables as f64 * SMALL_TABLE_ON_DEVICE
}

/// Expected seconds of `threads` CPU threads for the small tables.
pub(super) fn batch_cpu_seconds(tables: usize, relaxations: u64, threads: usize) -> f64 {
    (tables as f64 * SMALL_TABLE + relaxations as f64 / SMALL_RATE) / threads as f64
}

fn runs_on_devices<V: Number>(instance: &Instance<V>) -> bool {
    instance.expression().is_none_or(|expression| expression.source.is_some())
}

/// Expected seconds of `threads` CPU threads for the table.
pub(super) fn cpu_seconds<V: Number>(
    instance: &Instance<V>,
    cell_type: CellType,
    threads: usize,
) -> f64 {
    let rate = match (instance.expression().is_some(), cell_type.bytes()) {
        (true, _) => FUNCTION_RATE,
        (false, 8) => CORE_RATE / 2.0,
        (false, _) => CORE_RATE,
    };
    instance.relaxations() as f64 / (rate * threads as f64)
}

/// Expected seconds of a device for the table; infinite if it can't fill or hold it.
pub(super) fn device_seconds<V: Number>(
    instance: &Instance<V>,
    cell_type: CellType,
    device: &DeviceInfo,
) -> f64 {
    let bytes = (instance.points() as f64 + TILE).powi(2) / 2.0 * cell_type.bytes() as f64;
    if !runs_on_devices(instance) || bytes > device.max_allocation_bytes as f64 {
        return f64::INFINITY;
    }
    let rate = if cell_type.bytes() == 8 { WIDE_UNIT_RATE } else { UNIT_RATE };
    instance.points() as f64 / TILE * DIAGONAL
        + instance.relaxations() as f64 / (rate * f64::from(device.compute_units))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_takes_time_by_its_relaxations() {
        let seconds = |len: usize| {
            let chain = Instance::matrix_chain(vec![3i64; len]).unwrap();
            cpu_seconds(&chain, CellType::I32, 2)
        };
        assert!(seconds(1000) < 0.05);
        assert!(seconds(5000) > 0.5);
    }
}
