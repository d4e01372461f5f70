//! An instance in the engines' terms: its numbers as cells, in arrays that reach to the end of the
//! last tile. Engines know instances as plans only, so that they are compiled once for a type of
//! cell, whatever numbers instances have.

use std::mem;

use super::instance::pair;
use super::number::operations::{Function, List};
use super::number::{Number, to_cell};
use super::semiring::{Cell, Semiring};
use super::view::{CellCosts, SplitCosts, View};
use crate::{Result, memory};

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
    pub(super) fn new(view: &View<'a>, tile: usize) -> Result<Self> {
        let &View { semiring, points, .. } = view;
        let padded = points.next_multiple_of(tile);
        let costs = match view.cell_costs {
            CellCosts::None => Costs::None,
            CellCosts::Separable([row, column]) => {
                Costs::Separable { row: cells(row, padded)?, column: cells(column, padded)? }
            }
            CellCosts::Table(table) => Costs::Table(match table {
                List::Whole(table) => Box::new(move |i, j| to_cell(table[pair(points, i, j)])),
                List::Real(table) => Box::new(move |i, j| to_cell(table[pair(points, i, j)])),
            }),
        };
        let terms = match view.split_costs {
            SplitCosts::None => Terms::None,
            SplitCosts::Product([left, split, right]) => Terms::Product {
                left: cells(left, padded)?,
                split: cells(split, padded)?,
                right: cells(right, padded)?,
            },
            SplitCosts::Expression { function, source, data } => Terms::Function {
                function: function.map(|function| -> SplitFunction<'a, C> {
                    match function {
                        Function::Whole(function) => {
                            Box::new(move |i, k, j| defined(semiring, function(i, k, j)))
                        }
                        Function::Real(function) => {
                            Box::new(move |i, k, j| defined(semiring, function(i, k, j)))
                        }
                    }
                }),
                source,
                data: cells(data, 0)?,
            },
        };
        let leaves = cells(view.leaves, padded)?;
        Ok(Plan { semiring, negated: false, points, padded, leaves, costs, terms })
    }

    /// With (max,+) as (min,+) of the negated numbers, so that an engine need not have loops for
    /// both.
    pub(super) fn minimising(mut self) -> Self {
        if self.semiring != Semiring::MaxPlus {
            return self;
        }
        (self.semiring, self.negated) = (Semiring::MinPlus, true);
        let mut lists = vec![&mut self.leaves];
        match &mut self.costs {
            Costs::None => {}
            Costs::Separable { row, column } => lists.extend([row, column]),
            Costs::Table(table) => {
                let given = mem::replace(table, Box::new(|_, _| C::default()));
                *table = Box::new(move |i, j| given(i, j).negate());
            }
        }
        match &mut self.terms {
            Terms::None => {}
            Terms::Product { left, .. } => lists.push(left),
            Terms::Function { function, .. } => {
                if let Some(given) = function.take() {
                    *function = Some(Box::new(move |i, k, j| given(i, k, j).negate()));
                }
            }
        }
        lists.into_iter().flatten().for_each(|cell| *cell = cell.negate());
        self
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

    /// [`Plan::weight`], kept out of the caller's loop: hoisted out of it, tests of costs that the
    /// plan lacks read what was never written, which is harmless but what memory checkers report.
    #[inline(never)]
    pub(super) fn weight_by_call(&self, i: usize, j: usize) -> C {
        self.weight(i, j)
    }

    /// The value of cell (i, j) with the split k, given the values of its parts; without the cell's
    /// own cost.
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

/// A caller's split cost as a cell. What is no number would be better or worse than others
/// depending on their order; as the worst value it is in a tree only where there is nothing else,
/// and is refused with that tree.
fn defined<V: Number, C: Cell>(semiring: Semiring, cost: V) -> C {
    match semiring.selects() && cost.to_f64().is_nan() {
        true => semiring.zero(),
        false => to_cell(cost),
    }
}

/// A list as cells, with zeros up to `len`.
fn cells<C: Cell>(list: List<'_>, len: usize) -> Result<Vec<C>> {
    fn fill<V: Number, C: Cell>(cells: &mut Vec<C>, list: &[V]) {
        cells.extend(list.iter().map(|&value| to_cell::<V, C>(value)));
    }
    let len = match list {
        List::Whole(list) => len.max(list.len()),
        List::Real(list) => len.max(list.len()),
    };
    let mut cells = memory::list(len)?;
    match list {
        List::Whole(list) => fill(&mut cells, list),
        List::Real(list) => fill(&mut cells, list),
    }
    cells.resize(len, C::default());
    Ok(cells)
}
