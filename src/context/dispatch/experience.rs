//! What a context has learnt about its cost models.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Weight of a new observation in the smoothed mean.
const WEIGHT: f64 = 0.4;
/// Limits of a factor, so that one strange measurement does no lasting harm.
const FACTORS: (f64, f64) = (1.0 / 16.0, 16.0);
/// Shorter steps tell more about the clock and the threads' wake-up than about the model.
const LEAST_SECONDS: f64 = 2e-4;

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
    models: Mutex<Vec<Model>>,
}

#[derive(Debug)]
struct Model {
    name: &'static str,
    place: Place,
    /// Logarithm of the geometric mean of measured over expected times.
    mean: f64,
}

impl Experience {
    /// What to multiply an expected time with.
    pub(super) fn factor(&self, name: &str, place: Place) -> f64 {
        let models = self.lock();
        let known = models.iter().find(|model| model.name == name && model.place == place);
        known.map_or(1.0, |model| model.mean.exp())
    }

    /// Takes a step into account that took `measured` instead of `expected` seconds.
    pub(super) fn learn(&self, name: &'static str, place: Place, expected: f64, measured: f64) {
        if !(expected > 0.0 && expected.is_finite() && expected.max(measured) >= LEAST_SECONDS) {
            return;
        }
        let observed = (measured / expected).clamp(FACTORS.0, FACTORS.1).ln();
        let mut models = self.lock();
        match models.iter_mut().find(|model| model.name == name && model.place == place) {
            Some(model) => model.mean += WEIGHT * (observed - model.mean),
            None => models.push(Model { name, place, mean: WEIGHT * observed }),
        }
    }

    /// Forgets a place whose speeds were measured anew: the factors belong to the old figures.
    pub(in crate::context) fn forget(&self, place: Place) {
        self.lock().retain(|model| model.place != place);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Model>> {
        self.models.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_approach_what_is_measured_and_keep_apart() {
        let experience = Experience::default();
        let factor = |name, place| experience.factor(name, place);
        for _ in 0..20 {
            experience.learn("a", Place::Cpu, 0.1, 0.3);
            experience.learn("a", Place::Device(1), 1.0, 1e9);
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
        assert_eq!(experience.factor("a", Place::Cpu), 1.0);
    }
}
