//! First-fit and best-fit decreasing (Johnson, Demers, Ullman, Garey and Graham 1974). First-fit decreasing uses
//! at most 11/9 of the optimum and 6/9 of a piece more (Dósa 2007).
//!
//! Pieces that are cut alike are kept as one group, so that the work grows with the number of sizes and not with
//! the demands. An item that goes where it is put first or best also goes there the next time while it still
//! fits, so a whole group is filled before the next.

use super::packing::{Cut, Pattern};
use super::sizes::Size;
use crate::solve::Monitor;

/// The piece an item is cut from, among those with enough length left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// The one begun first.
    First,
    /// The one with least left.
    Best,
}

/// Cuts the sizes from the longest. Once a stop is asked for, each goes on where the last one ended, which takes
/// no time: there always is a packing.
pub(super) fn decreasing(sizes: &[Size], stock_length: u64, fit: Fit, monitor: &Monitor) -> Vec<Pattern> {
    let mut groups: Vec<Group> = Vec::new();
    for (item, &Size { length, demand }) in (0..).zip(sizes) {
        let mut wanted = Wanted { item, length, count: demand };
        let mut index = 0;
        if monitor.should_stop() {
            index = groups.len().saturating_sub(1);
        } else if fit == Fit::Best {
            groups.sort_by_key(|group| group.left);
            index = groups.partition_point(|group| group.left < length);
        }
        while index < groups.len() && wanted.count > 0 {
            if groups[index].left < length {
                index += 1;
                continue;
            }
            let parts = wanted.cut_from(&groups[index]);
            let next = index + parts.len();
            groups.splice(index..=index, parts);
            index = next;
        }
        if wanted.count > 0 {
            // A piece for each item is enough; those left whole go back to the stock.
            let pattern = Pattern { pieces: wanted.count, cuts: Vec::new() };
            let parts = wanted.cut_from(&Group { pattern, left: stock_length });
            groups.extend(parts.into_iter().filter(|group| !group.pattern.cuts.is_empty()));
        }
    }
    groups.into_iter().map(|group| group.pattern).collect()
}

/// Pieces cut alike.
struct Group {
    pattern: Pattern,
    /// Length left of each.
    left: u64,
}

/// Items of one size that are still to be cut.
struct Wanted {
    item: u32,
    length: u64,
    count: u32,
}

impl Wanted {
    /// Cuts as many items as wanted and possible from the pieces of a group with room for one, one piece after the
    /// other. Returns what the group becomes in the pieces' order: those with as many items as fit, one with
    /// fewer, those left alone.
    fn cut_from(&mut self, group: &Group) -> Vec<Group> {
        let Group { pattern: Pattern { pieces, cuts }, left } = group;
        let fitting = u32::try_from(left / self.length).unwrap_or(u32::MAX).min(self.count);
        let mut pieces = *pieces;
        let mut parts = Vec::new();
        for count in [fitting, self.count % fitting] {
            let taken = self.count.checked_div(count).unwrap_or(0).min(pieces);
            if taken > 0 {
                let mut cuts = cuts.clone();
                cuts.push(Cut { item: self.item, count });
                let left = left - self.length * u64::from(count);
                parts.push(Group { pattern: Pattern { pieces: taken, cuts }, left });
                self.count -= taken * count;
                pieces -= taken;
            }
        }
        if pieces > 0 {
            parts.push(Group { pattern: Pattern { pieces, cuts: cuts.clone() }, left: *left });
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::solve::SolveOptions;

    /// What is left of each piece used, sorted.
    fn grouped(sizes: &[Size], stock_length: u64, fit: Fit) -> Vec<u64> {
        let patterns = decreasing(sizes, stock_length, fit, &Monitor::new(&SolveOptions::default()));
        let left = patterns.iter().flat_map(|pattern| {
            let cut = |cut: &Cut| sizes[cut.item as usize].length * u64::from(cut.count);
            let used: u64 = pattern.cuts.iter().map(cut).sum();
            vec![stock_length - used; pattern.pieces as usize]
        });
        let mut left: Vec<u64> = left.collect();
        left.sort_unstable();
        left
    }

    /// The rule word for word, item by item.
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
        left.sort_unstable();
        left
    }

    proptest! {
        #[test]
        fn groups_change_nothing(
            sizes in prop::collection::btree_map(1u64..40, 1u32..9, 0..12),
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
        let sizes = [Size { length: 7, demand: 2_000_000_001 }, Size { length: 3, demand: 2_000_000_000 }];
        let patterns = decreasing(&sizes, 10, Fit::First, &Monitor::new(&SolveOptions::default()));
        assert_eq!(patterns.iter().map(|pattern| pattern.pieces).sum::<u32>(), 2_000_000_001);
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
