//! How long the engines take: formulas over the measured facts of processor and device. The shape
//! factors were fitted to an H200 and 16 cores (Sapphire Rapids, AVX-512); see
//! docs/src/benchmarks/results.md.

use super::instance::Instance;
use super::number::Number;
use super::semiring::CellType;
use super::tiles;
use crate::ProcessorSpeeds;
use crate::opencl::{DeviceInfo, DeviceSpeeds};

/// Relaxations in tiles for each add-min pair of a core, in 32-bit cells; half as many in 64-bit
/// ones.
const CORE_SHARE: f64 = 0.4;
/// Relaxations for each add-min pair, one after the other, if the CPU calls a function for each.
const FUNCTION_SHARE: f64 = 0.08;
/// Add-min pairs, one after the other, for a cell by Knuth's bound.
const KNUTH_PAIRS: f64 = 13.0;
/// Relaxations for each add-min pair of a device, in 32-bit and in 64-bit cells.
const DEVICE_SHARE: f64 = 0.8;
const WIDE_DEVICE_SHARE: f64 = 0.75;
/// Cells along the edge of a device's tile. From one diagonal of tiles to the next, a compute unit
/// does the work of this many tiles, and there are this many launches.
const DEVICE_TILE: f64 = 64.0;
const DIAGONAL_TILES: f64 = 10.0;
const DIAGONAL_LAUNCHES: f64 = 2.0;

/// Knuth's bound on a device: clock cycles for a cell of a row, which waits for those before it, tiles
/// that a compute unit solves at a time, and bytes that a cell reads.
const KNUTH_CYCLES: f64 = 5000.0;
const KNUTH_UNIT_TILES: f64 = 16.0;
const KNUTH_BYTES: f64 = 32.0;

/// Small tables, of a single tile: relaxations for each add-min pair of a core, and seconds of each
/// table on the CPU and on the host of a device.
const SMALL_CORE_SHARE: f64 = 0.075;
const SMALL_TABLE: f64 = 2e-5;
const SMALL_TABLE_ON_DEVICE: f64 = 3e-6;
/// Round trips of a batch of small tables on a device, and add-min pairs for a relaxation: a
/// work-group has a table to itself and waits at each of its diagonals.
const SMALL_BATCH_TRIPS: f64 = 85.0;
const SMALL_DEVICE_PAIRS: f64 = 10.0;

/// Expected seconds of a device for small tables.
pub(super) fn batch_device_seconds(tables: usize, relaxations: u64, speeds: &DeviceSpeeds) -> f64 {
    SMALL_BATCH_TRIPS * speeds.round_trip_seconds
        + tables as f64 * SMALL_TABLE_ON_DEVICE
        + relaxations as f64 * SMALL_DEVICE_PAIRS / speeds.add_min_rate
}

/// Expected seconds of `threads` CPU threads for small tables.
pub(super) fn batch_cpu_seconds(
    tables: usize,
    relaxations: u64,
    threads: usize,
    speeds: &ProcessorSpeeds,
) -> f64 {
    let work = relaxations as f64 / (SMALL_CORE_SHARE * speeds.core_add_min_rate);
    (tables as f64 * SMALL_TABLE + work) / threads as f64
}

fn runs_on_devices<V: Number>(instance: &Instance<V>) -> bool {
    instance.expression().is_none_or(|expression| expression.source.is_some())
}

/// Expected seconds of `threads` CPU threads for the table by the cubic method.
pub(super) fn cpu_seconds<V: Number>(
    instance: &Instance<V>,
    cell_type: CellType,
    threads: usize,
    speeds: &ProcessorSpeeds,
) -> f64 {
    let rate = match (instance.expression().is_some(), cell_type.bytes()) {
        (true, _) => FUNCTION_SHARE * speeds.core_serial_rate,
        (false, 8) => CORE_SHARE * speeds.core_add_min_rate / 2.0,
        (false, _) => CORE_SHARE * speeds.core_add_min_rate,
    };
    // The last tiles of the table wait for each other.
    let side = (instance.points() as f64 / tiles::TILE as f64).ceil();
    let longest_chain = side * side / 2.0 * (tiles::TILE as f64).powi(3);
    speeds.wake_seconds + (instance.relaxations() as f64 / threads as f64).max(longest_chain) / rate
}

/// Expected seconds of the CPU for the table by Knuth's bound.
pub(super) fn knuth_seconds<V: Number>(instance: &Instance<V>, speeds: &ProcessorSpeeds) -> f64 {
    let cells = (instance.points() as f64).powi(2) / 2.0;
    cells * KNUTH_PAIRS / speeds.core_serial_rate
}

/// Bytes of the cubic method's table on any engine, at most.
pub(super) fn table_bytes<V: Number>(instance: &Instance<V>, cell_type: CellType) -> f64 {
    (instance.points() as f64 + 2.0 * DEVICE_TILE).powi(2) / 2.0 * cell_type.bytes() as f64
}

