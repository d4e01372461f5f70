//! How long the engines take: formulas over the measured facts of processor and device. The shape
//! factors were fitted to an H200 and 16 cores (Sapphire Rapids, AVX-512); see
//! docs/src/benchmarks/results.md.

use super::cpu::PARALLEL_LOOKUPS;
use super::device::{GROUP_WORK, device_holds, is_small, large_dimensions, windows_on};
use super::instance::{Dimension, Instance};
use super::windows::Windows;
use crate::ProcessorSpeeds;
use crate::opencl::{DeviceInfo, DeviceKind, DeviceSpeeds};
use crate::solve::Monitor;

/// Fixed seconds of a solve on the CPU, mostly for its memory.
const CPU_FIXED: f64 = 1.0e-5;
/// Add-min pairs of a core for a look-up, and for a cell without its look-ups.
const LOOKUP_PAIRS: f64 = 2.7;
const CELL_PAIRS: f64 = 2.9;
/// Slowdown of all threads by each further one: they share caches and memory, and a slab ends with
/// its slowest thread.
const CONTENTION: f64 = 0.08;
/// Joining the threads after a slab, as a part of waking them.
const GATHER: f64 = 0.3;
/// How often a table that exceeds the caches is read or written, and the bytes above which it does.
const TABLE_PASSES: f64 = 3.0;
const CACHED_BYTES: u64 = 8 << 20;
/// Round trips of a table on a device for its transfers and its traceback, without the head that the
/// CPU fills: by stepwise launches and by a persistent kernel.
const STEPWISE_TRIPS: f64 = 9.0;
const PERSISTENT_TRIPS: f64 = 2.2;
/// From one slab to the next: launches of a queue, and barriers across all work-groups.
const STEP_LAUNCHES: f64 = 0.8;
const STEP_BARRIERS: f64 = 2.2;
/// Bytes of global memory for a look-up or a cell.
const STEPWISE_BYTES: f64 = 14.0;
const PERSISTENT_BYTES: f64 = 25.0;
/// A batch of small tables on a device: round trips, add-min pairs of the host for each table, one
/// after the other, and bytes of local memory for a cell.
const BATCH_TRIPS: f64 = 33.0;
const BATCH_TABLE_PAIRS: f64 = 1.7e3;
const BATCH_CELL_BYTES: f64 = 280.0;

/// Estimated seconds on the CPU; infinite if the memory limit is below the size of a table and of its
/// window.
pub(super) fn cpu_seconds(
    instances: &[&Instance],
    threads: usize,
    speeds: &ProcessorSpeeds,
    monitor: &Monitor,
) -> f64 {
    let seconds = |instance: &Instance, threads| {
        one_cpu_seconds(instance.dimensions(), instance.table_bytes(), threads, speeds)
    };
    if !monitor.has_memory(largest_bytes(instances).into()) {
        let in_windows = |instance: &Instance| {
            Windows::within_memory(instance, monitor)?;
            Some(REFILLED * seconds(instance, threads))
        };
        return only(instances).and_then(in_windows).unwrap_or(f64::INFINITY);
    }
    if let [instance] = instances {
        return seconds(instance, threads);
    }
    // A batch keeps all threads busy with whole tables.
    let longest = sample(instances).map(|instance| seconds(instance, threads)).fold(0.0, f64::max);
    let all = sum_by_sample(instances, |instance| seconds(instance, 1));
    let wake = if threads > 1 { speeds.wake_seconds } else { 0.0 };
    longest.max(all / speedup(threads as f64) + wake)
}

/// Speed of `threads` threads relative to one.
fn speedup(threads: f64) -> f64 {
    threads / (1.0 + CONTENTION * (threads - 1.0))
}

