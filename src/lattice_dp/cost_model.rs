//! Estimates whether the device is faster than the CPU. The figures are measured; see
//! docs/src/benchmarks/results.md.

use super::cpu::PARALLEL_LOOKUPS;
use super::device::{GROUP_WORK, device_holds, is_small, large_dimensions, windows_on};
use super::instance::{Dimension, Instance};
use super::windows::Windows;
use crate::opencl::{DeviceInfo, DeviceKind, DeviceSpeeds};
use crate::solve::Monitor;

/// Fixed seconds of a solve on the CPU, and seconds to wake the other threads.
const CPU_FIXED: f64 = 1.0e-5;
const WAKE: f64 = 1e-4;
/// Look-ups per second of one CPU core with AVX-512, and cells per second without their look-ups.
const CORE_LOOKUPS: f64 = 1.5e10;
const CORE_CELLS: f64 = 1.4e10;
/// Slowdown of all threads by each further one: they share caches, and a slab ends with its slowest
/// thread.
const CONTENTION: f64 = 0.08;
/// Seconds to join the threads after a slab.
const GATHER: f64 = 3e-5;
/// Bytes per second of all cores for tables that exceed the caches, and the bytes above which they
/// do.
const PROCESSOR_BYTES: f64 = 3e10;
const CACHED_BYTES: u64 = 8 << 20;
/// Stepwise launches and a persistent kernel on a graphics card: fixed seconds for transfers and
/// traceback, without the head that the CPU fills; seconds from one slab to the next; look-ups and
/// cells per second of one compute unit.
const STEPWISE: [f64; 3] = [1e-4, 5e-6, 2.2e9];
const PERSISTENT: [f64; 3] = [2.5e-5, 2.2e-6, 1.2e9];
/// A batch of small tables on a graphics card: fixed seconds of the batch and of each table, and
/// cells per second of one compute unit.
const BATCH_FIXED: f64 = 1.7e-4;
const BATCH_TABLE: f64 = 4.5e-7;
const UNIT_BATCH_CELLS: f64 = 7.5e8;

/// Estimated seconds on the CPU; infinite if the memory limit is below the size of a table and of its
/// window.
pub(super) fn cpu_seconds(instances: &[&Instance], threads: usize, monitor: &Monitor) -> f64 {
    if !monitor.has_memory(largest_bytes(instances).into()) {
        let in_windows = |instance: &Instance| {
            Windows::within_memory(instance, monitor)?;
            let (dimensions, bytes) = (instance.dimensions(), instance.table_bytes());
            Some(REFILLED * one_cpu_seconds(dimensions, bytes, threads))
        };
        return only(instances).and_then(in_windows).unwrap_or(f64::INFINITY);
    }
    if let [instance] = instances {
        return one_cpu_seconds(instance.dimensions(), instance.table_bytes(), threads);
    }
    // A batch keeps all threads busy with whole tables.
    let seconds = |instance: &&Instance, threads| {
        one_cpu_seconds(instance.dimensions(), instance.table_bytes(), threads)
    };
    let longest = sample(instances).map(|instance| seconds(instance, threads)).fold(0.0, f64::max);
    let all = sum_by_sample(instances, |instance| seconds(instance, 1));
    longest.max(all / threads as f64 + if threads > 1 { WAKE } else { 0.0 })
}

/// Speed of `threads` threads relative to one.
fn speedup(threads: f64) -> f64 {
    threads / (1.0 + CONTENTION * (threads - 1.0))
}

/// Seconds for the slabs of these dimensions in a table of `bytes` bytes.
fn one_cpu_seconds(dimensions: &[Dimension], bytes: u64, threads: usize) -> f64 {
    let slabs = |dimension: &Dimension| {
        let lookups = dimension.stride as f64 * dimension.group.len() as f64;
        // Threads share a slab if it is large.
        let shared = threads > 1 && lookups + dimension.stride as f64 > PARALLEL_LOOKUPS as f64;
        let (speedup, gather) = if shared { (speedup(threads as f64), GATHER) } else { (1.0, 0.0) };
        let work = lookups / CORE_LOOKUPS + dimension.stride as f64 / CORE_CELLS;
        f64::from(dimension.max) * (work / speedup + gather)
    };
    let memory = if bytes > CACHED_BYTES { bytes as f64 / PROCESSOR_BYTES } else { 0.0 };
    CPU_FIXED + dimensions.iter().map(slabs).sum::<f64>().max(memory)
}

