//! Reduces every variant to one 0-1 problem. Items that cannot fit, weigh nothing or have no profit
//! are left out, copies and proportional items become a few pieces, and common divisors are divided
//! out.

use std::cmp::Ordering;
use std::sync::Arc;

use super::instance::Instance;
use super::solution::Solution;
use crate::gcd::gcd;
use crate::memory::{Gather, Grow};
use crate::solve::{Found, Monitor};
use crate::{Error, Result, memory};

/// Items and pieces that are sorted without a check for stops, within a few milliseconds.
const UNWATCHED: usize = 1 << 14;

/// A 0-1 item of the reduced problem: a number of units of a group, taken together or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) profit: i64,
    pub(super) weight: i64,
    group: u32,
    units: u64,
}

impl Piece {
    /// Orders the more efficient piece first, and of equally efficient pieces the heavier.
    #[inline]
    fn by_efficiency(&self, other: &Piece) -> Ordering {
        let product = |a: i64, b: i64| i128::from(a) * i128::from(b);
        product(other.profit, self.weight)
            .cmp(&product(self.profit, other.weight))
            .then(other.weight.cmp(&self.weight))
            .then(self.group.cmp(&other.group))
    }
}

/// Groups of items whose profits and weights are multiples of one unit's. The members of a group
/// can make every number of units up to the sum of all multiples. All groups share two lists: a
/// list for each of millions of groups would take long to free.
#[derive(Default)]
struct Groups {
    /// By group, and in it by multiple, smallest first.
    members: Vec<Member>,
    /// The place of each group's first member.
    starts: Vec<usize>,
}

#[derive(Clone, Copy)]
struct Member {
    item: usize,
    /// Units of one copy.
    multiple: u64,
    copies: u64,
}

/// The reduced problem. The instance's optimum is this problem's optimum times `profit_unit`, plus
/// the profit of items without weight.
pub(super) struct Problem {
    /// By efficiency, best first.
    pub(super) pieces: Vec<Piece>,
    pub(super) capacity: i64,
    pub(super) profit_unit: u64,
    /// Common divisor of the weights.
    pub(super) weight_unit: u64,
    /// Profit of all copies of the items without weight.
    pub(super) free_profit: u64,
    /// The items without weight, each with its number of copies.
    free: Vec<(usize, u64)>,
    groups: Groups,
    items: usize,
}

impl Problem {
    /// # Errors
    /// [`Error::Stopped`] if a limit comes before many items are sorted, and
    /// [`Error::OutOfMemory`].
    pub(super) fn new(instance: &Instance, monitor: &Monitor) -> Result<Self> {
        monitor
            .check_lists(bytes(instance), || format!("a knapsack of {} items", instance.items()))?;
        let groups = group(instance, monitor)?;
        let mut pieces = Vec::new();
        for (index, members) in groups.iter().enumerate() {
            check_step(monitor, index)?;
            split(instance, members, index as u32, &mut pieces)?;
        }
        let divisor = |of: fn(&Piece) -> i64| {
            let mut divisor = 0;
            for (index, piece) in pieces.iter().enumerate() {
                check_step(monitor, index)?;
                divisor = gcd(divisor, of(piece) as u64);
            }
            Ok::<_, Box<Error>>(divisor.max(1))
        };
        let (profit_unit, weight_unit) =
            (divisor(|piece| piece.profit)?, divisor(|piece| piece.weight)?);
        if (profit_unit, weight_unit) != (1, 1) {
            for (index, piece) in pieces.iter_mut().enumerate() {
                check_step(monitor, index)?;
                piece.profit /= profit_unit as i64;
                piece.weight /= weight_unit as i64;
            }
        }
        sort(&mut pieces, Piece::by_efficiency, monitor)?;
        let capacity = (instance.capacity() / weight_unit) as i64;
        let free = instance.free_items().gather()?;
        // No overflow: the instance's constructor checked that the sum is below 2^63.
        let free_profit = free
            .iter()
            .map(|&(item, copies): &(usize, u64)| instance.profits()[item] * copies)
            .sum();
        let items = instance.items();
        Ok(Problem { pieces, capacity, profit_unit, weight_unit, free_profit, free, groups, items })
    }

    /// Converts a profit of the reduced problem to the instance's.
    pub(super) fn scaled(&self, profit: i64) -> u64 {
        profit as u64 * self.profit_unit + self.free_profit
    }

    /// Profit of these pieces.
    pub(super) fn profit(&self, taken: &[bool]) -> i64 {
        self.pieces
            .iter()
            .zip(taken)
            .filter(|(_, taken)| **taken)
            .map(|(piece, _)| piece.profit)
            .sum()
    }

    /// Whether all pieces' profits equal their weights: subset sum, since common divisors are
    /// divided out.
    pub(super) fn is_subset_sum(&self) -> bool {
        self.pieces.iter().all(|piece| piece.profit == piece.weight)
    }

