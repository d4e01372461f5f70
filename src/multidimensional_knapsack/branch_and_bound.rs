//! Branch and bound, by several trees in turns.
//!
//! One tree has no target. It ends soon if it finds good selections early. The other trees have
//! targets, the first one close below the bound, so that they are small. A tree ends with the
//! optimum if that lies above the target. Otherwise the target is a new bound, and the next tree has
//! a lower target (iterative deepening, Korf 1985). Usually each tree takes several times as long as
//! the one before. So the last one takes most of the time, however late it finds its selection.

use super::tree::{Best, Pick, Plan, Tree};
use crate::Result;

/// The first target lies below the bound by 1 / `FIRST_PART` of what the optimum can gain.
const FIRST_PART: u64 = 1 << 12;
/// The tree without a target gets the first `FREE_FIRST` nodes, and then one node in `FREE_SHARE`.
const FREE_FIRST: u64 = 1 << 12;
const FREE_SHARE: u64 = 4;

/// A branch and bound in steps.
pub(super) struct BranchAndBound<'a> {
    pub(super) plan: &'a Plan<'a>,
    pub(super) best: Best,
    /// Upper bound on all profits.
    pub(super) bound: u64,
    pub(super) nodes: u64,
    aimed: Tree,
    /// How far its target lies below the multipliers' bound.
    distance: u64,
    free: Tree,
    /// Nodes of the tree without a target before the others begin.
    free_first: u64,
}

impl<'a> BranchAndBound<'a> {
    /// Searches for a selection worth more than `known`.
    pub(super) fn new(plan: &'a Plan<'a>, known: u64) -> Result<Self> {
        let bound = plan.prices.bound();
        let distance = (bound.saturating_sub(known) / FIRST_PART).max(1);
        Ok(BranchAndBound {
            plan,
            best: Best::known(known, Pick::First),
            bound,
            nodes: 0,
            aimed: Tree::new(plan.problem, bound.saturating_sub(distance).max(known))?,
            distance,
            free: Tree::new(plan.problem, 0)?,
            free_first: FREE_FIRST,
        })
    }

    /// With all trees from the beginning.
    #[cfg(test)]
    pub(super) fn with_all_trees(self) -> Self {
        BranchAndBound { free_first: 0, ..self }
    }

    /// From now on, searches for the selection of the table. The best selection so far remains if
    /// none is worth more.
    pub(super) fn pick_of_table(&mut self) {
        self.best = Best::known(self.best.profit, Pick::Table);
    }

    /// Continues for about `most` nodes. Returns whether the best selection is known.
    pub(super) fn advance(&mut self, most: u64) -> Result<bool> {
        let for_free = if self.nodes < self.free_first { most } else { most / FREE_SHARE };
        self.nodes += self.free.advance(self.plan, &mut self.best, for_free)?;
        if self.free.is_complete {
            return Ok(true);
        }
        let mut left = most - for_free;
        while left > 0 {
            let nodes = self.aimed.advance(self.plan, &mut self.best, left)?;
            self.nodes += nodes;
            left -= nodes;
            if self.aimed.is_complete && self.lower_target() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Starts the next tree after a complete one. Returns whether the best selection is known.
    fn lower_target(&mut self) -> bool {
        let least = self.best.least();
        self.bound = self.bound.min(self.aimed.target.max(self.best.profit));
        if self.aimed.target <= least {
            return true;
        }
        self.distance = 2 * self.distance + 1;
        let next = self.plan.prices.bound().saturating_sub(self.distance);
        self.aimed.restart(next.max(least));
        false
    }
}
