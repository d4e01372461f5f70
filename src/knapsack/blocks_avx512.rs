//! Merging blocks with AVX-512, whose comparisons give the bits of decision at once; other loops take them through
//! memory, which takes several times as long.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    _mm512_add_epi32, _mm512_add_epi64, _mm512_cmpgt_epi32_mask, _mm512_cmpgt_epi64_mask, _mm512_loadu_si512,
    _mm512_max_epi32, _mm512_max_epi64, _mm512_set1_epi32, _mm512_set1_epi64, _mm512_storeu_si512,
};

use super::blocks::{BLOCK, Merge};

pub(super) fn merge_i32(merge: Merge<'_, i32>) {
    // SAFETY: the caller has seen that the processor has AVX-512.
    unsafe { blocks_i32(merge) }
}

pub(super) fn merge_i64(merge: Merge<'_, i64>) {
    // SAFETY: the caller has seen that the processor has AVX-512.
    unsafe { blocks_i64(merge) }
}

#[target_feature(enable = "avx512f")]
fn blocks_i32(mut merge: Merge<'_, i32>) {
    const LANES: usize = 16;
    let profit = _mm512_set1_epi32(merge.profit);
    merge.blocks(|kept, flipped, _, target| {
        let mut bits = 0;
        for first in (0..BLOCK).step_by(LANES) {
            // SAFETY: that many cells are left of each block.
            let kept = unsafe { _mm512_loadu_si512(kept[first..].as_ptr().cast()) };
            // SAFETY: that many cells are left of each block.
            let flipped = unsafe { _mm512_loadu_si512(flipped[first..].as_ptr().cast()) };
            let other = _mm512_add_epi32(flipped, profit);
            bits |= u64::from(_mm512_cmpgt_epi32_mask(other, kept)) << first;
            let larger = _mm512_max_epi32(other, kept);
            // SAFETY: that many cells are left of each block.
            unsafe { _mm512_storeu_si512(target[first..].as_mut_ptr().cast(), larger) };
        }
        bits
    });
}

#[target_feature(enable = "avx512f")]
fn blocks_i64(mut merge: Merge<'_, i64>) {
    const LANES: usize = 8;
    let profit = _mm512_set1_epi64(merge.profit);
    merge.blocks(|kept, flipped, _, target| {
        let mut bits = 0;
        for first in (0..BLOCK).step_by(LANES) {
            // SAFETY: that many cells are left of each block.
            let kept = unsafe { _mm512_loadu_si512(kept[first..].as_ptr().cast()) };
            // SAFETY: that many cells are left of each block.
            let flipped = unsafe { _mm512_loadu_si512(flipped[first..].as_ptr().cast()) };
            let other = _mm512_add_epi64(flipped, profit);
            bits |= u64::from(_mm512_cmpgt_epi64_mask(other, kept)) << first;
            let larger = _mm512_max_epi64(other, kept);
            // SAFETY: that many cells are left of each block.
            unsafe { _mm512_storeu_si512(target[first..].as_mut_ptr().cast(), larger) };
        }
        bits
    });
}
