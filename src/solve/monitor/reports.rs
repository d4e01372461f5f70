//! What the callback and the log hear of a solve.

use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Monitor, State};
use crate::solve::{Control, Objective, Outcome, Progress, ProgressCallback, Sense, milestones};
use crate::{LogLevel, Result};

pub(super) const REPORT_INTERVAL: Duration = Duration::from_millis(50);

impl Monitor {
    /// Records an objective and a bound if they are better than the known ones. Any thread may call
    /// it.
    pub(crate) fn note(&self, incumbent: Option<u64>, bound: Option<u64>) {
        let mut state = self.lock();
        let known = (state.incumbent, state.bound);
        let incumbents = state.incumbent.into_iter().chain(incumbent);
        let bounds = state.bound.into_iter().chain(bound);
        (state.incumbent, state.bound) = match self.sense {
            Sense::Minimise => (incumbents.min(), bounds.max()),
            Sense::Maximise => (incumbents.max(), bounds.min()),
        };
        if (state.incumbent, state.bound) != known {
            state.news = true;
            let values = (state.incumbent, state.bound);
            let milestone = state.milestones.values(values, self.elapsed());
            self.write(state, milestone);
        }
    }

    /// Starts a phase. Progress reports name it until the phase makes its own reports. Refuses
    /// without room for the phase's lists.
    pub(crate) fn enter(&self, phase: &'static str) -> Result<()> {
        self.tell_phase(phase);
        self.check_room()
    }

    fn tell_phase(&self, phase: &'static str) {
        let mut state = self.lock();
        state.phase = phase;
        let milestone = state.milestones.phase(phase, self.elapsed());
        self.write(state, milestone);
    }

    /// Ends the solve: reports and logs the returned values.
    pub(crate) fn conclude<S, V: Objective>(&self, outcome: Outcome<S, V>) -> Outcome<S, V> {
        let (objective, bound) = (outcome.objective, outcome.bound);
        let last = Progress {
            elapsed: self.elapsed(),
            phase: "end",
            incumbent: objective.and_then(V::to_u64),
            bound: bound.and_then(V::to_u64),
            incumbent_f64: objective.map(V::to_f64),
            bound_f64: bound.map(V::to_f64),
            fraction: None,
        };
        if let Some(callback) = self.callback() {
            // The solve has ended, so the answer has no effect.
            callback(&last);
        }
        self.log.info(|| milestones::end(outcome.status, &outcome.report, &last));
        outcome
    }

    /// Writes to the log without holding the lock, since the log callback may be slow.
    fn write(&self, state: MutexGuard<'_, State>, milestone: Option<String>) {
        drop(state);
        if let Some(milestone) = milestone {
            self.log.info(|| milestone);
        }
    }

    /// Reports the state of the solve to the callback, unless it was just reported. Acts only on
    /// the thread that called the solver, as the callback's documentation promises.
    pub(crate) fn report(&self, phase: &'static str, fraction: Option<f64>) {
        let is_heard = self.progress.is_some() || self.log.hears(LogLevel::Info);
        if !is_heard || thread::current().id() != self.caller {
            return;
        }
        self.tell_phase(phase);
        let Some(callback) = self.asked_callback() else { return };
        let state = self.lock();
        if state.news || state.heard.elapsed() >= REPORT_INTERVAL {
            self.call(callback, state, fraction);
        }
    }

    /// Reports the present phase again, like [`Monitor::report`].
    pub(super) fn ask(&self) {
        let Some(callback) = self.asked_callback() else { return };
        let state = self.lock();
        if state.heard.elapsed() >= REPORT_INTERVAL {
            self.call(callback, state, None);
        }
    }

    /// The callback while the solve runs: not after it has asked for a stop.
    fn asked_callback(&self) -> Option<&ProgressCallback> {
        self.callback().filter(|_| !self.told.load(Ordering::Relaxed))
    }

    /// The callback, if it may be called on this thread.
    fn callback(&self) -> Option<&ProgressCallback> {
        self.progress.as_ref().filter(|_| thread::current().id() == self.caller)
    }

    fn call(
        &self,
        callback: &ProgressCallback,
        mut state: MutexGuard<'_, State>,
        fraction: Option<f64>,
    ) {
        let now = Instant::now();
        (state.heard, state.news) = (now, false);
        let progress = Progress {
            elapsed: now - self.start,
            phase: state.phase,
            incumbent: state.incumbent,
            bound: state.bound,
            incumbent_f64: state.incumbent.map(Objective::to_f64),
            bound_f64: state.bound.map(Objective::to_f64),
            fraction,
        };
        drop(state);
        if callback(&progress) == Control::Stop {
            self.obey();
        }
    }

    /// Stops the solve because the callback has asked for it.
    pub(super) fn obey(&self) {
        self.told.store(true, Ordering::Relaxed);
        self.stopped.store(true, Ordering::Relaxed);
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
