//! The named problems in the general form.

use super::{CellCost, Instance, Kind, SplitCost, check_points, pairs};
use crate::interval_dp::number::Number;
use crate::interval_dp::semiring::Semiring;
use crate::memory::Gather;
use crate::{Error, Result, memory};

impl<V: Number> Instance<V> {
    /// The cheapest way to multiply a chain of matrices; matrix i has
    /// `dimensions[i]` rows and `dimensions[i + 1]` columns. A cell's value is a number of scalar
    /// multiplications.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for fewer than two dimensions and for one that is not positive
    /// (or not finite).
    pub fn matrix_chain(dimensions: Vec<V>) -> Result<Self> {
        if dimensions.len() < 2 {
            let reason = format!("{} given; a chain of one matrix has two", dimensions.len());
            return Err(Error::argument("dimensions", reason));
        }
        Self::by_products(Kind::MatrixChain, "dimensions", dimensions)
    }

    /// The cheapest triangulation of a convex polygon with weights at its vertices, where a
    /// triangle costs the product of its three weights. It is the matrix chain with the weights as
    /// dimensions.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for fewer than three vertices and for a weight that is not
    /// positive (or not finite).
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
        let leaves = memory::filled(V::default(), factors.len() - 1)?;
        let (left, split) = (memory::copied(&factors)?, memory::copied(&factors)?);
        let split_cost = SplitCost::Product { left, split, right: factors };
        let (semiring, cell_cost) = (Semiring::MinPlus, CellCost::None);
        Ok(Instance { kind, semiring, leaves, cell_cost, split_cost, rounded: false })
    }

    /// The cheapest triangulation of a convex polygon where a triangle costs the sum of its edges'
    /// lengths; `length(i, j)` with i < j is the length of the edge or diagonal between two of the
    /// `vertices`.
    ///
    /// Every edge's length is part of its cell's cost, so that the loop over the splits adds no
    /// lengths. The cells of inner diagonals therefore contain the diagonal's length once more than
    /// their triangles cost.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for fewer than three vertices and for a length that is negative
    /// or not finite.
    pub fn triangulation_by_edges(
        vertices: usize,
        length: impl Fn(usize, usize) -> V,
    ) -> Result<Self> {
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
        let mut table = memory::list(pairs(vertices))?;
        for i in 0..vertices {
            for j in i + 1..vertices {
                let length = checked(i, j)?;
                let both_sides = (i, j) != (0, vertices - 1);
                let twice = length.checked_add(length).ok_or(Error::overflow("twice a length"))?;
                table.push(if both_sides { twice } else { length });
            }
        }
        let leaves = (1..vertices).map(|j| checked(j - 1, j)).try_gather()?;
        let (cell_cost, split_cost) = (CellCost::Table(table), SplitCost::None);
        let (kind, semiring) = (Kind::Triangulation, Semiring::MinPlus);
        Ok(Instance { kind, semiring, leaves, cell_cost, split_cost, rounded: false })
    }

    /// The binary search tree with the least weighted path length (Knuth 1971). A search for key i,
    /// of weight `keys[i]`, makes one comparison more than the key has ancestors. A search that
    /// ends in the gap before key i, of weight `gaps[i]`, or after the last key, makes as many as
    /// the gap has ancestors. Keys are in order; `gaps` has one entry more. In the tree, the node
    /// that splits at point k is key k - 1.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for lists that do not match and for a weight that is negative or
    /// not finite; [`Error::Overflow`] if the sum of the weights is out of range.
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
        let add = |a: V, b: V| a.checked_add(b).ok_or(Error::overflow("the sum of the weights"));
        let zero = V::default();
        let minus_one = V::from_i64(-1);
        let (mut row, mut column) = (memory::filled(zero, points)?, memory::filled(zero, points)?);
        for point in 0..points - 1 {
            let before = add(keys_before[point], gaps_before[point])?;
            row[point] = before.checked_mul(minus_one).unwrap_or(zero);
            column[point + 1] = add(keys_before[point], gaps_before[point + 1])?;
        }
        Ok(Instance {
            kind: Kind::SearchTree,
            semiring: Semiring::MinPlus,
            leaves: memory::filled(zero, points - 1)?,
            cell_cost: CellCost::Separable { row, column },
            split_cost: SplitCost::None,
            // Sums of whole weights are whole, and the magnitude check finds those that are too
            // large.
            rounded: !keys.iter().chain(gaps).all(|weight| weight.is_whole()),
        })
    }
}

impl Instance<f64> {
    /// [`Instance::triangulation_by_edges`] of a convex polygon in the plane, with its vertices in
    /// order.
    ///
    /// # Errors
    /// Those of [`Instance::triangulation_by_edges`], and [`Error::InvalidArgument`] if the polygon
    /// is not convex.
    pub fn convex_polygon(vertices: &[[f64; 2]]) -> Result<Self> {
        let count = vertices.len();
        let corner =
            |index: usize| [0, 1, 2].map(|step| vertices[(index + count + step - 1) % count]);
        let turn = |index: usize| {
            let [a, b, c] = corner(index);
            (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
        };
        if let Some(index) =
            vertices.iter().position(|vertex| !vertex.iter().all(|x| x.is_finite()))
        {
            return Err(Error::element("vertices", index, "a coordinate is not finite"));
        }
        let turns: Vec<f64> = (0..count).map(turn).gather()?;
        let direction = turns.iter().sum::<f64>().signum();
        // A polygon that winds around more than once changes its direction from left to right more
        // than once.
        let rises = |index: usize| vertices[(index + 1) % count][0] > vertices[index][0];
        let windings =
            (0..count).filter(|&index| rises(index) && !rises((index + 1) % count)).count();
        if let Some(index) = turns.iter().position(|turn| turn * direction < 0.0) {
            return Err(Error::element("vertices", index, "the polygon is not convex there"));
        }
        if windings > 1 {
            return Err(Error::argument("vertices", "the polygon winds around more than once"));
        }
        let instance = Self::triangulation_by_edges(count, |i, j| {
            (vertices[i][0] - vertices[j][0]).hypot(vertices[i][1] - vertices[j][1])
        })?;
        Ok(Instance { rounded: true, ..instance })
    }
}

/// Sums of the first 0, 1, 2, ... numbers. For real numbers the rounding error is carried along.
fn prefix_sums<V: Number>(numbers: &[V]) -> Result<Vec<V>> {
    let mut sums = memory::list(numbers.len() + 1)?;
    let (mut sum, mut lost) = (V::default(), V::default());
    sums.push(sum);
    for &number in numbers {
        let (next, error) =
            sum.add_with_error(number).ok_or(Error::overflow("the sum of the weights"))?;
        sum = next;
        lost = lost.checked_add(error).unwrap_or(lost);
        sums.push(sum.checked_add(lost).unwrap_or(sum));
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval_dp::testing::refusal;

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
            refusal(Instance::triangulation_by_edges(
                4,
                |i, j| if (i, j) == (1, 3) { -1.0 } else { 1.0 },
            ));
        assert_eq!(edges, "vertices[1]: the length -1.0 to vertex 3 is negative or not finite");
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
}
