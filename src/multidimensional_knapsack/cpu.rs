//! Tables on the CPU.
//!
//! A table is filled in place. Let an item's weights in the leading dimensions lead from a row to
//! the one D rows before. The table is cut into bands of D rows: a band reads only the band before
//! it, so that the bands are filled from the last one on. The same part of every band is a chain that
//! depends on no other part; chains are spread over the threads. If D is 0, a row reads itself, from
//! its end on, and rows are independent.

use super::MOST_DIMENSIONS;
use super::dense::{Job, Table};
use super::lattice::{Item, Lattice, Window};
use crate::memory::Gather;
use crate::simd::{HotLoop, Simd, pack};
use crate::solve::Monitor;
use crate::{Context, Result, memory, parallel, table};
use bytemuck::Pod;

/// Cells of a block, as many as a word of decisions has bits.
const BLOCK: usize = 32;
/// Cells of a smaller block at the end of a row.
const SMALL: usize = 8;
/// Cells between two checks for a stop, at most, unless a row has more.
const PART: usize = 1 << 18;
/// Least cells of a band that is worth dividing among threads, and of a thread's part.
const BAND: usize = 1 << 15;
const LEAST_PART: usize = 1 << 12;

/// A profit in a table.
pub(super) trait Cell: Pod + Ord + Default + Send + Sync + Into<u64> {
    /// Exact if the profit is not above the bound for which the type was chosen.
    fn of(profit: u64) -> Self;

    /// Sums in cells are profits of selections that fit, which do not overflow.
    fn plus(self, profit: Self) -> Self;
}

macro_rules! cells {
    ($($cell:ty)*) => {$(
        impl Cell for $cell {
            #[inline(always)]
            fn of(profit: u64) -> Self {
                profit as $cell
            }

            #[inline(always)]
            fn plus(self, profit: Self) -> Self {
                self.wrapping_add(profit)
            }
        }
    )*};
}

cells!(u16 u32 u64);

/// Fills tables of cells of type `T`.
pub(super) struct CpuTable<'a, T> {
    context: &'a Context,
    monitor: &'a Monitor,
    simd: Simd,
    cells: table::Table<T>,
}

impl<'a, T: Cell> CpuTable<'a, T> {
    pub(super) fn new(context: &'a Context, monitor: &'a Monitor) -> Self {
        let cells = table::Table::Small(Vec::new());
        CpuTable { context, monitor, simd: Simd::detect(), cells }
    }

    /// For other instruction sets.
    #[cfg(test)]
    pub(super) fn with_simd(self, simd: Simd) -> Self {
        CpuTable { simd, ..self }
    }

    /// A table of `count` zeros.
    fn zeros<N: Pod>(&self, lattice: &Lattice, count: usize) -> Result<table::Table<N>> {
        let bytes = count as u128 * size_of::<N>() as u128;
        let refused = || lattice.too_large(bytes, self.monitor.memory_bytes());
        table::Table::zeroed(count).ok_or_else(refused)
    }

    /// Fills an item into the table and records its decisions, if `bits` has words for them.
    fn advance(&mut self, pass: &Pass<'_, T>, bits: &mut [u32]) -> Result<()> {
        let row = pass.lattice.row();
        let weights = pass.item.weights.split_last().map_or(&[][..], |(_, leading)| leading);
        let threads = self.context.threads();
        let band = pass.lattice.row_at(weights) * row;
        let shared = threads_of_item(self.cells.len() as u64, row as u64, band as u64, threads) > 1;
        if band == 0 {
            return self.fill_rows(pass, bits, part_of(self.cells.len(), row, threads), shared);
        }
        if shared {
            return self.fill_chains(pass, bits, band, part_of(band, row, threads));
        }
        let (monitor, part) = (self.monitor, PART.min(band).next_multiple_of(row));
        for (step, start) in (0..self.cells.len()).step_by(band).skip(1).rev().enumerate() {
            monitor.check_long_step(step, band)?;
            let (before, cells) = self.cells.split_at_mut(start);
            let (source, end) = (&before[start - band..], band.min(cells.len()));
            for (index, target) in cells[..end].chunks_mut(part).enumerate() {
                if index > 0 {
                    monitor.check()?;
                }
                let first = index * part;
                let source = Some(&source[first..][..target.len()]);
                let rows = (start + first) / row..(start + first + target.len()) / row;
                let bits = pass.words(rows.start, rows.end, bits);
                pass.fill(self.simd, rows.start, target, source, bits);
            }
        }
        Ok(())
    }

