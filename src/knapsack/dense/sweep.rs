//! Fills rows on the CPU: several items in one pass over the memory.
//!
//! A row is filled in place, from its last cell down, a block at a time. The items follow each
//! other at a distance: once the items before it have passed an item's weight below a cell, the
//! item may fill that cell, since nobody needs the old value any more. So a cell enters the caches
//! once and stays there until all items have filled it, and an item reads cells that the one before
//! it has just written. The distance of the last item from the first is the sum of the weights.
//!
//! Each thread fills a part of the row. The cells below a part are copied before others change
//! them, and those that the part depends on are filled again.

use std::ops::Range;

use bytemuck::Pod;

use super::decisions::{Decisions, KEPT_BYTES, Notes};
use super::{Item, too_large};
use crate::knapsack::stop::Stop;
use crate::memory::Gather;
use crate::simd::{HotLoop, Simd};
use crate::solve::Monitor;
use crate::table::Table;
use crate::{Context, Result, memory, parallel};

/// Most items in one pass.
const TOGETHER: usize = 64;
/// Most bytes from the first item of a pass to the last: within the second-level cache.
pub(super) const NEAR_BYTES: usize = 3 << 18;
/// The same if fewer than [`MANY`] items would share a pass: within the third-level cache, which
/// the threads share.
const FAR_BYTES: usize = 1 << 24;
const MANY: usize = 4;
/// Bytes of a block, which an item finds in the first-level cache after the previous item.
const BLOCK_BYTES: usize = 1 << 13;
/// Bytes of a cache line.
pub(super) const LINE_BYTES: usize = 64;
/// Bytes of a [`tile`].
const TILE_BYTES: usize = 1 << 16;
/// Least length of a part of a row, relative to the distance.
const PART_DISTANCES: usize = 8;

/// The type of cells and an item's operation on them, for loops compiled by [`Simd::run`]; `simd`
/// is the instruction set.
pub(super) trait Cells {
    type Cell: Pod + Default + Send + Sync;

    /// Number of capacities in a cell.
    const CAPACITIES: u64;
    /// Parts of a row and blocks start at multiples of this many cells, some cache lines.
    const UNIT: usize;

    /// Distance of the lowest cell that the item reads for a cell.
    fn reach(item: &Item) -> usize;
    /// Fills the cells of the range in place, from the last one down. `cells` starts with cell 0,
    /// or at least the item's reach below the range.
    fn raise(simd: Simd, cells: &mut [Self::Cell], range: Range<usize>, item: &Item);
    /// Fills `target`, the cells from `first` on, from `source`.
    fn fill_one(
        simd: Simd,
        source: &[Self::Cell],
        first: usize,
        target: &mut [Self::Cell],
        item: &Item,
    );
    /// Like [`Cells::raise`], from a multiple of [`Cells::UNIT`] on. Records one bit for each
    /// capacity of the range, 1 if the item raises it; bits below the item's weight are undefined.
    fn decide(
        simd: Simd,
        cells: &mut [Self::Cell],
        range: Range<usize>,
        item: &Item,
        bits: &mut [u64],
    );
    /// Like [`Cells::fill_one`], and records the same bits for the target.
    fn decide_one(
        simd: Simd,
        source: &[Self::Cell],
        first: usize,
        target: &mut [Self::Cell],
        item: &Item,
        bits: &mut [u64],
    );
}

/// Words that hold a bit for each capacity of this many cells.
pub(super) const fn words_of<C: Cells>(cells: usize) -> usize {
    cells.div_ceil(64 / C::CAPACITIES as usize)
}

/// Fills rows.
pub(super) struct Cpu<'a, C: Cells> {
    pub(super) context: &'a Context,
    pub(super) monitor: &'a Monitor,
    pub(super) simd: Simd,
    /// Number of capacities filled so far, counted for each item.
    pub(super) filled: u64,
    /// Free tables of the length used last.
    spare: Vec<Table<C::Cell>>,
    /// Free memory for decisions.
    pub(super) decisions: Option<Decisions>,
}

impl<'a, C: Cells> Cpu<'a, C> {
    pub(super) fn new(context: &'a Context, monitor: &'a Monitor) -> Self {
        Cpu {
            context,
            monitor,
            simd: Simd::detect(),
            filled: 0,
            spare: Vec::new(),
            decisions: None,
        }
    }

