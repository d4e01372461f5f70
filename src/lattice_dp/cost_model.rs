//! When the device is faster than the CPU. The figures are measured; see benches/README.md.

use super::instance::Instance;
use crate::opencl::{DeviceInfo, DeviceKind};

/// Look-ups per second of one CPU core.
const CPU_LOOKUPS: f64 = 4e9;
/// Look-ups per second of one compute unit of a graphics card.
const UNIT_LOOKUPS: f64 = 3e8;
/// Seconds from one slab to the next on a graphics card: one launch.
const LAUNCH: f64 = 6e-6;
/// Seconds of buffers, transfers and the replay, once per table.
const DEVICE_FIXED: f64 = 4e-4;
/// Below this many seconds of CPU time even the search for a device is not worth its start.
const WORTH_A_LOOK: f64 = 0.05;

/// Whether the CPU takes so long that a device may be worth looking for.
pub(super) fn device_is_promising(instance: &Instance, threads: usize) -> bool {
    cpu_seconds(instance, threads) > WORTH_A_LOOK
}

/// Whether that device is expected to fill the table sooner than `threads` CPU threads.
pub(super) fn device_is_faster(instance: &Instance, threads: usize, device: &DeviceInfo) -> bool {
    // A CPU behind OpenCL runs the portable kernel on the same cores as the CPU engine, no faster.
    device.kind != DeviceKind::Cpu && device_seconds(instance, device) < cpu_seconds(instance, threads)
}

fn cpu_seconds(instance: &Instance, threads: usize) -> f64 {
    instance.lookups() as f64 / (CPU_LOOKUPS * threads as f64)
}

fn device_seconds(instance: &Instance, device: &DeviceInfo) -> f64 {
    DEVICE_FIXED
        + instance.longest_path() as f64 * LAUNCH
        + instance.lookups() as f64 / (UNIT_LOOKUPS * f64::from(device.compute_units))
}
