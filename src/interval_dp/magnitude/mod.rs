//! Upper limits of values, and the types of cell that hold them.

mod terms;

use super::instance::{CellCost, Instance, SplitCost};
use super::number::Number;
use super::semiring::{CellType, Semiring};
use crate::solve::Sense;
use crate::{Error, Result};
use terms::{Splits, Weights, largest};

/// Facts about an instance's values that are known before it is solved.
#[derive(Debug, Clone, Copy)]
pub(super) struct Magnitude {
    /// Whether all numbers are whole.
    whole: bool,
    /// Whether the instance's type of number may have fractions; it holds whole numbers up to 2^53
    /// only.
    real: bool,
    /// Whether values are numbers of the instance, at most chosen among: nothing is rounded.
    given: bool,
    /// Whether no number is negative.
    non_negative: bool,
    /// Whether splits cost nothing, and values are sums or selections, as 16-bit cells require.
    plain: bool,
    /// Whether a part of a tree, and two disjoint parts together, cost at most as much as the tree.
    monotone: bool,
    /// Upper limit of the cells and of all candidates for their values.
    candidate: f64,
    /// Upper limit of the operands for a candidate; integers may wrap there.
    operand: f64,
    /// Upper limit of the sum of a tree's terms.
    terms: f64,
    /// Upper limit of the numbers whose sums are cell costs.
    addends: f64,
    /// Upper limit of the factor by which a tiny error of each factor of a split's cost grows in
    /// the product.
    sensitivity: f64,
    points: f64,
    semiring: Semiring,
    /// Whether the split cost is the caller's own.
    foreign: bool,
}

/// Covers the rounding of the sums and products in this file.
const SLACK: f64 = 1.0 + 1e-6;

impl Magnitude {
    pub(super) fn of<V: Number>(instance: &Instance<V>) -> Self {
        let semiring = instance.semiring();
        let points = instance.points() as f64;
        let leaf = largest(instance.leaves());
        let weights = Weights::of(instance);
        let splits = Splits::of(instance);
        // A single leaf has no cell cost and no split cost.
        let nodes =
            if points > 2.0 { (points - 2.0) * (weights.largest + splits.largest) } else { 0.0 };
        let general = (points - 1.0) * leaf + nodes;
        let candidate = match semiring {
            Semiring::MinPlus => {
                let leaves: f64 = instance.leaves().iter().map(|value| value.to_f64().abs()).sum();
                let balanced = weights.superadditive && splits.largest == 0.0;
                let by_levels = (points.log2().ceil() + 2.0) * weights.largest + leaves;
                let by_levels = if balanced { by_levels } else { f64::INFINITY };
                let by_fan = if leaf + weights.largest == 0.0 { splits.fan } else { f64::INFINITY };
                general.min(by_levels).min(by_fan)
            }
            Semiring::MaxPlus => general,
            Semiring::MaxMin | Semiring::OrAnd => leaf.max(weights.largest).max(splits.largest),
            Semiring::PlusTimes => {
                let factor = |largest: f64, present: bool| if present { largest } else { 1.0 };
                let node = factor(weights.largest, instance.has_weights())
                    * factor(splits.largest, instance.has_terms());
                all_trees(instance.points() - 1, leaf, node)
            }
        };
        let non_negative = |list: &[V]| list.iter().all(|&value| value >= V::default());
        let balanced =
            semiring == Semiring::MinPlus && weights.superadditive && splits.largest == 0.0;
        let sums = matches!(instance.cell_cost(), CellCost::Separable { .. });
        Magnitude {
            whole: is_whole(instance) && !instance.is_rounded(),
            real: !V::WHOLE,
            given: points == 2.0 || semiring == Semiring::MaxMin && !sums,
            non_negative: non_negative(instance.leaves())
                && weights.non_negative
                && splits.non_negative,
            plain: !instance.has_terms() && semiring.selects(),
            monotone: balanced && non_negative(instance.leaves()),
            candidate: candidate * SLACK,
            operand: candidate.max(weights.operand).max(splits.operand) * SLACK,
            terms: general * SLACK,
            addends: if sums { weights.operand } else { 0.0 },
            sensitivity: splits.sensitivity,
            points,
            semiring,
            foreign: instance.expression().is_some(),
        }
    }

    /// Improves the limits if a tree of the given value is known: a candidate is two parts of a
    /// best tree and its root, which cost at most as much as two best trees.
    pub(super) fn with_tree(self, value: f64) -> Self {
        let candidate = if self.monotone { 2.0 * value * SLACK } else { f64::INFINITY };
        Magnitude { candidate: self.candidate.min(candidate), ..self }
    }

    /// Whether all values of cells, and all operands for them, are within the range of that type.
    pub(super) fn has_range(&self, cell_type: CellType) -> bool {
        match cell_type {
            // Signs are only certain for sums that are exact in double precision.
            CellType::U16 => {
                self.whole
                    && self.non_negative
                    && self.addends <= CellType::F64.exact_limit()
                    && self.candidate <= cell_type.exact_limit()
            }
            CellType::I32 | CellType::I64 => {
                self.whole && self.candidate <= cell_type.exact_limit()
            }
            // An infinite value or a NaN makes every sum of products infinite or NaN, so the last
            // cell shows it.
            CellType::F32 | CellType::F64 if !self.semiring.selects() => true,
            // Twice, because rounding may make values larger.
            CellType::F32 | CellType::F64 => {
                2.0 * (self.candidate + self.operand) <= cell_type.largest()
            }
        }
    }

