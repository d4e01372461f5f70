//! Selections of pieces with the copies of items that they take. A search keeps the copies of its
//! first selection, so that those of its best one are found soon after a stop.

use std::sync::Arc;

use super::reduction::{Member, Piece, Problem};
use super::solution::Solution;
use crate::memory::{Gather, Grow};
use crate::solve::Found;
use crate::table::TableList;
use crate::{Error, Result, memory};

/// Pieces that are compared at once.
const BLOCK: usize = 1 << 12;

/// Some pieces, and the copies of items that they take.
pub(super) struct Selection {
    /// By piece.
    taken: Vec<bool>,
    /// By group.
    units: TableList<u64>,
    /// By item.
    counts: Vec<u64>,
}

impl Selection {
    /// Calls `check` in each step.
    ///
    /// # Errors
    /// Those of `check`, [`Error::Internal`] if a group does not have as many units, and
    /// [`Error::OutOfMemory`].
    pub(super) fn new(
        problem: &Problem,
        taken: &[bool],
        check: impl Fn(usize) -> Result<()>,
    ) -> Result<Self> {
        let mut units = TableList::with_room(problem.groups.len())?;
        (0..problem.groups.len()).for_each(|_| units.push(0));
        for (step, (piece, &taken)) in problem.pieces.iter().zip(taken).enumerate() {
            check(step)?;
            units[piece.group as usize] += if taken { piece.units } else { 0 };
        }
        let mut counts = memory::zeroed(problem.items)?;
        for &(item, copies) in &problem.free {
            counts[item] = copies;
        }
        for (group, members) in problem.groups.iter().enumerate() {
            check(group)?;
            share_out(members, units[group], &mut counts)?;
        }
        Ok(Selection { taken: memory::copied(taken)?, units, counts })
    }

    /// Takes these pieces instead. That takes little time if few pieces differ.
    ///
    /// # Errors
    /// Those of [`Selection::new`].
    pub(super) fn change_to(&mut self, problem: &Problem, taken: &[bool]) -> Result<()> {
        let mut changed = Vec::new();
        let blocks = self.taken.chunks_mut(BLOCK).zip(taken.chunks(BLOCK));
        for ((old, new), pieces) in blocks.zip(problem.pieces.chunks(BLOCK)) {
            if old == new {
                continue;
            }
            for ((_, &new), piece) in
                old.iter().zip(new).zip(pieces).filter(|((old, new), _)| old != new)
            {
                let units = &mut self.units[piece.group as usize];
                *units = if new { *units + piece.units } else { *units - piece.units };
                changed.try_push(piece.group as usize)?;
            }
            old.copy_from_slice(new);
        }
        for group in changed {
            share_out(problem.groups.members_of(group), self.units[group], &mut self.counts)?;
        }
        Ok(())
    }

    /// Number of copies of each item.
    pub(super) fn into_counts(self) -> Vec<u64> {
        self.counts
    }
}

/// A selection of pieces for the progress callback.
pub(super) fn found(problem: &Arc<Problem>, taken: Option<Arc<Vec<bool>>>) -> Found {
    let problem = Arc::clone(problem);
    Found::new(move || {
        let selection = Selection::new(&problem, &taken?, |_| Ok(())).ok()?;
        Some(Solution { counts: selection.into_counts() })
    })
}

/// Pieces worth at least as much as these copies, which fit. Calls `check` in each step.
///
/// # Errors
/// Those of `check`, and [`Error::OutOfMemory`].
pub(super) fn pieces_of(
    problem: &Problem,
    counts: &[u64],
    check: impl Fn(usize) -> Result<()>,
) -> Result<Vec<bool>> {
    let mut units: Vec<u64> = memory::list(problem.groups.len())?;
    for (group, members) in problem.groups.iter().enumerate() {
        check(group)?;
        units.push(members.iter().map(|member| member.multiple * counts[member.item]).sum());
    }
    // A group's pieces come largest first. None is larger by more than 1 than all that follow, so
    // that they make every number of units.
    let take = |piece: &Piece| {
        let left = &mut units[piece.group as usize];
        let takes = piece.units <= *left;
        *left -= if takes { piece.units } else { 0 };
        takes
    };
    problem.pieces.iter().map(take).gather()
}

/// Makes `units` units from a group's members, in descending order of multiples. A copy is taken
/// only if the smaller members do not suffice. The smaller ones can then make the remainder,
/// because no multiple exceeds their sum by more than 1.
fn share_out(members: &[Member], mut units: u64, counts: &mut [u64]) -> Result<()> {
    let mut below: u64 = members.iter().map(|member| member.multiple * member.copies).sum();
    for member in members.iter().rev() {
        below -= member.multiple * member.copies;
        let count = units.saturating_sub(below).div_ceil(member.multiple).min(member.copies);
        counts[member.item] = count;
        units = units.checked_sub(count * member.multiple).ok_or_else(incomplete)?;
    }
    if units == 0 { Ok(()) } else { Err(incomplete()) }
}

fn incomplete() -> Box<Error> {
    Error::internal("units of a knapsack group can't be shared out")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::knapsack::testing::{counts_of, instances, reduced};

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
            let taken = pieces_of(&problem, &counts, |_| Ok(())).unwrap();
            let made = counts_of(&problem, &taken);
            let profit = instance.profit_of(&made).unwrap();
            prop_assert_eq!(profit, problem.scaled(problem.profit(&taken)));
            prop_assert!(profit >= instance.profit_of(&counts).unwrap());
        }

        #[test]
        fn a_changed_selection_is_a_new_one(
            instance in instances(), choices in prop::collection::vec(any::<[bool; 2]>(), 400),
        ) {
            let problem = reduced(&instance);
            let [old, new] = [0, 1].map(|side| -> Vec<bool> {
                choices.iter().cycle().map(|both| both[side]).take(problem.pieces.len()).collect()
            });
            let mut selection = Selection::new(&problem, &old, |_| Ok(())).unwrap();
            selection.change_to(&problem, &new).unwrap();
            prop_assert_eq!(selection.into_counts(), counts_of(&problem, &new));
        }
    }
}
