use std::borrow::Cow;
use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::Counts;
use super::checkpoint::Checkpoint;
use super::limit::Limit;
use super::node::Open;
use super::objective::Objective;
use super::problem::Problem;
use crate::mutex::lock;
use crate::solve::Monitor;
use crate::{Context, Result};

/// Writes the checkpoint of a search when it is due, between slices and during one.
pub(super) struct Keeper<'a, O: Objective> {
    context: &'a Context,
    problem: &'a Problem<'a, O>,
    limit: &'a Limit,
    path: &'a Path,
    interval: Duration,
    state: Mutex<State>,
}

struct State {
    /// None if the time is beyond the clock's range.
    due: Option<Instant>,
    /// Work done before the present slice.
    before: Counts,
    /// Whether a device took part before or takes part in the present slice.
    by_device: bool,
    /// Whether the file was written during the present slice.
    kept: bool,
}

impl<'a, O: Objective> Keeper<'a, O> {
    pub(super) fn new(
        context: &'a Context,
        problem: &'a Problem<'a, O>,
        limit: &'a Limit,
        path: &'a Path,
        interval: Duration,
    ) -> Self {
        let due = Instant::now().checked_add(interval);
        let state =
            Mutex::new(State { due, before: Counts::default(), by_device: false, kept: false });
        Keeper { context, problem, limit, path, interval, state }
    }

    pub(super) fn is_due(&self) -> bool {
        self.lock().due.is_some_and(|due| Instant::now() >= due)
    }

    /// The time at which the file is due, but at most `end`.
    pub(super) fn next(&self, end: Instant) -> Instant {
        self.lock().due.map_or(end, |due| due.min(end))
    }

    /// Starts a slice: `done` is the work before it, and `by_device` says whether a device takes
    /// part from now on.
    pub(super) fn begin_slice(&self, done: Counts, by_device: bool) {
        let mut state = self.lock();
        (state.before, state.by_device, state.kept) = (done, by_device, false);
    }

    /// The checkpoint last written during the present slice, if there is one.
    pub(super) fn kept_in_slice(&self, monitor: &Monitor) -> Option<Checkpoint<'static>> {
        let kept = self.lock().kept;
        kept.then(|| {
            Checkpoint::read::<O>(self.problem.instance, self.path, monitor).ok().flatten()
        })
        .flatten()
    }

    /// Writes the file during the search. If that fails, the old file stays and the next write is
    /// due an interval later.
    pub(super) fn keep_midway(&self, open: &[Open], done: Counts) {
        if let Err(error) = self.keep(open, done) {
            self.context.log().warn(|| format!("the checkpoint was not written: {error}"));
        }
    }

    /// Writes the file with the open nodes; `done` is the work of the present slice so far.
    pub(super) fn keep(&self, open: &[Open], done: Counts) -> Result<()> {
        let State { before, by_device, .. } = *self.lock();
        let checkpoint = Checkpoint {
            limit: self.limit.get(),
            branching_limit: self.problem.initial_limit,
            best: self.limit.best(),
            counts: Counts {
                nodes: before.nodes + done.nodes,
                bounds: before.bounds + done.bounds,
            },
            by_device,
            open: Cow::Borrowed(open),
        };
        let write = || checkpoint.write::<O>(self.problem.instance, self.path);
        let written = self.context.install(write)?;
        let mut state = self.lock();
        state.due = Instant::now().checked_add(self.interval);
        state.kept |= written.is_ok();
        written
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}
