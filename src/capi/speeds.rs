//! How fast devices and the processor are.

use std::mem::offset_of;
use std::time::{SystemTime, UNIX_EPOCH};

use super::context::{Call, mks_context};
use super::guard::guard;
use super::stamped::{self, OutStamped, Stamped};
use super::status::{Failure, mks_status};
use crate::{DeviceSpeeds, ProcessorSpeeds};

/// How fast one OpenCL device is. Rates are per second and of the whole device.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mks_device_speeds {
    /// Size of this struct in the calling program; set by the init function.
    pub struct_size: usize,
    /// 1 if the device was measured, 0 if the figures are estimates from its description.
    pub measured: i32,
    /// 1 if the device has a barrier across all work-groups, otherwise 0.
    pub has_barrier: i32,
    /// When the device was measured, in seconds since 1970; 0 if it was not.
    pub measured_at: u64,
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
    /// Seconds of a barrier across all work-groups inside a kernel; 0 without one.
    pub barrier_seconds: f64,
}

// SAFETY: no padding, and every bit pattern is a valid number.
unsafe impl Stamped for mks_device_speeds {
    const ARGUMENT: &'static str = "speeds";
    const FIRST_SIZE: usize = offset_of!(Self, barrier_seconds) + 8;
    const DEFAULT: Self = mks_device_speeds {
        struct_size: size_of::<Self>(),
        measured: 0,
        has_barrier: 0,
        measured_at: 0,
        launch_seconds: 0.0,
        round_trip_seconds: 0.0,
        to_device_rate: 0.0,
        to_host_rate: 0.0,
        add_min_rate: 0.0,
        wide_add_min_rate: 0.0,
        global_rate: 0.0,
        local_rate: 0.0,
        barrier_seconds: 0.0,
    };

    fn reserved_is_zero(&self) -> bool {
        true
    }
}

impl From<DeviceSpeeds> for mks_device_speeds {
    fn from(speeds: DeviceSpeeds) -> Self {
        mks_device_speeds {
            struct_size: size_of::<Self>(),
            measured: speeds.measured.into(),
            has_barrier: speeds.barrier_seconds.is_some().into(),
            measured_at: unix_seconds(speeds.measured_at),
            launch_seconds: speeds.launch_seconds,
            round_trip_seconds: speeds.round_trip_seconds,
            to_device_rate: speeds.to_device_rate,
            to_host_rate: speeds.to_host_rate,
            add_min_rate: speeds.add_min_rate,
            wide_add_min_rate: speeds.wide_add_min_rate,
            global_rate: speeds.global_rate,
            local_rate: speeds.local_rate,
            barrier_seconds: speeds.barrier_seconds.unwrap_or(0.0),
        }
    }
}

/// How fast the processor is. Rates are per second.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mks_processor_speeds {
    /// Size of this struct in the calling program; set by the init function.
    pub struct_size: usize,
    /// 1 if the processor was measured, 0 if the figures are estimates.
    pub measured: i32,
    /// Threads of the context.
    pub threads: u32,
    /// When the processor was measured, in seconds since 1970; 0 if it was not.
    pub measured_at: u64,
    /// Pairs of an addition and a minimum of 32-bit integers that one core computes per second,
    /// with its widest vectors.
    pub core_add_min_rate: f64,
    /// The same one by one, each pair after the one before.
    pub core_serial_rate: f64,
    /// Bytes per second that one core reads from and writes to memory.
    pub core_memory_rate: f64,
    /// Bytes per second that all threads together read from and write to memory.
    pub memory_rate: f64,
    /// Seconds to wake the threads of a context and to join them.
    pub wake_seconds: f64,
}

// SAFETY: no padding, and every bit pattern is a valid number.
unsafe impl Stamped for mks_processor_speeds {
    const ARGUMENT: &'static str = "speeds";
    const FIRST_SIZE: usize = offset_of!(Self, wake_seconds) + 8;
    const DEFAULT: Self = mks_processor_speeds {
        struct_size: size_of::<Self>(),
        measured: 0,
        threads: 0,
        measured_at: 0,
        core_add_min_rate: 0.0,
        core_serial_rate: 0.0,
        core_memory_rate: 0.0,
        memory_rate: 0.0,
        wake_seconds: 0.0,
    };

    fn reserved_is_zero(&self) -> bool {
        true
    }
}

impl mks_processor_speeds {
    fn new(speeds: ProcessorSpeeds, threads: usize) -> Self {
        mks_processor_speeds {
            struct_size: size_of::<Self>(),
            measured: speeds.measured.into(),
            threads: u32::try_from(threads).unwrap_or(u32::MAX),
            measured_at: unix_seconds(speeds.measured_at),
            core_add_min_rate: speeds.core_add_min_rate,
            core_serial_rate: speeds.core_serial_rate,
            core_memory_rate: speeds.core_memory_rate,
            memory_rate: speeds.memory_rate,
            wake_seconds: speeds.wake_seconds,
        }
    }
}

fn unix_seconds(time: Option<SystemTime>) -> u64 {
    time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |since| since.as_secs())
}

/// Prepares the struct; `size` is sizeof(mks_device_speeds).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_device_speeds_init(
    speeds: *mut mks_device_speeds,
    size: usize,
) -> mks_status {
    // SAFETY: the header demands room for that many bytes, or NULL.
    unsafe { stamped::init(speeds, size) }
}

/// Prepares the struct; `size` is sizeof(mks_processor_speeds).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_processor_speeds_init(
    speeds: *mut mks_processor_speeds,
    size: usize,
) -> mks_status {
    // SAFETY: the header demands room for that many bytes, or NULL.
    unsafe { stamped::init(speeds, size) }
}

/// Measures how fast the processor and all devices are, and keeps the figures with the built
/// kernels for later processes. Later choices of the engine rest on them. It takes about 50 ms for
/// the processor and 0.3 s for a device, and the time of opening devices and building kernels. Call
/// it while the machine has no other work. A device that fails or computes wrongly keeps its
/// estimate, and the log says why; that is no error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_context_calibrate(context: *const mks_context) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        let call = unsafe { Call::enter(context) }?;
        call.calibrate()?;
        Ok(())
    })
}

/// How fast device `index` is, from 0 and below ::mks_context_device_count: as measured in this or
/// an earlier process, otherwise an estimate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_context_device_speeds(
    context: *const mks_context,
    index: usize,
    speeds: *mut mks_device_speeds,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        let call = unsafe { Call::enter(context) }?;
        // SAFETY: the header demands an initialised struct or NULL.
        let out = unsafe { OutStamped::new(speeds) }?;
        let count = call.devices().len();
        if index >= count {
            let reason = format!("{index} is not below the device count {count}");
            return Err(Failure::argument("index", reason));
        }
        out.write(call.device_speeds(index)?.into());
        Ok(())
    })
}

/// How fast the processor is: as measured in this or an earlier process, otherwise an estimate.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_context_processor_speeds(
    context: *const mks_context,
    speeds: *mut mks_processor_speeds,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        let call = unsafe { Call::enter(context) }?;
        // SAFETY: the header demands an initialised struct or NULL.
        let out = unsafe { OutStamped::new(speeds) }?;
        out.write(mks_processor_speeds::new(call.processor_speeds(), call.threads()));
        Ok(())
    })
}
