use std::fmt;

use crate::table::Table;

/// A selection of items that fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// Number of copies taken of each item.
    pub counts: Vec<u64>,
}

/// The largest profit for every capacity.
pub struct Profile {
    pub(super) values: Table<u64>,
}

impl Profile {
    /// The largest profit for each capacity, from 0 to the instance's capacity.
    pub fn values(&self) -> &[u64] {
        &self.values
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Profile").field("values", &self.values()).finish()
    }
}
