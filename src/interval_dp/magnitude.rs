//! How large values can become, and which type of cell holds them.

use super::instance::{CellCost, Instance, SplitCost};
use super::number::Number;
use super::semiring::{CellType, Semiring};
use crate::{Error, Result};

/// What is known of an instance's values before it is solved.
#[derive(Debug, Clone, Copy)]
pub(super) struct Magnitude {
    /// All numbers are whole.
    whole: bool,
    /// No number is negative.
    non_negative: bool,
    /// Splits cost nothing, and values are sums or selections: what 16 bits are made for.
    plain: bool,
    /// No cell, and no candidate for a cell's value, is larger.
    candidate: f64,
    /// No operand on the way to a candidate is larger; integers may wrap there.
    operand: f64,
    /// The terms of no tree add up to more.
    terms: f64,
    points: f64,
    semiring: Semiring,
    /// The split cost is the caller's own.
    foreign: bool,
}

/// Covers the rounding of the sums and products made here.
const SLACK: f64 = 1.0 + 1e-9;

impl Magnitude {
    pub(super) fn of<V: Number>(instance: &Instance<V>) -> Self {
        let semiring = instance.semiring();
        let points = instance.points() as f64;
        let leaf = largest(instance.leaves());
        let weights = Weights::of(instance);
        let split = Splits::of(instance);
        let general = points * (leaf + weights.largest + split.largest);
        let candidate = match semiring {
            Semiring::MinPlus => {
                let leaves: f64 = instance.leaves().iter().map(|value| value.to_f64().abs()).sum();
                let balanced = weights.superadditive && split.largest == 0.0;
                let by_levels = (points.log2().ceil() + 2.0) * weights.largest + leaves;
                let by_levels = if balanced { by_levels } else { f64::INFINITY };
                let by_fan = if leaf + weights.largest == 0.0 { split.fan } else { f64::INFINITY };
                general.min(by_levels).min(by_fan)
            }
            Semiring::MaxPlus => general,
            Semiring::MaxMin | Semiring::OrAnd => leaf.max(weights.largest).max(split.largest),
            Semiring::PlusTimes => {
                let factor = |largest: f64, present: bool| if present { largest } else { 1.0 };
                let has_weights = !matches!(instance.cell_cost(), CellCost::None);
                let has_splits = !matches!(instance.split_cost(), SplitCost::None);
                let node = factor(weights.largest, has_weights) * factor(split.largest, has_splits);
                all_trees(instance.points() - 1, leaf, node)
            }
        };
        let non_negative = |list: &[V]| list.iter().all(|&value| value >= V::default());
        Magnitude {
            whole: is_whole(instance),
            non_negative: non_negative(instance.leaves()) && weights.non_negative && split.non_negative,
            plain: split.largest == 0.0 && semiring.selects(),
            candidate: candidate * SLACK,
            operand: candidate.max(weights.operand).max(split.operand) * SLACK,
            terms: general * SLACK,
            points,
            semiring,
            foreign: matches!(instance.split_cost(), SplitCost::Expression(_)),
        }
    }

    /// Whether all values are computed exactly in cells of that type.
    pub(super) fn is_exact(&self, cell_type: CellType) -> bool {
        let limit = cell_type.exact_limit();
        match cell_type {
            CellType::F64 if !self.whole => self.semiring == Semiring::MaxMin,
            CellType::F32 | CellType::F64 => self.whole && self.operand <= limit,
            CellType::U16 => self.whole && self.non_negative && self.candidate <= limit,
            CellType::I32 | CellType::I64 => self.whole && self.candidate <= limit,
        }
    }

    /// The fastest type in which the instance is solved exactly, or the one asked for. 16 bits are only for devices.
    pub(super) fn choose(&self, wanted: Option<CellType>, bitwise: bool) -> Result<CellType> {
        if let Some(wanted) = wanted {
            self.check(wanted, bitwise)?;
            return Ok(wanted);
        }
        // Products of two 64-bit integers are slow everywhere.
        let wide = match self.plain || bitwise {
            true => [CellType::I64, CellType::F64],
            false => [CellType::F64, CellType::I64],
        };
        let narrow = if self.plain { vec![CellType::U16, CellType::I32] } else { vec![CellType::I32] };
        let fitting = narrow
            .into_iter()
            .chain(wide)
            .find(|&cell_type| self.is_exact(cell_type) && !(bitwise && cell_type.is_float()));
        match fitting {
            Some(cell_type) => Ok(cell_type),
            None if !self.whole => Ok(CellType::F64),
            None => Err(Error::Overflow { what: "the bound on the values of the cells" }),
        }
    }

