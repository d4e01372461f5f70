//! How tables of dynamic programs are filled.

use super::convert::choice;
use super::status::{Failure, Result};
use crate::lattice_dp::{DivisorRule, Launches, Options, Traversal};

/// In which order the cells of a table of a dynamic program over a box are computed. All find the
/// same result. Since 0.1.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum mks_traversal {
    /// Slabs of cells that lie together: the fastest.
    Slabs = 0,
    /// Anti-diagonal levels of the whole box.
    Levels = 1,
    /// Blocks by the levels of their coordinates, and inside each block its own levels: the data
    /// partitioning of Li, Ghalami, Schwiebert and Grosu 2018.
    Blocks = 2,
}

/// Into how many parts ::MKS_TRAVERSAL_BLOCKS cuts a dimension: the largest divisor of its size
/// that is at most the square root. The rules differ in sizes that are prime. Since 0.1.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum mks_divisor_rule {
    /// Parts of one, as the tables of the source show.
    Tabulated = 0,
    /// One part, as its algorithm is printed.
    Printed = 1,
}

/// How a device gets from one slab, level or block level of a ::mks_traversal to the next. All ways
/// find the same result; the CPU fills its tables the same way for all. Since 0.1.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum mks_launches {
    /// The way that promises the shorter time.
    Auto = 0,
    /// A launch for each step, or several.
    Stepwise = 1,
    /// One launch of a persistent kernel, whose work-groups wait for each other after every step.
    /// For tables that take some milliseconds at most; larger ones are ::MKS_STATUS_UNSUPPORTED.
    Persistent = 2,
}

/// What the fields of an options struct about its tables mean.
pub(super) fn convert(
    traversal: i32,
    partitioned_dimensions: u32,
    divisor_rule: i32,
    launches: i32,
) -> Result<Options> {
    let launches = choice(
        "options.launches",
        launches,
        &[
            (mks_launches::Auto as i32, Launches::Auto),
            (mks_launches::Stepwise as i32, Launches::Stepwise),
            (mks_launches::Persistent as i32, Launches::Persistent),
        ],
    )?;
    let rule = choice(
        "options.divisor_rule",
        divisor_rule,
        &[
            (mks_divisor_rule::Tabulated as i32, DivisorRule::Tabulated),
            (mks_divisor_rule::Printed as i32, DivisorRule::Printed),
        ],
    )?;
    let dimensions = (partitioned_dimensions > 0).then_some(partitioned_dimensions as usize);
    let traversal = choice(
        "options.traversal",
        traversal,
        &[
            (mks_traversal::Slabs as i32, Traversal::Slabs),
            (mks_traversal::Levels as i32, Traversal::Levels),
            (mks_traversal::Blocks as i32, Traversal::Blocks { dimensions, rule }),
        ],
    )?;
    if !matches!(traversal, Traversal::Blocks { .. })
        && (partitioned_dimensions, divisor_rule) != (0, 0)
    {
        let reason = "has no partitioned dimensions and no divisor rule unless it is by blocks";
        return Err(Failure::argument("options.traversal", reason));
    }
    Ok(Options { traversal, launches })
}
