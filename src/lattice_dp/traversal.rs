use super::partition::{DivisorRule, Partition};
use crate::{Error, Result};

/// In which order the cells of a table are computed, which is also how they lie in memory. All traversals find the same
/// values and the same path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Traversal {
    /// The library's own, and the fastest: the slabs of the [module's documentation](super).
    #[default]
    Slabs,
    /// Anti-diagonal levels, the cells of equal sums of components: Algorithm 2 of Li, Ghalami, Schwiebert and
    /// Grosu 2018, from Ghalami and Grosu 2017. Tables of up to 2^32 - 1 cells.
    Levels,
    /// The data partitioning of Li, Ghalami, Schwiebert and Grosu 2018 (Algorithms 4 and 5): blocks by block levels,
    /// spread over the device or the threads, and inside a block its own levels. Tables of up to 2^32 - 1 cells.
    Blocks {
        /// How many dimensions are cut, the largest ones: from 3 to 9, or `None` for the number that promises the
        /// shortest time. Where the box has fewer, all are.
        dimensions: Option<usize>,
        /// Into how many parts.
        rule: DivisorRule,
    },
}

impl Traversal {
    /// The traversal's name in the command's spelling.
    pub fn name(self) -> &'static str {
        match self {
            Traversal::Slabs => "slabs",
            Traversal::Levels => "levels",
            Traversal::Blocks { .. } => "blocks",
        }
    }

    pub(crate) fn check(self) -> Result<()> {
        let (least, most) = Partition::DIMENSIONS.into_inner();
        match self {
            Traversal::Blocks { dimensions: Some(given), .. } if given < least || given > most => {
                Err(Error::argument("dimensions", format!("must be from {least} to {most}, not {given}")))
            }
            _ => Ok(()),
        }
    }
}
