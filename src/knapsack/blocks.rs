//! Blocks of neighbouring weights, with one decision bit for each weight: the inner loops of solves
//! that return a solution.
//!
//! This file and `blocks_avx512.rs` import each other: [`Merge`] has its loops there for processors
//! with AVX-512, and they walk through the blocks of a [`Merge`] as the plain loops do.

use bytemuck::Pod;

#[cfg(target_arch = "x86_64")]
use super::blocks_avx512;
use crate::simd::{HotLoop, Simd, pack};

/// Cells of a block: as many as a word has bits.
pub(super) const BLOCK: usize = 64;

/// A profit in a window, or [`Cell::NONE`].
pub(super) trait Cell: Pod + Default + Ord + Into<i64> + Send + Sync {
    /// No profit.
    const ZERO: Self;
    /// No solution: so far below any profit that it stays below after adding all profits.
    const NONE: Self;
    /// The largest absolute profit, including sums of profits.
    const LIMIT: i64;

    fn plus(self, profit: Self) -> Self;
    /// [`Merge`] on a processor with AVX-512.
    #[cfg(target_arch = "x86_64")]
    fn merge_avx512(merge: Merge<'_, Self>);
    /// Exact if the value is within the limit.
    fn from_profit(profit: i64) -> Self;
}

impl Cell for i32 {
    const ZERO: Self = 0;
    const NONE: Self = -(1 << 30);
    const LIMIT: i64 = (1 << 28) - 1;

    #[inline(always)]
    fn plus(self, profit: Self) -> Self {
        self.wrapping_add(profit)
    }

    #[cfg(target_arch = "x86_64")]
    fn merge_avx512(merge: Merge<'_, Self>) {
        blocks_avx512::merge_i32(merge);
    }

    fn from_profit(profit: i64) -> Self {
        profit as i32
    }
}

impl Cell for i64 {
    const ZERO: Self = 0;
    const NONE: Self = -(1 << 62);
    const LIMIT: i64 = (1 << 60) - 1;

    #[inline(always)]
    fn plus(self, profit: Self) -> Self {
        self.wrapping_add(profit)
    }

    #[cfg(target_arch = "x86_64")]
    fn merge_avx512(merge: Merge<'_, Self>) {
        blocks_avx512::merge_i64(merge);
    }

    fn from_profit(profit: i64) -> Self {
        profit
    }
}

/// The decision on a cell.
pub(super) fn decision(bits: &[u64], cell: usize) -> bool {
    bits.get(cell / BLOCK).is_some_and(|bits| bits >> (cell % BLOCK) & 1 == 1)
}

/// Merges one block. A closure would not be compiled for the instruction set.
pub(super) trait MergeBlock<T> {
    /// Returns the decisions.
    fn merge(&self, kept: &[T; BLOCK], flipped: &[T; BLOCK], target: &mut [T; BLOCK]) -> u64;
}

/// With this profit, in plain Rust.
struct Plain<T>(T);

impl<T: Cell> MergeBlock<T> for Plain<T> {
    #[inline(always)]
    fn merge(&self, kept: &[T; BLOCK], flipped: &[T; BLOCK], target: &mut [T; BLOCK]) -> u64 {
        let mut flags = [0u8; BLOCK];
        for i in 0..BLOCK {
            let other = flipped[i].plus(self.0);
            flags[i] = u8::from(other > kept[i]);
            target[i] = if other > kept[i] { other } else { kept[i] };
        }
        pack(&flags)
    }
}

/// The largest cell of each block; `cells` holds the same number of whole blocks.
pub(super) struct Maxima<'a, T> {
    pub(super) cells: &'a [T],
    pub(super) maxima: &'a mut [T],
}

impl<T: Cell> HotLoop for Maxima<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (blocks, _) = self.cells.as_chunks::<BLOCK>();
        for (maximum, block) in self.maxima.iter_mut().zip(blocks) {
            *maximum = block.iter().fold(T::NONE, |a, &b| if a > b { a } else { b });
        }
    }
}

/// Sets `target` to the larger of `kept` and `flipped` + `profit`. It has as many blocks as `bits`
/// has words; the [`decision`] on a cell is true if `flipped` + `profit` is larger.
pub(super) struct Merge<'a, T> {
    /// `None` means the present contents of `target`.
    pub(super) kept: Option<&'a [T]>,
    pub(super) flipped: &'a [T],
    pub(super) profit: T,
    pub(super) target: &'a mut [T],
    pub(super) bits: &'a mut [u64],
}

impl<T: Cell> Merge<'_, T> {
    /// Uses the comparison's mask if the processor has masks.
    pub(super) fn run(self, simd: Simd) {
        match simd {
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512 => T::merge_avx512(self),
            _ => simd.run(Blocks(self)),
        }
    }

    #[inline(always)]
    pub(super) fn blocks(&mut self, block: impl MergeBlock<T>) {
        let (flipped, target) = (self.flipped.as_chunks().0, self.target.as_chunks_mut().0);
        let blocks = flipped.iter().zip(target).zip(&mut *self.bits);
        let Some(kept) = self.kept else {
            for ((flipped, target), bits) in blocks {
                // A copy, which the compiler keeps in registers.
                let kept = *target;
                *bits = block.merge(&kept, flipped, target);
            }
            return;
        };
        for (((flipped, target), bits), kept) in blocks.zip(kept.as_chunks().0) {
            *bits = block.merge(kept, flipped, target);
        }
    }
}

/// [`Merge`] in plain Rust.
struct Blocks<'a, T>(Merge<'a, T>);

impl<T: Cell> HotLoop for Blocks<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let profit = self.0.profit;
        self.0.blocks(Plain(profit));
    }
}

/// Raises `target` to `flipped` + `profit` if that is larger.
pub(super) struct Raise<'a, T> {
    pub(super) target: &'a mut [T],
    pub(super) flipped: &'a [T],
    pub(super) profit: T,
}

impl<T: Cell> HotLoop for Raise<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (blocks, rest) = self.target.as_chunks_mut::<BLOCK>();
        let (flipped, flipped_rest) = self.flipped.as_chunks::<BLOCK>();
        for (target, flipped) in blocks.iter_mut().zip(flipped) {
            raise(target, flipped, self.profit);
        }
        raise(rest, flipped_rest, self.profit);
    }
}

#[inline(always)]
fn raise<T: Cell>(target: &mut [T], flipped: &[T], profit: T) {
    for (target, flipped) in target.iter_mut().zip(flipped) {
        let other = flipped.plus(profit);
        *target = if other > *target { other } else { *target };
    }
}