/// Seconds for the slabs of these dimensions in a table of `bytes` bytes.
pub(super) fn one_cpu_seconds(
    dimensions: &[Dimension],
    bytes: u64,
    threads: usize,
    speeds: &ProcessorSpeeds,
) -> f64 {
    let gather = GATHER * speeds.wake_seconds;
    let slabs = |dimension: &Dimension| {
        let lookups = dimension.stride as f64 * dimension.group.len() as f64;
        // Threads share a slab if it is large.
        let shared = threads > 1 && lookups + dimension.stride as f64 > PARALLEL_LOOKUPS as f64;
        let (speedup, gather) = if shared { (speedup(threads as f64), gather) } else { (1.0, 0.0) };
        let pairs = lookups * LOOKUP_PAIRS + dimension.stride as f64 * CELL_PAIRS;
        f64::from(dimension.max) * (pairs / speeds.core_add_min_rate / speedup + gather)
    };
    let rate = speeds.memory_rate.min(threads as f64 * speeds.core_memory_rate);
    let moved = if bytes > CACHED_BYTES { TABLE_PASSES * bytes as f64 } else { 0.0 };
    CPU_FIXED + dimensions.iter().map(slabs).sum::<f64>().max(moved / rate)
}

/// Estimated seconds on a device; infinite if it can't hold the tables.
pub(super) fn device_seconds(
    instances: &[&Instance],
    device: &DeviceInfo,
    speeds: &DeviceSpeeds,
    processor: &ProcessorSpeeds,
) -> f64 {
    // A processor has no more memory than the CPU engine.
    if device.kind == DeviceKind::Cpu {
        return f64::INFINITY;
    }
    let alone = |instance: &Instance| one_device_seconds(instance, device, speeds, processor);
    if !device_holds(largest_bytes(instances), device) {
        let in_windows = |instance: &Instance| {
            windows_on(device, instance)?;
            Some(REFILLED * alone(instance))
        };
        return only(instances).and_then(in_windows).unwrap_or(f64::INFINITY);
    }
    if let [instance] = instances {
        return alone(instance);
    }
    let host = BATCH_TABLE_PAIRS / processor.core_serial_rate;
    let seconds = |instance: &&Instance| match is_small(instance, device) {
        true => host + instance.cells() as f64 * BATCH_CELL_BYTES / speeds.local_rate,
        false => alone(instance),
    };
    BATCH_TRIPS * speeds.round_trip_seconds + sum_by_sample(instances, seconds)
}

/// Whether several devices are likely to fill a table sooner than this one alone: it takes a
/// second, and copies of the whole table through the host take a small part of that.
pub(super) fn is_worth_sharing(
    instance: &Instance,
    device: &DeviceInfo,
    speeds: &DeviceSpeeds,
    processor: &ProcessorSpeeds,
) -> bool {
    let alone = match device.kind {
        DeviceKind::Cpu => instance.lookups() as f64 / speeds.add_min_rate,
        _ => one_device_seconds(instance, device, speeds, processor),
    };
    let copies =
        instance.table_bytes() as f64 * (1.0 / speeds.to_host_rate + 1.0 / speeds.to_device_rate);
    alone >= WORTH_SHARING.max(COPIES_SHARE * copies)
}

/// The least seconds on one device that justify several: opening them and building their kernels
/// takes tenths of a second.
const WORTH_SHARING: f64 = 1.0;
/// With two devices, half of the time is saved. The copies may take half of that.
const COPIES_SHARE: f64 = 4.0;

/// A table in windows is filled nearly twice.
const REFILLED: f64 = 2.0;

/// The instance, if it is the only one.
fn only<'a>(instances: &[&'a Instance]) -> Option<&'a Instance> {
    match instances {
        [instance] => Some(instance),
        _ => None,
    }
}

/// Instances that an estimate for a batch looks at. Looking at all would take too long.
const SAMPLE: usize = 32;

/// Instances spread evenly over the batch.
fn sample<'a>(instances: &'a [&'a Instance]) -> impl ExactSizeIterator<Item = &'a &'a Instance> {
    instances.iter().step_by(instances.len().div_ceil(SAMPLE).max(1))
}