/// Estimated seconds on a device; infinite if it can't hold the tables.
pub(super) fn device_seconds(instances: &[&Instance], device: &DeviceInfo) -> f64 {
    // A processor has no more memory than the CPU engine.
    if device.kind == DeviceKind::Cpu {
        return f64::INFINITY;
    }
    if !device_holds(largest_bytes(instances), device) {
        let in_windows = |instance: &Instance| {
            windows_on(device, instance)?;
            Some(REFILLED * one_device_seconds(instance, device))
        };
        return only(instances).and_then(in_windows).unwrap_or(f64::INFINITY);
    }
    if let [instance] = instances {
        return one_device_seconds(instance, device);
    }
    let units = f64::from(device.compute_units);
    let seconds = |instance: &&Instance| match is_small(instance, device) {
        true => BATCH_TABLE + instance.cells() as f64 / (UNIT_BATCH_CELLS * units),
        false => one_device_seconds(instance, device),
    };
    BATCH_FIXED + sum_by_sample(instances, seconds)
}

/// Whether several devices are likely to fill a table sooner than this one alone: it takes a
/// second, and copies of the whole table through the host take a small part of that.
pub(super) fn is_worth_sharing(
    instance: &Instance,
    device: &DeviceInfo,
    speeds: &DeviceSpeeds,
) -> bool {
    let alone = match device.kind {
        DeviceKind::Cpu => instance.lookups() as f64 / speeds.add_min_rate,
        _ => one_device_seconds(instance, device),
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

fn one_device_seconds(instance: &Instance, device: &DeviceInfo) -> f64 {
    let (large, head) = instance.dimensions().split_at(large_dimensions(instance));
    let steps: f64 = large.iter().map(|dimension| f64::from(dimension.max)).sum();
    let work = instance.lookups().saturating_add(instance.cells());
    let persistent = work <= u64::from(device.compute_units) * GROUP_WORK;
    let [fixed, step, unit_work] = if persistent { PERSISTENT } else { STEPWISE };
    let on_cpu = one_cpu_seconds(head, 0, 1);
    fixed + on_cpu + steps * step + work as f64 / (unit_work * f64::from(device.compute_units))
}

/// Unit steps: look-ups per second of a core and of a compute unit.
const CORE_UNIT_STEPS: f64 = 2.3e8;
const UNIT_UNIT_STEPS: f64 = 5e8;
/// Unit steps on a device: fixed seconds of a table's transfers, and bytes per second of the copy
/// to the host, which makes the traceback.
const UNIT_STEPS_FIXED: f64 = 1.5e-4;
const TABLE_BYTES: f64 = 2.5e9;

/// [`cpu_seconds`] of a table by unit steps, with `lookups` look-ups and an average of `tasks`
/// tasks in each level.
pub(super) fn unit_steps_cpu_seconds(lookups: f64, tasks: f64, threads: usize) -> f64 {
    lookups / (CORE_UNIT_STEPS * speedup(tasks.clamp(1.0, threads as f64)))
}

/// [`device_seconds`] of a table by unit steps, of `bytes` bytes in `levels` levels.
pub(super) fn unit_steps_device_seconds(
    (lookups, bytes, levels): (f64, f64, usize),
    device: &DeviceInfo,
) -> f64 {
    UNIT_STEPS_FIXED
        + levels as f64 * STEPWISE[1]
        + bytes / TABLE_BYTES
        + lookups / (UNIT_UNIT_STEPS * f64::from(device.compute_units))
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

    #[test]
    fn a_single_small_table_stays_on_the_cpu_and_a_batch_goes_to_the_device() {
        let mut device = DeviceInfo::sample("A card", "NVIDIA", "NVIDIA CUDA", "sm_90");
        device.compute_units = 132;
        device.local_memory_bytes = 48 << 10;
        let monitor = Monitor::new(&SolveOptions::default());
        let one = table(3);
        let is_faster = |instances: &[&Instance], threads, device: &DeviceInfo| {
            device_seconds(instances, device) < cpu_seconds(instances, threads, &monitor)
        };
        assert!(!is_faster(&[&one], 1, &device));
        assert!(is_faster(&vec![&one; 10_000], 16, &device));
        assert!(is_faster(&[&table(7)], 1, &device));
        // The device solves a table that exceeds the host's memory limit, even a small one.
        let none = Monitor::new(&limited(Limits { memory: Some(1), ..Limits::default() }));
        assert!(cpu_seconds(&[&one], 1, &none).is_infinite());
        assert!(device_seconds(&[&one], &device).is_finite());
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
        let tables: Vec<Instance> = (0..100_000).map(|index| table(2 + index % 2)).collect();
        for count in [2, 10, 30, 100, 1_000, 100_000] {
            let some: Vec<&Instance> = tables[..count].iter().collect();
            let mut best = f64::INFINITY;
            for _ in 0..20 {
                let start = std::time::Instant::now();
                std::hint::black_box(cpu_seconds(&some, 16, &monitor));
                std::hint::black_box(device_seconds(&some, &device));
                best = best.min(start.elapsed().as_secs_f64());
            }
            println!("{count} tables: {:.2} us", best * 1e6);
        }
    }
}
