use super::Tree;
use super::number::{Number, Value};
use super::semiring::CellType;

/// An engine's result, as values of cells or in the instance's own numbers.
#[derive(Debug)]
pub(super) struct Values<V> {
    /// The last cell's value.
    pub(super) value: V,
    pub(super) cells: Vec<V>,
    pub(super) tree: Option<Tree>,
    /// The pairs of leaves that enclose cells, for the costs of doing so.
    pub(super) pairs: Option<Vec<(u32, u32)>>,
    /// The split costs of the tree's nodes, if only a device can compute them.
    pub(super) terms: Option<Vec<V>>,
    pub(super) cell_type: CellType,
}

impl Values<Value> {
    pub(super) fn into_numbers<V: Number>(self) -> Values<V> {
        let numbers = |cells: Vec<Value>| cells.into_iter().map(Value::number).collect();
        let Values { value, cells, tree, pairs, terms, cell_type } = self;
        Values {
            value: value.number(),
            cells: numbers(cells),
            tree,
            pairs,
            terms: terms.map(numbers),
            cell_type,
        }
    }
}

/// A result with the bound on the optimum that it proves.
pub(super) struct BoundedValues<V> {
    pub(super) values: Values<V>,
    pub(super) bound: Option<f64>,
    /// Upper limit of the errors of the requested cells.
    pub(super) cell_error: f64,
}
