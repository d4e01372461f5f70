use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::solve::Monitor;

/// What a sequence must be shorter than to be of interest, and the best one found; shared by all engines of a search.
pub(super) struct Limit {
    limit: AtomicU32,
    best: Mutex<Option<Best>>,
}

/// A sequence with its makespan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Best {
    pub(super) makespan: u32,
    pub(super) order: Vec<u32>,
}

impl Limit {
    pub(super) fn new(limit: u32) -> Self {
        Limit { limit: AtomicU32::new(limit), best: Mutex::default() }
    }

    pub(super) fn get(&self) -> u32 {
        self.limit.load(Ordering::Relaxed)
    }

    /// Takes over a sequence if it is shorter than all before.
    pub(super) fn offer(&self, makespan: u32, order: &[u32], monitor: &Monitor) {
        let mut best = self.best.lock().unwrap_or_else(PoisonError::into_inner);
        if makespan < self.get() {
            *best = Some(Best { makespan, order: order.to_vec() });
            self.limit.store(makespan, Ordering::Relaxed);
            monitor.note(Some(makespan.into()), None);
        }
    }

    /// The best sequence that was offered.
    pub(super) fn into_best(self) -> Option<Best> {
        self.best.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
