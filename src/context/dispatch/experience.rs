//! What a context has learnt about its cost models.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Weight of a new observation in the smoothed mean.
const WEIGHT: f64 = 0.4;
/// That of the first one: the first step of a kind is often slower than the next ones.
const FIRST_WEIGHT: f64 = 0.7;
/// Limits of a factor, so that one strange measurement does no lasting harm.
const FACTORS: (f64, f64) = (1.0 / 16.0, 16.0);
/// Shorter steps measure the clock and the threads' wake-up more than the model.
const LEAST_SECONDS: f64 = 5e-5;
/// Expected times of one size are within this factor. A model that is wrong for small steps, whose
/// fixed times count, may be right for large ones.
const SIZE: f64 = 4.0;
/// What the logarithm of a factor is worth for the next size, of which nothing is known.
const NEXT_SIZE: f64 = 0.7;

/// Where a step ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::context) enum Place {
    Cpu,
    /// The device with this index.
    Device(usize),
}

/// Smoothed factors between expected and measured times. They change the choice of engines only.
#[derive(Debug, Default)]
pub(in crate::context) struct Experience {
    records: Mutex<Vec<Record>>,
}

/// What is known of a model's steps of one size.
#[derive(Debug)]
struct Record {
    model: &'static str,
    place: Place,
    size: i32,
    /// Logarithm of the geometric mean of measured over expected times.
    mean: f64,
}

fn size(expected: f64) -> i32 {
    expected.log(SIZE).round() as i32
}

impl Experience {
    /// What to multiply an expected time with: the factor of the nearest size.
    pub(super) fn factor(&self, model: &str, place: Place, expected: f64) -> f64 {
        let size = size(expected);
        let records = self.lock();
        let known = records.iter().filter(|record| record.model == model && record.place == place);
        let distance = |record: &&Record| record.size.abs_diff(size);
        known.min_by_key(distance).map_or(1.0, |record| {
            let distance = i32::try_from(distance(&record)).unwrap_or(i32::MAX);
            (record.mean * NEXT_SIZE.powi(distance)).exp()
        })
    }

    /// Takes a step into account that took `measured` instead of `expected` seconds.
    pub(super) fn learn(&self, model: &'static str, place: Place, expected: f64, measured: f64) {
        if !(expected > 0.0 && expected.is_finite() && expected.max(measured) >= LEAST_SECONDS) {
            return;
        }
        let observed = (measured / expected).clamp(FACTORS.0, FACTORS.1).ln();
        let size = size(expected);
        let mut records = self.lock();
        let is_known = |record: &&mut Record| {
            (record.model, record.place, record.size) == (model, place, size)
        };
        match records.iter_mut().find(is_known) {
            Some(record) => record.mean += WEIGHT * (observed - record.mean),
            None => records.push(Record { model, place, size, mean: FIRST_WEIGHT * observed }),
        }
    }

    /// Forgets a place after a new measurement of its speeds: the factors belong to the old figures.
    pub(in crate::context) fn forget(&self, place: Place) {
        self.lock().retain(|record| record.place != place);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Record>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_approach_what_is_measured_and_keep_apart() {
        let experience = Experience::default();
        let factor = |model, place| experience.factor(model, place, 0.1);
        for _ in 0..20 {
            experience.learn("a", Place::Cpu, 0.1, 0.3);
            experience.learn("a", Place::Device(1), 0.1, 1e9);
        }
        assert!((factor("a", Place::Cpu) - 3.0).abs() < 0.01);
        assert!((factor("a", Place::Device(1)) - 16.0).abs() < 0.01);
        assert_eq!((factor("a", Place::Device(0)), factor("b", Place::Cpu)), (1.0, 1.0));
        experience.forget(Place::Device(1));
        assert_eq!(factor("a", Place::Device(1)), 1.0);
        // It was a spell of bad luck.
        for _ in 0..20 {
            experience.learn("a", Place::Cpu, 0.1, 0.1);
        }
        assert!((factor("a", Place::Cpu) - 1.0).abs() < 0.01);
    }

    #[test]
    fn what_says_nothing_is_not_learnt() {
        let experience = Experience::default();
        for (expected, measured) in
            [(0.0, 1.0), (f64::INFINITY, 1.0), (f64::NAN, 1.0), (1e-6, 1e-5)]
        {
            experience.learn("a", Place::Cpu, expected, measured);
        }
        assert_eq!(experience.factor("a", Place::Cpu, 0.1), 1.0);
    }

    #[test]
    fn sizes_learn_apart_and_count_less_the_farther_they_are() {
        let experience = Experience::default();
        for _ in 0..20 {
            experience.learn("a", Place::Cpu, 1e-4, 8e-4);
            experience.learn("a", Place::Cpu, 1.0, 1.0);
        }
        let factor = |expected| experience.factor("a", Place::Cpu, expected);
        assert!((factor(1e-4) - 8.0).abs() < 0.01 && (factor(1.0) - 1.0).abs() < 0.01);
        assert!(factor(5e-4) > 2.5 && factor(5e-4) < 7.0);
        assert!((factor(100.0) - 1.0).abs() < 0.01);
    }
}
