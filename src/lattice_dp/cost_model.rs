//! When the device is faster than the CPU. The figures are measured; see benches/README.md.

use super::device::device_holds;
use super::instance::Instance;
use crate::opencl::{DeviceInfo, DeviceKind};

/// Look-ups per second of one CPU core in its cache.
const CORE_LOOKUPS: f64 = 4e9;
/// Cells per second that one core moves through memory, and that all cores of a processor do.
const CORE_CELLS: f64 = 1.2e9;
const PROCESSOR_CELLS: f64 = 6e9;
/// Tables up to this many cells stay in the processor's cache.
const CACHED_CELLS: f64 = 4e6;
/// Look-ups per second of one compute unit of a graphics card.
const UNIT_LOOKUPS: f64 = 1.5e9;
/// Seconds from one slab to the next on a graphics card: one launch.
const LAUNCH: f64 = 6e-6;
/// Seconds of buffers, transfers and the replay, once per table.
const DEVICE_FIXED: f64 = 1.5e-4;
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

/// Side by side, tables keep all threads busy; a single small one does not.
fn cpu_seconds(instances: &[&Instance], threads: usize) -> f64 {
    instances.iter().map(|instance| one_cpu_seconds(instance, threads)).sum()
}

fn one_cpu_seconds(instance: &Instance, threads: usize) -> f64 {
    let (cells, threads) = (instance.cells() as f64, threads as f64);
    let memory = if cells > CACHED_CELLS { cells / (CORE_CELLS * threads).min(PROCESSOR_CELLS) } else { 0.0 };
    instance.lookups() as f64 / (CORE_LOOKUPS * threads) + memory
}

fn device_seconds(instances: &[&Instance], device: &DeviceInfo) -> f64 {
    instances.iter().map(|instance| one_device_seconds(instance, device)).sum()
}

fn one_device_seconds(instance: &Instance, device: &DeviceInfo) -> f64 {
    DEVICE_FIXED
        + instance.longest_path() as f64 * LAUNCH
        + instance.lookups() as f64 / (UNIT_LOOKUPS * f64::from(device.compute_units))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(size: u32) -> Instance {
        let units = (0..9).map(|i| (std::array::from_fn::<u32, 9, _>(|j| u32::from(i == j)), 1));
        Instance::new(&[size; 9], units).unwrap()
    }

    #[test]
    fn small_tables_are_for_the_cpu_and_large_ones_may_not_be() {
        assert!(!device_is_promising(&[&table(2)], 1));
        assert!(!device_is_promising(&[&table(5)], 2));
        assert!(device_is_promising(&[&table(9)], 16));
    }
}