    fn check(&self, wanted: CellType, bitwise: bool) -> Result<()> {
        let reason = match wanted {
            CellType::F32 | CellType::F64 if bitwise => "bitwise operations need whole numbers".to_owned(),
            CellType::F32 | CellType::F64 => return Ok(()),
            CellType::U16 if !self.plain => "u16 is for sums and selections without split costs".to_owned(),
            _ if self.is_exact(wanted) => return Ok(()),
            _ if !self.whole => format!("{wanted} for numbers that are not whole"),
            CellType::U16 if !self.non_negative => "u16 for negative numbers".to_owned(),
            _ => format!("values up to {:.0} may not fit into {wanted}", self.candidate),
        };
        Err(Error::argument("cell_type", reason))
    }

    /// A bound on the optimum, given the value computed in cells of that type: below it for a minimum, above it for
    /// a maximum. `None` where nothing can be said.
    ///
    /// A term is rounded a few times itself and in at most two sums for each node above it, of which there are
    /// fewer than points; so what is computed for the best tree differs from its true value by at most that many
    /// roundings of the sum of its terms' magnitudes, and the value computed is at least as good.
    pub(super) fn bound(&self, value: f64, cell_type: CellType) -> Option<f64> {
        if self.is_exact(cell_type) {
            return Some(value);
        }
        if self.foreign || !self.semiring.selects() {
            return None;
        }
        let unit = cell_type.unit_roundoff();
        let share = (2.0 * self.points + 16.0) * unit * 1.1;
        if share > 0.25 {
            return None;
        }
        let magnitude = if self.non_negative { 2.0 * value.abs() } else { self.terms };
        // Differences of prefix sums carry the roundings of the sums.
        let differences = 8.0 * unit * self.points * self.operand;
        let error = share * magnitude + if self.operand > self.candidate { differences } else { 0.0 };
        Some(if self.semiring.maximises() { value + error } else { value - error })
    }
}

fn largest<V: Number>(list: &[V]) -> f64 {
    list.iter().fold(0.0, |largest, value| largest.max(value.to_f64().abs()))
}

/// An upper bound on the sum, over all trees with up to so many leaves, of the products of their terms.
fn all_trees(leaves: usize, leaf: f64, node: f64) -> f64 {
    // Beyond this nothing is exact, and it need not be known how far.
    const ENOUGH: f64 = 1e300;
    let mut sums = vec![leaf];
    let mut largest = leaf;
    while sums.len() < leaves && largest < ENOUGH {
        let next: f64 = sums.iter().zip(sums.iter().rev()).map(|(a, b)| a * b).sum::<f64>() * node;
        if next < 1e-300 && sums.len() > 2 {
            break;
        }
        largest = largest.max(next);
        sums.push(next);
    }
    largest
}

fn is_whole<V: Number>(instance: &Instance<V>) -> bool {
    let whole = |list: &[V]| list.iter().all(|value| value.is_whole());
    V::WHOLE
        || whole(instance.leaves())
            && match instance.cell_cost() {
                CellCost::None => true,
                CellCost::Separable { row, column } => whole(row) && whole(column),
                CellCost::Table(table) => whole(table),
            }
            && match instance.split_cost() {
                SplitCost::None => true,
                SplitCost::Product { left, split, right } => whole(left) && whole(split) && whole(right),
                // Nothing is known of a function of real numbers.
                SplitCost::Expression(_) => false,
            }
}

struct Weights {
    largest: f64,
    operand: f64,
    non_negative: bool,
    /// w(i, k) + w(k, j) <= w(i, j), and none is negative: a level of a tree costs no more than its root.
    superadditive: bool,
}

