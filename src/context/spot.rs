use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::Range;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::Context;
use crate::mutex::lock;
use crate::random::Random;
use crate::{Error, Result, parallel};

/// Random numbers that differ between solves: a position that is always wrong must not escape every
/// solve.
pub(crate) fn places() -> Random {
    Random::new(RandomState::new().build_hasher().finish())
}

/// Decides how many of a device's results the host recomputes: all at first, later random samples.
///
/// If each result is wrong with probability p, the first [`SpotChecks::LEAST`] checks miss all
/// wrong ones with probability exp(-p * LEAST): 1e-7 for one wrong result in 10,000.
pub(crate) struct SpotChecks {
    begun: Instant,
    spent: Duration,
    checked: u64,
    /// Results whose check in the background has not ended.
    pending: u64,
    random: Random,
}

impl SpotChecks {
    /// Results that are always checked; this takes milliseconds.
    pub(crate) const LEAST: u64 = 160_000;
    /// Results of each later sample.
    const SAMPLE: u64 = 4_096;
    /// Samples take at most 1 / `SHARE` of the time since the start.
    const SHARE: u32 = 250;

    pub(crate) fn new() -> Self {
        let (begun, spent, checked, random) = (Instant::now(), Duration::ZERO, 0, places());
        SpotChecks { begun, spent, checked, pending: 0, random }
    }

    /// Number of results to check now.
    pub(crate) fn quota(&self) -> u64 {
        match SpotChecks::LEAST.saturating_sub(self.checked) {
            0 if self.pending > 0 || self.spent * SpotChecks::SHARE > self.begun.elapsed() => 0,
            0 => SpotChecks::SAMPLE,
            missing => missing,
        }
    }

    /// Runs a check, which returns the number of results.
    pub(crate) fn check(&mut self, work: impl FnOnce(&mut Random) -> Result<u64>) -> Result<()> {
        let start = Instant::now();
        let results = work(&mut self.random)?;
        self.add(results, start);
        Ok(())
    }

    /// Counts checked results and the time since the check began.
    pub(crate) fn add(&mut self, results: u64, begun: Instant) {
        self.checked += results;
        self.spent += begun.elapsed();
    }

    /// Counts results that will be checked later, and the time since their collection began.
    pub(crate) fn add_later(&mut self, results: u64, begun: Instant) {
        self.add(results, begun);
        self.pending += results;
    }

    /// Counts the results of a later check that has ended, and its time.
    pub(crate) fn finished(&mut self, results: u64, time: Duration) {
        self.spent += time;
        self.pending -= results;
    }

    /// Starts a check that does not block other threads: returns the number of results to check and
    /// random numbers to choose them. [`SpotChecks::end`] counts it.
    pub(crate) fn begin(checks: &Mutex<SpotChecks>) -> (u64, Random) {
        let mut checks = lock(checks);
        let seed = checks.random.next();
        (checks.quota(), Random::new(seed))
    }

    /// Counts a check started by [`SpotChecks::begin`].
    pub(crate) fn end(checks: &Mutex<SpotChecks>, results: u64, begun: Instant) {
        lock(checks).add(results, begun);
    }

    /// The random numbers for samples.
    pub(crate) fn random(&mut self) -> &mut Random {
        &mut self.random
    }
}

/// A few ranges of the indices below `count`, in ascending order, with about `wanted` indices in
/// total.
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

/// Checks the last of `count` results and some others on the context's threads; `what` names them
/// in errors.
pub(crate) fn check_sample(
    context: &Context,
    count: usize,
    what: &str,
    agrees: impl Fn(usize) -> bool + Sync,
) -> Result<()> {
    /// Results that a thread checks at once.
    const TOGETHER: usize = 1000;
    let mut ranges = sample(&mut places(), count, SpotChecks::LEAST as usize);
    ranges.push(count.saturating_sub(1)..count);
    let parts = ranges.into_iter().flat_map(|Range { start, end }| {
        (start..end).step_by(TOGETHER).map(move |first| first..end.min(first + TOGETHER))
    });
    let check = |mut part: Range<usize>| match part.all(&agrees) {
        true => Ok(()),
        false => Err(wrong(what)),
    };
    context.install(|| parallel::try_for_each(parts, check))?
}

/// The error for a device whose results differ from the host's.
pub(crate) fn wrong(what: &str) -> Box<Error> {
    Error::device_wrong(what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::cpu_context;

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
        checks.finished(SpotChecks::LEAST - 1, Duration::ZERO);
        assert_eq!(checks.quota(), 0);
        checks.finished(1, Duration::ZERO);
        checks.spent = Duration::ZERO;
        assert_eq!(checks.quota(), SpotChecks::SAMPLE);
    }

    #[test]
    fn samples_of_all_results_find_each_wrong_one() {
        let context = cpu_context(3);
        for count in [0, 1, 999, 1000, 1001, 5000] {
            check_sample(&context, count, "results", |index| index < count).unwrap();
            for wrong in [0, count / 2, count.saturating_sub(1)] {
                let checked = check_sample(&context, count, "results", |index| index != wrong);
                assert_eq!(checked.is_err(), count > 0, "{wrong} of {count}");
            }
        }
    }

    #[test]
    fn samples_of_many_results_contain_the_last_one() {
        let count = 100 * SpotChecks::LEAST as usize;
        let checked = check_sample(&cpu_context(2), count, "results", |index| index + 1 < count);
        assert!(checked.is_err());
    }

    #[test]
    fn two_solves_check_different_places() {
        assert_ne!(places().next(), places().next());
    }
}
