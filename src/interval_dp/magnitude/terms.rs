//! Upper limits of the terms of trees.

use crate::interval_dp::instance::{CellCost, Instance, SplitCost};
use crate::interval_dp::number::Number;
use crate::interval_dp::semiring::CellType;

/// The largest magnitude of a list.
pub(super) fn largest<V: Number>(list: &[V]) -> f64 {
    list.iter().fold(0.0, |largest, value| largest.max(value.to_f64().abs()))
}

/// Facts about the cell costs.
pub(super) struct Weights {
    pub(super) largest: f64,
    /// Upper limit of the numbers whose sums are cell costs.
    pub(super) operand: f64,
    pub(super) non_negative: bool,
    /// Whether w(i, k) + w(k, j) <= w(i, j), and none is negative: a level of a tree costs at most
    /// as much as its root.
    pub(super) superadditive: bool,
}

impl Weights {
    pub(super) fn of<V: Number>(instance: &Instance<V>) -> Self {
        match instance.cell_cost() {
            CellCost::None => {
                Weights { largest: 0.0, operand: 0.0, non_negative: true, superadditive: true }
            }
            CellCost::Separable { row, column } => {
                let (mut low, mut high) = (row[0].to_f64(), row[0].to_f64());
                let (mut largest, mut non_negative) = (0.0f64, true);
                for (row, column) in row[1..].iter().zip(&column[1..]) {
                    let column = column.to_f64();
                    largest = largest.max((high + column).abs()).max((low + column).abs());
                    non_negative &= low + column >= 0.0;
                    (low, high) = (low.min(row.to_f64()), high.max(row.to_f64()));
                }
                // w(i, k) + w(k, j) = w(i, j) + w(k, k), so superadditivity needs w(k, k) <= 0.
                let inner = 1..row.len() - 1;
                let mut inner = row[inner.clone()].iter().zip(&column[inner]);
                let nothing = inner.all(|(row, column)| row.to_f64() + column.to_f64() <= 0.0);
                let operand = self::largest(row).max(self::largest(column));
                // Rounding errors of the comparison above, if the numbers are not exact in double
                // precision.
                let rounded = operand > CellType::F64.exact_limit();
                let lost = if rounded { row.len() as f64 * operand * f64::EPSILON } else { 0.0 };
                let superadditive = non_negative && nothing;
                Weights { largest: largest + lost, operand, non_negative, superadditive }
            }
            CellCost::Table(table) => {
                let largest = largest(table);
                let non_negative = table.iter().all(|&weight| weight >= V::default());
                Weights { largest, operand: largest, non_negative, superadditive: largest == 0.0 }
            }
        }
    }
}

/// Facts about the split costs.
pub(super) struct Splits {
    pub(super) largest: f64,
    /// Upper limit of the factors and of intermediate products.
    pub(super) operand: f64,
    pub(super) non_negative: bool,
    /// With equal non-negative factors, an upper limit of a candidate: at most two fans and a
    /// split.
    pub(super) fan: f64,
    /// See [`Magnitude`](super::Magnitude).
    pub(super) sensitivity: f64,
}

impl Splits {
    pub(super) fn of<V: Number>(instance: &Instance<V>) -> Self {
        let none =
            Splits { largest: 0.0, operand: 0.0, non_negative: true, fan: 0.0, sensitivity: 1.0 };
        match instance.split_cost() {
            SplitCost::None => none,
            SplitCost::Product { left, split, right } => {
                let lists = [left, split, right];
                let non_negative =
                    lists.iter().all(|list| list.iter().all(|&value| value >= V::default()));
                let splits = match left == split && split == right {
                    true => Splits::of_equal(split, non_negative),
                    false => Splits::of_lists(lists.map(|list| largest(list))),
                };
                Splits { non_negative, ..splits }
            }
            SplitCost::Expression(expression) => {
                let magnitude = expression.magnitude.to_f64();
                let fan = f64::INFINITY;
                Splits { largest: magnitude, operand: magnitude, non_negative: false, fan, ..none }
            }
        }
    }

    /// Split costs that are products from three lists with these largest magnitudes.
    fn of_lists([left, split, right]: [f64; 3]) -> Self {
        let mut factors = [left, split, right];
        factors.sort_by(f64::total_cmp);
        // In this order an intermediate product is infinite or zero only if the result is.
        let product = factors[0] * factors[2] * factors[1];
        let operand = left.max(split).max(right).max(split * right).max(product);
        let sensitivity = (1.0 + left) * (1.0 + split) * (1.0 + right);
        Splits { largest: product, operand, non_negative: false, fan: f64::INFINITY, sensitivity }
    }

    /// Split costs that are products of three different points' factors.
    fn of_equal<V: Number>(factors: &[V], non_negative: bool) -> Self {
        // The largest magnitudes.
        let mut top = [0.0f64; 3];
        // A fan from a cell's first point costs that point's factor times the sum of products of
        // neighbours after it. The loop runs from the last point; it keeps that sum and the most
        // expensive fan.
        let (mut neighbours, mut fan) = (0.0, 0.0f64);
        for (index, factor) in factors.iter().enumerate().rev() {
            let factor = factor.to_f64();
            fan = fan.max(factor * neighbours);
            if let Some(next) = factors.get(index + 1) {
                neighbours += factor * next.to_f64();
            }
            let size = factor.abs();
            let place = top.iter().position(|&larger| size > larger).unwrap_or(top.len());
            if place < top.len() {
                top[place..].rotate_right(1);
                top[place] = size;
            }
        }
        let [first, second, third] = top;
        let splits = Splits::of_lists([third, second, first]);
        // The two fans of a candidate share no product of neighbours.
        let fans = (2.0 * fan).min(first * neighbours);
        Splits { fan: if non_negative { fans + splits.largest } else { f64::INFINITY }, ..splits }
    }
}
