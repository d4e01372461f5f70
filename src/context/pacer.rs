use std::ops::Range;
use std::time::{Duration, Instant};

use crate::Result;
use crate::opencl::{DeviceSpeeds, Queue};
use crate::solve::Monitor;

/// Limits the queued work, so that a stop takes effect within some tens of milliseconds on any
/// device, and so that no watchdog of an operating system ends a launch: it learns how much work
/// takes that long. The caller chooses the unit of work, about a nanosecond of a processor.
pub(crate) struct Pacer<'a> {
    queue: &'a Queue,
    monitor: &'a Monitor,
    /// The phase reported to the progress callback.
    phase: &'static str,
    budget: u64,
    pending: u64,
    since: Instant,
    /// Time of the last batch.
    last: Duration,
}

/// Units of work of a loop of launches, for [`Pacer::launch`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Units {
    /// The work of one unit.
    work: u64,
    /// Least and most units of a launch.
    least: usize,
    most: usize,
}

impl Units {
    pub(crate) fn of(work: u64) -> Self {
        Units { work: work.max(1), least: 1, most: usize::MAX }
    }

    /// Sets the least units of a launch; only the last launch may have fewer.
    pub(crate) fn at_least(self, least: usize) -> Self {
        Units { least: least.max(1), ..self }
    }

    /// Sets the most units of a launch.
    pub(crate) fn at_most(self, most: usize) -> Self {
        Units { most: most.max(1), ..self }
    }
}

/// Work of the first batch on a device: some tens of milliseconds if it is a thousand times slower
/// than a processor.
const FIRST_BUDGET: u64 = 1 << 14;
/// Most work of the first batch, if the device's speed was measured.
const MOST_FIRST_BUDGET: u64 = 1 << 24;
/// Target time of a batch.
const TARGET: Duration = Duration::from_millis(20);
/// Most growth of the budget from one batch to the next.
const MOST_GROWTH: u64 = 8;
/// A phase begins with this part of the budget of the last such phase on the device: its kernels
/// may be slower.
const PART_OF_LAST: u64 = 4;
/// Extra work counted for each launch, so that the queue never holds thousands of tiny launches.
const LAUNCH_WORK: u64 = 1 << 14;

impl<'a> Pacer<'a> {
    pub(crate) fn new(queue: &'a Queue, monitor: &'a Monitor, phase: &'static str) -> Self {
        let (pending, since, last) = (0, Instant::now(), Duration::ZERO);
        Pacer { queue, monitor, phase, budget: begin(queue, phase), pending, since, last }
    }

    /// Starts with the budget that an earlier pacer learnt for the same device and kind of work.
    pub(crate) fn with_budget(self, budget: u64) -> Self {
        Pacer { budget, ..self }
    }

    /// The learnt work of a batch.
    pub(crate) fn budget(&self) -> u64 {
        self.budget
    }

    /// Work that may be queued now.
    pub(crate) fn room(&self) -> u64 {
        self.budget - self.pending.min(self.budget)
    }

    /// Time of the last batch; the next one probably takes about as long.
    pub(crate) fn last_batch(&self) -> Duration {
        self.last
    }

    /// Number of units, of those left, that the next launch takes.
    pub(crate) fn share(&self, units: Units, left: usize) -> usize {
        let room = usize::try_from(self.room() / units.work).unwrap_or(usize::MAX);
        room.max(units.least).min(units.most).min(left)
    }

    /// Launches the units of a range in parts. `launch` queues one part and returns the finished
    /// fraction of the solve, if known.
    pub(crate) fn launch(
        &mut self,
        range: Range<usize>,
        units: Units,
        launch: &mut dyn FnMut(Range<usize>) -> Result<Option<f64>>,
    ) -> Result<()> {
        let mut first = range.start;
        while first < range.end {
            let count = self.share(units, range.end - first);
            let fraction = launch(first..first + count)?;
            first += count;
            self.launched((count as u64).saturating_mul(units.work), fraction)?;
        }
        Ok(())
    }

