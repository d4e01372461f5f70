//! The loops of the CPU engine: the register-blocked product of two tiles, and the blocks of a
//! fringe, whose cells depend on each other. The loops are compiled for each type of cell, cost
//! form and instruction set, so this file holds only code that dominates the time.
#![allow(unsafe_code)]
#![allow(
    clippy::multiple_unsafe_ops_per_block,
    reason = "one reason holds for all operations of a loop"
)]

use super::by_cell;
use super::cell_instance::{CellInstance, Terms};
use super::lanes::{Lanes, Portable};
use super::semiring::{Cell, MaxMin, MinPlus, OrAnd, PlusTimes, Ring, Semiring};
use super::tiles::{BLOCK, BLOCKS, Block, Loops, TILE};
use crate::simd::Simd;

/// Rows that the product keeps in registers, in two vectors each.
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "other vectors are shorter"))]
const ROWS: usize = 8;
const FEW_ROWS: usize = 4;

/// Lists for the products of an instance, up to the end of the last tile; empty if the instance has
/// none.
#[derive(Clone, Copy)]
pub(super) struct Factors<'a, C> {
    left: &'a [C],
    split: &'a [C],
    right: &'a [C],
}

impl<'a, C> Factors<'a, C> {
    fn of(instance: &'a CellInstance<'_, C>) -> Self {
        match &instance.terms {
            Terms::Product { left, split, right } => Factors { left, split, right },
            _ => Factors { left: &[], split: &[], right: &[] },
        }
    }
}

