use crate::enumeration::enumeration;
use crate::options::{Entry, Named, Tier, entry};

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
}

impl Named for Options {
    const TABLE: &'static [Entry<Self>] =
        &[entry!("method", method, "Solution method").tier(Tier::Basic)];
}
