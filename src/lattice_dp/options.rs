use super::partition::{DivisorRule, Partition};
use crate::enumeration::enumeration;
use crate::{Error, Result};

/// Options for filling a table. All give the same values and the same path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// The order in which the cells are computed.
    pub traversal: Traversal,
    /// How a device proceeds from one slab, level or block level to the next.
    pub launches: Launches,
}

impl Options {
    pub(crate) fn check(self) -> Result<()> {
        self.traversal.check()
    }
}

/// How a device proceeds from one step of a [`Traversal`] to the next: from slab to slab, level to
/// level, or block level to block level. The CPU engine has no launches and ignores this option.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Launches {
    /// Chooses by estimated time.
    #[default]
    Auto,
    /// One launch or several for each step.
    Stepwise,
    /// One launch of a persistent kernel, whose work-groups wait for each other after every step.
    /// It cannot notice a stop request, so it takes only tables of a few milliseconds; larger ones
    /// are [`Error::Unsupported`]. If it is unknown how many groups a device runs at once, the
    /// kernel runs a single group.
    Persistent,
}

enumeration! {
    Launches {
        Auto: "auto", "The way with the shorter estimated time";
        Stepwise: "stepwise", "One launch, or several, for each step";
        Persistent: "persistent",
            "One launch of a persistent kernel, whose work-groups wait for each other after each \
             step; for tables of some milliseconds";
    }
}

/// The order in which the cells of a table are computed; it also determines their layout in memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Traversal {
    /// The fastest: the slabs of the [module's documentation](super).
    #[default]
    Slabs,
    /// Anti-diagonal levels, the cells of equal sums of components: Algorithm 2 of Li, Ghalami,
    /// Schwiebert and Grosu 2018, from Ghalami and Grosu 2017. For tables of up to 2^32 - 1 cells.
    Levels,
    /// The data partitioning of Li, Ghalami, Schwiebert and Grosu 2018 (Algorithms 4 and 5): one
    /// block level after the other, its blocks spread over the device or the threads, and levels
    /// inside each block. For tables of up to 2^32 - 1 cells.
    Blocks {
        /// How many dimensions are cut, largest first: from 3 to 9, or `None` for the number with
        /// the shortest estimated time. A box with fewer dimensions is cut along all.
        dimensions: Option<usize>,
        /// The rule for the number of parts.
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
