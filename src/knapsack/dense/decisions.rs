//! Decisions on the CPU: for each item and capacity one bit, 1 if the item is taken. They are
//! recorded while items are filled into a row together, so that the row is not filled again for
//! them.

use super::{Item, too_large};
use crate::Result;
use crate::solve::Monitor;
use crate::table::Table;

/// Larger memory for decisions is not kept for reuse.
pub(super) const KEPT_BYTES: u64 = 1 << 26;
const WORD_BYTES: u64 = size_of::<u64>() as u64;

/// Memory for the decisions on some items and cells.
pub(super) struct Decisions {
    /// Item after item; there may be more than are used. Decisions on cells that were not requested
    /// are undefined.
    words: Table<u64>,
    /// Words of each item.
    each: usize,
}

impl Decisions {
    /// Reuses `kept` if it is large enough.
    pub(super) fn new(
        kept: Option<Decisions>,
        items: usize,
        each: usize,
        monitor: &Monitor,
    ) -> Result<Decisions> {
        let bytes = Self::bytes_of(items, each);
        let refused = || too_large(each as u64 * 64, bytes.into(), monitor.memory_bytes());
        let words = match kept {
            Some(kept) if kept.bytes() >= bytes => kept.words,
            _ => Table::zeroed((bytes / WORD_BYTES) as usize).ok_or_else(refused)?,
        };
        Ok(Decisions { words, each })
    }

    /// Bytes of the decisions on some items with `each` words each.
    pub(super) fn bytes_of(items: usize, each: usize) -> u64 {
        (items as u64).saturating_mul(each as u64).saturating_mul(WORD_BYTES)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.words.len() as u64 * WORD_BYTES
    }

    /// Traceback from a capacity after the items; calls `take` with each item taken, the last one
    /// first. Returns the capacity left before them.
    pub(super) fn traceback(
        &self,
        items: &[Item],
        mut capacity: usize,
        take: &mut dyn FnMut(&Item),
    ) -> usize {
        for (item, bits) in items.iter().zip(self.words.chunks_exact(self.each)).rev() {
            if capacity >= item.weight && bits[capacity / 64] >> (capacity % 64) & 1 == 1 {
                take(item);
                capacity -= item.weight;
            }
        }
        capacity
    }
}

/// Destination of decisions: for each item the words of a stretch of cells. Without items, nothing
/// is recorded.
#[derive(Default)]
pub(super) struct Notes<'a> {
    items: Vec<&'a mut [u64]>,
}

impl<'a> Notes<'a> {
    pub(super) fn new(decisions: &'a mut Decisions) -> Self {
        Notes { items: decisions.words.chunks_exact_mut(decisions.each).collect() }
    }

    /// The words of an item.
    pub(super) fn of(&mut self, item: usize) -> Option<&mut [u64]> {
        self.items.get_mut(item).map(|words| &mut **words)
    }

    /// Splits off the first items.
    #[inline]
    pub(super) fn first(&mut self, items: usize) -> Self {
        let rest = self.items.split_off(items.min(self.items.len()));
        Notes { items: std::mem::replace(&mut self.items, rest) }
    }

    /// Splits the words from `first` on into parts of `part` words.
    pub(super) fn parts(self, first: usize, part: usize) -> impl Iterator<Item = Notes<'a>> + Send {
        let mut parts: Vec<Self> = Vec::new();
        for words in self.items {
            for (index, words) in words[first..].chunks_mut(part).enumerate() {
                if index == parts.len() {
                    parts.push(Notes::default());
                }
                parts[index].items.push(words);
            }
        }
        parts.into_iter().chain(std::iter::repeat_with(Notes::default))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::profits::Profit;
    use super::super::sweep::Cpu;
    use super::*;
    use crate::knapsack::blocks::{Cell, decision};
    use crate::simd::Simd;
    use crate::testing::{cpu_context, monitor};

    /// Fills items into a row one by one; returns the cells and, item by item, whether each takes
    /// it.
    fn plain(mut cells: Vec<i64>, items: &[Item]) -> (Vec<i64>, Vec<Vec<bool>>) {
        let fill = |item: &Item| {
            let before = cells.clone();
            for cell in item.weight..cells.len() {
                cells[cell] = cells[cell].max(before[cell - item.weight] + item.profit);
            }
            cells.iter().zip(before).map(|(after, before)| *after > before).collect()
        };
        let taken = items.iter().map(fill).collect();
        (cells, taken)
    }

    fn check<T: Cell>(
        (profits, items): (&[i64], &[Item]),
        from: usize,
        threads: usize,
        is_baseline: bool,
    ) -> Result<(), TestCaseError> {
        let (context, monitor) = (cpu_context(threads), monitor());
        let mut cpu = Cpu::<Profit<T>>::new(&context, &monitor);
        cpu.simd = if is_baseline { Simd::Baseline } else { cpu.simd };
        let mut row = Table::zeroed(profits.len()).unwrap();
        row.iter_mut().zip(profits).for_each(|(cell, &profit)| *cell = T::from_profit(profit));
        let mut decisions =
            Decisions::new(None, items.len(), row.len().div_ceil(64), &monitor).unwrap();
        // Reused memory has arbitrary contents.
        decisions.words.fill(0xa5a5_5a5a_1234_fedc);
        let after = cpu.advance_noting(&row, items, from, Notes::new(&mut decisions)).unwrap();
        let (expected, taken) = plain(profits.to_vec(), items);
        let found = after[from..].iter().map(|&cell| cell.into());
        prop_assert!(found.eq(expected[from..].iter().copied()));
        prop_assert!(cpu.advance(&row, items, from).unwrap()[from..] == after[from..]);
        let mut from = from;
        for ((item, bits), taken) in
            items.iter().zip(decisions.words.chunks(decisions.each)).zip(&taken).rev()
        {
            let first = from.max(item.weight);
            let decided = (first..row.len()).map(|cell| decision(bits, cell));
            prop_assert!(
                decided.eq(taken[first..].iter().copied()),
                "item of weight {}",
                item.weight
            );
            from = from.saturating_sub(item.weight);
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Rows too short for parts and rows in parts, with items lighter than a word and items
        /// that are filled singly.
        #[test]
        fn decisions_are_those_of_the_definition(
            (cells, weights) in prop_oneof![1usize..400, Just(8192), Just(40_003), Just(70_000)].prop_flat_map(|cells| {
                let weight = prop_oneof![1..cells.min(70) + 1, 1..cells.min(1500) + 1, 1..cells + 1];
                (Just(cells), proptest::collection::vec(weight, 0..9))
            }),
            from in any::<proptest::sample::Index>(),
            profits in proptest::collection::vec(1i64..40, 9),
            threads in 1usize..4,
            is_baseline in any::<bool>(),
            is_wide in any::<bool>(),
        ) {
            // Irregular cells, most of which are raised.
            let row: Vec<i64> = (0..cells as i64).map(|cell| cell * cell % 61).collect();
            let item = |(&weight, &profit): (&usize, &i64)| Item { profit, weight, piece: 0 };
            let items: Vec<Item> = weights.iter().zip(&profits).map(item).collect();
            let check = if is_wide { check::<i64> } else { check::<i32> };
            check((&row, &items), from.index(cells), threads, is_baseline)?;
        }
    }
}
