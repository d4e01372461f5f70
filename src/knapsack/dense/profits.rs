//! The CPU's rows: the best profit of every capacity.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::{Item, Rows, groups};
use crate::knapsack::blocks::{BLOCK, Cell, Merge};
use crate::simd::{HotLoop, Simd};
use crate::solve::Monitor;
use crate::table::Table;
use crate::{Context, Error, Result};

/// Cells of a task, which stay in the second-level cache with their halo.
const TASK_CELLS: usize = 1 << 15;
/// Sum of the weights of the items filled in together at most: the cells below a task that it reads.
const HALO_CELLS: usize = 1 << 13;
/// Items filled in together at most.
const TOGETHER: usize = 32;

/// Rows of cells of type `T` on the CPU.
pub(super) struct Profits<'a, T> {
    context: &'a Context,
    monitor: &'a Monitor,
    simd: Simd,
    /// Cells filled so far.
    filled: u64,
    spare: Vec<Table<T>>,
}

impl<'a, T: Cell> Profits<'a, T> {
    pub(super) fn new(context: &'a Context, monitor: &'a Monitor) -> Self {
        Profits { context, monitor, simd: Simd::detect(), filled: 0, spare: Vec::new() }
    }

    fn row(&mut self, cells: usize) -> Result<Table<T>> {
        if let Some(place) = self.spare.iter().position(|row| row.len() == cells) {
            return Ok(self.spare.swap_remove(place));
        }
        let bytes = self.row_bytes(cells as u64);
        Table::zeroed(cells).ok_or_else(|| super::too_large(cells as u64, bytes.into(), self.memory_bytes()))
    }

    /// One group of items, from row to row, spread over the threads.
    fn fill(&self, source: &[T], target: &mut [T], items: &[Item]) -> Result<()> {
        let stopped = AtomicBool::new(false);
        let task = |index: usize, target: &mut [T], scratch: &mut Vec<T>| {
            if stopped.load(Ordering::Relaxed) || self.monitor.should_stop() {
                stopped.store(true, Ordering::Relaxed);
                return;
            }
            self.simd.run(Fill { source, first: index * TASK_CELLS, target, items, scratch });
        };
        if self.context.threads() == 1 || target.len() <= 2 * TASK_CELLS {
            let mut scratch = Vec::new();
            target
                .chunks_mut(TASK_CELLS)
                .enumerate()
                .for_each(|(index, part)| task(index, part, &mut scratch));
        } else {
            self.context.install(|| {
                let parts = target.par_chunks_mut(TASK_CELLS).enumerate();
                parts.for_each_init(Vec::new, |scratch, (index, part)| task(index, part, scratch));
            })?;
        }
        self.monitor.report("dense", None);
        if stopped.into_inner() { Err(Error::Stopped) } else { Ok(()) }
    }
}

impl<T: Cell> Rows for Profits<'_, T> {
    type Row = Table<T>;

    fn filled(&self) -> u64 {
        self.filled
    }

    fn row_bytes(&self, cells: u64) -> u64 {
        cells.saturating_mul(size_of::<T>() as u64)
    }

    fn memory_bytes(&self) -> u64 {
        self.monitor.memory_bytes()
    }

    fn start(&mut self, cells: usize) -> Result<Table<T>> {
        let mut row = self.row(cells)?;
        row.fill(T::ZERO);
        Ok(row)
    }

    fn advance(&mut self, row: &Table<T>, items: &[Item]) -> Result<Table<T>> {
        let cells = row.len();
        let mut target = self.row(cells)?;
        let mut groups = groups(items, TOGETHER, HALO_CELLS);
        match groups.next() {
            Some(first) => self.fill(row, &mut target, first)?,
            None => target.copy_from_slice(row),
        }
        self.filled += (items.len() * cells) as u64;
        let Some(second) = groups.next() else { return Ok(target) };
        let mut source = target;
        let mut target = self.row(cells)?;
        self.fill(&source, &mut target, second)?;
        for group in groups {
            std::mem::swap(&mut source, &mut target);
            self.fill(&source, &mut target, group)?;
        }
        self.spare.push(source);
        Ok(target)
    }

    fn window(&mut self, row: &Table<T>, range: Range<usize>) -> Result<Table<T>> {
        self.spare.clear();
        let mut window = self.row(range.len())?;
        window.copy_from_slice(&row[range]);
        Ok(window)
    }

    fn best(&mut self, last: &Table<T>) -> Result<usize> {
        Ok(last.len() - 1)
    }

    fn values(&mut self, last: Table<T>) -> Result<Vec<u64>> {
        self.spare.clear();
        Ok(last.iter().map(|&cell| Into::<i64>::into(cell) as u64).collect())
    }

    fn decide(&mut self, row: Table<T>, items: &[Item], take: &mut dyn FnMut(&Item)) -> Result<usize> {
        self.filled += (items.len() * row.len()) as u64;
        decide(self.simd, self.monitor, row, items, take)
    }
}

