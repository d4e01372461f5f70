//! Beginnings of sequences, extended job by job.

use super::problem::Problem;
use super::scoring::Tally;

/// The state of the machines behind the beginning of a sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Front {
    /// From when on each machine can be set up for the next job.
    pub(super) free: Vec<u32>,
    pub(super) last: Option<u32>,
    pub(super) tally: Tally,
}

impl Problem<'_> {
    /// The front of the empty sequence.
    pub(super) fn empty(&self) -> Front {
        let free = self.instance.ready_times().to_vec();
        Front { free, last: None, tally: Tally::EMPTY }
    }

    /// The front of the pinned jobs.
    pub(super) fn pinned_front(&self) -> Front {
        let mut front = self.empty();
        self.instance.pinned().iter().for_each(|&job| self.append(&mut front, job));
        front
    }

    /// Adds a job behind a front.
    #[inline]
    pub(super) fn append(&self, front: &mut Front, job: u32) {
        let completion = self.advance(&mut front.free, front.last, job);
        self.scoring.add(&mut front.tally, job, completion.into());
        front.last = Some(job);
    }

    /// Adds a job behind `before` to the free times alone, and returns its completion time.
    #[inline]
    pub(super) fn advance(&self, free: &mut [u32], before: Option<u32>, job: u32) -> u32 {
        let times = self.instance.job(job);
        let mut end = self.instance.release_time(job);
        for (machine, (free, &time)) in free.iter_mut().zip(times).enumerate() {
            let start = end.max(*free + self.instance.setup(machine, before, job));
            end = start + time;
            // With blocking, the machine before is free from this start on; see below.
            *free = if self.has_blocking { start } else { end };
        }
        if self.has_blocking {
            free.rotate_left(1);
            free[times.len() - 1] = end;
        }
        end
    }

    /// Adds jobs to the free times alone, and returns the completion time of the last one.
    pub(super) fn extend(&self, front: &mut Front, jobs: &[u32]) -> Option<u32> {
        let mut end = None;
        for &job in jobs {
            end = Some(self.advance(&mut front.free, front.last.replace(job), job));
        }
        end
    }

    /// The time at which a sequence without the pinned jobs ends behind them. Without jobs, all
    /// machines are ready by then.
    pub(super) fn latest(&self, order: &[u32]) -> u32 {
        let mut front = self.pinned_front();
        let ready = front.free.iter().copied().max().unwrap_or(0);
        let before = ready.max(front.tally.latest as u32);
        self.extend(&mut front, order).unwrap_or(before)
    }

    /// The value of a sequence that begins with the pinned jobs, as the solvers compute it.
    pub(super) fn cost(&self, order: &[u32]) -> super::cost::Cost {
        let mut front = self.empty();
        if self.scoring.counts_jobs() {
            order.iter().for_each(|&job| self.append(&mut front, job));
        } else {
            front.tally.latest = self.extend(&mut front, order).unwrap_or(0).into();
        }
        self.scoring.cost(&front.tally) + self.scoring.order_cost(order)
    }
}