    /// Counts a launch. Once enough work is queued, waits for the device and adapts the budget.
    pub(crate) fn launched(&mut self, work: u64, fraction: Option<f64>) -> Result<()> {
        self.launched_polling(work, fraction, &mut || Ok(false)).map(|_| ())
    }

    /// Like [`Pacer::launched`]. While it waits for the device it calls `poll`, until `poll` returns
    /// false for "no more to do". Returns whether it waited. All launches are then complete.
    pub(crate) fn launched_polling(
        &mut self,
        work: u64,
        fraction: Option<f64>,
        poll: &mut dyn FnMut() -> Result<bool>,
    ) -> Result<bool> {
        self.pending = self.pending.saturating_add(work).saturating_add(LAUNCH_WORK);
        if self.pending < self.budget {
            return Ok(false);
        }
        self.wait(fraction, poll).map(|()| true)
    }

    /// Waits for the device if there is queued work, and less room than for this much more.
    pub(crate) fn make_room(&mut self, work: u64, fraction: Option<f64>) -> Result<()> {
        let has_room = self.pending == 0 || work.saturating_add(LAUNCH_WORK) < self.room();
        if has_room { Ok(()) } else { self.wait(fraction, &mut || Ok(false)) }
    }

    /// Waits for the device and adapts the budget.
    fn wait(
        &mut self,
        fraction: Option<f64>,
        poll: &mut dyn FnMut() -> Result<bool>,
    ) -> Result<()> {
        self.queue.finish_polling(poll)?;
        self.last = self.since.elapsed();
        // A batch that was cut short says little.
        if self.pending >= self.budget / 2 {
            self.budget = adapted(self.budget, self.last);
            self.queue.set_budget(self.phase, self.budget);
        }
        self.monitor.report(self.phase, fraction);
        self.monitor.check()?;
        self.pending = 0;
        self.since = Instant::now();
        Ok(())
    }
}

/// The work of a launch where several are in flight, each in its own queue. It learns like a
/// [`Pacer`], from the time between a launch and its end.
pub(crate) struct Ration<'a> {
    queue: &'a Queue,
    kind: &'static str,
    budget: u64,
}

impl<'a> Ration<'a> {
    pub(crate) fn new(queue: &'a Queue, kind: &'static str) -> Self {
        Ration { queue, kind, budget: begin(queue, kind) }
    }

    /// Work that a launch may have.
    pub(crate) fn work(&self) -> u64 {
        self.budget
    }

    /// Learns from a launch with this work.
    pub(crate) fn adapt(&mut self, took: Duration) {
        self.budget = adapted(self.budget, took);
        self.queue.set_budget(self.kind, self.budget);
    }
}

/// The first budget of a kind of work on the queue's device.
fn begin(queue: &Queue, kind: &'static str) -> u64 {
    let learnt = queue.budget(kind).map(|budget| budget / PART_OF_LAST);
    learnt.unwrap_or_else(|| first_budget(&queue.speeds())).max(FIRST_BUDGET)
}

/// The work of a millisecond by the measured speed of a device. Estimates may be far too high.
fn first_budget(speeds: &DeviceSpeeds) -> u64 {
    let measured = if speeds.measured { speeds.add_min_rate / 1e3 } else { 0.0 };
    (measured as u64).clamp(FIRST_BUDGET, MOST_FIRST_BUDGET)
}

