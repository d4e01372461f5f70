//! How long the engines take: formulas over the measured facts of processor and device.

use crate::ProcessorSpeeds;
use crate::opencl::DeviceSpeeds;

/// Part of the cells of all items that is filled: the others do not hold the item, or are not
/// needed.
const FILLED: f64 = 0.4;
/// Add-min pairs of a core for a cell of 32 bits, and for the first and last cells of a row.
const CORE_PAIRS: f64 = 1.5;
const ROW_PAIRS: f64 = 800.0;
/// Times to wake all threads for an item that they share. They end it at different times.
const ITEM_WAKES: f64 = 2.0;
/// Cells that are read and written in memory for a cell. A core's caches keep some of them.
const MEMORY_CELLS: f64 = 2.5;
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
    cells: u64,
    /// Cells that differ in the last dimension only are a row.
    rows: u64,
    /// Items that one thread fills.
    alone: u64,
    /// Items that threads share, and the sum of 1 / threads over these.
    shared: u64,
    turns: f64,
}

impl CostModel {
    /// Without items.
    pub(super) fn new(bytes: usize, cells: u64, rows: u64) -> CostModel {
        CostModel { bytes, cells, rows, alone: 0, shared: 0, turns: 0.0 }
    }

    /// Adds items that a number of threads fill together.
    pub(super) fn add(&mut self, items: u64, threads: usize) {
        if threads == 1 {
            self.alone += items;
        } else {
            self.shared += items;
            self.turns += items as f64 / threads as f64;
        }
    }

    fn items(&self) -> u64 {
        self.alone + self.shared
    }

    /// Cells, counted for each item.
    pub(super) fn item_cells(&self) -> u64 {
        self.cells.saturating_mul(self.items())
    }

    /// Bytes of the table without decisions.
    pub(super) fn table_bytes(&self) -> u128 {
        u128::from(self.cells) * self.bytes as u128
    }

    /// Expected seconds of the CPU's threads.
    pub(super) fn cpu_seconds(&self, speeds: &ProcessorSpeeds) -> f64 {
        let alone = self.alone as f64 * self.item_seconds(1.0, speeds);
        if self.shared == 0 {
            return alone;
        }
        let shared = self.shared as f64;
        let each =
            ITEM_WAKES * speeds.wake_seconds + self.item_seconds(shared / self.turns, speeds);
        alone + shared * each
    }

    /// Expected seconds of an item on this many threads, without waking them.
    fn item_seconds(&self, threads: f64, speeds: &ProcessorSpeeds) -> f64 {
        let (cells, rows) = (self.cells as f64 * FILLED, self.rows as f64 * FILLED);
        let pairs = cells * CORE_PAIRS * self.bytes as f64 / 4.0 + rows * ROW_PAIRS;
        let in_core = pairs / (threads * speeds.core_add_min_rate);
        let memory = speeds.memory_rate.min(threads * speeds.core_memory_rate);
        in_core.max(cells * MEMORY_CELLS * self.bytes as f64 / memory)
    }

    /// Expected seconds of a device.
    pub(super) fn device_seconds(&self, speeds: &DeviceSpeeds) -> f64 {
        let items = self.items() as f64;
        let bytes = self.cells as f64 * items * FILLED * DEVICE_MEMORY_CELLS * self.bytes as f64;
        let launches = items * ITEM_LAUNCHES;
        DEVICE_FIXED + launches * speeds.launch_seconds + bytes / speeds.global_rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multidimensional_knapsack::cpu::threads_of_item;

    #[test]
    fn wide_cells_take_longer_and_threads_save_time() {
        let seconds = |bytes, threads| {
            let mut model = CostModel::new(bytes, 8_000_000, 40_000);
            model.add(50, threads);
            model.cpu_seconds(&ProcessorSpeeds::of_the_fit(threads))
        };
        assert!(seconds(2, 1) < seconds(4, 1) && seconds(4, 1) < seconds(8, 1));
        assert!(seconds(4, 4) < seconds(4, 1));
        assert_eq!([0xffff, 0x1_0000, 1 << 32].map(cell_bytes), [2, 4, 8]);
    }

    #[test]
    fn threads_wake_for_shared_items_only() {
        let speeds = ProcessorSpeeds { wake_seconds: 1.0, ..ProcessorSpeeds::of_the_fit(16) };
        let seconds = |shared| {
            let mut model = CostModel::new(2, 100_000, 2_000);
            model.add(30 - shared, 1);
            model.add(shared, 16);
            model.cpu_seconds(&speeds)
        };
        assert!(seconds(0) < 0.1, "{}", seconds(0));
        assert!((seconds(10) - 10.0 * ITEM_WAKES).abs() < 0.1, "{}", seconds(10));
        assert_eq!(CostModel::new(2, 100_000, 2_000).cpu_seconds(&speeds), 0.0);
    }

    #[test]
    fn threads_share_items_that_read_far_back() {
        let (row, cells) = (100, 1_000_000);
        let of = |band, threads| threads_of_item(cells, row, band, threads);
        // An item that is light in the first dimension has short bands.
        assert_eq!([of(30_000, 16), of(40_000, 16), of(400_000, 16)], [1, 10, 16]);
        assert_eq!(of(400_000, 1), 1);
        // The rows of an item without weights in the leading dimensions are independent.
        assert_eq!(of(0, 16), 16);
    }
}
