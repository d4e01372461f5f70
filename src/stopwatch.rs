//! Times work whose amount grows until it takes long enough for the clock.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

/// How long to time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopwatch {
    /// A single run of this length is long enough for the clock.
    pub(crate) enough: Duration,
    /// No run starts that would end after this time, except the first.
    pub(crate) budget: Duration,
}

/// The amount of work grows by this factor at most, since short runs say little about long ones.
const LARGEST_GROWTH: f64 = 16.0;

impl Stopwatch {
    /// A single run of the least amount.
    pub(crate) const ONCE: Stopwatch = Stopwatch { enough: Duration::ZERO, budget: Duration::ZERO };

    /// Seconds of one unit of work: the best of several runs of the largest amount. `work` does an
    /// amount and returns the time that counts.
    pub(crate) fn unit_seconds<E>(
        &self,
        amounts: RangeInclusive<u64>,
        mut work: impl FnMut(u64) -> Result<Duration, E>,
    ) -> Result<f64, E> {
        let begin = Instant::now();
        let mut amount = *amounts.start();
        let mut best = f64::INFINITY;
        loop {
            let run = Instant::now();
            // A clock may be too coarse for the first runs.
            let time = work(amount)?.max(Duration::from_nanos(1));
            let whole = run.elapsed().max(time);
            best = best.min(time.as_secs_f64() / amount as f64);
            let left = self.budget.saturating_sub(begin.elapsed());
            let affordable = left.as_secs_f64() / whole.as_secs_f64();
            let wanted = self.growth(time, amount, *amounts.end());
            if affordable < wanted.min(2.0) {
                return Ok(best);
            }
            if wanted > 1.0 {
                let grown = amount as f64 * wanted.min(affordable);
                amount = (grown as u64).clamp(amount + 1, *amounts.end());
                best = f64::INFINITY;
            }
        }
    }

    /// The factor by which the amount should grow; 1 if it is large enough.
    fn growth(&self, time: Duration, amount: u64, most: u64) -> f64 {
        if time >= self.enough || amount >= most {
            return 1.0;
        }
        (1.25 * self.enough.as_secs_f64() / time.as_secs_f64()).clamp(2.0, LARGEST_GROWTH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WATCH: Stopwatch =
        Stopwatch { enough: Duration::from_millis(1), budget: Duration::from_millis(20) };

    /// Work that pretends to take `unit` for each unit, after `start`.
    fn pretend(
        watch: Stopwatch,
        amounts: RangeInclusive<u64>,
        [start, unit]: [Duration; 2],
    ) -> (f64, Vec<u64>) {
        let mut runs = Vec::new();
        let work = |amount| {
            runs.push(amount);
            Ok::<_, ()>(start + unit * amount as u32)
        };
        (watch.unit_seconds(amounts, work).unwrap(), runs)
    }

    #[test]
    fn the_amount_grows_until_the_clock_can_tell() {
        let (start, unit) = (Duration::from_nanos(100), Duration::from_nanos(10));
        let (seconds, runs) = pretend(WATCH, 1..=u64::MAX, [start, unit]);
        assert!((1e-8..1.01e-8).contains(&seconds), "{seconds}");
        assert!(runs.is_sorted() && *runs.last().unwrap() >= 100_000, "{runs:?}");
        let grows = |pair: &[u64]| pair[1] <= pair[0] * LARGEST_GROWTH as u64;
        assert!(runs.windows(2).all(grows), "{runs:?}");
    }

    #[test]
    fn the_amount_stays_within_its_range() {
        let (seconds, runs) = pretend(WATCH, 3..=50, [Duration::ZERO, Duration::from_nanos(1)]);
        assert!((seconds - 1e-9).abs() < 1e-15, "{seconds}");
        assert_eq!((runs[0], *runs.last().unwrap()), (3, 50));
    }

    #[test]
    fn slow_work_runs_once() {
        let slow = [Duration::ZERO, Duration::from_millis(50)];
        assert_eq!(pretend(WATCH, 1..=1000, slow), (0.05, vec![1]));
        let fast = [Duration::ZERO, Duration::from_nanos(1)];
        assert_eq!(pretend(Stopwatch::ONCE, 7..=1000, fast).1, [7]);
    }

    #[test]
    fn failing_work_ends_it() {
        let mut runs = 0;
        let work = |_| {
            runs += 1;
            if runs < 3 { Ok(Duration::from_nanos(5)) } else { Err("broken") }
        };
        assert_eq!(WATCH.unit_seconds(1..=u64::MAX, work), Err("broken"));
        assert_eq!(runs, 3);
    }
}
