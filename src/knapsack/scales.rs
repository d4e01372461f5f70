//! Dense tables in growing sizes, for [`Context::device_uses`](crate::Context::device_uses).

use super::dense::MODEL;
use super::dense::cost_model::{CostModel, Kind};
use crate::context::{Engines, Expected, Scale};

pub(crate) const SCALES: &[Scale] = &[
    Scale {
        work: "dense tables of knapsacks",
        unit: "cells",
        step: |step, engines| table(Kind::Small, step, engines),
    },
    Scale {
        work: "dense tables of subset sums",
        unit: "cells",
        step: |step, engines| table(Kind::Sums, step, engines),
    },
];

/// The largest table has 1.7e13 cells, items times capacity.
const STEPS: u32 = 15;

/// A table of heavy items.
fn table(kind: Kind, step: u32, engines: &Engines<'_>) -> Option<Expected> {
    let size = (step < STEPS).then(|| 1 << (16 + 2 * step))?;
    let model = CostModel { kind, light: 0, heavy: size, threads: engines.threads };
    let cpu = (MODEL, model.cpu_seconds(engines.processor));
    Some(Expected { size, cpu, device: (MODEL, model.device_seconds(engines.speeds)) })
}