/// Expected seconds of a device for the table; infinite if it can't fill or hold it.
pub(super) fn device_seconds<V: Number>(
    instance: &Instance<V>,
    cell_type: CellType,
    device: &DeviceInfo,
    speeds: &DeviceSpeeds,
) -> f64 {
    let bytes = table_bytes(instance, cell_type);
    if !runs_on_devices(instance) || bytes > device.max_allocation_bytes as f64 {
        return f64::INFINITY;
    }
    let rate = match cell_type.bytes() {
        8 => WIDE_DEVICE_SHARE * speeds.wide_add_min_rate,
        _ => DEVICE_SHARE * speeds.add_min_rate,
    };
    let unit_rate = rate / f64::from(device.compute_units.max(1));
    let diagonal = DIAGONAL_TILES * DEVICE_TILE.powi(3) / unit_rate
        + DIAGONAL_LAUNCHES * speeds.launch_seconds;
    instance.points() as f64 / DEVICE_TILE * diagonal + instance.relaxations() as f64 / rate
}

/// Expected seconds of a device for the table by Knuth's bound; infinite if it can't hold it.
pub(super) fn knuth_device_seconds<V: Number>(
    instance: &Instance<V>,
    cell_type: CellType,
    device: &DeviceInfo,
    speeds: &DeviceSpeeds,
) -> f64 {
    if table_bytes(instance, cell_type) > device.max_allocation_bytes as f64 {
        return f64::INFINITY;
    }
    let points = instance.points() as f64;
    let side = points / DEVICE_TILE;
    // A tile takes two steps for each of its rows. The diagonals have half as many tiles on average.
    let at_a_time = KNUTH_UNIT_TILES * f64::from(device.compute_units.max(1));
    let turns = (side / 2.0 / at_a_time).max(1.0);
    let steps = 2.0 * points * turns * KNUTH_CYCLES / device.clock_rate();
    let reads = points.powi(2) / 2.0 * KNUTH_BYTES / speeds.global_rate;
    side * speeds.launch_seconds + steps + reads
}

/// Bytes that a device reads for a split of a folding.
const FOLDING_SPLIT_BYTES: f64 = 8.0;
/// Add-min pairs for a cell of a folding besides its splits.
const FOLDING_CELL: f64 = 250.0;

/// Expected seconds of `threads` CPU threads for a folding by energies.
pub(super) fn folding_cpu_seconds(
    points: usize,
    splits: f64,
    threads: usize,
    speeds: &ProcessorSpeeds,
) -> f64 {
    let cells = (points as f64).powi(2) / 2.0;
    let work = splits + FOLDING_CELL * cells;
    speeds.wake_seconds + work / (CORE_SHARE * speeds.core_add_min_rate * threads as f64)
}

/// Expected seconds of a device for the same; infinite if it can't hold the tables of `bytes` bytes.
pub(super) fn folding_device_seconds(
    points: usize,
    bytes: u128,
    splits: f64,
    device: &DeviceInfo,
    speeds: &DeviceSpeeds,
) -> f64 {
    let bytes = bytes as f64;
    if bytes / 2.0 > device.max_allocation_bytes as f64 || bytes > device.global_memory_bytes as f64
    {
        return f64::INFINITY;
    }
    let cells = (points as f64).powi(2) / 2.0;
    points as f64 * speeds.launch_seconds
        + splits * FOLDING_SPLIT_BYTES / speeds.global_rate
        + cells * FOLDING_CELL / speeds.add_min_rate
        + bytes / speeds.to_host_rate
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree_of_equal_keys(points: usize) -> Instance<i64> {
        Instance::search_tree(&vec![1; points - 2], &vec![0; points - 1]).unwrap()
    }

    fn processor() -> ProcessorSpeeds {
        ProcessorSpeeds::of_the_fit(16)
    }

    #[test]
    fn a_table_takes_time_by_its_relaxations() {
        let seconds = |len: usize| {
            let chain = Instance::matrix_chain(vec![3i64; len]).unwrap();
            cpu_seconds(&chain, CellType::I32, 2, &processor())
        };
        assert!(seconds(1000) < 0.05);
        assert!(seconds(5000) > 0.5);
    }

    #[test]
    fn knuths_bound_pays_for_large_tables_and_few_cores() {
        let is_faster = |points: usize, threads| {
            let tree = tree_of_equal_keys(points);
            knuth_seconds(&tree, &processor())
                < cpu_seconds(&tree, CellType::I32, threads, &processor())
        };
        assert!(!is_faster(4096, 16));
        assert!(is_faster(16_384, 16));
        assert!(is_faster(4096, 1));
    }

    #[test]
    fn a_card_is_as_fast_as_it_was_measured() {
        let mut card = DeviceInfo::sample("A card", "NVIDIA", "NVIDIA CUDA", "sm_90");
        (card.compute_units, card.clock_megahertz) = (132, 1980);
        card.max_allocation_bytes = 1 << 35;
        let speeds = DeviceSpeeds::estimate(&card, true);
        let tree = tree_of_equal_keys(16_384);
        let seconds = device_seconds(&tree, CellType::I32, &card, &speeds);
        assert!((0.05..0.25).contains(&seconds), "{seconds}");
        let by_knuth = |points: usize| {
            knuth_device_seconds(&tree_of_equal_keys(points), CellType::I32, &card, &speeds)
        };
        assert!((0.05..0.25).contains(&by_knuth(16_384)), "{}", by_knuth(16_384));
        assert!((0.1..0.4).contains(&by_knuth(32_768)), "{}", by_knuth(32_768));
        card.max_allocation_bytes = 1 << 28;
        assert!(device_seconds(&tree, CellType::I32, &card, &speeds).is_infinite());
    }
}
