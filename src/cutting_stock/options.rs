use crate::enumeration::enumeration;
use crate::options::{Entry, Named, Tier, entry};

/// The algorithm.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// First-fit and best-fit decreasing. If they are not proved optimal: column generation, a
    /// search for pieces that leave nothing unused, and the dynamic program if its table is of
    /// moderate size. With a time limit, the search for full pieces lasts until the limit.
    /// [`Report::warning`](crate::Report::warning) names a method that was left out because the
    /// instance is too large for it.
    #[default]
    Auto,
    /// First-fit decreasing.
    Ffd,
    /// Like the automatic method, and if that proves no optimum, the dynamic program for as long as
    /// it takes. If its table is too large, the packing stays unproved, and
    /// [`Report::warning`](crate::Report::warning) says why.
    Exact,
}

enumeration! {
    Method {
        Auto: "auto",
            "First-fit and best-fit decreasing, column generation, and a dynamic program of \
             moderate size";
        Ffd: "ffd", "First-fit decreasing";
        Exact: "exact",
            "The automatic method, then the dynamic program of any size that memory allows";
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
