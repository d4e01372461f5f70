//! What a context has learnt about its cost models.

use std::sync::{Mutex, MutexGuard};

use crate::mutex::lock;

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
/// What the logarithm of a factor is worth to a later context: conditions may have changed.
const NEXT_CONTEXT: f64 = 0.8;
/// Factors of shorter steps are not worth a file. A choice is worth it where it saves more time than
/// the file takes.
const LEAST_KEPT_SECONDS: f64 = 0.05;
/// A change of a factor's logarithm that is worth a new file.
const CHANGE: f64 = 0.15;

/// Marks the name of the ratio between the times of a device and of the CPU.
const RATIO: &str = "-on-device";

/// The name of the ratio of a model, for the chosen device or for the one with this index.
pub(super) fn ratio_name(model: &str, index: Option<usize>) -> String {
    let index = index.map_or(String::new(), |index| format!("-{index}"));
    format!("{model}{RATIO}{index}")
}

/// Whether a kept factor is such a ratio.
pub(in crate::context) fn is_ratio(name: &str) -> bool {
    name.contains(RATIO)
}

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
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    records: Vec<Record>,
    /// Places whose kept factors were asked for.
    recalled: Vec<Place>,
}

/// What is known of a model's steps of one size.
#[derive(Debug)]
struct Record {
    model: String,
    place: Place,
    size: i32,
    /// Logarithm of the geometric mean of measured over expected times.
    mean: f64,
    /// The mean in the file, 0 without a file.
    kept: f64,
    /// Whether this context has measured such a step.
    is_learnt: bool,
}

impl Known {
    fn record(&mut self, model: &str, place: Place, size: i32) -> Option<&mut Record> {
        let is_such = |record: &&mut Record| {
            (&record.model[..], record.place, record.size) == (model, place, size)
        };
        self.records.iter_mut().find(is_such)
    }
}

impl Record {
    /// Whether it differs from the file, and such steps take long.
    fn is_new(&self) -> bool {
        let seconds = SIZE.powi(self.size) * self.mean.exp().max(1.0);
        let is_changed = (self.mean - self.kept).abs() >= CHANGE;
        seconds >= LEAST_KEPT_SECONDS && self.is_learnt && is_changed
    }

    fn name(&self) -> String {
        format!("{}:{}", self.model, self.size)
    }

    /// A record from its name and its factor. None if it is no name of a record.
    fn recalled(place: Place, name: &str, factor: f64) -> Option<Record> {
        let (model, size) = name.rsplit_once(':')?;
        let kept = factor.clamp(FACTORS.0, FACTORS.1).ln();
        let (model, size, mean) = (model.to_owned(), size.parse().ok()?, NEXT_CONTEXT * kept);
        Some(Record { model, place, size, mean, kept, is_learnt: false })
    }
}

fn size(expected: f64) -> i32 {
    expected.log(SIZE).round() as i32
}

impl Experience {
    /// What to multiply an expected time with: the factor of the nearest size.
    pub(in crate::context) fn factor(&self, model: &str, place: Place, expected: f64) -> f64 {
        let size = size(expected);
        let known = self.lock();
        let is_such = |record: &&Record| record.model == model && record.place == place;
        let such = known.records.iter().filter(is_such);
        let distance = |record: &&Record| record.size.abs_diff(size);
        such.min_by_key(distance).map_or(1.0, |record| {
            let distance = i32::try_from(distance(&record)).unwrap_or(i32::MAX);
            (record.mean * NEXT_SIZE.powi(distance)).exp()
        })
    }

    /// Takes a step into account that took `measured` instead of `expected` seconds.
    pub(in crate::context) fn learn(
        &self,
        model: &str,
        place: Place,
        expected: f64,
        measured: f64,
    ) {
        if !(expected > 0.0 && expected.is_finite() && expected.max(measured) >= LEAST_SECONDS) {
            return;
        }
        let observed = (measured / expected).clamp(FACTORS.0, FACTORS.1).ln();
        let size = size(expected);
        let mut known = self.lock();
        match known.record(model, place, size) {
            Some(record) => {
                record.mean += WEIGHT * (observed - record.mean);
                record.is_learnt = true;
            }
            None => {
                let (model, mean) = (model.to_owned(), FIRST_WEIGHT * observed);
                let record = Record { model, place, size, mean, kept: 0.0, is_learnt: true };
                known.records.push(record);
            }
        }
    }

