use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::flow_shop::incumbent::Best;
use crate::solve::Monitor;

/// What a sequence must be shorter than to be of interest, and the best one known; shared by all
/// engines of a search.
pub(super) struct Limit {
    limit: AtomicU32,
    best: Mutex<Best>,
}

impl Limit {
    /// Only sequences shorter than `best` and than `limit` are of interest.
    pub(super) fn new(best: Best, limit: u32) -> Self {
        Limit { limit: AtomicU32::new(best.makespan.min(limit)), best: Mutex::new(best) }
    }

    pub(super) fn get(&self) -> u32 {
        self.limit.load(Ordering::Relaxed)
    }

    /// Takes over a sequence if it is short enough.
    pub(super) fn offer(&self, makespan: u32, order: &[u32], monitor: &Monitor) {
        let mut best = self.lock();
        if makespan < self.get() {
            *best = Best { makespan, order: order.to_vec() };
            self.limit.store(makespan, Ordering::Relaxed);
            monitor.note(Some(makespan.into()), None);
        }
    }

    /// The best sequence that is known.
    pub(super) fn best(&self) -> Best {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Best> {
        self.best.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
