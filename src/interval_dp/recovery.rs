//! From the table to the answer: the tree along the optimal path, by looking for the splits anew.

use super::number::{Number, from_cell};
use super::plan::Plan;
use super::semiring::{Cell, Ring};
use super::tree::Tree;
use super::{Request, Values};
use crate::solve::Monitor;
use crate::{Error, Result};

/// Reads the wanted values out of a table on the host and recovers the tree, if the semiring has one.
pub(super) fn values<V: Number, C: Cell, R: Ring>(
    plan: &Plan<'_, V, C>,
    request: &Request<'_, V>,
    cell: impl Fn(usize, usize) -> C,
    monitor: &Monitor,
) -> Result<Values<V>> {
    let points = plan.instance.points();
    let tree = match R::SEMIRING.selects() {
        true => Some(Tree::new(points, &splits::<V, C, R>(plan, &cell, monitor)?)),
        false => None,
    };
    let cells = request.cells.iter().map(|&(i, j)| from_cell(cell(i, j))).collect();
    Ok(Values { value: from_cell(cell(0, points - 1)), cells, tree, cell_type: C::TYPE })
}

/// The cell that is split at each point 1 .. n - 1. Among splits of equal value the lowest counts.
fn splits<V: Number, C: Cell, R: Ring>(
    plan: &Plan<'_, V, C>,
    cell: &impl Fn(usize, usize) -> C,
    monitor: &Monitor,
) -> Result<Vec<(u32, u32)>> {
    let points = plan.instance.points();
    let mut cells = vec![(0, 0); points - 2];
    let mut open = vec![(0, points - 1)];
    let mut steps = 0;
    while let Some((i, j)) = open.pop() {
        if j == i + 1 {
            continue;
        }
        let mut best = (R::zero::<C>(), i + 1);
        for k in i + 1..j {
            let value = plan.through::<R>((i, k, j), cell(i, k), cell(k, j));
            if k == i + 1 || value != best.0 && R::plus(value, best.0) == value {
                best = (value, k);
            }
            steps += 1;
            monitor.check_step(steps)?;
        }
        let (sum, k) = best;
        if R::times(sum, plan.weight::<R>(i, j)) != cell(i, j) {
            return Err(Error::Internal(format!("no split explains cell ({i}, {j})")));
        }
        cells[k - 1] = (i as u32, j as u32);
        open.push((k, j));
        open.push((i, k));
    }
    Ok(cells)
}