    /// Whether the kept factors of a place were not asked for yet. The caller then asks for them.
    pub(in crate::context) fn begins_recall(&self, place: Place) -> bool {
        let recalled = &mut self.lock().recalled;
        let is_first = !recalled.contains(&place);
        if is_first {
            recalled.push(place);
        }
        is_first
    }

    /// Adds a factor that an earlier context kept of a place. Own measurements stay.
    pub(in crate::context) fn recall(&self, place: Place, name: &str, factor: f64) {
        let Some(new) = Record::recalled(place, name, factor) else { return };
        let mut known = self.lock();
        match known.record(&new.model, place, new.size) {
            Some(record) => record.kept = new.kept,
            None => known.records.push(new),
        }
    }

    /// The places of which the context has learnt something that is worth keeping.
    pub(in crate::context) fn news(&self) -> Vec<Place> {
        let known = self.lock();
        let new = known.records.iter().filter(|record| record.is_new());
        let mut places = Vec::new();
        for record in new {
            if !places.contains(&record.place) {
                places.push(record.place);
            }
        }
        places
    }

    /// The names and factors of a place that belong into its file. The caller writes them.
    pub(in crate::context) fn keep(&self, place: Place) -> Vec<(String, f64)> {
        let mut known = self.lock();
        let of_place = known.records.iter_mut().filter(|record| record.place == place);
        let new = of_place.filter(|record| record.is_new());
        let keep = |record: &mut Record| {
            record.kept = record.mean;
            (record.name(), record.mean.exp())
        };
        new.map(keep).collect()
    }

    /// Forgets a place after a new measurement of its speeds: the factors belong to the old figures.
    pub(in crate::context) fn forget(&self, place: Place) {
        self.lock().records.retain(|record| record.place != place);
    }

    /// Forgets all ratios after the measurement of a device: they may rest on its estimates.
    pub(in crate::context) fn forget_ratios(&self) {
        self.lock().records.retain(|record| !is_ratio(&record.model));
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        lock(&self.known)
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

    #[test]
    fn a_later_context_begins_with_most_of_what_was_learnt() {
        let (first, later) = (Experience::default(), Experience::default());
        for _ in 0..20 {
            first.learn("a", Place::Cpu, 1.0, 4.0);
            first.learn("a", Place::Device(1), 1.0, 0.25);
            first.learn("short", Place::Cpu, 1e-3, 1e-2);
            first.learn("right", Place::Cpu, 1.0, 1.01);
        }
        assert_eq!(first.news(), [Place::Cpu, Place::Device(1)]);
        let kept = first.keep(Place::Cpu);
        assert_eq!(kept.len(), 1, "{kept:?}");
        assert!(later.begins_recall(Place::Cpu) && !later.begins_recall(Place::Cpu));
        let strange = [("none", 3.0), ("a:x", 3.0), ("b:0", 1e300), ("c:0", 0.0)];
        let read = kept.iter().map(|(name, factor)| (&name[..], *factor)).chain(strange);
        read.for_each(|(name, factor)| later.recall(Place::Cpu, name, factor));
        let factor = |model, place| later.factor(model, place, 1.0);
        assert!((factor("a", Place::Cpu) - 4f64.powf(NEXT_CONTEXT)).abs() < 0.01);
        assert_eq!(factor("a", Place::Device(1)), 1.0);
        assert!((factor("b", Place::Cpu) - 16f64.powf(NEXT_CONTEXT)).abs() < 0.01);
        assert!((factor("c", Place::Cpu) - 16f64.powf(-NEXT_CONTEXT)).abs() < 0.01);
        // Recalled factors are no news.
        assert_eq!(later.news(), []);
        for _ in 0..20 {
            later.learn("a", Place::Cpu, 1.0, 1.0);
        }
        assert_eq!(later.news(), [Place::Cpu]);
        // Own measurements replace recalled ones.
        later.recall(Place::Cpu, "a:0", 16.0);
        assert!((factor("a", Place::Cpu) - 1.0).abs() < 0.01);
        assert_eq!(later.keep(Place::Cpu).len(), 1);
        assert_eq!(later.news(), []);
    }
}
