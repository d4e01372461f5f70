use super::{CellType, Tree};

/// The result of [`solve`](super::solve).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Solution<V> {
    /// The tree; `None` for semirings whose value is not that of one tree. The cubic algorithm
    /// takes the lowest of equally good splits, so its tree is the same on every engine, and
    /// that of Knuth's bound for whole numbers. Other methods break ties by their own rules.
    pub tree: Option<Tree>,
    /// Values of the requested cells.
    pub cells: Vec<V>,
    /// Upper limit of the errors of these values: 0 if they are exact, infinite if nothing is
    /// known.
    pub cell_error: f64,
    /// Type of the cells that were computed.
    pub cell_type: CellType,
}
