//! An instance for the engines, with whole or real numbers, so that an engine is compiled once for
//! both.

use super::enclosing::Enclosing;
use super::instance::{CellCost, Instance, SplitCost};
use super::number::Number;
use super::number::operations::{Function, List};
use super::semiring::Semiring;

/// The parts of an instance.
pub(super) struct View<'a> {
    pub(super) semiring: Semiring,
    pub(super) points: usize,
    pub(super) leaves: List<'a>,
    pub(super) cell_costs: CellCosts<'a>,
    pub(super) split_costs: SplitCosts<'a>,
}

/// See [`CellCost`].
pub(super) enum CellCosts<'a> {
    None,
    /// By the first point, and by the last one.
    Separable([List<'a>; 2]),
    Table(List<'a>),
    Enclosing(&'a Enclosing),
}

/// See [`SplitCost`].
pub(super) enum SplitCosts<'a> {
    None,
    /// By the first point, that of the split, and the last one.
    Product([List<'a>; 3]),
    Expression {
        function: Option<Function<'a>>,
        source: Option<&'a str>,
        data: List<'a>,
    },
}

impl<'a> View<'a> {
    pub(super) fn of<V: Number>(instance: &'a Instance<V>) -> Self {
        View {
            semiring: instance.semiring(),
            points: instance.points(),
            leaves: V::list(instance.leaves()),
            cell_costs: match instance.cell_cost() {
                CellCost::None => CellCosts::None,
                CellCost::Separable { row, column } => {
                    CellCosts::Separable([row, column].map(|list| V::list(list)))
                }
                CellCost::Table(table) => CellCosts::Table(V::list(table)),
            },
            split_costs: match instance.split_cost() {
                SplitCost::None => SplitCosts::None,
                SplitCost::Product { left, split, right } => {
                    SplitCosts::Product([left, split, right].map(|list| V::list(list)))
                }
                SplitCost::Expression(expression) => SplitCosts::Expression {
                    function: expression.function.as_ref().map(V::function),
                    source: expression.source.as_deref(),
                    data: V::list(&expression.data),
                },
            },
        }
    }
}

/// The input of an engine.
pub(super) struct Request<'a> {
    pub(super) view: View<'a>,
    /// Cells whose values to return.
    pub(super) cells: &'a [(usize, usize)],
}

impl<'a> Request<'a> {
    pub(super) fn new<V: Number>(instance: &'a Instance<V>, cells: &'a [(usize, usize)]) -> Self {
        Request { view: View::of(instance), cells }
    }

    /// A request for an instance whose cells may enclose others; its own cell costs don't count.
    pub(super) fn enclosing<V: Number>(
        instance: &'a Instance<V>,
        enclosing: &'a Enclosing,
        cells: &'a [(usize, usize)],
    ) -> Self {
        let mut request = Request::new(instance, cells);
        request.view.cell_costs = CellCosts::Enclosing(enclosing);
        request
    }
}
