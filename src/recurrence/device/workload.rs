//! Work by which the kernels are timed.

use std::cell::Cell;
use std::time::Duration;

use super::FAMILY;
use super::approach::Approach;
use super::coded::Facts;
use super::tables::Tables;
use crate::opencl::{Case, Device, Failing, TimedFamily, Workload, agree, timed};
use crate::random::Random;
use crate::recurrence::algebra::Algebra;
use crate::recurrence::engine::{Engine, run};
use crate::recurrence::filled_tables::FilledTables;
use crate::recurrence::problem::Problem;
use crate::recurrence::{Instance, Semiring, check};
use crate::solve::{Monitor, SolveOptions};
use crate::{Error, Result};

pub(crate) const TIMED: TimedFamily = TimedFamily {
    family: &super::FAMILY,
    workloads: &[
        Workload {
            name: "many operands",
            tunables: "PLAN_PART GROUP UNIT_ITEMS MOST_SLICES UNROLL",
            case: |_, size| gather(size, 1 << 10, 1 << 12),
        },
        Workload {
            name: "many elements",
            tunables: "GROUP MOST_OUTPUTS UNIT_GROUPS UNROLL",
            case: |device, size| match u64::from(device.info().compute_units) << 15 {
                nearest @ ..=MOST_NEAREST => gather(size, 16, nearest),
                _ => gather(size, 16, MOST_NEAREST),
            },
        },
    ],
};

/// Largest distance of an operand: larger tables take the CPU too long.
const MOST_NEAREST: u64 = 1 << 23;
/// Doublings of the largest table.
const MOST_DOUBLINGS: u32 = 10;

/// Computes in parallel the elements that do not depend on each other: as many as the `nearest`
/// operand is away.
fn gather(size: u32, operands: u64, nearest: u64) -> Result<Option<Case>> {
    if size > MOST_DOUBLINGS {
        return Ok(None);
    }
    let mut random = Random::new(5);
    let offsets: Vec<u64> = (0..operands).rev().map(|number| nearest + number).collect();
    let preset = nearest + operands - 1;
    let mut list = |count: u64| (0..count).map(|_| random.below(1000) as i64).collect::<Vec<_>>();
    let (initial, weights) = (list(preset), list(operands));
    let length = preset + (nearest << size);
    let instance =
        Instance::batch(Semiring::MinPlus, offsets, initial, length, 1)?.with_weights(weights)?;
    let expected = check::tables(&instance)?;
    Ok(Some(Box::new(move |device| {
        let filling =
            Filling { device, instance: &instance, found: Cell::default(), time: Cell::default() };
        run(&instance, &filling)?;
        agree("recurrence_gather", &filling.found.take(), &expected)?;
        Ok::<Duration, Failing>(filling.time.get())
    })))
}

/// Fills a table and notes its elements and the time.
struct Filling<'t> {
    device: &'t Device,
    instance: &'t Instance,
    found: Cell<Vec<i64>>,
    time: Cell<Duration>,
}

impl Engine for Filling<'_> {
    fn solve<A: Algebra + ?Sized>(&self, algebra: &A) -> Result<Option<FilledTables>> {
        let Some(problem) = Problem::new(algebra, self.instance)? else { return Ok(None) };
        let Some(tables) = Tables::new(self.device, &FAMILY, &problem)? else { return Ok(None) };
        let watch = Monitor::new(&SolveOptions::default());
        let Facts { preset, length, .. } = tables.problem().facts();
        let (is_out_of_range, time) = timed(|| {
            tables.fill(&Approach::Gather, preset, length, &watch)?;
            tables.is_out_of_range()
        })?;
        if is_out_of_range {
            return Err(Error::internal("elements are out of range"));
        }
        let mut found = Vec::new();
        tables.problem().decode(&tables.read(0, 0, length)?, 0..length, &mut found);
        self.found.set(found);
        self.time.set(time);
        Ok(Some(FilledTables::default()))
    }
}
