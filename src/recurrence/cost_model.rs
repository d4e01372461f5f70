//! Estimates which engine and method is faster. The figures are measured; see
//! docs/src/benchmarks/results.md.

use super::instance::Instance;
use super::plan::EnginePlan;
use super::semiring::Semiring;
use super::{Method, Output, blocked, jump, period};
use crate::opencl::DeviceInfo;

/// Operands per second of one CPU core in the general method, with vectors and one by one.
const CORE_OPERANDS: f64 = 2.5e10;
const CORE_OPERANDS_SINGLY: f64 = 5e8;
/// Fixed seconds of an element, seconds of an operand too near for vectors, and seconds of an
/// element of a sliding window.
const ELEMENT: f64 = 1e-9;
const NEAR_OPERAND: f64 = 1.5e-9;
const WINDOW_ELEMENT: f64 = 6e-9;
/// Seconds of one term of a product in a jump, and of one term that replaces a power by smaller
/// ones.
const JUMP_TERM: f64 = 2e-10;
const JUMP_REPLACEMENT: f64 = 2e-9;
/// Upper limit of an engine's speed in filling a table, relative to one core.
const FASTEST_ENGINE: f64 = 256.0;
/// Operands per second of one compute unit of a graphics card.
const UNIT_OPERANDS: f64 = 7e9;
/// Seconds of one launch.
const LAUNCH: f64 = 6e-6;
/// Fixed seconds for buffers and transfers, and seconds to copy an element to the host.
const DEVICE_FIXED: f64 = 2e-4;
const DEVICE_ELEMENT: f64 = 5e-9;

/// Whether a jump takes less time than the table on any engine.
pub(super) fn jump_beats_all_engines(jump: &EnginePlan<'_>, table: &EnginePlan<'_>) -> bool {
    cpu_seconds(jump, 1) * FASTEST_ENGINE < cpu_seconds(table, 1)
}

/// Whether a jump takes less time than the table on this device.
pub(super) fn jump_beats_device(
    jump: &EnginePlan<'_>,
    table: &EnginePlan<'_>,
    threads: usize,
    info: &DeviceInfo,
) -> bool {
    cpu_seconds(jump, threads) < device_seconds(table, info)
}

fn core_operands(instance: &Instance) -> f64 {
    match instance.semiring() {
        Semiring::Custom(_) | Semiring::SumProduct => CORE_OPERANDS_SINGLY,
        _ => CORE_OPERANDS,
    }
}

/// Estimated seconds on `threads` CPU threads; infinite if only a device can fill the tables.
pub(super) fn cpu_seconds(plan: &EnginePlan<'_>, threads: usize) -> f64 {
    let instance = plan.instance;
    if instance.semiring().is_for_devices() {
        return f64::INFINITY;
    }
    let (count, elements) = (instance.instances(), instance.length() as f64);
    let side_by_side = count >= threads;
    let one = match plan.method {
        Method::Jump => jump_seconds(instance),
        Method::SlidingWindow => elements * WINDOW_ELEMENT,
        _ => {
            elements * ELEMENT + operands_seconds(instance, if side_by_side { 1 } else { threads })
        }
    };
    one * count as f64 / if side_by_side { threads as f64 } else { 1.0 }
}

fn jump_seconds(instance: &Instance) -> f64 {
    let (degree, operands) = (instance.preset() as f64, instance.operands() as f64);
    let squaring = degree * (degree * JUMP_TERM + operands * JUMP_REPLACEMENT);
    f64::from(jump::squarings(instance)) * squaring
}

/// Seconds for the operands of one table by the general method.
fn operands_seconds(instance: &Instance, threads: usize) -> f64 {
    let end = period::latest(instance).map_or(instance.length(), |end| end.min(instance.length()));
    let elements = end.saturating_sub(instance.preset()) as f64;
    let (near, spreads) = blocked::shape(instance);
    let threads = if spreads { threads as f64 } else { 1.0 };
    let far = (instance.operands() - near) as f64 / (core_operands(instance) * threads);
    elements * (far + near as f64 * NEAR_OPERAND)
}

/// Estimated seconds on a device; infinite if only the CPU can fill the tables.
pub(super) fn device_seconds(plan: &EnginePlan<'_>, info: &DeviceInfo) -> f64 {
    let instance = plan.instance;
    if matches!(instance.semiring(), Semiring::Custom(operator) if operator.source.is_none()) {
        return f64::INFINITY;
    }
    let elements = instance.length() as f64 * instance.instances() as f64;
    let steps = instance.length() as f64 / instance.smallest_offset().max(1024) as f64;
    let transfer = if plan.output == Output::Table { elements * DEVICE_ELEMENT } else { 0.0 };
    let launches = steps * 2.0 * LAUNCH;
    DEVICE_FIXED
        + transfer
        + launches
        + instance.work() as f64 / (UNIT_OPERANDS * f64::from(info.compute_units))
}
