//! Work by which the kernel is timed.

use super::device::{POINTS, has_room, solve};
use crate::Result;
use crate::interval_dp::number::Value;
use crate::interval_dp::semiring::{CellType, Semiring};
use crate::interval_dp::tree::Tree;
use crate::interval_dp::view::Request;
use crate::interval_dp::{CellCost, Instance, SplitCost, serial};
use crate::opencl::{Case, Device, TimedFamily, Workload, agree, timed};
use crate::random::Random;
use crate::solve::{Monitor, SolveOptions};

pub(crate) const TIMED: TimedFamily = TimedFamily {
    family: &super::device::FAMILY,
    workloads: &[Workload {
        name: "small triangles",
        tunables: "BATCH_GROUP BATCH_INSTANCES",
        case: batch,
    }],
};

/// Different instances of a batch, all of the smallest batch, and doublings of the largest.
const KINDS: u64 = 16;
const INSTANCES: usize = 32;
const MOST_DOUBLINGS: u32 = 10;

/// Solves many small instances.
fn batch(device: &Device, size: u32) -> Result<Option<Case>> {
    if size > MOST_DOUBLINGS || !has_room(device.info(), CellType::I32) {
        return Ok(None);
    }
    let instances = (0..KINDS).map(instance).collect::<Result<Vec<Instance<i64>>>>()?;
    let monitor = || Monitor::new(&SolveOptions::default());
    let solve_one = |instance: &Instance<i64>| {
        let values = serial::solve(&Request::new(instance, &[]), CellType::I32, &monitor())?;
        Ok((values.value, values.tree))
    };
    let expected =
        instances.iter().map(solve_one).collect::<Result<Vec<(Value, Option<Tree>)>>>()?;
    Ok(Some(Box::new(move |device| {
        let all: Vec<_> = instances.iter().cycle().take(INSTANCES << size).collect();
        let (found, time) = timed(|| solve(None, device, &all, CellType::I32, &monitor()))?;
        let found: Vec<_> = found.into_iter().map(|values| (values.value, values.tree)).collect();
        found
            .chunks(expected.len())
            .try_for_each(|some| agree("interval_batch", some, &expected))?;
        Ok(time)
    })))
}

/// An instance with most or nearly most points.
fn instance(seed: u64) -> Result<Instance<i64>> {
    let points = POINTS - seed as usize % 8;
    let mut random = Random::new(seed);
    let mut list = || (0..points).map(|_| random.below(99) as i64).collect::<Vec<i64>>();
    let split_cost = SplitCost::Product { left: list(), split: list(), right: list() };
    Instance::custom(Semiring::MinPlus, vec![0; points - 1], CellCost::None, split_cost)
}
