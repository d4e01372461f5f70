//! The loops of the CPU engine: the product of two tiles, register-blocked, and the fringe of a tile, whose cells
//! depend on each other. One copy for each semiring, kind of cell, cost form and instruction set.
#![allow(unsafe_code)]
#![allow(clippy::multiple_unsafe_ops_per_block, reason = "one reason holds for all operations of a loop")]

use super::lanes::{Lanes, Portable};
use super::semiring::{Cell, Ring};
use crate::simd::Simd;

/// Cells along the edge of a tile.
pub(super) const TILE: usize = 64;
/// Cells along the edge of a block, the part of a fringe that is solved cell by cell.
const BLOCK: usize = 16;
/// Blocks along the edge of a tile.
const BLOCKS: usize = TILE / BLOCK;
/// Rows that the product keeps in registers, in two vectors each.
const ROWS: usize = 8;
const FEW_ROWS: usize = 4;

/// A tile's cells, row after row.
pub(super) type Tile<C> = [C; TILE * TILE];

/// What a split at k costs cell (i, j), beside its two parts. Arrays reach to the end of the last tile.
pub(super) trait SplitTerm<C: Cell>: Copy + Send + Sync {
    /// What all rows share for the columns from `j` on.
    ///
    /// # Safety
    /// As for [`Lanes::load`]; `k` and a whole vector of columns from `j` on are in range.
    unsafe fn factor<L: Lanes<Cell = C>>(&self, k: usize, j: usize) -> L;

    /// The parts' value together with the term of row `i`.
    ///
    /// # Safety
    /// As for [`Lanes::load`]; `i` is in range.
    unsafe fn apply<R: Ring, L: Lanes<Cell = C>>(&self, at: (usize, usize, usize), factor: L, parts: L) -> L;
}

/// Splits cost nothing.
#[derive(Clone, Copy)]
pub(super) struct NoTerm;

impl<C: Cell> SplitTerm<C> for NoTerm {
    #[inline(always)]
    unsafe fn factor<L: Lanes<Cell = C>>(&self, _k: usize, _j: usize) -> L {
        // SAFETY: passed on.
        unsafe { L::splat(C::default()) }
    }
    #[inline(always)]
    unsafe fn apply<R: Ring, L: Lanes<Cell = C>>(&self, _at: (usize, usize, usize), _: L, parts: L) -> L {
        parts
    }
}

/// `left[i] * split[k] * right[j]`, added.
#[derive(Clone, Copy)]
pub(super) struct ProductTerm<'a, C> {
    pub(super) left: &'a [C],
    pub(super) split: &'a [C],
    pub(super) right: &'a [C],
}

impl<C: Cell> SplitTerm<C> for ProductTerm<'_, C> {
    #[inline(always)]
    unsafe fn factor<L: Lanes<Cell = C>>(&self, k: usize, j: usize) -> L {
        debug_assert!(k < self.split.len() && j + L::COUNT <= self.right.len());
        // SAFETY: passed on.
        let (split, right) =
            unsafe { (L::splat(*self.split.get_unchecked(k)), L::load(self.right.as_ptr().add(j))) };
        split.mul(right)
    }
    #[inline(always)]
    unsafe fn apply<R: Ring, L: Lanes<Cell = C>>(&self, at: (usize, usize, usize), factor: L, parts: L) -> L {
        debug_assert!(at.0 < self.left.len());
        // SAFETY: passed on.
        let left = unsafe { L::splat(*self.left.get_unchecked(at.0)) };
        left.mul_add(factor, parts)
    }
}

/// A function of i, k and j.
#[derive(Clone, Copy)]
pub(super) struct FunctionTerm<'a, C> {
    pub(super) function: &'a (dyn Fn(usize, usize, usize) -> C + Sync + Send),
    /// Only below this are there points.
    pub(super) points: usize,
}

