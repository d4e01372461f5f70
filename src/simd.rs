//! Run-time detection of vector instructions, done once.
//!
//! Hot loops are plain Rust that the compiler can vectorise, in an always-inlined function. They
//! are compiled once for each of these instruction sets.
#![allow(unsafe_code)]

use std::sync::OnceLock;

/// The widest supported instruction set that the processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Simd {
    /// The target's minimum: SSE2 or NEON.
    Baseline,
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 with 8- and 16-bit lanes (BW) and shorter vectors (VL).
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Simd {
    pub(crate) fn detect() -> Self {
        static DETECTED: OnceLock<Simd> = OnceLock::new();
        *DETECTED.get_or_init(Self::ask)
    }

    /// All supported instruction sets that this processor has.
    #[cfg(test)]
    pub(crate) fn available() -> Vec<Self> {
        let mut sets = vec![Simd::Baseline];
        #[cfg(target_arch = "x86_64")]
        {
            sets.extend([Simd::Avx2].into_iter().filter(|_| Simd::detect() != Simd::Baseline));
            sets.extend([Simd::Avx512].into_iter().filter(|&set| Simd::detect() == set));
        }
        sets
    }

    #[cfg(target_arch = "x86_64")]
    fn ask() -> Self {
        if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl") {
            Simd::Avx512
        } else if is_x86_feature_detected!("avx2") {
            Simd::Avx2
        } else {
            Simd::Baseline
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn ask() -> Self {
        Simd::Baseline
    }
}

/// A hot loop and its data. `run` and all functions that it calls must be `#[inline(always)]`; closures
/// and [`std::array::from_fn`] can't be, and suit only what the loop does once.
pub(crate) trait HotLoop {
    type Output;

    fn run(self) -> Self::Output;
}

/// As [`std::array::from_fn`], which the compiler need not inline into a hot loop.
#[inline(always)]
pub(crate) fn array<T: Copy + Default, const N: usize>(element: impl Fn(usize) -> T) -> [T; N] {
    let mut array = [T::default(); N];
    for (index, place) in array.iter_mut().enumerate() {
        *place = element(index);
    }
    array
}

/// Packs at most sixty-four flags into bits, eight at a time: the product moves the lowest bit of
/// each byte into the top byte.
#[inline(always)]
pub(crate) fn pack<const N: usize>(flags: &[u8; N]) -> u64 {
    let (bytes, _) = flags.as_chunks::<8>();
    let mut bits = 0;
    for (i, &eight) in bytes.iter().enumerate() {
        let byte = u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits |= byte << (8 * i);
    }
    bits
}

impl Simd {
    /// Runs the loop compiled for these instructions.
    pub(crate) fn run<L: HotLoop>(self, work: L) -> L::Output {
        match self {
            Simd::Baseline => work.run(),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: detected on this processor.
            Simd::Avx2 => unsafe { run_avx2(work) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: detected on this processor.
            Simd::Avx512 => unsafe { run_avx512(work) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2<L: HotLoop>(work: L) -> L::Output {
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn run_avx512<L: HotLoop>(work: L) -> L::Output {
    work.run()
}