/// The cost of a split at k for cell (i, j), without its two parts.
pub(super) trait SplitTerm {
    /// The part of the term that all rows share, for the columns from `j` on.
    ///
    /// # Safety
    /// As for [`Lanes::load`]; `k` and a whole vector of columns from `j` on are in range.
    unsafe fn factor<L: Lanes>(factors: Factors<'_, L::Cell>, k: usize, j: usize) -> L;

    /// The value of the parts, combined with the term of row `i`.
    ///
    /// # Safety
    /// As for [`Lanes::load`]; `i` is in range.
    unsafe fn apply<L: Lanes>(factors: Factors<'_, L::Cell>, i: usize, factor: L, parts: L) -> L;
}

/// Splits cost nothing.
pub(super) struct NoTerm;

impl SplitTerm for NoTerm {
    #[inline(always)]
    unsafe fn factor<L: Lanes>(_: Factors<'_, L::Cell>, _k: usize, _j: usize) -> L {
        // SAFETY: the caller's promise.
        unsafe { L::splat(L::Cell::default()) }
    }
    #[inline(always)]
    unsafe fn apply<L: Lanes>(_: Factors<'_, L::Cell>, _i: usize, _: L, parts: L) -> L {
        parts
    }
}

/// Adds `left[i] * split[k] * right[j]`.
pub(super) struct ProductTerm;

impl SplitTerm for ProductTerm {
    #[inline(always)]
    unsafe fn factor<L: Lanes>(factors: Factors<'_, L::Cell>, k: usize, j: usize) -> L {
        debug_assert!(k < factors.split.len() && j + L::COUNT <= factors.right.len());
        // SAFETY: the caller's promise.
        let (split, right) = unsafe {
            (L::splat(*factors.split.get_unchecked(k)), L::load(factors.right.as_ptr().add(j)))
        };
        split.mul(right)
    }
    #[inline(always)]
    unsafe fn apply<L: Lanes>(factors: Factors<'_, L::Cell>, i: usize, factor: L, parts: L) -> L {
        debug_assert!(i < factors.left.len());
        // SAFETY: the caller's promise.
        let left = unsafe { L::splat(*factors.left.get_unchecked(i)) };
        left.mul_add(factor, parts)
    }
}

/// What a cell's own cost adds to the sum over its splits.
pub(super) trait OwnTerm {
    /// Prepares the sums of a block's row, of which all rows below are solved.
    ///
    /// # Safety
    /// As for [`Blocks`](super::tiles::Blocks).
    unsafe fn relax_row<R: Ring, L: Lanes>(block: &Block<L::Cell>, row: usize);

    /// The value of a cell, given its sum and its cost.
    fn value<R: Ring, C: Cell>(sum: C, weight: C) -> C;
}

/// The cost counts with every split.
pub(super) struct Weight;

impl OwnTerm for Weight {
    #[inline(always)]
    unsafe fn relax_row<R: Ring, L: Lanes>(_: &Block<L::Cell>, _row: usize) {}
    #[inline(always)]
    fn value<R: Ring, C: Cell>(sum: C, weight: C) -> C {
        R::times(sum, weight)
    }
}

/// The cost is that of enclosing the cell below and to the left. Cells that enclose one of another
/// tile have its value in their sums from the start.
pub(super) struct Enclosed;

impl OwnTerm for Enclosed {
    #[inline(always)]
    unsafe fn relax_row<R: Ring, L: Lanes>(block: &Block<L::Cell>, row: usize) {
        let [i, j] = [block.at[0] + row, block.at[1]];
        if (i + 1).is_multiple_of(TILE) {
            return;
        }
        // SAFETY: the row below lies in the tile, and there is a cell before its first one.
        unsafe {
            let sums = block.to.add(row * TILE);
            let (first, enclosed) = (*sums, block.to.add((row + 1) * TILE).sub(1));
            let weights = block.weights.add(row * TILE);
            for column in (0..BLOCK).step_by(L::COUNT) {
                let value = R::times(L::load(enclosed.add(column)), L::load(weights.add(column)));
                R::plus(L::load(sums.add(column)), value).store(sums.add(column));
            }
            if j.is_multiple_of(TILE) {
                *sums = first;
            }
        }
    }
    #[inline(always)]
    fn value<R: Ring, C: Cell>(sum: C, _weight: C) -> C {
        sum
    }
}

/// A type of cell with loops for the instruction sets.
pub(super) trait CpuCell: Cell {
    /// The loops for this processor.
    fn loops<R: Ring, S: SplitTerm, O: OwnTerm>() -> Loops<Self>;
}

impl<C: CpuCell> Loops<C> {
    /// The loops for an instance on this processor.
    pub(super) fn of(instance: &CellInstance<'_, C>) -> Self {
        match (instance.semiring, &instance.terms) {
            (_, Terms::Function { .. }) => by_cell::loops(),
            (Semiring::MinPlus, Terms::None) if instance.encloses() && !C::TYPE.is_float() => {
                C::loops::<MinPlus, NoTerm, Enclosed>()
            }
            (Semiring::MinPlus, Terms::None) => C::loops::<MinPlus, NoTerm, Weight>(),
            (Semiring::MinPlus, Terms::Product { .. }) => {
                C::loops::<MinPlus, ProductTerm, Weight>()
            }
            (Semiring::MaxMin, _) => C::loops::<MaxMin, NoTerm, Weight>(),
            (Semiring::OrAnd, _) if !C::TYPE.is_float() => C::loops::<OrAnd, NoTerm, Weight>(),
            (Semiring::PlusTimes, _) => C::loops::<PlusTimes, NoTerm, Weight>(),
            // Plans are converted to minimisation first, and bits are integers.
            (Semiring::MaxPlus | Semiring::OrAnd, _) => by_cell::loops(),
        }
    }
}

/// Defines the loops, compiled for the instruction set, and returns them. SAFETY: callers detect
/// the instruction set first.
macro_rules! loops {
    ($cell:ty, $lanes:ty, $rows:expr $(, $feature:literal)?) => {{
        $(#[target_feature(enable = $feature)])?
        unsafe fn product<R: Ring, S: SplitTerm>(
            to: *mut $cell, a: *const $cell, b: *const $cell, size: usize, instance: &CellInstance<'_, $cell>, at: [usize; 3],
        ) {
            // SAFETY: the caller's promise; compiled for the instruction set.
            unsafe { multiply::<R, $lanes, S, { $rows }>(to, a, b, size, Factors::of(instance), at) };
        }
        $(#[target_feature(enable = $feature)])?
        unsafe fn blocks<R: Ring, S: SplitTerm, O: OwnTerm>(blocks: &[Block<$cell>], instance: &CellInstance<'_, $cell>) {
            // SAFETY: the caller's promise; compiled for the instruction set.
            unsafe { solve_blocks::<R, $lanes, S, O>(blocks, Factors::of(instance)) };
        }
        // SAFETY: the instruction set was detected.
        unsafe { Loops::new(product::<R, S>, blocks::<R, S, O>) }
    }};
}

macro_rules! cpu_cells {
    ($($cell:ident: $avx512:ty, $avx2:ty;)*) => {$(
        impl CpuCell for $cell {
            fn loops<R: Ring, S: SplitTerm, O: OwnTerm>() -> Loops<Self> {
                match detect() {
                    Simd::Baseline => loops!($cell, Portable<$cell, 4>, FEW_ROWS),
                    #[cfg(target_arch = "x86_64")]
                    Simd::Avx512 if R::COMMON => {
                        loops!($cell, $avx512, ROWS, "avx512f,avx512bw,avx512vl,avx2,fma")
                    }
                    #[cfg(target_arch = "x86_64")]
                    Simd::Avx2 | Simd::Avx512 => loops!($cell, $avx2, FEW_ROWS, "avx2,fma"),
                }
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

/// The instruction set to use. AVX2 counts only with fused multiply-add.
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

/// [`Product`](super::tiles::Product) with vectors `L`.
///
/// # Safety
/// As for [`Product`](super::tiles::Product).
#[inline(always)]
unsafe fn multiply<R: Ring, L: Lanes, S: SplitTerm, const ROWS: usize>(
    to: *mut L::Cell,
    a: *const L::Cell,
    b: *const L::Cell,
    size: usize,
    factors: Factors<'_, L::Cell>,
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
                    true => multiply_block::<R, L, S, ROWS, 2>(to, a, b, size, factors, at),
                    false => multiply_block::<R, L, S, ROWS, 1>(to, a, b, size, factors, at),
                }
            }
        }
    }
}

/// Like [`multiply`], for ROWS rows and VECTORS vectors of columns, which stay in registers.
///
/// # Safety
/// As for [`Product`](super::tiles::Product).
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "indices name registers")]
unsafe fn multiply_block<
    R: Ring,
    L: Lanes,
    S: SplitTerm,
    const ROWS: usize,
    const VECTORS: usize,
>(
    to: *mut L::Cell,
    a: *const L::Cell,
    b: *const L::Cell,
    depth: usize,
    factors: Factors<'_, L::Cell>,
    [i, k_first, j]: [usize; 3],
) {
    // SAFETY: the caller guarantees the cells and the instruction set.
    unsafe {
        // No closures: they would not be compiled for the instruction set.
        let mut sums = [[L::splat(L::Cell::default()); VECTORS]; ROWS];
        for row in 0..ROWS {
            for vector in 0..VECTORS {
                sums[row][vector] = L::load(to.add(row * TILE + vector * L::COUNT));
            }
        }
        for step in 0..depth {
            let k = k_first + step;
            let mut below = [L::splat(L::Cell::default()); VECTORS];
            let mut terms = below;
            for vector in 0..VECTORS {
                below[vector] = L::load(b.add(step * TILE + vector * L::COUNT));
                terms[vector] = S::factor(factors, k, j + vector * L::COUNT);
            }
            for row in 0..ROWS {
                let left = L::splat(*a.add(row * TILE + step));
                for vector in 0..VECTORS {
                    let parts = R::times(left, below[vector]);
                    let through = S::apply(factors, i + row, terms[vector], parts);
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

/// [`Blocks`](super::tiles::Blocks) with vectors `L`: row by row from below, one cell of each block
/// at a time, since the cells of a block depend on each other.
///
/// # Safety
/// As for [`Blocks`](super::tiles::Blocks).
#[inline(always)]
unsafe fn solve_blocks<R: Ring, L: Lanes, S: SplitTerm, O: OwnTerm>(
    blocks: &[Block<L::Cell>],
    factors: Factors<'_, L::Cell>,
) {
    for row in (0..BLOCK).rev() {
        let mut values = [[L::Cell::default(); BLOCK]; BLOCKS];
        // SAFETY: rows and cells lie in their blocks.
        unsafe {
            for block in blocks {
                let [i, j] = block.at;
                for lower in row + 1..BLOCK {
                    let (left, right) =
                        (*block.left.add(row * TILE + lower), block.to.add(lower * TILE));
                    let at = [i + row, i + lower, j];
                    relax_row::<R, L, S>(block.to.add(row * TILE), left, right, 0, factors, at);
                }
                O::relax_row::<R, L>(block, row);
            }
            for column in 0..BLOCK {
                for (block, values) in blocks.iter().zip(&mut values) {
                    let (sums, weight) =
                        (block.to.add(row * TILE), *block.weights.add(row * TILE + column));
                    let [i, j] = [block.at[0] + row, block.at[1] + column];
                    let value = if j == i + 1 {
                        weight
                    } else {
                        O::value::<R, _>(*sums.add(column), weight)
                    };
                    values[column] = value;
                    let right = block.below.add(column * TILE);
                    let at = [i, j, block.at[1]];
                    relax_row::<R, L, S>(sums, value, right, column + 1, factors, at);
                }
            }
            for (block, values) in blocks.iter().zip(&values) {
                block.to.add(row * TILE).copy_from_nonoverlapping(values.as_ptr(), BLOCK);
            }
        }
    }
}

/// Relaxes a block's row with the split k: `left` is the left part's value, `right` the row of the
/// right parts. Sums of columns before `from` are no longer needed and may get any value.
///
/// # Safety
/// As for [`Blocks`](super::tiles::Blocks).
#[inline(always)]
unsafe fn relax_row<R: Ring, L: Lanes, S: SplitTerm>(
    sums: *mut L::Cell,
    left: L::Cell,
    right: *const L::Cell,
    from: usize,
    factors: Factors<'_, L::Cell>,
    [i, k, j]: [usize; 3],
) {
    // SAFETY: the caller guarantees the cells and the instruction set.
    unsafe {
        let left = L::splat(left);
        for column in (from / L::COUNT * L::COUNT..BLOCK).step_by(L::COUNT) {
            let parts = R::times(left, L::load(right.add(column)));
            let term = S::factor(factors, k, j + column);
            let through = S::apply(factors, i, term, parts);
            R::plus(L::load(sums.add(column)), through).store(sums.add(column));
        }
    }
}

/// Lets tests run the loops of lower instruction sets.
#[cfg(test)]
pub(super) mod forced {
    use std::cell::Cell;

    use crate::simd::Simd;

    /// The instruction sets that can be forced on this processor.
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

    /// Forces an instruction set on this thread until it is dropped.
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
