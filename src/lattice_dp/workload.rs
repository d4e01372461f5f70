//! Instances for the workloads of the kernels.

use super::{Instance, self_test};
use crate::Result;

/// Sizes of the smallest box.
const SIZES: [u32; 4] = [6, 12, 12, 10];
/// Larger sums of costs would not fit into the cells.
const MOST_COST: u64 = 200;
/// Number of the largest box, whose costs still fit.
const LARGEST: u32 = 10;

/// A box with twice the cells for each number. `None` beyond the largest.
pub(super) fn instance(number: u32, offsets: usize) -> Result<Option<Instance>> {
    if number > LARGEST {
        return Ok(None);
    }
    let mut sizes = SIZES;
    (0..number as usize).for_each(|doubling| sizes[doubling % SIZES.len()] *= 2);
    self_test::instance(&sizes, offsets, MOST_COST).map(Some)
}
