//! A lower bound that excludes positions of a job.

use crate::flow_shop::planner::scoring::{Scoring, Tally};

/// A lower bound of the first stage with a job at a position: see "Insertion without tails" in
/// docs/src/mathematics.md.
pub(super) struct Bound<'p> {
    pub(super) scoring: &'p Scoring,
    /// The score of all jobs without the inserted one.
    pub(super) whole: Tally,
    /// Costs above are of no interest.
    pub(super) most: i64,
}

impl Bound<'_> {
    /// Whether the cost with this sum of the first stage and this lateness is too much.
    pub(super) fn is_exceeded(&self, sum: i64, lateness: i64) -> bool {
        let mut all = self.whole;
        all.sums.0[0] = sum;
        all.lateness = all.lateness.max(lateness);
        self.scoring.cost(&all).first() > self.most
    }
}
