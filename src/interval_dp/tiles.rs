//! The order of products and blocks in a tile of the CPU engine. The loops are in
//! [`blocks`](super::blocks), compiled for each type of cell, cost form and instruction set, and
//! called by pointers.
#![allow(unsafe_code)]
#![allow(
    clippy::multiple_unsafe_ops_per_block,
    reason = "one reason holds for all operations of a loop"
)]

use super::cell_instance::CellInstance;
use super::semiring::Cell;

/// Cells along the edge of a tile.
pub(super) const TILE: usize = 64;
/// Cells along the edge of a block, the part of a fringe that is solved cell by cell.
pub(super) const BLOCK: usize = 16;
/// Blocks along the edge of a tile.
pub(super) const BLOCKS: usize = TILE / BLOCK;

/// A tile's cells, row after row.
pub(super) type Tile<C> = [C; TILE * TILE];

/// Adds the product of `a` and `b` to `to`. All are squares of `size` cells along the edge, in rows
/// of [`TILE`]. `at` has the points of the first row, of the first split and of the first column.
///
/// Safety: the squares are whole, the processor has the instruction set, and `size` is [`TILE`] or
/// [`BLOCK`].
pub(super) type Product<C> = unsafe fn(
    to: *mut C,
    a: *const C,
    b: *const C,
    size: usize,
    instance: &CellInstance<'_, C>,
    at: [usize; 3],
);

/// A block whose products are finished, in rows of [`TILE`].
#[derive(Clone, Copy)]
pub(super) struct Block<C> {
    pub(super) to: *mut C,
    /// The diagonal block of its rows.
    pub(super) left: *const C,
    /// The diagonal block of its columns.
    pub(super) below: *const C,
    /// The costs of its cells, or the values of leaves.
    pub(super) weights: *const C,
    /// Points of the first row and column.
    pub(super) at: [usize; 2],
}

