//! Reports of a solve to the progress callback and to the log.

use std::any::Any;
use std::mem;
use std::sync::MutexGuard;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::{Monitor, State, this_thread};
use crate::mutex::lock;
use crate::solve::progress::Incumbent;
use crate::solve::{
    Control, Found, Objective, Outcome, Progress, ProgressCallback, Value, Values, milestones,
};
use crate::{LogLevel, Result};

pub(super) const REPORT_INTERVAL: Duration = Duration::from_millis(50);

impl Monitor {
    /// Records a bound if it is better than the known one. Any thread may call it.
    pub(crate) fn note_bound<V: TryInto<Value>>(&self, bound: V) {
        self.improve(Values { objective: None, bound: value(bound) }, || None);
    }

    /// Records the objective of a solution, and a bound, if they are better than the known ones. If
    /// there is a callback, it can ask for what `found` returns, a solution of the type that the
    /// solve returns. Any thread may call it.
    pub(crate) fn note_found<V: TryInto<Value>>(
        &self,
        objective: V,
        bound: Option<V>,
        found: impl FnOnce() -> Found,
    ) {
        let values = Values { objective: value(objective), bound: bound.and_then(value) };
        self.improve(values, || self.progress.is_some().then(found));
    }

    /// Records a solution with the best objective that is better in a later stage.
    pub(crate) fn note_refined(&self, found: impl FnOnce() -> Found) {
        let found = self.progress.as_ref().and_then(|_| self.whole(found()));
        let mut state = self.lock();
        state.found = found;
        state.solutions += 1;
        state.news = true;
    }

    /// A solution in the terms of the whole solve.
    fn whole(&self, found: Found) -> Option<Found> {
        match &self.reduction {
            Some(reduction) => reduction.found(found),
            None => Some(found),
        }
    }

    /// Records better values, in the terms of the whole solve.
    fn improve(&self, values: Values, found: impl FnOnce() -> Option<Found>) {
        let reduction = self.reduction.as_ref();
        let values = reduction.map_or(values, |reduction| reduction.values(values));
        let found = || found().and_then(|found| self.whole(found));
        let mut state = self.lock();
        if state.improve(values, self.sense, found) {
            let elapsed = self.elapsed();
            let best = state.values;
            state.trace.add(elapsed.as_secs_f64(), best);
            self.log_values(state, elapsed);
        }
    }

    /// Logs the best values.
    pub(super) fn log_values(&self, mut state: MutexGuard<'_, State>, elapsed: Duration) {
        if !self.log.hears(LogLevel::Info) {
            return;
        }
        let values = state.values;
        let milestone = state.milestones.values(values, elapsed);
        self.write(state, milestone);
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
        if !self.log.hears(LogLevel::Info) {
            return;
        }
        let milestone = state.milestones.phase(phase, self.elapsed());
        self.write(state, milestone);
    }

    /// Ends the solve: traces, reports and logs the returned values.
    pub(crate) fn conclude<S: Any + Send + Sync, V: Objective>(
        &self,
        mut outcome: Outcome<S, V>,
    ) -> Outcome<S, V> {
        let elapsed = self.elapsed();
        let objective = outcome.objective.map(V::into);
        let bound = outcome.bound.map(V::into);
        let mut state = self.lock();
        let (mut trace, solutions) = (mem::take(&mut state.trace), state.solutions);
        drop(state);
        trace.end(elapsed.as_secs_f64(), Values { objective, bound });
        outcome.report.trace = trace.into_points();
        let last = Progress {
            elapsed,
            phase: "end",
            sense: outcome.sense,
            stages: outcome.stages,
            objective,
            bound,
            solutions,
            fraction: None,
            incumbent: match &outcome.solution {
                Some(solution) => Incumbent::Returned(solution),
                None => Incumbent::Nowhere,
            },
        };
        if let Some(callback) = self.callback() {
            // The solve has ended, so the answer has no effect.
            callback(&last);
        }
        self.log.info(|| milestones::end(outcome.status, &outcome.report, &last));
        outcome
    }

    /// Ends a batch: reports its end, without values. Each result of the batch has its values.
    pub(crate) fn conclude_batch(&self) {
        let last = Progress {
            elapsed: self.elapsed(),
            phase: "end",
            sense: self.sense,
            stages: 1,
            objective: None,
            bound: None,
            solutions: 0,
            fraction: (!self.interrupted()).then_some(1.0),
            incumbent: Incumbent::Nowhere,
        };
        if let Some(callback) = self.callback() {
            callback(&last);
        }
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
        if !is_heard || this_thread() != self.caller {
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
        self.progress.as_ref().filter(|_| this_thread() == self.caller)
    }

    fn call(
        &self,
        callback: &ProgressCallback,
        mut state: MutexGuard<'_, State>,
        fraction: Option<f64>,
    ) {
        let now = Instant::now();
        (state.heard, state.news) = (now, false);
        let found = state.found.clone();
        let progress = Progress {
            elapsed: now - self.start,
            phase: state.phase,
            sense: self.sense,
            stages: 1,
            objective: state.values.objective,
            bound: state.values.bound,
            solutions: state.solutions,
            fraction,
            incumbent: found.as_ref().map_or(Incumbent::Nowhere, Incumbent::Found),
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
        lock(&self.state)
    }
}

/// What is beyond all objectives is not worth a note.
fn value<V: TryInto<Value>>(value: V) -> Option<Value> {
    value.try_into().ok()
}
