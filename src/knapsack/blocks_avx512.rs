//! Merges blocks with AVX-512, whose comparisons give the decision bits directly. Other loops pass
//! them through memory, which takes several times as long.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m512i, _mm512_add_epi32, _mm512_add_epi64, _mm512_cmpgt_epi32_mask, _mm512_cmpgt_epi64_mask,
    _mm512_loadu_si512, _mm512_max_epi32, _mm512_max_epi64, _mm512_set1_epi32, _mm512_set1_epi64,
    _mm512_storeu_si512,
};

use super::blocks::{BLOCK, Cell, Merge};

pub(super) fn merge_i32(merge: Merge<'_, i32>) {
    // SAFETY: the caller detected AVX-512.
    unsafe { vectors_i32(merge) }
}

pub(super) fn merge_i64(merge: Merge<'_, i64>) {
    // SAFETY: the caller detected AVX-512.
    unsafe { vectors_i64(merge) }
}

#[target_feature(enable = "avx512f")]
fn vectors_i32(merge: Merge<'_, i32>) {
    let profit = _mm512_set1_epi32(merge.profit);
    vectors(merge, |kept, flipped| {
        let other = _mm512_add_epi32(flipped, profit);
        (_mm512_max_epi32(other, kept), _mm512_cmpgt_epi32_mask(other, kept).into())
    });
}

#[target_feature(enable = "avx512f")]
fn vectors_i64(merge: Merge<'_, i64>) {
    let profit = _mm512_set1_epi64(merge.profit);
    vectors(merge, |kept, flipped| {
        let other = _mm512_add_epi64(flipped, profit);
        (_mm512_max_epi64(other, kept), _mm512_cmpgt_epi64_mask(other, kept).into())
    });
}

/// Merges vector by vector; `larger` gives the cells that the second one wins.
#[target_feature(enable = "avx512f")]
fn vectors<T: Cell>(mut merge: Merge<'_, T>, larger: impl Fn(__m512i, __m512i) -> (__m512i, u64)) {
    let lanes = size_of::<__m512i>() / size_of::<T>();
    merge.blocks(|kept, flipped, _, target| {
        let mut bits = 0;
        for first in (0..BLOCK).step_by(lanes) {
            // SAFETY: each block has that many cells left.
            let kept = unsafe { _mm512_loadu_si512(kept[first..].as_ptr().cast()) };
            // SAFETY: each block has that many cells left.
            let flipped = unsafe { _mm512_loadu_si512(flipped[first..].as_ptr().cast()) };
            let (cells, taken) = larger(kept, flipped);
            bits |= taken << first;
            // SAFETY: each block has that many cells left.
            unsafe { _mm512_storeu_si512(target[first..].as_mut_ptr().cast(), cells) };
        }
        bits
    });
}
