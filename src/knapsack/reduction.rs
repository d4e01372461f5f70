//! Reduces every variant to one 0-1 problem. Items that cannot fit, weigh nothing or have no profit
//! are left out, copies and proportional items become a few pieces, and common divisors are divided
//! out.

use std::cmp::Ordering;

use bytemuck::{Pod, Zeroable};

use super::instance::Instance;
use crate::gcd::gcd;
use crate::memory::Gather;
use crate::solve::Monitor;
use crate::sorting::sort;
use crate::table::TableList;
use crate::{Error, Result};

/// A 0-1 item of the reduced problem: a number of units of a group, taken together or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Piece {
    pub(super) profit: i64,
    pub(super) weight: i64,
    pub(super) group: u64,
    pub(super) units: u64,
}

impl Piece {
    /// Of equally efficient pieces, orders the heavier one first.
    fn by_weight(&self, other: &Piece) -> Ordering {
        other.weight.cmp(&self.weight).then(self.group.cmp(&other.group))
    }
}

/// An item as a multiple of the least proportional one.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Proportion {
    profit: u64,
    weight: u64,
    multiple: u64,
    item: usize,
}

impl Proportion {
    /// Orders the more efficient item first, and of proportional ones the smaller.
    #[inline]
    fn by_efficiency(&self, other: &Proportion) -> Ordering {
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        product(other.profit, self.weight)
            .cmp(&product(self.profit, other.weight))
            .then(self.multiple.cmp(&other.multiple))
            .then(self.item.cmp(&other.item))
    }

    fn is_proportional(&self, other: &Proportion) -> bool {
        (self.profit, self.weight) == (other.profit, other.weight)
    }
}

/// Groups of items whose profits and weights are multiples of one unit's. The members of a group
/// can make every number of units up to the sum of all multiples. All groups share two lists: a
/// list for each of millions of groups would take long to free.
pub(super) struct Groups {
    /// By group, and in it by multiple, smallest first.
    members: TableList<Member>,
    /// The place of each group's first member.
    starts: TableList<usize>,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Member {
    pub(super) item: usize,
    /// Units of one copy.
    pub(super) multiple: u64,
    pub(super) copies: u64,
}

/// The reduced problem. The instance's optimum is this problem's optimum times `profit_unit`, plus
/// the profit of items without weight.
pub(super) struct Problem {
    /// By efficiency, best first.
    pub(super) pieces: TableList<Piece>,
    pub(super) capacity: i64,
    pub(super) profit_unit: u64,
    /// Common divisor of the weights.
    pub(super) weight_unit: u64,
    /// Profit of all copies of the items without weight.
    pub(super) free_profit: u64,
    /// The items without weight, each with its number of copies.
    pub(super) free: Vec<(usize, u64)>,
    pub(super) groups: Groups,
    pub(super) items: usize,
    /// Whether all pieces' profits equal their weights: subset sum, since common divisors are
    /// divided out.
    pub(super) is_subset_sum: bool,
}

impl Problem {
    /// # Errors
    /// [`Error::Stopped`] if there are many items and a limit comes meanwhile, and
    /// [`Error::OutOfMemory`].
    pub(super) fn new(instance: &Instance, monitor: &Monitor) -> Result<Self> {
        let most = most_pieces(instance, monitor)?;
        monitor.check_lists(bytes(instance, most), || {
            format!("a knapsack of {} items", instance.items())
        })?;
        let (groups, mut pieces) = reduce(instance, most, monitor)?;
        let divisor = |of: fn(&Piece) -> i64| {
            let mut divisor = 0;
            for (index, piece) in pieces.iter().enumerate() {
                monitor.check_later_step(index)?;
                divisor = gcd(divisor, of(piece) as u64);
                if divisor == 1 {
                    break;
                }
            }
            Ok::<_, Box<Error>>(divisor.max(1))
        };
        let (profit_unit, weight_unit) =
            (divisor(|piece| piece.profit)?, divisor(|piece| piece.weight)?);
        if (profit_unit, weight_unit) != (1, 1) {
            for (index, piece) in pieces.iter_mut().enumerate() {
                monitor.check_later_step(index)?;
                piece.profit /= profit_unit as i64;
                piece.weight /= weight_unit as i64;
            }
        }
        let is_subset_sum = is_subset_sum(&pieces, monitor)?;
        let capacity = (instance.capacity() / weight_unit) as i64;
        let free = instance.free_items().gather()?;
        // No overflow: the instance's constructor checked that the sum is below 2^63.
        let free_profit = free
            .iter()
            .map(|&(item, copies): &(usize, u64)| instance.profits()[item] * copies)
            .sum();
        let items = instance.items();
        Ok(Problem {
            pieces,
            capacity,
            profit_unit,
            weight_unit,
            free_profit,
            free,
            groups,
            items,
            is_subset_sum,
        })
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
}

impl Groups {
    /// Adds groups of proportional items, the smallest first.
    fn add(
        &mut self,
        instance: &Instance,
        proportional: &[Proportion],
        monitor: &Monitor,
    ) -> Result<()> {
        let mut unit = 0;
        let mut sum = 0u64;
        for &Proportion { multiple, item, .. } in proportional {
            monitor.check_later_step(self.members.len())?;
            let fits = unit > 0 && multiple % unit == 0 && multiple / unit <= sum.saturating_add(1);
            if !fits {
                (unit, sum) = (multiple, 0);
                self.starts.push(self.members.len());
            }
            let multiple = multiple / unit;
            let member = Member { item, multiple, copies: instance.useful_copies(item) };
            // No overflow: the weights are multiples of these, and the instance's constructor
            // checked that their sum is below 2^63.
            sum += member.multiple * member.copies;
            self.members.push(member);
        }
        Ok(())
    }

