use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends solves from any thread. Clones share one state, which may serve several solves at once.
#[derive(Debug, Clone, Default)]
pub struct StopHandle {
    stopped: Arc<AtomicBool>,
}

impl StopHandle {
    /// A handle that has not been tripped.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks every solve that holds this handle to end soon; harmless when repeated.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Makes the handle usable again after [`StopHandle::stop`].
    pub fn reset(&self) {
        self.stopped.store(false, Ordering::Relaxed);
    }

    /// Whether the handle has been tripped.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
