//! The CPU's rows for subset sum: a bit for every sum, 1 if the sum can be reached.

use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use super::bits_avx512;
use super::sweep::{Cells, Cpu, LINE_BYTES};
use super::{Item, Rows, VALUES, fill_values};
use crate::simd::{HotLoop, Simd};
use crate::solve::Monitor;
use crate::table::Table;
use crate::{Context, Error, Result};

/// Words that are shifted at once.
const CHUNK: usize = 16;
/// Bits of rows, one after each item, that stay in a cache together.
const LEAF_CELLS: usize = 1 << 18;

/// A row of bits.
pub(super) struct Bits {
    pub(super) words: Table<u64>,
    /// Number of bits; further bits of the last word are undefined.
    pub(super) cells: usize,
}

impl Bits {
    #[inline]
    pub(super) fn get(&self, cell: usize) -> bool {
        self.words[cell / 64] >> (cell % 64) & 1 == 1
    }

    /// The largest reachable sum for every capacity.
    pub(super) fn values(&self, context: &Context, monitor: &Monitor) -> Result<Table<u64>> {
        let mut last = 0;
        // The largest reachable sum below each stretch.
        let stretches = self.words.chunks(VALUES / 64).enumerate();
        let below = stretches.map(|(stretch, words)| {
            let top = words.iter().enumerate().rev().find(|(_, word)| **word != 0);
            let top = top.map(|(word, bits)| stretch * VALUES + word * 64 + bits.ilog2() as usize);
            let before = last;
            last = top.unwrap_or(before);
            before
        });
        let below: Vec<usize> = below.collect();
        let simd = Simd::detect();
        fill_values(
            context,
            monitor,
            self.cells,
            || Ok(()),
            |(), first, values| {
                let (words, last) = (&self.words[first / 64..], below[first / VALUES] as u64);
                simd.run(Expand { words, first: first as u64, last, values });
                Ok(())
            },
        )
    }

    /// The largest reachable sum that is at most `cell`.
    pub(super) fn last_up_to(&self, cell: usize) -> Option<usize> {
        let top = self.words[cell / 64] << (63 - cell % 64);
        if top != 0 {
            return Some(cell - top.leading_zeros() as usize);
        }
        let word = self.words[..cell / 64].iter().rposition(|&word| word != 0)?;
        Some(word * 64 + 63 - self.words[word].leading_zeros() as usize)
    }
}

/// For every byte of bits and each position in it: the last set bit up to there, or 8 if there is
/// none.
const LAST_UP_TO: [[u8; 8]; 256] = last_up_to();

const fn last_up_to() -> [[u8; 8]; 256] {
    let mut table = [[8; 8]; 256];
    let mut entry = 0;
    while entry < 256 * 8 {
        let (byte, place) = (entry / 8, entry % 8);
        if byte >> place & 1 == 1 {
            table[byte][place] = place as u8;
        } else if place > 0 {
            table[byte][place] = table[byte][place - 1];
        }
        entry += 1;
    }
    table
}

/// Writes the last set bit up to each bit of a stretch. The stretch starts with bit `first`; the
/// last set bit before it is `last`.
struct Expand<'a> {
    words: &'a [u64],
    first: u64,
    last: u64,
    values: &'a mut [u64],
}

impl HotLoop for Expand<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Expand { words, mut first, mut last, values } = self;
        for (word, values) in words.iter().zip(values.chunks_mut(64)) {
            let (eights, rest) = values.as_chunks_mut::<8>();
            let mut bytes = word.to_le_bytes().into_iter();
            for (eight, byte) in eights.iter_mut().zip(&mut bytes) {
                *eight = expand_byte(byte, first, last);
                last = if byte == 0 { last } else { first + u64::from(byte.ilog2()) };
                first += 8;
            }
            if let Some(byte) = bytes.next() {
                rest.copy_from_slice(&expand_byte(byte, first, last)[..rest.len()]);
            }
        }
    }
}

#[inline(always)]
fn expand_byte(byte: u8, first: u64, last: u64) -> [u64; 8] {
    LAST_UP_TO[usize::from(byte)]
        .map(|place| if place < 8 { first + u64::from(place) } else { last })
}

/// Rows of bits on the CPU.
pub(super) struct Sums<'a> {
    cpu: Cpu<'a, Sum>,
}

impl<'a> Sums<'a> {
    pub(super) fn new(context: &'a Context, monitor: &'a Monitor) -> Self {
        Sums { cpu: Cpu::new(context, monitor) }
    }
}

