//! Experience that passes from one process to the next: a program of one solve would never learn.

use std::time::UNIX_EPOCH;

use super::super::{Context, speeds};
use super::Place;

/// Shorter steps don't read the disk: it would take a part of their time.
const LEAST_RECALLED: f64 = 1e-3;

impl Context {
    /// What to multiply the time with that a cost model expects of a step.
    pub(super) fn factor(&self, model: &str, place: Place, expected: f64) -> f64 {
        self.recall(place, expected);
        self.experience.factor(model, place, expected)
    }

    /// Takes a step into account that took `measured` instead of `expected` seconds.
    pub(super) fn learn(&self, model: &str, place: Place, expected: f64, measured: f64) {
        self.recall(place, measured);
        let changed = self.experience.learn(model, place, expected, measured);
        // Small solves have no time to find out what the factors depend on.
        let Some(figures) = changed else { return };
        if let Some(identity) = self.identity_of(place) {
            self.source.cache.store_figures(&identity, &figures);
        }
    }

    /// Reads what earlier processes have learnt of a place, if a step of this length asks first.
    fn recall(&self, place: Place, seconds: f64) {
        if seconds >= LEAST_RECALLED && self.experience.first_recall(place) {
            let load = |identity: String| self.source.cache.load_figures(&identity);
            if let Some(figures) = self.identity_of(place).and_then(load) {
                self.experience.recall(place, &figures);
            }
        }
    }

    /// What the factors of a place depend on: besides processor and device, the speeds from which
    /// times are expected.
    fn identity_of(&self, place: Place) -> Option<String> {
        // The host has a part of a device's steps.
        let processor = speeds::identity(self.pools.wanted());
        let (device, measured_at) = match place {
            Place::Cpu => (String::new(), self.processor_speeds().measured_at),
            Place::Device(index) => {
                let found = self.source.found(index).ok()?;
                (found.identity(), found.speeds().measured_at)
            }
        };
        let measured_at = measured_at.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let seconds = measured_at.map_or(0, |time| time.as_secs());
        Some(format!("experience {seconds} {processor} {device}"))
    }
}
