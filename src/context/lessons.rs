//! Keeps what a context has learnt of its cost models, for later contexts. The factors belong to
//! measured speeds, so they are in the same file, and go when it is replaced. Ratios between devices
//! and the processor may rest on estimates of a device; they go when it is measured.

use std::time::Duration;

use super::dispatch::{Place, is_ratio};
use super::{Context, speeds};
use crate::mutex::try_lock;
use crate::opencl::{Cache, Figures, FoundDevice, Key};

/// Seconds of a step from which the choice of its engine is worth reading a file.
const WORTH_READING: f64 = 5e-3;
/// Seconds of a solve from which its lessons are worth writing a file.
const WORTH_WRITING: Duration = Duration::from_millis(50);
/// Begin of the names of factors, apart from those of speeds.
const PREFIX: &str = "factor:";

impl Context {
    /// Reads what earlier contexts have learnt of a place, once, if a step is long.
    pub(super) fn recall_lessons(&self, place: Place, seconds: f64) {
        if seconds >= WORTH_READING {
            self.recall(place);
        }
    }

    /// What this and earlier contexts have learnt of a cost model: by how much to multiply the
    /// seconds that it expects.
    pub(super) fn learnt_factor(&self, model: &str, place: Place, seconds: f64) -> f64 {
        self.recall_lessons(place, seconds);
        self.experience.factor(model, place, seconds)
    }

    fn recall(&self, place: Place) {
        if !self.experience.begins_recall(place) {
            return;
        }
        let Some((figures, _)) = self.latest_figures(place) else { return };
        for (name, value) in figures.values() {
            if let Some(name) = name.strip_prefix(PREFIX) {
                self.experience.recall(place, name, value);
            }
        }
    }

    /// Keeps what the context has learnt of measured places, after a long solve.
    pub(super) fn keep_lessons(&self, solve: Duration) {
        if solve < WORTH_WRITING {
            return;
        }
        self.learn_opening();
        // Speeds that are measured now would be lost. The next solve tries again.
        let Some(_alone) = try_lock(&self.knowledge.measuring) else { return };
        for place in self.experience.news() {
            // Other processes may have added factors.
            let Some((mut figures, key)) = self.latest_figures(place) else { continue };
            let mut kept = self.experience.keep(place);
            if kept.iter().any(|(name, _)| is_ratio(name)) && self.has_old_estimates() {
                kept.retain(|(name, _)| !is_ratio(name));
            }
            for (name, factor) in kept {
                figures.set(format!("{PREFIX}{name}"), factor);
            }
            self.source.cache.store_figures(&key, &figures);
        }
    }

    /// Whether another process has measured the chosen device, of which this context has estimates.
    fn has_old_estimates(&self) -> bool {
        let source = &self.source;
        let is_old = |found: &FoundDevice| {
            !found.speeds().measured && source.cache.load_figures(&found.figures_key()).is_some()
        };
        source.discovery.get().is_some() && source.found_device().is_ok_and(is_old)
    }

    /// The figures on disk with their key, if they are those that this context works with. Another
    /// process may have measured since.
    fn latest_figures(&self, place: Place) -> Option<(Figures, Key)> {
        let (key, measured_at) = match place {
            Place::Cpu => (speeds::key(self.pools.wanted()), self.processor_speeds().measured_at?),
            Place::Device(index) => {
                let found = self.source.found(index).ok()?;
                (found.figures_key(), found.speeds().measured_at?)
            }
        };
        let figures = self.source.cache.load_figures(&key)?;
        figures.is_of(measured_at).then_some((figures, key))
    }
}