impl Rows for Sums<'_> {
    type Row = Bits;

    const ALL_CELLS: bool = false;
    const ITEMS_PER_ROW: usize = 4;

    fn filled(&self) -> u64 {
        self.cpu.filled
    }

    fn row_bytes(&self, cells: u64) -> u64 {
        cells.div_ceil(64).saturating_mul(8)
    }

    fn list_bytes(&self, cells: u64) -> u64 {
        cells.saturating_mul(8)
    }

    fn memory_bytes(&self) -> u64 {
        self.cpu.memory_bytes()
    }

    fn start(&mut self, cells: usize) -> Result<Bits> {
        let mut words = self.cpu.zeros(cells.div_ceil(64))?;
        words[0] = 1;
        Ok(Bits { words, cells })
    }

    fn advance(&mut self, row: &Bits, items: &[Item], from: usize) -> Result<Bits> {
        Ok(Bits { words: self.cpu.advance(&row.words, items, from / 64)?, cells: row.cells })
    }

    fn window(&mut self, row: &Bits, range: Range<usize>) -> Result<Bits> {
        let first = range.start / 64;
        let words = self.cpu.window(&row.words[first..][..range.len().div_ceil(64)])?;
        Ok(Bits { words, cells: range.len() })
    }

    fn is_leaf(&self, items: &[Item], cells: usize, _: u64) -> bool {
        items.len().saturating_mul(cells) <= LEAF_CELLS
    }

    fn value(&mut self, row: &Bits, cell: usize) -> Result<i64> {
        Ok(row.get(cell).into())
    }

    fn best(&mut self, last: &Bits) -> Result<usize> {
        // The empty selection is a sum too.
        Ok(last.last_up_to(last.cells - 1).unwrap_or(0))
    }

    fn values(&mut self, last: Bits) -> Result<Table<u64>> {
        last.values(self.cpu.context, self.cpu.monitor)
    }

    fn decide(&mut self, row: Bits, items: &[Item], take: &mut dyn FnMut(&Item)) -> Result<usize> {
        // The last cell is a reachable sum, and so is every cell on the traceback.
        let (after, capacity) = self.cpu.decide(&row.words, items, row.cells - 1, take)?;
        self.cpu.reuse(after);
        if row.get(capacity) {
            Ok(capacity)
        } else {
            Err(Error::internal("a sum has no explanation"))
        }
    }
}

/// Word `word` of the row shifted up by `weight`.
#[inline(always)]
fn moved(words: &[u64], word: usize, weight: usize) -> u64 {
    let (far, shift) = (weight / 64, weight % 64);
    let Some(place) = word.checked_sub(far) else { return 0 };
    // Two shifts, since a shift by 64 is not possible.
    let carry = if place > 0 { words[place - 1] >> 1 >> (63 - shift) } else { 0 };
    words[place] << shift | carry
}

/// Cells that are words of bits for sums.
struct Sum;

impl Cells for Sum {
    type Cell = u64;

    const CAPACITIES: u64 = 64;
    const UNIT: usize = LINE_BYTES / size_of::<u64>();

    #[inline(always)]
    fn reach(item: &Item) -> usize {
        item.weight / 64 + 1
    }

    #[inline(always)]
    fn raise(simd: Simd, words: &mut [u64], range: Range<usize>, item: &Item) {
        let (far, shift) = (item.weight / 64, item.weight % 64);
        let (from, mut end) = (range.start.max(far + 1), range.end);
        while far < CHUNK && end >= from + CHUNK {
            // The range that is read overlaps the range that is written.
            let start = end - CHUNK;
            let mut below = [0; CHUNK + 1];
            below.copy_from_slice(&words[start - far - 1..end - far]);
            unite(simd, &mut words[start..end], &below, shift);
            end = start;
        }
        while far >= CHUNK && end > from {
            let most = (end - from).min(far);
            let start = end - if most > CHUNK { most / CHUNK * CHUNK } else { most };
            let (below, target) = words[..end].split_at_mut(start);
            unite(simd, target, &below[start - far - 1..], shift);
            end = start;
        }
        // No words below `far` change.
        for word in (range.start.max(far)..end).rev() {
            words[word] |= moved(words, word, item.weight);
        }
    }

    #[inline(always)]
    fn fill_one(simd: Simd, source: &[u64], first: usize, target: &mut [u64], item: &Item) {
        let (weight, far, shift) = (item.weight, item.weight / 64, item.weight % 64);
        // The words that need both neighbours.
        let from = (far + 1).saturating_sub(first).min(target.len());
        for (word, target) in target[..from].iter_mut().enumerate() {
            *target = source[first + word] | moved(source, first + word, weight);
        }
        let target = &mut target[from..];
        let Some(place) = (first + from).checked_sub(far + 1) else { return };
        target.copy_from_slice(&source[first + from..][..target.len()]);
        unite(simd, target, &source[place..], shift);
    }

