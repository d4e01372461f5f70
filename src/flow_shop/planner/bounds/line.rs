//! A flow shop seen as a single machine: one of its machines, or a weighted mean of all.

use super::parts::{Parts, View};
use crate::Result;
use crate::solve::Monitor;
use crate::sorting;

/// The weights of a line's machines add up to this; all its times are multiples of it.
pub(super) const SCALE: i64 = 256;

/// A single machine whose jobs' starts follow from those on the machines.
pub(super) struct Line {
    pub(super) weights: Vec<i64>,
    /// Numbers for each job. The time includes the shortest gap before the job.
    pub(super) times: Vec<i64>,
    pub(super) heads: Vec<i64>,
    pub(super) tails: Vec<i64>,
    gaps: Vec<i64>,
    /// The jobs by time, by head, and by due date less tail.
    pub(super) by_time: Vec<u32>,
    pub(super) by_head: Vec<u32>,
    pub(super) by_due: Vec<u32>,
}

/// For each job the shortest gap before it, and the job before it then.
pub(super) fn entries(parts: &Parts, weights: &[i64]) -> (Vec<i64>, Vec<usize>) {
    let jobs = parts.jobs.len();
    let mut least = (vec![0; jobs], vec![0; jobs]);
    let Some(gaps) = parts.gaps.as_ref().filter(|_| jobs > 1) else { return least };
    least.0.fill(i64::MAX);
    for (from, row) in gaps.mean(weights).chunks_exact(jobs).enumerate() {
        for (to, &gap) in row.iter().enumerate() {
            if gap < least.0[to] && from != to {
                (least.0[to], least.1[to]) = (gap, from);
            }
        }
    }
    least
}

impl Line {
    /// `due` has a date for each job.
    ///
    /// # Errors
    /// Those of [`sorting::order`].
    pub(super) fn new(
        parts: &Parts,
        weights: &[i64],
        due: &[i64],
        monitor: &Monitor,
    ) -> Result<Self> {
        let (gaps, _) = entries(parts, weights);
        let plus = |list: &[i64], sign: i64| -> Vec<i64> {
            let means = parts.mean(list, weights);
            means.iter().zip(&gaps).map(|(mean, gap)| mean + sign * gap).collect()
        };
        let (times, heads) = (plus(&parts.times, 1), plus(&parts.heads, -1));
        let tails = parts.mean(&parts.tails, weights);
        let sorted = |key: &dyn Fn(usize) -> i64| {
            sorting::order(parts.jobs.len(), &|at| key(at).abs_diff(i64::MIN), monitor)
        };
        Ok(Line {
            weights: weights.to_vec(),
            by_time: sorted(&|at| times[at])?,
            by_head: sorted(&|at| heads[at])?,
            by_due: sorted(&|at| SCALE * due[at] - tails[at])?,
            times,
            heads,
            tails,
            gaps,
        })
    }

    /// No job of the view starts sooner.
    pub(super) fn opening(&self, view: &View<'_>) -> i64 {
        let starts = view.starts.chunks_exact(self.weights.len());
        let first = |(starts, &at): (&[i64], &usize)| {
            let mean: i64 = starts.iter().zip(&self.weights).map(|(start, w)| start * w).sum();
            mean - self.gaps[at]
        };
        starts.zip(view.jobs).map(first).min().unwrap_or(0)
    }
}
