//! How tables of dynamic programs are filled.

use super::convert::choice;
use super::status::Result;
use crate::lattice_dp::Options;

/// Order in which the cells of a dynamic program over a box are computed. All orders give the same
/// result. Since 0.1.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_traversal {
    /// Slabs of adjacent cells: the fastest.
    Slabs = 0,
    /// Anti-diagonal levels of the whole box.
    Levels = 1,
    /// Blocks by the levels of their coordinates, and the cells of each block by levels: the data
    /// partitioning of Li, Ghalami, Schwiebert and Grosu 2018.
    Blocks = 2,
}

/// Number of parts into which ::MKS_TRAVERSAL_BLOCKS cuts a dimension: the largest divisor of its
/// size that is at most the square root. The rules differ for prime sizes. Since 0.1.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_divisor_rule {
    /// A prime size is cut into parts of one cell, as the tables of the paper show.
    Tabulated = 0,
    /// A prime size is one part, as the paper's algorithm is printed.
    Printed = 1,
}

/// How a device proceeds from one slab, level or block level of a ::mks_traversal to the next. All
/// ways give the same result. The CPU has only one way. Since 0.1.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_launches {
    /// The way with the shorter estimated time.
    Auto = 0,
    /// One launch, or several, for each step.
    Stepwise = 1,
    /// One launch of a persistent kernel, whose work-groups wait for each other after every step.
    /// For tables that take at most some milliseconds; larger ones are ::MKS_STATUS_UNSUPPORTED.
    Persistent = 2,
}

/// Converts the fields of an options struct about its tables.
pub(super) fn convert(
    traversal: i32,
    partitioned_dimensions: u32,
    divisor_rule: i32,
    launches: i32,
) -> Result<Options> {
    let launches = choice("options.launches", launches)?;
    let rule = choice("options.divisor_rule", divisor_rule)?;
    let dimensions = (partitioned_dimensions > 0).then_some(partitioned_dimensions as usize);
    let traversal = choice("options.traversal", traversal)?;
    Ok(Options { traversal, launches, partition: dimensions, divisors: rule })
}