    /// A row of zeros.
    pub(super) fn zeros(&mut self, cells: usize) -> Result<Table<C::Cell>> {
        // Allocate a new row, which is zero already: clearing a used one takes as long as filling
        // it.
        self.spare.clear();
        self.row(cells)
    }

    /// A copy of part of another row.
    pub(super) fn window(&mut self, cells: &[C::Cell]) -> Result<Table<C::Cell>> {
        let mut window = self.row(cells.len())?;
        self.copy(cells, &mut window)?;
        Ok(window)
    }

    /// A row with arbitrary contents.
    fn row(&mut self, cells: usize) -> Result<Table<C::Cell>> {
        self.spare.retain(|row| row.len() == cells);
        if let Some(row) = self.spare.pop() {
            return Ok(row);
        }
        let bytes = cells as u128 * size_of::<C::Cell>() as u128;
        let refused =
            || too_large(cells as u64 * C::CAPACITIES, bytes, self.monitor.memory_bytes());
        Table::zeroed(cells).ok_or_else(refused)
    }

    /// Bytes that rows and decisions may take.
    pub(super) fn memory_bytes(&self) -> u64 {
        let kept = self.decisions.as_ref().map_or(0, Decisions::bytes);
        self.monitor.memory_bytes().saturating_sub(kept)
    }

    /// Takes a row back for reuse.
    pub(super) fn reuse(&mut self, row: Table<C::Cell>) {
        self.spare.push(row);
    }

    /// The row after some items; cells below `from` are undefined.
    pub(super) fn advance(
        &mut self,
        row: &Table<C::Cell>,
        items: &[Item],
        from: usize,
    ) -> Result<Table<C::Cell>> {
        self.advance_noting(row, items, from, Notes::default())
    }

    /// The same, and records the items' decisions if `notes` has space for them.
    pub(super) fn advance_noting(
        &mut self,
        row: &Table<C::Cell>,
        items: &[Item],
        from: usize,
        mut notes: Notes<'_>,
    ) -> Result<Table<C::Cell>> {
        let mut target = self.row(row.len())?;
        let (groups, first) = self.groups(row.len(), items, from);
        self.copy(&row[first..], &mut target[first..])?;
        for (group, from) in groups {
            let notes = notes.first(group.len());
            match group {
                // A single item's distance would be too long for parts of a row.
                [item] if self.threads(row.len()) > 1 => {
                    let mut other = self.row(row.len())?;
                    self.fill_one(&target, &mut other, item, from, notes)?;
                    self.reuse(std::mem::replace(&mut target, other));
                }
                items => self.fill(&mut target, items, from, notes)?,
            }
            self.monitor.report("dense", None);
        }
        Ok(target)
    }

    /// Decides the items from the row before them and a capacity that is left after them, in the
    /// row's last cell. Calls `take` with each item taken, the last one first; returns the row
    /// after the items, of which only the last cell is asked for, and the capacity left before
    /// them.
    pub(super) fn decide(
        &mut self,
        row: &Table<C::Cell>,
        items: &[Item],
        capacity: usize,
        take: &mut dyn FnMut(&Item),
    ) -> Result<(Table<C::Cell>, usize)> {
        let (kept, each) = (self.decisions.take(), words_of::<C>(row.len()));
        let mut decisions = Decisions::new(kept, items.len(), each, self.monitor)?;
        let after = self.advance_noting(row, items, row.len() - 1, Notes::new(&mut decisions))?;
        let left = decisions.traceback(items, capacity, take);
        self.decisions = Some(decisions).filter(|decisions| decisions.bytes() <= KEPT_BYTES);
        Ok((after, left))
    }

