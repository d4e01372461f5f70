//! Recurrences in growing sizes, for [`Context::device_uses`](crate::Context::device_uses).

use super::cost_model::{Core, cpu_seconds, device_seconds};
use super::instance::Instance;
use super::plan::EnginePlan;
use super::semiring::Semiring;
use super::{Method, Options};
use crate::context::{Engines, Expected, Scale};

pub(crate) const SCALES: &[Scale] =
    &[Scale { work: "recurrences of 64 operands", unit: "elements", step: table }];

/// The largest table has 2.7e8 elements.
const STEPS: u32 = 8;

/// Operands that are 4,000 to 8,000 elements away.
fn table(step: u32, engines: &Engines<'_>) -> Option<Expected> {
    let length = (step < STEPS).then(|| 1 << (14 + 2 * step))?;
    let offsets = (0..64).map(|operand| 8_000 - 61 * operand).collect();
    let instance = Instance::new(Semiring::MinPlus, offsets, vec![0; 8_000], length).ok()?;
    let plan = EnginePlan::new(&instance, &Options::default(), Method::Blocked);
    let (threads, core) = (engines.threads, Core::of(engines.processor));
    Some(Expected {
        size: length,
        cpu: cpu_seconds(&plan, threads, core),
        device: device_seconds(&plan, engines.speeds, threads, core),
    })
}