/// [`Rows::decide`] for rows in the host's memory.
pub(super) fn decide<T: Cell>(
    simd: Simd,
    monitor: &Monitor,
    row: Table<T>,
    items: &[Item],
    take: &mut dyn FnMut(&Item),
) -> Result<usize> {
    let cells = row.len();
    let mut source = row.to_vec();
    let mut target = source.clone();
    let mut decisions = Vec::with_capacity(items.len());
    for item in items {
        monitor.check()?;
        decisions.push(decide_one(simd, item, &source, &mut target));
        std::mem::swap(&mut source, &mut target);
    }
    let mut capacity = cells - 1;
    let mut profit = 0;
    for (item, bits) in items.iter().zip(&decisions).rev() {
        let Some(cell) = capacity.checked_sub(item.weight) else { continue };
        if bits[cell / BLOCK] >> (cell % BLOCK) & 1 == 1 {
            take(item);
            profit += item.profit;
            capacity = cell;
        }
    }
    let gained = Into::<i64>::into(source[cells - 1]) - Into::<i64>::into(row[capacity]);
    if gained != profit {
        return Err(Error::Internal(format!("decisions are worth {profit}, the table says {gained}")));
    }
    Ok(capacity)
}

/// Fills in one item; for every capacity from its weight on a bit says whether it is taken.
fn decide_one<T: Cell>(simd: Simd, item: &Item, source: &[T], target: &mut [T]) -> Vec<u64> {
    let below = item.weight.min(source.len());
    target[..below].copy_from_slice(&source[..below]);
    let kept = &source[below..];
    let mut bits = vec![0; kept.len().div_ceil(BLOCK)];
    let flipped = &source[..kept.len()];
    let profit = T::from_profit(item.profit);
    let target = &mut target[below..];
    let whole = kept.len() / BLOCK;
    simd.run(Merge { kept, flipped, profit, target: &mut *target, bits: &mut bits[..whole] });
    for i in whole * BLOCK..kept.len() {
        let other = flipped[i].plus(profit);
        bits[whole] |= u64::from(other > kept[i]) << (i % BLOCK);
        target[i] = kept[i].max(other);
    }
    bits
}

/// Fills in some items for a range of capacities, whose cells are `target` and begin at `first`.
struct Fill<'a, T> {
    source: &'a [T],
    first: usize,
    target: &'a mut [T],
    items: &'a [Item],
    scratch: &'a mut Vec<T>,
}

impl<T: Cell> HotLoop for Fill<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Fill { source, first, target, items, scratch } = self;
        if let [item] = items {
            return fill_one(source, first, target, item);
        }
        let halo: usize = items.iter().map(|item| item.weight).sum();
        let low = first.saturating_sub(halo);
        scratch.clear();
        scratch.extend_from_slice(&source[low..first + target.len()]);
        // Going on, fewer and fewer of the cells below are needed, and without those further below they would be wrong.
        let mut needed = 0;
        for item in items {
            needed += item.weight;
            let from = if low == 0 { item.weight } else { needed };
            raise(scratch, from, item.weight, T::from_profit(item.profit));
        }
        target.copy_from_slice(&scratch[first - low..]);
    }
}

/// One item alone, which may be of any weight.
#[inline(always)]
fn fill_one<T: Cell>(source: &[T], first: usize, target: &mut [T], item: &Item) {
    let kept = &source[first..first + target.len()];
    let below = item.weight.saturating_sub(first).min(target.len());
    target[..below].copy_from_slice(&kept[..below]);
    let flipped = match (first + below).checked_sub(item.weight) {
        Some(from) => &source[from..from + target.len() - below],
        None => return,
    };
    let profit = T::from_profit(item.profit);
    for ((target, &kept), &flipped) in target[below..].iter_mut().zip(&kept[below..]).zip(flipped) {
        let other = flipped.plus(profit);
        *target = if other > kept { other } else { kept };
    }
}

/// One item in place, for the cells from `from` on, which is not less than the weight: from the last cell down, so
/// that what is read is not yet changed.
#[inline(always)]
fn raise<T: Cell>(cells: &mut [T], from: usize, weight: usize, profit: T) {
    let mut end = cells.len();
    while end >= from + BLOCK {
        let start = end - BLOCK;
        let mut block = [T::ZERO; BLOCK];
        let (kept, flipped) = (&cells[start..end], &cells[start - weight..end - weight]);
        for ((cell, &kept), &flipped) in block.iter_mut().zip(kept).zip(flipped) {
            let other = flipped.plus(profit);
            *cell = if other > kept { other } else { kept };
        }
        cells[start..end].copy_from_slice(&block);
        end = start;
    }
    for cell in (from..end).rev() {
        cells[cell] = cells[cell].max(cells[cell - weight].plus(profit));
    }
}