    /// The groups of items that share a pass, each with the first cell that is needed after it if
    /// cells from `from` on are needed at the end; and the first cell that is needed before all.
    fn groups<'i>(
        &mut self,
        cells: usize,
        items: &'i [Item],
        from: usize,
    ) -> (Vec<(&'i [Item], usize)>, usize) {
        let threads = self.threads(cells);
        let share = if threads == 1 { usize::MAX } else { cells / threads / PART_DISTANCES };
        let [near, far] =
            [NEAR_BYTES, far_bytes(threads)].map(|bytes| (bytes / size_of::<C::Cell>()).min(share));
        let mut groups: Vec<_> =
            together(items, near, far, step::<C>).map(|group| (group, from)).collect();
        let mut lowest = from;
        for (group, from) in groups.iter_mut().rev() {
            *from = lowest;
            for item in group.iter().rev() {
                self.filled += (cells - lowest) as u64 * C::CAPACITIES;
                lowest = lowest.saturating_sub(C::reach(item));
            }
        }
        (groups, lowest)
    }

    /// Number of threads for a row of `cells` cells.
    fn threads(&self, cells: usize) -> usize {
        if cells <= 2 * tile::<C>() { 1 } else { self.context.threads() }
    }

    fn copy(&self, source: &[C::Cell], target: &mut [C::Cell]) -> Result<()> {
        let tiles = source.chunks(tile::<C>()).zip(target.chunks_mut(tile::<C>()));
        self.for_each(source.len(), tiles, |(source, target)| target.copy_from_slice(source))
    }

    /// Fills one item into another row, from a cell on.
    fn fill_one(
        &self,
        source: &[C::Cell],
        target: &mut [C::Cell],
        item: &Item,
        from: usize,
        notes: Notes<'_>,
    ) -> Result<()> {
        let (tile, begin) = (tile::<C>(), from / C::UNIT * C::UNIT);
        let firsts = (begin..).step_by(tile);
        let parts = notes.parts(words_of::<C>(begin), words_of::<C>(tile));
        let tiles = firsts.zip(target[begin..].chunks_mut(tile)).zip(parts);
        let simd = self.simd;
        self.for_each(source.len(), tiles, |((first, target), mut notes)| match notes.of(0) {
            None => simd.run(Alone::<C> { simd, source, first, target, item }),
            Some(bits) => C::decide_one(simd, source, first, target, item, bits),
        })
    }

    /// Calls `work` with the parts of a row of `cells` cells, until a stop is requested.
    fn for_each<S: Send>(
        &self,
        cells: usize,
        parts: impl Iterator<Item = S> + Send,
        work: impl Fn(S) + Send + Sync,
    ) -> Result<()> {
        let stop = Stop::new(self.monitor);
        let run = |part| {
            if !stop.is_asked_for() {
                work(part);
            }
        };
        if self.threads(cells) == 1 {
            parts.for_each(run);
        } else {
            self.context.install(|| parallel::for_each(parts, run))?;
        }
        stop.check()
    }

    /// Fills some items into a row, which is needed after them from a cell on.
    fn fill(
        &self,
        row: &mut [C::Cell],
        items: &[Item],
        from: usize,
        notes: Notes<'_>,
    ) -> Result<()> {
        let distance: usize = items.iter().map(step::<C>).sum();
        let first = from.saturating_sub(distance) / C::UNIT * C::UNIT;
        let row = &mut row[first..];
        let stop = Stop::new(self.monitor);
        let to = ((from - first) / C::UNIT * C::UNIT) as isize - distance as isize;
        let group = Group { simd: self.simd, items, distance, to, stop: &stop };
        let part = match self.threads(row.len()) {
            1 => row.len(),
            threads => row.len().div_ceil(threads).max(PART_DISTANCES * distance).max(tile::<C>()),
        };
        let part = part.next_multiple_of(C::UNIT);
        let starts = (0..row.len()).step_by(part);
        // With capacity for the start of the part above them.
        let below = starts.map(|start| {
            let cells = &row[start.saturating_sub(distance)..start];
            let mut below = memory::list(cells.len() + distance.min(part))?;
            below.extend_from_slice(cells);
            Ok(below)
        });
        let below: Vec<Vec<C::Cell>> = below.try_gather()?;
        let cells = row.len();
        let notes = notes.parts(words_of::<C>(first), words_of::<C>(part));
        let parts = row.chunks_mut(part).zip(below).zip(notes);
        self.for_each(cells, parts, |((part, below), notes)| {
            group.fill_part::<C>(part, below, notes)
        })?;
        stop.check()
    }
}

/// Cells that a thread takes at a time if a single item passes.
const fn tile<C: Cells>() -> usize {
    TILE_BYTES / size_of::<C::Cell>()
}

/// Distance of an item from the previous one: at least its reach.
fn step<C: Cells>(item: &Item) -> usize {
    C::reach(item).next_multiple_of(C::UNIT)
}