    /// Pieces worth at least as much as these copies, which fit.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(super) fn pieces_of(&self, counts: &[u64]) -> Result<Vec<bool>> {
        let units = |members: &[Member]| -> u64 {
            members.iter().map(|member| member.multiple * counts[member.item]).sum()
        };
        let mut units: Vec<u64> = self.groups.iter().map(units).gather()?;
        // A group's pieces come largest first. None is larger by more than 1 than all that follow,
        // so that they make every number of units.
        let take = |piece: &Piece| {
            let left = &mut units[piece.group as usize];
            let takes = piece.units <= *left;
            *left -= if takes { piece.units } else { 0 };
            takes
        };
        self.pieces.iter().map(take).gather()
    }

    /// Number of copies of each item in the given pieces.
    ///
    /// # Errors
    /// [`Error::Internal`] if a group does not have as many units, and [`Error::OutOfMemory`].
    pub(super) fn counts(&self, taken: &[bool]) -> Result<Vec<u64>> {
        let mut units = memory::zeroed(self.groups.starts.len())?;
        for (piece, _) in self.pieces.iter().zip(taken).filter(|(_, taken)| **taken) {
            units[piece.group as usize] += piece.units;
        }
        let mut counts = memory::zeroed(self.items)?;
        for &(item, copies) in &self.free {
            counts[item] = copies;
        }
        for (members, &units) in self.groups.iter().zip(&units) {
            share_out(members, units, &mut counts)?;
        }
        Ok(counts)
    }

    /// A selection of pieces for the progress callback.
    pub(super) fn found(self: &Arc<Self>, taken: Option<Arc<Vec<bool>>>) -> Found {
        let problem = Arc::clone(self);
        Found::new(move || Some(Solution { counts: problem.counts(&taken?).ok()? }))
    }
}

impl Groups {
    /// The members of each group.
    fn iter(&self) -> impl Iterator<Item = &[Member]> {
        let ends = self.starts.iter().skip(1).copied().chain([self.members.len()]);
        self.starts.iter().zip(ends).map(|(&start, end)| &self.members[start..end])
    }
}

/// Makes `units` units from a group's members, in descending order of multiples. A copy is taken
/// only if the smaller members do not suffice. The smaller ones can then make the remainder,
/// because no multiple exceeds their sum by more than 1.
fn share_out(members: &[Member], mut units: u64, counts: &mut [u64]) -> Result<()> {
    let mut below: u64 = members.iter().map(|member| member.multiple * member.copies).sum();
    for member in members.iter().rev() {
        below -= member.multiple * member.copies;
        let count = units.saturating_sub(below).div_ceil(member.multiple).min(member.copies);
        counts[member.item] += count;
        units = units.checked_sub(count * member.multiple).ok_or_else(incomplete)?;
    }
    if units == 0 { Ok(()) } else { Err(incomplete()) }
}

fn incomplete() -> Box<Error> {
    Error::internal("units of a knapsack group can't be shared out")
}

/// Approximate bytes to create the problem and its greedy solution; lists grow by doubling.
fn bytes(instance: &Instance) -> u128 {
    let pieces = |item| u128::from(u64::BITS - instance.useful_copies(item).leading_zeros());
    let pieces: u128 = (0..instance.items()).map(pieces).sum();
    let [start, order, member] =
        [size_of::<usize>(), size_of::<(u64, u64, u64, usize)>(), size_of::<Member>()]
            .map(|size| size as u128);
    pieces * 2 * size_of::<Piece>() as u128
        + instance.items() as u128 * (2 * start + order + 2 * member)
}

/// Checks for stops in a loop over items or pieces, unless there are few.
fn check_step(monitor: &Monitor, index: usize) -> Result<()> {
    if index >= UNWATCHED { monitor.check_step(index) } else { Ok(()) }
}

/// Groups of proportional items, as large as the condition of [`Groups`] allows.
fn group(instance: &Instance, monitor: &Monitor) -> Result<Groups> {
    let (profits, weights) = (instance.profits(), instance.weights());
    let mut order: Vec<(u64, u64, u64, usize)> = Vec::new();
    for item in 0..instance.items() {
        check_step(monitor, item)?;
        if profits[item] > 0 && weights[item] > 0 && instance.useful_copies(item) > 0 {
            let divisor = gcd(profits[item], weights[item]);
            order.try_push((profits[item] / divisor, weights[item] / divisor, divisor, item))?;
        }
    }
    sort(&mut order, Ord::cmp, monitor)?;
    let mut groups = Groups::default();
    for proportional in order.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let mut unit = 0;
        let mut sum = 0u64;
        for &(_, _, divisor, item) in proportional {
            let fits = unit > 0 && divisor % unit == 0 && divisor / unit <= sum.saturating_add(1);
            if !fits {
                (unit, sum) = (divisor, 0);
                groups.starts.try_push(groups.members.len())?;
                check_step(monitor, groups.starts.len())?;
            }
            let member =
                Member { item, multiple: divisor / unit, copies: instance.useful_copies(item) };
            // No overflow: the weights are multiples of these, and the instance's constructor
            // checked that their sum is below 2^63.
            sum += member.multiple * member.copies;
            groups.members.try_push(member)?;
        }
    }
    Ok(groups)
}

