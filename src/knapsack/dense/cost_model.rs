//! How long the engines take: formulas over the measured facts of processor and device. The shape
//! factors were fitted to an H200 and 16 cores (Sapphire Rapids, AVX-512), for light and heavy
//! weights; see docs/src/benchmarks/results.md.

use crate::ProcessorSpeeds;
use crate::opencl::DeviceSpeeds;

/// What a cell takes.
struct Shape {
    /// Add-min pairs of a core for a cell of a light item.
    core_pairs: f64,
    /// Bytes that a core reads and writes in memory for a cell of a heavy item.
    core_bytes: f64,
    /// Bytes that a device reads and writes in global memory for a cell of a light and of a heavy
    /// item.
    device_bytes: [f64; 2],
}

const SUMS: Shape = Shape { core_pairs: 0.2, core_bytes: 0.11, device_bytes: [0.47, 0.65] };
const SMALL: Shape = Shape { core_pairs: 5.7, core_bytes: 4.0, device_bytes: [7.2, 10.2] };
const LARGE: Shape = Shape { core_pairs: 11.4, core_bytes: 8.3, device_bytes: [14.8, 20.4] };
/// Fixed seconds of buffers, transfers and launches, mostly the host's work.
const DEVICE_FIXED: f64 = 2e-3;

/// The kind of a table's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::knapsack) enum Kind {
    /// Bits of reachable sums.
    Sums,
    /// Profits of 32 bits.
    Small,
    /// Profits of 64 bits.
    Large,
}

/// The work to fill tables.
pub(in crate::knapsack) struct CostModel {
    pub(in crate::knapsack) kind: Kind,
    /// Cells of light items: the CPU fills many items at a time, in its caches.
    pub(in crate::knapsack) light: u64,
    /// Cells of heavy items: they pass through memory one by one or a few at a time.
    pub(in crate::knapsack) heavy: u64,
    pub(in crate::knapsack) threads: usize,
}

impl CostModel {
    fn shape(&self) -> Shape {
        match self.kind {
            Kind::Sums => SUMS,
            Kind::Small => SMALL,
            Kind::Large => LARGE,
        }
    }

    /// Expected seconds of the CPU's threads.
    pub(in crate::knapsack) fn cpu_seconds(&self, speeds: &ProcessorSpeeds) -> f64 {
        let (shape, threads) = (self.shape(), self.threads as f64);
        let memory = speeds.memory_rate.min(threads * speeds.core_memory_rate);
        self.light as f64 * shape.core_pairs / (threads * speeds.core_add_min_rate)
            + self.heavy as f64 * shape.core_bytes / memory
    }

    /// Expected seconds of a device.
    pub(in crate::knapsack) fn device_seconds(&self, speeds: &DeviceSpeeds) -> f64 {
        let [light, heavy] = self.shape().device_bytes;
        let bytes = self.light as f64 * light + self.heavy as f64 * heavy;
        DEVICE_FIXED + bytes / speeds.global_rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heavy_items_and_wide_cells_take_longer() {
        let speeds = ProcessorSpeeds::of_the_fit(2);
        let seconds =
            |kind, light, heavy| CostModel { kind, light, heavy, threads: 2 }.cpu_seconds(&speeds);
        let light = seconds(Kind::Small, 1_000_000_000, 0);
        assert!(light < seconds(Kind::Small, 0, 1_000_000_000));
        assert!(light < seconds(Kind::Large, 1_000_000_000, 0));
        assert!(light > seconds(Kind::Sums, 1_000_000_000, 0));
    }
}
