//! When the device is faster than the CPU. The figures are estimates between those of benches/README.md, not a fit.

use crate::opencl::{DeviceInfo, DeviceKind};

/// What the cells of a table are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::knapsack) enum Kind {
    /// Bits of reachable sums.
    Sums,
    /// Profits of 32 bits.
    Small,
    /// Profits of 64 bits.
    Large,
}

/// A table to be filled.
pub(in crate::knapsack) struct CostModel {
    pub(in crate::knapsack) kind: Kind,
    pub(in crate::knapsack) cells: u64,
    pub(in crate::knapsack) threads: usize,
}

/// Below this many seconds of CPU time a device that is not open yet is not worth the search for it.
const WORTH_A_LOOK: f64 = 0.05;
/// Seconds of buffers, transfers and launches that do not depend on the size.
const DEVICE_FIXED: f64 = 2e-3;

impl CostModel {
    /// Cells per second of a core, and of a compute unit of a graphics card.
    fn rates(&self) -> (f64, f64) {
        match self.kind {
            Kind::Sums => (1.5e11, 5e10),
            Kind::Small => (4e9, 3e9),
            Kind::Large => (2e9, 1.5e9),
        }
    }

    fn cpu_seconds(&self) -> f64 {
        self.cells as f64 / (self.rates().0 * self.threads as f64)
    }

    /// Whether the CPU takes so long that a device may be worth looking for.
    pub(in crate::knapsack) fn device_is_promising(&self) -> bool {
        self.cpu_seconds() > WORTH_A_LOOK
    }

    /// Whether that device is expected to fill the table sooner than the CPU's threads.
    pub(in crate::knapsack) fn device_is_faster(&self, device: &DeviceInfo) -> bool {
        let seconds = DEVICE_FIXED + self.cells as f64 / (self.rates().1 * f64::from(device.compute_units));
        // A CPU behind OpenCL runs portable kernels on the same cores as the CPU engine, no faster.
        device.kind != DeviceKind::Cpu && seconds < self.cpu_seconds()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_tables_are_for_the_cpu() {
        let promising = |kind, cells| CostModel { kind, cells, threads: 2 }.device_is_promising();
        assert!(!promising(Kind::Small, 100_000_000));
        assert!(promising(Kind::Small, 10_000_000_000));
        assert!(!promising(Kind::Sums, 10_000_000_000));
    }
}