    fn decide(simd: Simd, words: &mut [u64], range: Range<usize>, item: &Item, bits: &mut [u64]) {
        let bits = &mut bits[..range.len()];
        bits.copy_from_slice(&words[range.clone()]);
        Self::raise(simd, words, range.clone(), item);
        bits.iter_mut().zip(&words[range]).for_each(|(bits, after)| *bits = after & !*bits);
    }

    fn decide_one(
        simd: Simd,
        source: &[u64],
        first: usize,
        target: &mut [u64],
        item: &Item,
        bits: &mut [u64],
    ) {
        Self::fill_one(simd, source, first, target, item);
        let changes = target.iter().zip(&source[first..]).map(|(after, before)| after & !before);
        bits.iter_mut().zip(changes).for_each(|(bits, changes)| *bits = changes);
    }
}

/// Merges into `target` the words that start with the upper part of `below[0]` and the lower part
/// of `below[1]`.
#[inline(always)]
fn unite(simd: Simd, target: &mut [u64], below: &[u64], shift: usize) {
    match simd {
        #[cfg(target_arch = "x86_64")]
        Simd::Avx512 => {
            let done = bits_avx512::unite(target, below, shift);
            unite_each(&mut target[done..], &below[done..], shift);
        }
        _ => unite_each(target, below, shift),
    }
}

#[inline(always)]
fn unite_each(target: &mut [u64], below: &[u64], shift: usize) {
    let (low, high) = (&below[..target.len()], &below[1..][..target.len()]);
    for ((target, &low), &high) in target.iter_mut().zip(low).zip(high) {
        *target |= high << shift | low >> 1 >> (63 - shift);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{cpu_context, monitor};

    fn on_threads(threads: usize) -> (Context, Monitor) {
        (cpu_context(threads), monitor())
    }

    /// The row after some items, computed bit by bit.
    fn shifted(words: &[u64], weights: &[usize]) -> Vec<u64> {
        let mut bits: Vec<bool> =
            (0..words.len() * 64).map(|i| words[i / 64] >> (i % 64) & 1 == 1).collect();
        for &weight in weights {
            for i in (weight..bits.len()).rev() {
                bits[i] |= bits[i - weight];
            }
        }
        bits.chunks(64).map(|bits| (0..64).map(|i| u64::from(bits[i]) << i).sum()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Rows too short for parts and rows in parts, with items of one word and of many.
        #[test]
        fn rows_are_those_of_plain_shifts(
            (words, weights) in prop_oneof![
                (1usize..40).boxed(),
                (200usize..3000).boxed(),
                Just(40_003).boxed(),
            ].prop_flat_map(|words| {
                let most = words * 64;
                let weight = prop_oneof![1..most.min(1100), 1..most.min(90_000), 1..most];
                (Just(words), proptest::collection::vec(weight, 1..9))
            }),
            first in any::<u64>(),
            threads in 1usize..4,
            is_baseline in any::<bool>(),
        ) {
            let (context, monitor) = on_threads(threads);
            let mut cpu = Cpu::<Sum>::new(&context, &monitor);
            cpu.simd = if is_baseline { Simd::Baseline } else { cpu.simd };
            let mut row = Table::zeroed(words).unwrap();
            row[0] = first;
            row[words / 2] ^= first.rotate_left(17);
            let item = |&weight: &usize| Item { profit: weight as i64, weight, piece: 0 };
            let items: Vec<Item> = weights.iter().map(item).collect();
            let found = cpu.advance(&row, &items, 0).unwrap();
            prop_assert!(found[..] == shifted(&row, &weights), "{words} words");
        }

        /// Words of few bits and of many, and rows that end within a byte, a word or a stretch, or
        /// with one of them.
        #[test]
        fn values_are_the_last_sums(
            stretches in 0usize..3,
            more in prop_oneof![0usize..10, 55usize..75, Just(VALUES / 2)],
            words in proptest::collection::vec(prop_oneof![Just(0), any::<u64>(), (0..64u64).prop_map(|i| 1 << i)], 1..9),
            gap in 1usize..3000,
            threads in 1usize..4,
        ) {
            let cells = (stretches * VALUES + more).max(1);
            let mut row = Table::zeroed(cells.div_ceil(64)).unwrap();
            for (place, word) in row.iter_mut().step_by(gap).zip(words.iter().cycle()) {
                *place = *word;
            }
            let bits = Bits { words: row, cells };
            let (context, monitor) = on_threads(threads);
            let values = bits.values(&context, &monitor).unwrap();
            prop_assert_eq!(values.len(), cells);
            let mut last = 0;
            for (cell, &value) in values.iter().enumerate() {
                last = if bits.get(cell) { cell as u64 } else { last };
                prop_assert_eq!(value, last, "of {}", cell);
            }
        }
    }
}
