use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::flow_shop::incumbent::Best;
use crate::solve::Monitor;

/// The cutoff, which sequences must be shorter than, and the best known sequence. All engines of a
/// search share it.
pub(super) struct Limit {
    limit: AtomicU32,
    best: Mutex<Best>,
}

impl Limit {
    /// Sequences must be shorter than both `best` and `limit`.
    pub(super) fn new(best: Best, limit: u32) -> Self {
        Limit { limit: AtomicU32::new(best.makespan.min(limit)), best: Mutex::new(best) }
    }

    pub(super) fn get(&self) -> u32 {
        self.limit.load(Ordering::Relaxed)
    }

    /// Takes over a sequence that is shorter than the limit.
    pub(super) fn offer(&self, makespan: u32, order: &[u32], monitor: &Monitor) {
        let mut best = self.lock();
        if makespan < self.get() {
            *best = Best { makespan, order: order.to_vec() };
            self.limit.store(makespan, Ordering::Relaxed);
            monitor.note(Some(makespan.into()), None);
        }
    }

    /// The best known sequence.
    pub(super) fn best(&self) -> Best {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Best> {
        self.best.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
