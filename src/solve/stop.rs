use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Monitor;
use crate::{Error, Result};

/// Ends solves from any thread. Clones share one state. One handle may serve several concurrent
/// solves.
#[derive(Clone, Default)]
pub struct StopHandle {
    stopped: Arc<AtomicBool>,
    /// The solve whose end is a stop, too.
    whole: Option<Monitor>,
}

impl StopHandle {
    /// A handle in the state before [`StopHandle::stop`].
    pub fn new() -> Self {
        Self::default()
    }

    /// A handle that ends solves together with one that they are part of.
    pub(crate) fn of(whole: &Monitor) -> Self {
        StopHandle { whole: Some(whole.clone()), ..StopHandle::default() }
    }

    /// Requests every solve with this handle to end soon. Repeated calls have no further effect.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Makes the handle usable again after [`StopHandle::stop`].
    pub fn reset(&self) {
        self.stopped.store(false, Ordering::Relaxed);
    }

    /// Whether [`StopHandle::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
            || self.whole.as_ref().is_some_and(Monitor::should_stop)
    }
}

impl fmt::Debug for StopHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StopHandle").field("stopped", &self.stopped).finish()
    }
}

/// What a method found, or nothing if it was stopped before.
pub(crate) fn unless_stopped<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(*error, Error::Stopped) => Ok(None),
        Err(error) => Err(error),
    }
}
