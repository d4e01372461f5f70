use std::fmt;
use std::sync::Arc;

use super::number::Number;
use super::semiring::Semiring;
use crate::{Error, Result};

/// An instance of interval dynamic programming over points 0 .. n, made of whole (`i64`) or real (`f64`) numbers.
///
/// Cell (i, j), i < j, is the value of the points i .. j. Neighbours are *leaves* with given values; the others
/// are put together from two parts that meet at a point k:
///
/// ```text
/// cell(i, i + 1) = leaf(i)
/// cell(i, j) = w(i, j) * (sum over i < k < j of cell(i, k) * cell(k, j) * g(i, k, j))
/// ```
///
/// where sum and `*` are the operations of the [`Semiring`]: with [`Semiring::MinPlus`], the least sum. w is the
/// [`CellCost`], g the [`SplitCost`]. The value sought is cell (0, n).
#[derive(Debug, Clone)]
pub struct Instance<V> {
    kind: Kind,
    semiring: Semiring,
    leaves: Vec<V>,
    cell_cost: CellCost<V>,
    split_cost: SplitCost<V>,
}

/// What an instance describes, for names and texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Multiplications of a chain of matrices.
    MatrixChain,
    /// An optimal binary search tree.
    SearchTree,
    /// A triangulation of a convex polygon.
    Triangulation,
    /// Anything else.
    Custom,
}

impl Kind {
    /// The kind's name in the command's spelling.
    pub fn name(self) -> &'static str {
        match self {
            Kind::MatrixChain => "matrix-chain",
            Kind::SearchTree => "search-tree",
            Kind::Triangulation => "triangulation",
            Kind::Custom => "custom",
        }
    }
}

/// What a cell costs whatever its split: w(i, j). Leaves do not pay it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CellCost<V> {
    /// Nothing: the neutral element.
    None,
    /// `row[i] + column[j]`, for instance a difference of prefix sums. Both have an entry for each point.
    Separable {
        /// By the first point.
        row: Vec<V>,
        /// By the last point.
        column: Vec<V>,
    },
    /// A number for each pair i < j of points, row after row: (0, 1), (0, 2), ..., (1, 2), ... Those of leaves
    /// are not used.
    Table(Vec<V>),
}

/// What a split costs beside its two parts: g(i, k, j).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum SplitCost<V> {
    /// Nothing: the neutral element.
    None,
    /// `left[i] * split[k] * right[j]`, for (min,+) and (max,+). All have an entry for each point.
    Product {
        /// By the first point.
        left: Vec<V>,
        /// By the point of the split.
        split: Vec<V>,
        /// By the last point.
        right: Vec<V>,
    },
    /// A function of the caller.
    Expression(Expression<V>),
}

/// A function for the CPU.
pub type SplitFunction<V> = Arc<dyn Fn(usize, usize, usize) -> V + Send + Sync>;

/// A split cost of the caller: a function for the CPU, an expression in OpenCL C for devices, or both, of the same
/// value, which is compared on some triples of points.
#[derive(Clone)]
pub struct Expression<V> {
    /// g(i, k, j) for points i < k < j. It is called from several threads. Without it the instance is solved on a
    /// device alone; the tree's split costs are then computed anew by a kernel of their own.
    pub function: Option<SplitFunction<V>>,
    /// No value of g is larger in magnitude. From it follows which type of cell can't overflow; a value found to
    /// exceed it is an error.
    pub magnitude: V,
    /// An expression in OpenCL C of the same value, computed from `i`, `k`, `j` (of type `uint`), `points` (`uint`)
    /// and `data` (a pointer to the numbers of [`Expression::data`]). `VALUE` is the type of a cell. Without it the
    /// instance is solved on the CPU alone.
    pub source: Option<String>,
    /// What `data` points to.
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

/// Most points of an instance: their numbers are 32 bits wide on devices.
const MAX_POINTS: usize = 1 << 30;

impl<V: Number> Instance<V> {
    /// The cheapest way to multiply a chain of matrices; matrix i has `dimensions[i]` rows and `dimensions[i + 1]`
    /// columns. A cell's value is a number of scalar multiplications.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for fewer than two dimensions and for one that is not positive (or not finite).
    pub fn matrix_chain(dimensions: Vec<V>) -> Result<Self> {
        if dimensions.len() < 2 {
            let reason = format!("{} given; a chain of one matrix has two", dimensions.len());
            return Err(Error::argument("dimensions", reason));
        }
        Self::by_products(Kind::MatrixChain, "dimensions", dimensions)
    }

