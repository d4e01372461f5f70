//! Solvers treat equal lengths as one size: that makes the lattice smaller, and avoids many
//! equivalent items.

use std::collections::{BTreeMap, HashMap};

use super::Instance;
use super::packing::{Cut, Pattern};
use crate::memory::Gather;
use crate::solve::Monitor;
use crate::{Result, sorting};

/// Most items that are searched individually.
pub(super) const MAX_ITEMS: u64 = 10_000;

/// Items of one length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) length: u64,
    /// At least 1; the sum of all demands is at most 2^32 - 1.
    pub(super) demand: u32,
}

/// The demanded lengths, longest first.
#[derive(Debug)]
pub(super) struct Sizes {
    pub(super) list: Vec<Size>,
    /// The item types with their demands, size after size.
    types: Vec<Cut>,
    /// Where the types of each size begin, and the end of all.
    starts: Vec<usize>,
}

impl Sizes {
    /// # Errors
    /// [`Error::Stopped`](crate::Error::Stopped) if there are many item types, and
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub(super) fn new(instance: &Instance, monitor: &Monitor) -> Result<Self> {
        let (lengths, demands) = (instance.lengths(), instance.demands());
        let order = sorting::order(lengths.len(), &|item| u64::MAX - lengths[item], monitor)?;
        let types = order.into_iter().map(|item| Cut { item, count: demands[item as usize] });
        let types = types.filter(|cut| cut.count > 0).gather()?;
        let mut sizes = Sizes { list: Vec::new(), types, starts: vec![0] };
        for (step, types) in sizes
            .types
            .chunk_by(|a, b| lengths[a.item as usize] == lengths[b.item as usize])
            .enumerate()
        {
            monitor.check_later_step(step)?;
            let demand = types.iter().map(|cut| cut.count).sum();
            sizes.list.push(Size { length: lengths[types[0].item as usize], demand });
            sizes.starts.push(sizes.starts[sizes.starts.len() - 1] + types.len());
        }
        Ok(sizes)
    }

    /// The item types of each size, with their demands.
    fn types(&self) -> impl Iterator<Item = &[Cut]> {
        self.starts.windows(2).map(|range| &self.types[range[0]..range[1]])
    }

    /// Turns patterns of item types that cut the demands exactly into patterns of sizes.
    pub(super) fn of_types(&self, patterns: &[Pattern]) -> Vec<Pattern> {
        let mut size_of: HashMap<u32, u32> = HashMap::new();
        for (size, types) in (0..).zip(self.types()) {
            size_of.extend(types.iter().map(|cut| (cut.item, size)));
        }
        let cuts = |pattern: &Pattern| {
            let mut cuts: BTreeMap<u32, u32> = BTreeMap::new();
            for cut in pattern.cuts.iter().filter(|cut| cut.count > 0) {
                // The size exists, since the type is demanded.
                *cuts.entry(size_of[&cut.item]).or_default() += cut.count;
            }
            cuts.into_iter().map(|(item, count)| Cut { item, count }).collect()
        };
        let used = patterns.iter().filter(|pattern| pattern.pieces > 0);
        let used = used.map(|pattern| Pattern { pieces: pattern.pieces, cuts: cuts(pattern) });
        used.filter(|pattern| !pattern.cuts.is_empty()).collect()
    }

    /// Turns patterns of sizes that cut the demands exactly into patterns of item types. The types
    /// of a size are served one after the other, so that each splits at most one pattern.
    pub(super) fn name_types(&self, patterns: &[Pattern]) -> Vec<Pattern> {
        let mut wanted = Wanted::new(self);
        let mut named = Vec::new();
        for pattern in patterns {
            let mut left = pattern.pieces;
            while left > 0 {
                // As many pieces as the same types suffice for.
                let same = |cut: &Cut| (wanted.next(cut.item).count / cut.count).max(1);
                let pieces = pattern.cuts.iter().map(same).fold(left, u32::min);
                let mut cuts = Vec::with_capacity(pattern.cuts.len());
                for cut in &pattern.cuts {
                    wanted.take(cut, pieces, &mut cuts);
                }
                named.push(Pattern { pieces, cuts });
                left -= pieces;
            }
        }
        named
    }
}

