//! Pricing by dynamic programming over the load, in whole numbers: finds the most valuable pattern.

use super::job_types::{JobTypes, Pattern};
use crate::Result;
use crate::memory::Grow;

/// A job that a pattern may contain.
struct Item {
    kind: u32,
    time: usize,
    value: u32,
}

/// Table of the most valuable patterns for all loads up to a capacity.
pub(super) struct Pricing {
    capacity: usize,
    items: Vec<Item>,
    /// Row i: the largest value of the first i items for each load.
    table: Vec<u32>,
}

impl Pricing {
    /// Number of cells of the table for these types.
    #[inline]
    pub(super) fn cells(types: &JobTypes, capacity: u64) -> u128 {
        let items: u128 = (0..types.len())
            .map(|kind| u128::from(u64::from(types.counts[kind]).min(capacity / types.times[kind])))
            .sum();
        (items + 1) * (u128::from(capacity) + 1)
    }

    pub(super) fn new(capacity: u64) -> Self {
        Pricing { capacity: capacity as usize, items: Vec::new(), table: Vec::new() }
    }

    /// Fills the table for jobs of these values. The value of every pattern within the capacity
    /// must fit 32 bits.
    pub(super) fn fill(&mut self, types: &JobTypes, values: &[u32]) -> Result<()> {
        self.items.clear();
        // Shortest first, so that rows differ only in their upper parts.
        for kind in (0..types.len()).rev() {
            let time = types.times[kind] as usize;
            let copies = match values[kind] {
                0 => 0,
                _ => (types.counts[kind] as usize).min(self.capacity / time),
            };
            let item = || Item { kind: kind as u32, time, value: values[kind] };
            self.items.try_extend(std::iter::repeat_with(item).take(copies))?;
        }
        let width = self.capacity + 1;
        self.table.try_resize((self.items.len() + 1) * width, 0)?;
        self.table[..width].fill(0);
        for (row, item) in self.items.iter().enumerate() {
            let (above, below) = self.table[row * width..][..2 * width].split_at_mut(width);
            below[..item.time].copy_from_slice(&above[..item.time]);
            let without = &above[item.time..];
            let with = &above[..width - item.time];
            for ((cell, &without), &with) in below[item.time..].iter_mut().zip(without).zip(with) {
                *cell = without.max(with + item.value);
            }
        }
        Ok(())
    }

    /// Cells of the table at its latest fill.
    pub(super) fn size(&self) -> u64 {
        self.table.len() as u64
    }

    /// The largest value of a pattern whose load is at most `load`.
    pub(super) fn value(&self, load: u64) -> u32 {
        self.row(self.items.len())[load as usize]
    }

    /// The least load, up to the capacity, of a pattern with at least this value.
    pub(super) fn least_load(&self, value: u64) -> Option<u64> {
        let row = self.row(self.items.len());
        let load = row.partition_point(|&best| u64::from(best) < value);
        (load < row.len()).then_some(load as u64)
    }

    /// A pattern of the largest value whose load is at most `load`.
    pub(super) fn pattern(&self, load: u64) -> Pattern {
        let mut pattern = Pattern::new();
        let mut load = load as usize;
        for (row, item) in self.items.iter().enumerate().rev() {
            if self.row(row)[load] != self.row(row + 1)[load] {
                pattern.push(item.kind);
                load -= item.time;
            }
        }
        pattern
    }

    #[inline]
    fn row(&self, row: usize) -> &[u32] {
        &self.table[row * (self.capacity + 1)..][..self.capacity + 1]
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::ops::Range;

    use super::*;
    use proptest::prelude::*;

    /// Fewer than `end` types of jobs with times in `times`, and their values.
    pub(in super::super) fn types_and_values(
        times: Range<u64>,
        end: usize,
    ) -> impl Strategy<Value = (JobTypes, Vec<u32>)> {
        prop::collection::btree_map(times, (1u32..4, 0u32..50), 1..end).prop_map(|jobs| {
            let (counts, values) = jobs.values().rev().copied().unzip();
            (JobTypes { times: jobs.into_keys().rev().collect(), counts }, values)
        })
    }

    proptest! {
        #[test]
        fn no_pattern_is_worth_more((types, values) in types_and_values(1..30, 5), capacity in 30u64..90) {
            let mut pricing = Pricing::new(capacity);
            pricing.fill(&types, &values).unwrap();
            let mut best = 0;
            let all: u32 = types.counts.iter().map(|&count| count + 1).product();
            for mut code in 0..all {
                let (mut load, mut value) = (0, 0);
                for ((&time, &most), &worth) in types.times.iter().zip(&types.counts).zip(&values) {
                    let count = code % (most + 1);
                    code /= most + 1;
                    load += time * u64::from(count);
                    value += worth * count;
                }
                if load <= capacity {
                    best = best.max(value);
                }
            }
            prop_assert_eq!(pricing.value(capacity), best);
            let pattern = pricing.pattern(capacity);
            prop_assert!(pattern.is_sorted() && types.load(&pattern) <= capacity);
            prop_assert_eq!(pattern.iter().map(|&kind| values[kind as usize]).sum::<u32>(), best);
            let least = pricing.least_load(u64::from(best)).unwrap();
            prop_assert!(pricing.value(least) == best && (least == 0 || pricing.value(least - 1) < best));
        }
    }
}