impl Weights {
    fn of<V: Number>(instance: &Instance<V>) -> Self {
        match instance.cell_cost() {
            CellCost::None => Weights { largest: 0.0, operand: 0.0, non_negative: true, superadditive: true },
            CellCost::Separable { row, column } => {
                let (mut low, mut high) = (row[0].to_f64(), row[0].to_f64());
                let (mut largest, mut non_negative) = (0.0f64, true);
                for (row, column) in row[1..].iter().zip(&column[1..]) {
                    let column = column.to_f64();
                    largest = largest.max((high + column).abs()).max((low + column).abs());
                    non_negative &= low + column >= 0.0;
                    (low, high) = (low.min(row.to_f64()), high.max(row.to_f64()));
                }
                // The cell of a point and itself would have nothing.
                let inner = 1..row.len() - 1;
                let mut inner = row[inner.clone()].iter().zip(&column[inner]);
                let nothing = inner.all(|(row, column)| row.to_f64() + column.to_f64() <= 0.0);
                let operand = super::magnitude::largest(row).max(super::magnitude::largest(column));
                Weights { largest, operand, non_negative, superadditive: non_negative && nothing }
            }
            CellCost::Table(table) => {
                let largest = largest(table);
                let non_negative = table.iter().all(|&weight| weight >= V::default());
                Weights { largest, operand: largest, non_negative, superadditive: largest == 0.0 }
            }
        }
    }
}

struct Splits {
    largest: f64,
    operand: f64,
    non_negative: bool,
    /// With equal factors that are not negative: every candidate costs at most two fans and a split.
    fan: f64,
}

impl Splits {
    fn of<V: Number>(instance: &Instance<V>) -> Self {
        match instance.split_cost() {
            SplitCost::None => Splits { largest: 0.0, operand: 0.0, non_negative: true, fan: 0.0 },
            SplitCost::Product { left, split, right } => {
                let largest = [left, split, right].map(|list| largest(list));
                let product: f64 = largest.iter().product();
                let non_negative =
                    [left, split, right].iter().all(|list| list.iter().all(|&value| value >= V::default()));
                // A fan from a cell's first point costs that point's factor times products of neighbours.
                let neighbours: f64 = split.windows(2).map(|pair| pair[0].to_f64() * pair[1].to_f64()).sum();
                let fan = match non_negative && left == split && split == right {
                    true => largest[0] * neighbours + product,
                    false => f64::INFINITY,
                };
                let operand = product.max(largest[1] * largest[2]);
                Splits { largest: product, operand, non_negative, fan }
            }
            SplitCost::Expression(expression) => {
                let magnitude = expression.magnitude.to_f64();
                Splits { largest: magnitude, operand: magnitude, non_negative: false, fan: f64::INFINITY }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(dimensions: &[i64]) -> Magnitude {
        Magnitude::of(&Instance::matrix_chain(dimensions.to_vec()).unwrap())
    }

    #[test]
    fn a_part_of_a_chain_may_cost_more_than_the_chain() {
        let magnitude = chain(&[1, 100, 100, 100]);
        assert!(magnitude.candidate >= 1_000_000.0);
    }

    #[test]
    fn the_type_follows_from_the_bound() {
        assert_eq!(chain(&[30, 35, 15, 5]).choose(None, false).unwrap(), CellType::I32);
        assert_eq!(chain(&[2000; 20]).choose(None, false).unwrap(), CellType::F64);
        assert_eq!(chain(&[100_000; 60]).choose(None, false).unwrap(), CellType::I64);
        assert!(matches!(chain(&[3_000_000; 9]).choose(None, false), Err(Error::Overflow { .. })));
        let error = chain(&[2000; 20]).choose(Some(CellType::I32), false).unwrap_err();
        assert!(error.to_string().starts_with("cell_type: values up to "), "{error}");
        assert!(chain(&[2; 4]).choose(Some(CellType::U16), false).is_err());
    }

    #[test]
    fn search_trees_need_no_more_than_their_levels() {
        let tree = Instance::search_tree(&[1i64; 1000], &[1; 1001]).unwrap();
        assert_eq!(Magnitude::of(&tree).choose(None, false).unwrap(), CellType::U16);
        let real = Instance::search_tree(&[0.25; 10], &[0.5; 11]).unwrap();
        assert_eq!(Magnitude::of(&real).choose(None, false).unwrap(), CellType::F64);
        assert!(!Magnitude::of(&real).is_exact(CellType::F64));
    }

    #[test]
    fn counting_overflows_soon() {
        let count = |leaves: usize| {
            let instance =
                Instance::custom(Semiring::PlusTimes, vec![1i64; leaves], CellCost::None, SplitCost::None);
            Magnitude::of(&instance.unwrap()).choose(None, false)
        };
        // The 35th Catalan number is the last below 2^63.
        assert_eq!(count(36).unwrap(), CellType::I64);
        assert!(matches!(count(37), Err(Error::Overflow { .. })));
    }
}
