//! How long the engines and methods take: formulas over the measured facts of processor and device.
//! The shape factors were fitted to an H200 and 16 cores (Sapphire Rapids, AVX-512); see
//! docs/src/benchmarks/results.md.

use super::instance::Instance;
use super::plan::EnginePlan;
use super::semiring::Semiring;
use super::{Method, Output, blocked, jump, period};
use crate::ProcessorSpeeds;
use crate::context::SpotChecks;
use crate::opencl::{DeviceInfo, DeviceSpeeds};

/// Operands of the general method for each add-min pair of a core, with vectors, and for each of
/// those that wait for each other, without.
const CORE_SHARE: f64 = 0.63;
const CORE_SHARE_SINGLY: f64 = 0.4;
/// Add-min pairs, one after the other, for an element, for an operand too near for vectors, and for
/// an element of a sliding window.
const ELEMENT_PAIRS: f64 = 1.25;
const NEAR_PAIRS: f64 = 1.9;
const WINDOW_PAIRS: f64 = 7.5;
/// Add-min pairs, one after the other, for a term of a product in a jump, and for a term that
/// replaces a power by smaller ones.
const JUMP_PAIRS: f64 = 0.25;
const REPLACEMENT_PAIRS: f64 = 2.5;
/// Upper limit of an engine's speed in filling a table, relative to one core.
const FASTEST_ENGINE: f64 = 256.0;
/// Operands for each add-min pair of a device.
const DEVICE_SHARE: f64 = 0.11;
/// Launches of a step, with what the host does between them, in launches of a queue that does not
/// run empty. A step of operands that are all at least `STEP` elements away is one launch; others are
/// computed from their history and the response of their block.
const STEP_LAUNCHES: f64 = 5.5;
const FAR_STEP_LAUNCHES: f64 = 1.5;
const STEP: u64 = 1024;
/// Fixed seconds for buffers and transfers, mostly the host's work, and bytes for an element at the
/// speed of copies to the host.
const DEVICE_FIXED: f64 = 2e-4;
const ELEMENT_BYTES: f64 = 24.0;
/// Bytes of the narrowest element in a device's table.
const LEAST_BYTES: f64 = 4.0;
/// Add-min pairs, one after the other, for an operand that the host checks.
const CHECK_PAIRS: f64 = 7.0;
/// Seconds to read a table and to begin its check.
const TABLE_SECONDS: f64 = 1.5e-4;

/// Add-min pairs per second of a core.
#[derive(Clone, Copy)]
pub(super) struct Core {
    /// With vectors.
    pairs: f64,
    /// Each after the one before.
    serial: f64,
}

/// The core of the fit.
const REFERENCE: Core = Core {
    pairs: ProcessorSpeeds::FITTED_ADD_MIN_RATE,
    serial: ProcessorSpeeds::FITTED_SERIAL_RATE,
};

impl Core {
    pub(super) fn of(speeds: &ProcessorSpeeds) -> Core {
        Core { pairs: speeds.core_add_min_rate, serial: speeds.core_serial_rate }
    }
}

/// Whether a jump takes less time than the table on any engine, by the instance alone.
pub(super) fn jump_beats_all_engines(jump: &EnginePlan<'_>, table: &EnginePlan<'_>) -> bool {
    cpu_seconds(jump, 1, REFERENCE) * FASTEST_ENGINE < cpu_seconds(table, 1, REFERENCE)
}

/// Operands per second.
fn core_operands(instance: &Instance, core: Core) -> f64 {
    match instance.semiring() {
        Semiring::Custom(_) | Semiring::SumProduct => CORE_SHARE_SINGLY * core.serial,
        _ => CORE_SHARE * core.pairs,
    }
}

/// Estimated seconds on `threads` CPU threads; infinite if only a device can fill the tables.
pub(super) fn cpu_seconds(plan: &EnginePlan<'_>, threads: usize, core: Core) -> f64 {
    let instance = plan.instance;
    if instance.semiring().is_for_devices() {
        return f64::INFINITY;
    }
    let (count, elements) = (instance.instances(), instance.length() as f64);
    let side_by_side = count >= threads;
    let one = match plan.method {
        Method::Jump => jump_seconds(instance, core),
        Method::SlidingWindow => elements * WINDOW_PAIRS / core.serial,
        _ => {
            elements * ELEMENT_PAIRS / core.serial
                + operands_seconds(instance, if side_by_side { 1 } else { threads }, core)
        }
    };
    one * count as f64 / if side_by_side { threads as f64 } else { 1.0 }
}

fn jump_seconds(instance: &Instance, core: Core) -> f64 {
    let (degree, operands) = (instance.preset() as f64, instance.operands() as f64);
    let pairs = degree * (degree * JUMP_PAIRS + operands * REPLACEMENT_PAIRS);
    f64::from(jump::squarings(instance)) * pairs / core.serial
}

/// Seconds for the operands of one table by the general method.
fn operands_seconds(instance: &Instance, threads: usize, core: Core) -> f64 {
    let end = period::latest(instance).map_or(instance.length(), |end| end.min(instance.length()));
    let elements = end.saturating_sub(instance.preset()) as f64;
    let (near, spreads) = blocked::shape(instance);
    let threads = if spreads { threads as f64 } else { 1.0 };
    let far = (instance.operands() - near) as f64 / (core_operands(instance, core) * threads);
    elements * (far + near as f64 * NEAR_PAIRS / core.serial)
}

/// Estimated seconds on a device whose results `threads` CPU threads check; infinite if only the CPU
/// can fill the tables or the device has no room for them.
pub(super) fn device_seconds(
    plan: &EnginePlan<'_>,
    info: &DeviceInfo,
    speeds: &DeviceSpeeds,
    threads: usize,
    core: Core,
) -> f64 {
    let instance = plan.instance;
    if matches!(instance.semiring(), Semiring::Custom(operator) if operator.source.is_none()) {
        return f64::INFINITY;
    }
    let elements = instance.length() as f64 * instance.instances() as f64;
    if elements * LEAST_BYTES > info.max_allocation_bytes as f64 {
        return f64::INFINITY;
    }
    let smallest = instance.smallest_offset();
    let step_launches = if smallest < STEP { STEP_LAUNCHES } else { FAR_STEP_LAUNCHES };
    let steps = instance.length() as f64 / smallest.max(STEP) as f64;
    let transfer = match plan.output {
        Output::Table => elements * ELEMENT_BYTES / speeds.to_host_rate,
        Output::Last => 0.0,
    };
    let checked = match instance.semiring() {
        Semiring::Custom(_) => 0.0,
        _ => elements.min(SpotChecks::LEAST as f64) * instance.operands() as f64,
    };
    DEVICE_FIXED
        + transfer
        + checked * CHECK_PAIRS / (core.serial * threads as f64)
        + instance.instances() as f64 * TABLE_SECONDS
        + steps * step_launches * speeds.launch_seconds
        + instance.work() as f64 / (DEVICE_SHARE * speeds.add_min_rate)
}
