use super::Recurrence;
use super::partition::DivisorRule;
use crate::enumeration::enumeration;
use crate::options::{self, Entry, Named, Range, Tier, entry};
use crate::{Error, Result};

/// Options of [`solve`](super::solve) and [`pack`](super::pack). All ways to fill a table give the
/// same values and the same path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// For [`pack`](super::pack): the recurrence that fills the table.
    pub recurrence: Recurrence,
    /// The order in which the cells are computed.
    pub traversal: Traversal,
    /// For [`Traversal::Blocks`]: how many dimensions are cut, largest first, from 3 to 9; by
    /// default the number with the shortest estimated time. A box with fewer dimensions is cut
    /// along all.
    pub partition: Option<usize>,
    /// For [`Traversal::Blocks`]: the rule for the number of parts.
    pub divisors: DivisorRule,
    /// For [`Traversal::Blocks`]: the number of parts of each dimension, divisors of the sizes, in
    /// place of a rule.
    pub parts: Option<Vec<u32>>,
    /// How a device proceeds from one slab, level or block level to the next.
    pub launches: Launches,
    /// For [`Traversal::Levels`] and [`Traversal::Blocks`]: how a device looks at the offsets of a
    /// cell.
    pub children: Children,
}

impl Options {
    /// The traversal by blocks.
    pub fn by_blocks(partition: Option<usize>, divisors: DivisorRule) -> Self {
        Options { partition, divisors, ..Traversal::Blocks.into() }
    }

    /// The partition, the divisors and the parts apply only to blocks, the children not to slabs.
    pub(crate) fn check(&self) -> Result<()> {
        let default = Options::default();
        for (argument, is_given) in [
            ("partition", self.partition.is_some()),
            ("divisors", self.divisors != default.divisors),
            ("parts", self.parts.is_some()),
        ] {
            if is_given && self.traversal != Traversal::Blocks {
                return Err(Error::argument(argument, "applies only to the traversal 'blocks'"));
            }
            if is_given && argument != "parts" && self.parts.is_some() {
                return Err(Error::argument("parts", format!("does not go with '{argument}'")));
            }
        }
        if self.children != default.children && self.traversal == Traversal::Slabs {
            let reason = "applies only to the traversals 'levels' and 'blocks'";
            return Err(Error::argument("children", reason));
        }
        options::check(self, self.traversal.name())
    }

    /// A lattice needs no recurrence: it has its offsets.
    pub(super) fn check_lattice(&self) -> Result<()> {
        match self.recurrence == Recurrence::default() {
            true => self.check(),
            false => Err(Error::argument("recurrence", "applies only to packings")),
        }
    }

    /// A packing's table is filled by slabs.
    pub(super) fn check_packing(&self) -> Result<()> {
        let plain = Options::default();
        let Options { recurrence: _, traversal, partition, divisors, parts, launches, children } =
            self;
        let of_lattices = [
            ("traversal", *traversal != plain.traversal),
            ("partition", *partition != plain.partition),
            ("divisors", *divisors != plain.divisors),
            ("parts", *parts != plain.parts),
            ("launches", *launches != plain.launches),
            ("children", *children != plain.children),
        ];
        match of_lattices.into_iter().find(|(_, is_given)| *is_given) {
            Some((argument, _)) => Err(Error::argument(argument, "applies only to lattices")),
            None => Ok(()),
        }
    }
}

/// What [`Named`] needs, also for the options of methods that fill tables.
impl Options {
    pub(crate) const TRAVERSAL: &'static str = "Order in which the cells of tables are computed";
    pub(crate) const PARTITION: &'static str = "Dimensions that the traversal 'blocks' cuts; auto \
        takes the number with the shortest estimated time";
    pub(crate) const PARTITIONS: Range = Range::Whole(3, 9);
    pub(crate) const DIVISORS: &'static str =
        "Number of parts of a dimension that the traversal 'blocks' cuts";
    pub(crate) const LAUNCHES: &'static str = "How a device proceeds from one slab, level or block \
        level to the next; the CPU ignores it";
    pub(crate) const CHILDREN: &'static str = "How a device looks at the offsets of a cell by \
        levels or blocks; the CPU ignores it";
}

impl Named for Options {
    const TABLE: &'static [Entry<Self>] = &[
        entry!("recurrence", recurrence, "Recurrence for a packing").tier(Tier::Basic),
        entry!("traversal", traversal, Options::TRAVERSAL),
        entry!("partition", partition, Options::PARTITION)
            .range(Options::PARTITIONS)
            .tier(Tier::Experimental),
        entry!("divisors", divisors, Options::DIVISORS).tier(Tier::Experimental),
        entry!(
            "parts",
            parts,
            "Parts into which the traversal 'blocks' cuts each dimension, divisors of the sizes, in \
             place of partition and divisors"
        )
        .or_none()
        .tier(Tier::Experimental),
        entry!("launches", launches, Options::LAUNCHES).tier(Tier::Experimental),
        entry!("children", children, Options::CHILDREN).tier(Tier::Experimental),
    ];
}

impl From<Recurrence> for Options {
    fn from(recurrence: Recurrence) -> Self {
        Options { recurrence, ..Options::default() }
    }
}

impl From<Traversal> for Options {
    fn from(traversal: Traversal) -> Self {
        Options { traversal, ..Options::default() }
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

/// How a device looks at the offsets of a cell, the children of Algorithm 5 of Li, Ghalami,
/// Schwiebert and Grosu 2018. The CPU ignores this option.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Children {
    /// One work-item looks at all offsets, one after the other.
    #[default]
    Loop,
    /// Several work-items of a group share the offsets, and take the least value in local memory.
    /// The source starts a thread for each of them.
    Parallel,
}

enumeration! {
    Children {
        Loop: "loop", "One work-item looks at all offsets of a cell";
        Parallel: "parallel", "Several work-items share the offsets of a cell";
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
    Blocks,
}

enumeration! {
    Traversal {
        Slabs: "slabs", "Slabs of adjacent cells, the fastest";
        Levels: "levels", "Anti-diagonal levels of the whole table";
        Blocks: "blocks",
            "Blocks by the levels of their coordinates, and the cells of each block by levels";
    }
}
