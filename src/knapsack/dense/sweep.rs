//! How the CPU fills rows: several items on one way through the memory.
//!
//! A row is filled in place, from its last cell down, a block at a time, and item after item
//! follows at a distance: once the items before it have come down to its weight below a cell, it
//! may fill that cell, and nobody needs the old value any more. So a cell comes into the caches
//! once, stays there until all items have filled it, and what an item looks at is what the one
//! before it has just left. The distance of the last item from the first is the sum of the weights.
//!
//! Threads have parts of the row. What stands below a part is kept before others change it, and the
//! cells there that the part depends on are filled again.

use std::ops::Range;

use bytemuck::Pod;

use super::decisions::{Decisions, Notes};
use super::{Item, too_large};
use crate::knapsack::stop::Stop;
use crate::memory::Gather;
use crate::simd::{HotLoop, Simd};
use crate::solve::Monitor;
use crate::table::Table;
use crate::{Context, Result, memory, parallel};

/// Items that pass over a row together at most.
const TOGETHER: usize = 64;
/// Bytes of the distance of their last from their first at most: within the second-level cache.
pub(super) const NEAR_BYTES: usize = 3 << 18;
/// The same where fewer than [`MANY`] would pass together: within the third-level cache, which the
/// threads share.
const FAR_BYTES: usize = 1 << 24;
const MANY: usize = 4;
/// Bytes of a block, which an item finds in the first-level cache where the one before it was.
const BLOCK_BYTES: usize = 1 << 13;
/// Bytes of a cache line.
pub(super) const LINE_BYTES: usize = 64;
/// Bytes of a [`tile`].
const TILE_BYTES: usize = 1 << 16;
/// A part of a row is so many times as long as the distance at least.
const PART_DISTANCES: usize = 8;

/// What cells are and what an item does to them, as [`Simd::run`] compiles it; `simd` are its
/// instructions.
pub(super) trait Cells {
    type Cell: Pod + Default + Send + Sync;

    /// Capacities that a cell stands for.
    const CAPACITIES: u64;
    /// Parts of a row and blocks begin at multiples of so many cells, some cache lines.
    const UNIT: usize;

    /// How many cells below a cell the item looks at.
    fn reach(item: &Item) -> usize;
    /// Fills the cells of the range in place, from the last one down. `cells` begins with cell 0 or
    /// at least the item's reach below the range.
    fn raise(simd: Simd, cells: &mut [Self::Cell], range: Range<usize>, item: &Item);
    /// Fills `target`, the cells from `first` on, from `source`.
    fn fill_one(
        simd: Simd,
        source: &[Self::Cell],
        first: usize,
        target: &mut [Self::Cell],
        item: &Item,
    );
    /// As [`Cells::raise`], from a multiple of [`Cells::UNIT`] on. Notes with a bit for each
    /// capacity of the range whether the item raises it; those below the item's weight may say
    /// anything.
    fn decide(
        simd: Simd,
        cells: &mut [Self::Cell],
        range: Range<usize>,
        item: &Item,
        bits: &mut [u64],
    );
    /// As [`Cells::fill_one`], and notes the same for the target.
    fn decide_one(
        simd: Simd,
        source: &[Self::Cell],
        first: usize,
        target: &mut [Self::Cell],
        item: &Item,
        bits: &mut [u64],
    );
}

/// Words with a bit for each capacity of so many cells.
pub(super) const fn words_of<C: Cells>(cells: usize) -> usize {
    cells.div_ceil(64 / C::CAPACITIES as usize)
}

/// What fills rows.
pub(super) struct Cpu<'a, C: Cells> {
    pub(super) context: &'a Context,
    pub(super) monitor: &'a Monitor,
    pub(super) simd: Simd,
    /// Capacities filled so far, once for each item.
    pub(super) filled: u64,
    /// Tables of the length used last that are not in use.
    spare: Vec<Table<C::Cell>>,
    /// The same for decisions.
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
        // New ones are, and touching them all would take as long as filling them.
        self.spare.clear();
        self.row(cells)
    }

    /// A row like part of another one.
    pub(super) fn window(&mut self, cells: &[C::Cell]) -> Result<Table<C::Cell>> {
        let mut window = self.row(cells.len())?;
        self.copy(cells, &mut window)?;
        Ok(window)
    }

    /// A row with any contents.
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

    /// The row after some items, whose cells below `from` may hold anything.
    pub(super) fn advance(
        &mut self,
        row: &Table<C::Cell>,
        items: &[Item],
        from: usize,
    ) -> Result<Table<C::Cell>> {
        self.advance_noting(row, items, from, Notes::default())
    }

    /// The same with notes of what the items raise, if there is room for them.
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
                // Its distance would be too long for parts of a row.
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

    /// Items that are filled in together, with the cell from which on the row is needed after them
    /// if it is from `from` on after all, and from where it is before them.
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

    /// Threads that a row of so many cells is worth.
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

    /// Calls `work` with the parts of a row of so many cells, until a stop is asked for.
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
        // With room for the beginning of the part that they lie below.
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

/// Cells that a thread takes at a time where an item passes alone.
const fn tile<C: Cells>() -> usize {
    TILE_BYTES / size_of::<C::Cell>()
}

/// How far an item stays behind the one before it: at least as far as it reaches.
fn step<C: Cells>(item: &Item) -> usize {
    C::reach(item).next_multiple_of(C::UNIT)
}

/// Where the first item begins in a row.
fn row_end<C: Cells>(row: &[C::Cell]) -> isize {
    row.len().next_multiple_of(C::UNIT) as isize
}

/// Bytes of the distance of heavy items that pass over a row together.
fn far_bytes(threads: usize) -> usize {
    (FAR_BYTES / threads).max(NEAR_BYTES)
}

/// Items that are filled in together: what they reach has a sum of at most `near`, or of `far` if
/// that makes few of them, or there is one alone.
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

/// Items that are filled in together.
#[derive(Clone, Copy)]
struct Group<'a> {
    simd: Simd,
    items: &'a [Item],
    /// Of the last one from where the first is going to be.
    distance: usize,
    /// The cell of the first part that they come to.
    to: isize,
    stop: &'a Stop<'a>,
}

impl Group<'_> {
    /// Fills a part of a row; `below` are as many cells below it as the distance, none below the
    /// first part.
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

/// The way of some items down a row. Where they have come to a cell, the item after d cells of
/// distance is d cells above it.
struct Sweep<'a, 'n, C: Cells> {
    cells: &'a mut [C::Cell],
    /// Cells at the beginning that are those of another part.
    lent: usize,
    /// The cell that they come from; those from there on are filled.
    from: isize,
    /// The cell that they come to. Below 0, the later items still have to come down.
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

/// [`Cells::decide`] with notes on the cells after the first `lent` ones, for those have theirs in
/// their own part. It calls loops of its own, so that once is enough for all instructions.
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
