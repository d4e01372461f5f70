//! Waiting for other threads of a solve. Only the thread that called the solver calls the progress
//! callback, so it looks at the monitor while it waits: the callback may ask for a stop.

use std::convert::Infallible;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use crate::solve::Monitor;

/// Time between two looks at the monitor.
pub(super) const LOOK: Duration = Duration::from_millis(10);

/// Threads that a step waits for at its end.
pub(crate) struct Awaited {
    /// None once the wait has begun.
    presence: Option<Presence>,
    ended: Receiver<Infallible>,
}

/// What each of these threads holds until it ends.
#[derive(Clone)]
pub(crate) struct Presence {
    _sender: Sender<Infallible>,
}

impl Awaited {
    pub(crate) fn new() -> Self {
        let (sender, ended) = mpsc::channel();
        Awaited { presence: Some(Presence { _sender: sender }), ended }
    }

    /// For a thread that begins.
    pub(crate) fn presence(&self) -> Option<Presence> {
        self.presence.clone()
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
