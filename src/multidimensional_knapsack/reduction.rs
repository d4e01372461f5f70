//! Reduces an instance to a 0-1 problem. Copies become pieces, what fits in any case is taken, and
//! what matters to no selection is left out.

use super::instance::Instance;
use crate::gcd::gcd;
use crate::memory::{Gather, Grow};
use crate::solve::Monitor;
use crate::{Result, memory};

/// A 0-1 item of the reduced problem: a number of copies of an item, taken together or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    item: u32,
    copies: u64,
}

/// The reduced problem. Its selections are worth `unit` times their profit and `base`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    /// Profit of each piece.
    pub(super) profits: Vec<u64>,
    /// Weights of each piece, piece after piece.
    weights: Vec<u64>,
    /// Each less than the sum of the weights, and from the smallest to the largest.
    pub(super) capacities: Vec<u64>,
    pieces: Vec<Piece>,
    unit: u64,
    base: u64,
    /// Copies that every selection has.
    taken: Vec<u64>,
}

impl Problem {
    /// The pieces of an instance. An item of n copies has pieces of 1, 2, 4, ... copies and a rest,
    /// which make every number up to n.
    ///
    /// # Errors
    /// [`Error::Stopped`](crate::Error::Stopped) and
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub(super) fn new(instance: &Instance, monitor: &Monitor) -> Result<Self> {
        let items = instance.items();
        let mut problem = Problem {
            profits: Vec::new(),
            weights: Vec::new(),
            capacities: memory::copied(instance.capacities())?,
            pieces: Vec::new(),
            unit: 1,
            base: 0,
            taken: memory::zeroed(items)?,
        };
        for (item, &profit) in instance.profits().iter().enumerate().filter(|item| *item.1 > 0) {
            monitor.check_step(item)?;
            let (mut left, mut copies) = (instance.useful_copies(item), 1);
            while left > 0 {
                copies = copies.min(left);
                problem.pieces.try_push(Piece { item: item as u32, copies })?;
                problem.profits.try_push(profit * copies)?;
                problem.weights.try_extend(instance.weights_of(item).map(|w| w * copies))?;
                left -= copies;
                copies *= 2;
            }
        }
        problem.tighten()
    }

    /// Number of pieces.
    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Number of dimensions.
    pub(super) fn dimensions(&self) -> usize {
        self.capacities.len()
    }

    /// The weights of a piece.
    pub(super) fn weights(&self, piece: usize) -> &[u64] {
        let dimensions = self.dimensions();
        &self.weights[piece * dimensions..][..dimensions]
    }

    /// How many rows a table reads back for a piece: its weights in all dimensions but the last,
    /// as the number of a row.
    pub(super) fn rows_back(&self, piece: usize) -> u64 {
        let leading = self.weights(piece).iter().zip(&self.capacities).take(self.dimensions() - 1);
        leading.fold(0, |row, (weight, capacity)| row * (capacity + 1) + weight)
    }

    /// What a selection of this profit is worth in the instance.
    pub(super) fn worth(&self, profit: u64) -> u64 {
        profit * self.unit + self.base
    }

    /// The largest profit whose selections are worth at most this much; `None` if even the empty
    /// selection is worth more.
    pub(super) fn profit_of(&self, worth: u64) -> Option<u64> {
        worth.checked_sub(self.base).map(|rest| rest / self.unit)
    }

    /// Number of copies of each item in a selection of pieces.
    pub(super) fn counts(&self, taken: &[bool]) -> Result<Vec<u64>> {
        let mut counts = memory::copied(&self.taken)?;
        for (piece, _) in self.pieces.iter().zip(taken).filter(|(_, taken)| **taken) {
            counts[piece.item as usize] += piece.copies;
        }
        Ok(counts)
    }

    /// The problem that is left when some pieces are taken and others left out; `None` if those
    /// taken do not fit.
    pub(super) fn fixed(&self, fixed: &[Option<bool>]) -> Result<Option<Self>> {
        let mut rest = self.clone();
        for piece in (0..self.len()).filter(|&piece| fixed[piece] == Some(true)) {
            for (capacity, weight) in rest.capacities.iter_mut().zip(self.weights(piece)) {
                let Some(left) = capacity.checked_sub(*weight) else { return Ok(None) };
                *capacity = left;
            }
            rest.take(piece);
        }
        rest.retain(|_, piece| fixed[piece].is_none());
        rest.tighten().map(Some)
    }

    /// Counts a piece as part of every selection.
    fn take(&mut self, piece: usize) {
        let Piece { item, copies } = self.pieces[piece];
        self.taken[item as usize] += copies;
        self.base += self.profits[piece] * self.unit;
    }

    /// Keeps only some pieces.
    fn retain(&mut self, keep: impl Fn(&Self, usize) -> bool) {
        let (dimensions, mut kept) = (self.dimensions(), 0);
        for piece in 0..self.len() {
            if keep(self, piece) {
                self.pieces[kept] = self.pieces[piece];
                self.profits[kept] = self.profits[piece];
                let own = piece * dimensions..(piece + 1) * dimensions;
                self.weights.copy_within(own, kept * dimensions);
                kept += 1;
            }
        }
        self.pieces.truncate(kept);
        self.profits.truncate(kept);
        self.weights.truncate(kept * dimensions);
    }

