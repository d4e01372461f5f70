//! An instance for the engines: its numbers as cells, in lists that reach to the end of the last
//! tile. Engines see nothing else, so they are compiled once for each type of cell, not for each
//! type of number.

use std::mem;

use super::enclosing::CellEnclosing;
use super::instance::pair;
use super::number::operations::{Function, List};
use super::number::{Number, to_cell};
use super::semiring::{Cell, Semiring};
use super::view::{CellCosts, SplitCosts, View};
use crate::{Result, memory};

/// An instance's numbers as cells.
pub(super) struct CellInstance<'a, C> {
    pub(super) semiring: Semiring,
    /// Whether all numbers have the opposite sign.
    negated: bool,
    pub(super) points: usize,
    /// Points rounded up to whole tiles.
    pub(super) padded: usize,
    pub(super) leaves: Vec<C>,
    pub(super) costs: Costs<'a, C>,
    pub(super) terms: Terms<'a, C>,
}

/// The cost of cell (i, j).
type CellFunction<'a, C> = Box<dyn Fn(usize, usize) -> C + Send + Sync + 'a>;
/// The cost of split (i, k, j).
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
    Enclosing(CellEnclosing<C>),
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
        /// `None` if only devices can compute the cost.
        function: Option<SplitFunction<'a, C>>,
        /// The same function in OpenCL C, and its data.
        source: Option<&'a str>,
        data: Vec<C>,
    },
}

impl<'a, C: Cell> CellInstance<'a, C> {
    /// An instance whose lists are padded with zeros to a multiple of `tile`.
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
            CellCosts::Enclosing(enclosing) => {
                Costs::Enclosing(CellEnclosing::new(enclosing, padded)?)
            }
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
        Ok(CellInstance { semiring, negated: false, points, padded, leaves, costs, terms })
    }

    /// An instance of (min,+) without numbers, for products whose splits cost nothing.
    pub(super) fn of_splits() -> Self {
        CellInstance {
            semiring: Semiring::MinPlus,
            negated: false,
            points: 0,
            padded: 0,
            leaves: Vec::new(),
            costs: Costs::None,
            terms: Terms::None,
        }
    }

    /// Turns (max,+) into (min,+) of the negated numbers, so that engines need loops for only one
    /// of them.
    pub(super) fn minimising(mut self) -> Self {
        if self.semiring != Semiring::MaxPlus {
            return self;
        }
        (self.semiring, self.negated) = (Semiring::MinPlus, true);
        let mut lists = vec![&mut self.leaves];
        match &mut self.costs {
            Costs::None | Costs::Enclosing(_) => {}
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

    /// The cost of cell (i, j), or the value of a leaf; neutral beyond the points.
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
            Costs::Enclosing(enclosing) => enclosing.cost(i, j),
        }
    }

    /// Whether the cost of cell (i, j) is that of enclosing cell (i + 1, j - 1).
    pub(super) fn encloses(&self) -> bool {
        matches!(self.costs, Costs::Enclosing(_))
    }

    /// The value of a cell that is no leaf, given the sum over its splits, its cost, and the value
    /// of the cell that it encloses.
    pub(super) fn finished(&self, sum: C, weight: C, enclosed: C) -> C {
        match self.encloses() {
            true => self.semiring.plus(sum, self.semiring.times(enclosed, weight)),
            false => self.semiring.times(sum, weight),
        }
    }

    /// [`CellInstance::weight`] as a real call. Inlined, the compiler may hoist its tests out of
    /// the loop, and these then read costs that the instance lacks: harmless, but memory checkers
    /// report it.
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

    /// [`CellInstance::through`] as a real call, for the reason given at
    /// [`CellInstance::weight_by_call`].
    #[inline(never)]
    pub(super) fn through_by_call(&self, at: (usize, usize, usize), left: C, right: C) -> C {
        self.through(at, left, right)
    }
}

/// A caller's split cost as a cell. Comparisons with NaN would depend on the order of the splits.
/// NaN therefore becomes the worst value: a tree has it only if there is no other split, and is
/// then refused.
fn defined<V: Number, C: Cell>(semiring: Semiring, cost: V) -> C {
    match semiring.selects() && cost.to_f64().is_nan() {
        true => semiring.zero(),
        false => to_cell(cost),
    }
}

/// A list as cells, padded with zeros to `len`.
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