impl<C: Cell> SplitTerm<C> for FunctionTerm<'_, C> {
    #[inline(always)]
    unsafe fn factor<L: Lanes<Cell = C>>(&self, _k: usize, _j: usize) -> L {
        // SAFETY: passed on.
        unsafe { L::splat(C::default()) }
    }
    #[inline(always)]
    unsafe fn apply<R: Ring, L: Lanes<Cell = C>>(&self, at: (usize, usize, usize), _: L, parts: L) -> L {
        let (i, k, first) = at;
        let mut terms = [C::default(); 16];
        for (j, term) in (first..self.points).zip(&mut terms[..L::COUNT]) {
            if i < k && k < j {
                *term = (self.function)(i, k, j);
            }
        }
        // SAFETY: passed on; there are 16 terms, and no vector has more.
        R::times(parts, unsafe { L::load(terms.as_ptr()) })
    }
}

/// Adds to `to` the product of `a` and `b`, squares of `size` cells along the edge in rows of [`TILE`]. `at` are the
/// points of the first row, of the first split and of the first column.
///
/// Safety: the squares are whole, the processor has the instruction set, and `size` is [`TILE`] or [`BLOCK`].
type Product<C, S> = unsafe fn(to: *mut C, a: *const C, b: *const C, size: usize, term: &S, at: [usize; 3]);

/// A block whose products are done, in rows of [`TILE`].
#[derive(Clone, Copy)]
struct Block<C> {
    to: *mut C,
    /// The diagonal block of its rows.
    left: *const C,
    /// The diagonal block of its columns.
    below: *const C,
    /// What its cells cost, or the value where it is a leaf.
    weights: *const C,
    /// Points of the first row and column.
    at: [usize; 2],
}

/// Solves up to [`BLOCKS`] blocks that do not depend on each other.
///
/// Safety: the blocks are whole, and the processor has the instruction set.
type Blocks<C, S> = unsafe fn(blocks: &[Block<C>], term: &S);

/// The loops compiled for one instruction set, which the processor has.
pub(super) struct Loops<C, S> {
    product: Product<C, S>,
    blocks: Blocks<C, S>,
}

/// Which vectors a kind of cell has.
pub(super) trait CpuCell: Cell {
    /// The loops for this processor.
    fn loops<R: Ring, S: SplitTerm<Self>>() -> Loops<Self, S>;

    /// The loops for terms that are slow anyway.
    fn slow_loops<R: Ring, S: SplitTerm<Self>>() -> Loops<Self, S>;
}

