//! Shifts bits with AVX-512. A vector shifted by whole words crosses a cache line in almost every
//! load. Here the lower words are taken from the previous vector instead, which saves
//! half of these loads.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    _mm_cvtsi64_si128, _mm512_alignr_epi64, _mm512_loadu_si512, _mm512_or_si512, _mm512_set1_epi64,
    _mm512_sll_epi64, _mm512_srl_epi64, _mm512_storeu_si512,
};

/// Adds the words of whole vectors to `target`; returns how many. The processor must have AVX-512.
pub(super) fn unite(target: &mut [u64], below: &[u64], shift: usize) -> usize {
    // SAFETY: the caller detected AVX-512.
    unsafe { unite_vectors(target, below, shift) }
}

#[target_feature(enable = "avx512f")]
fn unite_vectors(target: &mut [u64], below: &[u64], shift: usize) -> usize {
    // Shifts by 64 or more clear a word.
    let (up, down) = (_mm_cvtsi64_si128(shift as i64), _mm_cvtsi64_si128(64 - shift as i64));
    let (high, vectors) = (&below[1..], target.as_chunks_mut::<8>().0);
    let mut before = _mm512_set1_epi64(below[0] as i64);
    for (vector, high) in vectors.iter_mut().zip(high.as_chunks::<8>().0) {
        // SAFETY: a vector has that many words.
        let own = unsafe { _mm512_loadu_si512(vector.as_ptr().cast()) };
        // SAFETY: a vector has that many words.
        let high = unsafe { _mm512_loadu_si512(high.as_ptr().cast()) };
        let low = _mm512_alignr_epi64::<7>(high, before);
        before = high;
        let moved = _mm512_or_si512(_mm512_sll_epi64(high, up), _mm512_srl_epi64(low, down));
        let united = _mm512_or_si512(own, moved);
        // SAFETY: a vector has that many words.
        unsafe { _mm512_storeu_si512(vector.as_mut_ptr().cast(), united) };
    }
    vectors.as_flattened().len()
}
