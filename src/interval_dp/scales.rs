//! Interval programs in growing sizes, for [`Context::device_uses`](crate::Context::device_uses).

use super::cost_model::{cpu_seconds, device_seconds, knuth_device_seconds, knuth_seconds};
use super::instance::Instance;
use super::semiring::CellType;
use super::solver::{CUBIC, CUBIC_WITH_TERMS, KNUTH, ON_DEVICE};
use crate::context::{Engines, Expected, Scale};

pub(crate) const SCALES: &[Scale] = &[
    Scale { work: "interval programs by the cubic method", unit: "points", step: cubic },
    Scale { work: "search trees", unit: "keys", step: search_tree },
];

/// The largest size has 65,536 points.
const STEPS: u32 = 11;

fn size(step: u32) -> Option<usize> {
    (step < STEPS).then(|| 64 << step)
}

fn cubic(step: u32, engines: &Engines<'_>) -> Option<Expected> {
    let size = size(step)?;
    let instance = Instance::matrix_chain(vec![10i64; size]).ok()?;
    let cell_type = CellType::I32;
    Some(Expected {
        size: size as u64,
        cpu: (
            CUBIC_WITH_TERMS,
            cpu_seconds(&instance, cell_type, engines.threads, engines.processor),
        ),
        device: (
            CUBIC_WITH_TERMS,
            device_seconds(&instance, cell_type, engines.device, engines.speeds),
        ),
    })
}

/// Both engines choose between the cubic method and Knuth's bound.
fn search_tree(step: u32, engines: &Engines<'_>) -> Option<Expected> {
    let size = size(step)?;
    let instance = Instance::search_tree(&vec![1i64; size], &vec![1; size + 1]).ok()?;
    let (cell_type, Engines { threads, processor, device, speeds }) = (CellType::I32, engines);
    let cubic = cpu_seconds(&instance, cell_type, *threads, processor);
    let knuth = knuth_seconds(&instance, processor);
    let cubic_on_device = device_seconds(&instance, cell_type, device, speeds);
    let knuth_on_device = knuth_device_seconds(&instance, cell_type, device, speeds);
    Some(Expected {
        size: size as u64,
        cpu: if cubic < knuth { (CUBIC, cubic) } else { (KNUTH, knuth) },
        device: (ON_DEVICE, cubic_on_device.min(knuth_on_device)),
    })
}
