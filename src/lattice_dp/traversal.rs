use super::partition::{DivisorRule, Partition};
use crate::{Error, Result};

/// How a table is filled. All ways find the same values and the same path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// In which order the cells are computed.
    pub traversal: Traversal,
    /// How a device gets from one slab, level or block level to the next.
    pub launches: Launches,
}

impl Options {
    pub(crate) fn check(self) -> Result<()> {
        self.traversal.check()
    }
}

/// How a device gets from one step of a [`Traversal`] to the next: from slab to slab, level to
/// level, block level to block level. The CPU engine has no launches and fills its tables the same
/// way for all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Launches {
    /// The way that promises the shorter time.
    #[default]
    Auto,
    /// A launch for each step, or several.
    Stepwise,
    /// One launch of a persistent kernel, whose work-groups wait for each other after every step.
    /// It sees no stop request, so it is for tables that take some milliseconds at most; larger
    /// ones are [`Error::Unsupported`]. Where nothing is known of the groups that a device runs at
    /// once, it is one group.
    Persistent,
}

impl Launches {
    /// The name in the command's spelling.
    pub fn name(self) -> &'static str {
        match self {
            Launches::Auto => "auto",
            Launches::Stepwise => "stepwise",
            Launches::Persistent => "persistent",
        }
    }
}

/// In which order the cells of a table are computed, which is also how they lie in memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Traversal {
    /// The library's own, and the fastest: the slabs of the [module's documentation](super).
    #[default]
    Slabs,
    /// Anti-diagonal levels, the cells of equal sums of components: Algorithm 2 of Li, Ghalami,
    /// Schwiebert and Grosu 2018, from Ghalami and Grosu 2017. Tables of up to 2^32 - 1 cells.
    Levels,
    /// The data partitioning of Li, Ghalami, Schwiebert and Grosu 2018 (Algorithms 4 and 5): blocks
    /// by block levels, spread over the device or the threads, and inside a block its own levels.
    /// Tables of up to 2^32 - 1 cells.
    Blocks {
        /// How many dimensions are cut, the largest ones: from 3 to 9, or `None` for the number
        /// that promises the shortest time. Where the box has fewer, all are.
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

    fn check(self) -> Result<()> {
        let (least, most) = Partition::DIMENSIONS.into_inner();
        match self {
            Traversal::Blocks { dimensions: Some(given), .. } if given < least || given > most => {
                Err(Error::argument(
                    "dimensions",
                    format!("must be from {least} to {most}, not {given}"),
                ))
            }
            _ => Ok(()),
        }
    }
}
