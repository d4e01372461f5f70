//! The best pairs inside a pair, with a bulge or an interior loop between.
//!
//! An interior loop's energy depends only on its number of unpaired bases. Let `best(s, i, j)` be
//! the least of `paired(i + 1 + l, j - 1 - r)` over all `l, r >= 1` with `l + r = s`. Except the
//! two at the ends, with l = 1 and r = 1, these are those of `best(s - 2, i + 1, j - 1)`. So a cell
//! takes three looks for each s.

use super::super::energies::{Energies, LARGEST_LOOP};
use super::NONE;
use super::window::{REACH, Row, WINDOW, copied};
use crate::interval_dp::tiles::{BLOCK, TILE};
use crate::{Result, memory};

/// A number for each number of unpaired bases.
type Sizes = [i32; LARGEST_LOOP + 1];

/// `best` of the cells at hand.
pub(super) struct Inner {
    /// Of the row of cells above which the next block lies, by the tile's columns.
    above: Vec<Sizes>,
    /// Of the last finished row of the block, by its unpaired bases, with the column before.
    row: [[i32; BLOCK + 1]; LARGEST_LOOP + 1],
    /// Of the column before the block, by its rows and the row below.
    pub(super) before: [Sizes; BLOCK + 1],
    /// The same of the block's own last column, for the next block.
    last: [Sizes; BLOCK + 1],
}

/// The place in the window of the cell that the first cell of a block's row encloses.
#[inline(always)]
pub(super) fn nearest(row: usize, column: usize) -> usize {
    (row + 1) * WINDOW + column + REACH - 1
}

impl Inner {
    /// A column without pairs.
    pub(super) const NOTHING: [Sizes; BLOCK + 1] = [[NONE; LARGEST_LOOP + 1]; BLOCK + 1];

    /// For a tile without pairs below and before it.
    pub(super) fn new() -> Result<Self> {
        Ok(Inner {
            above: memory::filled([NONE; LARGEST_LOOP + 1], TILE)?,
            row: [[NONE; BLOCK + 1]; LARGEST_LOOP + 1],
            before: Self::NOTHING,
            last: Self::NOTHING,
        })
    }

    /// Begins a tile with others below and before it.
    pub(super) fn begin_tile(&mut self, window: &[i32]) {
        for (column, best) in self.above.iter_mut().enumerate() {
            *best = directly(window, nearest(TILE, column));
        }
    }

    /// Begins the blocks from a row of the tile on.
    pub(super) fn begin_row(&mut self, window: &[i32], row: usize) {
        for (below, best) in self.before.iter_mut().enumerate() {
            *best = directly(window, nearest(row + below, 0) - 1);
        }
    }

    /// Begins a block, of which the one before is finished.
    pub(super) fn begin_block(&mut self, column: usize) {
        for (unpaired, row) in self.row.iter_mut().enumerate() {
            row[0] = self.before[BLOCK][unpaired];
            for (best, above) in row[1..].iter_mut().zip(&self.above[column..]) {
                *best = above[unpaired];
            }
        }
        self.last[BLOCK] = self.above[column + BLOCK - 1];
    }

    /// Ends a block.
    pub(super) fn end_block(&mut self, column: usize) {
        for (place, above) in self.above[column..column + BLOCK].iter_mut().enumerate() {
            for (best, row) in above.iter_mut().zip(&self.row) {
                *best = row[place + 1];
            }
        }
        self.before = self.last;
    }

    /// The least energies with a bulge or an interior loop for the block's cells of a row, of which
    /// all rows below are finished.
    #[inline(always)]
    pub(super) fn row(
        &mut self,
        window: &[i32],
        energies: &Energies,
        row: usize,
        column: usize,
    ) -> Row {
        let nearest = nearest(row, column);
        let mut inside = [NONE; BLOCK];
        for unpaired in 1..=LARGEST_LOOP {
            let left = copied(window, nearest + unpaired * WINDOW);
            let right = copied(window, nearest - unpaired);
            for (place, inside) in inside.iter_mut().enumerate() {
                let bulge = left[place].min(right[place]) + energies.bulge[unpaired];
                *inside = (*inside).min(bulge);
            }
        }
        // Downwards, so that those of two unpaired bases less are still those of the row below.
        for unpaired in (2..=LARGEST_LOOP).rev() {
            let left = copied(window, nearest + WINDOW - (unpaired - 1));
            let right = copied(window, nearest + (unpaired - 1) * WINDOW - 1);
            let within = copied(&self.row[unpaired - 2], 0);
            let best = &mut self.row[unpaired];
            for (place, inside) in inside.iter_mut().enumerate() {
                let least = left[place].min(right[place]).min(within[place]);
                best[place + 1] = least;
                *inside = (*inside).min(least + energies.interior[unpaired]);
            }
        }
        let row = row % BLOCK;
        for unpaired in 0..=LARGEST_LOOP {
            self.row[unpaired][0] = self.before[row][unpaired];
            self.last[row][unpaired] = self.row[unpaired][BLOCK];
        }
        inside
    }
}

/// `best` of one cell by its definition. Only cells below and before others use it, which need it
/// for two unpaired bases less than they may have.
fn directly(window: &[i32], nearest: usize) -> Sizes {
    let mut best = [NONE; LARGEST_LOOP + 1];
    for (unpaired, best) in best.iter_mut().enumerate().take(LARGEST_LOOP - 1) {
        for left in 1..unpaired {
            *best = (*best).min(window[nearest + left * WINDOW - (unpaired - left)]);
        }
    }
    best
}
