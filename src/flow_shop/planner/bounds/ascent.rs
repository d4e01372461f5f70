//! Good weights of the machines.

use super::line::{SCALE, entries};
use super::parts::{Parts, View};
use crate::solve::Monitor;
use crate::{memory, sorting};

/// A value for some weights, and the value on each machine alone.
pub(super) struct Slope {
    pub(super) value: i64,
    pub(super) parts: Vec<i64>,
}

/// Looks for weights of the largest value: machines above the mean get more, and each step is
/// shorter than the one before. The value is concave and `parts` a slope of it, so this converges.
pub(super) fn ascend(
    machines: usize,
    begin: &[i64],
    steps: usize,
    mut value: impl FnMut(&[i64]) -> Option<Slope>,
) -> Vec<i64> {
    let mut shares: Vec<f64> =
        begin.iter().map(|&weight| weight as f64 / SCALE as f64 + 1e-3).collect();
    let (mut best, mut largest) = (begin.to_vec(), i64::MIN);
    for step in 0..steps {
        let weights = rounded(&shares);
        let Some(slope) = value(&weights) else { break };
        if slope.value > largest {
            (best, largest) = (weights, slope.value);
        }
        let sum: f64 = shares.iter().sum();
        let parts = slope.parts.iter().map(|&part| part as f64);
        let mean = parts.clone().zip(&shares).map(|(part, share)| part * share).sum::<f64>() / sum;
        let spread = parts.clone().map(|part| (part - mean).abs()).fold(0.0, f64::max);
        if machines == 1 || spread == 0.0 {
            break;
        }
        let length = 0.9 / (1.0 + step as f64 / 4.0);
        for (share, part) in shares.iter_mut().zip(parts) {
            *share = (*share / sum * (1.0 + length * (part - mean) / spread)).max(1e-4);
        }
    }
    best
}

/// Equal weights.
pub(super) fn even(machines: usize) -> Vec<i64> {
    rounded(&vec![1.0; machines])
}

/// Whole weights with the sum [`SCALE`], nearly in proportion to the shares.
fn rounded(shares: &[f64]) -> Vec<i64> {
    let sum: f64 = shares.iter().sum();
    let mut weights: Vec<i64> =
        shares.iter().map(|share| (share / sum * SCALE as f64) as i64).collect();
    let left = SCALE - weights.iter().sum::<i64>();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by_cached_key(|&machine| u64::MAX - memory::key(shares[machine]));
    order.iter().cycle().take(left.max(0) as usize).for_each(|&machine| weights[machine] += 1);
    weights
}

/// When a number of jobs have ended on the mean machine at least, with a mean tail. None after a stop.
pub(super) fn end_of(
    parts: &Parts,
    view: &View<'_>,
    weights: &[i64],
    count: usize,
    monitor: &Monitor,
) -> Option<Slope> {
    if monitor.should_stop() {
        return None;
    }
    let (machines, jobs) = (parts.machines, parts.jobs.len());
    let (gaps, from) = entries(parts, weights);
    let mut times = parts.mean(&parts.times, weights);
    times.iter_mut().zip(&gaps).for_each(|(time, gap)| *time += gap);
    // All jobs need no order.
    let order = match count < jobs {
        true => sorting::order(jobs, &|at| times[at].abs_diff(i64::MIN), monitor).ok()?,
        false => (0..jobs as u32).collect(),
    };
    let chosen = &order[..count];
    let gap = |machine: usize, at: usize| match &parts.gaps {
        Some(gaps) if jobs > 1 => gaps.between(machine, from[at], at),
        _ => 0,
    };
    let starts = parts.mean(&view.starts, weights);
    let first = (0..jobs).min_by_key(|&at| starts[at] - gaps[at]).unwrap_or(0);
    let slope: Vec<i64> = (0..machines)
        .map(|machine| {
            let own = |at: usize| parts.times[at * machines + machine] + gap(machine, at);
            let tails: i64 = (0..jobs).map(|at| parts.tails[at * machines + machine]).sum();
            view.starts[first * machines + machine] - gap(machine, first)
                + chosen.iter().map(|&at| own(at as usize)).sum::<i64>()
                + tails / jobs as i64
        })
        .collect();
    let value = slope.iter().zip(weights).map(|(part, weight)| part * weight).sum();
    Some(Slope { value, parts: slope })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_have_their_sum() {
        for shares in [vec![1.0; 3], vec![1e-4, 5.0, 1e-4], vec![0.3; 300]] {
            assert_eq!(rounded(&shares).iter().sum::<i64>(), SCALE);
        }
    }

    #[test]
    fn the_best_mean_is_found() {
        // min (100 a + 20 b, 40 a + 70 b) with a + b = 1 is largest, 53.6, at a = 0.45.
        let value = |weights: &[i64]| {
            let rows = [[100, 20], [40, 70]];
            let of = |row: &[i64; 2]| row[0] * weights[0] + row[1] * weights[1];
            let row = rows.iter().min_by_key(|row| of(row)).unwrap();
            Some(Slope { value: of(row), parts: row.to_vec() })
        };
        let best = ascend(2, &even(2), 60, value);
        assert!(value(&best).unwrap().value >= 53 * SCALE, "{best:?}");
    }
}
