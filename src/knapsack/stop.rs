//! A stop that one thread notices and shares with all others.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::solve::Monitor;
use crate::{Error, Result};

/// Whether some thread has noticed a stop.
pub(super) struct Stop<'a> {
    monitor: &'a Monitor,
    seen: AtomicBool,
}

impl<'a> Stop<'a> {
    pub(super) fn new(monitor: &'a Monitor) -> Self {
        Stop { monitor, seen: AtomicBool::new(false) }
    }

    pub(super) fn is_asked_for(&self) -> bool {
        if !self.seen.load(Ordering::Relaxed) && self.monitor.should_stop() {
            self.seen.store(true, Ordering::Relaxed);
        }
        self.seen.load(Ordering::Relaxed)
    }

    pub(super) fn check(self) -> Result<()> {
        if self.seen.into_inner() { Err(Error::stopped()) } else { Ok(()) }
    }
}
