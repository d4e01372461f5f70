//! Recurrences in growing sizes, for [`Context::device_uses`](crate::Context::device_uses).

use super::cost_model::{Core, cpu_seconds, device_seconds};
use super::instance::Instance;
use super::plan::EnginePlan;
use super::semiring::Semiring;
use super::{MODEL, Method, Options, Output};
use crate::context::{Engines, Expected, Scale};

pub(crate) const SCALES: &[Scale] =
    &[Scale { work: "recurrences of 1,000 operands", unit: "elements", step: table }];

/// The largest table has 5.4e8 elements.
const STEPS: u32 = 7;

/// Operands that are 100,000 elements away and more, in tables of which the last element is wanted.
fn table(step: u32, engines: &Engines<'_>) -> Option<Expected> {
    let length = (step < STEPS).then(|| 1 << (17 + 2 * step))?;
    let offsets = (0..1_000).map(|operand| 116_000 - 16 * operand).collect();
    let instance = Instance::new(Semiring::MinPlus, offsets, vec![0; 116_000], length).ok()?;
    let options = Options { output: Output::Last, ..Options::default() };
    let plan = EnginePlan::new(&instance, &options, Method::Blocked);
    let (threads, core) = (engines.threads, Core::of(engines.processor));
    Some(Expected {
        size: length,
        cpu: (MODEL, cpu_seconds(&plan, threads, core)),
        device: (MODEL, device_seconds(&plan, engines.device, engines.speeds, threads, core)),
    })
}
