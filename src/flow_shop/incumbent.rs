use super::{Instance, Permutation, bounds};
use crate::Result;
use crate::solve::{Certificate, Monitor, Outcome, Report, Sense};

/// A sequence with its makespan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Best {
    pub(super) makespan: u32,
    pub(super) order: Vec<u32>,
}

/// The best sequence and the best bound so far.
pub(super) struct Incumbent<'a> {
    pub(super) instance: &'a Instance,
    pub(super) monitor: &'a Monitor,
    order: Vec<u32>,
    /// The makespan reported by the method; re-checked at the end.
    makespan: u32,
    bound: u32,
}

impl<'a> Incumbent<'a> {
    /// Starts with a first sequence and the one-machine bound.
    pub(super) fn start(
        instance: &'a Instance,
        monitor: &'a Monitor,
        order: Vec<u32>,
        makespan: u32,
    ) -> Self {
        let bound = bounds::one_machine(instance);
        monitor.note(Some(makespan.into()), Some(bound.into()));
        Incumbent { instance, monitor, order, makespan, bound }
    }

    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    pub(super) fn bound(&self) -> u32 {
        self.bound
    }

    pub(super) fn makespan(&self) -> u32 {
        self.makespan
    }

    pub(super) fn is_optimal(&self) -> bool {
        self.makespan == self.bound
    }

    /// The best sequence so far.
    pub(super) fn best(&self) -> Best {
        Best { makespan: self.makespan, order: self.order.clone() }
    }

    /// Takes over a sequence if it is better.
    pub(super) fn offer(&mut self, order: &[u32], makespan: u32) {
        if makespan < self.makespan {
            self.order = order.to_vec();
            self.makespan = makespan;
            self.monitor.note(Some(makespan.into()), None);
        }
    }

    /// Takes over a proved bound if it is better.
    pub(super) fn raise(&mut self, bound: u32) {
        self.bound = self.bound.max(bound);
        self.monitor.note(None, Some(self.bound.into()));
    }

    /// The result. `sought` is the upper bound below which schedules were sought, if there is one.
    pub(super) fn into_outcome(
        self,
        report: Report,
        sought: Option<u64>,
    ) -> Result<Outcome<Permutation>> {
        let permutation = Permutation::new(self.order);
        let makespan = permutation.makespan(self.instance)?;
        let (claimed, bound) = (self.makespan.into(), Some(self.bound.into()));
        let certificate = Certificate::new(Sense::Minimise, claimed, makespan, bound)?;
        Ok(certificate.seeking(sought).outcome(Some(permutation), report))
    }
}
