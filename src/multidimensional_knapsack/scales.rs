//! Dense tables of three equal capacities in growing sizes, for [`Context::device_uses`](crate::Context::device_uses).

use super::cost_model::CostModel;
use super::cpu::threads_for;
use super::dense::MODEL;
use crate::context::{Engines, Expected, Scale};

pub(crate) const SCALES: &[Scale] =
    &[Scale { work: "dense tables of multidimensional knapsacks", unit: "cells", step: table }];

/// The largest table has 1.1e12 cells, items times capacities.
const STEPS: u32 = 13;
const ITEMS: u64 = 50;

fn table(step: u32, engines: &Engines<'_>) -> Option<Expected> {
    let cells = (step < STEPS).then(|| 1 << (10 + 2 * step))?;
    let rows = (cells as f64).powf(2.0 / 3.0) as u64;
    let mut model = CostModel::new(4, cells, rows);
    model.add(ITEMS, threads_for(cells, engines.threads));
    Some(Expected {
        size: cells * ITEMS,
        cpu: (MODEL, model.cpu_seconds(engines.processor)),
        device: (MODEL, model.device_seconds(engines.speeds)),
    })
}
