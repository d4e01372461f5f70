//! Recurrences in growing sizes, for [`Context::device_uses`](crate::Context::device_uses).

use super::cost_model::{Core, cpu_seconds, device_seconds};
use super::instance::Instance;
use super::plan::EnginePlan;
use super::semiring::Semiring;
use super::{MODEL, Method, Options};
use crate::context::{Engines, Expected, Scale};

pub(crate) const SCALES: &[Scale] =
    &[Scale { work: "recurrences of 1,000 operands", unit: "elements", step: table }];

/// The largest table has 5.4e8 elements.
const STEPS: u32 = 8;

/// Operands that are 4,016 to 20,000 elements away.
fn table(step: u32, engines: &Engines<'_>) -> Option<Expected> {
    let length = (step < STEPS).then(|| 1 << (15 + 2 * step))?;
    let offsets = (0..1_000).map(|operand| 20_000 - 16 * operand).collect();
    let instance = Instance::new(Semiring::MinPlus, offsets, vec![0; 20_000], length).ok()?;
    let plan = EnginePlan::new(&instance, &Options::default(), Method::Blocked);
    let (threads, core) = (engines.threads, Core::of(engines.processor));
    Some(Expected {
        size: length,
        cpu: (MODEL, cpu_seconds(&plan, threads, core)),
        device: (MODEL, device_seconds(&plan, engines.speeds, threads, core)),
    })
}