/// The cell at which the first item starts in a row.
fn row_end<C: Cells>(row: &[C::Cell]) -> isize {
    row.len().next_multiple_of(C::UNIT) as isize
}

/// Most bytes from the first to the last of heavy items that share a pass.
fn far_bytes(threads: usize) -> usize {
    (FAR_BYTES / threads).max(NEAR_BYTES)
}

/// Groups of items that share a pass. The sum of their reaches is at most `near`, or at most `far`
/// if `near` allows only few; a group has at least one item.
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
        let count =
            Some(within(near)).filter(|&count| count >= MANY).unwrap_or_else(|| within(far));
        let (group, later) = rest.split_at(count.max(1).min(rest.len()));
        rest = later;
        (!group.is_empty()).then_some(group)
    })
}

/// Items that share a pass.
#[derive(Clone, Copy)]
struct Group<'a> {
    simd: Simd,
    items: &'a [Item],
    /// Distance of the last item from the first item's start.
    distance: usize,
    /// The cell of the first part at which the pass ends.
    to: isize,
    stop: &'a Stop<'a>,
}

impl Group<'_> {
    /// Fills a part of a row; `below` holds as many cells below it as the distance, and none for
    /// the first part.
    fn fill_part<C: Cells>(
        self,
        part: &mut [C::Cell],
        mut below: Vec<C::Cell>,
        mut notes: Notes<'_>,
    ) {
        let (is_first, notes) = (below.is_empty(), &mut notes);
        let (from, to) = (row_end::<C>(part), if is_first { self.to } else { 0 });
        self.simd.run(Sweep::<C> { cells: part, lent: 0, from, to, group: self, notes });
        if !is_first {
            let (lent, common) = (self.distance, self.distance.min(part.len()));
            below.extend_from_slice(&part[..common]);
            let (cells, from) = (&mut below[..], lent as isize);
            self.simd.run(Sweep::<C> { cells, lent, from, to: 0, group: self, notes });
            part[..common].copy_from_slice(&below[lent..]);
        }
    }
}

/// A pass of some items down a row. An item at distance d works d cells above the pass's position.
struct Sweep<'a, 'n, C: Cells> {
    cells: &'a mut [C::Cell],
    /// Number of cells at the start that belong to another part.
    lent: usize,
    /// The cell at which the pass starts; cells from there on are filled.
    from: isize,
    /// The cell at which the pass ends. It is below 0 if later items still have to come down.
    to: isize,
    group: Group<'a>,
    notes: &'a mut Notes<'n>,
}

impl<C: Cells> HotLoop for Sweep<'_, '_, C> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Sweep { cells, lent, from, to, group, notes } = self;
        let block = (BLOCK_BYTES / size_of::<C::Cell>()) as isize;
        let count = cells.len() as isize;
        let place = |cell: isize| cell.clamp(0, count) as usize;
        let mut bottom = from;
        while bottom > to && !group.stop.is_asked_for() {
            let top = bottom;
            bottom = (top - block).max(to);
            let mut distance = 0;
            for (index, item) in group.items.iter().enumerate() {
                distance += step::<C>(item) as isize;
                let range = place(bottom + distance)..place(top + distance);
                if range.is_empty() {
                    continue;
                }
                match notes.of(index) {
                    None => C::raise(group.simd, cells, range, item),
                    Some(bits) => decide::<C>(group.simd, cells, lent, range, item, bits),
                }
            }
        }
    }
}

/// [`Cells::decide`], recording decisions on the cells after the first `lent` ones; those are
/// recorded with their own part. The loops inside are compiled for each instruction set, so this is
/// not.
#[inline(never)]
fn decide<C: Cells>(
    simd: Simd,
    cells: &mut [C::Cell],
    lent: usize,
    range: Range<usize>,
    item: &Item,
    bits: &mut [u64],
) {
    let (lower, own) = (range.start..range.end.min(lent), range.start.max(lent)..range.end);
    if !own.is_empty() {
        let first = words_of::<C>(own.start - lent);
        C::decide(simd, cells, own, item, &mut bits[first..]);
    }
    if !lower.is_empty() {
        let mut unused = vec![0; words_of::<C>(lower.len())];
        C::decide(simd, cells, lower, item, &mut unused);
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
