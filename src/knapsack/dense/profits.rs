//! The CPU's rows: the best profit of every capacity.

use std::marker::PhantomData;
use std::ops::Range;

use super::sweep::{Cells, Cpu, far_bytes};
use super::{Item, LEAF_CELLS, Rows, fill_values, too_large};
use crate::knapsack::blocks::{self, BLOCK, Cell, Merge, Raise};
use crate::simd::{HotLoop, Simd};
use crate::solve::Monitor;
use crate::table::Table;
use crate::{Context, Error, Result, parallel};

/// Cells that a thread decides at a time.
const DECIDED: usize = 1 << 15;

/// Rows of cells of type `T` on the CPU.
pub(super) struct Profits<'a, T: Cell> {
    cpu: Cpu<'a, Profit<T>>,
    /// Cells filled so far.
    filled: u64,
}

impl<'a, T: Cell> Profits<'a, T> {
    pub(super) fn new(context: &'a Context, monitor: &'a Monitor) -> Self {
        Profits { cpu: Cpu::new(context, monitor), filled: 0 }
    }
}

impl<T: Cell> Rows for Profits<'_, T> {
    type Row = Table<T>;

    const ALL_CELLS: bool = true;
    const ITEMS_PER_ROW: usize = 1;

    fn filled(&self) -> u64 {
        self.filled
    }

    fn row_bytes(&self, cells: u64) -> u64 {
        cells.saturating_mul(size_of::<T>() as u64)
    }

    fn memory_bytes(&self) -> u64 {
        self.cpu.monitor.memory_bytes()
    }

    fn start(&mut self, cells: usize) -> Result<Table<T>> {
        let mut row = self.cpu.row(cells)?;
        row.fill(T::ZERO);
        Ok(row)
    }

    fn advance(&mut self, row: &Table<T>, items: &[Item]) -> Result<Table<T>> {
        self.filled += (items.len() * row.len()) as u64;
        self.cpu.advance(row, items)
    }

    fn window(&mut self, row: &Table<T>, range: Range<usize>) -> Result<Table<T>> {
        let mut window = self.cpu.row(range.len())?;
        window.copy_from_slice(&row[range]);
        Ok(window)
    }

    fn is_leaf(&self, items: &[Item], cells: usize) -> bool {
        let decisions = items.len().saturating_mul(cells);
        // Items too heavy to pass over a row together: filling it again in parts would take as long.
        let alone = items.first().is_some_and(|item| {
            item.weight.saturating_mul(size_of::<T>()) > far_bytes(self.cpu.context.threads())
        });
        decisions <= LEAF_CELLS || (alone && decisions as u64 / 8 <= self.memory_bytes() / 4)
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
            || (),
            |(), first, values| {
                for (value, &cell) in values.iter_mut().zip(&last[first..]) {
                    *value = Into::<i64>::into(cell) as u64;
                }
                Ok(())
            },
        )
    }

    fn decide(&mut self, row: Table<T>, items: &[Item], take: &mut dyn FnMut(&Item)) -> Result<usize> {
        self.filled += (items.len() * row.len()) as u64;
        decide(&mut self.cpu, &row, items, take)
    }
}

/// [`Rows::decide`] for rows in the host's memory.
fn decide<T: Cell>(
    cpu: &mut Cpu<'_, Profit<T>>,
    row: &Table<T>,
    items: &[Item],
    take: &mut dyn FnMut(&Item),
) -> Result<usize> {
    let cells = row.len();
    let (mut source, mut target) = (cpu.row(cells)?, cpu.row(cells)?);
    source.copy_from_slice(row);
    let words = cells.div_ceil(BLOCK);
    let bytes = (items.len() * words) as u128 * size_of::<u64>() as u128;
    let refused = || too_large(cells as u64, bytes, cpu.monitor.memory_bytes());
    let mut decisions = Table::<u64>::zeroed(items.len() * words).ok_or_else(refused)?;
    for (item, bits) in items.iter().zip(decisions.chunks_exact_mut(words)) {
        cpu.monitor.check()?;
        decide_one(cpu, item, &source, &mut target, bits)?;
        std::mem::swap(&mut source, &mut target);
    }
    let mut capacity = cells - 1;
    let mut profit = 0;
    for (item, bits) in items.iter().zip(decisions.chunks_exact(words)).rev() {
        let Some(cell) = capacity.checked_sub(item.weight) else { continue };
        if blocks::decision(bits, cell) {
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

/// Fills in one item; for every capacity from its weight on a bit, zero before, says whether it is taken.
fn decide_one<T: Cell>(
    cpu: &Cpu<'_, Profit<T>>,
    item: &Item,
    source: &[T],
    target: &mut [T],
    bits: &mut [u64],
) -> Result<()> {
    let below = item.weight.min(source.len());
    target[..below].copy_from_slice(&source[..below]);
    let (kept, target) = (&source[below..], &mut target[below..]);
    let profit = T::from_profit(item.profit);
    let decide = |(index, (target, bits)): (usize, (&mut [T], &mut [u64]))| {
        let part = index * DECIDED..index * DECIDED + target.len();
        let (kept, flipped) = (&kept[part.clone()], &source[part]);
        let whole = kept.len() / BLOCK;
        let merge = Merge { kept, flipped, profit, target: &mut *target, bits: &mut bits[..whole] };
        merge.run(cpu.simd);
        for i in whole * BLOCK..kept.len() {
            let other = flipped[i].plus(profit);
            target[i] = kept[i].max(other);
            if other > kept[i] {
                blocks::decide(bits, i);
            }
        }
    };
    let parts = target.chunks_mut(DECIDED).zip(bits.chunks_mut(DECIDED / BLOCK)).enumerate();
    if cpu.context.threads() == 1 || kept.len() <= 4 * DECIDED {
        parts.for_each(decide);
    } else {
        cpu.context.install(|| parallel::for_each(parts, decide))?;
    }
    Ok(())
}

/// Cells that hold profits.
struct Profit<T>(PhantomData<T>);

impl<T: Cell> Cells for Profit<T> {
    type Cell = T;

    const CAPACITIES: u64 = 1;

    #[inline(always)]
    fn reach(item: &Item) -> usize {
        item.weight
    }

    #[inline(always)]
    fn raise(_: Simd, cells: &mut [T], range: Range<usize>, item: &Item) {
        let (weight, profit) = (item.weight, T::from_profit(item.profit));
        // Lighter capacities do not hold it.
        let (from, mut end) = (range.start.max(weight), range.end);
        while end > from {
            let most = (end - from).min(if weight < BLOCK { BLOCK } else { weight });
            let start = end - if most > BLOCK { most / BLOCK * BLOCK } else { most };
            let (below, target) = cells[..end].split_at_mut(start);
            if weight < BLOCK {
                // Some of what it reads it changes too.
                let mut flipped = [T::ZERO; BLOCK];
                let flipped = &mut flipped[..most];
                let inside = most.saturating_sub(weight);
                flipped[..most - inside].copy_from_slice(&below[start - weight..][..most - inside]);
                flipped[most - inside..].copy_from_slice(&target[..inside]);
                Raise { target, flipped, profit }.run();
            } else {
                let flipped = &below[start - weight..][..target.len()];
                Raise { target, flipped, profit }.run();
            }
            end = start;
        }
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
}
