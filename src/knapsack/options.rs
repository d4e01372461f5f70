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

impl Method {
    /// All methods.
    pub const ALL: [Method; 4] = [Method::Auto, Method::Greedy, Method::Core, Method::Dense];

    /// Whether the method can use a device.
    pub(super) fn has_kernels(self) -> bool {
        matches!(self, Method::Auto | Method::Dense)
    }

    /// The method's name in the command's spelling.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Greedy => "greedy",
            Method::Core => "core",
            Method::Dense => "dense",
        }
    }
}

/// Options of [`solve`](super::solve) in addition to those common to all solvers.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The algorithm.
    pub method: Method,
}
