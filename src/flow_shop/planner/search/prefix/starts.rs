//! The machines behind an inserted job.

use crate::flow_shop::planner::search::heads::{LANES, lanes};
use crate::flow_shop::planner::search::spread::Lane;
use crate::simd::HotLoop;

/// Computes the machines behind a job at each position of a sequence.
pub(super) struct Starts<'p, T> {
    /// The job's times.
    pub(super) times: &'p [T],
    pub(super) release: T,
    pub(super) has_blocking: bool,
    /// Rows by machine at distance `stride`.
    pub(super) heads: &'p [T],
    /// The set-ups before the job, if there are any.
    pub(super) entering: Option<&'p [T]>,
    pub(super) stride: usize,
    pub(super) starts: &'p mut [T],
    /// For each position, the job's completion time.
    pub(super) ends: &'p mut [T],
    /// See [`Prefix`].
    pub(super) delays: &'p mut [T],
}

impl<T: Lane> HotLoop for Starts<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (vector, ends) in self.ends.chunks_exact_mut(LANES).enumerate() {
            let row = |machine: usize| machine * self.stride + vector * LANES;
            let mut end = [self.release; LANES];
            let mut delays = [T::NONE; LANES];
            for (machine, &time) in self.times.iter().enumerate() {
                let mut start: [T; LANES] = *lanes(self.heads, row(machine));
                if let Some(entering) = self.entering {
                    let entering = lanes(entering, row(machine));
                    for lane in 0..LANES {
                        start[lane] = start[lane].plus(entering[lane]);
                    }
                }
                for lane in 0..LANES {
                    start[lane] = start[lane].max(end[lane]);
                    end[lane] = start[lane].plus(time);
                }
                // With blocking, the machine before is free once this one has the job.
                let (behind, free) = match self.has_blocking {
                    true => (machine.checked_sub(1), &start),
                    false => (Some(machine), &end),
                };
                if let Some(behind) = behind {
                    let row = row(behind);
                    self.starts[row..][..LANES].copy_from_slice(free);
                    if self.entering.is_none() {
                        shorten(&mut delays, free, lanes(self.heads, row));
                    }
                }
            }
            if self.has_blocking {
                let row = row(self.times.len() - 1);
                self.starts[row..][..LANES].copy_from_slice(&end);
                if self.entering.is_none() {
                    shorten(&mut delays, &end, lanes(self.heads, row));
                }
            }
            ends.copy_from_slice(&end);
            self.delays[vector * LANES..][..LANES].copy_from_slice(&delays);
        }
    }
}

/// Replaces delays by shorter ones of a machine.
#[inline(always)]
pub(super) fn shorten<T: Lane>(delays: &mut [T; LANES], later: &[T; LANES], sooner: &[T; LANES]) {
    for lane in 0..LANES {
        delays[lane] = delays[lane].min(later[lane].minus(sooner[lane]));
    }
}
