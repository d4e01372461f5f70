//! Nussinov's model as an interval recurrence over the points between the bases.
//!
//! The tables hold *losses*, which are never negative, so that 16 unsigned bits serve: a base costs
//! `half`, half of the largest weight, rounded up, and a pair gives its weight back. A cell's loss
//! is the sum over its bases minus the weights of its pairs.

use super::base::Base;
use super::instance::Instance;
use super::model::{Model, Nussinov};
use super::structure::Structure;
use super::{Found, Options};
use crate::context::wrong;
use crate::interval_dp::enclosing::{CLASSES, Enclosing};
use crate::interval_dp::number::Value;
use crate::interval_dp::options::Method;
use crate::interval_dp::semiring::{CellType, Semiring};
use crate::interval_dp::solver::CUBIC;
use crate::interval_dp::values::Values;
use crate::interval_dp::view::Request;
use crate::interval_dp::{self, CellCost, SplitCost, cost_model, cpu, device, serial};
use crate::memory::Gather;
use crate::opencl::{Device, Usual};
use crate::solve::Monitor;
use crate::{Dispatch, Error, Forecast, Result, memory};

/// The recurrence of losses.
pub(super) struct Losses {
    /// The leaves; a leaf is a base.
    leaves: interval_dp::Instance<i64>,
    enclosing: Enclosing,
    half: i64,
}

impl Losses {
    pub(super) fn new(instance: &Instance, model: &Nussinov) -> Result<Self> {
        let largest = i64::from(model.gc.max(model.au).max(model.gu));
        let half = (largest + 1) / 2;
        let leaves = interval_dp::Instance::custom(
            Semiring::MinPlus,
            memory::filled(half, instance.len())?,
            CellCost::None,
            SplitCost::None,
        )?;
        let mut costs = [0; CLASSES * CLASSES];
        for (place, cost) in costs.iter_mut().enumerate() {
            let [first, last] = [place / CLASSES, place % CLASSES].map(|class| Base::ALL[class]);
            *cost = 2 * half - i64::from(model.weight(first, last));
        }
        let enclosing = Enclosing {
            classes: instance.bases().iter().map(|&base| base as u8).gather()?,
            costs,
            otherwise: 2 * half,
            // No pair has more bases inside.
            least_inside: model.hairpin.min(instance.len()),
        };
        Ok(Losses { leaves, enclosing, half })
    }

    /// The input of an engine, with cells whose losses to return.
    pub(super) fn request<'a>(&'a self, cells: &'a [(usize, usize)]) -> Request<'a> {
        Request::enclosing(&self.leaves, &self.enclosing, cells)
    }

    /// The loss of a sequence without pairs, which bounds all cells and candidates.
    fn largest(&self) -> i64 {
        self.half * self.leaves.leaves().len() as i64
    }

    /// The requested type of the cells, or else the narrowest.
    pub(super) fn cell_type(&self, wanted: Option<CellType>) -> Result<CellType> {
        let largest = self.largest();
        let fits = |cell_type: &CellType| {
            !cell_type.is_float() && largest as f64 <= cell_type.exact_limit()
        };
        match wanted {
            None => Ok(CellType::ALL.into_iter().find(fits).unwrap_or(CellType::I64)),
            Some(wanted) if fits(&wanted) => Ok(wanted),
            Some(wanted) if wanted.is_float() => {
                Err(Error::argument("cell_type", "folding takes whole numbers"))
            }
            Some(wanted) => {
                let reason = format!("values up to {largest} may not fit into {wanted}");
                Err(Error::argument("cell_type", reason))
            }
        }
    }

    fn found(&self, values: Values<Value>) -> Result<Found> {
        let pairs = values.pairs.ok_or_else(|| Error::internal("a table without pairs"))?;
        Ok(Found { pairs, value: self.largest() - values.value.number::<i64>() })
    }
}

/// Solves the recurrence on the chosen engine.
pub(super) fn solve(
    instance: &Instance,
    model: &Nussinov,
    method: Method,
    options: &Options,
    dispatch: &mut Dispatch<'_>,
    monitor: &Monitor,
) -> Result<Found> {
    monitor.check_lists(LEAF_BYTES * instance.len() as u128, || {
        format!("the lists of {} bases", instance.len())
    })?;
    let losses = Losses::new(instance, model)?;
    let cell_type = losses.cell_type(options.cell_type)?;
    let (context, request) = (dispatch.context(), &losses.request(&[]));
    if method == Method::Serial {
        return losses.found(serial::solve(request, cell_type, monitor)?);
    }
    let forecast = Forecast {
        cpu: &|| {
            let speeds = context.processor_speeds();
            cost_model::cpu_seconds(&losses.leaves, cell_type, context.threads(), &speeds)
        },
        device: &|info, speeds| cost_model::device_seconds(&losses.leaves, cell_type, info, speeds),
        ..Forecast::of(CUBIC)
    };
    let on_device = |device: &Device| {
        let values = device::solve(Some(context), device, request, cell_type, monitor)?;
        check(instance, &losses, &values)?;
        Ok(values)
    };
    let on_cpu = |monitor: &Monitor| cpu::solve(context, request, cell_type, monitor);
    losses.found(dispatch.run(monitor, &forecast, on_device, on_cpu)?)
}

/// Bytes of the lists for each base: its loss in the instance and in cells, its class, and the
/// lists of classes in cells.
const LEAF_BYTES: u128 = 8 + 1 + 3 * 8;

/// Checks that a device's pairs have the value of its table.
fn check(instance: &Instance, losses: &Losses, values: &Values<Value>) -> Result<()> {
    let pairs = values.pairs.clone().unwrap_or_default();
    let found = Structure::new(instance.len(), pairs).and_then(|found| instance.evaluate(&found));
    match found.is_ok_and(|found| losses.largest() - found == values.value.number::<i64>()) {
        true => Ok(()),
        false => Err(wrong("pairs whose value differs from that of the sequence")),
    }
}

/// The programs for 16 and for 32 bits.
pub(super) fn usual_programs() -> impl Iterator<Item = Usual> {
    [CellType::U16, CellType::I32].into_iter().map(|cell_type| {
        Usual::new(device::FAMILY.name, move |device| {
            let model = Nussinov::default();
            let instance = Instance::new("A", Model::Nussinov(model))?;
            let losses = Losses::new(&instance, &model)?;
            device::laid_out(device, &losses.request(&[]).view, cell_type).map(drop)
        })
    })
}
