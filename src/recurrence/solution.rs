/// Choice of an element that takes its value from its term, or that nothing reaches.
pub const NO_CHOICE: u32 = u32::MAX;

/// The tables of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// The whole tables, instance by instance; empty with [`Output::Last`](super::Output::Last).
    pub values: Vec<i64>,
    /// The last element of each instance.
    pub last: Vec<i64>,
    /// For each element that is not preset, instance by instance, the position of the first offset
    /// that gives its value, or [`NO_CHOICE`]. In a knapsack 0 means that the item is taken, and 1
    /// that it is left. `None` unless requested.
    pub choices: Option<Vec<u32>>,
}
