//! When which engine and method is faster. The figures are measured; see benches/README.md.

use super::instance::Instance;
use super::semiring::Semiring;
use super::{Method, Output, Plan, jump};
use crate::opencl::{DeviceInfo, DeviceKind};

/// Operands per second of one CPU core in the general method, in vectors and one by one.
const CORE_OPERANDS: f64 = 2.5e10;
const CORE_OPERANDS_SINGLY: f64 = 5e8;
/// Seconds of an element beside its operands, and of an element of a sliding window.
const ELEMENT: f64 = 1e-9;
const WINDOW_ELEMENT: f64 = 5e-9;
/// Operands per second of one compute unit of a graphics card.
const UNIT_OPERANDS: f64 = 7e9;
/// Seconds of one launch.
const LAUNCH: f64 = 6e-6;
/// Seconds of buffers and transfers, and of an element's way back.
const DEVICE_FIXED: f64 = 2e-4;
const DEVICE_ELEMENT: f64 = 5e-9;
/// Below this many seconds of CPU time a device that is not open yet is not worth the search for it.
const WORTH_A_LOOK: f64 = 0.05;

/// Whether a jump to the last element takes less time than the table.
pub(super) fn jump_is_faster(instance: &Instance) -> bool {
    (jump::work(instance) as f64) < instance.work() as f64 / instance.instances() as f64
}

/// Whether a sliding window takes less time than the general method.
pub(super) fn window_is_faster(instance: &Instance) -> bool {
    let operands = instance.operands() as f64 / core_operands(instance);
    operands > WINDOW_ELEMENT
}

/// Whether the CPU takes so long that a device may be worth looking for.
pub(super) fn device_is_promising(plan: &Plan<'_>, threads: usize) -> bool {
    match plan.instance.semiring() {
        semiring if semiring.is_for_devices() => true,
        Semiring::Custom(operator) if operator.source.is_none() => false,
        _ => cpu_seconds(plan, threads) > WORTH_A_LOOK,
    }
}

/// Whether that device is expected to fill the tables sooner than `threads` CPU threads.
pub(super) fn device_is_faster(cpu: &Plan<'_>, device: &Plan<'_>, threads: usize, info: &DeviceInfo) -> bool {
    match cpu.instance.semiring() {
        semiring if semiring.is_for_devices() => true,
        Semiring::Custom(operator) if operator.source.is_none() => false,
        // A CPU behind OpenCL has the same cores as the CPU engine.
        _ => info.kind != DeviceKind::Cpu && device_seconds(device, info) < cpu_seconds(cpu, threads),
    }
}

fn core_operands(instance: &Instance) -> f64 {
    match instance.semiring() {
        Semiring::Custom(_) | Semiring::SumProduct => CORE_OPERANDS_SINGLY,
        _ => CORE_OPERANDS,
    }
}

fn cpu_seconds(plan: &Plan<'_>, threads: usize) -> f64 {
    let instance = plan.instance;
    let elements = instance.length() as f64 * instance.instances() as f64;
    match plan.method {
        Method::Jump => jump::work(instance) as f64 * instance.instances() as f64 / core_operands(instance),
        Method::SlidingWindow => elements * WINDOW_ELEMENT,
        _ => elements * ELEMENT + instance.work() as f64 / (core_operands(instance) * threads as f64),
    }
}

fn device_seconds(plan: &Plan<'_>, info: &DeviceInfo) -> f64 {
    let instance = plan.instance;
    let elements = instance.length() as f64 * instance.instances() as f64;
    let steps = instance.length() as f64 / instance.smallest_offset().max(1024) as f64;
    let transfer = if plan.output == Output::Table { elements * DEVICE_ELEMENT } else { 0.0 };
    let launches = steps * 2.0 * LAUNCH;
    DEVICE_FIXED
        + transfer
        + launches
        + instance.work() as f64 / (UNIT_OPERANDS * f64::from(info.compute_units))
}