/// The budget after a batch of this budget took so long. A batch may grow to half of the target
/// time, and shrinks if it took twice as long, but not below the first budget: on a device whose
/// launches alone take so long, less work would only mean more launches.
fn adapted(budget: u64, took: Duration) -> u64 {
    let ratio = |of: Duration, to: Duration| (of.as_nanos() / to.as_nanos().max(1)) as u64;
    if took < TARGET / 2 {
        budget.saturating_mul(ratio(TARGET / 2, took).clamp(2, MOST_GROWTH))
    } else if took > TARGET * 2 {
        (budget / ratio(took, TARGET)).max(FIRST_BUDGET)
    } else {
        budget
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Error;
    use crate::opencl::testing::test_devices;
    use crate::solve::SolveOptions;
    use crate::testing::{assert_error, stopped};

    proptest! {
        #[test]
        fn parts_for_a_device_cover_the_range_in_order(
            start in 0usize..1000, length in 0usize..100_000, work in 0u64..1 << 22, least in 0usize..300,
            most in 0usize..300,
        ) {
            for device in test_devices().into_iter().take(1) {
                let queue = device.queue();
                let monitor = Monitor::new(&SolveOptions::default());
                let mut pacer = Pacer::new(&queue, &monitor, "phase");
                let (range, mut next) = (start..start + length, start);
                let units = Units::of(work).at_least(least).at_most(most);
                pacer.launch(range.clone(), units, &mut |part| {
                    assert_eq!(part.start, next);
                    assert!(part.len() <= most.max(1) && part.end <= range.end);
                    assert!(part.len() >= least.min(most).max(1) || part.end == range.end);
                    next = part.end;
                    Ok(None)
                }).unwrap();
                prop_assert_eq!(next, range.end);
            }
        }

        #[test]
        fn a_launch_on_a_device_takes_what_there_is_room_for(
            room in 0u64..1000, work in 1u64..50, least in 0usize..10, left in 1usize..2000,
        ) {
            for device in test_devices().into_iter().take(1) {
                let queue = device.queue();
                let monitor = Monitor::new(&SolveOptions::default());
                let pacer = Pacer::new(&queue, &monitor, "phase").with_budget(room);
                let taken = pacer.share(Units::of(work).at_least(least), left);
                prop_assert!((1..=left).contains(&taken));
                prop_assert!(taken as u64 * work <= room || taken <= least.max(1));
                prop_assert!(taken == left || (taken as u64 + 1) * work > room);
            }
        }
    }

    #[test]
    fn batches_grow_no_further_than_to_the_target_and_shrink_at_once() {
        let after = |milliseconds| {
            let budget = 1000 * FIRST_BUDGET;
            adapted(budget, Duration::from_millis(milliseconds)) / FIRST_BUDGET
        };
        assert_eq!((after(0), after(2), after(4), after(9)), (8000, 5000, 2000, 2000));
        assert_eq!((after(10), after(40)), (1000, 1000));
        assert_eq!((after(41), after(2000), after(90_000)), (500, 10, 1));
    }

    #[test]
    fn a_device_learns_how_much_work_it_does() {
        for device in test_devices() {
            let monitor = Monitor::new(&SolveOptions::default());
            let queue = device.queue();
            let first = |phase| Pacer::new(&queue, &monitor, phase).budget();
            let unknown = first_budget(&queue.speeds());
            assert_eq!(first("learnt"), unknown);
            let mut pacer = Pacer::new(&queue, &monitor, "learnt");
            while pacer.budget() < 100 * unknown {
                pacer.launched(pacer.budget(), None).unwrap();
            }
            assert_eq!(first("learnt"), pacer.budget() / PART_OF_LAST);
            assert_eq!(first("another"), unknown);
        }
    }

    #[test]
    fn a_stop_is_seen_between_launches_on_a_device() {
        for device in test_devices() {
            let monitor = Monitor::new(&stopped());
            let queue = device.queue();
            let mut pacer = Pacer::new(&queue, &monitor, "phase").with_budget(1 << 20);
            assert!(pacer.launched(1 << 19, None).is_ok());
            assert_error!(pacer.launched(1 << 19, None), Error::Stopped);
        }
    }

    #[test]
    fn the_host_has_something_to_do_while_a_device_works() {
        for device in test_devices() {
            let monitor = Monitor::new(&SolveOptions::default());
            let queue = device.queue();
            let mut pacer = Pacer::new(&queue, &monitor, "phase").with_budget(1 << 20);
            let mut parts = 0..3;
            let mut poll = || Ok(parts.next().is_some());
            assert!(!pacer.launched_polling(1 << 19, None, &mut poll).unwrap());
            assert!(pacer.launched_polling(1 << 19, None, &mut poll).unwrap());
            // At least one, before it is known whether the device works.
            assert!(parts.len() < 3);
            let mut failing = || Err(Error::stopped());
            assert_error!(pacer.launched_polling(1 << 62, None, &mut failing), Error::Stopped);
        }
    }
}
