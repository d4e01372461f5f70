//! Which vector instructions this processor has, asked once.
//!
//! Hot loops are written as plain Rust that the compiler can vectorise, in a function that is always inlined,
//! and are compiled once for each of these instruction sets.

use std::sync::OnceLock;

/// The widest instruction set that the loops are compiled for and the processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Simd {
    /// What every processor of the target has: SSE2 or NEON.
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