    /// Fills an item that reads the row that it fills.
    fn fill_rows(
        &mut self,
        pass: &Pass<'_, T>,
        mut bits: &mut [u32],
        part: usize,
        shared: bool,
    ) -> Result<()> {
        let row = pass.lattice.row();
        let mut parts = memory::list(self.cells.len().div_ceil(part))?;
        for (index, target) in self.cells.chunks_mut(part).enumerate() {
            let first = index * part / row;
            let own = pass.split(first, first + target.len() / row, &mut bits);
            parts.push(Part { first, target, bits: own });
        }
        let (monitor, simd) = (self.monitor, self.simd);
        let work = |part: Part<'_, T>| {
            monitor.check()?;
            pass.fill(simd, part.first, part.target, None, part.bits);
            Ok(())
        };
        if shared {
            return parallel::try_for_each(parts.into_iter(), work);
        }
        parts.into_iter().try_for_each(work)
    }

    /// Fills an item into bands, parts of which are chains for the threads.
    fn fill_chains(
        &mut self,
        pass: &Pass<'_, T>,
        mut bits: &mut [u32],
        band: usize,
        part: usize,
    ) -> Result<()> {
        let (row, bands) = (pass.lattice.row(), self.cells.len().div_ceil(band));
        let mut chains: Vec<Vec<Part<'_, T>>> =
            (0..band.div_ceil(part)).map(|_| memory::list(bands)).try_gather()?;
        for (index, cells) in self.cells.chunks_mut(band).enumerate() {
            for (place, target) in cells.chunks_mut(part).enumerate() {
                let first = (index * band + place * part) / row;
                let own = pass.split(first, first + target.len() / row, &mut bits);
                chains[place].push(Part { first, target, bits: own });
            }
        }
        let (monitor, simd) = (self.monitor, self.simd);
        let work = |mut chain: Vec<Part<'_, T>>| {
            for index in (1..chain.len()).rev() {
                monitor.check()?;
                let (before, own) = chain.split_at_mut(index);
                let Part { first, target, bits } = &mut own[0];
                let source = &before[index - 1].target[..target.len()];
                pass.fill(simd, *first, target, Some(source), bits);
            }
            Ok(())
        };
        parallel::try_for_each(chains.into_iter(), work)
    }

    /// The table on the threads of the pool, or on the calling thread.
    fn fill_items(&mut self, job: &Job<'_>, first: usize) -> Result<(u64, Vec<bool>)> {
        let changes = changes(job)?;
        let lattice = job.lattice;
        self.cells = table::Table::Small(Vec::new());
        self.cells = self.zeros(lattice, lattice.cells())?;
        let words = changes[first..].iter().map(|change| change.words).sum();
        let mut decisions = self.zeros::<u32>(lattice, words)?;
        let mut rest = &mut decisions[..];
        for (place, (item, change)) in job.items.iter().zip(&changes).enumerate() {
            self.monitor.check()?;
            let (notes, profit) = (place >= first, T::of(item.profit));
            let (own, later) = rest.split_at_mut(if notes { change.words } else { 0 });
            rest = later;
            if change.words > 0 {
                let window = &change.window;
                self.advance(&Pass { lattice, item, window, profit, notes }, own)?;
            }
            self.monitor.report("dense", None);
        }
        let value = self.cells[self.cells.len() - 1].into();
        Ok((value, back(job, first, &changes, &decisions)?))
    }
}

/// Threads that share a table.
pub(super) fn threads_for(cells: u64, threads: usize) -> usize {
    if cells < 2 * BAND as u64 { 1 } else { threads }
}

/// Threads that fill an item at once, of those that share the table. The item's cells read others
/// that are `band` cells before them; 0 if they read their own row.
pub(super) fn threads_of_item(cells: u64, row: u64, band: u64, threads: usize) -> usize {
    let divided = match band {
        0 => cells,
        band if band < BAND as u64 => return 1,
        band => band,
    };
    let part = part_of(divided as usize, row as usize, threads);
    divided.div_ceil(part as u64).min(threads as u64) as usize
}

/// Whole rows of a part of `cells` cells that a thread takes at a time.
fn part_of(cells: usize, row: usize, threads: usize) -> usize {
    cells.div_ceil(threads).clamp(LEAST_PART, PART).next_multiple_of(row)
}

/// Some rows of the table, from `first` on, and the words of their decisions.
struct Part<'a, T> {
    first: usize,
    target: &'a mut [T],
    bits: &'a mut [u32],
}

/// One item in all cells that hold it and are needed.
struct Pass<'a, T> {
    lattice: &'a Lattice,
    item: &'a Item,
    window: &'a Window,
    profit: T,
    /// Whether decisions are recorded.
    notes: bool,
}

