//! Selects the best of many candidates.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number, shared by all collections of one level, above which no candidate is among the best.
pub(super) struct Threshold(AtomicU64);

impl Threshold {
    pub(super) fn new() -> Self {
        Threshold(AtomicU64::new(u64::MAX))
    }
}

/// Keeps at least the `limit` smallest numbers, and drops others when it needs room. All numbers
/// differ, so that the final selection does not depend on the order of insertion.
pub(super) struct Best<'a> {
    limit: usize,
    kept: Vec<u64>,
    threshold: &'a Threshold,
    /// Whether any number was dropped.
    dropped: bool,
}

impl<'a> Best<'a> {
    pub(super) fn new(limit: usize, threshold: &'a Threshold) -> Self {
        Best { limit, kept: Vec::new(), threshold, dropped: false }
    }

    #[inline]
    pub(super) fn push(&mut self, number: u64) {
        if number > self.threshold.0.load(Ordering::Relaxed) {
            self.dropped = true;
            return;
        }
        self.kept.push(number);
        if self.kept.len() >= 2 * self.limit + SLACK {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        if self.kept.len() > self.limit {
            let (_, &mut largest, _) = self.kept.select_nth_unstable(self.limit - 1);
            self.kept.truncate(self.limit);
            self.threshold.0.fetch_min(largest, Ordering::Relaxed);
            self.dropped = true;
        }
    }

    /// The `limit` smallest numbers of all collections, in no particular order, and whether there
    /// were more.
    pub(super) fn merge(parts: Vec<Best<'a>>, limit: usize) -> (Vec<u64>, bool) {
        let mut dropped = parts.iter().any(|part| part.dropped);
        let mut all: Vec<u64> = parts.into_iter().flat_map(|part| part.kept).collect();
        if all.len() > limit {
            all.select_nth_unstable(limit - 1);
            all.truncate(limit);
            dropped = true;
        }
        (all, dropped)
    }
}

/// Extra room above twice the limit, so that small collections rarely shrink.
const SLACK: usize = 64;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_smallest_are_kept(limit in 1usize..40, parts in 1usize..4, seed in any::<u64>(), count in 0usize..600) {
            let mut random = crate::random::Random::new(seed);
            let mut numbers: Vec<u64> = (0..count).map(|_| random.next()).collect();
            let threshold = Threshold::new();
            let mut collections: Vec<_> = (0..parts).map(|_| Best::new(limit, &threshold)).collect();
            numbers.iter().enumerate().for_each(|(i, &number)| collections[i % parts].push(number));
            let (mut kept, dropped) = Best::merge(collections, limit);
            kept.sort();
            numbers.sort();
            prop_assert_eq!(dropped, numbers.len() > limit);
            numbers.truncate(limit);
            prop_assert_eq!(kept, numbers);
        }
    }
}
