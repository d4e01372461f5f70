//! Spot checks: the host computes some cells of a table again from the table before.

use super::{DeviceTable, Word};
use crate::context::wrong;
use crate::multidimensional_knapsack::MOST_DIMENSIONS;
use crate::multidimensional_knapsack::lattice::{Item, Lattice, Window};
use crate::opencl::Buffer;
use crate::{Result, memory};

/// Most cells of a table that are checked together.
const CELLS: u64 = 1 << 16;

impl<T: Word> DeviceTable<'_, T> {
    /// Checks some neighbouring cells of a window.
    pub(super) fn check(
        &self,
        lattice: &Lattice,
        item: &Item,
        window: &Window,
        source: &Buffer<T>,
        target: &Buffer<T>,
    ) -> Result<()> {
        let (cells, row) = (lattice.cells(), lattice.row());
        let lowest = lattice.row_at(&window.first) * row;
        let mut checks = self.checks.borrow_mut();
        let wanted = checks.quota().min(CELLS).min((cells - lowest) as u64) as usize;
        if wanted == 0 {
            return Ok(());
        }
        let queue = &self.host.queue;
        let read = |table: &Buffer<T>, first: usize, count: usize| -> Result<Vec<T>> {
            let mut cells = memory::filled(T::default(), count)?;
            queue.read(table, first, &mut cells)?;
            Ok(cells)
        };
        checks.check(|random| {
            let first = lowest + random.below((cells - lowest - wanted + 1) as u64) as usize;
            let distance =
                lattice.row_at(&item.weights) * row + item.weights[item.weights.len() - 1];
            let below = first.saturating_sub(distance);
            let found = read(target, first, wanted)?;
            let kept = read(source, first, wanted)?;
            let other = read(source, below, (first + wanted).saturating_sub(distance) - below)?;
            let expected = |cell: usize, fits: bool| {
                let kept = kept[cell - first];
                let joined = || kept.max(other[cell - distance - below].plus(T::of(item.profit)));
                if fits { joined() } else { kept }
            };
            let leading = lattice.leading().len();
            let (mut place, weight) = ([0; MOST_DIMENSIONS], item.weights[leading]);
            for number in first / row..(first + wanted).div_ceil(row) {
                lattice.place_of(number, &mut place[..leading]);
                let at_least = |least: &[usize]| {
                    least[..leading].iter().zip(&place).all(|(least, at)| least <= at)
                };
                if !at_least(&window.first) {
                    continue;
                }
                let (fits, start) = (at_least(&item.weights), number * row);
                let begin = (start + window.first[leading]).max(first);
                for cell in begin..(start + row).min(first + wanted) {
                    if found[cell - first] != expected(cell, fits && cell - start >= weight) {
                        return Err(wrong("a table"));
                    }
                }
            }
            Ok(wanted as u64)
        })
    }
}
