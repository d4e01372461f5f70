use std::sync::Arc;

use super::schedule::Assignment;
use super::{Instance, Schedule, bounds, lpt};
use crate::solve::{Certificate, Found, Monitor, Outcome, Report, Sense};
use crate::{Result, memory};

/// The best schedule and the best bound so far.
pub(super) struct Incumbent<'a> {
    pub(super) instance: &'a Instance,
    pub(super) longest_first: Vec<u32>,
    pub(super) monitor: &'a Monitor,
    /// Shared with the progress callback.
    assignment: Arc<Vec<u32>>,
    /// As computed by the method that built the assignment; re-checked at the end.
    makespan: u64,
    bound: u64,
}

impl<'a> Incumbent<'a> {
    /// Starts with the better of LPT's schedule and the given one, and with the simple bounds.
    ///
    /// # Errors
    /// [`Error::Stopped`](crate::Error::Stopped) if there are many jobs, and
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub(super) fn start(
        instance: &'a Instance,
        monitor: &'a Monitor,
        given: Option<Assignment>,
    ) -> Result<Self> {
        let opening = monitor.opening();
        let start = || -> Result<_> {
            let longest_first = instance.longest_first(&opening)?;
            let lpt = lpt::lpt(instance, &longest_first, &opening)?;
            let bound = bounds::lower_bound(instance, &longest_first, &opening)?;
            Ok((longest_first, lpt, bound))
        };
        let started = start();
        monitor.join(&opening);
        let (longest_first, lpt, bound) = started?;
        let mut incumbent = Incumbent::with(instance, monitor, longest_first, lpt, bound);
        if let Some(given) = given {
            incumbent.offer("start", given);
        }
        Ok(incumbent)
    }

    /// Starts with this schedule in place of LPT's, and with the better of this bound and the
    /// simple ones.
    ///
    /// # Errors
    /// Those of [`Incumbent::start`].
    pub(super) fn begin(
        instance: &'a Instance,
        monitor: &'a Monitor,
        known: Assignment,
        bound: u64,
    ) -> Result<Self> {
        let longest_first = instance.longest_first(monitor)?;
        let bound = bounds::lower_bound(instance, &longest_first, monitor)?.max(bound);
        Ok(Incumbent::with(instance, monitor, longest_first, known, bound))
    }

    fn with(
        instance: &'a Instance,
        monitor: &'a Monitor,
        longest_first: Vec<u32>,
        (makespan, assignment): Assignment,
        bound: u64,
    ) -> Self {
        let assignment = Arc::new(assignment);
        monitor.note_found(makespan, Some(bound), || found(&assignment));
        monitor.report("lpt", None);
        Incumbent { instance, longest_first, monitor, assignment, makespan, bound }
    }

    pub(super) fn makespan(&self) -> u64 {
        self.makespan
    }

    pub(super) fn bound(&self) -> u64 {
        self.bound
    }

    pub(super) fn assignment(&self) -> &[u32] {
        &self.assignment
    }

    pub(super) fn is_optimal(&self) -> bool {
        self.makespan == self.bound
    }

    /// Whether the makespan is at most (1 + 1/k) times the bound.
    pub(super) fn reaches(&self, k: u64) -> bool {
        u128::from(self.makespan) * u128::from(k) <= u128::from(self.bound) * (u128::from(k) + 1)
    }

    /// Replaces the schedule if the new one is better.
    pub(super) fn offer(&mut self, phase: &'static str, (makespan, assignment): Assignment) {
        if makespan < self.makespan {
            self.assignment = Arc::new(assignment);
            self.makespan = makespan;
            self.monitor.note_found(makespan, None, || found(&self.assignment));
        }
        self.monitor.report(phase, None);
    }

    /// Raises the bound if the new one is better.
    pub(super) fn raise(&mut self, phase: &'static str, bound: u64) {
        self.bound = self.bound.max(bound);
        self.monitor.note_bound(bound);
        self.monitor.report(phase, None);
    }

    pub(super) fn into_answer(self) -> Answer {
        let assignment = Arc::unwrap_or_clone(self.assignment);
        Answer { makespan: self.makespan, assignment, bound: self.bound }
    }
}

/// The best schedule of a search, its makespan as the search has counted it, and its bound.
pub(super) struct Answer {
    pub(super) makespan: u64,
    pub(super) assignment: Vec<u32>,
    pub(super) bound: u64,
}

impl Answer {
    /// The outcome, re-checked against the instance.
    pub(super) fn certify(self, instance: &Instance, report: Report) -> Result<Outcome<Schedule>> {
        let schedule = Schedule::new(self.assignment);
        let makespan = schedule.makespan(instance)?;
        let bound = Some(self.bound);
        let certificate = Certificate::new(Sense::Minimise, self.makespan, makespan, bound)?;
        Ok(certificate.outcome(Some(schedule), report))
    }
}

/// A schedule for the progress callback, copied if it asks.
pub(super) fn found(assignment: &Arc<Vec<u32>>) -> Found {
    let assignment = Arc::clone(assignment);
    Found::new(move || Some(Schedule::new(memory::copied(&assignment).ok()?)))
}
