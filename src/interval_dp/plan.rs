//! An instance in the engines' terms: its numbers as cells, in arrays that reach to the end of the last tile.

use super::instance::{CellCost, Instance, SplitCost};
use super::number::{Number, to_cell, to_cells};
use super::semiring::{Cell, Ring};

/// The numbers of an instance as cells.
pub(super) struct Plan<'a, V, C> {
    pub(super) instance: &'a Instance<V>,
    /// Points rounded up to whole tiles.
    pub(super) padded: usize,
    pub(super) leaves: Vec<C>,
    pub(super) costs: Costs<C>,
    pub(super) terms: Terms<C>,
}

/// Cell costs.
pub(super) enum Costs<C> {
    None,
    Separable {
        row: Vec<C>,
        column: Vec<C>,
    },
    /// Asked of the instance cell by cell.
    Table,
}

/// Split costs.
pub(super) enum Terms<C> {
    None,
    Product {
        left: Vec<C>,
        split: Vec<C>,
        right: Vec<C>,
    },
    /// Asked of the instance.
    Function,
}

impl<'a, V: Number, C: Cell> Plan<'a, V, C> {
    /// Arrays are filled up with zeros to a multiple of `tile`.
    pub(super) fn new(instance: &'a Instance<V>, tile: usize) -> Self {
        let padded = instance.points().next_multiple_of(tile);
        let cells = |list: &[V]| to_cells(list, padded);
        let costs = match instance.cell_cost() {
            CellCost::None => Costs::None,
            CellCost::Separable { row, column } => {
                Costs::Separable { row: cells(row), column: cells(column) }
            }
            CellCost::Table(_) => Costs::Table,
        };
        let terms = match instance.split_cost() {
            SplitCost::None => Terms::None,
            SplitCost::Product { left, split, right } => {
                Terms::Product { left: cells(left), split: cells(split), right: cells(right) }
            }
            SplitCost::Expression(_) => Terms::Function,
        };
        Plan { instance, padded, leaves: cells(instance.leaves()), costs, terms }
    }

    /// What cell (i, j) costs, neutral beyond the points; the value of a leaf.
    pub(super) fn weight<R: Ring>(&self, i: usize, j: usize) -> C {
        if j >= self.instance.points() {
            return R::one();
        }
        if j == i + 1 {
            return self.leaves[i];
        }
        match &self.costs {
            Costs::None => R::one(),
            Costs::Separable { row, column } => row[i].add(column[j]),
            Costs::Table => self.instance.weight(i, j).map_or(R::one(), to_cell),
        }
    }

    /// The value of cell (i, j) with the split k, given the values of its parts; without the cell's own cost.
    pub(super) fn through<R: Ring>(&self, (i, k, j): (usize, usize, usize), left: C, right: C) -> C {
        let parts = R::times(left, right);
        match &self.terms {
            Terms::None => parts,
            Terms::Product { left, split, right } => left[i].mul_add(split[k].mul(right[j]), parts),
            Terms::Function => R::times(parts, self.term(i, k, j)),
        }
    }

    /// The split cost of an instance that has a function for it.
    pub(super) fn term(&self, i: usize, k: usize, j: usize) -> C {
        self.instance.split_term(i, k, j).map_or(C::default(), to_cell)
    }
}
