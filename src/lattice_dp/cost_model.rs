//! When the device is faster than the CPU. The figures are measured; see benches/README.md.

use super::cpu::PARALLEL_LOOKUPS;
use super::device::{device_holds, is_small, large_dimensions};
use super::instance::{Dimension, Instance};
use crate::opencl::{DeviceInfo, DeviceKind};

/// Seconds of a solve on the CPU beside those of its look-ups, and of waking the other threads.
const CPU_FIXED: f64 = 1.5e-5;
const WAKE: f64 = 1e-4;
/// Look-ups per second of one CPU core with AVX-512.
const CORE_LOOKUPS: f64 = 1.3e10;
/// Bytes per second of all cores where tables leave their caches, which those of this many bytes do.
const PROCESSOR_BYTES: f64 = 3e10;
const CACHED_BYTES: u64 = 8 << 20;
/// Look-ups per second of one compute unit of a graphics card.
const UNIT_LOOKUPS: f64 = 1.1e9;
/// Seconds from one slab to the next on a graphics card.
const SLAB: f64 = 4e-6;
/// Seconds of transfers and the walk back, once per table.
const DEVICE_FIXED: f64 = 4.5e-5;
/// Seconds of a batch of small tables on a graphics card, of each of its tables beside its cells, and cells per second of
/// one compute unit.
const BATCH_FIXED: f64 = 1.2e-4;
const BATCH_TABLE: f64 = 2.5e-7;
const UNIT_BATCH_CELLS: f64 = 7.5e8;
/// Below this many seconds of CPU time a device that is not open yet is not worth the search for it.
const WORTH_A_LOOK: f64 = 0.05;

/// Whether the CPU takes so long that a device may be worth looking for.
pub(super) fn device_is_promising(instances: &[&Instance], threads: usize) -> bool {
    cpu_seconds(instances, threads) > WORTH_A_LOOK
}

/// Whether that device can hold the tables and is expected to fill them sooner than `threads` CPU threads.
pub(super) fn device_is_faster(instances: &[&Instance], threads: usize, device: &DeviceInfo) -> bool {
    // A CPU behind OpenCL runs the portable kernel on the same cores as the CPU engine, no faster.
    device.kind != DeviceKind::Cpu
        && instances.iter().all(|instance| device_holds(instance.table_bytes(), device))
        && device_seconds(instances, device) < cpu_seconds(instances, threads)
}

fn cpu_seconds(instances: &[&Instance], threads: usize) -> f64 {
    if let [instance] = instances {
        return one_cpu_seconds(instance, threads);
    }
    // Side by side, tables keep all threads busy.
    let longest = instances.iter().map(|instance| one_cpu_seconds(instance, threads)).fold(0.0, f64::max);
    let all: f64 = instances.iter().map(|instance| one_cpu_seconds(instance, 1)).sum();
    longest.max(all / threads as f64 + if threads > 1 { WAKE } else { 0.0 })
}

fn one_cpu_seconds(instance: &Instance, threads: usize) -> f64 {
    // Threads share a slab if it is large.
    let slabs = |dimension: &Dimension| {
        let work = dimension.stride as f64 * dimension.group.len() as f64;
        let threads = if work > PARALLEL_LOOKUPS as f64 { threads as f64 } else { 1.0 };
        f64::from(dimension.max) * work / (CORE_LOOKUPS * threads)
    };
    let bytes = instance.table_bytes();
    let memory = if bytes > CACHED_BYTES { bytes as f64 / PROCESSOR_BYTES } else { 0.0 };
    CPU_FIXED + instance.dimensions().iter().map(slabs).sum::<f64>() + memory
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
    BATCH_FIXED + instances.iter().map(seconds).sum::<f64>()
}

fn one_device_seconds(instance: &Instance, device: &DeviceInfo) -> f64 {
    let large = &instance.dimensions()[..large_dimensions(instance)];
    let slabs: f64 = large.iter().map(|dimension| f64::from(dimension.max)).sum();
    let lookups = instance.lookups() as f64 / (UNIT_LOOKUPS * f64::from(device.compute_units));
    DEVICE_FIXED + slabs * SLAB + lookups
}

/// Look-ups per second of a core, and of a compute unit, by unit steps.
const CORE_UNIT_STEPS: f64 = 2e8;
const UNIT_UNIT_STEPS: f64 = 5e8;

/// [`device_is_promising`] for a table by unit steps with so many look-ups.
pub(super) fn unit_steps_are_promising(lookups: f64, threads: usize) -> bool {
    lookups / (CORE_UNIT_STEPS * threads as f64) > WORTH_A_LOOK
}

/// [`device_is_faster`] for a table by unit steps.
pub(super) fn unit_steps_are_faster(
    lookups: f64,
    levels: usize,
    threads: usize,
    device: &DeviceInfo,
) -> bool {
    let on_device =
        DEVICE_FIXED + levels as f64 * SLAB + lookups / (UNIT_UNIT_STEPS * f64::from(device.compute_units));
    device.kind != DeviceKind::Cpu && on_device < lookups / (CORE_UNIT_STEPS * threads as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::DeviceInfo;

    fn table(size: u32) -> Instance {
        let units = (0..9).map(|i| (std::array::from_fn::<u32, 9, _>(|j| u32::from(i == j)), 1));
        Instance::new(&[size; 9], units).unwrap()
    }

    #[test]
    fn small_tables_do_not_ask_for_a_device_and_large_ones_do() {
        assert!(!device_is_promising(&[&table(2)], 1));
        assert!(!device_is_promising(&[&table(5)], 2));
        assert!(device_is_promising(&[&table(11)], 16));
        // Many small ones do as well.
        let one = table(3);
        assert!(device_is_promising(&vec![&one; 100_000], 16));
    }

    #[test]
    fn a_single_small_table_stays_on_the_cpu_and_a_batch_goes_to_the_device() {
        let mut device = DeviceInfo::sample("A card", "NVIDIA", "NVIDIA CUDA", "sm_90");
        device.compute_units = 132;
        device.local_memory_bytes = 48 << 10;
        let one = table(3);
        assert!(!device_is_faster(&[&one], 1, &device));
        assert!(device_is_faster(&vec![&one; 10_000], 16, &device));
        assert!(device_is_faster(&[&table(7)], 1, &device));
        // What it cannot hold is not its.
        device.max_allocation_bytes = 1 << 20;
        device.global_memory_bytes = 1 << 24;
        assert!(!device_is_faster(&[&table(7)], 1, &device));
    }
}
