//! The recurrence as a pipeline over a linear table, after Matsumae and Miyazaki (2018), who solve
//! matrix chains so.
//!
//! The table has its cells by length, and those of one length by their first points. The pipeline
//! computes the *elements*, the cells of length 2 and more. In each step another element begins, and
//! each element that has begun takes its next split: stage t takes split t. An element ends with its
//! last split, so that elements of a length have the same number of steps.
//!
//! Splits are tried from the middle outwards ([`Schedule::split`]). Only this order lets an element
//! begin in every step: see docs/src/mathematics.md.

use super::cell_instance::{CellInstance, Terms};
use super::instance::pairs;
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

/// The steps of a pipeline for a number of points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Schedule {
    pub(super) points: usize,
}

impl Schedule {
    /// The place in the linear table of the cell of a length that begins at a point.
    pub(super) fn place(self, length: usize, first: usize) -> usize {
        (length - 1) * self.points - length * (length - 1) / 2 + first
    }

    /// The number of elements.
    fn elements(self) -> usize {
        pairs(self.points) - (self.points - 1)
    }

    /// The number of stages: the splits of the longest cell, and the most elements of a step.
    pub(super) fn threads(self) -> usize {
        self.points.saturating_sub(2)
    }

    /// The number of steps: the last element begins when all others have begun.
    pub(super) fn steps(self) -> usize {
        (self.elements() + self.threads()).saturating_sub(1)
    }

    /// The split of a cell that a stage takes.
    fn split(i: usize, j: usize, stage: usize) -> usize {
        let left = j - i - 2 - stage;
        let distance = left / 2 + 1;
        if left.is_multiple_of(2) { i + distance } else { j - distance }
    }
}

/// Solves the instance in cells of the given type; 16 bits become 32. One thread makes the steps.
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
    monitor.check_memory(required, || format!("a table of {} {}", pairs(points), C::TYPE))?;
    let take = match instance.semiring {
        Semiring::MinPlus => take::<C, MinPlus>,
        Semiring::MaxPlus => take::<C, MaxPlus>,
        Semiring::MaxMin => take::<C, MaxMin>,
        Semiring::OrAnd => take::<C, OrAnd>,
        Semiring::PlusTimes => take::<C, PlusTimes>,
    };
    let schedule = Schedule { points };
    let mut table = memory::zeroed::<C>(pairs(points))?;
    for (i, leaf) in table[..points - 1].iter_mut().enumerate() {
        *leaf = instance.weight(i, i + 1);
    }
    // Length and first point of the element that began last.
    let mut head = (2, 0);
    for step in 0..schedule.steps() {
        monitor.check()?;
        monitor.report("pipeline", Some(step as f64 / schedule.steps() as f64));
        if 0 < step && step < schedule.elements() {
            let (length, i) = head;
            head = if i + length + 1 < points { (length, i + 1) } else { (length + 1, 0) };
        }
        // From the last element back, each one is a stage further.
        let mut stage = (step + 1).saturating_sub(schedule.elements());
        let (mut length, mut i) = head;
        while stage + 2 <= length {
            take(instance, &mut table, (i, i + length), stage);
            (length, i) = match i {
                0 if length == 2 => break,
                0 => (length - 1, points - length),
                _ => (length, i - 1),
            };
            stage += 1;
        }
    }
    let cell = |i: usize, j: usize| table[schedule.place(j - i, i)];
    traceback::values(instance, request, &cell, monitor)
}

/// Takes the split of a stage, and after the last one the cost of the cell.
fn take<C: Cell, R: Ring>(
    instance: &CellInstance<'_, C>,
    table: &mut [C],
    (i, j): (usize, usize),
    stage: usize,
) {
    let schedule = Schedule { points: instance.points };
    let cell = |i: usize, j: usize| table[schedule.place(j - i, i)];
    let k = Schedule::split(i, j, stage);
    let (left, right) = (cell(i, k), cell(k, j));
    let through = match &instance.terms {
        Terms::None => R::times(left, right),
        Terms::Product { left: row, split, right: column } => {
            row[i].mul_add(split[k].mul(column[j]), R::times(left, right))
        }
        Terms::Function { .. } => instance.through_by_call((i, k, j), left, right),
    };
    let before = if stage == 0 { R::zero() } else { cell(i, j) };
    let mut sum = R::plus(before, through);
    if stage + 2 == j - i {
        // Only folding has costs of enclosing, and it refuses this method.
        sum = instance.finished(sum, instance.weight(i, j), R::one());
    }
    table[schedule.place(j - i, i)] = sum;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::interval_dp::serial;
    use crate::interval_dp::testing::instances;
    use crate::testing::monitor;

    /// The step in which each cell takes its last split; -1 for leaves.
    fn ends(points: usize) -> Vec<i64> {
        let mut ends = vec![-1; points - 1];
        for length in 2..points {
            for _ in 0..points - length {
                let begin = ends.len() - (points - 1);
                ends.push((begin + length - 2) as i64);
            }
        }
        ends
    }

    #[test]
    fn every_split_joins_finished_cells_and_each_comes_once() {
        for points in 2..70 {
            let (schedule, ends) = (Schedule { points }, ends(points));
            assert_eq!(schedule.steps() as i64, ends.iter().max().unwrap() + 1);
            for i in 0..points {
                for j in i + 2..points {
                    let last = ends[schedule.place(j - i, i)];
                    let mut splits = Vec::new();
                    for stage in 0..j - i - 1 {
                        let k = Schedule::split(i, j, stage);
                        let step = last - (j - i - 2 - stage) as i64;
                        for part in [schedule.place(k - i, i), schedule.place(j - k, k)] {
                            assert!(ends[part] < step, "{points} {i} {k} {j}");
                        }
                        splits.push(k);
                    }
                    splits.sort_unstable();
                    assert!(splits.into_iter().eq(i + 1..j));
                }
            }
        }
    }

    proptest! {
        #[test]
        fn the_pipeline_finds_the_values_of_three_loops(
            instance in instances(2..60usize),
            cell_type in prop_oneof![Just(CellType::I32), Just(CellType::I64), Just(CellType::F64)],
        ) {
            let bitwise = instance.semiring() == Semiring::OrAnd;
            let cell_type = if bitwise { CellType::I32 } else { cell_type };
            let points = instance.points();
            let cells: Vec<_> =
                (0..points).flat_map(|i| (i + 1..points).map(move |j| (i, j))).collect();
            let request = Request::new(&instance, &cells);
            let [found, expected] = [solve, serial::solve]
                .map(|solve| solve(&request, cell_type, &monitor()).unwrap());
            prop_assert_eq!(found.value, expected.value);
            prop_assert_eq!(found.cells, expected.cells);
            prop_assert_eq!(found.tree, expected.tree);
        }
    }
}