impl<T: Cell> Pass<'_, T> {
    /// Words of decisions of a row of the window.
    fn row_words(&self) -> usize {
        self.window.row(self.lattice).div_ceil(BLOCK)
    }

    /// Words of the decisions of all rows before one.
    fn words_before(&self, row: usize) -> usize {
        match self.notes {
            true => self.window.rows_before(self.lattice, row) * self.row_words(),
            false => 0,
        }
    }

    /// The words of some rows, of those of all rows.
    fn words<'b>(&self, first: usize, end: usize, bits: &'b mut [u32]) -> &'b mut [u32] {
        &mut bits[self.words_before(first)..self.words_before(end)]
    }

    /// Splits off the words of the next rows.
    fn split<'b>(&self, first: usize, end: usize, bits: &mut &'b mut [u32]) -> &'b mut [u32] {
        let count = self.words_before(end) - self.words_before(first);
        let (own, rest) = std::mem::take(bits).split_at_mut(count);
        *bits = rest;
        own
    }

    /// Fills rows, from number `first` on, from `source`, or each from itself.
    fn fill(
        &self,
        simd: Simd,
        first: usize,
        target: &mut [T],
        source: Option<&[T]>,
        bits: &mut [u32],
    ) {
        simd.run(Rows { pass: self, first, target, source, bits });
    }
}

/// What an item does to some rows.
struct Rows<'a, 'p, T> {
    pass: &'a Pass<'p, T>,
    first: usize,
    target: &'a mut [T],
    source: Option<&'a [T]>,
    bits: &'a mut [u32],
}

impl<T: Cell> HotLoop for Rows<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Rows { pass, first, target, source, bits } = self;
        let Pass { lattice, item, window, profit, notes } = pass;
        let (row, sizes) = (lattice.row(), lattice.leading());
        let (low, weight) = (window.first[sizes.len()], item.weights[sizes.len()]);
        let begin = window.rows_before(lattice, first);
        let count = window.rows_before(lattice, first + target.len() / row) - begin;
        let words = pass.row_words();
        // Decisions that nobody wants.
        let mut unused = [0; 1];
        let mut place = [0; MOST_DIMENSIONS];
        window.place_of(lattice, begin, &mut place[..sizes.len()]);
        let mut start = lattice.row_at(&place).saturating_sub(first);
        for index in 0..count {
            let own = match notes {
                true => &mut bits[index * words..][..words],
                false => &mut unused[..],
            };
            let cells = &mut target[start * row..][..row];
            match source {
                Some(source) => {
                    let source = &source[start * row + low - weight..][..row - low];
                    raise(&mut cells[low..], source, *profit, own);
                }
                None => raise_in_place(cells, low, weight, *profit, own),
            }
            // The next row of the window.
            start += 1;
            let mut below = 1;
            for dimension in (0..sizes.len()).rev() {
                place[dimension] += 1;
                if place[dimension] < sizes[dimension] {
                    break;
                }
                place[dimension] = window.first[dimension];
                start += window.first[dimension] * below;
                below *= sizes[dimension];
            }
        }
    }
}

/// Raises cells to `source` + `profit` where that is larger, and records where. Without space for
/// all words, the last ones are lost.
#[inline(always)]
fn raise<T: Cell>(target: &mut [T], source: &[T], profit: T, bits: &mut [u32]) {
    let (blocks, rest) = target.as_chunks_mut::<BLOCK>();
    let (source, source_rest) = source.as_chunks::<BLOCK>();
    for (index, (target, source)) in blocks.iter_mut().zip(source).enumerate() {
        note(bits, index, raise_block(target, source, profit));
    }
    if !rest.is_empty() {
        note(bits, source.len(), raise_rest(rest, source_rest, profit));
    }
}

/// [`raise`] of the cells from `low` on, from cells of the same row, the last ones first.
#[inline(always)]
fn raise_in_place<T: Cell>(
    cells: &mut [T],
    low: usize,
    weight: usize,
    profit: T,
    bits: &mut [u32],
) {
    let count = cells.len() - low;
    // A copy, since both overlap if the item is lighter than a block.
    let mut source = [T::default(); BLOCK];
    let rest = count % BLOCK;
    if rest > 0 {
        let first = cells.len() - rest;
        source[..rest].copy_from_slice(&cells[first - weight..][..rest]);
        note(bits, count / BLOCK, raise_rest(&mut cells[first..], &source[..rest], profit));
    }
    for index in (0..count / BLOCK).rev() {
        let first = low + index * BLOCK;
        source.copy_from_slice(&cells[first - weight..][..BLOCK]);
        if let Some(target) = cells[first..].first_chunk_mut::<BLOCK>() {
            note(bits, index, raise_block(target, &source, profit));
        }
    }
}

