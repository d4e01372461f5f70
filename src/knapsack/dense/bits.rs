//! The CPU's rows for subset sum: a bit for every sum, 1 if it can be reached.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::{Item, Rows, groups};
use crate::simd::{HotLoop, Simd};
use crate::solve::Monitor;
use crate::table::Table;
use crate::{Context, Error, Result};

/// Words of a task, which stay in the first-level cache with their halo.
const TASK_WORDS: usize = 1 << 11;
/// Sum of the weights of the items filled in together at most.
const HALO_BITS: usize = 1 << 16;
/// Items filled in together at most.
const TOGETHER: usize = 32;
/// Words that are moved at once.
const CHUNK: usize = 16;

/// A row of bits.
pub(super) struct Bits {
    pub(super) words: Table<u64>,
    /// Number of bits; those beyond in the last word say nothing.
    pub(super) cells: usize,
}

impl Bits {
    pub(super) fn zeroed(cells: usize) -> Result<Bits> {
        let words = cells.div_ceil(64);
        let refused = || super::too_large(cells as u64, words as u128 * 8, u64::MAX);
        Ok(Bits { words: Table::zeroed(words).ok_or_else(refused)?, cells })
    }

    pub(super) fn get(&self, cell: usize) -> bool {
        self.words[cell / 64] >> (cell % 64) & 1 == 1
    }

    /// For every capacity the largest sum that can be reached.
    pub(super) fn values(&self) -> Vec<u64> {
        let mut last = 0;
        let largest = |cell| {
            last = if self.get(cell) { cell as u64 } else { last };
            last
        };
        (0..self.cells).map(largest).collect()
    }

    /// The largest sum that can be reached and is at most `cell`.
    pub(super) fn last_up_to(&self, cell: usize) -> Option<usize> {
        let top = self.words[cell / 64] << (63 - cell % 64);
        if top != 0 {
            return Some(cell - top.leading_zeros() as usize);
        }
        let word = self.words[..cell / 64].iter().rposition(|&word| word != 0)?;
        Some(word * 64 + 63 - self.words[word].leading_zeros() as usize)
    }
}

/// Rows of bits on the CPU.
pub(super) struct Sums<'a> {
    context: &'a Context,
    monitor: &'a Monitor,
    simd: Simd,
    /// Bits filled so far.
    filled: u64,
}

impl<'a> Sums<'a> {
    pub(super) fn new(context: &'a Context, monitor: &'a Monitor) -> Self {
        Sums { context, monitor, simd: Simd::detect(), filled: 0 }
    }

    /// One group of items, from row to row, spread over the threads.
    fn fill(&self, source: &[u64], target: &mut [u64], items: &[Item]) -> Result<()> {
        let stopped = AtomicBool::new(false);
        let task = |index: usize, target: &mut [u64], scratch: &mut Vec<u64>| {
            if stopped.load(Ordering::Relaxed) || self.monitor.should_stop() {
                stopped.store(true, Ordering::Relaxed);
                return;
            }
            self.simd.run(Fill { source, first: index * TASK_WORDS, target, items, scratch });
        };
        if self.context.threads() == 1 || target.len() <= 8 * TASK_WORDS {
            let mut scratch = Vec::new();
            target
                .chunks_mut(TASK_WORDS)
                .enumerate()
                .for_each(|(index, part)| task(index, part, &mut scratch));
        } else {
            self.context.install(|| {
                let parts = target.par_chunks_mut(TASK_WORDS).enumerate();
                parts.for_each_init(Vec::new, |scratch, (index, part)| task(index, part, scratch));
            })?;
        }
        self.monitor.report("dense", None);
        if stopped.into_inner() { Err(Error::Stopped) } else { Ok(()) }
    }
}

impl Rows for Sums<'_> {
    type Row = Bits;

    fn filled(&self) -> u64 {
        self.filled
    }

    fn row_bytes(&self, cells: u64) -> u64 {
        cells.div_ceil(64).saturating_mul(8)
    }

    fn memory_bytes(&self) -> u64 {
        self.monitor.memory_bytes()
    }

    fn start(&mut self, cells: usize) -> Result<Bits> {
        let mut row = Bits::zeroed(cells)?;
        row.words[0] = 1;
        Ok(row)
    }

    fn advance(&mut self, row: &Bits, items: &[Item]) -> Result<Bits> {
        let mut source = Bits::zeroed(row.cells)?;
        let mut target = Bits::zeroed(row.cells)?;
        source.words.copy_from_slice(&row.words);
        for group in groups(items, TOGETHER, HALO_BITS) {
            self.fill(&source.words, &mut target.words, group)?;
            std::mem::swap(&mut source, &mut target);
        }
        self.filled += (items.len() * row.cells) as u64;
        Ok(source)
    }

    fn window(&mut self, row: &Bits, range: Range<usize>) -> Result<Bits> {
        let mut window = Bits::zeroed(range.len())?;
        let first = range.start / 64;
        let words = window.words.len();
        window.words.copy_from_slice(&row.words[first..first + words]);
        Ok(window)
    }

    fn best(&mut self, last: &Bits) -> Result<usize> {
        // Nothing is a sum too.
        Ok(last.last_up_to(last.cells - 1).unwrap_or(0))
    }

    fn values(&mut self, last: Bits) -> Result<Vec<u64>> {
        Ok(last.values())
    }

    fn decide(&mut self, row: Bits, items: &[Item], take: &mut dyn FnMut(&Item)) -> Result<usize> {
        self.filled += (items.len() * row.cells) as u64;
        decide(self.simd, self.monitor, row, items, take)
    }
}

