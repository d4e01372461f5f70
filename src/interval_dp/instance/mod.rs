mod problems;

use std::fmt;

use super::number::{Number, SplitFunction};
use super::semiring::Semiring;
use crate::enumeration::enumeration;
use crate::opencl::bounded_expression;
use crate::{Error, Result};

/// An instance of interval dynamic programming over points 0 .. n, with whole (`i64`) or real
/// (`f64`) numbers.
///
/// Cell (i, j), i < j, is the value of the points i .. j. Cells of neighbours are *leaves* with
/// given values; all other cells combine two parts that meet at a point k:
///
/// ```text
/// cell(i, i + 1) = leaf(i)
/// cell(i, j) = w(i, j) * (sum over i < k < j of cell(i, k) * cell(k, j) * g(i, k, j))
/// ```
///
/// where sum and `*` are the operations of the [`Semiring`]: with [`Semiring::MinPlus`], minimum
/// and sum. w is the [`CellCost`], g the [`SplitCost`]. The result is cell (0, n).
#[derive(Debug, Clone)]
pub struct Instance<V> {
    kind: Kind,
    semiring: Semiring,
    leaves: Vec<V>,
    cell_cost: CellCost<V>,
    split_cost: SplitCost<V>,
    /// Whether the numbers were rounded, so that whole ones may have been fractions.
    rounded: bool,
}

enumeration! {
    /// The problem that an instance describes, for names and texts.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Kind {
        /// The order of multiplying a chain of matrices.
        MatrixChain: "matrix-chain", "The cheapest order of multiplying matrices";
        /// An optimal binary search tree.
        SearchTree: "search-tree", "The binary search tree with the least weighted path length";
        /// A triangulation of a convex polygon.
        Triangulation: "triangulation", "The cheapest triangulation of a convex polygon";
        /// Anything else.
        Custom: "custom", "Leaves of cost 0, and split costs by an expression";
    }
}

/// The cost of a cell for any split: w(i, j). Leaves do not have it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CellCost<V> {
    /// No cost: the neutral element.
    None,
    /// `row[i] + column[j]`, for instance a difference of prefix sums. Both have an entry for each
    /// point.
    Separable {
        /// Indexed by the first point.
        row: Vec<V>,
        /// Indexed by the last point.
        column: Vec<V>,
    },
    /// A number for each pair i < j of points, row after row: (0, 1), (0, 2), ..., (1, 2), ... The
    /// entries of leaves are ignored.
    Table(Vec<V>),
}

/// The cost of a split in addition to its two parts: g(i, k, j).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum SplitCost<V> {
    /// No cost: the neutral element.
    None,
    /// `left[i] * split[k] * right[j]`, for (min,+) and (max,+). All have an entry for each point.
    Product {
        /// Indexed by the first point.
        left: Vec<V>,
        /// Indexed by the split.
        split: Vec<V>,
        /// Indexed by the last point.
        right: Vec<V>,
    },
    /// A caller's function.
    Expression(Expression<V>),
}

/// A caller's split cost: a function for the CPU, an expression in OpenCL C for devices, or both.
/// Both must give the same value, which is checked on some triples of points.
#[derive(Clone)]
pub struct Expression<V> {
    /// g(i, k, j) for points i < k < j. It is called from several threads. Without it the instance
    /// is solved on a device only; another kernel then computes the split costs of the tree.
    pub function: Option<SplitFunction<V>>,
    /// Upper limit of the magnitude of g, from which follows which types of cell cannot overflow.
    /// If a split of the tree exceeds it or costs NaN, that is an error. Other splits are not
    /// checked, and may overflow.
    pub magnitude: V,
    /// An expression in OpenCL C of the same value, computed from `i`, `k`, `j` (of type `uint`),
    /// `points` (`uint`) and `data[...]`, the numbers of [`Expression::data`]. `VALUE` is the type
    /// of a cell. Without it the instance is solved on the CPU only.
    ///
    /// The expression is code that runs with the program's rights: accept none from people whom you
    /// would not let write the program. Statements, pointers, preprocessor lines, and unmatched
    /// brackets are refused.
    pub source: Option<String>,
    /// The numbers of `data`. Beyond their end, `data[...]` is 0.
    pub data: Vec<V>,
}

impl<V: fmt::Debug> fmt::Debug for Expression<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expression")
            .field("function", &self.function.is_some())
            .field("source", &self.source)
            .field("magnitude", &self.magnitude)
            .field("data", &self.data.len())
            .finish_non_exhaustive()
    }
}

