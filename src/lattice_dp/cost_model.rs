//! When the device is faster than the CPU. The figures are measured; see
//! docs/src/benchmarks/results.md.

use super::cpu::PARALLEL_LOOKUPS;
use super::device::{GROUP_WORK, device_holds, is_small, large_dimensions};
use super::instance::{Dimension, Instance};
use crate::opencl::{DeviceInfo, DeviceKind};
use crate::solve::Monitor;

/// Seconds of a solve on the CPU beside those of its look-ups, and of waking the other threads.
const CPU_FIXED: f64 = 1.0e-5;
const WAKE: f64 = 1e-4;
/// Look-ups, and cells beside them, per second of one CPU core with AVX-512.
const CORE_LOOKUPS: f64 = 1.5e10;
const CORE_CELLS: f64 = 1.4e10;
/// By how much each further thread slows all others down: they share caches, and the slowest ends a
/// slab.
const CONTENTION: f64 = 0.08;
/// Seconds until all threads have come together again after a slab.
const GATHER: f64 = 3e-5;
/// Bytes per second of all cores where tables leave their caches, which those of this many bytes
/// do.
const PROCESSOR_BYTES: f64 = 3e10;
const CACHED_BYTES: u64 = 8 << 20;
/// Of launches on a graphics card and of a persistent kernel there: seconds of transfers and the
/// walk back, beside the head that the CPU fills; seconds from one slab to the next; look-ups and
/// cells per second of one compute unit.
const STEPWISE: [f64; 3] = [1e-4, 5e-6, 2.2e9];
const PERSISTENT: [f64; 3] = [2.5e-5, 2.2e-6, 1.2e9];
/// Seconds of a batch of small tables on a graphics card, of each of its tables beside its cells,
/// and cells per second of one compute unit.
const BATCH_FIXED: f64 = 1.7e-4;
const BATCH_TABLE: f64 = 4.5e-7;
const UNIT_BATCH_CELLS: f64 = 7.5e8;

/// Whether that device can hold the tables and is expected to fill them sooner than the CPU does in
/// `cpu_seconds`.
pub(super) fn device_is_faster(
    instances: &[&Instance],
    cpu_seconds: f64,
    device: &DeviceInfo,
) -> bool {
    // A CPU behind OpenCL runs the portable kernel on the same cores as the CPU engine, no faster.
    device.kind != DeviceKind::Cpu
        && device_holds(largest_bytes(instances), device)
        && device_seconds(instances, device) < cpu_seconds
}

/// Seconds that the CPU takes by estimate, without end if its memory does not hold a table.
pub(super) fn cpu_seconds(instances: &[&Instance], threads: usize, monitor: &Monitor) -> f64 {
    if !monitor.has_memory(largest_bytes(instances).into()) {
        return f64::INFINITY;
    }
    if let [instance] = instances {
        return one_cpu_seconds(instance.dimensions(), instance.table_bytes(), threads);
    }
    // Side by side, tables keep all threads busy.
    let seconds = |instance: &&Instance, threads| {
        one_cpu_seconds(instance.dimensions(), instance.table_bytes(), threads)
    };
    let longest = sample(instances).map(|instance| seconds(instance, threads)).fold(0.0, f64::max);
    let all = sum_by_sample(instances, |instance| seconds(instance, 1));
    longest.max(all / threads as f64 + if threads > 1 { WAKE } else { 0.0 })
}

/// How many times as fast as one thread so many are together.
fn speedup(threads: f64) -> f64 {
    threads / (1.0 + CONTENTION * (threads - 1.0))
}

/// The slabs of these dimensions, in a table of so many bytes.
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

fn device_seconds(instances: &[&Instance], device: &DeviceInfo) -> f64 {
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

/// Instances of a batch that estimates look at: looking at all would take a good part of its time.
const SAMPLE: usize = 32;

/// Evenly spread over the batch.
fn sample<'a>(instances: &'a [&'a Instance]) -> impl ExactSizeIterator<Item = &'a &'a Instance> {
    instances.iter().step_by(instances.len().div_ceil(SAMPLE).max(1))
}

/// The sum of an estimate over all instances, from those of the sample.
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

/// Look-ups per second of a core, and of a compute unit, by unit steps.
const CORE_UNIT_STEPS: f64 = 2.3e8;
const UNIT_UNIT_STEPS: f64 = 5e8;
/// Seconds of transfers, once per table, and bytes per second of the table's way to the host, where
/// it is walked back.
const UNIT_STEPS_FIXED: f64 = 1.5e-4;
const TABLE_BYTES: f64 = 2.5e9;

/// [`cpu_seconds`] of a table by unit steps with so many look-ups, and so many tasks in each level
/// on average.
pub(super) fn unit_steps_cpu_seconds(lookups: f64, tasks: f64, threads: usize) -> f64 {
    lookups / (CORE_UNIT_STEPS * speedup(tasks.clamp(1.0, threads as f64)))
}

/// [`device_is_faster`] for a table by unit steps with so many look-ups, bytes and levels.
pub(super) fn unit_steps_are_faster(
    (lookups, bytes, levels): (f64, f64, usize),
    cpu_seconds: f64,
    device: &DeviceInfo,
) -> bool {
    let on_device = UNIT_STEPS_FIXED
        + levels as f64 * STEPWISE[1]
        + bytes / TABLE_BYTES
        + lookups / (UNIT_UNIT_STEPS * f64::from(device.compute_units));
    device.kind != DeviceKind::Cpu && on_device < cpu_seconds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::{Limits, SolveOptions};

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
            device_is_faster(instances, cpu_seconds(instances, threads, &monitor), device)
        };
        assert!(!is_faster(&[&one], 1, &device));
        assert!(is_faster(&vec![&one; 10_000], 16, &device));
        assert!(is_faster(&[&table(7)], 1, &device));
        // What the host cannot hold is the device's, however small.
        let limits = Limits { memory: Some(1), ..Limits::default() };
        let none = Monitor::new(&SolveOptions { limits, ..SolveOptions::default() });
        assert!(device_is_faster(&[&one], cpu_seconds(&[&one], 1, &none), &device));
        // What it cannot hold is not its.
        device.max_allocation_bytes = 1 << 20;
        device.global_memory_bytes = 1 << 24;
        assert!(!is_faster(&[&table(7)], 1, &device));
    }

    /// Not a test: prints what the estimates for batches take.
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
                let seconds = cpu_seconds(&some, 16, &monitor);
                std::hint::black_box(device_is_faster(&some, seconds, &device));
                best = best.min(start.elapsed().as_secs_f64());
            }
            println!("{count} tables: {:.2} us", best * 1e6);
        }
    }
}