/// Sorts; long lists in halves, to respond to stops quickly.
pub(super) fn sort<T>(
    list: &mut [T],
    compare: impl Fn(&T, &T) -> Ordering + Copy,
    monitor: &Monitor,
) -> Result<()> {
    if list.len() <= UNWATCHED {
        list.sort_unstable_by(compare);
        return Ok(());
    }
    monitor.check()?;
    let (low, _, high) = list.select_nth_unstable_by(list.len() / 2, compare);
    sort(low, compare, monitor)?;
    sort(high, compare, monitor)
}

/// Splits a group's units into pieces of 1, 2, 4, ... units and a rest, which can make every number
/// of units.
fn split(
    instance: &Instance,
    members: &[Member],
    index: u32,
    pieces: &mut Vec<Piece>,
) -> Result<()> {
    let first = members[0].item;
    let (profit, weight) = (instance.profits()[first], instance.weights()[first]);
    let all: u64 = members.iter().map(|member| member.multiple * member.copies).sum();
    let mut left = all.min(instance.capacity() / weight);
    let mut units = 1;
    while left > 0 {
        units = units.min(left);
        let piece = Piece {
            profit: (profit * units) as i64,
            weight: (weight * units) as i64,
            group: index,
            units,
        };
        pieces.try_push(piece)?;
        left -= units;
        units *= 2;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::knapsack::testing::{instances, reduced};
    use crate::solve::{Limits, SolveOptions};
    use crate::testing::{assert_error, limited};

    #[test]
    fn proportional_items_become_few_pieces() {
        // Multiples 1 to 10 of (3, 7), a hundred copies each, are 5500 units.
        let (profits, weights): (Vec<_>, Vec<_>) =
            (0..1000).map(|i| (3 * (i % 10 + 1), 7 * (i % 10 + 1))).unzip();
        let problem = reduced(&Instance::new(profits, weights, 1_000_000).unwrap());
        assert_eq!(problem.pieces.len(), 13);
        assert_eq!(problem.pieces.iter().map(|piece| piece.weight).sum::<i64>(), 5500);
        assert_eq!((problem.profit_unit, problem.capacity), (3, 142_857));
    }

    #[test]
    fn every_number_of_units_can_be_shared_out() {
        let member = |item, multiple, copies| Member { item, multiple, copies };
        let members = [member(0, 1, 2), member(1, 3, 1), member(2, 5, 3)];
        for units in 0..=20 {
            let mut counts = vec![0; 3];
            share_out(&members, units, &mut counts).unwrap();
            assert_eq!(counts[0] + 3 * counts[1] + 5 * counts[2], units);
            assert!(counts[0] <= 2 && counts[1] <= 1 && counts[2] <= 3);
        }
        assert!(share_out(&members, 21, &mut [0; 3]).is_err());
    }

    proptest! {
        #[test]
        fn pieces_are_worth_as_much_as_the_copies(
            instance in instances(), wishes in prop::collection::vec(0u64..9, 40),
        ) {
            let mut left = instance.capacity();
            let take = |item: usize| {
                let most = left.checked_div(instance.weights()[item]).unwrap_or(u64::MAX);
                let count = wishes[item % 40].min(instance.copies()[item]).min(most);
                left -= count * instance.weights()[item];
                count
            };
            let counts: Vec<u64> = (0..instance.items()).map(take).collect();
            let problem = reduced(&instance);
            let taken = problem.pieces_of(&counts).unwrap();
            let made = problem.counts(&taken).unwrap();
            let profit = instance.profit_of(&made).unwrap();
            prop_assert_eq!(profit, problem.scaled(problem.profit(&taken)));
            prop_assert!(profit >= instance.profit_of(&counts).unwrap());
        }
    }

    #[test]
    fn multiples_with_holes_stay_apart() {
        let problem = reduced(&Instance::subset_sum(vec![4, 6, 6], 11).unwrap());
        assert_eq!(problem.groups.starts.len(), 2);
        let weights: Vec<i64> = problem.pieces.iter().map(|piece| piece.weight).collect();
        assert_eq!((weights, problem.capacity), (vec![3, 2], 5), "only one of the two 6 fits");
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let instance = Instance::bounded(vec![9, 1], vec![20, 3], vec![1, 9], 10).unwrap();
        let problem = reduced(&instance);
        assert_eq!(problem.pieces.iter().map(|piece| piece.units).sum::<u64>(), 3);
    }

    #[test]
    fn long_lists_are_sorted_until_a_stop() {
        let mut numbers: Vec<u64> = (0..100_000u64).map(|i| i * i % 70_001).collect();
        let mut expected = numbers.clone();
        expected.sort_unstable();
        let stopped = Monitor::new(&limited(Limits {
            time: Some(std::time::Duration::ZERO),
            ..Limits::default()
        }));
        assert_error!(sort(&mut numbers, Ord::cmp, &stopped), Error::Stopped);
        assert!(sort(&mut numbers[..UNWATCHED], Ord::cmp, &stopped).is_ok());
        sort(&mut numbers, Ord::cmp, &Monitor::new(&SolveOptions::default())).unwrap();
        assert_eq!(numbers, expected);
    }
}
