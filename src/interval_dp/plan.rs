//! An instance in the engines' terms: its numbers as cells, in arrays that reach to the end of the last tile. Engines
//! know instances as plans only, so that they are compiled once for a type of cell, whatever numbers instances have.

use super::instance::{CellCost, Instance, SplitCost};
use super::number::{Number, to_cell, to_cells};
use super::semiring::{Cell, Semiring};

/// The numbers of an instance as cells.
pub(super) struct Plan<'a, C> {
    pub(super) semiring: Semiring,
    /// All numbers have the opposite sign.
    negated: bool,
    pub(super) points: usize,
    /// Points rounded up to whole tiles.
    pub(super) padded: usize,
    pub(super) leaves: Vec<C>,
    pub(super) costs: Costs<'a, C>,
    pub(super) terms: Terms<'a, C>,
}

/// What a cell (i, j) costs.
type CellFunction<'a, C> = Box<dyn Fn(usize, usize) -> C + Send + Sync + 'a>;
/// What a split (i, k, j) costs.
type SplitFunction<'a, C> = Box<dyn Fn(usize, usize, usize) -> C + Send + Sync + 'a>;

/// Cell costs.
pub(super) enum Costs<'a, C> {
    None,
    Separable {
        row: Vec<C>,
        column: Vec<C>,
    },
    /// Looked up in the instance.
    Table(CellFunction<'a, C>),
}

/// Split costs.
pub(super) enum Terms<'a, C> {
    None,
    Product {
        left: Vec<C>,
        split: Vec<C>,
        right: Vec<C>,
    },
    Function {
        /// Without it the plan is for devices alone.
        function: Option<SplitFunction<'a, C>>,
        /// The same in OpenCL C, and its data.
        source: Option<&'a str>,
        data: Vec<C>,
    },
}

impl<'a, C: Cell> Plan<'a, C> {
    /// Arrays are filled up with zeros to a multiple of `tile`.
    pub(super) fn new<V: Number>(instance: &'a Instance<V>, tile: usize) -> crate::Result<Self> {
        let (semiring, points) = (instance.semiring(), instance.points());
        let padded = points.next_multiple_of(tile);
        let cells = |list: &[V]| to_cells(list, padded);
        let costs = match instance.cell_cost() {
            CellCost::None => Costs::None,
            CellCost::Separable { row, column } => {
                Costs::Separable { row: cells(row)?, column: cells(column)? }
            }
            CellCost::Table(_) => {
                Costs::Table(Box::new(|i, j| instance.weight(i, j).map_or(C::default(), to_cell)))
            }
        };
        let terms = match instance.split_cost() {
            SplitCost::None => Terms::None,
            SplitCost::Product { left, split, right } => {
                Terms::Product { left: cells(left)?, split: cells(split)?, right: cells(right)? }
            }
            SplitCost::Expression(expression) => Terms::Function {
                function: expression.function.as_ref().map(|function| {
                    Box::new(move |i, k, j| defined(semiring, function(i, k, j))) as SplitFunction<'a, C>
                }),
                source: expression.source.as_deref(),
                data: to_cells(&expression.data, 0)?,
            },
        };
        let leaves = cells(instance.leaves())?;
        Ok(Plan { semiring, negated: false, points, padded, leaves, costs, terms })
    }

    /// With (max,+) as (min,+) of the negated numbers, so that an engine need not have loops for both.
    pub(super) fn minimising(mut self) -> Self {
        if self.semiring != Semiring::MaxPlus {
            return self;
        }
        let negate = |list: &mut Vec<C>| list.iter_mut().for_each(|cell| *cell = cell.negate());
        negate(&mut self.leaves);
        self.costs = match self.costs {
            Costs::None => Costs::None,
            Costs::Separable { mut row, mut column } => {
                negate(&mut row);
                negate(&mut column);
                Costs::Separable { row, column }
            }
            Costs::Table(table) => Costs::Table(Box::new(move |i, j| table(i, j).negate())),
        };
        self.terms = match self.terms {
            Terms::None => Terms::None,
            Terms::Product { mut left, split, right } => {
                negate(&mut left);
                Terms::Product { left, split, right }
            }
            Terms::Function { function, source, data } => {
                let negate = |function: SplitFunction<'a, C>| {
                    Box::new(move |i, k, j| function(i, k, j).negate()) as SplitFunction<'a, C>
                };
                Terms::Function { function: function.map(negate), source, data }
            }
        };
        Plan { semiring: Semiring::MinPlus, negated: true, ..self }
    }

    /// A cell's value in the instance's own sign.
    pub(super) fn value(&self, cell: C) -> C {
        if self.negated { cell.negate() } else { cell }
    }

    /// What cell (i, j) costs, neutral beyond the points; the value of a leaf.
    pub(super) fn weight(&self, i: usize, j: usize) -> C {
        if j >= self.points {
            return self.semiring.one();
        }
        if j == i + 1 {
            return self.leaves[i];
        }
        match &self.costs {
            Costs::None => self.semiring.one(),
            Costs::Separable { row, column } => row[i].add(column[j]),
            Costs::Table(table) => table(i, j),
        }
    }

    /// [`Plan::weight`], kept out of the caller's loop: hoisted out of it, tests of costs that the plan lacks read what was
    /// never written, which is harmless but what memory checkers report.
    #[inline(never)]
    pub(super) fn weight_by_call(&self, i: usize, j: usize) -> C {
        self.weight(i, j)
    }

    /// The value of cell (i, j) with the split k, given the values of its parts; without the cell's own cost.
    pub(super) fn through(&self, (i, k, j): (usize, usize, usize), left: C, right: C) -> C {
        let parts = self.semiring.times(left, right);
        match &self.terms {
            Terms::None => parts,
            Terms::Product { left, split, right } => left[i].mul_add(split[k].mul(right[j]), parts),
            Terms::Function { function, .. } => {
                let term = function.as_ref().map_or(C::default(), |function| function(i, k, j));
                self.semiring.times(parts, term)
            }
        }
    }

    /// [`Plan::through`], kept out of the caller's loop as [`Plan::weight_by_call`] is.
    #[inline(never)]
    pub(super) fn through_by_call(&self, at: (usize, usize, usize), left: C, right: C) -> C {
        self.through(at, left, right)
    }
}

/// A caller's split cost as a cell. What is no number would be better or worse than others depending on their order;
/// as the worst value it is in a tree only where there is nothing else, and is refused with that tree.
fn defined<V: Number, C: Cell>(semiring: Semiring, cost: V) -> C {
    match semiring.selects() && cost.to_f64().is_nan() {
        true => semiring.zero(),
        false => to_cell(cost),
    }
}
