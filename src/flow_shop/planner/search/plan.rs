//! The comparison of sequences with the running plan, for all positions of a job at once.

use crate::flow_shop::planner::cost::Cost;
use crate::flow_shop::planner::problem::Problem;

/// The comparison of a changing sequence, without the pinned jobs before it.
pub(super) struct Plan<'a> {
    problem: &'a Problem<'a>,
    pub(super) is_used: bool,
    /// That of the present sequence.
    pub(super) cost: Cost,
    /// For each position, what a job there adds.
    added: Vec<Cost>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(problem: &'a Problem<'a>) -> Self {
        let is_used = problem.scoring.has_plan();
        Plan { problem, is_used, cost: Cost::default(), added: Vec::new() }
    }

    pub(super) fn set(&mut self, order: &[u32]) {
        if self.is_used {
            let all = [self.problem.pinned(), order].concat();
            self.cost = self.problem.scoring.order_cost(&all);
        }
    }

    /// Records the job's insertion at a position of a sequence.
    #[inline]
    pub(super) fn insert(&mut self, order: &[u32], position: usize, job: u32) {
        if self.is_used {
            let added = self.added(order, job)[position];
            self.cost += added;
        }
    }

    /// Notes that the job has left the position of a sequence.
    #[inline]
    pub(super) fn remove(&mut self, order: &[u32], position: usize, job: u32) {
        if self.is_used {
            let added = self.added(order, job)[position];
            self.cost -= added;
        }
    }

    /// For each position in the sequence, the comparison with the job there. Empty if the objective
    /// has none.
    #[inline]
    pub(super) fn with(&mut self, order: &[u32], job: u32) -> &[Cost] {
        if !self.is_used {
            return &[];
        }
        let cost = self.cost;
        self.added(order, job);
        self.added.iter_mut().for_each(|added| *added += cost);
        &self.added
    }

    /// For each position in the sequence, what the job there adds.
    fn added(&mut self, order: &[u32], job: u32) -> &[Cost] {
        let (scoring, pinned) = (&self.problem.scoring, self.problem.pinned());
        let mut pairs = Cost::default();
        pinned.iter().for_each(|&earlier| pairs += scoring.pair(earlier, job));
        order.iter().for_each(|&later| pairs += scoring.pair(job, later));
        let mut before = pinned.last().copied();
        self.added.clear();
        for position in 0..=order.len() {
            let mut added = pairs + scoring.succession(before, job);
            if let Some(&next) = order.get(position) {
                added += scoring.succession(Some(job), next);
                added -= scoring.succession(before, next);
                pairs += scoring.pair(next, job);
                pairs -= scoring.pair(job, next);
                before = Some(next);
            }
            self.added.push(added);
        }
        &self.added
    }
}
