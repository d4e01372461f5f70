//! What a context has learnt about its cost models.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use crate::opencl::Figures;

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
/// What the logarithm of a factor of an earlier process is worth, and the seconds after which it is
/// worth half of that. So an engine that one strange measurement excludes gets another chance.
const EARLIER: f64 = 0.8;
const HALF_LIFE: f64 = 7.0 * 86_400.0;
/// Least seconds of steps whose factors are kept on disk. A program learns those of shorter steps
/// again before they matter.
const LEAST_KEPT: f64 = 0.1;
/// A factor that has changed by less, in logarithms, is not written again.
const LEAST_CHANGE: f64 = 0.3;

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
    /// The places whose factors of earlier processes were read.
    recalled: Mutex<Vec<Place>>,
}

/// What is known of a model's steps of one size.
#[derive(Debug)]
struct Record {
    model: String,
    place: Place,
    size: i32,
    /// Logarithm of the geometric mean of measured over expected times.
    mean: f64,
    /// That on disk; `None` for steps too short to be kept.
    kept: Option<f64>,
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

    /// Takes a step into account that took `measured` instead of `expected` seconds. Returns the
    /// place's factors for the disk if they have changed.
    pub(super) fn learn(
        &self,
        model: &str,
        place: Place,
        expected: f64,
        measured: f64,
    ) -> Option<Figures> {
        let longer = expected.max(measured);
        if !(expected > 0.0 && expected.is_finite() && longer >= LEAST_SECONDS) {
            return None;
        }
        let observed = (measured / expected).clamp(FACTORS.0, FACTORS.1).ln();
        let size = size(expected);
        let mut records = self.lock();
        let is_known =
            |record: &Record| (&*record.model, record.place, record.size) == (model, place, size);
        let index = match records.iter().position(is_known) {
            Some(index) => {
                records[index].mean += WEIGHT * (observed - records[index].mean);
                index
            }
            None => {
                let (model, mean) = (model.to_owned(), FIRST_WEIGHT * observed);
                records.push(Record { model, place, size, mean, kept: None });
                records.len() - 1
            }
        };
        let record = &records[index];
        let has_changed = (record.mean - record.kept.unwrap_or(0.0)).abs() >= LEAST_CHANGE;
        if longer < LEAST_KEPT || !has_changed {
            return None;
        }
        records[index].kept = Some(records[index].mean);
        Some(figures_of(&mut records, place))
    }

    /// Whether this is the first call for a place, so that the factors of earlier processes are to
    /// be recalled.
    pub(in crate::context) fn first_recall(&self, place: Place) -> bool {
        let mut recalled = self.recalled.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = !recalled.contains(&place);
        if is_new {
            recalled.push(place);
        }
        is_new
    }

    /// Takes over the factors of an earlier process.
    pub(super) fn recall(&self, place: Place, figures: &Figures) {
        let age = figures.measured_at().elapsed().map_or(0.0, |age| age.as_secs_f64());
        let worth = EARLIER * (-age / HALF_LIFE).exp2();
        let mut records = self.lock();
        for (name, factor) in figures.values() {
            let Some((model, size)) = name.rsplit_once('@') else { continue };
            let Ok(size) = size.parse() else { continue };
            let mean = factor.clamp(FACTORS.0, FACTORS.1).ln();
            let model = model.to_owned();
            records.push(Record { model, place, size, mean: worth * mean, kept: Some(mean) });
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

/// The factors of a place that are kept on disk.
fn figures_of(records: &mut [Record], place: Place) -> Figures {
    let mut figures = Figures::new(SystemTime::now(), &[]);
    for record in records {
        if record.place == place && record.kept.is_some() {
            record.kept = Some(record.mean);
            figures.add(format!("{}@{}", record.model, record.size), record.mean.exp());
        }
    }
    figures
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
    fn factors_of_long_steps_pass_to_the_next_process() {
        let place = Place::Device(0);
        let first = Experience::default();
        assert!(first.learn("short", place, 1e-3, 2e-3).is_none());
        assert!(first.learn("right", place, 1.0, 1.05).is_none());
        assert!(first.learn("elsewhere", Place::Cpu, 1.0, 4.0).is_some());
        let kept = first.learn("lattice-partition", place, 1.0, 8.0).unwrap();
        // An instant later nothing has changed.
        let factor = first.factor("lattice-partition", place, 1.0);
        assert!(first.learn("lattice-partition", place, 1.0, factor).is_none());

        let next = Experience::default();
        assert!(next.first_recall(place) && !next.first_recall(place));
        next.recall(place, &kept);
        let recalled = next.factor("lattice-partition", place, 1.0);
        assert!(1.0 < recalled && recalled < factor, "{recalled} of {factor}");
        for (model, place) in
            [("short", place), ("right", place), ("lattice-partition", Place::Cpu)]
        {
            assert_eq!(next.factor(model, place, 1.0), 1.0, "{model}");
        }
        // What the next process does not repeat is worth less and less.
        let rewritten = next.learn("other", place, 1.0, 3.0).unwrap();
        let third = Experience::default();
        third.recall(place, &rewritten);
        assert!(third.factor("lattice-partition", place, 1.0) < recalled);
        assert!(third.factor("other", place, 1.0) > 1.5);
    }

    #[test]
    fn strange_figures_are_left_out() {
        let values = [("a", 2.0), ("a@", 2.0), ("a@x", 2.0), ("a@0", 1e9), ("b@0", 0.0)];
        let experience = Experience::default();
        experience.recall(Place::Cpu, &Figures::new(SystemTime::now(), &values));
        assert_eq!(experience.lock().len(), 2);
        assert!(experience.factor("a", Place::Cpu, 1.0) <= 16.0);
        assert!(experience.factor("b", Place::Cpu, 1.0) >= 1.0 / 16.0);
    }
}