/// Solves up to [`BLOCKS`] blocks that do not depend on each other.
///
/// Safety: the blocks are whole, and the processor has the instruction set.
pub(super) type Blocks<C> = unsafe fn(blocks: &[Block<C>], instance: &CellInstance<'_, C>);

/// The tile of a factor of a product of blocks.
#[derive(Clone, Copy)]
pub(super) enum Factor<'a, C> {
    /// The one that takes the product.
    Own,
    /// Another one.
    Of(&'a Tile<C>),
}

/// The loops for an instance.
#[derive(Clone, Copy)]
pub(super) struct Loops<C> {
    product: Product<C>,
    blocks: Blocks<C>,
}

impl<C: Cell> Loops<C> {
    /// # Safety
    /// The processor has the instruction set that the loops are compiled for.
    pub(super) unsafe fn new(product: Product<C>, blocks: Blocks<C>) -> Self {
        Loops { product, blocks }
    }

    /// Adds the product of `a` and `b` to tile `to`. `at` has the points of the first row, split
    /// and column.
    pub(super) fn product(
        &self,
        to: &mut Tile<C>,
        a: &Tile<C>,
        b: &Tile<C>,
        instance: &CellInstance<'_, C>,
        at: [usize; 3],
    ) {
        // SAFETY: tiles are whole; the processor has the instruction set.
        unsafe { (self.product)(to.as_mut_ptr(), a.as_ptr(), b.as_ptr(), TILE, instance, at) };
    }

    /// Adds the product of the blocks (p, via) of `a` and (via, q) of `b` to block (p, q) of `to`;
    /// splits cost nothing.
    pub(super) fn block_product(
        &self,
        to: &mut Tile<C>,
        [p, via, q]: [usize; 3],
        a: Factor<'_, C>,
        b: Factor<'_, C>,
        instance: &CellInstance<'_, C>,
    ) {
        assert!(p.max(via).max(q) < BLOCKS, "blocks lie in the tile");
        let to = to.as_mut_ptr();
        let of = |factor| match factor {
            Factor::Own => to.cast_const(),
            Factor::Of(tile) => tile.as_ptr(),
        };
        assert!(
            !(matches!(a, Factor::Own) && via == q || matches!(b, Factor::Own) && via == p),
            "a factor is another block"
        );
        // SAFETY: blocks lie in their tiles, and that of the result is none of the factors; the
        // processor has the instruction set.
        unsafe {
            let (a, b) = (of(a).add(place(p, via)), of(b).add(place(via, q)));
            (self.product)(to.add(place(p, q)), a, b, BLOCK, instance, [0; 3]);
        }
    }

    /// Solves a tile that has the products of the tiles in between. `left` is the diagonal tile of
    /// its rows, `below` that of its columns, `weights` the costs of its cells and `first` its
    /// first row and column. The value of a leaf is its weight. The blocks are solved in
    /// antidiagonals from the lower left, each after its products.
    pub(super) fn fringe(
        &self,
        to: &mut Tile<C>,
        left: &Tile<C>,
        below: &Tile<C>,
        weights: &Tile<C>,
        instance: &CellInstance<'_, C>,
        [row, column]: [usize; 2],
    ) {
        let (to, left, below) = (to.as_mut_ptr(), left.as_ptr(), below.as_ptr());
        for antidiagonal in 0..2 * BLOCKS - 1 {
            let mut blocks = Vec::with_capacity(BLOCKS);
            for q in antidiagonal.saturating_sub(BLOCKS - 1)..BLOCKS.min(antidiagonal + 1) {
                let p = BLOCKS - 1 - (antidiagonal - q);
                let [i, j] = [row + p * BLOCK, column + q * BLOCK];
                // SAFETY: blocks lie in their tiles; the processor has the instruction set.
                unsafe {
                    let block = to.add(place(p, q));
                    for r in p + 1..BLOCKS {
                        let (a, b) = (left.add(place(p, r)), to.add(place(r, q)));
                        (self.product)(block, a, b, BLOCK, instance, [i, row + r * BLOCK, j]);
                    }
                    for r in 0..q {
                        let (a, b) = (to.add(place(p, r)), below.add(place(r, q)));
                        (self.product)(block, a, b, BLOCK, instance, [i, column + r * BLOCK, j]);
                    }
                    let (left, below) = (left.add(place(p, p)), below.add(place(q, q)));
                    let weights = weights.as_ptr().add(place(p, q));
                    blocks.push(Block { to: block, left, below, weights, at: [i, j] });
                }
            }
            // SAFETY: as above; blocks of an antidiagonal do not depend on each other.
            unsafe { (self.blocks)(&blocks, instance) };
        }
    }

    /// Solves a tile on the diagonal, of which only the cells right of the diagonal are used.
    pub(super) fn diagonal(
        &self,
        to: &mut Tile<C>,
        weights: &Tile<C>,
        instance: &CellInstance<'_, C>,
        first: usize,
    ) {
        for p in (0..BLOCKS).rev() {
            solve_triangle(to, weights, instance, first, p * BLOCK);
            let to = to.as_mut_ptr();
            for q in p + 1..BLOCKS {
                let at = [first + p * BLOCK, first + q * BLOCK];
                // SAFETY: blocks lie in the tile; the processor has the instruction set.
                unsafe {
                    let block = to.add(place(p, q));
                    for r in p + 1..q {
                        let (a, b) = (to.add(place(p, r)), to.add(place(r, q)));
                        (self.product)(
                            block,
                            a,
                            b,
                            BLOCK,
                            instance,
                            [at[0], first + r * BLOCK, at[1]],
                        );
                    }
                    let (left, below) = (to.add(place(p, p)), to.add(place(q, q)));
                    let weights = weights.as_ptr().add(place(p, q));
                    (self.blocks)(&[Block { to: block, left, below, weights, at }], instance);
                }
            }
        }
    }
}

/// Solves a block on the diagonal cell by cell. The block starts in row and column `begin` of its
/// tile.
fn solve_triangle<C: Cell>(
    to: &mut Tile<C>,
    weights: &Tile<C>,
    instance: &CellInstance<'_, C>,
    first: usize,
    begin: usize,
) {
    let end = (begin + BLOCK).min(instance.points.saturating_sub(first));
    for row in (begin..end).rev() {
        for column in row + 1..end {
            let mut sum = instance.semiring.zero();
            for split in row + 1..column {
                let at = (first + row, first + split, first + column);
                let (left, right) = (to[row * TILE + split], to[split * TILE + column]);
                sum = instance.semiring.plus(sum, instance.through_by_call(at, left, right));
            }
            let weight = weights[row * TILE + column];
            to[row * TILE + column] = match column == row + 1 {
                true => weight,
                false => instance.finished(sum, weight, to[(row + 1) * TILE + column - 1]),
            };
        }
    }
}

/// Start of a block in its tile.
fn place(p: usize, q: usize) -> usize {
    p * BLOCK * TILE + q * BLOCK
}
