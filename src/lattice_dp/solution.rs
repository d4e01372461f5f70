/// A cheapest path from cell 0 to the last cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// Position of each step's offset in the instance's list, from the last cell back to cell 0. Of
    /// equally cheap steps in a group the first in the list is taken, so that every engine returns
    /// the same path.
    pub steps: Vec<u32>,
}
