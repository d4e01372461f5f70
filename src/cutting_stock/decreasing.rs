//! First-fit and best-fit decreasing (Johnson, Demers, Ullman, Garey and Graham 1974). First-fit
//! decreasing uses at most 11/9 of the optimum plus 6/9 of a piece (Dósa 2007).
//!
//! Pieces with the same cuts are kept as one group, so that the work grows with the number of sizes
//! and not with the demands. The first or best piece for an item stays that for the next item of
//! its size, as long as it fits, so a whole group is filled before the next one. Since lengths
//! decrease, a group that holds one size also holds the next until it is cut. A group is therefore
//! examined only when it first holds the present size and when it is cut, each in logarithmic time.

use std::collections::BTreeMap;
use std::mem;

use super::packing::{Cut, Pattern};
use super::sizes::Size;
use crate::solve::Monitor;

/// The rule that chooses a piece for an item, among those with enough length left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// The piece begun first.
    First,
    /// The piece with least length left.
    Best,
}

/// Cuts the sizes, longest first. After a stop request, next-fit cuts the other sizes, which takes
/// little time: there always is a packing.
pub(super) fn decreasing(
    sizes: &[Size],
    stock_length: u64,
    fit: Fit,
    monitor: &Monitor,
) -> Vec<Pattern> {
    let mut pieces = Pieces::new(fit, stock_length);
    let mut left = (0..).zip(sizes.iter().copied());
    for (item, size) in left.by_ref() {
        pieces.cut(item, size);
        if monitor.check_step(item as usize).is_err() {
            break;
        }
    }
    pieces.next_fit(left)
}

/// The pieces begun so far, in groups.
struct Pieces {
    fit: Fit,
    stock_length: u64,
    /// Number of the next piece.
    next: u32,
    /// Groups that hold the present size; the next one to cut is first.
    roomy: BTreeMap<(u64, u32), Group>,
    /// The other groups, by the length left.
    tight: BTreeMap<(u64, u32), Group>,
}

/// Consecutively numbered pieces with the same cuts.
struct Group {
    pattern: Pattern,
    /// Number of the first piece.
    first: u32,
    /// Length left on each piece.
    left: u64,
}

/// Items of one size that are still to be cut.
struct Wanted {
    item: u32,
    length: u64,
    count: u32,
}

impl Pieces {
    fn new(fit: Fit, stock_length: u64) -> Self {
        let (roomy, tight) = (BTreeMap::new(), BTreeMap::new());
        Pieces { fit, stock_length, next: 0, roomy, tight }
    }

    /// Cuts the items of a size, which is shorter than all earlier ones.
    fn cut(&mut self, item: u32, Size { length, demand }: Size) {
        let mut wanted = Wanted { item, length, count: demand };
        while let Some(group) = self.tight.last_entry().filter(|group| group.key().0 >= length) {
            let group = group.remove();
            self.keep(group, length);
        }
        while wanted.count > 0 {
            let group = match self.roomy.pop_first() {
                Some((_, group)) => group,
                None => self.begin(&wanted),
            };
            for part in wanted.cut_from(group).into_iter().flatten() {
                self.keep(part, length);
            }
        }
    }

    /// Begins as many new pieces as the items need.
    fn begin(&mut self, wanted: &Wanted) -> Group {
        let each = u32::try_from(self.stock_length / wanted.length).unwrap_or(u32::MAX);
        let pieces = wanted.count.div_ceil(each);
        let first = self.next;
        self.next += pieces;
        Group { pattern: Pattern { pieces, cuts: Vec::new() }, first, left: self.stock_length }
    }

    /// Keeps a group for items of this length and shorter ones.
    fn keep(&mut self, group: Group, length: u64) {
        if group.left < length {
            self.tight.insert((group.left, group.first), group);
        } else {
            let rank = if self.fit == Fit::First { 0 } else { group.left };
            self.roomy.insert((rank, group.first), group);
        }
    }

    /// Cuts the remaining sizes from the last group of pieces, and from new pieces as soon as an item
    /// does not fit. Returns all patterns in the order of their pieces.
    fn next_fit(mut self, sizes: impl Iterator<Item = (u32, Size)>) -> Vec<Pattern> {
        let mut groups = self.take_all();
        for (item, Size { length, demand }) in sizes {
            let mut wanted = Wanted { item, length, count: demand };
            while wanted.count > 0 {
                let last = groups.pop_if(|group| group.left >= length);
                let group = last.unwrap_or_else(|| self.begin(&wanted));
                groups.extend(wanted.cut_from(group).into_iter().flatten());
            }
        }
        groups.into_iter().map(|group| group.pattern).collect()
    }

    /// The groups in the order of their pieces.
    fn take_all(&mut self) -> Vec<Group> {
        let (roomy, tight) = (mem::take(&mut self.roomy), mem::take(&mut self.tight));
        let mut groups: Vec<Group> = roomy.into_values().chain(tight.into_values()).collect();
        groups.sort_by_cached_key(|group| u64::from(group.first));
        groups
    }
}

