//! Branch and bound, by trees with falling targets.
//!
//! A tree is small if its target is close below the bound. If the optimum lies above the target, the
//! tree proves it. Otherwise the target is a lower bound than before, and the next tree has a lower
//! target (iterative deepening, Korf 1985). The trees grow geometrically: the last one takes most of
//! the time. Another tree has no target. It finds good selections early, for searches that end before
//! the proof.

use super::tree::{Best, Pick, Plan, Tree};
use crate::Result;

/// The first target lies below the bound by 1 / `FIRST_PART` of what the optimum can gain.
const FIRST_PART: u64 = 1 << 12;
/// The tree without a target gets one of `FREE_SHARE` nodes.
const FREE_SHARE: u64 = 4;

/// A branch and bound in steps.
pub(super) struct BranchAndBound<'a> {
    plan: &'a Plan<'a>,
    pub(super) best: Best,
    /// Upper bound on all profits.
    pub(super) bound: u64,
    pub(super) nodes: u64,
    aimed: Tree,
    /// How far its target lies below the multipliers' bound.
    distance: u64,
    free: Tree,
}

impl<'a> BranchAndBound<'a> {
    /// Searches for selections worth more than `known`.
    pub(super) fn new(plan: &'a Plan<'a>, known: u64, pick: Pick) -> Result<Self> {
        let bound = plan.prices.bound();
        let distance = (bound.saturating_sub(known) / FIRST_PART).max(1);
        Ok(BranchAndBound {
            plan,
            best: Best::known(known, pick),
            bound,
            nodes: 0,
            aimed: Tree::new(plan.problem, bound.saturating_sub(distance).max(known))?,
            distance,
            free: Tree::new(plan.problem, 0)?,
        })
    }

    /// Continues for about `most` nodes. Returns whether the best selection is known.
    pub(super) fn advance(&mut self, most: u64) -> Result<bool> {
        let mut left = most - most / FREE_SHARE;
        while left > 0 {
            let nodes = self.aimed.advance(self.plan, &mut self.best, left)?;
            self.nodes += nodes;
            left -= nodes;
            if self.aimed.is_complete && self.lower_target() {
                return Ok(true);
            }
        }
        self.nodes += self.free.advance(self.plan, &mut self.best, most / FREE_SHARE)?;
        Ok(self.free.is_complete)
    }

    /// Starts the next tree after a complete one. Returns whether the best selection is known.
    fn lower_target(&mut self) -> bool {
        let least = self.best.least();
        self.bound = self.bound.min(self.aimed.target.max(self.best.profit));
        if self.aimed.target <= least {
            return true;
        }
        self.distance += self.distance / 2 + 1;
        let next = self.plan.prices.bound().saturating_sub(self.distance);
        self.aimed.restart(self.plan, next.max(least));
        false
    }
}

/// Searches for a selection worth as much as the multipliers' bound, in up to `most` nodes.
pub(super) fn reach_bound(plan: &Plan<'_>, known: u64, most: u64) -> Result<(Best, u64)> {
    let mut best = Best::known(known, Pick::First);
    let mut tree = Tree::new(plan.problem, plan.prices.bound() - 1)?;
    let nodes = tree.advance(plan, &mut best, most)?;
    Ok((best, nodes))
}
