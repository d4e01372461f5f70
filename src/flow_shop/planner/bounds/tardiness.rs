//! Tardiness: a price for each due date. Potts and Van Wassenhove (1985), "A branch and bound
//! algorithm for the total weighted tardiness problem", Operations Research 33, 363-377.

use super::line::{Line, SCALE};
use super::parts::{MANY, View};
use super::positions::smith;
use crate::solve::Monitor;

/// Prices are multiples of 1 / `UNIT`.
const UNIT: i64 = 256;
/// Larger factors would overflow.
const MOST_FACTOR: i64 = 1 << 50;
/// Changes of prices: on each line, and on the best one.
const STEPS: usize = 16;
const MORE_STEPS: usize = 240;

/// What the jobs of a view add to a stage: `flow` times the end, and `tardy` times the tardiness.
pub(super) struct Tardiness<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) flow: Vec<i64>,
    pub(super) tardy: Vec<i64>,
    pub(super) due: Vec<i64>,
}

impl Tardiness<'_> {
    /// The largest bound found.
    pub(super) fn least(&self, lines: &[Line], monitor: &Monitor) -> i64 {
        if self.flow.iter().chain(&self.tardy).any(|&factor| factor > MOST_FACTOR) {
            return 0;
        }
        let (mut best, mut most) = (None, 0);
        for line in lines {
            if monitor.should_stop() {
                break;
            }
            let value = self.on_line(line, STEPS, monitor);
            if value > most {
                (best, most) = (Some(line), value);
            }
        }
        best.map_or(most, |line| self.on_line(line, MORE_STEPS, monitor).max(most))
    }

    /// `tardy max(0, C - d)` is no less than `price (C - d)` with a price from 0 to `tardy`. Prices
    /// of late jobs rise, those of others fall, by less in each step.
    fn on_line(&self, line: &Line, steps: usize, monitor: &Monitor) -> i64 {
        let opening = line.opening(self.view);
        let mut prices: Vec<f64> = self.tardy.iter().map(|&most| most as f64 / 2.0).collect();
        let (mut ends, mut largest) = (Vec::new(), 0);
        let pause = if self.due.len() < MANY { 8 } else { 1 };
        for step in 0..steps {
            if step % pause == pause - 1 && monitor.should_stop() {
                break;
            }
            let whole: Vec<i64> =
                prices.iter().map(|&price| (price * UNIT as f64) as i64).collect();
            let weights: Vec<i64> =
                whole.iter().zip(&self.flow).map(|(price, flow)| price + UNIT * flow).collect();
            let Ok(sum) = smith(line, self.view, opening, &weights, &mut ends, monitor) else {
                break;
            };
            let dues = whole.iter().zip(&self.due);
            let dues: i128 =
                dues.map(|(&price, &due)| i128::from(price) * i128::from(SCALE * due)).sum();
            let unit = i128::from(SCALE * UNIT);
            let value = (sum - dues + unit - 1).div_euclid(unit);
            largest = largest.max(i64::try_from(value).unwrap_or(0));
            let lateness = || ends.iter().zip(&self.due).map(|(&end, &due)| end - SCALE * due);
            let mean = lateness().map(|late| late.unsigned_abs() as f64).sum::<f64>();
            let length = 0.5 / (1.0 + step as f64 / 8.0) * ends.len() as f64 / mean.max(1.0);
            for ((price, &most), late) in prices.iter_mut().zip(&self.tardy).zip(lateness()) {
                let most = most as f64;
                *price = (*price + length * most * late as f64).clamp(0.0, most);
            }
        }
        largest
    }
}
