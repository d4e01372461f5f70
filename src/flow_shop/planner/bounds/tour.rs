//! The makespan with gaps: a tour through all jobs on a mean machine, relaxed to an assignment.

use super::ascent::{Slope, ascend};
use super::assignment::assign;
use super::line::SCALE;
use super::parts::{Gaps, Parts, View};
use crate::solve::Monitor;

/// More than any sum of times of a tour.
const NEVER: i64 = 1 << 50;
/// Elementary steps that the choice of weights may take.
const WORK: usize = 3 << 30;
const MOST_STEPS: usize = 150;

/// Times and gaps on a mean machine.
pub(super) struct Tour {
    pub(super) weights: Vec<i64>,
    jobs: usize,
    /// `follows[from * jobs + to]` from the start of a job to that of the next one.
    follows: Vec<i64>,
    /// From the start of the last job to the end of all.
    lasts: Vec<i64>,
}

impl Tour {
    /// A tour with good weights. None if the work or the memory would be too much.
    pub(super) fn choose(
        parts: &Parts,
        view: &View<'_>,
        begin: &[i64],
        monitor: &Monitor,
    ) -> Option<Tour> {
        let (gaps, jobs) = (parts.gaps.as_ref()?, parts.jobs.len());
        let size = jobs + 1;
        let each = size * size * (parts.machines + 4 + size / 8);
        let steps = (WORK / each).min(MOST_STEPS);
        if jobs < 2 || steps == 0 || !monitor.has_memory(24 * (size * size) as u128) {
            return None;
        }
        let weights = ascend(parts.machines, begin, steps, |weights| {
            let stops = || monitor.should_stop();
            (!stops()).then(|| Tour::new(parts, gaps, weights).slope(parts, gaps, view, &stops))
        });
        Some(Tour::new(parts, gaps, &weights))
    }

    fn new(parts: &Parts, gaps: &Gaps, weights: &[i64]) -> Tour {
        let jobs = parts.jobs.len();
        let times = parts.mean(&parts.times, weights);
        let mut follows = gaps.mean(weights);
        for (row, time) in follows.chunks_exact_mut(jobs).zip(&times) {
            row.iter_mut().for_each(|cell| *cell += time);
        }
        let tails = parts.mean(&parts.tails, weights);
        let lasts = times.iter().zip(&tails).map(|(time, tail)| time + tail).collect();
        Tour { weights: weights.to_vec(), jobs, follows, lasts }
    }

    /// All jobs of the view end no sooner.
    pub(super) fn end(&self, view: &View<'_>, stop: &dyn Fn() -> bool) -> i64 {
        assign(view.jobs.len() + 1, &self.costs(view), stop).value
    }

    /// Rows are the front and the jobs, columns the jobs and the end: what follows what.
    fn costs(&self, view: &View<'_>) -> Vec<i64> {
        let mut costs = Vec::with_capacity((view.jobs.len() + 1) * (view.jobs.len() + 1));
        let starts = view.starts.chunks_exact(self.weights.len());
        costs.extend(
            starts.map(|row| row.iter().zip(&self.weights).map(|(s, w)| s * w).sum::<i64>()),
        );
        costs.push(NEVER);
        for &from in view.jobs {
            let row = &self.follows[from * self.jobs..][..self.jobs];
            costs.extend(view.jobs.iter().map(|&to| if to == from { NEVER } else { row[to] }));
            costs.push(self.lasts[from]);
        }
        costs
    }

    fn slope(&self, parts: &Parts, gaps: &Gaps, view: &View<'_>, stop: &dyn Fn() -> bool) -> Slope {
        let (jobs, machines) = (self.jobs, parts.machines);
        let found = assign(jobs + 1, &self.costs(view), stop);
        let mut slope: Vec<i64> = vec![0; machines];
        for (to, &from) in found.row_of.iter().enumerate().filter(|&(_, &from)| from <= jobs) {
            for (machine, sum) in slope.iter_mut().enumerate() {
                let cell = |at: usize| at * machines + machine;
                *sum += match from.checked_sub(1) {
                    None if to < jobs => view.starts[cell(to)],
                    None => 0,
                    Some(from) if to == jobs => parts.times[cell(from)] + parts.tails[cell(from)],
                    Some(from) => parts.times[cell(from)] + gaps.between(machine, from, to),
                };
            }
        }
        Slope { value: found.value, parts: slope }
    }
}

const _: () = assert!(SCALE << 31 < NEVER / 4);
