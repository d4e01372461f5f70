//! Traceback: recovers the tree from the table by finding the splits along the optimal path again.

use super::cell_instance::{CellInstance, Terms};
use super::enclosing;
use super::number::Value;
use super::semiring::{Cell, Semiring};
use super::tree::Tree;
use super::values::Values;
use super::view::{CellCosts, Request};
use crate::memory::{Gather, Grow};
use crate::solve::Monitor;
use crate::{Error, Result, memory};

/// Splits between two checks for stops, about a millisecond.
const STEPS: usize = 1 << 14;

/// Reads the requested values from a table on the host and recovers the tree or the pairs, if there
/// are any.
pub(super) fn values<C: Cell>(
    instance: &CellInstance<'_, C>,
    request: &Request<'_>,
    cell: &dyn Fn(usize, usize) -> C,
    monitor: &Monitor,
) -> Result<Values<Value>> {
    let pairs = match request.view.cell_costs {
        CellCosts::Enclosing(enclosing) => {
            let cell = |i, j| cell(i, j).to_i64();
            Some(enclosing::pairs(enclosing, instance.points, &cell, monitor)?)
        }
        _ => None,
    };
    let tree = match instance.semiring.selects() && pairs.is_none() {
        true => Some(Tree::new(instance.points, &splits(instance, cell, monitor)?)?),
        false => None,
    };
    let value = |i, j| Value::of(instance.value(cell(i, j)));
    let cells = request.cells.iter().map(|&(i, j)| value(i, j)).gather()?;
    Ok(Values {
        value: value(0, instance.points - 1),
        cells,
        tree,
        pairs,
        terms: None,
        cell_type: C::TYPE,
    })
}

/// For each point 1 .. n - 1 the cell that it splits. Of splits with equal values the lowest is
/// taken.
fn splits<C: Cell>(
    instance: &CellInstance<'_, C>,
    cell: &dyn Fn(usize, usize) -> C,
    monitor: &Monitor,
) -> Result<Vec<(u32, u32)>> {
    let mut cells = memory::filled((0, 0), instance.points - 2)?;
    let mut open = vec![(0, instance.points - 1)];
    let mut steps = 0usize;
    while let Some((i, j)) = open.pop() {
        if j == i + 1 {
            continue;
        }
        let k = split(instance, cell, (i, j), || {
            steps += 1;
            if steps.is_multiple_of(STEPS) {
                monitor.report("tree", None);
                monitor.check()?;
            }
            Ok(())
        })?;
        cells[k - 1] = (i as u32, j as u32);
        open.try_push((k, j))?;
        open.try_push((i, k))?;
    }
    Ok(cells)
}

/// The lowest best split of a cell. `step` is called for every split looked at.
fn split<C: Cell>(
    instance: &CellInstance<'_, C>,
    cell: &dyn Fn(usize, usize) -> C,
    (i, j): (usize, usize),
    mut step: impl FnMut() -> Result<()>,
) -> Result<usize> {
    let (weight, wanted) = (instance.weight(i, j), cell(i, j));
    let explains = |value: C| instance.semiring.times(value, weight) == wanted;
    // If sums are exact, no split is better than one that explains the cell's value.
    let is_sum =
        matches!(instance.semiring, Semiring::MinPlus | Semiring::MaxPlus) && !C::TYPE.is_float();
    let mut best = (instance.semiring.zero(), i + 1);
    for k in i + 1..j {
        let value = instance.through((i, k, j), cell(i, k), cell(k, j));
        if is_sum && explains(value) {
            return Ok(k);
        }
        if k == i + 1 || value != best.0 && instance.semiring.plus(value, best.0) == value {
            best = (value, k);
        }
        step()?;
    }
    match explains(best.0) {
        true => Ok(best.1),
        // The sum of infinite costs of both signs is NaN.
        false if C::TYPE.is_float() && matches!(instance.terms, Terms::Function { .. }) => {
            Err(Error::argument(
                "split_cost",
                format!("infinite values of both signs leave cell ({i}, {j}) without one"),
            ))
        }
        false => Err(Error::internal(format!("no split explains cell ({i}, {j})"))),
    }
}
