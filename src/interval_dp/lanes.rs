//! Vectors of cells for the CPU engine, one type for each kind of cell and instruction set.
#![allow(unsafe_code)]
#![allow(
    clippy::multiple_unsafe_ops_per_block,
    reason = "one reason holds for all operations of a loop"
)]

use super::semiring::{Arithmetic, Cell};

/// A vector of cells.
///
/// Code may create and use a vector type only if it is compiled for its instruction set and runs
/// after the set was detected. [`Lanes::load`] and [`Lanes::splat`] require this, and no other
/// function creates a value.
pub(super) trait Lanes: Arithmetic {
    type Cell: Cell;
    /// Number of cells.
    const COUNT: usize;

    /// # Safety
    /// The processor has the instruction set; `from` points to `COUNT` cells.
    unsafe fn load(from: *const Self::Cell) -> Self;
    /// # Safety
    /// `to` points to `COUNT` cells.
    unsafe fn store(self, to: *mut Self::Cell);
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn splat(value: Self::Cell) -> Self;
}

/// For any instruction set; the compiler vectorises it.
#[derive(Clone, Copy)]
pub(super) struct Portable<C, const COUNT: usize>([C; COUNT]);

impl<C: Cell, const COUNT: usize> Portable<C, COUNT> {
    #[inline(always)]
    fn zip(mut self, other: Self, operation: impl Fn(C, C) -> C) -> Self {
        for (cell, other) in self.0.iter_mut().zip(other.0) {
            *cell = operation(*cell, other);
        }
        self
    }
}

impl<C: Cell, const COUNT: usize> Arithmetic for Portable<C, COUNT> {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, C::add)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, C::mul)
    }
    #[inline(always)]
    fn mul_add(mut self, factor: Self, sum: Self) -> Self {
        for lane in 0..COUNT {
            self.0[lane] = self.0[lane].mul_add(factor.0[lane], sum.0[lane]);
        }
        self
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, C::min)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, C::max)
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.zip(other, C::and)
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.zip(other, C::or)
    }
}

impl<C: Cell, const COUNT: usize> Lanes for Portable<C, COUNT> {
    type Cell = C;
    const COUNT: usize = COUNT;