    fn fits(&self, piece: usize) -> bool {
        self.weights(piece).iter().zip(&self.capacities).all(|(weight, most)| weight <= most)
    }

    /// Leaves out pieces that do not fit and dimensions in which all pieces fit together, takes
    /// pieces without weight, and divides by common divisors.
    fn tighten(mut self) -> Result<Self> {
        self.retain(Self::fits);
        let sums = |problem: &Self, dimension: usize| -> u64 {
            (0..problem.len()).map(|piece| problem.weights(piece)[dimension]).sum()
        };
        let mut binding: Vec<usize> = (0..self.dimensions())
            .filter(|&dimension| sums(&self, dimension) > self.capacities[dimension])
            .gather()?;
        binding
            .sort_by_cached_key(|&dimension| self.capacities[dimension] / self.divisor(dimension));
        self.keep_dimensions(&binding)?;
        for piece in 0..self.len() {
            if self.weights(piece).iter().all(|&weight| weight == 0) {
                self.take(piece);
            }
        }
        self.retain(|problem, piece| problem.weights(piece).iter().any(|&weight| weight > 0));
        let unit = self.profits.iter().fold(0, |unit, &profit| gcd(unit, profit)).max(1);
        self.profits.iter_mut().for_each(|profit| *profit /= unit);
        self.unit *= unit;
        Ok(self)
    }

    /// The common divisor of all weights in a dimension.
    fn divisor(&self, dimension: usize) -> u64 {
        let all = (0..self.len()).map(|piece| self.weights(piece)[dimension]);
        all.fold(0, gcd).max(1)
    }

    /// Keeps these dimensions, in this order, each divided by its common divisor.
    fn keep_dimensions(&mut self, kept: &[usize]) -> Result<()> {
        let divisors = kept.iter().map(|&dimension| self.divisor(dimension)).gather()?;
        let mut weights = memory::list(self.len() * kept.len())?;
        for piece in 0..self.len() {
            let own = self.weights(piece);
            weights.extend(kept.iter().zip(&divisors).map(|(&kept, divisor)| own[kept] / divisor));
        }
        let capacities = kept.iter().zip(&divisors);
        self.capacities =
            capacities.map(|(&kept, divisor)| self.capacities[kept] / divisor).gather()?;
        self.weights = weights;
        Ok(())
    }
}

/// Approximate bytes of the reduced problem, of a second one with fewer pieces and of the orders of
/// their pieces.
pub(super) fn bytes(instance: &Instance) -> u128 {
    let pieces = |item| u128::from(u64::BITS - instance.useful_copies(item).leading_zeros());
    let is_useful = |&item: &usize| instance.profits()[item] > 0;
    let pieces: u128 = (0..instance.items()).filter(is_useful).map(pieces).sum();
    pieces * (5 * instance.dimensions() + 34) as u128 * 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::monitor;

    fn reduced(profits: &[u64], weights: &[u64], copies: &[u64], capacities: &[u64]) -> Problem {
        let [profits, weights, copies, capacities] =
            [profits, weights, copies, capacities].map(<[u64]>::to_vec);
        let instance = Instance::bounded(profits, weights, copies, capacities).unwrap();
        Problem::new(&instance, &monitor()).unwrap()
    }

    #[test]
    fn what_does_not_matter_is_left_out() {
        // Item 0 does not fit. All others fit in the second dimension. Item 2 has no other weight.
        let problem = reduced(&[9, 4, 6, 10], &[99, 4, 0, 6, 1, 1, 1, 1], &[1; 4], &[9, 3]);
        assert_eq!((problem.len(), problem.capacities.as_slice()), (2, &[4][..]));
        assert_eq!((problem.profits.as_slice(), problem.unit, problem.base), (&[2, 5][..], 2, 6));
        assert_eq!([problem.weights(0), problem.weights(1)], [[2], [3]]);
        assert_eq!(problem.counts(&[false, true]).unwrap(), [0, 0, 1, 1]);
        assert_eq!(
            (problem.worth(5), problem.profit_of(17), problem.profit_of(5)),
            (16, Some(5), None)
        );
    }

    #[test]
    fn pieces_make_every_number_of_copies() {
        let problem = reduced(&[3, 1], &[2, 5], &[Instance::UNBOUNDED, 1], &[13]);
        let copies: Vec<u64> = problem.pieces.iter().map(|piece| piece.copies).collect();
        assert_eq!(copies, [1, 2, 3, 1]);
        assert_eq!(problem.counts(&[true, false, true, false]).unwrap(), [4, 0]);
    }

    #[test]
    fn fixed_pieces_leave_a_smaller_problem() {
        let problem = reduced(&[5, 4, 3], &[4, 4, 2, 1, 2, 2], &[1; 3], &[8, 4]);
        assert_eq!(problem.len(), 3);
        let rest = problem.fixed(&[Some(true), None, None]).unwrap().unwrap();
        // The second dimension has weights of 2 alone, and a capacity of 3.
        assert_eq!((rest.base, rest.capacities.as_slice()), (5, &[1, 2][..]));
        assert_eq!(rest.counts(&[true, false]).unwrap(), [1, 1, 0]);
        let over = reduced(&[5, 4, 3], &[4, 4, 4], &[1; 3], &[8]);
        assert_eq!(over.fixed(&[Some(true); 3]).unwrap(), None);
    }
}
