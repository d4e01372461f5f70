use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// An upper bound that any thread may lower at any time, also during [`Unit::run`](super::Unit::run).
/// A run looks only for schedules shorter than it, and lowers it when it finds one. Clones are the
/// same bound.
///
/// The bound has no schedule: that stays in the unit whose run found it. Processes that may end
/// without handing over their units must not pass on the bound before the schedule.
#[derive(Clone)]
pub struct UpperBound(Arc<AtomicU32>);

impl UpperBound {
    /// No bound yet.
    pub fn new() -> Self {
        UpperBound(Arc::new(AtomicU32::new(u32::MAX)))
    }

    /// Lowers the bound to the makespan of a known schedule, or to any number below which no
    /// schedules are sought. A higher number changes nothing.
    pub fn lower(&self, makespan: u64) {
        self.0.fetch_min(makespan.try_into().unwrap_or(u32::MAX), Ordering::Relaxed);
    }

    /// The bound; `None` before the first.
    pub fn get(&self) -> Option<u64> {
        Some(self.0.load(Ordering::Relaxed)).filter(|&bound| bound < u32::MAX).map(u64::from)
    }

    pub(super) fn shared(&self) -> Arc<AtomicU32> {
        Arc::clone(&self.0)
    }
}

impl Default for UpperBound {
    fn default() -> Self {
        UpperBound::new()
    }
}

impl fmt::Debug for UpperBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("UpperBound").field(&self.get()).finish()
    }
}
