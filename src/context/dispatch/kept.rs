//! Experience that passes from one process to the next: a program of one solve would never learn.

use std::time::{SystemTime, UNIX_EPOCH};

use super::super::{Context, speeds};
use super::Place;

/// Shorter steps don't read the disk: it would take a part of their time.
const LEAST_RECALLED: f64 = 1e-3;

impl Context {
    /// What to multiply the time with that a cost model expects of a step.
    pub(super) fn factor(&self, model: &str, place: Place, expected: f64) -> f64 {
        if expected >= LEAST_RECALLED {
            let load = || self.source.cache.load_figures(&self.parts_of(place)?);
            self.experience.recall(place, load);
        }
        self.experience.factor(model, place, expected)
    }

    /// Takes a step into account that took `measured` instead of `expected` seconds.
    pub(super) fn learn(&self, model: &str, place: Place, expected: f64, measured: f64) {
        let changed = self.experience.learn(model, place, expected, measured);
        // Small solves have no time to find out what the factors depend on.
        let Some(figures) = changed else { return };
        if let Some(parts) = self.parts_of(place) {
            self.source.cache.store_figures(&parts, &figures);
        }
    }

    /// Everything that the factors of a place depend on: besides processor or device, the speeds
    /// from which times are expected.
    fn parts_of(&self, place: Place) -> Option<Vec<String>> {
        let (parts, measured_at) = match place {
            Place::Cpu => (speeds::parts(self.pools.wanted()), self.processor_speeds().measured_at),
            Place::Device(index) => {
                let found = self.source.found(index).ok()?;
                (found.parts(), found.speeds().measured_at)
            }
        };
        let seconds =
            |time: SystemTime| time.duration_since(UNIX_EPOCH).ok().map(|all| all.as_secs());
        let measured_at = measured_at.and_then(seconds).unwrap_or(0);
        Some(["experience".to_owned(), measured_at.to_string()].into_iter().chain(parts).collect())
    }
}