    /// The cheapest triangulation of a convex polygon with weights at its vertices, where a triangle costs the
    /// product of its three weights. It is the matrix chain with the weights as dimensions.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for fewer than three vertices and for a weight that is not positive (or not
    /// finite).
    pub fn triangulation_by_weights(weights: Vec<V>) -> Result<Self> {
        if weights.len() < 3 {
            let reason = format!("{} given; a polygon has at least three vertices", weights.len());
            return Err(Error::argument("weights", reason));
        }
        Self::by_products(Kind::Triangulation, "weights", weights)
    }

    fn by_products(kind: Kind, argument: &'static str, factors: Vec<V>) -> Result<Self> {
        check_points(argument, factors.len())?;
        for (index, &factor) in factors.iter().enumerate() {
            if !factor.is_finite() || factor <= V::default() {
                return Err(Error::element(
                    argument,
                    index,
                    format!("{factor:?} is not positive and finite"),
                ));
            }
        }
        let leaves = vec![V::default(); factors.len() - 1];
        let (left, split) = (factors.clone(), factors.clone());
        let split_cost = SplitCost::Product { left, split, right: factors };
        Ok(Instance { kind, semiring: Semiring::MinPlus, leaves, cell_cost: CellCost::None, split_cost })
    }

    /// The cheapest triangulation of a convex polygon where a triangle costs the sum of its edges' lengths;
    /// `length(i, j)` with i < j is that of the edge or diagonal between two of the `vertices`.
    ///
    /// Every edge's length is folded into its cell, so that the loop over the splits adds no lengths; the cells of
    /// inner diagonals therefore hold the diagonal's length once more than their triangles cost.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for fewer than three vertices and for a length that is negative or not finite.
    pub fn triangulation_by_edges(vertices: usize, length: impl Fn(usize, usize) -> V) -> Result<Self> {
        if vertices < 3 {
            let reason = format!("{vertices} given; a polygon has at least three");
            return Err(Error::argument("vertices", reason));
        }
        check_points("vertices", vertices)?;
        let checked = |i: usize, j: usize| {
            let length = length(i, j);
            if length.is_finite() && length >= V::default() {
                return Ok(length);
            }
            let reason = format!("the length {length:?} to vertex {j} is negative or not finite");
            Err(Error::element("vertices", i, reason))
        };
        let mut table = Vec::new();
        table.try_reserve_exact(pairs(vertices)).map_err(|_| Error::OutOfMemory {
            what: format!("the lengths between {vertices} vertices"),
            required: pairs(vertices) as u128 * size_of::<V>() as u128,
            limit: isize::MAX as u64,
        })?;
        for i in 0..vertices {
            for j in i + 1..vertices {
                let length = checked(i, j)?;
                let both_sides = (i, j) != (0, vertices - 1);
                let twice = length.checked_add(length).ok_or(Error::Overflow { what: "twice a length" })?;
                table.push(if both_sides { twice } else { length });
            }
        }
        let leaves = (1..vertices).map(|j| checked(j - 1, j)).collect::<Result<_>>()?;
        let (cell_cost, split_cost) = (CellCost::Table(table), SplitCost::None);
        let (kind, semiring) = (Kind::Triangulation, Semiring::MinPlus);
        Ok(Instance { kind, semiring, leaves, cell_cost, split_cost })
    }