#[inline(always)]
fn note(bits: &mut [u32], index: usize, word: u32) {
    if let Some(place) = bits.get_mut(index) {
        *place = word;
    }
}

/// Less than a block.
#[inline(always)]
fn raise_rest<T: Cell>(target: &mut [T], source: &[T], profit: T) -> u32 {
    let (blocks, rest) = target.as_chunks_mut::<SMALL>();
    let (source, source_rest) = source.as_chunks::<SMALL>();
    let (mut word, mut shift) = (0, 0);
    for (target, source) in blocks.iter_mut().zip(source) {
        word |= raise_block(target, source, profit) << shift;
        shift += SMALL;
    }
    for (target, &source) in rest.iter_mut().zip(source_rest) {
        let other = source.plus(profit);
        word |= u32::from(other > *target) << shift;
        *target = if other > *target { other } else { *target };
        shift += 1;
    }
    word
}

#[inline(always)]
fn raise_block<T: Cell, const N: usize>(target: &mut [T; N], source: &[T; N], profit: T) -> u32 {
    let mut flags = [0u8; N];
    for i in 0..N {
        let other = source[i].plus(profit);
        flags[i] = u8::from(other > target[i]);
        target[i] = if other > target[i] { other } else { target[i] };
    }
    pack(&flags) as u32
}

/// What an item does to the table.
struct Change {
    /// The cells that may hold the item and are needed after it.
    window: Window,
    /// Words of their decisions; 0 if there are no such cells.
    words: usize,
}

impl Change {
    fn new(lattice: &Lattice, item: &Item, needed: &Window) -> Result<Self> {
        let both = needed.first.iter().zip(&item.weights);
        let window = Window { first: both.map(|(&needed, &weight)| needed.max(weight)).gather()? };
        let is_empty = lattice.sizes.iter().zip(&window.first).any(|(size, first)| first >= size);
        let words = match is_empty {
            true => 0,
            false => window.rows(lattice) * window.row(lattice).div_ceil(BLOCK),
        };
        Ok(Change { window, words })
    }
}

/// The changes of all items.
fn changes(job: &Job<'_>) -> Result<Vec<Change>> {
    let both = job.items.iter().zip(job.windows);
    both.map(|(item, needed)| Change::new(job.lattice, item, needed)).try_gather()
}

/// Follows the decisions back from the last cell, over the items from `first` on. Returns which of
/// them are taken.
fn back(job: &Job<'_>, first: usize, changes: &[Change], decisions: &[u32]) -> Result<Vec<bool>> {
    let lattice = job.lattice;
    let mut taken = memory::filled(false, job.items.len() - first)?;
    let mut at: Vec<usize> = lattice.sizes.iter().map(|size| size - 1).gather()?;
    let mut begin = decisions.len();
    let decided = job.items[first..].iter().zip(&changes[first..]);
    for ((item, Change { window, words }), taken) in decided.zip(&mut taken).rev() {
        begin -= words;
        if *words == 0 || !window.contains(&at) {
            continue;
        }
        let (leading, last) = at.split_at(lattice.sizes.len() - 1);
        let row = window.rows_before(lattice, lattice.row_at(leading));
        let cell = last[0] - window.first[leading.len()];
        let word = begin + row * window.row(lattice).div_ceil(BLOCK) + cell / BLOCK;
        if decisions[word] >> (cell % BLOCK) & 1 == 1 {
            *taken = true;
            at.iter_mut().zip(&item.weights).for_each(|(at, weight)| *at -= weight);
        }
    }
    Ok(taken)
}

impl<T: Cell> Table for CpuTable<'_, T> {
    fn memory_bytes(&self) -> u64 {
        self.monitor.memory_bytes()
    }

    fn table_bytes(&self, job: &Job<'_>) -> Result<u128> {
        Ok(job.lattice.cells() as u128 * size_of::<T>() as u128)
    }

    fn decision_bytes(&self, lattice: &Lattice, item: &Item, window: &Window) -> Result<u128> {
        let change = Change::new(lattice, item, window)?;
        Ok(change.words as u128 * size_of::<u32>() as u128)
    }

    fn fill(&mut self, job: &Job<'_>, first: usize) -> Result<(u64, Vec<bool>)> {
        let (context, monitor) = (self.context, self.monitor);
        if threads_for(job.lattice.cells() as u64, context.threads()) == 1 {
            return self.fill_items(job, first);
        }
        context.install_reporting(monitor, "dense", || None, || self.fill_items(job, first))?
    }
}
