use std::ops::Range;

use super::super::bits::{Bits, Sums};
use super::super::{Item, Rows, too_large, trace};
use super::{Engine, FAMILY, Kind};
use crate::opencl::{Buffer, Device};
use crate::solve::{Monitor, SolveOptions};
use crate::table::Table;
use crate::{Context, Error, Result};

/// Bits at the end of a row in which the largest sum is first searched.
const NEAR: usize = 1 << 16;

/// Rows of bits on a device. A row has whole words of 64 bits.
pub(in super::super) struct DeviceSums<'a> {
    engine: Engine<'a, u32>,
}

/// Words of 32 bits, and the number of bits that count.
pub(in super::super) struct DeviceBits {
    words: Buffer<u32>,
    cells: usize,
}

/// Requests the program that fills rows of sums.
pub(super) fn request(device: &Device) -> Result<()> {
    let (context, monitor) =
        (Context::of_one_thread()?, Monitor::maximising(&SolveOptions::default()));
    DeviceSums::new(&context, &monitor, device).map(drop)
}

impl<'a> DeviceSums<'a> {
    pub(in super::super) fn new(
        context: &'a Context,
        monitor: &'a Monitor,
        device: &'a Device,
    ) -> Result<Self> {
        let kind = Kind {
            quad_each: "SUM_QUAD_EACH",
            fused_each: "SUM_EACH",
            group: "SUM_GROUP",
            is_in_runs: true,
            prefers_fused: true,
            is_sums: true,
        };
        let engine = Engine::new(context, monitor, device, &kind)?;
        Ok(DeviceSums { engine })
    }

    /// The cells from `first` on, a multiple of 64.
    pub(super) fn download(&self, row: &DeviceBits, first: usize) -> Result<Bits> {
        let cells = row.cells - first;
        let count = cells.div_ceil(64);
        let bytes = count as u128 * 8;
        let mut words =
            Table::<u64>::zeroed(count).ok_or_else(|| too_large(cells as u64, bytes, u64::MAX))?;
        let halves = bytemuck::cast_slice_mut::<u64, u32>(&mut words);
        self.engine.queue.read(&row.words, first / 32, halves)?;
        for pair in halves.as_chunks_mut::<2>().0 {
            // The first word is the lower half for any byte order.
            let word = u64::from(pair[0]) | u64::from(pair[1]) << 32;
            *pair = bytemuck::cast(word);
        }
        Ok(Bits { words, cells })
    }
}

fn words_of(cells: usize) -> usize {
    2 * cells.div_ceil(64)
}

impl Rows for DeviceSums<'_> {
    type Row = DeviceBits;

    const ALL_CELLS: bool = false;
    const ITEMS_PER_ROW: usize = 1;

    fn filled(&self) -> u64 {
        self.engine.filled
    }

    fn row_bytes(&self, cells: u64) -> u64 {
        cells.div_ceil(64).saturating_mul(8)
    }

    fn list_bytes(&self, cells: u64) -> u64 {
        self.engine.list_bytes(cells)
    }

    fn memory_bytes(&self) -> u64 {
        self.engine.memory_bytes()
    }

    /// The CPU decides small windows: it takes no longer than the device's launches would.
    fn is_leaf(&self, items: &[Item], cells: usize, _: u64) -> bool {
        let most = self.engine.device.tuned(&FAMILY, "CPU_BITS");
        items.len() as u64 * cells as u64 <= most as u64
    }

    fn start(&mut self, cells: usize) -> Result<DeviceBits> {
        let words = self.engine.device.buffer(words_of(cells))?;
        self.engine.queue.fill(&words, 0, words.len(), 0)?;
        self.engine.queue.write(&words, 0, &[1])?;
        Ok(DeviceBits { words, cells })
    }

    fn advance(&mut self, row: &DeviceBits, items: &[Item], _: usize) -> Result<DeviceBits> {
        self.engine.filled += items.len() as u64 * row.cells as u64;
        let halo = self.engine.halo_of(row.words.len());
        let plan = self.engine.plan(items, halo, |item| item.weight / 32 + 1);
        Ok(DeviceBits { words: self.engine.advance(&row.words, &plan)?, cells: row.cells })
    }

    fn window(&mut self, row: &DeviceBits, range: Range<usize>) -> Result<DeviceBits> {
        let first = range.start / 32;
        let words = self.engine.window(&row.words, first..first + words_of(range.len()))?;
        Ok(DeviceBits { words, cells: range.len() })
    }

    fn value(&mut self, row: &DeviceBits, cell: usize) -> Result<i64> {
        let mut word = [0];
        self.engine.queue.read(&row.words, cell / 32, &mut word)?;
        Ok((word[0] >> (cell % 32) & 1).into())
    }

    fn best(&mut self, last: &DeviceBits) -> Result<usize> {
        // It is usually near the end.
        for first in [last.cells.saturating_sub(NEAR) / 64 * 64, 0] {
            if let Some(cell) = self.download(last, first)?.last_up_to(last.cells - 1 - first) {
                return Ok(first + cell);
            }
        }
        Err(Error::device_failed("no sum can be reached"))
    }

    fn values(&mut self, last: DeviceBits) -> Result<Table<u64>> {
        self.download(&last, 0)?.values(self.engine.context, self.engine.monitor)
    }

    fn decide(
        &mut self,
        row: DeviceBits,
        items: &[Item],
        take: &mut dyn FnMut(&Item),
    ) -> Result<usize> {
        let bits = self.download(&row, 0)?;
        let cells = bits.cells;
        let mut cpu = Sums::new(self.engine.context, self.engine.monitor);
        let capacity = trace(&mut cpu, bits, items, cells, None, 0, take)?;
        self.engine.filled += cpu.filled();
        Ok(capacity)
    }
}
