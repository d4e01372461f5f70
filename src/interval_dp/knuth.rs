//! Knuth's bound (Knuth 1971, Yao 1980): if w obeys the quadrangle inequality and grows with its
//! interval, the lowest best split of (i, j) lies between those of (i, j - 1) and (i + 1, j). All
//! cells together then look at O(n^2) splits.

use std::ops::Range;

use super::cell_instance::CellInstance;
use super::instance::{CellCost, Instance, SplitCost, pair, pairs};
use super::number::{Number, Value};
use super::semiring::{Cell, CellType, Semiring};
use super::traceback;
use super::values::{BoundedValues, Values};
use super::view::Request;
use crate::memory::Gather;
use crate::solve::{Monitor, Statistics};
use crate::table::Table;
use crate::{Error, Result, memory};

/// Rows that are solved in step, enough to hide the latency of each cell's dependence on the one to
/// its left.
const ROWS: usize = 8;

/// Whether the instance has the form that the method needs. The inequality is checked separately.
pub(super) fn has_form<V: Number>(instance: &Instance<V>) -> bool {
    instance.semiring() == Semiring::MinPlus && !instance.has_terms()
}

/// Whether real numbers can be rounded to a [`Grid`] without breaking the inequality.
pub(super) fn has_grid<V: Number>(instance: &Instance<V>) -> bool {
    !matches!(instance.cell_cost(), CellCost::Table(_))
}

/// Whether w obeys the quadrangle inequality w(i, j) + w(i', j') <= w(i', j) + w(i, j') for i <= i'
/// < j <= j', and w(i', j) <= w(i, j'). Checking neighbours is enough: O(n) for separable costs,
/// O(n^2) for a table.
pub(super) fn obeys_quadrangle<V: Number>(
    instance: &Instance<V>,
    monitor: &Monitor,
) -> Result<bool> {
    let points = instance.points();
    match instance.cell_cost() {
        CellCost::None => Ok(true),
        // Both sides of the quadrangle inequality are equal.
        CellCost::Separable { row, column } => {
            Ok(row[..points - 1].windows(2).all(|pair| pair[0] >= pair[1])
                && column[1..].windows(2).all(|pair| pair[0] <= pair[1]))
        }
        CellCost::Table(_) => {
            let weight = |i, j| instance.weight(i, j).unwrap_or_default();
            for i in 0..points {
                monitor.check()?;
                for j in i + 2..points {
                    let (shorter, lower) = (weight(i, j - 1), weight(i + 1, j));
                    if weight(i, j) < shorter || weight(i, j) < lower {
                        return Ok(false);
                    }
                    if j + 1 < points {
                        let straight = weight(i, j).checked_add(weight(i + 1, j + 1));
                        let crossed = lower.checked_add(weight(i, j + 1));
                        if !matches!((straight, crossed), (Some(a), Some(b)) if a <= b) {
                            return Ok(false);
                        }
                    }
                }
            }
            Ok(true)
        }
    }
}

/// Solves an instance of whole numbers whose w is known to obey the inequality.
pub(super) fn solve(
    request: &Request<'_>,
    cell_type: CellType,
    monitor: &Monitor,
    statistics: &mut Statistics,
) -> Result<Values<Value>> {
    match cell_type {
        CellType::U16 | CellType::I32 => solve_as::<i32>(request, monitor, statistics),
        _ => solve_as::<i64>(request, monitor, statistics),
    }
}

/// An instance of real numbers, rounded to a grid on which all sums are exact.
pub(super) struct Grid {
    pub(super) instance: Instance<i64>,
    /// Grid steps for each unit: a number times `steps` is rounded.
    steps: f64,
    /// Upper limit of the difference between a tree's cost and its rounded cost.
    error: f64,
}

impl Grid {
    pub(super) fn new<V: Number>(instance: &Instance<V>) -> Result<Self> {
        let points = instance.points() as f64;
        let largest = |list: &[V]| {
            list.iter().fold(0.0f64, |largest, value| largest.max(value.to_f64().abs()))
        };
        let (largest, weights_error) = match instance.cell_cost() {
            CellCost::None => (largest(instance.leaves()), 0.0),
            // A weight is the sum of two numbers, and one may be rounded down and the other up.
            CellCost::Separable { row, column } => {
                (largest(row) + largest(column) + largest(instance.leaves()), 2.0)
            }
            CellCost::Table(_) => {
                return Err(Error::unsupported(
                    "Knuth's bound for a table of real numbers, whose rounding may break the quadrangle inequality",
                ));
            }
        };
        // Sums of as many terms as a tree has must stay below 2^62.
        let room = f64::exp2(62.0) / (4.0 * points) / largest.max(f64::MIN_POSITIVE);
        let steps = f64::exp2(room.log2().floor().clamp(-1000.0, 1000.0));
        let round =
            |list: &[V]| list.iter().map(|value| (value.to_f64() * steps).round() as i64).gather();
        let cell_cost = match instance.cell_cost() {
            CellCost::Separable { row, column } => {
                CellCost::Separable { row: round(row)?, column: round(column)? }
            }
            _ => CellCost::None,
        };
        let leaves = round(instance.leaves())?;
        let instance = Instance::custom(Semiring::MinPlus, leaves, cell_cost, SplitCost::None)?;
        // Half a step for each number, and the rounding of the true sums when the tree is
        // evaluated.
        let grid = points * (1.0 + weights_error) * 0.5 / steps;
        let sums = points * points * largest * f64::EPSILON * 4.0;
        Ok(Grid { instance, steps, error: (grid + sums) * 1.01 })
    }

