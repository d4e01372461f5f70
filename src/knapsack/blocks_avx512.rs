//! Merges blocks with AVX-512, whose comparisons give the decision bits directly. Other loops pass
//! them through memory, which takes several times as long.
#![allow(unsafe_code)]
#![allow(
    clippy::multiple_unsafe_ops_per_block,
    reason = "one reason holds for all operations of a loop"
)]

use std::arch::x86_64::{
    __m512i, _mm512_add_epi32, _mm512_add_epi64, _mm512_cmpgt_epi32_mask, _mm512_cmpgt_epi64_mask,
    _mm512_loadu_si512, _mm512_max_epi32, _mm512_max_epi64, _mm512_set1_epi32, _mm512_set1_epi64,
    _mm512_storeu_si512,
};

use super::blocks::{BLOCK, Merge, MergeBlock};

pub(super) fn merge_i32(merge: Merge<'_, i32>) {
    // SAFETY: the caller detected AVX-512.
    unsafe { vectors_i32(merge) }
}

pub(super) fn merge_i64(merge: Merge<'_, i64>) {
    // SAFETY: the caller detected AVX-512.
    unsafe { vectors_i64(merge) }
}

/// A profit in all lanes of a vector.
struct Profit(__m512i);

/// Defines the merge of blocks of cells.
macro_rules! vectors {
    ($name:ident, $cell:ty, $splat:ident, $add:ident, $max:ident, $larger:ident) => {
        #[target_feature(enable = "avx512f")]
        fn $name(mut merge: Merge<'_, $cell>) {
            let profit = $splat(merge.profit);
            merge.blocks(Profit(profit));
        }

        impl MergeBlock<$cell> for Profit {
            #[inline(always)]
            fn merge(
                &self,
                kept: &[$cell; BLOCK],
                flipped: &[$cell; BLOCK],
                target: &mut [$cell; BLOCK],
            ) -> u64 {
                const LANES: usize = size_of::<__m512i>() / size_of::<$cell>();
                let mut bits = 0;
                for first in (0..BLOCK).step_by(LANES) {
                    // SAFETY: the caller detected AVX-512, and each block has that many cells left.
                    unsafe {
                        let kept = _mm512_loadu_si512(kept[first..].as_ptr().cast());
                        let flipped = _mm512_loadu_si512(flipped[first..].as_ptr().cast());
                        let other = $add(flipped, self.0);
                        bits |= u64::from($larger(other, kept)) << first;
                        let target = target[first..].as_mut_ptr().cast();
                        _mm512_storeu_si512(target, $max(other, kept));
                    }
                }
                bits
            }
        }
    };
}

vectors! { vectors_i32, i32, _mm512_set1_epi32, _mm512_add_epi32, _mm512_max_epi32, _mm512_cmpgt_epi32_mask }
vectors! { vectors_i64, i64, _mm512_set1_epi64, _mm512_add_epi64, _mm512_max_epi64, _mm512_cmpgt_epi64_mask }
