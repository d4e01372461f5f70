//! How fast a device is: the facts that cost models are formulas over.

use std::time::SystemTime;

use super::facts::{DeviceInfo, DeviceKind};

/// How fast a device is. All rates are per second and of the whole device.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct DeviceSpeeds {
    /// Whether the device was measured. Otherwise the figures are estimates from its description.
    pub measured: bool,
    /// When the device was measured, by the clock of the system.
    pub measured_at: Option<SystemTime>,
    /// Seconds from one launch to the next in a queue that does not run empty.
    pub launch_seconds: f64,
    /// Seconds of a launch and the wait for its end.
    pub round_trip_seconds: f64,
    /// Bytes per second from the host to the device.
    pub to_device_rate: f64,
    /// Bytes per second from the device to the host.
    pub to_host_rate: f64,
    /// Pairs of an addition and a minimum of 32-bit integers per second, in registers.
    pub add_min_rate: f64,
    /// The same for 64-bit integers.
    pub wide_add_min_rate: f64,
    /// Bytes per second that kernels read from and write to global memory.
    pub global_rate: f64,
    /// Bytes per second that kernels read from and write to local memory.
    pub local_rate: f64,
    /// Seconds of a barrier across all work-groups, if they can wait for each other inside a
    /// kernel.
    pub barrier_seconds: Option<f64>,
}

impl DeviceSpeeds {
    /// Cautious estimates from the description, for a device that was not measured.
    pub(crate) fn estimate(info: &DeviceInfo, groups_can_wait: bool) -> DeviceSpeeds {
        let clock = f64::from(info.clock_megahertz.max(100)) * 1e6;
        let is_processor = info.kind == DeviceKind::Cpu;
        let pairs_per_clock = info.lanes_per_unit() / 2.0;
        let add_min_rate = f64::from(info.compute_units) * clock * pairs_per_clock;
        let (launch_seconds, copies) = if is_processor { (2e-5, 8e9) } else { (1e-5, 4e9) };
        DeviceSpeeds {
            measured: false,
            measured_at: None,
            launch_seconds,
            round_trip_seconds: 5.0 * launch_seconds,
            to_device_rate: copies,
            to_host_rate: copies,
            add_min_rate,
            wide_add_min_rate: add_min_rate / 4.0,
            // Cards have about a byte of bandwidth for each two pairs.
            global_rate: if is_processor { 1e10 } else { add_min_rate / 2.0 },
            local_rate: 2.0 * add_min_rate,
            barrier_seconds: groups_can_wait.then_some(5e-6),
        }
    }
}