/// [`Rows::decide`] for rows in the host's memory. The row's last cell must be a sum that the items can reach.
pub(super) fn decide(
    simd: Simd,
    monitor: &Monitor,
    row: Bits,
    items: &[Item],
    take: &mut dyn FnMut(&Item),
) -> Result<usize> {
    let mut capacity = row.cells - 1;
    let words = row.words.len();
    let mut rows = vec![row];
    let mut scratch = Vec::new();
    for (index, item) in items.iter().enumerate() {
        monitor.check()?;
        let mut target = Bits::zeroed(capacity + 1)?;
        let source = &rows[index].words[..words];
        let items = std::slice::from_ref(item);
        simd.run(Fill { source, first: 0, target: &mut target.words, items, scratch: &mut scratch });
        rows.push(target);
    }
    for (item, row) in items.iter().zip(&rows).rev() {
        if !row.get(capacity) {
            let left = capacity.checked_sub(item.weight);
            capacity = left.ok_or_else(|| Error::Internal("a sum has no explanation".into()))?;
            take(item);
        }
    }
    Ok(capacity)
}

/// Fills in some items for a range of words, which are `target` and begin at `first`.
struct Fill<'a> {
    source: &'a [u64],
    first: usize,
    target: &'a mut [u64],
    items: &'a [Item],
    scratch: &'a mut Vec<u64>,
}

impl HotLoop for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Fill { source, first, target, items, scratch } = self;
        if let [item] = items {
            return fill_one(source, first, target, item.weight);
        }
        let reach = |item: &Item| item.weight / 64 + 1;
        let low = first.saturating_sub(items.iter().map(reach).sum());
        scratch.clear();
        scratch.extend_from_slice(&source[low..first + target.len()]);
        let mut needed = 0;
        for item in items {
            needed += reach(item);
            raise(scratch, if low == 0 { item.weight / 64 } else { needed }, item.weight);
        }
        target.copy_from_slice(&scratch[first - low..]);
    }
}

/// Word `word` of the row moved up by `weight`.
#[inline(always)]
fn moved(words: &[u64], word: usize, weight: usize) -> u64 {
    let (far, shift) = (weight / 64, weight % 64);
    let Some(place) = word.checked_sub(far) else { return 0 };
    // Two shifts, since a shift by 64 is none.
    let carry = if place > 0 { words[place - 1] >> 1 >> (63 - shift) } else { 0 };
    words[place] << shift | carry
}

/// One item alone, which may be of any weight.
#[inline(always)]
fn fill_one(source: &[u64], first: usize, target: &mut [u64], weight: usize) {
    let (far, shift) = (weight / 64, weight % 64);
    // The words that need both neighbours.
    let from = (far + 1).saturating_sub(first).min(target.len());
    for (word, target) in target[..from].iter_mut().enumerate() {
        *target = source[first + word] | moved(source, first + word, weight);
    }
    let target = &mut target[from..];
    let Some(place) = (first + from).checked_sub(far + 1) else { return };
    let kept = &source[first + from..][..target.len()];
    let (low, high) = (&source[place..][..target.len()], &source[place + 1..][..target.len()]);
    for (((target, &kept), &low), &high) in target.iter_mut().zip(kept).zip(low).zip(high) {
        *target = kept | high << shift | low >> 1 >> (63 - shift);
    }
}

/// One item in place, for the words from `from` on, from the last one down.
#[inline(always)]
fn raise(words: &mut [u64], from: usize, weight: usize) {
    let (far, shift) = (weight / 64, weight % 64);
    let mut end = words.len();
    while end >= from.max(far + 1) + CHUNK {
        let start = end - CHUNK;
        let mut chunk = [0; CHUNK];
        let (low, high) = (&words[start - far - 1..end - far - 1], &words[start - far..end - far]);
        for (((word, &kept), &low), &high) in chunk.iter_mut().zip(&words[start..end]).zip(low).zip(high) {
            *word = kept | high << shift | low >> 1 >> (63 - shift);
        }
        words[start..end].copy_from_slice(&chunk);
        end = start;
    }
    for word in (from..end).rev() {
        words[word] |= moved(words, word, weight);
    }
}