/// Removes the ratios between devices and the processor from the processor's file.
pub(super) fn remove_ratios(threads: usize, cache: &Cache) {
    let key = speeds::key(threads);
    let Some(mut figures) = cache.load_figures(&key) else { return };
    if figures.remove(|name| name.strip_prefix(PREFIX).is_some_and(is_ratio)) {
        cache.store_figures(&key, &figures);
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::context::ProcessorSpeeds;
    use crate::{CacheLocation, ContextOptions, Engine};

    const FACTOR: f64 = 4.0;
    const LONG: Duration = Duration::from_secs(1);

    /// A context with a folder, and its factor for long steps of a model.
    fn context(folder: &std::path::Path) -> Context {
        let cache = CacheLocation::Directory(folder.to_owned());
        let (engine, threads) = (Engine::Cpu, Some(2));
        Context::new(ContextOptions { engine, threads, cache, ..ContextOptions::default() })
            .unwrap()
    }

    fn factor(context: &Context) -> f64 {
        context.recall_lessons(Place::Cpu, 1.0);
        context.experience.factor("model", Place::Cpu, 1.0)
    }

    fn learn(context: &Context) {
        for _ in 0..20 {
            context.experience.learn("model", Place::Cpu, 1.0, FACTOR);
        }
    }

    fn measure(context: &Context, at: SystemTime) {
        let estimate = ProcessorSpeeds::estimate(2);
        let speeds = ProcessorSpeeds { measured: true, measured_at: Some(at), ..estimate };
        speeds.store(2, &context.source.cache);
        context.assume(speeds);
    }

    #[test]
    fn a_later_context_recalls_what_was_learnt_of_measured_speeds() {
        let folder = tempfile::tempdir().unwrap();
        let unmeasured = context(folder.path());
        learn(&unmeasured);
        unmeasured.keep_lessons(LONG);
        assert_eq!(factor(&context(folder.path())), 1.0, "nothing was measured");
        let first = context(folder.path());
        measure(&first, SystemTime::now());
        learn(&first);
        let speeds = first.processor_speeds();
        first.keep_lessons(Duration::from_millis(1));
        assert_eq!(factor(&context(folder.path())), 1.0, "the solve was short");
        first.keep_lessons(LONG);
        assert_eq!(first.experience.news(), [], "it is kept");
        let later = context(folder.path());
        later.recall_lessons(Place::Cpu, 1e-3);
        assert_eq!(later.experience.factor("model", Place::Cpu, 1.0), 1.0, "it is short");
        assert!(factor(&later) > 2.0 && factor(&later) < FACTOR, "{}", factor(&later));
        // The speeds are in the same file.
        assert_eq!(later.processor_speeds().core_add_min_rate, speeds.core_add_min_rate);
        assert!(later.processor_speeds().measured);
    }

    #[test]
    fn a_later_context_knows_how_long_the_driver_takes() {
        let folder = tempfile::tempdir().unwrap();
        let first = context(folder.path());
        measure(&first, SystemTime::now());
        let guess = first.opening_seconds();
        first.source.opening_times.pretend(guess / 10.0, guess / 20.0);
        first.keep_lessons(LONG);
        let later = context(folder.path());
        later.recall_lessons(Place::Cpu, 1.0);
        assert!(later.opening_seconds() < guess / 2.0, "{}", later.opening_seconds());
    }

    #[test]
    fn factors_that_were_not_needed_stay() {
        let folder = tempfile::tempdir().unwrap();
        let first = context(folder.path());
        measure(&first, SystemTime::now());
        learn(&first);
        first.keep_lessons(LONG);
        let other = context(folder.path());
        let factor_before = factor(&other);
        assert!(factor_before > 2.0);
        other.experience.learn("other", Place::Cpu, 1.0, FACTOR);
        other.keep_lessons(LONG);
        let later = context(folder.path());
        assert_eq!(factor(&later), factor_before);
        assert!(later.experience.factor("other", Place::Cpu, 1.0) > 1.5);
    }

    #[test]
    fn new_speeds_make_all_contexts_forget() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (context(folder.path()), context(folder.path()));
        let now = SystemTime::now();
        measure(&first, now);
        learn(&first);
        first.keep_lessons(LONG);
        assert!(factor(&context(folder.path())) > 2.0);
        measure(&second, now + Duration::from_secs(5));
        assert_eq!(factor(&context(folder.path())), 1.0);
        // What the first one knows belongs to the old speeds.
        first.experience.learn("model", Place::Cpu, 1.0, 16.0);
        assert_eq!(first.experience.news(), [Place::Cpu]);
        first.keep_lessons(LONG);
        assert_eq!(factor(&context(folder.path())), 1.0);
    }
}
