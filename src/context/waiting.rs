//! Waiting for other threads of a solve. Only the thread that called the solver calls the progress
//! callback, so it looks at the monitor while it waits: the callback may ask for a stop.

use std::convert::Infallible;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use crate::solve::Monitor;
use crate::{Result, scoped};

/// Time between two looks at the monitor.
pub(super) const LOOK: Duration = Duration::from_millis(10);

/// Threads that a step waits for at its end.
pub(crate) struct Awaited {
    /// Every thread has a copy until it ends. None once the wait has begun.
    presence: Option<Sender<Infallible>>,
    ended: Receiver<Infallible>,
}

impl Awaited {
    pub(crate) fn new() -> Self {
        let (sender, ended) = mpsc::channel();
        Awaited { presence: Some(sender), ended }
    }

    /// [`scoped::spawn`] for one of these threads.
    pub(crate) fn spawn<'s, T: Send + 's>(
        &self,
        scope: &'s Scope<'s, '_>,
        work: impl FnOnce() -> T + Send + 's,
    ) -> Result<ScopedJoinHandle<'s, T>> {
        let presence = self.presence.clone();
        scoped::spawn(scope, move || {
            let _presence = presence;
            work()
        })
    }

    /// Waits until the threads have ended, but not longer than `time`. Returns whether they have.
    pub(crate) fn end_within(&mut self, time: Duration, monitor: &Monitor) -> bool {
        self.presence = None;
        let begun = Instant::now();
        while let Err(RecvTimeoutError::Timeout) = self.ended.recv_timeout(LOOK.min(time)) {
            monitor.should_stop();
            if begun.elapsed() >= time {
                return false;
            }
        }
        true
    }

    /// Waits until the threads have ended.
    pub(crate) fn wait(mut self, monitor: &Monitor) {
        while !self.end_within(Duration::MAX, monitor) {}
    }
}
