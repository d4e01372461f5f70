use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Error, Result};

/// Ends solves from any thread. Clones share one state. One handle may serve several concurrent
/// solves.
#[derive(Debug, Clone, Default)]
pub struct StopHandle {
    stopped: Arc<AtomicBool>,
}

impl StopHandle {
    /// A handle in the state before [`StopHandle::stop`].
    pub fn new() -> Self {
        Self::default()
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