    /// Whether all values are computed exactly in cells of that type, and are exact in the
    /// instance's type of number.
    pub(super) fn is_exact(&self, cell_type: CellType) -> bool {
        match cell_type {
            CellType::F64 if self.real && self.given => true,
            CellType::F32 | CellType::F64 => self.whole && self.operand <= cell_type.exact_limit(),
            _ if self.real && self.candidate > CellType::F64.exact_limit() => false,
            _ => self.has_range(cell_type),
        }
    }

    /// The requested type; otherwise the fastest type that solves the instance exactly, or double
    /// precision for real numbers if there is none. 16 bits are only for devices.
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
        let narrow =
            if self.plain { vec![CellType::U16, CellType::I32] } else { vec![CellType::I32] };
        let fitting = narrow
            .into_iter()
            .chain(wide)
            .find(|&cell_type| self.is_exact(cell_type) && !(bitwise && cell_type.is_float()));
        match fitting {
            Some(cell_type) => Ok(cell_type),
            None if self.real => self.check_real().map(|()| CellType::F64),
            None => Err(Error::overflow("the bound on the values of the cells")),
        }
    }

    /// Refuses real numbers whose sums or products may be infinite, since a good tree could be
    /// lost.
    pub(super) fn check_real(&self) -> Result<()> {
        match self.has_range(CellType::F64) {
            true => Ok(()),
            false => Err(Error::unsupported(
                "real numbers whose sums or products may be beyond the range of double precision",
            )),
        }
    }

    fn check(&self, wanted: CellType, bitwise: bool) -> Result<()> {
        let reason = match wanted {
            CellType::F32 | CellType::F64 if bitwise => {
                "bitwise operations need whole numbers".to_owned()
            }
            CellType::U16 if !self.plain => {
                "u16 is for sums and selections without split costs".to_owned()
            }
            _ if self.is_exact(wanted) || self.has_range(wanted) => return Ok(()),
            CellType::F32 | CellType::F64 => {
                let largest = self.candidate.max(self.operand);
                format!(
                    "values, or products on the way to them, up to {largest:.2e} may not fit into {wanted}"
                )
            }
            _ if !self.whole => format!("{wanted} for numbers that are not whole"),
            CellType::U16 if !self.non_negative => "u16 for negative numbers".to_owned(),
            _ => format!("values up to {:.0} may not fit into {wanted}", self.candidate),
        };
        Err(Error::argument("cell_type", reason))
    }

    /// A bound on the optimum, given the value computed in cells of that type: below it for a
    /// minimum, above it for a maximum. `None` if no bound is known.
    ///
    /// The value computed for the best tree differs from its true value by at most
    /// [`Magnitude::error`], and the result is at least as good, because rounding keeps the order
    /// of numbers. The error counts twice, the second time for the rounding of the tree's value
    /// when it is computed again. No value is infinite; see [`Magnitude::has_range`].
    pub(super) fn bound(&self, value: f64, cell_type: CellType) -> Option<f64> {
        let error = self.error(value, cell_type)?;
        let bound = match self.semiring.sense() {
            Sense::Maximise => value + error,
            Sense::Minimise => value - error,
        };
        Some(bound).filter(|bound| bound.is_finite())
    }

    /// Upper limit of the difference between a value computed in cells of that type and the true
    /// value, which is that of the best tree. Holds for all cells. `None` if no limit is known.
    pub(super) fn error(&self, value: f64, cell_type: CellType) -> Option<f64> {
        if self.is_exact(cell_type) {
            return Some(0.0);
        }
        if self.foreign || !self.semiring.selects() || !self.has_range(cell_type) {
            return None;
        }
        let unit = cell_type.unit_roundoff();
        // A term is rounded a few times, and so are at most three sums for each node above it.
        let share = (3.0 * self.points + 16.0) * unit;
        if share > 1.0 / 16.0 {
            return None;
        }
        let relative = 1.1 * share * if self.non_negative { value.abs() } else { self.terms };
        // Cell costs may be small differences of large numbers, which are rounded in an instance of
        // prefix sums, and as cells.
        let cancelled = 8.0 * unit * self.points * self.addends;
        // Below the least normal number an error is not relative, and some devices flush to zero.
        let underflow = 4.0 * cell_type.least_normal() * self.points * (2.0 + self.sensitivity);
        Some(2.0 * (relative + cancelled + underflow))
    }
}

/// An upper bound on the sum, over all trees with up to `leaves` leaves, of the products of their
/// terms.
fn all_trees(leaves: usize, leaf: f64, node: f64) -> f64 {
    // Beyond this no type is exact, and the size does not matter.
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
                SplitCost::Product { left, split, right } => {
                    whole(left) && whole(split) && whole(right)
                }
                // Functions of real numbers may return any value.
                SplitCost::Expression(_) => false,
            }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_error;

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
        assert!(matches!(
            chain(&[3_000_000; 9]).choose(None, false).err().as_deref(),
            Some(Error::Overflow { .. })
        ));
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
            let instance = Instance::custom(
                Semiring::PlusTimes,
                vec![1i64; leaves],
                CellCost::None,
                SplitCost::None,
            );
            Magnitude::of(&instance.unwrap()).choose(None, false)
        };
        // The 35th Catalan number is the last below 2^63.
        assert_eq!(count(36).unwrap(), CellType::I64);
        assert_error!(count(37), Error::Overflow { .. });
    }
}
