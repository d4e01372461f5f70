use super::{Instance, Permutation};
use crate::Result;
use crate::solve::{Certificate, Found, Monitor, Outcome, Report, Sense};

/// A sequence with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Best {
    pub(super) value: u32,
    pub(super) order: Vec<u32>,
}

/// The best sequence and the best bound so far.
pub(super) struct Incumbent<'a> {
    pub(super) instance: &'a Instance,
    pub(super) monitor: &'a Monitor,
    order: Vec<u32>,
    /// The makespan reported by the method; re-checked at the end.
    value: u32,
    bound: u32,
}

impl<'a> Incumbent<'a> {
    /// A first sequence and a first bound.
    pub(super) fn start(
        instance: &'a Instance,
        monitor: &'a Monitor,
        Best { value, order }: Best,
        bound: u32,
    ) -> Self {
        monitor.note_found(value, Some(bound), || found(&order));
        Incumbent { instance, monitor, order, value, bound }
    }

    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    pub(super) fn bound(&self) -> u32 {
        self.bound
    }

    pub(super) fn value(&self) -> u32 {
        self.value
    }

    pub(super) fn is_optimal(&self) -> bool {
        self.value == self.bound
    }

    /// The best sequence so far.
    pub(super) fn best(&self) -> Best {
        Best { value: self.value, order: self.order.clone() }
    }

    /// Takes over a sequence if it is better.
    pub(super) fn offer(&mut self, order: &[u32], value: u32) {
        if value < self.value {
            self.order = order.to_vec();
            self.value = value;
            self.monitor.note_found(value, None, || found(order));
        }
    }

    /// Takes over a proved bound if it is better.
    pub(super) fn raise(&mut self, bound: u32) {
        self.bound = self.bound.max(bound);
        self.monitor.note_bound(self.bound);
    }

    /// The result of a search for short makespans. With `sought`, only shorter schedules were
    /// searched for.
    pub(super) fn into_outcome(
        self,
        report: Report,
        sought: Option<u64>,
    ) -> Result<Outcome<Permutation>> {
        let permutation = Permutation::new(self.order);
        let makespan = permutation.makespan(self.instance)?;
        let (claimed, bound) = (u64::from(self.value), Some(self.bound.into()));
        let certificate = Certificate::new(Sense::Minimise, claimed, makespan, bound)?;
        // No schedule is as long as the largest objective.
        let sought = sought.map(|sought| sought.try_into().unwrap_or(i64::MAX));
        Ok(certificate.seeking(sought).outcome(Some(permutation), report))
    }
}

/// A sequence for the progress callback.
pub(super) fn found(order: &[u32]) -> Found {
    let order: Box<[u32]> = order.into();
    Found::new(|| Some(Permutation::new(order.into())))
}