    pub(super) fn members_of(&self, group: usize) -> &[Member] {
        let end = self.starts.get(group + 1).copied().unwrap_or(self.members.len());
        &self.members[self.starts[group]..end]
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// The members of each group.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[Member]> {
        (0..self.starts.len()).map(|group| self.members_of(group))
    }
}

/// Whether all profits equal the weights.
fn is_subset_sum(pieces: &[Piece], monitor: &Monitor) -> Result<bool> {
    for (index, piece) in pieces.iter().enumerate() {
        monitor.check_later_step(index)?;
        if piece.profit != piece.weight {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Most pieces of an instance: a group has no more of them than its items alone.
fn most_pieces(instance: &Instance, monitor: &Monitor) -> Result<usize> {
    let mut most = 0usize;
    for item in 0..instance.items() {
        monitor.check_later_step(item)?;
        let pieces = u64::BITS - instance.useful_copies(item).leading_zeros();
        most = most.saturating_add(pieces as usize);
    }
    Ok(most)
}

/// Approximate bytes of the problem's lists, and of a selection of its pieces.
fn bytes(instance: &Instance, most_pieces: usize) -> u128 {
    let [piece, start, proportion, member, count] = [
        size_of::<Piece>() + size_of::<bool>(),
        size_of::<usize>(),
        size_of::<Proportion>(),
        size_of::<Member>(),
        size_of::<u64>(),
    ]
    .map(|size| size as u128);
    most_pieces as u128 * piece
        + instance.items() as u128 * (start + proportion + member + 2 * count)
}

/// The items that can be taken and are worth something, by efficiency.
fn proportions(instance: &Instance, monitor: &Monitor) -> Result<TableList<Proportion>> {
    let (profits, weights) = (instance.profits(), instance.weights());
    let mut order = TableList::with_room(instance.items())?;
    for item in 0..instance.items() {
        monitor.check_later_step(item)?;
        if profits[item] > 0 && weights[item] > 0 && instance.useful_copies(item) > 0 {
            let multiple = gcd(profits[item], weights[item]);
            let (profit, weight) = (profits[item] / multiple, weights[item] / multiple);
            order.push(Proportion { profit, weight, multiple, item });
        }
    }
    sort(&mut order, Proportion::by_efficiency, monitor)?;
    Ok(order)
}

/// Groups of proportional items, as large as the condition of [`Groups`] allows, and their pieces
/// by efficiency.
fn reduce(
    instance: &Instance,
    most_pieces: usize,
    monitor: &Monitor,
) -> Result<(Groups, TableList<Piece>)> {
    let order = proportions(instance, monitor)?;
    let mut groups = Groups {
        members: TableList::with_room(order.len())?,
        starts: TableList::with_room(order.len())?,
    };
    let mut pieces = TableList::with_room(most_pieces)?;
    for proportional in order.chunk_by(Proportion::is_proportional) {
        let (first_group, first_piece) = (groups.starts.len(), pieces.len());
        groups.add(instance, proportional, monitor)?;
        for group in first_group..groups.starts.len() {
            monitor.check_later_step(group)?;
            split(instance, groups.members_of(group), group as u64, &mut pieces);
        }
        sort(&mut pieces[first_piece..], Piece::by_weight, monitor)?;
    }
    Ok((groups, pieces))
}

/// Splits a group's units into pieces of 1, 2, 4, ... units and a rest, which can make every number
/// of units.
fn split(instance: &Instance, members: &[Member], group: u64, pieces: &mut TableList<Piece>) {
    let first = members[0].item;
    let (profit, weight) = (instance.profits()[first], instance.weights()[first]);
    let all: u64 = members.iter().map(|member| member.multiple * member.copies).sum();
    let mut left = all.min(instance.capacity() / weight);
    let mut units = 1;
    while left > 0 {
        units = units.min(left);
        let (profit, weight) = ((profit * units) as i64, (weight * units) as i64);
        pieces.push(Piece { profit, weight, group, units });
        left -= units;
        units *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knapsack::testing::reduced;

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
}
