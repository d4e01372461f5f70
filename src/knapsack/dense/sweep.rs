//! How the CPU fills rows: several items on one way through the memory.
//!
//! A row is filled from its last cell down, a block at a time, and item after item follows at a distance: once the items
//! before it have come down to its weight below a cell, it may fill that cell, in place, and nobody needs the old value
//! any more. So a block is read once, stays in the caches while all items pass over it and is written once, and no
//! cell is filled twice. The distance of the last item from the first is the sum of the weights. Threads have
//! parts of the row, and each fills the cells below its part that it depends on again.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use bytemuck::Pod;
use rayon::prelude::*;

use super::{Item, too_large};
use crate::simd::{HotLoop, Simd};
use crate::solve::Monitor;
use crate::table::Table;
use crate::{Context, Error, Result};

/// Items that pass over a row together at most.
const TOGETHER: usize = 64;
/// Bytes of the distance of their last from their first at most; within the second-level cache.
pub(super) const FAR_BYTES: usize = 3 << 18;
/// The same of items that pass over a small block together, of the first-level cache.
const NEAR_BYTES: usize = 3 << 13;
/// Bytes of a block and of a small block.
const BLOCK_BYTES: usize = 1 << 16;
const SMALL_BLOCK_BYTES: usize = 1 << 12;
/// A part of a row is so many times as long as the distance at least.
const PART_DISTANCES: usize = 8;

/// What cells are and what an item does to them.
pub(super) trait Cells {
    type Cell: Pod + Default + Send + Sync;

    /// Capacities that a cell stands for.
    const CAPACITIES: u64;

    /// How many cells below a cell the item looks at.
    fn reach(item: &Item) -> usize;
    /// Fills the cells of the range in place, from the last one down. `cells` begins with cell 0 or at least the item's
    /// reach below the range.
    fn raise(cells: &mut [Self::Cell], range: Range<usize>, item: &Item);
    /// Fills `target`, the cells from `first` on, from `source`.
    fn fill_one(source: &[Self::Cell], first: usize, target: &mut [Self::Cell], item: &Item);
}

/// What fills rows.
pub(super) struct Cpu<'a, C: Cells> {
    pub(super) context: &'a Context,
    pub(super) monitor: &'a Monitor,
    pub(super) simd: Simd,
    /// Tables of the length used last that are not in use.
    spare: Vec<Table<C::Cell>>,
}

impl<'a, C: Cells> Cpu<'a, C> {
    pub(super) fn new(context: &'a Context, monitor: &'a Monitor) -> Self {
        Cpu { context, monitor, simd: Simd::detect(), spare: Vec::new() }
    }

    /// A row with any contents.
    pub(super) fn row(&mut self, cells: usize) -> Result<Table<C::Cell>> {
        self.spare.retain(|row| row.len() == cells);
        if let Some(row) = self.spare.pop() {
            return Ok(row);
        }
        let bytes = cells as u128 * size_of::<C::Cell>() as u128;
        let refused = || too_large(cells as u64 * C::CAPACITIES, bytes, self.monitor.memory_bytes());
        Table::zeroed(cells).ok_or_else(refused)
    }

    /// The row after some items.
    pub(super) fn advance(&mut self, row: &Table<C::Cell>, items: &[Item]) -> Result<Table<C::Cell>> {
        let cells = row.len();
        let mut target = self.row(cells)?;
        let mut groups = self.groups(items, cells);
        match groups.next() {
            Some(first) => self.fill(row, &mut target, first)?,
            None => target.copy_from_slice(row),
        }
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

    /// The groups of items that [`Cpu::fill`] takes, for rows of so many cells.
    fn groups<'i>(&self, items: &'i [Item], cells: usize) -> impl Iterator<Item = &'i [Item]> + use<'i, C> {
        let share = cells / self.context.threads() / PART_DISTANCES;
        let far = (FAR_BYTES / size_of::<C::Cell>()).min(share);
        together(items, TOGETHER, far, C::reach)
    }

    /// The row after one group of items.
    pub(super) fn fill(&self, source: &[C::Cell], target: &mut [C::Cell], items: &[Item]) -> Result<()> {
        let stopped = AtomicBool::new(false);
        let should_stop = || {
            if !stopped.load(Ordering::Relaxed) && self.monitor.should_stop() {
                stopped.store(true, Ordering::Relaxed);
            }
            stopped.load(Ordering::Relaxed)
        };
        let threads = self.context.threads();
        let block = BLOCK_BYTES / size_of::<C::Cell>();
        let part = match items {
            [_] => block,
            items => {
                let distance: usize = items.iter().map(C::reach).sum();
                target.len().div_ceil(threads).max(PART_DISTANCES * distance).max(block)
            }
        };
        let run = |(index, target): (usize, &mut [C::Cell])| {
            if !should_stop() {
                self.simd.run(Sweep::<C> {
                    source,
                    first: index * part,
                    target,
                    items,
                    should_stop: &should_stop,
                });
            }
        };
        if threads == 1 || target.len() <= 2 * block {
            target.chunks_mut(part).enumerate().for_each(run);
        } else {
            self.context.install(|| target.par_chunks_mut(part).enumerate().for_each(run))?;
        }
        self.monitor.report("dense", None);
        if stopped.into_inner() { Err(Error::Stopped) } else { Ok(()) }
    }
}