    /// The binary search tree with the least weighted path length (Knuth 1971): a search for key i, of weight
    /// `keys[i]`, makes one comparison more than the key has ancestors; a search that ends in the gap before key i,
    /// of weight `gaps[i]`, or behind the last key, makes as many as the gap has. Keys are in order; `gaps` has
    /// one entry more. In the tree, the node that splits at point k is key k - 1.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for lists that do not match and for a weight that is negative or not finite;
    /// [`Error::Overflow`] if the weights' sum is beyond the numbers' range.
    pub fn search_tree(keys: &[V], gaps: &[V]) -> Result<Self> {
        if gaps.len() != keys.len() + 1 {
            let reason = format!("{} gaps for {} keys; there is one more", gaps.len(), keys.len());
            return Err(Error::argument("gaps", reason));
        }
        for (argument, weights) in [("keys", keys), ("gaps", gaps)] {
            for (index, &weight) in weights.iter().enumerate() {
                if !weight.is_finite() || weight < V::default() {
                    let reason = format!("{weight:?} is negative or not finite");
                    return Err(Error::element(argument, index, reason));
                }
            }
        }
        let points = keys.len() + 2;
        check_points("keys", points)?;
        // Cell (i, j) has the gaps i .. j - 1 and the keys i .. j - 2: a difference of prefix sums.
        let (keys_before, gaps_before) = (prefix_sums(keys)?, prefix_sums(gaps)?);
        let add = |a: V, b: V| a.checked_add(b).ok_or(Error::Overflow { what: "the sum of the weights" });
        let zero = V::default();
        let minus_one = V::from_i64(-1);
        let (mut row, mut column) = (vec![zero; points], vec![zero; points]);
        for point in 0..points - 1 {
            let before = add(keys_before[point], gaps_before[point])?;
            row[point] = before.checked_mul(minus_one).unwrap_or(zero);
            column[point + 1] = add(keys_before[point], gaps_before[point + 1])?;
        }
        Ok(Instance {
            kind: Kind::SearchTree,
            semiring: Semiring::MinPlus,
            leaves: vec![zero; points - 1],
            cell_cost: CellCost::Separable { row, column },
            split_cost: SplitCost::None,
        })
    }

    /// An instance of the general form, with one point more than `leaves`.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] without leaves, for lists of other lengths than their documentation says, for
    /// numbers that are not finite and for an [`Expression`] of nothing; [`Error::Unsupported`] for [`SplitCost::Product`] with other semirings than
    /// (min,+) and (max,+), and for [`Semiring::OrAnd`] on real numbers.
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
                if let Some(point) = (0..points).find(|&i| row[i].checked_add(column[i]).is_none()) {
                    return Err(Error::element("row", point, "row and column add up beyond the range"));
                }
            }
            CellCost::Table(table) => check_list("table", table, pairs(points))?,
        }
        match &split_cost {
            SplitCost::None => {}
            SplitCost::Product { left, split, right } => {
                if !matches!(semiring, Semiring::MinPlus | Semiring::MaxPlus) {
                    let reason = format!("products of the points' numbers as split costs with {semiring:?}");
                    return Err(Error::Unsupported(reason));
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
                check_list("data", &expression.data, expression.data.len())?;
            }
        }
        if semiring == Semiring::OrAnd && !V::WHOLE {
            return Err(Error::Unsupported("bitwise operations on real numbers".into()));
        }
        Ok(Instance { kind: Kind::Custom, semiring, leaves, cell_cost, split_cost })
    }

    /// What the instance describes.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The operations of the recurrence.
    pub fn semiring(&self) -> Semiring {
        self.semiring
    }

    /// Number of points, n + 1; there is one leaf less.
    pub fn points(&self) -> usize {
        self.leaves.len() + 1
    }

    /// Values of the leaves (0, 1), (1, 2), ...
    pub fn leaves(&self) -> &[V] {
        &self.leaves
    }

    /// What cells cost whatever their split.
    pub fn cell_cost(&self) -> &CellCost<V> {
        &self.cell_cost
    }

    /// What splits cost.
    pub fn split_cost(&self) -> &SplitCost<V> {
        &self.split_cost
    }

    /// Steps of the cubic recurrence, one for each i < k < j.
    pub fn relaxations(&self) -> u64 {
        let points = self.points() as u128;
        u64::try_from(points * (points - 1) * points.saturating_sub(2) / 6).unwrap_or(u64::MAX)
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

    /// w(i, j) of a cell that is no leaf; `None` where it is the neutral element, or beyond the range.
    pub(super) fn weight(&self, i: usize, j: usize) -> Option<V> {
        match &self.cell_cost {
            CellCost::None => None,
            CellCost::Separable { row, column } => row[i].checked_add(column[j]),
            CellCost::Table(table) => Some(table[pair(self.points(), i, j)]),
        }
    }

    /// g(i, k, j); `None` where it is the neutral element, beyond the range or known to a device alone.
    pub(super) fn split_term(&self, i: usize, k: usize, j: usize) -> Option<V> {
        match &self.split_cost {
            SplitCost::None => None,
            SplitCost::Product { left, split, right } => {
                split[k].checked_mul(right[j]).and_then(|product| product.checked_mul(left[i]))
            }
            SplitCost::Expression(expression) => {
                expression.function.as_ref().map(|function| function(i, k, j))
            }
        }
    }
}