/// The items of each size that are still to be cut.
struct Wanted {
    /// The item types, size after size, with what is left of each.
    types: Vec<Cut>,
    /// The first type of each size with something left.
    next: Vec<usize>,
}

impl Wanted {
    fn new(sizes: &Sizes) -> Self {
        Wanted { types: sizes.types.clone(), next: sizes.starts.clone() }
    }

    /// The item type of a size that is served next.
    fn next(&self, size: u32) -> Cut {
        self.types[self.next[size as usize]]
    }

    /// Takes the items that a cut of a size takes from that number of pieces, and adds those of one
    /// piece to the list. Several pieces take the same types.
    fn take(&mut self, cut: &Cut, pieces: u32, cuts: &mut Vec<Cut>) {
        let mut left = cut.count;
        while left > 0 {
            let next = &mut self.next[cut.item as usize];
            let of_type = &mut self.types[*next];
            let taken = of_type.count.min(left);
            cuts.push(Cut { item: of_type.item, count: taken });
            of_type.count -= taken * pieces;
            left -= taken;
            if of_type.count == 0 {
                *next += 1;
            }
        }
    }
}

/// Number of all items.
pub(super) fn items(sizes: &[Size]) -> u64 {
    sizes.iter().map(|size| u64::from(size.demand)).sum()
}

#[cfg(test)]
mod tests {
    use super::super::Packing;
    use super::*;
    use crate::testing::monitor;

    #[test]
    fn equal_lengths_are_one_size() {
        let instance = Instance::new(vec![3, 5, 3, 4, 3], vec![2, 1, 4, 0, 1], 10).unwrap();
        let sizes = Sizes::new(&instance, &monitor()).unwrap();
        assert_eq!(sizes.list, [Size { length: 5, demand: 1 }, Size { length: 3, demand: 7 }]);
    }

    #[test]
    fn each_type_gets_its_items_back() {
        let instance = Instance::new(vec![3, 5, 3, 4, 3], vec![2, 1, 8, 0, 1], 10).unwrap();
        let sizes = Sizes::new(&instance, &monitor()).unwrap();
        let cuts =
            |list: &[(u32, u32)]| list.iter().map(|&(item, count)| Cut { item, count }).collect();
        let patterns = [
            Pattern { pieces: 1, cuts: cuts(&[(0, 1), (1, 1)]) },
            Pattern { pieces: 5, cuts: cuts(&[(1, 2)]) },
        ];
        let named = sizes.name_types(&patterns);
        let expected = [
            Pattern { pieces: 1, cuts: cuts(&[(1, 1), (0, 1)]) },
            Pattern { pieces: 1, cuts: cuts(&[(0, 1), (2, 1)]) },
            Pattern { pieces: 3, cuts: cuts(&[(2, 2)]) },
            Pattern { pieces: 1, cuts: cuts(&[(2, 1), (4, 1)]) },
        ];
        assert_eq!(named, expected);
        let idle = [
            Pattern { pieces: 0, cuts: cuts(&[(3, 1)]) },
            Pattern { pieces: 9, cuts: cuts(&[(3, 0)]) },
        ];
        let sizes = sizes.of_types(&[named.clone(), idle.to_vec()].concat());
        let pieces: Vec<_> = sizes.iter().map(|pattern| (pattern.pieces, &*pattern.cuts)).collect();
        let (both, two) = (cuts(&[(0, 1), (1, 1)]), cuts(&[(1, 2)]));
        assert_eq!(pieces, [(1, &*both), (1, &*two), (3, &*two), (1, &*two)]);
        assert_eq!(Packing::new(named).stock_pieces(&instance).unwrap(), 6);
    }
}