/// Prefix of the names of the kernels' own functions.
pub(super) const KERNEL_PREFIX: &str = "interval_";
/// Most points of an instance: devices count them with 32 bits.
const MAX_POINTS: usize = 1 << 30;

impl<V: Number> Instance<V> {
    /// An instance of the general form, with one point more than `leaves`.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] without leaves, for lists of lengths other than documented, for
    /// numbers that are not finite, for an [`Expression`] without function and source, and for a
    /// source that is not an expression; [`Error::Unsupported`] for [`SplitCost::Product`] with
    /// semirings other than (min,+) and (max,+), and for [`Semiring::OrAnd`] on real numbers.
    pub fn custom(
        semiring: Semiring,
        leaves: Vec<V>,
        cell_cost: CellCost<V>,
        split_cost: SplitCost<V>,
    ) -> Result<Self> {
        if leaves.is_empty() {
            return Err(Error::argument("leaves", "there must be at least one"));
        }
        let points = leaves.len() + 1;
        check_points("leaves", points)?;
        check_list("leaves", &leaves, points - 1)?;
        match &cell_cost {
            CellCost::None => {}
            CellCost::Separable { row, column } => {
                check_list("row", row, points)?;
                check_list("column", column, points)?;
                if let Some(point) = (0..points).find(|&i| row[i].checked_add(column[i]).is_none())
                {
                    return Err(Error::element(
                        "row",
                        point,
                        "the sum of row and column is out of range",
                    ));
                }
            }
            CellCost::Table(table) => check_list("table", table, pairs(points))?,
        }
        match &split_cost {
            SplitCost::None => {}
            SplitCost::Product { left, split, right } => {
                if !matches!(semiring, Semiring::MinPlus | Semiring::MaxPlus) {
                    let reason =
                        format!("products of the points' numbers as split costs with {semiring:?}");
                    return Err(Error::unsupported(reason));
                }
                for (argument, list) in [("left", left), ("split", split), ("right", right)] {
                    check_list(argument, list, points)?;
                }
            }
            SplitCost::Expression(expression) => {
                if !expression.magnitude.is_finite() || expression.magnitude < V::default() {
                    return Err(Error::argument("magnitude", "must be finite and not negative"));
                }
                if expression.function.is_none() && expression.source.is_none() {
                    return Err(Error::argument("source", "neither it nor a function is given"));
                }
                if let Some(source) = &expression.source {
                    bounded_expression(source, KERNEL_PREFIX)
                        .map_err(|fault| Error::argument("source", fault.to_string()))?;
                }
                check_list("data", &expression.data, expression.data.len())?;
            }
        }
        if semiring == Semiring::OrAnd && !V::WHOLE {
            return Err(Error::unsupported("bitwise operations on real numbers"));
        }
        Ok(Instance { kind: Kind::Custom, semiring, leaves, cell_cost, split_cost, rounded: false })
    }

    /// The problem that the instance describes.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The operations of the recurrence.
    pub fn semiring(&self) -> Semiring {
        self.semiring
    }

    /// Number of points, n + 1; the number of leaves is n.
    pub fn points(&self) -> usize {
        self.leaves.len() + 1
    }

    /// Values of the leaves (0, 1), (1, 2), ...
    pub fn leaves(&self) -> &[V] {
        &self.leaves
    }

    /// The costs of cells.
    pub fn cell_cost(&self) -> &CellCost<V> {
        &self.cell_cost
    }

    /// The costs of splits.
    pub fn split_cost(&self) -> &SplitCost<V> {
        &self.split_cost
    }

    /// Steps of the cubic recurrence, one for each i < k < j.
    pub fn relaxations(&self) -> u64 {
        let points = self.points() as u128;
        u64::try_from(points * (points - 1) * points.saturating_sub(2) / 6).unwrap_or(u64::MAX)
    }

    /// Whether rounding changed the numbers.
    pub(super) fn is_rounded(&self) -> bool {
        self.rounded
    }

    /// Whether cells have a cost.
    pub(super) fn has_weights(&self) -> bool {
        !matches!(self.cell_cost, CellCost::None)
    }

    /// Whether splits have a cost.
    pub(super) fn has_terms(&self) -> bool {
        !matches!(self.split_cost, SplitCost::None)
    }

