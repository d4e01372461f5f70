use super::Selection;
use crate::enumeration::enumeration;
use crate::options::{self, Entry, Field, Kind, Named, Tier, entry};

/// The algorithm.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// Branch and bound for a part of the time that the dense table is expected to take, and then the
    /// table; branch and bound alone if the table exceeds the memory.
    #[default]
    Auto,
    /// Greedy selections, with the best bound of their multipliers.
    Greedy,
    /// Branch and bound, with falling targets.
    BranchAndBound,
    /// The dense table over all vectors of capacities; an error if it exceeds the memory.
    Dense,
}

enumeration! {
    Method {
        Auto: "auto", "Branch and bound; where it takes long, the table if it fits into the memory";
        Greedy: "greedy", "Greedy selections, with a bound";
        BranchAndBound: "branch-and-bound", "Branch and bound, with falling targets";
        Dense: "dense", "The table over all vectors of capacities";
    }
}

impl Method {
    /// Whether the method can use a device.
    pub(super) fn has_kernels(self) -> bool {
        matches!(self, Method::Auto | Method::Dense)
    }
}

/// Options of [`solve`](super::solve) in addition to those common to all solvers.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The algorithm.
    pub method: Method,
    /// A selection to start from if it is worth more than the greedy ones.
    pub start: Option<Selection>,
}

impl From<Method> for Options {
    fn from(method: Method) -> Self {
        Options { method, ..Options::default() }
    }
}

impl Named for Options {
    const TABLE: &'static [Entry<Self>] = &[
        entry!("method", method, "Solution method").tier(Tier::Basic),
        entry!(
            "start",
            start,
            "Selection to start from, in addition to the greedy ones: the copies taken of each item"
        )
        .or_none()
        .tier(Tier::Basic),
    ];
}

impl Field for Selection {
    const KIND: Kind = Kind::List;

    fn read(text: &str) -> Result<Self, String> {
        options::numbers(text).map(|counts| Selection { counts })
    }

    fn write(&self) -> String {
        options::joined(&self.counts)
    }
}
