//! How the CPU fills rows: several items on one way through the memory.
//!
//! A row is filled in place, from its last cell down, a block at a time, and item after item follows at a distance: once
//! the items before it have come down to its weight below a cell, it may fill that cell, and nobody needs the old value
//! any more. So a cell comes into the caches once, stays there until all items have filled it, and what an item looks at
//! is what the one before it has just left. The distance of the last item from the first is the sum of the weights.
//!
//! Threads have parts of the row. What stands below a part is kept before others change it, and the cells there that the
//! part depends on are filled again.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use bytemuck::Pod;

use super::{Item, too_large};
use crate::simd::{HotLoop, Simd};
use crate::solve::Monitor;
use crate::table::Table;
use crate::{Context, Error, Result, parallel};

/// Items that pass over a row together at most.
const TOGETHER: usize = 64;
/// Bytes of the distance of their last from their first at most: within the second-level cache.
pub(super) const NEAR_BYTES: usize = 3 << 18;
/// The same where fewer than [`MANY`] would pass together: within the third-level cache, which the threads share.
const FAR_BYTES: usize = 1 << 24;
const MANY: usize = 4;
/// Bytes of a block, which an item finds in the first-level cache where the one before it was.
const BLOCK_BYTES: usize = 1 << 13;
/// Bytes of a cache line: blocks begin where one does.
const LINE_BYTES: usize = 64;
/// Bytes of a [`tile`].
const TILE_BYTES: usize = 1 << 16;
/// A part of a row is so many times as long as the distance at least.
const PART_DISTANCES: usize = 8;

/// What cells are and what an item does to them, as [`Simd::run`] compiles it; `simd` are its instructions.
pub(super) trait Cells {
    type Cell: Pod + Default + Send + Sync;

    /// Capacities that a cell stands for.
    const CAPACITIES: u64;

    /// How many cells below a cell the item looks at.
    fn reach(item: &Item) -> usize;
    /// Fills the cells of the range in place, from the last one down. `cells` begins with cell 0 or at least the item's
    /// reach below the range.
    fn raise(simd: Simd, cells: &mut [Self::Cell], range: Range<usize>, item: &Item);
    /// Fills `target`, the cells from `first` on, from `source`.
    fn fill_one(simd: Simd, source: &[Self::Cell], first: usize, target: &mut [Self::Cell], item: &Item);
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
        let threads = self.threads(row.len());
        let share = if threads == 1 { usize::MAX } else { row.len() / threads / PART_DISTANCES };
        let [near, far] =
            [NEAR_BYTES, far_bytes(threads)].map(|bytes| (bytes / size_of::<C::Cell>()).min(share));
        let mut target = self.row(row.len())?;
        self.copy(row, &mut target)?;
        for group in together(items, near, far, step::<C>) {
            match group {
                // Its distance would be too long for parts of a row.
                [item] if threads > 1 => {
                    let mut other = self.row(row.len())?;
                    self.fill_one(&target, &mut other, item)?;
                    self.spare.push(std::mem::replace(&mut target, other));
                }
                items => self.fill(&mut target, items)?,
            }
            self.monitor.report("dense", None);
        }
        Ok(target)
    }

    /// Threads that a row of so many cells is worth.
    fn threads(&self, cells: usize) -> usize {
        if cells <= 2 * tile::<C>() { 1 } else { self.context.threads() }
    }

    fn copy(&self, source: &[C::Cell], target: &mut [C::Cell]) -> Result<()> {
        self.for_tiles(target, |first, target| target.copy_from_slice(&source[first..][..target.len()]))
    }

    /// Fills one item into another row.
    fn fill_one(&self, source: &[C::Cell], target: &mut [C::Cell], item: &Item) -> Result<()> {
        self.for_tiles(target, |first, target| {
            self.simd.run(Alone::<C> { simd: self.simd, source, first, target, item })
        })
    }

    /// Calls `work` with all parts of a row that a thread takes at a time and their first cell.
    fn for_tiles(
        &self,
        row: &mut [C::Cell],
        work: impl Fn(usize, &mut [C::Cell]) + Send + Sync,
    ) -> Result<()> {
        let tile = tile::<C>();
        let stop = Stop::new(self.monitor);
        let run = |(index, cells): (usize, &mut [C::Cell])| {
            if !stop.is_asked_for() {
                work(index * tile, cells);
            }
        };
        if self.threads(row.len()) == 1 {
            row.chunks_mut(tile).enumerate().for_each(run);
        } else {
            self.context.install(|| parallel::for_each(row.chunks_mut(tile).enumerate(), run))?;
        }
        stop.check()
    }

    /// Fills some items into a row.
    fn fill(&self, row: &mut [C::Cell], items: &[Item]) -> Result<()> {
        let threads = self.threads(row.len());
        let distance: usize = items.iter().map(step::<C>).sum();
        let stop = Stop::new(self.monitor);
        let group = Group { simd: self.simd, items, distance, stop: &stop };
        if threads == 1 {
            let (from, to) = (row_end::<C>(row), -(distance as isize));
            self.simd.run(Sweep::<C> { cells: row, from, to, group });
            return stop.check();
        }
        let part = row.len().div_ceil(threads).max(PART_DISTANCES * distance).max(tile::<C>());
        let part = part.next_multiple_of(line::<C>());
        let starts = (0..row.len()).step_by(part);
        let below = starts.map(|start| row[start.saturating_sub(distance)..start].to_vec());
        let below: Vec<Vec<C::Cell>> = below.collect();
        let parts = row.chunks_mut(part).zip(below);
        let fill = |(part, below): (&mut [_], Vec<_>)| self.fill_part(part, below, group);
        self.context.install(|| parallel::for_each(parts, fill))?;
        stop.check()
    }

    /// Fills a part of a row; `below` are as many cells below it as the distance, none below the first part.
    fn fill_part(&self, part: &mut [C::Cell], mut below: Vec<C::Cell>, group: Group<'_>) {
        let is_first = below.is_empty();
        let to = if is_first { -(group.distance as isize) } else { 0 };
        let from = row_end::<C>(part);
        self.simd.run(Sweep::<C> { cells: &mut *part, from, to, group });
        if !is_first {
            let common = group.distance.min(part.len());
            below.extend_from_slice(&part[..common]);
            self.simd.run(Sweep::<C> { cells: &mut below, from: group.distance as isize, to: 0, group });
            part[..common].copy_from_slice(&below[group.distance..]);
        }
    }
}