/// Defines the loops compiled with the features, and hands them out.
macro_rules! loops {
    ($cell:ty, $lanes:ty, $rows:expr $(, $feature:literal)?) => {{
        $(#[target_feature(enable = $feature)])?
        unsafe fn product<R: Ring, S: SplitTerm<$cell>>(
            to: *mut $cell, a: *const $cell, b: *const $cell, size: usize, term: &S, at: [usize; 3],
        ) {
            // SAFETY: passed on; compiled for the instruction set.
            unsafe { multiply::<R, $lanes, S, { $rows }>(to, a, b, size, term, at) };
        }
        $(#[target_feature(enable = $feature)])?
        unsafe fn blocks<R: Ring, S: SplitTerm<$cell>>(blocks: &[Block<$cell>], term: &S) {
            // SAFETY: passed on; compiled for the instruction set.
            unsafe { solve_blocks::<R, $lanes, S>(blocks, term) };
        }
        Loops { product: product::<R, S>, blocks: blocks::<R, S> }
    }};
}

macro_rules! cpu_cells {
    ($($cell:ident: $avx512:ty, $avx2:ty;)*) => {$(
        impl CpuCell for $cell {
            fn loops<R: Ring, S: SplitTerm<Self>>() -> Loops<Self, S> {
                match detect() {
                    Simd::Baseline => loops!($cell, Portable<$cell, 4>, FEW_ROWS),
                    #[cfg(target_arch = "x86_64")]
                    Simd::Avx2 => loops!($cell, $avx2, FEW_ROWS, "avx2,fma"),
                    #[cfg(target_arch = "x86_64")]
                    Simd::Avx512 => loops!($cell, $avx512, ROWS, "avx512f,avx512bw,avx512vl,avx2,fma"),
                }
            }

            fn slow_loops<R: Ring, S: SplitTerm<Self>>() -> Loops<Self, S> {
                loops!($cell, Portable<$cell, 4>, FEW_ROWS)
            }
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
use super::lanes::{Avx2F32, Avx2F64, Avx2I32, Avx512F32, Avx512F64, Avx512I32, Avx512I64};

cpu_cells! {
    i32: Avx512I32, Avx2I32;
    i64: Avx512I64, Portable<i64, 4>;
    f32: Avx512F32, Avx2F32;
    f64: Avx512F64, Avx2F64;
}

/// The instruction set to use: with AVX2 also its fused multiplication is needed.
fn detect() -> Simd {
    #[cfg(target_arch = "x86_64")]
    if !is_x86_feature_detected!("fma") {
        return Simd::Baseline;
    }
    #[cfg(test)]
    if let Some(forced) = forced::get() {
        return forced;
    }
    Simd::detect()
}

/// [`Product`] with vectors `L`.
///
/// # Safety
/// As for [`Product`].
#[inline(always)]
unsafe fn multiply<R: Ring, L: Lanes, S: SplitTerm<L::Cell>, const ROWS: usize>(
    to: *mut L::Cell,
    a: *const L::Cell,
    b: *const L::Cell,
    size: usize,
    term: &S,
    at: [usize; 3],
) {
    let two = const { BLOCK.is_multiple_of(2 * L::COUNT) } || size.is_multiple_of(2 * L::COUNT);
    let step = if two { 2 * L::COUNT } else { L::COUNT };
    for column in (0..size).step_by(step) {
        for row in (0..size).step_by(ROWS) {
            let at = [at[0] + row, at[1], at[2] + column];
            // SAFETY: the block lies in the squares.
            unsafe {
                let (to, a, b) = (to.add(row * TILE + column), a.add(row * TILE), b.add(column));
                match two {
                    true => multiply_block::<R, L, S, ROWS, 2>(to, a, b, size, term, at),
                    false => multiply_block::<R, L, S, ROWS, 1>(to, a, b, size, term, at),
                }
            }
        }
    }
}

/// As [`multiply`], for ROWS rows and VECTORS vectors of columns, which stay in registers.
///
/// # Safety
/// As for [`Product`].
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "indices name registers")]
unsafe fn multiply_block<
    R: Ring,
    L: Lanes,
    S: SplitTerm<L::Cell>,
    const ROWS: usize,
    const VECTORS: usize,
>(
    to: *mut L::Cell,
    a: *const L::Cell,
    b: *const L::Cell,
    depth: usize,
    term: &S,
    [i, k_first, j]: [usize; 3],
) {
    // SAFETY: the caller vouches for the cells and the instruction set.
    unsafe {
        // Loops without closures, which would not be compiled for the instruction set.
        let mut sums = [[L::splat(L::Cell::default()); VECTORS]; ROWS];
        for row in 0..ROWS {
            for vector in 0..VECTORS {
                sums[row][vector] = L::load(to.add(row * TILE + vector * L::COUNT));
            }
        }
        for step in 0..depth {
            let k = k_first + step;
            let mut below = [L::splat(L::Cell::default()); VECTORS];
            let mut factors = below;
            for vector in 0..VECTORS {
                below[vector] = L::load(b.add(step * TILE + vector * L::COUNT));
                factors[vector] = term.factor(k, j + vector * L::COUNT);
            }
            for row in 0..ROWS {
                let left = L::splat(*a.add(row * TILE + step));
                for vector in 0..VECTORS {
                    let parts = R::times(left, below[vector]);
                    let at = (i + row, k, j + vector * L::COUNT);
                    let through = term.apply::<R, L>(at, factors[vector], parts);
                    sums[row][vector] = R::plus(sums[row][vector], through);
                }
            }
        }
        for row in 0..ROWS {
            for vector in 0..VECTORS {
                sums[row][vector].store(to.add(row * TILE + vector * L::COUNT));
            }
        }
    }
}

impl<C: CpuCell, S: SplitTerm<C>> Loops<C, S> {
    /// Adds to tile `to` the product of `a` and `b`. `at` are the points of the first row, split and column.
    pub(super) fn product(&self, to: &mut Tile<C>, a: &Tile<C>, b: &Tile<C>, term: &S, at: [usize; 3]) {
        // SAFETY: tiles are whole; the processor has the instruction set.
        unsafe { (self.product)(to.as_mut_ptr(), a.as_ptr(), b.as_ptr(), TILE, term, at) };
    }

    /// Solves a tile that has the products of the tiles in between: `left` is the diagonal tile of its rows, `below`
    /// that of its columns, `weights` what each of its cells costs, `first` its first row and column. The value of a
    /// leaf is its weight. It goes from the lower left on, an antidiagonal of blocks at a time, their products first.
    pub(super) fn fringe(
        &self,
        to: &mut Tile<C>,
        left: &Tile<C>,
        below: &Tile<C>,
        weights: &Tile<C>,
        term: &S,
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
                        (self.product)(block, a, b, BLOCK, term, [i, row + r * BLOCK, j]);
                    }
                    for r in 0..q {
                        let (a, b) = (to.add(place(p, r)), below.add(place(r, q)));
                        (self.product)(block, a, b, BLOCK, term, [i, column + r * BLOCK, j]);
                    }
                    let (left, below) = (left.add(place(p, p)), below.add(place(q, q)));
                    let weights = weights.as_ptr().add(place(p, q));
                    blocks.push(Block { to: block, left, below, weights, at: [i, j] });
                }
            }
            // SAFETY: as above; blocks of an antidiagonal do not depend on each other.
            unsafe { (self.blocks)(&blocks, term) };
        }
    }

    /// Solves a tile on the diagonal, of which only the cells right of the diagonal mean anything.
    pub(super) fn diagonal<R: Ring>(&self, to: &mut Tile<C>, weights: &Tile<C>, term: &S, first: usize) {
        for p in (0..BLOCKS).rev() {
            solve_triangle::<C, R, S>(to, weights, term, first, p * BLOCK);
            let to = to.as_mut_ptr();
            for q in p + 1..BLOCKS {
                let at = [first + p * BLOCK, first + q * BLOCK];
                // SAFETY: blocks lie in the tile; the processor has the instruction set.
                unsafe {
                    let block = to.add(place(p, q));
                    for r in p + 1..q {
                        let (a, b) = (to.add(place(p, r)), to.add(place(r, q)));
                        (self.product)(block, a, b, BLOCK, term, [at[0], first + r * BLOCK, at[1]]);
                    }
                    let (left, below) = (to.add(place(p, p)), to.add(place(q, q)));
                    let weights = weights.as_ptr().add(place(p, q));
                    (self.blocks)(&[Block { to: block, left, below, weights, at }], term);
                }
            }
        }
    }
}