    /// Whether only a device can compute the split costs.
    pub(super) fn is_for_devices(&self) -> bool {
        self.expression().is_some_and(|expression| expression.function.is_none())
    }

    /// The caller's own split cost.
    pub(super) fn expression(&self) -> Option<&Expression<V>> {
        match &self.split_cost {
            SplitCost::Expression(expression) => Some(expression),
            _ => None,
        }
    }

    /// w(i, j) of a cell that is not a leaf; `None` if it is the neutral element or out of range.
    pub(super) fn weight(&self, i: usize, j: usize) -> Option<V> {
        match &self.cell_cost {
            CellCost::None => None,
            CellCost::Separable { row, column } => row[i].checked_add(column[j]),
            CellCost::Table(table) => Some(table[pair(self.points(), i, j)]),
        }
    }

    /// g(i, k, j); `None` if it is the neutral element, out of range, or computable only on a
    /// device.
    pub(super) fn split_term(&self, i: usize, k: usize, j: usize) -> Option<V> {
        match &self.split_cost {
            SplitCost::None => None,
            SplitCost::Product { left, split, right } => {
                let mut factors = [left[i], split[k], right[j]];
                factors.sort_by(|a, b| a.to_f64().abs().total_cmp(&b.to_f64().abs()));
                // In this order an intermediate product is out of range or zero only if the result
                // is.
                let [small, middle, large] = factors;
                small.checked_mul(large).and_then(|product| product.checked_mul(middle))
            }
            SplitCost::Expression(expression) => {
                expression.function.as_ref().map(|function| function(i, k, j))
            }
        }
    }
}

/// Pairs i < j of points.
pub(super) fn pairs(points: usize) -> usize {
    points * (points - 1) / 2
}

/// Place of a pair in a list of all of them, row after row.
pub(super) fn pair(points: usize, i: usize, j: usize) -> usize {
    i * (2 * points - i - 1) / 2 + (j - i - 1)
}

/// Refuses more points than an instance may have.
pub(super) fn check_points(argument: &'static str, points: usize) -> Result<()> {
    if points > MAX_POINTS {
        return Err(Error::argument(
            argument,
            format!("{points} points are more than {MAX_POINTS}"),
        ));
    }
    Ok(())
}

fn check_list<V: Number>(argument: &'static str, list: &[V], expected: usize) -> Result<()> {
    if list.len() != expected {
        return Err(Error::argument(
            argument,
            format!("{} numbers, {expected} are needed", list.len()),
        ));
    }
    match list.iter().position(|number| !number.is_finite()) {
        Some(index) => {
            Err(Error::element(argument, index, format!("{:?} is not finite", list[index])))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval_dp::testing::refusal;

    #[test]
    fn the_general_form_is_checked() {
        let custom = |leaves: &[f64], cell_cost, split_cost| {
            refusal(Instance::custom(Semiring::MaxMin, leaves.to_vec(), cell_cost, split_cost))
        };
        assert_eq!(
            custom(&[], CellCost::None, SplitCost::None),
            "leaves: there must be at least one"
        );
        let nan = custom(&[0.0, f64::NAN], CellCost::None, SplitCost::None);
        assert_eq!(nan, "leaves[1]: NaN is not finite");
        let short = custom(&[0.0; 3], CellCost::Table(vec![0.0; 5]), SplitCost::None);
        assert_eq!(short, "table: 5 numbers, 6 are needed");
        let separable = CellCost::Separable { row: vec![0.0; 4], column: vec![0.0; 3] };
        assert_eq!(
            custom(&[0.0; 3], separable, SplitCost::None),
            "column: 3 numbers, 4 are needed"
        );
        let list = vec![0.0; 4];
        let product = SplitCost::Product { left: list.clone(), split: list.clone(), right: list };
        assert!(custom(&[0.0; 3], CellCost::None, product).starts_with("not supported: products"));
        let bits = Instance::custom(Semiring::OrAnd, vec![1.0], CellCost::None, SplitCost::None);
        assert_eq!(refusal(bits), "not supported: bitwise operations on real numbers");
    }

    #[test]
    fn pairs_are_numbered_row_by_row() {
        let all: Vec<_> = (0..5).flat_map(|i| (i + 1..5).map(move |j| pair(5, i, j))).collect();
        assert_eq!(all, (0..pairs(5)).collect::<Vec<_>>());
    }
}
