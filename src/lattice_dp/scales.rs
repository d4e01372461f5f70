//! Lattices in growing sizes, for [`Context::device_uses`](crate::Context::device_uses).

use super::MODEL;
use super::cost_model::{one_cpu_seconds, one_device_seconds};
use super::device::device_holds;
use super::instance::Instance;
use crate::context::{Engines, Expected, Scale};

pub(crate) const SCALES: &[Scale] =
    &[Scale { work: "lattices of four dimensions", unit: "cells", step: lattice }];

/// Cells along each dimension.
const SIDES: [u32; 14] = [6, 8, 11, 16, 23, 32, 45, 64, 76, 91, 108, 128, 152, 181];

/// Steps along one dimension or two.
fn lattice(step: u32, engines: &Engines<'_>) -> Option<Expected> {
    let sizes = [*SIDES.get(step as usize)?; 4];
    let pairs = (0..4).flat_map(|one| (one..4).map(move |other| (one, other)));
    let offset = |(one, other)| {
        let vector: [u32; 4] = std::array::from_fn(|axis| u32::from(axis == one || axis == other));
        (vector, 1)
    };
    let instance = Instance::new(&sizes, pairs.map(offset)).ok()?;
    let Engines { threads, processor, device, speeds } = engines;
    let bytes = instance.table_bytes();
    Some(Expected {
        size: instance.cells(),
        cpu: (MODEL, one_cpu_seconds(instance.dimensions(), bytes, *threads, processor)),
        device: match device_holds(bytes, device) {
            true => (MODEL, one_device_seconds(&instance, device, speeds, processor)),
            false => (MODEL, f64::INFINITY),
        },
    })
}