/// Items that are filled in together: what they reach has a sum of at most `far`, or there is one alone.
fn together(
    items: &[Item],
    most: usize,
    far: usize,
    reach: impl Fn(&Item) -> usize,
) -> impl Iterator<Item = &[Item]> {
    let mut rest = items;
    std::iter::from_fn(move || {
        let mut sum = 0usize;
        let fits = |item: &&Item| {
            sum = sum.saturating_add(reach(item));
            sum <= far
        };
        let count = rest.iter().take(most).take_while(fits).count();
        let (group, later) = rest.split_at(count.max(1).min(rest.len()));
        rest = later;
        (!group.is_empty()).then_some(group)
    })
}

/// Some items and the part of a row that they fill, the cells from `first` on.
struct Sweep<'a, C: Cells> {
    source: &'a [C::Cell],
    first: usize,
    target: &'a mut [C::Cell],
    items: &'a [Item],
    should_stop: &'a dyn Fn() -> bool,
}

impl<C: Cells> HotLoop for Sweep<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Sweep { source, first, target, items, should_stop } = self;
        if let [item] = items {
            return C::fill_one(source, first, target, item);
        }
        let near = NEAR_BYTES / size_of::<C::Cell>();
        let groups: Vec<&[Item]> = together(items, TOGETHER, near, C::reach).collect();
        let block = BLOCK_BYTES / size_of::<C::Cell>();
        let mut stretch = Stretch::new(first + target.len(), block, items.iter().map(C::reach).sum());
        while stretch.distance_from(first) > 0 && !should_stop() {
            stretch.load(source);
            let mut distance = 0;
            for group in &groups {
                stretch.pass::<C>(group, distance);
                distance += group.iter().map(C::reach).sum::<usize>();
            }
            stretch.store(first, target);
        }
    }
}

/// The cells that are being filled: those of a block and those above it that not all items have passed.
struct Stretch<T> {
    cells: Vec<T>,
    /// The row's cell that is the first of `cells`.
    base: usize,
    /// First cell of the block. Below 0, nothing is loaded but later items still have to come down.
    bottom: isize,
    block: usize,
    /// From the first item to the last one, and on to where all have passed.
    distance: usize,
    /// The row ends there, or what is done of it begins.
    end: usize,
}

impl<T: Copy + Default> Stretch<T> {
    fn new(end: usize, block: usize, distance: usize) -> Self {
        let room = (2 * distance + 4 * block).min(end + block);
        let base = end.saturating_sub(room);
        Stretch { cells: vec![T::default(); room], base, bottom: end as isize, block, distance, end }
    }

    /// How far what is done still is from the cell `first`.
    fn distance_from(&self, first: usize) -> isize {
        self.bottom + self.distance as isize - first as isize
    }

    /// The cells from `first` to `end`, as far as they are there.
    fn clip(&self, first: isize, end: isize) -> Range<usize> {
        let end = end.clamp(0, self.end as isize) as usize;
        (first.max(0) as usize).min(end)..end
    }

    /// Reads the next block from the row.
    fn load(&mut self, source: &[T]) {
        let top = self.bottom;
        self.bottom -= self.block as isize;
        let block = self.clip(self.bottom, top);
        if block.start < self.base {
            // What is not done yet moves to the end of the room.
            let live = self.clip(top, top + self.distance as isize);
            let base = live.end.saturating_sub(self.cells.len()).min(block.start);
            self.cells.copy_within(live.start - self.base..live.end - self.base, live.start - base);
            self.base = base;
        }
        self.cells[block.start - self.base..block.end - self.base].copy_from_slice(&source[block]);
    }

    /// Items that follow each other closely; the first follows at a distance from the block.
    #[inline(always)]
    fn pass<C: Cells<Cell = T>>(&mut self, items: &[Item], distance: usize) {
        let small = SMALL_BLOCK_BYTES / size_of::<T>();
        for below in (0..self.block).step_by(small).rev() {
            let mut first = self.bottom + (below + distance) as isize;
            for item in items {
                first += C::reach(item) as isize;
                let range = self.clip(first, first + small as isize);
                if !range.is_empty() {
                    C::raise(&mut self.cells, range.start - self.base..range.end - self.base, item);
                }
            }
        }
    }

    /// Writes what all items have passed to `target`, the row's cells from `first` on.
    fn store(&mut self, first: usize, target: &mut [T]) {
        let from = self.bottom + self.distance as isize;
        let done = self.clip(from.max(first as isize), from + self.block as isize);
        if !done.is_empty() {
            let cells = &self.cells[done.start - self.base..done.end - self.base];
            target[done.start - first..done.end - first].copy_from_slice(cells);
        }
    }
}