impl Wanted {
    /// Cuts as many of the wanted items as possible from the pieces of a group that holds one, one
    /// piece after the other. Returns the resulting groups in the pieces' order: pieces with as
    /// many items as fit, one with fewer, and unchanged pieces.
    fn cut_from(&mut self, group: Group) -> [Option<Group>; 3] {
        let Group { pattern: Pattern { mut pieces, mut cuts }, mut first, left } = group;
        let fitting = u32::try_from(left / self.length).unwrap_or(u32::MAX).min(self.count);
        let [full, partial] = [fitting, self.count % fitting].map(|count| {
            let taken = self.count.checked_div(count).unwrap_or(0).min(pieces);
            (taken > 0).then(|| {
                // Most groups are cut as a whole.
                let mut cuts = if taken == pieces { mem::take(&mut cuts) } else { cuts.clone() };
                cuts.push(Cut { item: self.item, count });
                let left = left - self.length * u64::from(count);
                let part = Group { pattern: Pattern { pieces: taken, cuts }, first, left };
                self.count -= taken * count;
                first += taken;
                pieces -= taken;
                part
            })
        });
        let unchanged =
            (pieces > 0).then_some(Group { pattern: Pattern { pieces, cuts }, first, left });
        [full, partial, unchanged]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::solve::SolveOptions;

    /// The length left on each used piece; for first-fit in the order in which they were begun.
    fn grouped(sizes: &[Size], stock_length: u64, fit: Fit) -> Vec<u64> {
        let patterns =
            decreasing(sizes, stock_length, fit, &Monitor::new(&SolveOptions::default()));
        let left = patterns.iter().flat_map(|pattern| {
            let cut = |cut: &Cut| sizes[cut.item as usize].length * u64::from(cut.count);
            let used: u64 = pattern.cuts.iter().map(cut).sum();
            vec![stock_length - used; pattern.pieces as usize]
        });
        in_order(left.collect(), fit)
    }

    fn in_order(mut left: Vec<u64>, fit: Fit) -> Vec<u64> {
        // Best-fit may choose any of the pieces with the same length left.
        if fit == Fit::Best {
            left.sort_unstable();
        }
        left
    }

    /// The rule as defined, item by item.
    fn one_by_one(sizes: &[Size], stock_length: u64, fit: Fit) -> Vec<u64> {
        let mut left: Vec<u64> = Vec::new();
        for length in sizes.iter().flat_map(|size| vec![size.length; size.demand as usize]) {
            let fits = left.iter_mut().filter(|left| **left >= length);
            let chosen = if fit == Fit::First { fits.take(1).min() } else { fits.min() };
            match chosen {
                Some(left) => *left -= length,
                None => left.push(stock_length - length),
            }
        }
        in_order(left, fit)
    }

    proptest! {
        #[test]
        fn groups_change_nothing(
            sizes in prop::collection::btree_map(1u64..60, 1u32..9, 0..30),
            slack in 0u64..60,
        ) {
            let sizes: Vec<Size> =
                sizes.into_iter().rev().map(|(length, demand)| Size { length, demand }).collect();
            let stock_length = sizes.first().map_or(1, |size| size.length) + slack;
            for fit in [Fit::First, Fit::Best] {
                prop_assert_eq!(grouped(&sizes, stock_length, fit), one_by_one(&sizes, stock_length, fit));
            }
        }
    }

    #[test]
    fn billions_of_items_take_no_time() {
        let sizes =
            [Size { length: 7, demand: 2_000_000_001 }, Size { length: 3, demand: 2_000_000_000 }];
        let patterns = decreasing(&sizes, 10, Fit::First, &Monitor::new(&SolveOptions::default()));
        assert_eq!(patterns.iter().map(|pattern| pattern.pieces).sum::<u32>(), 2_000_000_001);
    }

    #[test]
    fn hundreds_of_thousands_of_sizes_take_no_time() {
        const SIZES: u64 = 200_000;
        let sizes: Vec<Size> = (1..=SIZES).rev().map(|length| Size { length, demand: 1 }).collect();
        for fit in [Fit::First, Fit::Best] {
            // Each item of the long half begins a piece, and each short one fills a piece exactly.
            assert_eq!(grouped(&sizes, SIZES + 1, fit), vec![0; SIZES as usize / 2]);
        }
    }

    #[test]
    fn a_stop_still_leaves_a_packing() {
        let options = SolveOptions::default();
        let stop = crate::StopHandle::new();
        stop.stop();
        let monitor = Monitor::new(&SolveOptions { stop: Some(stop), ..options });
        let sizes = [Size { length: 7, demand: 1 }, Size { length: 3, demand: 4 }];
        let patterns = decreasing(&sizes, 10, Fit::First, &monitor);
        assert_eq!(patterns.iter().map(|pattern| pattern.pieces).sum::<u32>(), 2);
    }
}
