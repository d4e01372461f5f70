//! The cells that a tile and its interior loops read.

use super::super::energies::LARGEST_LOOP;
use crate::interval_dp::tiles::{BLOCK, TILE};

/// Cells of other tiles to the left and below that interior loops reach.
pub(super) const REACH: usize = 32;
/// Cells along the edge of a tile with those.
pub(super) const WINDOW: usize = TILE + REACH;
const _: () = assert!(REACH > LARGEST_LOOP);

/// Cells of a block's row.
pub(super) type Row = [i32; BLOCK];

#[inline(always)]
pub(super) fn copied(cells: &[i32], place: usize) -> Row {
    let mut row = [0; BLOCK];
    row.copy_from_slice(&cells[place..place + BLOCK]);
    row
}
