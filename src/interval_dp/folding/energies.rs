//! The energies of Zuker's model.

use super::base::Base;
use crate::{Error, Result};

/// Most unpaired bases of an interior loop, and the last size in the tables of energies.
pub const LARGEST_LOOP: usize = 30;
/// Least bases of a hairpin loop.
pub const LEAST_HAIRPIN: usize = 3;
/// The kinds of pairs.
pub(super) const KINDS: usize = 6;
/// The places of pairs in [`Energies::stack`], by their first and last base.
const KIND_OF: [[Option<usize>; 4]; 4] = [
    [None, None, None, Some(4)],
    [None, None, Some(0), None],
    [None, Some(1), None, Some(2)],
    [Some(5), None, Some(3), None],
];

/// A simple model of energies, in tenths of kcal/mol. The energy of a structure is the sum over its
/// loops, and the bases outside all pairs cost nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Energies {
    /// Of a pair directly around another one, by the outer pair and by the inner one. The order is
    /// CG, GC, GU, UG, AU, UA, the first base first.
    pub stack: [[i32; 6]; 6],
    /// Of a hairpin loop by its unpaired bases. Entries below [`LEAST_HAIRPIN`] are not used, and
    /// the last one is for larger loops, too.
    pub hairpin: [i32; LARGEST_LOOP + 1],
    /// Of a bulge by its unpaired bases, from 1 on.
    pub bulge: [i32; LARGEST_LOOP + 1],
    /// Of an interior loop with unpaired bases on both sides by the number of both, from 2 on.
    pub interior: [i32; LARGEST_LOOP + 1],
    /// Of a loop with three or more pairs.
    pub multi: i32,
    /// Of each pair of such a loop.
    pub branch: i32,
    /// Of each unpaired base of such a loop.
    pub unpaired: i32,
}

impl Default for Energies {
    /// Stacks and loops of Turner's set of 2004, rounded to tenths, and the loops with three or
    /// more pairs of his set of 1999. Dangling ends, mismatches, special loops and the ends of
    /// helices are left out.
    fn default() -> Self {
        Energies {
            stack: [
                [-33, -24, -14, -21, -21, -21],
                [-34, -33, -15, -25, -24, -22],
                [-25, -21, -5, 13, -13, -14],
                [-15, -14, 3, -5, -10, -6],
                [-22, -21, -6, -14, -9, -11],
                [-24, -21, -10, -13, -13, -9],
            ],
            hairpin: [
                0, 0, 0, 54, 56, 57, 54, 60, 55, 64, 65, 66, 67, 68, 69, 69, 70, 71, 71, 72, 72,
                73, 73, 74, 74, 75, 75, 75, 76, 76, 77,
            ],
            bulge: [
                0, 38, 28, 32, 36, 40, 44, 46, 47, 48, 49, 50, 51, 52, 53, 54, 54, 55, 55, 56, 57,
                57, 58, 58, 58, 59, 59, 60, 60, 60, 61,
            ],
            interior: [
                0, 0, 10, 10, 11, 20, 20, 21, 23, 24, 25, 26, 27, 28, 29, 29, 30, 31, 31, 32, 33,
                33, 34, 34, 35, 35, 35, 36, 36, 37, 37,
            ],
            multi: 34,
            branch: 4,
            unpaired: 0,
        }
    }
}

impl Energies {
    /// The place of a pair in [`Energies::stack`]; `None` if the bases can't pair.
    #[inline(always)]
    pub(super) fn kind(first: Base, last: Base) -> Option<usize> {
        KIND_OF[first as usize][last as usize]
    }

    /// The energy of a hairpin loop.
    pub(super) fn of_hairpin(&self, unpaired: usize) -> i32 {
        self.hairpin[unpaired.min(LARGEST_LOOP)]
    }

    /// The energy of a bulge or an interior loop with `left + right > 0` unpaired bases.
    pub(super) fn of_interior(&self, left: usize, right: usize) -> i32 {
        match left == 0 || right == 0 {
            true => self.bulge[left + right],
            false => self.interior[left + right],
        }
    }

    /// Refuses energies that might not fit into 32 bits for `len` bases, with room for `limit`.
    pub(super) fn check(&self, len: usize, limit: i32) -> Result<()> {
        let lists = [&self.hairpin[..], &self.bulge, &self.interior];
        let single = [self.multi, self.branch, self.unpaired];
        let all = lists.into_iter().flatten().chain(self.stack.iter().flatten()).chain(&single);
        let largest = all.map(|energy| energy.unsigned_abs()).max().unwrap_or_default();
        // Each base adds at most one share of a loop: its own energy, that of the loop that its
        // pair closes, and those of a branch.
        match u128::from(largest) * 4 * (len as u128 + 1) < limit.unsigned_abs().into() {
            true => Ok(()),
            false => Err(Error::overflow("the bound on the energies")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stack read from its other strand is the same stack.
    #[test]
    fn stacks_are_symmetric() {
        // CG, GC, GU, UG, AU, UA.
        let turned = |kind: usize| kind ^ 1;
        for (first, last) in [(Base::C, Base::G), (Base::G, Base::U), (Base::A, Base::U)] {
            let kind = Energies::kind(first, last).unwrap();
            assert_eq!(Energies::kind(last, first), Some(turned(kind)));
        }
        let stack = Energies::default().stack;
        for outer in 0..6 {
            for inner in 0..6 {
                assert_eq!(stack[outer][inner], stack[turned(inner)][turned(outer)]);
            }
        }
    }
}
