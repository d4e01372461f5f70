use crate::options::{Entry, Named};

/// Options of [`solve`](super::solve) in addition to those common to all solvers. There are none
/// yet.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Options {}

impl Named for Options {
    const TABLE: &'static [Entry<Self>] = &[];
}
