use std::time::{Duration, Instant};

use crate::Result;
use crate::opencl::Queue;
use crate::solve::Monitor;

/// Keeps what is queued short enough that a stop is seen within some tens of milliseconds, whatever the speed
/// of the device: it learns how much work takes that long. The unit of work is the caller's, about a nanosecond of
/// the slowest device.
pub(crate) struct Pacer<'a> {
    queue: &'a Queue,
    monitor: &'a Monitor,
    /// What the progress callback hears.
    phase: &'static str,
    budget: u64,
    pending: u64,
    since: Instant,
}

/// Work of the first batch: a millisecond or so on the slowest device.
pub(crate) const FIRST_BUDGET: u64 = 1 << 20;
/// How long a batch is to take.
const TARGET: Duration = Duration::from_millis(20);
/// A launch without work: keeps thousands of tiny launches from piling up in the queue.
const LAUNCH_WORK: u64 = 1 << 14;

impl<'a> Pacer<'a> {
    pub(crate) fn new(queue: &'a Queue, monitor: &'a Monitor, phase: &'static str) -> Self {
        Pacer { queue, monitor, phase, budget: FIRST_BUDGET, pending: 0, since: Instant::now() }
    }

    /// Begins with what an earlier one has learnt of the same device and work.
    pub(crate) fn with_budget(self, budget: u64) -> Self {
        Pacer { budget, ..self }
    }

    /// What it has learnt.
    pub(crate) fn budget(&self) -> u64 {
        self.budget
    }

    /// Work that may still be queued.
    pub(crate) fn room(&self) -> u64 {
        self.budget - self.pending.min(self.budget)
    }

    /// Counts a launch; waits for the device and looks at the clock when enough is queued.
    pub(crate) fn launched(&mut self, work: u64, fraction: Option<f64>) -> Result<()> {
        self.pending = self.pending.saturating_add(work).saturating_add(LAUNCH_WORK);
        if self.pending >= self.budget {
            self.queue.finish()?;
            let elapsed = self.since.elapsed();
            if elapsed < TARGET / 2 {
                self.budget = self.budget.saturating_mul(2);
            } else if elapsed > TARGET * 2 {
                self.budget = (self.budget / 2).max(1);
            }
            self.monitor.report(self.phase, fraction);
            self.monitor.check()?;
            self.pending = 0;
            self.since = Instant::now();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::opencl::testing::test_devices;
    use crate::solve::{SolveOptions, StopHandle};

    #[test]
    fn a_stop_is_seen_between_launches() {
        for device in test_devices() {
            let stop = StopHandle::new();
            stop.stop();
            let monitor =
                Monitor::new(&SolveOptions { stop: Some(stop), ..SolveOptions::default() });
            let queue = device.queue().unwrap();
            let mut pacer = Pacer::new(&queue, &monitor, "phase");
            assert!(pacer.launched(FIRST_BUDGET / 2, None).is_ok());
            assert!(matches!(
                pacer.launched(FIRST_BUDGET / 2, None).err().as_deref(),
                Some(Error::Stopped)
            ));
        }
    }
}