    #[inline(always)]
    unsafe fn load(from: *const C) -> Self {
        // SAFETY: the caller guarantees the cells.
        Portable(unsafe { from.cast::<[C; COUNT]>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut C) {
        // SAFETY: the caller guarantees the cells.
        unsafe { to.cast::<[C; COUNT]>().write_unaligned(self.0) }
    }
    #[inline(always)]
    unsafe fn splat(value: C) -> Self {
        Portable([value; COUNT])
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::*;

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![allow(clippy::undocumented_unsafe_blocks, reason = "one reason for all, at the macro")]

    use std::arch::x86_64::*;

    use super::{Arithmetic, Lanes};

    /// Defines a vector type by its intrinsics. SAFETY of all of them: a value exists only where
    /// the instruction set does, as [`Lanes`] requires; `load` and `store` pass their own
    /// requirements on.
    macro_rules! lanes {
        ($name:ident($vector:ty) of $cell:ty, $count:literal: $load:ident $store:ident $splat:ident,
         $add:ident $mul:ident $min:ident $max:ident $and:ident $or:ident,
         |$a:ident, $b:ident, $c:ident| $mul_add:expr) => {
            #[derive(Clone, Copy)]
            pub(in super::super) struct $name($vector);

            impl Arithmetic for $name {
                #[inline(always)]
                fn add(self, other: Self) -> Self {
                    Self(unsafe { $add(self.0, other.0) })
                }
                #[inline(always)]
                fn mul(self, other: Self) -> Self {
                    Self(unsafe { $mul(self.0, other.0) })
                }
                #[inline(always)]
                fn mul_add(self, factor: Self, sum: Self) -> Self {
                    let ($a, $b, $c) = (self, factor, sum);
                    $mul_add
                }
                #[inline(always)]
                fn min(self, other: Self) -> Self {
                    Self(unsafe { $min(self.0, other.0) })
                }
                #[inline(always)]
                fn max(self, other: Self) -> Self {
                    Self(unsafe { $max(self.0, other.0) })
                }
                #[inline(always)]
                fn and(self, other: Self) -> Self {
                    Self(unsafe { $and(self.0, other.0) })
                }
                #[inline(always)]
                fn or(self, other: Self) -> Self {
                    Self(unsafe { $or(self.0, other.0) })
                }
            }

            impl Lanes for $name {
                type Cell = $cell;
                const COUNT: usize = $count;

                #[inline(always)]
                unsafe fn load(from: *const $cell) -> Self {
                    Self(unsafe { $load(from.cast()) })
                }
                #[inline(always)]
                unsafe fn store(self, to: *mut $cell) {
                    unsafe { $store(to.cast(), self.0) }
                }
                #[inline(always)]
                unsafe fn splat(value: $cell) -> Self {
                    Self(unsafe { $splat(value) })
                }
            }
        };
    }

    lanes!(Avx512I32(__m512i) of i32, 16: _mm512_loadu_si512 _mm512_storeu_si512 _mm512_set1_epi32,
        _mm512_add_epi32 _mm512_mullo_epi32 _mm512_min_epi32 _mm512_max_epi32 _mm512_and_si512 _mm512_or_si512,
        |a, b, c| a.mul(b).add(c));
    lanes!(Avx512I64(__m512i) of i64, 8: _mm512_loadu_si512 _mm512_storeu_si512 _mm512_set1_epi64,
        _mm512_add_epi64 _mm512_mullox_epi64 _mm512_min_epi64 _mm512_max_epi64 _mm512_and_si512 _mm512_or_si512,
        |a, b, c| a.mul(b).add(c));
    lanes!(Avx512F32(__m512) of f32, 16: _mm512_loadu_ps _mm512_storeu_ps _mm512_set1_ps,
        _mm512_add_ps _mm512_mul_ps _mm512_min_ps _mm512_max_ps _mm512_min_ps _mm512_max_ps,
        |a, b, c| Self(unsafe { _mm512_fmadd_ps(a.0, b.0, c.0) }));
    lanes!(Avx512F64(__m512d) of f64, 8: _mm512_loadu_pd _mm512_storeu_pd _mm512_set1_pd,
        _mm512_add_pd _mm512_mul_pd _mm512_min_pd _mm512_max_pd _mm512_min_pd _mm512_max_pd,
        |a, b, c| Self(unsafe { _mm512_fmadd_pd(a.0, b.0, c.0) }));
    lanes!(Avx2I32(__m256i) of i32, 8: _mm256_loadu_si256 _mm256_storeu_si256 _mm256_set1_epi32,
        _mm256_add_epi32 _mm256_mullo_epi32 _mm256_min_epi32 _mm256_max_epi32 _mm256_and_si256 _mm256_or_si256,
        |a, b, c| a.mul(b).add(c));
    lanes!(Avx2F32(__m256) of f32, 8: _mm256_loadu_ps _mm256_storeu_ps _mm256_set1_ps,
        _mm256_add_ps _mm256_mul_ps _mm256_min_ps _mm256_max_ps _mm256_min_ps _mm256_max_ps,
        |a, b, c| Self(unsafe { _mm256_fmadd_ps(a.0, b.0, c.0) }));
    lanes!(Avx2F64(__m256d) of f64, 4: _mm256_loadu_pd _mm256_storeu_pd _mm256_set1_pd,
        _mm256_add_pd _mm256_mul_pd _mm256_min_pd _mm256_max_pd _mm256_min_pd _mm256_max_pd,
        |a, b, c| Self(unsafe { _mm256_fmadd_pd(a.0, b.0, c.0) }));
}
