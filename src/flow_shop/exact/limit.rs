use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::flow_shop::incumbent::{Best, found};
use crate::mutex::lock;
use crate::solve::Monitor;

/// What the value of a sequence must be below to be of interest, and the best sequence known;
/// shared by all engines of a search.
pub(super) struct Limit {
    limit: Arc<AtomicU32>,
    best: Mutex<Best>,
}

impl Limit {
    /// Only values below that of `best` and below `limit` are of interest.
    pub(super) fn new(best: Best, limit: u32) -> Self {
        Limit::shared(best, limit, Arc::new(AtomicU32::new(u32::MAX)))
    }

    /// The same with a limit that all searches with `shared` lower for each other.
    pub(super) fn shared(best: Best, limit: u32, shared: Arc<AtomicU32>) -> Self {
        shared.fetch_min(best.value.min(limit), Ordering::Relaxed);
        Limit { limit: shared, best: Mutex::new(best) }
    }

    pub(super) fn get(&self) -> u32 {
        self.limit.load(Ordering::Relaxed)
    }

    /// Takes over a sequence if its value is below the limit.
    pub(super) fn offer(&self, value: u32, order: &[u32], monitor: &Monitor) {
        let mut best = self.lock();
        if value < self.limit.fetch_min(value, Ordering::Relaxed) {
            *best = Best { value, order: order.to_vec() };
            monitor.note_found(value, None, || found(order));
        }
    }

    /// The best known sequence.
    pub(super) fn best(&self) -> Best {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Best> {
        lock(&self.best)
    }
}
