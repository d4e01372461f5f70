use super::cost::Cost;
use super::problem::Problem;
use crate::flow_shop::Permutation;
use crate::flow_shop::incumbent::found;
use crate::solve::{Certificate, Monitor, Outcome, Report, Sense};
use crate::{Error, Result};

/// The best sequence and the best bound so far.
pub(super) struct Incumbent<'a> {
    problem: &'a Problem<'a>,
    pub(super) monitor: &'a Monitor,
    order: Vec<u32>,
    cost: Cost,
    bound: Cost,
}

impl<'a> Incumbent<'a> {
    /// A first sequence, with the pinned jobs, and its value.
    pub(super) fn start(
        problem: &'a Problem<'a>,
        monitor: &'a Monitor,
        (cost, order): (Cost, Vec<u32>),
    ) -> Self {
        monitor.note_found(cost.first(), None, || found(&order));
        Incumbent { problem, monitor, order, cost, bound: Cost([i64::MIN; 4]) }
    }

    pub(super) fn problem(&self) -> &'a Problem<'a> {
        self.problem
    }

    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// The sequence without the pinned jobs.
    pub(super) fn free_order(&self) -> &[u32] {
        &self.order[self.problem.pinned().len()..]
    }

    pub(super) fn cost(&self) -> Cost {
        self.cost
    }

    pub(super) fn bound(&self) -> Cost {
        self.bound
    }

    pub(super) fn is_optimal(&self) -> bool {
        self.cost == self.bound
    }

    /// Takes over a sequence if it is better. Of equally good ones the first in lexicographic order
    /// stays, whichever comes first.
    pub(super) fn offer(&mut self, order: &[u32]) {
        let (cost, before) = (self.problem.cost(order), self.cost);
        let is_better = cost < before;
        if is_better || (cost == self.cost && *order < self.order[..]) {
            self.order = order.to_vec();
            self.cost = cost;
        }
        if cost.first() < before.first() {
            self.monitor.note_found(cost.first(), None, || found(order));
        } else if is_better {
            self.monitor.note_refined(|| found(order));
        }
    }

    /// Takes over a sequence if it is better, without the pinned jobs.
    pub(super) fn offer_free(&mut self, order: &[u32]) {
        self.offer(&[self.problem.pinned(), order].concat());
    }

    /// Takes over a proved bound if it is better.
    pub(super) fn raise(&mut self, bound: Cost) {
        self.bound = self.bound.max(bound);
        self.monitor.note_bound(self.bound.first());
    }

    /// The result of the solve. Its objective and bound are those of the first stage.
    pub(super) fn into_outcome(self, report: Report) -> Result<Outcome<Permutation>> {
        let Incumbent { problem, order, cost, bound, .. } = self;
        let stages = problem.scoring.stages;
        let permutation = Permutation::new(order);
        let values = permutation.values(problem.instance)?;
        if values != cost.0[..stages] {
            return Err(Error::internal(format!("the values {values:?} are not {cost:?}")));
        }
        if cost < bound {
            return Err(Error::internal(format!("{cost:?} is better than the bound {bound:?}")));
        }
        let certificate =
            Certificate::new(Sense::Minimise, cost.first(), values[0], Some(bound.first()))?;
        let certificate = certificate.of_stages(stages as u32, cost == bound);
        Ok(certificate.outcome(Some(permutation), report))
    }
}
