//! How fast the processor is: the facts that cost models are formulas over.

use std::fs::File;
use std::io::{self, Read};
use std::time::SystemTime;

use crate::opencl::{Cache, Figures, Key};
use crate::simd::Simd;

/// Names of the figures in files.
const CORE_ADD_MIN: &str = "core_add_min_rate";
const CORE_SERIAL: &str = "core_serial_rate";
const CORE_MEMORY: &str = "core_memory_rate";
const MEMORY: &str = "memory_rate";
const WAKE: &str = "wake_seconds";

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
    /// Rates of a core of the machine that the cost models were fitted to.
    pub(crate) const FITTED_ADD_MIN_RATE: f64 = 4e10;
    pub(crate) const FITTED_SERIAL_RATE: f64 = 1.25e9;

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
        let core_memory_rate = 2e10;
        ProcessorSpeeds {
            measured: false,
            measured_at: None,
            core_add_min_rate: 2.5e9 * lanes,
            core_serial_rate: 1.25e9,
            core_memory_rate,
            // Processors with many cores have more memory channels and larger caches.
            memory_rate: core_memory_rate * (threads as f64).min(2.0 + threads as f64 / 4.0),
            wake_seconds: if threads > 1 { 1e-4 } else { 0.0 },
        }
    }

    /// Speeds of the machine that the cost models were fitted to. Tests of a choice take them, since
    /// other instruction sets may have another fastest method.
    #[cfg(test)]
    pub(crate) fn of_the_fit(threads: usize) -> ProcessorSpeeds {
        ProcessorSpeeds {
            core_add_min_rate: Self::FITTED_ADD_MIN_RATE,
            core_serial_rate: Self::FITTED_SERIAL_RATE,
            ..ProcessorSpeeds::estimate(threads)
        }
    }

    /// Keeps measured speeds on disk.
    pub(super) fn store(&self, threads: usize, cache: &Cache) {
        if let Some(figures) = self.to_figures() {
            cache.store_figures(&key(threads), &figures);
        }
    }

    /// Reads what an earlier process measured.
    pub(super) fn load(threads: usize, cache: &Cache) -> Option<ProcessorSpeeds> {
        ProcessorSpeeds::from_figures(&cache.load_figures(&key(threads))?)
    }

    fn to_figures(self) -> Option<Figures> {
        let values = [
            (CORE_ADD_MIN, self.core_add_min_rate),
            (CORE_SERIAL, self.core_serial_rate),
            (CORE_MEMORY, self.core_memory_rate),
            (MEMORY, self.memory_rate),
            (WAKE, self.wake_seconds),
        ];
        Some(Figures::new(self.measured_at?, &values))
    }

    /// Speeds from a file; none if a figure is missing or a rate is zero.
    fn from_figures(figures: &Figures) -> Option<ProcessorSpeeds> {
        let positive = |name| figures.value(name).filter(|&value| value > 0.0);
        Some(ProcessorSpeeds {
            measured: true,
            measured_at: Some(figures.measured_at()),
            core_add_min_rate: positive(CORE_ADD_MIN)?,
            core_serial_rate: positive(CORE_SERIAL)?,
            core_memory_rate: positive(CORE_MEMORY)?,
            memory_rate: positive(MEMORY)?,
            wake_seconds: figures.value(WAKE)?,
        })
    }
}

/// The key of the processor's figures: everything that they depend on, besides the library.
pub(super) fn key(threads: usize) -> Key {
    let set = format!("{:?}", Simd::detect());
    // Loops of a debug build are many times as slow.
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    Key::of_figures(&["processor", &model(), &set, build, &threads.to_string()])
}

/// The processor's name, if the system reports one; otherwise its architecture.
fn model() -> String {
    let text = beginning("/proc/cpuinfo").unwrap_or_default();
    let is_name = |line: &&str| line.starts_with("model name") || line.starts_with("CPU part");
    text.lines().find(is_name).unwrap_or(std::env::consts::ARCH).to_owned()
}

/// The beginning of a file: the system takes long to describe many cores.
fn beginning(path: &str) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(2048).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CacheLocation, Log};

    #[test]
    fn speeds_are_kept_for_the_same_number_of_threads() {
        let folder = tempfile::tempdir().unwrap();
        let location = CacheLocation::Directory(folder.path().to_owned());
        let cache = Cache::new(&location, Log::default());
        let whole_seconds = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1 << 30);
        let estimate = ProcessorSpeeds::estimate(1);
        let speeds =
            ProcessorSpeeds { measured: true, measured_at: Some(whole_seconds), ..estimate };
        assert_eq!(speeds.wake_seconds, 0.0);
        estimate.store(1, &cache);
        assert_eq!(ProcessorSpeeds::load(1, &cache), None);
        speeds.store(1, &cache);
        assert_eq!(ProcessorSpeeds::load(1, &cache), Some(speeds));
        assert_eq!(ProcessorSpeeds::load(2, &cache), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_processor_has_a_name() {
        assert!(model().contains(':'), "{}", model());
    }
}
