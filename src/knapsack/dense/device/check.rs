//! Spot checks of rows: the host computes some words of a row again from the row before it.

use std::ops::Range;

use super::{Engine, LaunchPlan, Step};
use crate::context::wrong;
use crate::opencl::{Buffer, Element};
use crate::{Result, memory};

/// Most words of a row that are checked together.
const WORDS: u64 = 1 << 14;

/// A word of a row, and the effect of an item on it.
pub(in super::super) trait Word: Element + PartialEq {
    const NOTHING: Self;
    /// The kernels that fill in four items of any weight, and some light ones.
    const QUAD: &'static str;
    const FUSED: &'static str;

    /// Distances of the first and last word that an item of this weight reads for a word.
    fn reach(weight: u64) -> [u64; 2];

    /// The word at `place` of the row shifted up by the weight; `at` gives the words of the row,
    /// and is not called for words below its first.
    fn moved(place: u64, weight: u64, profit: u64, at: impl Fn(u64) -> Self) -> Self;

    /// Combines both: the larger profit, or all sums.
    fn join(self, other: Self) -> Self;
}

macro_rules! profits {
    ($($word:ty)*) => {$(
        impl Word for $word {
            const NOTHING: $word = 0;
            const QUAD: &'static str = "knapsack_quad";
            const FUSED: &'static str = "knapsack_fused";

            fn reach(weight: u64) -> [u64; 2] {
                [weight; 2]
            }

            fn moved(place: u64, weight: u64, profit: u64, at: impl Fn(u64) -> Self) -> Self {
                // No profit is below 0.
                place.checked_sub(weight).map_or(0, |below| at(below).wrapping_add(profit as $word))
            }

            fn join(self, other: Self) -> Self {
                self.max(other)
            }
        }
    )*};
}

profits!(i32 i64);

/// Bits of sums.
impl Word for u32 {
    const NOTHING: u32 = 0;
    const QUAD: &'static str = "knapsack_sums_quad";
    const FUSED: &'static str = "knapsack_sums_fused";

    fn reach(weight: u64) -> [u64; 2] {
        [weight / 32 + 1, weight / 32]
    }

    fn moved(place: u64, weight: u64, _: u64, at: impl Fn(u64) -> Self) -> Self {
        let word = |below: u64| place.checked_sub(below).map_or(0, &at);
        let both = u64::from(word(weight / 32)) << 32 | u64::from(word(weight / 32 + 1));
        (both << (weight % 32) >> 32) as u32
    }

    fn join(self, other: Self) -> Self {
        self | other
    }
}

impl<T: Word> Engine<'_, T> {
    /// Computes some words of a step's result again.
    pub(super) fn check(
        &self,
        plan: &LaunchPlan,
        step: &Step,
        source: &Buffer<T>,
        target: &Buffer<T>,
    ) -> Result<()> {
        let items = &plan.list.as_chunks::<2>().0[step.items.clone()];
        self.check_words(target, |range| self.expected(source, items, range))
    }

    /// Compares some words that were copied from position `first` on.
    pub(super) fn check_copy(&self, from: &Buffer<T>, to: &Buffer<T>, first: usize) -> Result<()> {
        let first = first as u64;
        self.check_words(to, |range| self.words(from, range.start + first..range.end + first))
    }

    fn check_words(
        &self,
        row: &Buffer<T>,
        expected: impl FnOnce(Range<u64>) -> Result<Vec<T>>,
    ) -> Result<()> {
        let mut checks = self.checks.borrow_mut();
        let wanted = checks.quota().min(WORDS).min(row.len() as u64);
        if wanted == 0 {
            return Ok(());
        }
        checks.check(|random| {
            let first = random.below(row.len() as u64 - wanted + 1);
            let range = first..first + wanted;
            match self.words(row, range.clone())? == expected(range)? {
                true => Ok(wanted),
                false => Err(wrong("a row of the table")),
            }
        })
    }

    fn words(&self, row: &Buffer<T>, range: Range<u64>) -> Result<Vec<T>> {
        let mut words = memory::filled(T::NOTHING, (range.end - range.start) as usize)?;
        self.queue.read(row, range.start as usize, &mut words)?;
        Ok(words)
    }

    /// Words of the row that these items make from another row.
    fn expected(
        &self,
        source: &Buffer<T>,
        items: &[[u64; 2]],
        range: Range<u64>,
    ) -> Result<Vec<T>> {
        let reach: u64 = items.iter().map(|&[weight, _]| T::reach(weight)[0]).sum();
        let begin = range.start.saturating_sub(reach);
        // Otherwise each selection of items reads another window of the words' length.
        let ways = 1u64 << items.len().min(32);
        if range.end - begin <= ways * (range.end - range.start) {
            let mut row = self.words(source, begin..range.end)?;
            for &[weight, profit] in items {
                // From above, so that an item is taken only once. Wrong words at the window's lower
                // end do not reach the wanted ones.
                for place in (begin..range.end).rev() {
                    let at = |below: u64| row[below.saturating_sub(begin) as usize];
                    let moved = T::moved(place, weight, profit, at);
                    let own = &mut row[(place - begin) as usize];
                    *own = own.join(moved);
                }
            }
            return Ok(row.split_off((range.start - begin) as usize));
        }
        let ([weight, profit], rest) = (items[items.len() - 1], &items[..items.len() - 1]);
        let mut row = self.expected(source, rest, range.clone())?;
        let [far, near] = T::reach(weight);
        let (begin, end) = (range.start.saturating_sub(far), range.end.saturating_sub(near));
        if begin < end {
            let below = self.expected(source, rest, begin..end)?;
            for (place, own) in range.zip(&mut row) {
                // The first words have no words below them.
                let at =
                    |place: u64| below[place.saturating_sub(begin).min(end - begin - 1) as usize];
                *own = own.join(T::moved(place, weight, profit, at));
            }
        }
        Ok(row)
    }
}