impl Instance<f64> {
    /// [`Instance::triangulation_by_edges`] of a convex polygon in the plane, with its vertices in order.
    ///
    /// # Errors
    /// Those of [`Instance::triangulation_by_edges`], and [`Error::InvalidArgument`] where the polygon is not convex.
    pub fn convex_polygon(vertices: &[[f64; 2]]) -> Result<Self> {
        let count = vertices.len();
        let corner = |index: usize| [0, 1, 2].map(|step| vertices[(index + count + step - 1) % count]);
        let turn = |index: usize| {
            let [a, b, c] = corner(index);
            (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
        };
        if let Some(index) = vertices.iter().position(|vertex| !vertex.iter().all(|x| x.is_finite())) {
            return Err(Error::element("vertices", index, "a coordinate is not finite"));
        }
        let turns: Vec<f64> = (0..count).map(turn).collect();
        let direction = turns.iter().sum::<f64>().signum();
        // A polygon that winds around more than once goes left to right more than once.
        let rises = |index: usize| vertices[(index + 1) % count][0] > vertices[index][0];
        let windings = (0..count).filter(|&index| rises(index) && !rises((index + 1) % count)).count();
        if let Some(index) = turns.iter().position(|turn| turn * direction < 0.0) {
            return Err(Error::element("vertices", index, "the polygon is not convex there"));
        }
        if windings > 1 {
            return Err(Error::argument("vertices", "the polygon winds around more than once"));
        }
        Self::triangulation_by_edges(count, |i, j| {
            (vertices[i][0] - vertices[j][0]).hypot(vertices[i][1] - vertices[j][1])
        })
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

fn check_points(argument: &'static str, points: usize) -> Result<()> {
    if points > MAX_POINTS {
        return Err(Error::argument(argument, format!("{points} points are more than {MAX_POINTS}")));
    }
    Ok(())
}

fn check_list<V: Number>(argument: &'static str, list: &[V], expected: usize) -> Result<()> {
    if list.len() != expected {
        return Err(Error::argument(argument, format!("{} numbers, {expected} are needed", list.len())));
    }
    match list.iter().position(|number| !number.is_finite()) {
        Some(index) => Err(Error::element(argument, index, format!("{:?} is not finite", list[index]))),
        None => Ok(()),
    }
}

/// Sums of the first 0, 1, 2, ... numbers, those of real numbers with the rounding error carried along.
fn prefix_sums<V: Number>(numbers: &[V]) -> Result<Vec<V>> {
    let mut sums = Vec::with_capacity(numbers.len() + 1);
    let (mut sum, mut lost) = (V::default(), V::default());
    sums.push(sum);
    for &number in numbers {
        let (next, error) =
            sum.add_with_error(number).ok_or(Error::Overflow { what: "the sum of the weights" })?;
        sum = next;
        lost = lost.checked_add(error).unwrap_or(lost);
        sums.push(sum.checked_add(lost).unwrap_or(sum));
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal<T>(result: Result<T>) -> String {
        result.err().map_or_else(|| "accepted".into(), |error| error.to_string())
    }

    #[test]
    fn bad_input_is_named() {
        let chain = |list: &[i64]| refusal(Instance::matrix_chain(list.to_vec()));
        assert_eq!(chain(&[]), "dimensions: 0 given; a chain of one matrix has two");
        assert_eq!(chain(&[5]), "dimensions: 1 given; a chain of one matrix has two");
        assert_eq!(chain(&[5, 0, 2]), "dimensions[1]: 0 is not positive and finite");
        assert_eq!(chain(&[5, 1, -2]), "dimensions[2]: -2 is not positive and finite");
        let real = refusal(Instance::matrix_chain(vec![1.0, f64::NAN]));
        assert_eq!(real, "dimensions[1]: NaN is not positive and finite");
        let polygon = refusal(Instance::triangulation_by_weights(vec![1i64, 2]));
        assert_eq!(polygon, "weights: 2 given; a polygon has at least three vertices");
        let tree = |keys: &[f64], gaps: &[f64]| refusal(Instance::search_tree(keys, gaps));
        assert_eq!(tree(&[1.0], &[1.0]), "gaps: 1 gaps for 1 keys; there is one more");
        assert_eq!(tree(&[-1.0], &[1.0, 2.0]), "keys[0]: -1.0 is negative or not finite");
        assert_eq!(tree(&[1.0], &[1.0, f64::INFINITY]), "gaps[1]: inf is negative or not finite");
        let sum = refusal(Instance::search_tree(&[i64::MAX], &[1, 1]));
        assert_eq!(sum, "the sum of the weights does not fit into 63 bits");
        let edges =
            refusal(Instance::triangulation_by_edges(4, |i, j| if (i, j) == (1, 3) { -1.0 } else { 1.0 }));
        assert_eq!(edges, "vertices[1]: the length -1.0 to vertex 3 is negative or not finite");
    }

    #[test]
    fn the_general_form_is_checked() {
        let custom = |leaves: &[f64], cell_cost, split_cost| {
            refusal(Instance::custom(Semiring::MaxMin, leaves.to_vec(), cell_cost, split_cost))
        };
        assert_eq!(custom(&[], CellCost::None, SplitCost::None), "leaves: there must be at least one");
        let nan = custom(&[0.0, f64::NAN], CellCost::None, SplitCost::None);
        assert_eq!(nan, "leaves[1]: NaN is not finite");
        let short = custom(&[0.0; 3], CellCost::Table(vec![0.0; 5]), SplitCost::None);
        assert_eq!(short, "table: 5 numbers, 6 are needed");
        let separable = CellCost::Separable { row: vec![0.0; 4], column: vec![0.0; 3] };
        assert_eq!(custom(&[0.0; 3], separable, SplitCost::None), "column: 3 numbers, 4 are needed");
        let list = vec![0.0; 4];
        let product = SplitCost::Product { left: list.clone(), split: list.clone(), right: list };
        assert!(custom(&[0.0; 3], CellCost::None, product).starts_with("not supported: products"));
        let bits = Instance::custom(Semiring::OrAnd, vec![1.0], CellCost::None, SplitCost::None);
        assert_eq!(refusal(bits), "not supported: bitwise operations on real numbers");
    }

    #[test]
    fn search_trees_weigh_keys_and_gaps() {
        let tree = Instance::search_tree(&[10i64, 20, 30], &[1, 2, 3, 4]).unwrap();
        assert_eq!(tree.points(), 5);
        assert_eq!(tree.weight(0, 4), Some(70));
        assert_eq!(tree.weight(1, 4), Some(20 + 30 + 2 + 3 + 4));
        assert_eq!(tree.weight(2, 4), Some(30 + 3 + 4));
        assert_eq!(tree.relaxations(), 10);
    }

    #[test]
    fn pairs_are_numbered_row_by_row() {
        let all: Vec<_> = (0..5).flat_map(|i| (i + 1..5).map(move |j| pair(5, i, j))).collect();
        assert_eq!(all, (0..pairs(5)).collect::<Vec<_>>());
    }
}
