//! How fast the processor is: the facts that cost models are formulas over.

use std::time::SystemTime;

use crate::simd::Simd;

/// How fast the processor is. All rates are per second.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ProcessorSpeeds {
    /// Whether the processor was measured. Otherwise the figures are estimates from its
    /// instruction set.
    pub measured: bool,
    /// When the processor was measured, by the clock of the system.
    pub measured_at: Option<SystemTime>,
    /// Pairs of an addition and a minimum of 32-bit integers that one core computes per second,
    /// with its widest vectors.
    pub core_add_min_rate: f64,
    /// The same one by one, each pair after the one before.
    pub core_serial_rate: f64,
    /// Bytes per second that one core reads from and writes to memory.
    pub core_memory_rate: f64,
    /// Bytes per second that all threads together read from and write to memory.
    pub memory_rate: f64,
    /// Seconds to wake the threads of a context and to join them.
    pub wake_seconds: f64,
}

impl ProcessorSpeeds {
    /// Estimates for a processor that was not measured.
    pub(crate) fn estimate(threads: usize) -> ProcessorSpeeds {
        let lanes = match Simd::detect() {
            Simd::Baseline => 4.0,
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 => 8.0,
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512 => 16.0,
        };
        // A clock of 2.5 GHz; a vector of pairs takes about a clock.
        let core_memory_rate = 1e10;
        ProcessorSpeeds {
            measured: false,
            measured_at: None,
            core_add_min_rate: 2.5e9 * lanes,
            core_serial_rate: 1.25e9,
            core_memory_rate,
            memory_rate: core_memory_rate * threads.min(3) as f64,
            wake_seconds: if threads > 1 { 1e-4 } else { 0.0 },
        }
    }
}
