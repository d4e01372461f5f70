use std::time::{Duration, Instant};

use crate::Result;
use crate::opencl::Queue;
use crate::solve::Monitor;

/// Keeps what is queued short enough that a stop is seen within some tens of milliseconds, whatever the speed
/// of the device: it learns how much work takes that long.
pub(super) struct Pacer<'a> {
    queue: &'a Queue,
    monitor: &'a Monitor,
    budget: u64,
    pending: u64,
    since: Instant,
}

/// Work of the first batch, in table look-ups: a millisecond or so on the slowest device.
pub(super) const FIRST_BUDGET: u64 = 1 << 20;
/// How long a batch is to take.
const TARGET: Duration = Duration::from_millis(20);
/// A launch without work, in look-ups: keeps thousands of tiny launches from piling up in the queue.
const LAUNCH_WORK: u64 = 1 << 14;

impl<'a> Pacer<'a> {
    pub(super) fn new(queue: &'a Queue, monitor: &'a Monitor) -> Self {
        Pacer { queue, monitor, budget: FIRST_BUDGET, pending: 0, since: Instant::now() }
    }

    /// Work that may still be queued.
    pub(super) fn room(&self) -> u64 {
        self.budget - self.pending.min(self.budget)
    }

    /// Counts a launch; waits for the device and looks at the clock when enough is queued.
    pub(super) fn launched(&mut self, work: u64, fraction: Option<f64>) -> Result<()> {
        self.pending = self.pending.saturating_add(work).saturating_add(LAUNCH_WORK);
        if self.pending >= self.budget {
            self.queue.finish()?;
            let elapsed = self.since.elapsed();
            if elapsed < TARGET / 2 {
                self.budget = self.budget.saturating_mul(2);
            } else if elapsed > TARGET * 2 {
                self.budget = (self.budget / 2).max(1);
            }
            self.monitor.report("lattice", fraction);
            self.monitor.check()?;
            self.pending = 0;
            self.since = Instant::now();
        }
        Ok(())
    }
}
