//! The recurrence word for word, in three loops: the yardstick of the paper's speed-ups.

use super::instance::{pair, pairs};
use super::number::Number;
use super::plan::Plan;
use super::recovery;
use super::semiring::{Cell, CellType, MaxMin, MaxPlus, MinPlus, OrAnd, PlusTimes, Ring, Semiring};
use super::{Request, Values};
use crate::solve::Monitor;
use crate::{Error, Result};

/// Solves the instance in cells of that type; 16 bits become 32.
pub(super) fn solve<V: Number>(
    request: &Request<'_, V>,
    cell_type: CellType,
    monitor: &Monitor,
) -> Result<Values<V>> {
    match cell_type {
        CellType::U16 | CellType::I32 => solve_as::<V, i32>(request, monitor),
        CellType::I64 => solve_as::<V, i64>(request, monitor),
        CellType::F32 => solve_as::<V, f32>(request, monitor),
        CellType::F64 => solve_as::<V, f64>(request, monitor),
    }
}

fn solve_as<V: Number, C: Cell>(request: &Request<'_, V>, monitor: &Monitor) -> Result<Values<V>> {
    match request.instance.semiring() {
        Semiring::MinPlus => solve_with::<V, C, MinPlus>(request, monitor),
        Semiring::MaxPlus => solve_with::<V, C, MaxPlus>(request, monitor),
        Semiring::MaxMin => solve_with::<V, C, MaxMin>(request, monitor),
        Semiring::OrAnd => solve_with::<V, C, OrAnd>(request, monitor),
        Semiring::PlusTimes => solve_with::<V, C, PlusTimes>(request, monitor),
    }
}

fn solve_with<V: Number, C: Cell, R: Ring>(request: &Request<'_, V>, monitor: &Monitor) -> Result<Values<V>> {
    let plan = Plan::<V, C>::new(request.instance, 1);
    let points = plan.instance.points();
    let required = pairs(points) as u128 * size_of::<C>() as u128;
    let limit = monitor.memory_bytes();
    if required > limit.into() {
        let what = format!("a triangle of {} {}", pairs(points), C::TYPE);
        return Err(Error::OutOfMemory { what, required, limit });
    }
    let mut table = vec![C::default(); pairs(points)];
    let mut steps = 0;
    for length in 1..points {
        monitor.report("serial", Some(length as f64 / points as f64));
        for i in 0..points - length {
            let j = i + length;
            let mut sum = R::zero::<C>();
            for k in i + 1..j {
                let (left, right) = (table[pair(points, i, k)], table[pair(points, k, j)]);
                sum = R::plus(sum, plan.through::<R>((i, k, j), left, right));
                steps += 1;
                monitor.check_step(steps)?;
            }
            let weight = plan.weight::<R>(i, j);
            table[pair(points, i, j)] = if length == 1 { weight } else { R::times(sum, weight) };
        }
    }
    recovery::values::<V, C, R>(&plan, request, |i, j| table[pair(points, i, j)], monitor)
}
