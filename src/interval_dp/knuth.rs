//! Knuth's bound (Knuth 1971, Yao 1980): where w obeys the quadrangle inequality and grows with its interval, the
//! lowest best split of (i, j) lies between those of (i, j - 1) and (i + 1, j), so that all cells together look at
//! O(n^2) splits.

use super::instance::{CellCost, Instance, SplitCost};
use super::number::Number;
use super::plan::Plan;
use super::recovery;
use super::semiring::{Cell, CellType, MinPlus, Semiring};
use super::{Found, Request, Values};
use crate::solve::{Monitor, Statistics};
use crate::{Error, Result};

/// Cells are solved in tiles of so many rows and columns, whose memory stays at hand.
const TILE: usize = 64;
/// Splits looked at without a branch: most cells have no more.
const AT_ONCE: usize = 4;

/// Whether the instance has the form the method is for; the inequality is another matter.
pub(super) fn has_form<V: Number>(instance: &Instance<V>) -> bool {
    instance.semiring() == Semiring::MinPlus && !instance.has_terms()
}

/// Whether w obeys the quadrangle inequality w(i, j) + w(i', j') <= w(i', j) + w(i, j') for i <= i' < j <= j', and
/// w(i', j) <= w(i, j'). It is enough to look at neighbours: O(n) for separable costs, O(n^2) for a table.
pub(super) fn obeys_quadrangle<V: Number>(instance: &Instance<V>, monitor: &Monitor) -> Result<bool> {
    let points = instance.points();
    match instance.cell_cost() {
        CellCost::None => Ok(true),
        // Both sides of the inequality are equal.
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

/// Solves an instance whose w is known to obey the inequality, in whole numbers.
pub(super) fn solve<V: Number>(
    request: &Request<'_, V>,
    cell_type: CellType,
    monitor: &Monitor,
    statistics: &mut Statistics,
) -> Result<Values<V>> {
    match cell_type {
        CellType::U16 | CellType::I32 => solve_as::<V, i32>(request, monitor, statistics),
        _ => solve_as::<V, i64>(request, monitor, statistics),
    }
}

/// An instance of real numbers, rounded to a grid on which all sums are exact.
pub(super) struct Grid {
    pub(super) instance: Instance<i64>,
    /// Steps of the grid in the length of 1.
    steps: f64,
    /// No tree's cost differs by more from its rounded cost.
    error: f64,
}

impl Grid {
    pub(super) fn new<V: Number>(instance: &Instance<V>) -> Result<Self> {
        let points = instance.points() as f64;
        let largest =
            |list: &[V]| list.iter().fold(0.0f64, |largest, value| largest.max(value.to_f64().abs()));
        let (largest, weights_error) = match instance.cell_cost() {
            CellCost::None => (largest(instance.leaves()), 0.0),
            // A weight is the sum of two numbers, one of which may be rounded down and the other up.
            CellCost::Separable { row, column } => {
                (largest(row) + largest(column) + largest(instance.leaves()), 2.0)
            }
            CellCost::Table(_) => return Err(Error::Unsupported(
                "Knuth's bound for a table of real numbers, whose rounding may break the quadrangle inequality".into(),
            )),
        };
        // Sums of as many terms as a tree has stay below 2^62.
        let room = f64::exp2(62.0) / (4.0 * points) / largest.max(f64::MIN_POSITIVE);
        let steps = f64::exp2(room.log2().floor().clamp(-1000.0, 1000.0));
        let round = |list: &[V]| list.iter().map(|value| (value.to_f64() * steps).round() as i64).collect();
        let cell_cost = match instance.cell_cost() {
            CellCost::Separable { row, column } => {
                CellCost::Separable { row: round(row), column: round(column) }
            }
            _ => CellCost::None,
        };
        let leaves = round(instance.leaves());
        let instance = Instance::custom(Semiring::MinPlus, leaves, cell_cost, SplitCost::None)?;
        // Half a step for each number; the rounding of the true sums when the tree is evaluated.
        let grid = points * (1.0 + weights_error) * 0.5 / steps;
        let sums = points * points * largest * f64::EPSILON * 4.0;
        Ok(Grid { instance, steps, error: (grid + sums) * 1.01 })
    }

    /// The values in the instance's own numbers, with a bound that allows for the grid.
    pub(super) fn undo<V: Number>(&self, values: Values<i64>) -> Found<V> {
        let real = |value: i64| value as f64 / self.steps;
        let Values { value, cells, tree, .. } = values;
        let bound = real(value) * (1.0 - f64::EPSILON) - self.error;
        let cells = cells.into_iter().map(|cell| V::from_f64(real(cell))).collect();
        let cell_type = CellType::F64;
        Found {
            values: Values { value: V::from_f64(real(value)), cells, tree, cell_type },
            bound: Some(bound),
        }
    }
}

fn solve_as<V: Number, C: Cell>(
    request: &Request<'_, V>,
    monitor: &Monitor,
    statistics: &mut Statistics,
) -> Result<Values<V>> {
    let plan = Plan::<V, C>::new(request.instance, 1);
    let (table, looked_at) = Triangles::fill(&plan, monitor)?;
    statistics.add("relaxations", looked_at);
    recovery::values::<V, C, MinPlus>(&plan, request, |i, j| table.rows[table.row_place(i, j)], monitor)
}

/// The table twice, so that both parts of all splits of a cell lie side by side.
struct Triangles<C> {
    points: usize,
    /// Row after row: (i, i + 1), (i, i + 2), ...
    rows: Vec<C>,
    /// Column after column: (0, j), (1, j), ...
    columns: Vec<C>,
}

impl<C: Cell> Triangles<C> {
    fn row_place(&self, i: usize, j: usize) -> usize {
        super::instance::pair(self.points, i, j)
    }

    fn column_place(i: usize, j: usize) -> usize {
        j * (j - 1) / 2 + i
    }

    #[allow(clippy::needless_range_loop, reason = "the index is a point of the instance")]
    fn fill<V: Number>(plan: &Plan<'_, V, C>, monitor: &Monitor) -> Result<(Self, u64)> {
        let points = plan.instance.points();
        let cells = super::instance::pairs(points);
        let required = 2 * cells as u128 * size_of::<C>() as u128;
        let limit = monitor.memory_bytes();
        if required > limit.into() {
            let what = format!("two triangles of {cells} {}", C::TYPE);
            return Err(Error::OutOfMemory { what, required, limit });
        }
        let (rows, columns) = (vec![C::default(); cells], vec![C::default(); cells]);
        let mut table = Triangles { points, rows, columns };
        // The best split of the latest cell in each row and in each column: bounds for the next. Of a leaf, which has
        // no split, they are its other point.
        let (mut in_row, mut in_column) = (vec![0u32; points], vec![0u32; points]);
        let side = points.div_ceil(TILE);
        let mut looked_at = 0;
        for distance in 0..side {
            monitor.report("knuth", Some(distance as f64 / side as f64));
            for p in 0..side - distance {
                monitor.check()?;
                let rows = p * TILE..points.min((p + 1) * TILE);
                let columns = (p + distance) * TILE..points.min((p + distance + 1) * TILE);
                // Cells of one length do not depend on each other.
                for length in (columns.start + 1).saturating_sub(rows.end).max(1)..columns.end - rows.start {
                    let first = rows.start.max(columns.start.saturating_sub(length));
                    for i in first..rows.end.min(columns.end.saturating_sub(length)) {
                        let j = i + length;
                        if length == 1 {
                            table.set(i, j, plan.leaves[i]);
                            (in_row[i], in_column[j]) = (j as u32, i as u32);
                            continue;
                        }
                        // They are in order unless the inequality was promised and does not hold.
                        let low = in_row[i] as usize;
                        let high = low.max(in_column[j] as usize);
                        looked_at += (high + 1 - low) as u64;
                        let (sum, split) = table.best(i, j, low, high);
                        (in_row[i], in_column[j]) = (split as u32, split as u32);
                        table.set(i, j, sum.add(plan.weight::<MinPlus>(i, j)));
                    }
                }
            }
        }
        Ok((table, looked_at))
    }

    fn set(&mut self, i: usize, j: usize, value: C) {
        let row = self.row_place(i, j);
        self.rows[row] = value;
        self.columns[Self::column_place(i, j)] = value;
    }

    /// The best split of a cell from `low` to `high`, the lowest of equal ones. Those somewhat beyond may be looked
    /// at: they are not better.
    fn best(&self, i: usize, j: usize, low: usize, high: usize) -> (C, usize) {
        let left = &self.rows[self.row_place(i, i + 1)..][..j - i - 1];
        let right = &self.columns[Self::column_place(i + 1, j)..][..j - i - 1];
        let (mut best, mut split) = (C::LARGEST, low);
        let mut first = low - i - 1;
        let end = high - i;
        while first < end {
            if let (Some(left), Some(right)) =
                (left.get(first..first + AT_ONCE), right.get(first..first + AT_ONCE))
            {
                for lane in 0..AT_ONCE {
                    let sum = left[lane].add(right[lane]);
                    let better = sum < best;
                    best = if better { sum } else { best };
                    split = if better { i + 1 + first + lane } else { split };
                }
                first += AT_ONCE;
            } else {
                let sum = left[first].add(right[first]);
                if sum < best {
                    (best, split) = (sum, i + 1 + first);
                }
                first += 1;
            }
        }
        (best, split)
    }
}
