use std::sync::Arc;

use super::decreasing::{Fit, decreasing};
use super::sizes::Sizes;
use super::{Instance, Packing, Pattern, bounds};
use crate::Result;
use crate::solve::{Certificate, Found, Monitor, Outcome, Report, Sense};

/// The best packing and the best bound so far.
pub(super) struct Incumbent<'a> {
    pub(super) instance: &'a Instance,
    pub(super) sizes: Arc<Sizes>,
    /// Patterns of sizes, not yet of item types.
    pub(super) patterns: Arc<Vec<Pattern>>,
    /// Stock pieces as counted by the method that made the patterns; re-checked at the end.
    pub(super) pieces: u64,
    pub(super) bound: u64,
    /// The methods for which the instance is too large.
    pub(super) left_out: Option<String>,
}

impl<'a> Incumbent<'a> {
    /// Starts with the better of first-fit decreasing and the given packing.
    pub(super) fn start(
        instance: &'a Instance,
        monitor: &Monitor,
        given: Option<&Packing>,
    ) -> Result<Self> {
        // Refuses a wrong packing before any work.
        if let Some(given) = given {
            given.stock_pieces(instance).map_err(|error| error.about("start"))?;
        }
        monitor.enter("ffd")?;
        let sizes = Arc::new(Sizes::new(instance)?);
        let opening = monitor.opening();
        let bound = bounds::lower_bound(&sizes.list, instance.stock_length(), &opening);
        opening.note_bound(bound);
        let patterns = decreasing(&sizes.list, instance.stock_length(), Fit::First, &opening);
        let patterns = Arc::new(patterns);
        monitor.join(&opening);
        let pieces = count(&patterns);
        monitor.note_found(pieces, None, || found(&sizes, &patterns));
        monitor.report("ffd", None);
        let mut incumbent = Incumbent { instance, sizes, patterns, pieces, bound, left_out: None };
        if let Some(given) = given {
            incumbent.offer(incumbent.sizes.of_types(given.patterns()), monitor);
            monitor.report("start", None);
        }
        Ok(incumbent)
    }

    pub(super) fn is_optimal(&self) -> bool {
        self.pieces == self.bound
    }

    /// Replaces the packing if the new one is better.
    pub(super) fn offer(&mut self, patterns: Vec<Pattern>, monitor: &Monitor) {
        let pieces = count(&patterns);
        if pieces < self.pieces {
            self.patterns = Arc::new(patterns);
            self.pieces = pieces;
            monitor.note_found(pieces, None, || found(&self.sizes, &self.patterns));
        }
    }

    /// Raises the bound if the new one is better.
    pub(super) fn raise(&mut self, bound: u64, phase: &'static str, monitor: &Monitor) {
        self.bound = self.bound.max(bound);
        monitor.note_bound(self.bound);
        monitor.report(phase, None);
    }

    pub(super) fn into_outcome(self, report: Report) -> Result<Outcome<Packing>> {
        let packing = Packing::new(self.sizes.name_types(&self.patterns));
        let pieces = packing.stock_pieces(self.instance)?;
        let bound = Some(self.bound);
        let certificate = Certificate::new(Sense::Minimise, self.pieces, pieces, bound)?;
        Ok(certificate.outcome(Some(packing), report))
    }
}

/// A packing for the progress callback.
fn found(sizes: &Arc<Sizes>, patterns: &Arc<Vec<Pattern>>) -> Found {
    let (sizes, patterns) = (Arc::clone(sizes), Arc::clone(patterns));
    Found::new(move || Some(Packing::new(sizes.name_types(&patterns))))
}

/// Number of stock pieces that patterns use.
pub(super) fn count(patterns: &[Pattern]) -> u64 {
    patterns.iter().map(|pattern| u64::from(pattern.pieces)).sum()
}
