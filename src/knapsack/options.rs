use super::Solution;
use crate::enumeration::enumeration;
use crate::options::{self, Entry, Field, Kind, Named, Tier, entry};

/// The algorithm.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// The core; if the core grows large, the dense table if it takes less work.
    #[default]
    Auto,
    /// Greedy by efficiency, with Dantzig's bound.
    Greedy,
    /// Only the core: dynamic programming over the items around the break item, with bounds.
    Core,
    /// The dense table over all capacities; an error if it exceeds the memory.
    Dense,
}

enumeration! {
    Method {
        Auto: "auto", "The core, or the dense table if that is cheaper";
        Greedy: "greedy", "Greedy by efficiency, with Dantzig's bound";
        Core: "core", "Dynamic programming over the items around the break item";
        Dense: "dense", "The table over all capacities";
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
    /// A selection to start from if it is worth more than the greedy one.
    pub start: Option<Solution>,
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
            "Selection to start from, in addition to the greedy one: the copies taken of each item"
        )
        .or_none()
        .tier(Tier::Basic),
    ];
}

impl Field for Solution {
    const KIND: Kind = Kind::List;

    fn read(text: &str) -> Result<Self, String> {
        options::numbers(text).map(|counts| Solution { counts })
    }

    fn write(&self) -> String {
        options::joined(&self.counts)
    }
}
