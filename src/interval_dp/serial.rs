//! The recurrence exactly as defined, in three loops: the baseline of the paper's speed-ups.

use super::cell_instance::{CellInstance, Terms};
use super::instance::{pair, pairs};
use super::number::Value;
use super::semiring::{
    Cell, CellType, MaxMin, MaxPlus, MinPlus, OrAnd, PlusTimes, Ring, Semiring, by_cell_type,
};
use super::traceback;
use super::values::Values;
use super::view::Request;
use crate::Result;
use crate::memory;
use crate::solve::Monitor;

/// Solves the instance in cells of the given type; 16 bits become 32.
pub(super) fn solve(
    request: &Request<'_>,
    cell_type: CellType,
    monitor: &Monitor,
) -> Result<Values<Value>> {
    by_cell_type!(cell_type, solve_as(request, monitor))
}

fn solve_as<C: Cell>(request: &Request<'_>, monitor: &Monitor) -> Result<Values<Value>> {
    let instance = &CellInstance::<C>::new(&request.view, 1)?;
    let points = instance.points;
    let required = pairs(points) as u128 * size_of::<C>() as u128;
    monitor.check_memory(required, || format!("a triangle of {} {}", pairs(points), C::TYPE))?;
    let sum = match instance.semiring {
        Semiring::MinPlus => sum::<C, MinPlus>,
        Semiring::MaxPlus => sum::<C, MaxPlus>,
        Semiring::MaxMin => sum::<C, MaxMin>,
        Semiring::OrAnd => sum::<C, OrAnd>,
        Semiring::PlusTimes => sum::<C, PlusTimes>,
    };
    let mut table = memory::zeroed::<C>(pairs(points))?;
    for length in 1..points {
        monitor.report("serial", Some(length as f64 / points as f64));
        for i in 0..points - length {
            monitor.check()?;
            let (j, weight) = (i + length, instance.weight(i, i + length));
            table[pair(points, i, j)] = match length {
                1 => weight,
                2 => {
                    instance.finished(sum(instance, &table, i, j), weight, instance.semiring.one())
                }
                _ => {
                    let enclosed = table[pair(points, i + 1, j - 1)];
                    instance.finished(sum(instance, &table, i, j), weight, enclosed)
                }
            };
        }
    }
    traceback::values(instance, request, &|i, j| table[pair(points, i, j)], monitor)
}

/// The sum over all splits of a cell.
fn sum<C: Cell, R: Ring>(instance: &CellInstance<'_, C>, table: &[C], i: usize, j: usize) -> C {
    let cell = |i, j| table[pair(instance.points, i, j)];
    let parts = |k| R::times(cell(i, k), cell(k, j));
    let splits = i + 1..j;
    match &instance.terms {
        Terms::None => splits.fold(R::zero(), |sum, k| R::plus(sum, parts(k))),
        Terms::Product { left, split, right } => splits.fold(R::zero(), |sum, k| {
            R::plus(sum, left[i].mul_add(split[k].mul(right[j]), parts(k)))
        }),
        Terms::Function { .. } => splits.fold(R::zero(), |sum, k| {
            R::plus(sum, instance.through_by_call((i, k, j), cell(i, k), cell(k, j)))
        }),
    }
}
