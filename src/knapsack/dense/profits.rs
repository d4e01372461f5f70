//! The CPU's rows: the best profit of every capacity.

use std::marker::PhantomData;
use std::ops::Range;

use super::decisions::Decisions;
use super::sweep::{Cells, Cpu};
use super::{Item, Rows, WORK_ROWS, fill_values};
use crate::knapsack::blocks::{BLOCK, Cell, Merge, Raise};
use crate::simd::{HotLoop, Simd};
use crate::solve::Monitor;
use crate::table::Table;
use crate::{Context, Error, Result};

/// Most items that are decided together. More items are decided faster in parts, whose windows stay
/// in the caches.
const DECIDED: usize = 1 << 10;

/// Rows of cells of type `T` on the CPU.
pub(super) struct Profits<'a, T: Cell> {
    cpu: Cpu<'a, Profit<T>>,
}

impl<'a, T: Cell> Profits<'a, T> {
    pub(super) fn new(context: &'a Context, monitor: &'a Monitor) -> Self {
        Profits { cpu: Cpu::new(context, monitor) }
    }
}

impl<T: Cell> Rows for Profits<'_, T> {
    type Row = Table<T>;

    const ALL_CELLS: bool = true;
    const ITEMS_PER_ROW: usize = 1;

    fn filled(&self) -> u64 {
        self.cpu.filled
    }

    fn row_bytes(&self, cells: u64) -> u64 {
        cells.saturating_mul(size_of::<T>() as u64)
    }

    fn list_bytes(&self, cells: u64) -> u64 {
        cells.saturating_mul(8)
    }

    fn memory_bytes(&self) -> u64 {
        self.cpu.memory_bytes()
    }

    fn start(&mut self, cells: usize) -> Result<Table<T>> {
        self.cpu.zeros(cells)
    }

    fn advance(&mut self, row: &Table<T>, items: &[Item], from: usize) -> Result<Table<T>> {
        self.cpu.advance(row, items, from)
    }

    fn window(&mut self, row: &Table<T>, range: Range<usize>) -> Result<Table<T>> {
        self.cpu.window(&row[range])
    }

    fn is_leaf(&self, items: &[Item], cells: usize, held: u64) -> bool {
        let rows = held.saturating_add(self.row_bytes(cells as u64).saturating_mul(WORK_ROWS + 1));
        let room = self.memory_bytes().saturating_sub(rows);
        items.len() <= DECIDED
            && Decisions::bytes_of(items.len(), cells.div_ceil(BLOCK)) <= room / 2
    }

    fn value(&mut self, row: &Table<T>, cell: usize) -> Result<i64> {
        Ok(row[cell].into())
    }

    fn best(&mut self, last: &Table<T>) -> Result<usize> {
        Ok(last.len() - 1)
    }

    fn values(&mut self, last: Table<T>) -> Result<Table<u64>> {
        fill_values(
            self.cpu.context,
            self.cpu.monitor,
            last.len(),
            || Ok(()),
            |(), first, values| {
                for (value, &cell) in values.iter_mut().zip(&last[first..]) {
                    *value = Into::<i64>::into(cell) as u64;
                }
                Ok(())
            },
        )
    }

    fn decide(
        &mut self,
        row: Table<T>,
        items: &[Item],
        take: &mut dyn FnMut(&Item),
    ) -> Result<usize> {
        let last = row.len() - 1;
        let mut profit = 0;
        let mut take = |item: &Item| {
            take(item);
            profit += item.profit;
        };
        let (after, capacity) = self.cpu.decide(&row, items, last, &mut take)?;
        let gained = Into::<i64>::into(after[last]) - Into::<i64>::into(row[capacity]);
        self.cpu.reuse(after);
        if gained != profit {
            return Err(Error::internal(format!(
                "decisions have a profit of {profit}, the table {gained}"
            )));
        }
        Ok(capacity)
    }
}

/// Cells that hold profits.
pub(super) struct Profit<T>(PhantomData<T>);

impl<T: Cell> Cells for Profit<T> {
    type Cell = T;

    const CAPACITIES: u64 = 1;
    /// The number of bits in a word of decisions; some cache lines.
    const UNIT: usize = BLOCK;

    #[inline(always)]
    fn reach(item: &Item) -> usize {
        item.weight
    }

