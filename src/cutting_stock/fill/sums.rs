//! Reachable sums of lengths, with which the search for full pieces looks ahead before each cut.

/// Bits of a word.
const BITS: u64 = u64::BITS as u64;

/// For each kind of item, longest first, the sums that some items of this kind and of shorter kinds
/// have.
#[derive(Default)]
pub(super) struct Sums {
    /// Words of a row.
    words: usize,
    /// The first kind with a row; for earlier kinds, every sum counts as reachable.
    first: usize,
    /// A row of bits for no kinds, then one for each kind from the shortest to the first.
    rows: Vec<u64>,
    /// Memory for one more row.
    before: Vec<u64>,
}

impl Sums {
    /// Computes the sums up to `most` of `counts` items of each length, with rows for as many of
    /// the shortest kinds as `memory` words hold.
    pub(super) fn compute(&mut self, lengths: &[u64], counts: &[u32], most: u64, memory: usize) {
        let words =
            usize::try_from(most / BITS).map_or(usize::MAX, |words| words.saturating_add(1));
        let mut rows = (memory / words).min(lengths.len() + 1);
        self.rows.clear();
        self.before.clear();
        // Without memory there is no look-ahead, and the search is slower.
        if self.rows.try_reserve_exact(rows * words).is_err()
            || (rows > 0 && self.before.try_reserve_exact(words).is_err())
        {
            rows = 0;
        }
        (self.words, self.first) = (words, lengths.len() + 1 - rows);
        if rows == 0 {
            return;
        }
        self.rows.resize(words, 0);
        self.rows[0] = 1;
        for kind in (self.first..lengths.len()).rev() {
            self.add_row(lengths[kind], u64::from(counts[kind]).min(most / lengths[kind]));
        }
    }

    /// Adds the row of a kind with `left` items.
    fn add_row(&mut self, length: u64, mut left: u64) {
        let start = self.rows.len();
        self.rows.extend_from_within(start - self.words..);
        let (shorter, own) = self.rows.split_at_mut(start);
        let before = &mut self.before;
        before.clear();
        before.extend_from_slice(&shorter[start - self.words..]);
        // Parts of 1, 2, 4, ... items and the rest: every number of items is a sum of some parts.
        let mut part = 1;
        while left > 0 {
            let items = left.min(part);
            if part > 1 {
                before.copy_from_slice(own);
            }
            add_shifted(before, own, items * length);
            left -= items;
            part *= 2;
        }
    }

    /// The largest sum of items of this kind and shorter ones that is at most `room` and at most
    /// `waste` below it.
    pub(super) fn greatest(&self, kind: usize, room: u64, waste: u64) -> Option<u64> {
        if kind < self.first {
            return Some(room);
        }
        let row =
            &self.rows[self.rows.len() - (kind - self.first + 1) * self.words..][..self.words];
        let least = room.saturating_sub(waste);
        let mut word = (room / BITS) as usize;
        let mut bits = row[word] & (u64::MAX >> (BITS - 1 - room % BITS));
        loop {
            if bits != 0 {
                let sum = word as u64 * BITS + u64::from(bits.ilog2());
                return (sum >= least).then_some(sum);
            }
            if word as u64 * BITS <= least {
                return None;
            }
            word -= 1;
            bits = row[word];
        }
    }
}

/// Adds to a set of sums those of another set, each larger by `shift`.
fn add_shifted(sums: &[u64], to: &mut [u64], shift: u64) {
    let (words, bits) = ((shift / BITS) as usize, shift % BITS);
    let Some((first, rest)) = to.get_mut(words..).and_then(<[u64]>::split_first_mut) else {
        return;
    };
    *first |= sums[0] << bits;
    for (to, pair) in rest.iter_mut().zip(sums.windows(2)) {
        // Two shifts, since a shift by 64 bits is not possible.
        *to |= pair[1] << bits | pair[0] >> 1 >> (BITS - 1 - bits);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_greatest_sum_is_one_and_no_other_is_between(
            kinds in prop::collection::btree_map(1u64..100, 0u32..6, 1..6),
            most in 1u64..300, memory in 0usize..40, waste in 0u64..200,
        ) {
            let (lengths, counts): (Vec<u64>, Vec<u32>) = kinds.into_iter().rev().unzip();
            let mut sums = Sums::default();
            sums.compute(&lengths, &counts, most, memory);
            for first in 0..=lengths.len() {
                let mut reached = vec![0u64];
                for kind in first..lengths.len() {
                    let with = |&sum: &u64| (0..=counts[kind]).map(move |count| (sum, count));
                    let length = lengths[kind];
                    reached = reached.iter().flat_map(with).map(|(sum, count)| sum + length * u64::from(count)).collect();
                }
                for room in 0..=most {
                    let expected = match first < sums.first {
                        true => Some(room),
                        false => reached.iter().copied().filter(|&sum| sum <= room && sum + waste >= room).max(),
                    };
                    prop_assert_eq!(sums.greatest(first, room, waste), expected);
                }
            }
        }
    }
}
