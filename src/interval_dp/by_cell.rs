//! The loops of [`tiles`](super::tiles) cell by cell, for every semiring and split cost. They serve
//! split costs by a function, and rare cases without vector loops.
#![allow(unsafe_code)]
#![allow(
    clippy::multiple_unsafe_ops_per_block,
    reason = "one reason holds for all operations of a loop"
)]

use super::cell_instance::CellInstance;
use super::semiring::Cell;
use super::tiles::{BLOCK, Block, Loops, TILE};

/// Slow loops for every instance and processor.
pub(super) fn loops<C: Cell>() -> Loops<C> {
    // SAFETY: they are compiled for every processor.
    unsafe { Loops::new(product, blocks) }
}

/// [`Product`](super::tiles::Product).
///
/// # Safety
/// The squares are whole.
unsafe fn product<C: Cell>(
    to: *mut C,
    a: *const C,
    b: *const C,
    size: usize,
    instance: &CellInstance<'_, C>,
    [i, k, j]: [usize; 3],
) {
    for row in 0..size {
        for step in 0..size {
            // The splits lie between the two tiles: right of the row's tile and left of the
            // column's.
            for column in 0..size.min(instance.points.saturating_sub(j)) {
                // SAFETY: the cells lie in the squares.
                unsafe {
                    let (left, right) = (*a.add(row * TILE + step), *b.add(step * TILE + column));
                    let through =
                        instance.through_by_call((i + row, k + step, j + column), left, right);
                    let sum = to.add(row * TILE + column);
                    *sum = instance.semiring.plus(*sum, through);
                }
            }
        }
    }
}

/// [`Blocks`](super::tiles::Blocks).
///
/// # Safety
/// The blocks are whole.
unsafe fn blocks<C: Cell>(blocks: &[Block<C>], instance: &CellInstance<'_, C>) {
    for block in blocks {
        let [first, last] = block.at;
        for row in (0..BLOCK).rev() {
            for column in 0..BLOCK.min(instance.points.saturating_sub(last)) {
                let (i, j) = (first + row, last + column);
                let place = row * TILE + column;
                // SAFETY: the cells lie in their blocks.
                unsafe {
                    let mut sum = *block.to.add(place);
                    for lower in row + 1..BLOCK {
                        let (left, right) = (
                            *block.left.add(row * TILE + lower),
                            *block.to.add(lower * TILE + column),
                        );
                        sum = instance.semiring.plus(
                            sum,
                            instance.through_by_call((i, first + lower, j), left, right),
                        );
                    }
                    for before in 0..column {
                        let (left, right) = (
                            *block.to.add(row * TILE + before),
                            *block.below.add(before * TILE + column),
                        );
                        sum = instance.semiring.plus(
                            sum,
                            instance.through_by_call((i, last + before, j), left, right),
                        );
                    }
                    let weight = *block.weights.add(place);
                    *block.to.add(place) =
                        if j == i + 1 { weight } else { instance.semiring.times(sum, weight) };
                }
            }
        }
    }
}
