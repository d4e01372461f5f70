/// A selection of items that fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Number of copies taken of each item.
    pub counts: Vec<u64>,
}
