//! Estimates whether the device is faster than the CPU. Fitted to the measurements in
//! docs/src/benchmarks/results.md: one and sixteen cores (Sapphire Rapids) and an H200, for light
//! and heavy weights.

use crate::opencl::DeviceInfo;

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

/// Fixed seconds of buffers, transfers and launches.
const DEVICE_FIXED: f64 = 2e-3;

/// More threads than this do not speed up heavy items, which are limited by memory bandwidth.
const MEMORY_THREADS: usize = 3;

/// Cells per second.
struct Rates {
    /// Of a core, for light and heavy items.
    core: (f64, f64),
    /// Of a compute unit of a graphics card.
    unit: (f64, f64),
}

impl CostModel {
    fn rates(&self) -> Rates {
        match self.kind {
            Kind::Sums => Rates { core: (2e11, 9e10), unit: (7e10, 5e10) },
            Kind::Small => Rates { core: (7e9, 2.5e9), unit: (4.5e9, 3.2e9) },
            Kind::Large => Rates { core: (3.5e9, 1.2e9), unit: (2.2e9, 1.6e9) },
        }
    }

    /// Expected seconds of the CPU's threads.
    pub(in crate::knapsack) fn cpu_seconds(&self) -> f64 {
        let Rates { core: (light, heavy), .. } = self.rates();
        let threads = (self.threads as f64, self.threads.min(MEMORY_THREADS) as f64);
        self.light as f64 / (light * threads.0) + self.heavy as f64 / (heavy * threads.1)
    }

    /// Expected seconds of a device.
    pub(in crate::knapsack) fn device_seconds(&self, device: &DeviceInfo) -> f64 {
        let Rates { unit: (light, heavy), .. } = self.rates();
        let units = f64::from(device.compute_units);
        DEVICE_FIXED + self.light as f64 / (light * units) + self.heavy as f64 / (heavy * units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heavy_items_and_wide_cells_take_longer() {
        let seconds =
            |kind, light, heavy| CostModel { kind, light, heavy, threads: 2 }.cpu_seconds();
        let light = seconds(Kind::Small, 1_000_000_000, 0);
        assert!(light < seconds(Kind::Small, 0, 1_000_000_000));
        assert!(light < seconds(Kind::Large, 1_000_000_000, 0));
        assert!(light > seconds(Kind::Sums, 1_000_000_000, 0));
    }
}