/// An estimate summed over all instances, extrapolated from the sample.
fn sum_by_sample(instances: &[&Instance], estimate: impl Fn(&&Instance) -> f64) -> f64 {
    let sample = sample(instances);
    let share = sample.len().max(1) as f64 / instances.len().max(1) as f64;
    sample.map(estimate).sum::<f64>() / share
}

fn largest_bytes(instances: &[&Instance]) -> u64 {
    instances.iter().map(|instance| instance.table_bytes()).max().unwrap_or(0)
}

pub(super) fn one_device_seconds(
    instance: &Instance,
    device: &DeviceInfo,
    speeds: &DeviceSpeeds,
    processor: &ProcessorSpeeds,
) -> f64 {
    let (large, head) = instance.dimensions().split_at(large_dimensions(instance));
    let steps: f64 = large.iter().map(|dimension| f64::from(dimension.max)).sum();
    let work = instance.lookups().saturating_add(instance.cells());
    let fits_one_launch = work <= u64::from(device.compute_units) * GROUP_WORK;
    let (trips, step, bytes) = match speeds.barrier_seconds.filter(|_| fits_one_launch) {
        Some(barrier) => (PERSISTENT_TRIPS, STEP_BARRIERS * barrier, PERSISTENT_BYTES),
        None => (STEPWISE_TRIPS, STEP_LAUNCHES * speeds.launch_seconds, STEPWISE_BYTES),
    };
    one_cpu_seconds(head, 0, 1, processor)
        + trips * speeds.round_trip_seconds
        + steps * step
        + work as f64 * bytes / speeds.global_rate
}

/// Unit steps: add-min pairs of a core for a look-up, one after the other, and bytes of a device's
/// global memory.
const UNIT_STEP_PAIRS: f64 = 5.4;
const UNIT_STEP_BYTES: f64 = 60.0;
/// Unit steps on a device: round trips of a table's transfers, and how often the bytes of a table
/// are copied to the host, which makes the traceback.
const UNIT_STEPS_TRIPS: f64 = 13.0;
const UNIT_STEPS_COPIES: f64 = 3.4;

/// [`cpu_seconds`] of a table by unit steps, with `lookups` look-ups and an average of `tasks`
/// tasks in each level.
pub(super) fn unit_steps_cpu_seconds(
    lookups: f64,
    tasks: f64,
    threads: usize,
    speeds: &ProcessorSpeeds,
) -> f64 {
    let speedup = speedup(tasks.clamp(1.0, threads as f64));
    lookups * UNIT_STEP_PAIRS / (speeds.core_serial_rate * speedup)
}

