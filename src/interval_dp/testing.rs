//! Random instances and the definition of their values, for the tests of all engines.

use std::sync::Arc;

use proptest::prelude::*;

use super::{CellCost, Expression, Instance, Semiring, SplitCost, Tree};
use crate::Result;
use crate::random::Random;

/// Instances of whole numbers of every form, small enough for 32 bits.
pub(super) fn instances(
    points: impl Strategy<Value = usize>,
) -> impl Strategy<Value = Instance<i64>> {
    (points, 0..Semiring::ALL.len(), 0..3u8, 0..3u8, any::<u64>()).prop_map(
        |(points, semiring, cell_cost, split_cost, seed)| {
            instance(points, Semiring::ALL[semiring], cell_cost, split_cost, seed)
        },
    )
}

/// The instance that these choices describe.
pub(super) fn instance(
    points: usize,
    semiring: Semiring,
    cell_cost: u8,
    split_cost: u8,
    seed: u64,
) -> Instance<i64> {
    let mut random = Random::new(seed);
    let mut draw = |low: i64, high: i64| low + random.below((high - low + 1) as u64) as i64;
    // Sums of products grow too fast for any type. With one nonzero leaf for each tree they stay
    // zero.
    let counts = semiring == Semiring::PlusTimes;
    let (low, high) = if counts { (0, i64::from(points <= 20)) } else { (-9, 99) };
    let mut list = |len: usize| (0..len).map(|_| draw(low, high)).collect::<Vec<_>>();
    let leaves = list(points - 1);
    let cell_cost = match cell_cost {
        1 => CellCost::Separable { row: list(points), column: list(points) },
        2 if !counts => CellCost::Table(list(points * (points - 1) / 2)),
        _ => CellCost::None,
    };
    let cell_cost = if counts { CellCost::None } else { cell_cost };
    let split_cost = match split_cost {
        1 if matches!(semiring, Semiring::MinPlus | Semiring::MaxPlus) => {
            SplitCost::Product { left: list(points), split: list(points), right: list(points) }
        }
        2 if !counts => {
            let data = list(points);
            let copy = data.clone();
            SplitCost::Expression(Expression {
                function: Some(Arc::new(move |i, k, j| copy[k] * 3 + copy[i] - copy[j] * 2)),
                magnitude: 600,
                source: Some("data[k] * 3 + data[i] - data[j] * 2".into()),
                data,
            })
        }
        _ => SplitCost::None,
    };
    Instance::custom(semiring, leaves, cell_cost, split_cost).unwrap()
}

/// All cells by definition, memoised.
pub(super) fn by_definition(instance: &Instance<i64>) -> Vec<Vec<i64>> {
    let points = instance.points();
    let plus: fn(i64, i64) -> i64 = match instance.semiring() {
        Semiring::MinPlus => i64::min,
        Semiring::MaxPlus | Semiring::MaxMin => i64::max,
        Semiring::OrAnd => |a, b| a | b,
        Semiring::PlusTimes => |a, b| a + b,
    };
    let times = multiplication(instance.semiring());
    let mut cells = vec![vec![0; points]; points];
    for j in 1..points {
        cells[j - 1][j] = instance.leaves()[j - 1];
        for i in (0..j - 1).rev() {
            let candidates = (i + 1..j).map(|k| {
                let parts = times(cells[i][k], cells[k][j]);
                instance.split_term(i, k, j).map_or(parts, |term| times(parts, term))
            });
            let sum = candidates.reduce(plus).unwrap();
            cells[i][j] = instance.weight(i, j).map_or(sum, |weight| times(sum, weight));
        }
    }
    cells
}

pub(super) fn multiplication(semiring: Semiring) -> fn(i64, i64) -> i64 {
    match semiring {
        Semiring::MinPlus | Semiring::MaxPlus => |a, b| a + b,
        Semiring::MaxMin => i64::min,
        Semiring::OrAnd => |a, b| a & b,
        Semiring::PlusTimes => |a, b| a * b,
    }
}

/// All trees over the leaves between two points, each as the list of cells split at each point.
pub(super) fn all_trees(first: u32, last: u32) -> Vec<Vec<(u32, (u32, u32))>> {
    if last == first + 1 {
        return vec![vec![]];
    }
    let mut trees = Vec::new();
    for split in first + 1..last {
        for left in all_trees(first, split) {
            for right in all_trees(split, last) {
                let mut tree = vec![(split, (first, last))];
                tree.extend(&left);
                tree.extend(&right);
                trees.push(tree);
            }
        }
    }
    trees
}

/// The best value over all trees, each evaluated separately.
pub(super) fn brute_force(instance: &Instance<i64>) -> i64 {
    let points = instance.points();
    let values = all_trees(0, points as u32 - 1).into_iter().map(|mut tree| {
        tree.sort_unstable();
        let cells: Vec<_> = tree.into_iter().map(|(_, cell)| cell).collect();
        instance.evaluate(&Tree::new(points, &cells).unwrap()).unwrap()
    });
    match instance.semiring() {
        Semiring::MinPlus => values.min().unwrap(),
        _ => values.max().unwrap(),
    }
}

/// The text of an error.
pub(super) fn refusal<T>(result: Result<T>) -> String {
    result.err().map_or_else(|| "accepted".into(), |error| error.to_string())
}