    #[inline(always)]
    fn raise(_: Simd, cells: &mut [T], range: Range<usize>, item: &Item) {
        let profit = T::from_profit(item.profit);
        for_stretches(cells, range, item.weight, |_, target, flipped| {
            Raise { target, flipped, profit }.run()
        });
    }

    #[inline(always)]
    fn fill_one(_: Simd, source: &[T], first: usize, target: &mut [T], item: &Item) {
        let kept = &source[first..first + target.len()];
        let below = item.weight.saturating_sub(first).min(target.len());
        target[..below].copy_from_slice(&kept[..below]);
        let flipped = match (first + below).checked_sub(item.weight) {
            Some(from) => &source[from..from + target.len() - below],
            None => return,
        };
        let target = &mut target[below..];
        target.copy_from_slice(&kept[below..]);
        Raise { target, flipped, profit: T::from_profit(item.profit) }.run();
    }

    fn decide(simd: Simd, cells: &mut [T], range: Range<usize>, item: &Item, bits: &mut [u64]) {
        let (profit, first) = (T::from_profit(item.profit), range.start);
        for_stretches(cells, range, item.weight, |start, target, flipped| {
            note(simd, start - first, target, flipped, profit, bits);
        });
    }

    fn decide_one(
        simd: Simd,
        source: &[T],
        first: usize,
        target: &mut [T],
        item: &Item,
        bits: &mut [u64],
    ) {
        target.copy_from_slice(&source[first..][..target.len()]);
        let mut start = item.weight.saturating_sub(first);
        while start < target.len() {
            // First up to the next word, then the rest.
            let word = start.next_multiple_of(BLOCK);
            let end = if start < word { word.min(target.len()) } else { target.len() };
            let target = &mut target[start..end];
            let flipped = &source[first + start - item.weight..][..target.len()];
            note(simd, start, target, flipped, T::from_profit(item.profit), bits);
            start = end;
        }
    }
}

/// Calls `work` with stretches of the range, the last one first: with the first cell, the cells,
/// and the cells that an item of this weight reads. Each stretch is within a word of decisions or
/// starts with one.
#[inline(always)]
fn for_stretches<T: Cell>(
    cells: &mut [T],
    range: Range<usize>,
    weight: usize,
    mut work: impl FnMut(usize, &mut [T], &[T]),
) {
    // Smaller capacities do not hold the item.
    let (from, mut end) = (range.start.max(weight), range.end);
    while end > from {
        let lowest = end - (end - from).min(weight.max(BLOCK));
        let aligned = lowest.next_multiple_of(BLOCK);
        let start = if aligned < end { aligned } else { lowest };
        let (below, target) = cells[..end].split_at_mut(start);
        if weight < BLOCK {
            // The range that is read overlaps the range that is written.
            let mut flipped = [T::ZERO; BLOCK];
            let flipped = &mut flipped[..end - start];
            let inside = flipped.len().saturating_sub(weight);
            let outside = flipped.len() - inside;
            flipped[..outside].copy_from_slice(&below[start - weight..][..outside]);
            flipped[outside..].copy_from_slice(&target[..inside]);
            work(start, target, flipped);
        } else {
            let flipped = &below[start - weight..][..target.len()];
            work(start, target, flipped);
        }
        end = start;
    }
}

/// Raises `target` to `flipped` + `profit` if that is larger, and records where. The target starts
/// with cell `start`; it is within a word or starts with one.
fn note<T: Cell>(
    simd: Simd,
    start: usize,
    target: &mut [T],
    flipped: &[T],
    profit: T,
    bits: &mut [u64],
) {
    let whole = if start.is_multiple_of(BLOCK) { target.len() / BLOCK } else { 0 };
    let (bits, rest_bits) = bits[start / BLOCK..].split_at_mut(whole);
    let (target, rest) = target.split_at_mut(whole * BLOCK);
    let (flipped, rest_flipped) = flipped.split_at(whole * BLOCK);
    Merge { kept: None, flipped, profit, target, bits }.run(simd);
    if !rest.is_empty() {
        let mut word = 0;
        for (place, (target, flipped)) in (start % BLOCK..).zip(rest.iter_mut().zip(rest_flipped)) {
            let other = flipped.plus(profit);
            if other > *target {
                *target = other;
                word |= 1 << place;
            }
        }
        rest_bits[0] = word;
    }
}
