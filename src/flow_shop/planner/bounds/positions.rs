//! Sums over the jobs: an assignment of the jobs to the positions of the sequence.

use super::assignment::assign;
use super::line::{Line, SCALE};
use super::one_machine::earliest_ends;
use super::parts::{MANY, View};
use crate::Result;
use crate::solve::Monitor;

/// `ends[position * jobs + place]`: the job in that place of the view ends no sooner if it has that
/// position behind the front.
pub(super) fn earliest<'a>(lines: impl Iterator<Item = &'a Line>, view: &View<'_>) -> Vec<i64> {
    let jobs = view.jobs.len();
    // No end is negative.
    let mut ends = vec![0; jobs * jobs];
    let (mut sums, mut relaxed) = (Vec::with_capacity(jobs + 1), Vec::with_capacity(jobs));
    for line in lines {
        let opening = line.opening(view);
        sums.clear();
        sums.push(opening);
        for place in view.places(&line.by_time) {
            sums.push(sums[sums.len() - 1] + line.times[view.jobs[place]]);
        }
        let by_head = view.places(&line.by_head).map(|place| view.jobs[place]);
        let released = by_head.map(|at| (line.heads[at].max(opening), line.times[at]));
        earliest_ends(released, &mut relaxed);
        let of_jobs: Vec<_> =
            view.jobs.iter().map(|&at| (line.times[at], line.tails[at])).collect();
        for (position, row) in ends.chunks_exact_mut(jobs).enumerate() {
            // That many of the shortest jobs, or one less and the job itself.
            let (before, least) = (sums[position], sums[position + 1].max(relaxed[position]));
            for (end, (time, tail)) in row.iter_mut().zip(&of_jobs) {
                *end = (*end).max((before + time).max(least) + tail);
            }
        }
    }
    for (position, row) in ends.chunks_exact_mut(jobs).enumerate() {
        let alone = if position == 0 { &view.first_ends } else { &view.ends };
        for (end, &alone) in row.iter_mut().zip(alone) {
            *end = rounded_up(*end).max(alone);
        }
    }
    ends
}

/// The cheapest assignment; `cost` gets a place and an end.
pub(super) fn cheapest(
    ends: &[i64],
    jobs: usize,
    cost: impl Fn(usize, i64) -> i64,
    stop: &dyn Fn() -> bool,
) -> i64 {
    let costs: Vec<i64> =
        ends.iter().enumerate().map(|(cell, &end)| cost(cell % jobs, end)).collect();
    assign(jobs, &costs, stop).value
}

/// The least weighted sum of ends on a line: the jobs in the order of time to weight (Smith's rule).
///
/// # Errors
/// [`Error::Stopped`](crate::Error::Stopped).
pub(super) fn weighted_ends(
    line: &Line,
    view: &View<'_>,
    weights: &[i64],
    monitor: &Monitor,
) -> Result<i64> {
    let sum = smith(line, view, line.opening(view), weights, &mut Vec::new(), monitor)?;
    let scale = i128::from(SCALE);
    Ok(i64::try_from((sum + scale - 1).div_euclid(scale)).unwrap_or(0))
}

/// The same in the units of the line, with the ends of the jobs.
///
/// # Errors
/// [`Error::Stopped`](crate::Error::Stopped).
pub(super) fn smith(
    line: &Line,
    view: &View<'_>,
    opening: i64,
    weights: &[i64],
    ends: &mut Vec<i64>,
    monitor: &Monitor,
) -> Result<i128> {
    let time = |place: usize| line.times[view.jobs[place]];
    let mut order: Vec<usize> = (0..view.jobs.len()).collect();
    let compare = |&a: &usize, &b: &usize| {
        let left = i128::from(time(a)) * i128::from(weights[b]);
        let ratios = left.cmp(&(i128::from(time(b)) * i128::from(weights[a])));
        // Jobs without weight come last.
        (weights[a] == 0).cmp(&(weights[b] == 0)).then(ratios).then(a.cmp(&b))
    };
    if order.len() >= MANY {
        monitor.check()?;
    }
    order.sort_unstable_by(compare);
    let (mut now, mut sum) = (opening, 0i128);
    ends.clear();
    ends.resize(order.len(), 0);
    for place in order {
        now += time(place);
        ends[place] = now + line.tails[view.jobs[place]];
        sum += i128::from(weights[place]) * i128::from(ends[place]);
    }
    Ok(sum)
}

/// A number of a line as a time.
pub(super) fn rounded_up(value: i64) -> i64 {
    -(-value).div_euclid(SCALE)
}
