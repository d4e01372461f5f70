use super::super::instance::Instance;
use super::super::schedule::Schedule;
use super::super::semiring::Semiring;
use super::FAMILY;
use crate::Result;
use crate::opencl::Device;

/// The way in which a device fills tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Approach {
    Sequential,
    Tournament,
    Pipeline(Schedule),
    /// Computes in parallel all elements that do not depend on each other, over all instances.
    Gather,
    /// One work-group for each instance, with the latest elements in a ring in local memory.
    Ring(Ring),
    /// Blocks of at most this many elements, computed from their history and the impulse response.
    Blocks(usize),
}

/// Sizes of the ring's kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ring {
    /// Elements in the ring, a power of two.
    pub(super) size: usize,
    /// Elements in each step.
    pub(super) step: usize,
}

/// Add-min pairs of the device for an operand from its caches, and from local memory. Fitted to an
/// H200, as all these factors are.
const OPERAND_PAIRS: f64 = 20.0;
const RING_OPERAND_PAIRS: f64 = 8.0;
/// Elements of a ring's step that fill a compute unit.
const UNIT_ELEMENTS: f64 = 1024.0;
/// Clocks from one operand of a work-item to the next if too few work-items hide the latency.
const LATENCY_CLOCKS: f64 = 80.0;
/// Clocks of a step of a pipeline in one work-group, and its operands in that time.
const STEP_CLOCKS: f64 = 200.0;
const STEP_OPERANDS: f64 = 256.0;

/// The fastest approach of the general method.
pub(super) fn choose(instance: &Instance, value_bytes: usize, device: &Device) -> Result<Approach> {
    let Some(offsets) = instance.offsets() else { return plain_pipeline(instance) };
    let (length, operands) = (instance.length() as f64, offsets.len() as f64);
    let (count, units) = (instance.instances() as f64, f64::from(device.info().compute_units));
    let (tuned, sharing) = (|name| device.tuned(&FAMILY, name), sharing(device));
    let (speeds, clock) = (device.speeds(), 1.0 / device.info().clock_rate());
    // Seconds of a launch that applies `operands` operands to `elements` elements of each instance.
    let launch = |elements: f64, operands: f64| {
        let slices = slices((elements * count) as usize, sharing) as f64;
        let throughput = count * elements * operands * OPERAND_PAIRS / speeds.add_min_rate;
        speeds.launch_seconds + (operands / slices * LATENCY_CLOCKS * clock).max(throughput)
    };
    let smallest = (instance.smallest_offset() as f64).min(length);
    let mut best = (Approach::Gather, length / smallest * launch(smallest, operands));
    let mut offer = |approach, cost| {
        if cost < best.1 {
            best = (approach, cost);
        }
    };
    if matches!(instance.semiring(), Semiring::Custom(_) | Semiring::SumProduct) {
        // Without an impulse response, a pipeline in one work-group has the shortest steps.
        let fold = super::super::largest_fold(instance) as f64;
        let pipeline = plain_pipeline(instance)?;
        let step = STEP_CLOCKS * clock * (fold * operands / STEP_OPERANDS).max(1.0);
        offer(pipeline, length / fold * step);
    } else if instance.shares_weights() {
        // With different weights, each instance would need its own impulse response, which takes
        // the host too long.
        let (mut size, most) = (tuned("LEAST_BLOCK"), tuned("MOST_BLOCK"));
        while size <= most.max(tuned("LEAST_BLOCK")) {
            let block = size as f64;
            offer(
                Approach::Blocks(size),
                length / block * (launch(block, operands) + launch(block, block / 2.0)),
            );
            size *= 2;
        }
    }
    if let Some(ring) = ring(instance, value_bytes, device) {
        // Each instance has one group, on one compute unit.
        let share = (count / units).min(1.0) * (ring.step as f64 / UNIT_ELEMENTS).min(1.0);
        let pairs = length * count * operands * RING_OPERAND_PAIRS;
        offer(Approach::Ring(ring), pairs / (speeds.add_min_rate * share));
    }
    Ok(best.0)
}

/// A pipeline for rows and for operators without an impulse response.
fn plain_pipeline(instance: &Instance) -> Result<Approach> {
    let visit = if instance.offsets().is_none() { instance.operands() } else { 1 };
    Schedule::new(instance, visit, None).map(Approach::Pipeline)
}

/// How many work-items fill the device, and how many may share an element.
pub(super) fn sharing(device: &Device) -> [usize; 3] {
    let (info, tuned) = (device.info(), |name| device.tuned(&FAMILY, name));
    let (items, largest) = (tuned("UNIT_ITEMS"), info.max_work_group_size);
    let [most, few] = [tuned("MOST_SLICES"), tuned("FEW_SLICES")];
    [info.compute_units as usize * items, most.min(largest), few.min(largest)]
}

/// Number of work-items that share an element: several if the elements are too few to fill the
/// device.
pub(super) fn slices(elements: usize, [room, most, few]: [usize; 3]) -> usize {
    [most, few].into_iter().find(|slices| elements.saturating_mul(*slices) <= room).unwrap_or(1)
}

/// The ring for an instance, if local memory holds it together with the plan.
pub(super) fn ring(instance: &Instance, value_bytes: usize, device: &Device) -> Option<Ring> {
    let tuned = |name| device.tuned(&FAMILY, name);
    let step = usize::try_from(instance.smallest_offset()).ok()?.min(tuned("RING_STEP"));
    let size = usize::try_from(instance.offsets()?[0])
        .ok()?
        .checked_add(step)?
        .checked_next_power_of_two()?
        .max(tuned("LEAST_RING"));
    let plan = instance.operands().checked_mul(if value_bytes == 4 { 8 } else { 16 })?;
    let bytes = size.checked_mul(value_bytes)?.checked_add(plan)?;
    // Some drivers reserve a little local memory.
    (bytes as u64 + 256 <= device.info().local_memory_bytes
        && instance.length() <= u64::from(u32::MAX))
    .then_some(Ring { size, step })
}
