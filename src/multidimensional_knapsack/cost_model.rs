//! How long the engines take: formulas over the measured facts of processor and device.

use super::cpu::threads_for;
use crate::ProcessorSpeeds;
use crate::opencl::DeviceSpeeds;

/// Part of the cells of all items that is filled: the others do not hold the item, or are not
/// needed.
const FILLED: f64 = 0.4;
/// Add-min pairs of a core for a cell of 32 bits, and for the first and last cells of a row.
const CORE_PAIRS: f64 = 1.5;
const ROW_PAIRS: f64 = 400.0;
/// Times to wake all threads, for each item.
const ITEM_WAKES: f64 = 0.5;
/// Cells that are read and written in memory for a cell. A core's caches keep some of them.
const MEMORY_CELLS: f64 = 2.0;
const DEVICE_MEMORY_CELLS: f64 = 3.0;
/// Seconds of the host for buffers and transfers.
const DEVICE_FIXED: f64 = 1e-3;
/// Launches of an item, and the host's work in their units.
const ITEM_LAUNCHES: f64 = 3.0;

/// Bytes of the cells of a table whose profits are at most `bound`.
pub(super) fn cell_bytes(bound: u64) -> usize {
    match bound {
        0..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 4,
        _ => 8,
    }
}

/// The work to fill a table.
pub(super) struct CostModel {
    pub(super) bytes: usize,
    pub(super) cells: u64,
    /// Those that differ in the last dimension only are a row.
    pub(super) rows: u64,
    pub(super) items: u64,
    pub(super) threads: usize,
}

impl CostModel {
    fn filled(&self) -> f64 {
        self.cells as f64 * self.items as f64 * FILLED
    }

    /// Bytes of the table without decisions.
    pub(super) fn table_bytes(&self) -> u128 {
        u128::from(self.cells) * self.bytes as u128
    }

    /// Expected seconds of the CPU's threads.
    pub(super) fn cpu_seconds(&self, speeds: &ProcessorSpeeds) -> f64 {
        // Threads share rows.
        let threads = threads_for(self.cells, self.threads).min(self.rows.max(1) as usize);
        let (bytes, threads) = (self.bytes as f64, threads as f64);
        let memory = speeds.memory_rate.min(threads * speeds.core_memory_rate);
        let rows = self.rows as f64 * self.items as f64 * FILLED;
        let pairs = self.filled() * CORE_PAIRS * bytes / 4.0 + rows * ROW_PAIRS;
        let in_core = pairs / (threads * speeds.core_add_min_rate);
        let together =
            if threads > 1.0 { self.items as f64 * ITEM_WAKES * speeds.wake_seconds } else { 0.0 };
        together + in_core.max(self.filled() * MEMORY_CELLS * bytes / memory)
    }

    /// Expected seconds of a device.
    pub(super) fn device_seconds(&self, speeds: &DeviceSpeeds) -> f64 {
        let bytes = self.filled() * DEVICE_MEMORY_CELLS * self.bytes as f64;
        let launches = self.items as f64 * ITEM_LAUNCHES;
        DEVICE_FIXED + launches * speeds.launch_seconds + bytes / speeds.global_rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_cells_take_longer_and_threads_save_time() {
        let seconds = |bytes, threads| {
            let model = CostModel { bytes, cells: 8_000_000, rows: 40_000, items: 50, threads };
            model.cpu_seconds(&ProcessorSpeeds::of_the_fit(threads))
        };
        assert!(seconds(2, 1) < seconds(4, 1) && seconds(4, 1) < seconds(8, 1));
        assert!(seconds(4, 4) < seconds(4, 1));
        assert_eq!([0xffff, 0x1_0000, 1 << 32].map(cell_bytes), [2, 4, 8]);
    }
}
