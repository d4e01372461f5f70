use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::random::Random;
use crate::{Error, Result};

/// Random numbers that no two solves share: a place that is always wrong must not escape every
/// solve.
pub(crate) fn places() -> Random {
    Random::new(RandomState::new().build_hasher().finish())
}

/// Decides how much of what a device returns the host computes again: all of it at first, later
/// random samples.
///
/// If each result is wrong with probability p, the first [`SpotChecks::LEAST`] checks miss that
/// with probability exp(-p * LEAST): 1e-7 for one wrong result in 10,000.
pub(crate) struct SpotChecks {
    begun: Instant,
    spent: Duration,
    checked: u64,
    /// Whether a check that nobody waits for has yet to say how long it took.
    under_way: bool,
    random: Random,
}

impl SpotChecks {
    /// Results that are checked in any case, in milliseconds.
    pub(crate) const LEAST: u64 = 160_000;
    /// Results of one sample, once these are.
    const SAMPLE: u64 = 4_096;
    /// Samples take at most one of this many parts of the time since the beginning.
    const SHARE: u32 = 250;

    pub(crate) fn new() -> Self {
        let (begun, spent, checked, random) = (Instant::now(), Duration::ZERO, 0, places());
        SpotChecks { begun, spent, checked, under_way: false, random }
    }

    /// How many results are to be checked now.
    pub(crate) fn quota(&self) -> u64 {
        match SpotChecks::LEAST.saturating_sub(self.checked) {
            0 if self.under_way || self.spent * SpotChecks::SHARE > self.begun.elapsed() => 0,
            0 => SpotChecks::SAMPLE,
            missing => missing,
        }
    }

    /// Does a check of results, whose number it returns.
    pub(crate) fn check(&mut self, work: impl FnOnce(&mut Random) -> Result<u64>) -> Result<()> {
        let start = Instant::now();
        let results = work(&mut self.random)?;
        self.add(results, start);
        Ok(())
    }

    /// Takes note of results whose check began at that time.
    pub(crate) fn add(&mut self, results: u64, begun: Instant) {
        self.checked += results;
        self.spent += begun.elapsed();
    }

    /// Takes note of results that are checked later, which were collected from that time on.
    pub(crate) fn add_later(&mut self, results: u64, begun: Instant) {
        self.add(results, begun);
        self.under_way = true;
    }

    /// Takes note of the time that such checks took.
    pub(crate) fn finished(&mut self, time: Duration) {
        self.spent += time;
        self.under_way = false;
    }

    /// How many results are to be checked now, and random numbers to choose them with, for a check
    /// that others do not wait for; [`SpotChecks::end`] takes note of it.
    pub(crate) fn begin(checks: &Mutex<SpotChecks>) -> (u64, Random) {
        let mut checks = checks.lock().unwrap_or_else(PoisonError::into_inner);
        let seed = checks.random.next();
        (checks.quota(), Random::new(seed))
    }

    /// Takes note of such a check.
    pub(crate) fn end(checks: &Mutex<SpotChecks>, results: u64, begun: Instant) {
        checks.lock().unwrap_or_else(PoisonError::into_inner).add(results, begun);
    }

    /// The numbers that samples are drawn with.
    pub(crate) fn random(&mut self) -> &mut Random {
        &mut self.random
    }
}

/// Some of `count` things in a row, about `wanted` of them in a few stretches, in their order.
pub(crate) fn sample(random: &mut Random, count: usize, wanted: usize) -> Vec<Range<usize>> {
    const STRETCHES: usize = 8;
    if wanted >= count {
        return std::iter::once(0..count).collect();
    }
    let stretches = STRETCHES.min(wanted).max(1);
    let length = (wanted / stretches).max(1);
    let place = |stretch: usize| {
        let (begin, end) = (count * stretch / stretches, count * (stretch + 1) / stretches);
        let first =
            begin + random.below((end - begin - length.min(end - begin) + 1) as u64) as usize;
        first..(first + length).min(end)
    };
    (0..stretches).map(place).collect()
}

/// Checks some of `count` results and the last one; `what` names them.
pub(crate) fn check_sample(count: usize, what: &str, agrees: impl Fn(usize) -> bool) -> Result<()> {
    let ranges = sample(&mut places(), count, SpotChecks::LEAST as usize);
    let mut chosen = ranges.into_iter().flatten().chain(count.checked_sub(1));
    if chosen.all(agrees) { Ok(()) } else { Err(wrong(what)) }
}

/// The error of a device that returned something else than the host computes.
pub(crate) fn wrong(what: &str) -> Box<Error> {
    Error::device_wrong(what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_in_order_and_as_large_as_wanted() {
        let mut random = Random::new(1);
        for (count, wanted) in
            [(0, 0), (0, 5), (1, 0), (1, 1), (7, 3), (100, 8), (100, 99), (1000, 160), (5, 9)]
        {
            let ranges = sample(&mut random, count, wanted);
            let chosen: Vec<usize> = ranges.into_iter().flatten().collect();
            assert!(
                chosen.is_sorted_by(|a, b| a < b) && chosen.iter().all(|&i| i < count),
                "{chosen:?}"
            );
            let least = wanted.min(count) / 2;
            assert!(
                (least..=wanted.max(1)).contains(&chosen.len()),
                "{count} {wanted}: {chosen:?}"
            );
        }
    }

    #[test]
    fn everything_is_checked_at_first() {
        let mut checks = SpotChecks::new();
        assert_eq!(checks.quota(), SpotChecks::LEAST);
        checks.check(|_| Ok(SpotChecks::LEAST - 1)).unwrap();
        assert_eq!(checks.quota(), 1);
        checks.check(|_| Ok(1)).unwrap();
        checks.spent = Duration::from_secs(3600);
        assert_eq!(checks.quota(), 0);
        checks.spent = Duration::ZERO;
        assert_eq!(checks.quota(), SpotChecks::SAMPLE);
    }

    #[test]
    fn no_sample_is_due_before_the_last_one_is_checked() {
        let mut checks = SpotChecks::new();
        checks.add_later(SpotChecks::LEAST - 1, Instant::now());
        assert_eq!(checks.quota(), 1);
        checks.add_later(1, Instant::now());
        assert_eq!(checks.quota(), 0);
        checks.finished(Duration::ZERO);
        checks.spent = Duration::ZERO;
        assert_eq!(checks.quota(), SpotChecks::SAMPLE);
    }

    #[test]
    fn two_solves_check_different_places() {
        assert_ne!(places().next(), places().next());
    }
}