/// Whether some thread has seen that the solve is to stop.
struct Stop<'a> {
    monitor: &'a Monitor,
    seen: AtomicBool,
}

impl<'a> Stop<'a> {
    fn new(monitor: &'a Monitor) -> Self {
        Stop { monitor, seen: AtomicBool::new(false) }
    }

    fn is_asked_for(&self) -> bool {
        if !self.seen.load(Ordering::Relaxed) && self.monitor.should_stop() {
            self.seen.store(true, Ordering::Relaxed);
        }
        self.seen.load(Ordering::Relaxed)
    }

    fn check(self) -> Result<()> {
        if self.seen.into_inner() { Err(Error::Stopped) } else { Ok(()) }
    }
}

/// Cells that a thread takes at a time where an item passes alone.
const fn tile<C: Cells>() -> usize {
    TILE_BYTES / size_of::<C::Cell>()
}

/// Cells of a cache line.
const fn line<C: Cells>() -> usize {
    LINE_BYTES / size_of::<C::Cell>()
}

/// How far an item stays behind the one before it: as far as it reaches, in whole lines.
fn step<C: Cells>(item: &Item) -> usize {
    C::reach(item).next_multiple_of(line::<C>())
}

/// Where the first item begins in a row.
fn row_end<C: Cells>(row: &[C::Cell]) -> isize {
    row.len().next_multiple_of(line::<C>()) as isize
}

/// Bytes of the distance of heavy items that pass over a row together.
pub(super) fn far_bytes(threads: usize) -> usize {
    (FAR_BYTES / threads).max(NEAR_BYTES)
}

/// Items that are filled in together: what they reach has a sum of at most `near`, or of `far` if that makes few of them,
/// or there is one alone.
fn together(
    items: &[Item],
    near: usize,
    far: usize,
    reach: impl Fn(&Item) -> usize,
) -> impl Iterator<Item = &[Item]> {
    let mut rest = items;
    std::iter::from_fn(move || {
        let within = |most: usize| {
            let sums = rest.iter().take(TOGETHER).scan(0usize, |sum, item| {
                *sum = sum.saturating_add(reach(item));
                Some(*sum)
            });
            sums.take_while(|&sum| sum <= most).count()
        };
        let count = Some(within(near)).filter(|&count| count >= MANY).unwrap_or_else(|| within(far));
        let (group, later) = rest.split_at(count.max(1).min(rest.len()));
        rest = later;
        (!group.is_empty()).then_some(group)
    })
}

/// Items that are filled in together.
#[derive(Clone, Copy)]
struct Group<'a> {
    simd: Simd,
    items: &'a [Item],
    /// Of the last one from where the first is going to be.
    distance: usize,
    stop: &'a Stop<'a>,
}

/// The way of some items down a row. Where they have come to a cell, the item after d cells of distance is d cells above it.
struct Sweep<'a, C: Cells> {
    cells: &'a mut [C::Cell],
    /// The cell that they come from; those from there on are filled.
    from: isize,
    /// The cell that they come to. Below 0, the later items still have to come down.
    to: isize,
    group: Group<'a>,
}

impl<C: Cells> HotLoop for Sweep<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Sweep { cells, from, to, group } = self;
        let block = (BLOCK_BYTES / size_of::<C::Cell>()) as isize;
        let count = cells.len() as isize;
        let place = |cell: isize| cell.clamp(0, count) as usize;
        let mut bottom = from;
        while bottom > to && !group.stop.is_asked_for() {
            let top = bottom;
            bottom = (top - block).max(to);
            let mut distance = 0;
            for item in group.items {
                distance += step::<C>(item) as isize;
                let range = place(bottom + distance)..place(top + distance);
                if !range.is_empty() {
                    C::raise(group.simd, cells, range, item);
                }
            }
        }
    }
}

/// One item and the part of a row that it fills, the cells from `first` on.
struct Alone<'a, C: Cells> {
    simd: Simd,
    source: &'a [C::Cell],
    first: usize,
    target: &'a mut [C::Cell],
    item: &'a Item,
}

impl<C: Cells> HotLoop for Alone<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        C::fill_one(self.simd, self.source, self.first, self.target, self.item);
    }
}