/// Solves a block on the diagonal, which begins in row and column `begin` of its tile, cell by cell.
fn solve_triangle<C: Cell, R: Ring, S: SplitTerm<C>>(
    to: &mut Tile<C>,
    weights: &Tile<C>,
    term: &S,
    first: usize,
    begin: usize,
) {
    type One<C> = Portable<C, 1>;
    for row in (begin..begin + BLOCK).rev() {
        for column in row + 1..begin + BLOCK {
            let weight = weights[row * TILE + column];
            let mut sum = [R::zero::<C>()];
            for split in row + 1..column {
                let at = (first + row, first + split, first + column);
                let (left, right) = (to[row * TILE + split], to[split * TILE + column]);
                // SAFETY: a vector of one cell needs no instruction set; the points are in range.
                unsafe {
                    let parts = R::times(One::splat(left), One::splat(right));
                    let factor: One<C> = term.factor(at.1, at.2);
                    let through = term.apply::<R, One<C>>(at, factor, parts);
                    R::plus(One::splat(sum[0]), through).store(sum.as_mut_ptr());
                }
            }
            to[row * TILE + column] = if column == row + 1 { weight } else { R::times(sum[0], weight) };
        }
    }
}

/// Where a block begins in its tile.
#[inline(always)]
fn place(p: usize, q: usize) -> usize {
    p * BLOCK * TILE + q * BLOCK
}