/// [`device_seconds`] of a table by unit steps, of `bytes` bytes in `levels` levels.
pub(super) fn unit_steps_device_seconds(
    (lookups, bytes, levels): (f64, f64, usize),
    speeds: &DeviceSpeeds,
) -> f64 {
    UNIT_STEPS_TRIPS * speeds.round_trip_seconds
        + levels as f64 * STEP_LAUNCHES * speeds.launch_seconds
        + bytes * UNIT_STEPS_COPIES / speeds.to_host_rate
        + lookups * UNIT_STEP_BYTES / speeds.global_rate
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::{Limits, SolveOptions};
    use crate::testing::limited;

    fn table(size: u32) -> Instance {
        let units = (0..9).map(|i| (std::array::from_fn::<u32, 9, _>(|j| u32::from(i == j)), 1));
        Instance::new(&[size; 9], units).unwrap()
    }

    /// Speeds of an H200.
    fn of_a_card() -> DeviceSpeeds {
        let estimate = DeviceSpeeds::estimate(&DeviceInfo::sample("A card", "", "", ""), true);
        DeviceSpeeds {
            launch_seconds: 6e-6,
            round_trip_seconds: 1.2e-5,
            to_device_rate: 1.4e10,
            to_host_rate: 8.6e9,
            global_rate: 4e12,
            local_rate: 2.8e13,
            barrier_seconds: Some(1e-6),
            ..estimate
        }
    }

    #[test]
    fn a_slow_card_gets_fewer_tables() {
        let mut device = DeviceInfo::sample("A card", "", "", "");
        device.compute_units = 132;
        let (fast, processor) = (of_a_card(), ProcessorSpeeds::of_the_fit(2));
        let slow = DeviceSpeeds {
            launch_seconds: 10.0 * fast.launch_seconds,
            round_trip_seconds: 10.0 * fast.round_trip_seconds,
            global_rate: fast.global_rate / 1e3,
            local_rate: fast.local_rate / 1e3,
            barrier_seconds: None,
            ..fast
        };
        let monitor = Monitor::new(&SolveOptions::default());
        let (small, large) = (table(3), table(7));
        for instances in [vec![&small; 1000], vec![&large]] {
            let on_cpu = cpu_seconds(&instances, 2, &processor, &monitor);
            let on = |speeds| device_seconds(&instances, &device, speeds, &processor);
            assert!(on(&fast) < on_cpu && on_cpu < on(&slow), "{}", instances.len());
        }
    }

    #[test]
    fn a_single_small_table_stays_on_the_cpu_and_a_batch_goes_to_the_device() {
        let mut device = DeviceInfo::sample("A card", "NVIDIA", "NVIDIA CUDA", "sm_90");
        device.compute_units = 132;
        device.local_memory_bytes = 48 << 10;
        let monitor = Monitor::new(&SolveOptions::default());
        let (speeds, processor) = (of_a_card(), ProcessorSpeeds::of_the_fit(16));
        let on_device = |instances: &[&Instance], device: &DeviceInfo| {
            device_seconds(instances, device, &speeds, &processor)
        };
        let on_cpu = |instances: &[&Instance], threads, monitor: &Monitor| {
            cpu_seconds(instances, threads, &processor, monitor)
        };
        let one = table(3);
        let is_faster = |instances: &[&Instance], threads, device: &DeviceInfo| {
            on_device(instances, device) < on_cpu(instances, threads, &monitor)
        };
        assert!(!is_faster(&[&one], 1, &device));
        assert!(is_faster(&vec![&one; 10_000], 16, &device));
        assert!(is_faster(&[&table(7)], 1, &device));
        // The device solves a table that exceeds the host's memory limit, even a small one.
        let none = Monitor::new(&limited(Limits { memory: Some(1), ..Limits::default() }));
        assert!(on_cpu(&[&one], 1, &none).is_infinite());
        assert!(on_device(&[&one], &device).is_finite());
        // The device does not solve a table that it cannot hold.
        device.max_allocation_bytes = 1 << 20;
        device.global_memory_bytes = 1 << 24;
        assert!(!is_faster(&[&table(7)], 1, &device));
    }

    /// Not a test: prints how long the estimates for batches take.
    #[test]
    #[ignore = "a measurement"]
    #[allow(clippy::print_stdout, reason = "it prints")]
    fn cost_of_estimates() {
        let device = DeviceInfo::sample("A card", "NVIDIA", "NVIDIA CUDA", "sm_90");
        let monitor = Monitor::new(&SolveOptions::default());
        let (speeds, processor) = (of_a_card(), ProcessorSpeeds::of_the_fit(16));
        let tables: Vec<Instance> = (0..100_000).map(|index| table(2 + index % 2)).collect();
        for count in [2, 10, 30, 100, 1_000, 100_000] {
            let some: Vec<&Instance> = tables[..count].iter().collect();
            let mut best = f64::INFINITY;
            for _ in 0..20 {
                let start = std::time::Instant::now();
                std::hint::black_box(cpu_seconds(&some, 16, &processor, &monitor));
                std::hint::black_box(device_seconds(&some, &device, &speeds, &processor));
                best = best.min(start.elapsed().as_secs_f64());
            }
            println!("{count} tables: {:.2} us", best * 1e6);
        }
    }
}