    /// Converts the values to the instance's own numbers, with a bound that allows for the
    /// rounding.
    pub(super) fn undo<V: Number>(&self, values: Values<i64>) -> Result<BoundedValues<V>> {
        let real = |value: i64| value as f64 / self.steps;
        let Values { value, cells, tree, .. } = values;
        // Below the exact value, even if it is negative.
        let bound = real(value) - real(value).abs() * f64::EPSILON - self.error;
        let largest = cells.iter().map(|&cell| real(cell).abs()).fold(0.0, f64::max);
        let cell_error = self.error + largest * f64::EPSILON;
        let cells = cells.into_iter().map(|cell| V::from_f64(real(cell))).gather()?;
        let cell_type = CellType::F64;
        Ok(BoundedValues {
            values: Values {
                value: V::from_f64(real(value)),
                cells,
                tree,
                pairs: None,
                terms: None,
                cell_type,
            },
            bound: Some(bound),
            cell_error,
        })
    }
}

fn solve_as<C: Cell>(
    request: &Request<'_>,
    monitor: &Monitor,
    statistics: &mut Statistics,
) -> Result<Values<Value>> {
    let instance = CellInstance::<C>::new(&request.view, 1)?;
    let mut triangle = Triangle::new(instance.points, monitor)?;
    triangle.fill(&instance, monitor)?;
    statistics.add("relaxations", triangle.looked_at);
    let cell = |i, j| triangle.cells[pair(instance.points, i, j)];
    traceback::values(&instance, request, &cell, monitor)
}

/// The table, solved from the last row up. For each column, a row reads its own cells and a few
/// rows near the best split. The row below read nearly the same rows, so they are in the cache.
struct Triangle<C> {
    points: usize,
    /// Row after row: (i, i + 1), (i, i + 2), ...
    cells: Table<C>,
    /// The best split of the topmost finished cell in each column. A leaf has no split; its entry
    /// is its first point.
    splits: Vec<u32>,
    looked_at: u64,
}

impl<C: Cell> Triangle<C> {
    fn new(points: usize, monitor: &Monitor) -> Result<Self> {
        let cells = pairs(points);
        let required = cells as u128 * size_of::<C>() as u128;
        let refused =
            || monitor.out_of_memory(required, format!("a triangle of {cells} {}", C::TYPE));
        let table = if monitor.has_memory(required) { Table::zeroed(cells) } else { None };
        Ok(Triangle {
            points,
            cells: table.ok_or_else(refused)?,
            splits: memory::zeroed(points)?,
            looked_at: 0,
        })
    }

    fn fill(&mut self, instance: &CellInstance<'_, C>, monitor: &Monitor) -> Result<()> {
        let mut end = self.points - 1;
        while end > 0 {
            monitor.check()?;
            let left = end as f64 / self.points as f64;
            monitor.report("knuth", Some(1.0 - left * left));
            let begin = end.saturating_sub(ROWS);
            self.solve_rows(instance, begin..end);
            end = begin;
        }
        Ok(())
    }

    /// Solves up to [`ROWS`] rows in step, each one column behind the row below it: cells of the
    /// same step do not depend on each other.
    fn solve_rows(&mut self, instance: &CellInstance<'_, C>, range: Range<usize>) {
        let (points, lowest) = (self.points, range.end - 1);
        let mut rows = [Row::default(); ROWS];
        let rows = &mut rows[..range.len()];
        for (i, row) in range.rev().zip(&mut *rows) {
            *row = Row { start: pair(points, i, i + 1), latest: i + 1 };
            self.cells[row.start] = instance.leaves[i];
            self.splits[i + 1] = i as u32;
        }
        for step in lowest + 2..points + rows.len() - 1 {
            let first = (step + 1).saturating_sub(points);
            for (above, row) in (first..).zip(&mut rows[first..]) {
                let (i, j) = (lowest - above, step - above);
                let (sum, split) = self.best(i, j, *row);
                row.latest = split;
                self.splits[j] = split as u32;
                self.cells[row.start + j - i - 1] = sum.add(instance.weight(i, j));
            }
        }
    }

    /// The best split of a cell, the lowest of equal ones. Looks from the split of the cell to the
    /// left up to the split of the cell below.
    #[inline(always)]
    fn best(&mut self, i: usize, j: usize, row: Row) -> (C, usize) {
        let low = row.latest;
        // Guards the order, which fails if the inequality was promised but does not hold.
        let high = low.max(self.splits[j] as usize);
        self.looked_at += (high + 1 - low) as u64;
        let left = &self.cells[row.start + low - i - 1..row.start + high - i];
        let mut right = pair(self.points, low, j);
        let mut best = (left[0].add(self.cells[right]), low);
        for (k, left) in (low + 1..).zip(&left[1..]) {
            // From row k - 1 to row k of the same column.
            right += self.points - 1 - k;
            let sum = left.add(self.cells[right]);
            if sum < best.0 {
                best = (sum, k);
            }
        }
        best
    }
}

/// A row in progress.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    /// Place of the row's first cell.
    start: usize,
    /// The best split of its latest cell; the last point for a leaf.
    latest: usize,
}