/// [`Blocks`] with vectors `L`: row by row from below, a cell of each block at a time, since a block's own cells wait
/// for each other.
///
/// # Safety
/// As for [`Blocks`].
#[inline(always)]
unsafe fn solve_blocks<R: Ring, L: Lanes, S: SplitTerm<L::Cell>>(blocks: &[Block<L::Cell>], term: &S) {
    for row in (0..BLOCK).rev() {
        let mut values = [[L::Cell::default(); BLOCK]; BLOCKS];
        // SAFETY: rows and cells lie in their blocks.
        unsafe {
            for block in blocks {
                let [i, j] = block.at;
                for lower in row + 1..BLOCK {
                    let (left, right) = (*block.left.add(row * TILE + lower), block.to.add(lower * TILE));
                    relax_row::<R, L, S>(
                        block.to.add(row * TILE),
                        left,
                        right,
                        0,
                        term,
                        [i + row, i + lower, j],
                    );
                }
            }
            for column in 0..BLOCK {
                for (block, values) in blocks.iter().zip(&mut values) {
                    let (sums, weight) = (block.to.add(row * TILE), *block.weights.add(row * TILE + column));
                    let [i, j] = [block.at[0] + row, block.at[1] + column];
                    let value = if j == i + 1 { weight } else { R::times(*sums.add(column), weight) };
                    values[column] = value;
                    let right = block.below.add(column * TILE);
                    relax_row::<R, L, S>(sums, value, right, column + 1, term, [i, j, block.at[1]]);
                }
            }
            for (block, values) in blocks.iter().zip(&values) {
                block.to.add(row * TILE).copy_from_nonoverlapping(values.as_ptr(), BLOCK);
            }
        }
    }
}

/// Relaxes a block's row with the split k: `left` is the left part's value, `right` the row of the right parts.
/// Sums of columns before `from` are no longer needed and become anything.
///
/// # Safety
/// As for [`Blocks`].
#[inline(always)]
unsafe fn relax_row<R: Ring, L: Lanes, S: SplitTerm<L::Cell>>(
    sums: *mut L::Cell,
    left: L::Cell,
    right: *const L::Cell,
    from: usize,
    term: &S,
    [i, k, j]: [usize; 3],
) {
    // SAFETY: the caller vouches for the cells and the instruction set.
    unsafe {
        let left = L::splat(left);
        for column in (from / L::COUNT * L::COUNT..BLOCK).step_by(L::COUNT) {
            let parts = R::times(left, L::load(right.add(column)));
            let factor = term.factor(k, j + column);
            let through = term.apply::<R, L>((i, k, j + column), factor, parts);
            R::plus(L::load(sums.add(column)), through).store(sums.add(column));
        }
    }
}

/// Lets tests run the loops of lesser instruction sets.
#[cfg(test)]
pub(super) mod forced {
    use std::cell::Cell;

    use crate::simd::Simd;

    /// What may be forced on this processor.
    pub(in super::super) fn all() -> Vec<Simd> {
        let mut all = vec![Simd::Baseline];
        #[cfg(target_arch = "x86_64")]
        all.extend((Simd::detect() != Simd::Baseline).then_some(Simd::Avx2));
        all.extend((!all.contains(&Simd::detect())).then_some(Simd::detect()));
        all
    }

    thread_local! {
        static FORCED: Cell<Option<Simd>> = const { Cell::new(None) };
    }

    /// Forces an instruction set on this thread while it lives.
    pub(in super::super) struct Force(());

    impl Force {
        pub(in super::super) fn new(simd: Simd) -> Self {
            FORCED.set(Some(simd));
            Force(())
        }
    }

    impl Drop for Force {
        fn drop(&mut self) {
            FORCED.set(None);
        }
    }

    pub(super) fn get() -> Option<Simd> {
        FORCED.get()
    }
}
