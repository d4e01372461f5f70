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
    /// The number of pieces of which the caller asks whether it suffices, if that is all.
    sought: Option<u64>,
    /// The methods for which the instance is too large.
    pub(super) left_out: Option<String>,
}

impl<'a> Incumbent<'a> {
    /// Starts with the better of first-fit decreasing and the given packing.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) for a wrong packing,
    /// [`Error::Stopped`](crate::Error::Stopped) if there are many item types, and
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
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
        let opening = monitor.opening();
        let begun = Sizes::new(instance, &opening).map(|sizes| {
            let bound = bounds::lower_bound(&sizes.list, instance.stock_length(), &opening);
            opening.note_bound(bound);
            let patterns = decreasing(&sizes.list, instance.stock_length(), Fit::First, &opening);
            (Arc::new(sizes), bound, Arc::new(patterns))
        });
        monitor.join(&opening);
        let (sizes, bound, patterns) = begun?;
        let pieces = count(&patterns);
        monitor.note_found(pieces, None, || found(&sizes, &patterns));
        monitor.report("ffd", None);
        let (sought, left_out) = (None, None);
        let mut incumbent =
            Incumbent { instance, sizes, patterns, pieces, bound, sought, left_out };
        if let Some(given) = given {
            incumbent.offer(incumbent.sizes.of_types(given.patterns()), monitor);
            monitor.report("start", None);
        }
        Ok(incumbent)
    }

    /// The same for a caller who asks only whether that many pieces suffice.
    pub(super) fn seeking(self, pieces: u64) -> Self {
        Incumbent { sought: Some(pieces), ..self }
    }

    /// Whether nothing is left to do: the packing is optimal, or it is decided whether the number
    /// of pieces sought suffices.
    pub(super) fn is_settled(&self) -> bool {
        self.bound >= self.limit() || self.sought.is_some_and(|sought| self.pieces <= sought)
    }

    /// Numbers of pieces from this on are not worth a try.
    pub(super) fn limit(&self) -> u64 {
        self.sought.map_or(self.pieces, |sought| self.pieces.min(sought + 1))
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

    pub(super) fn into_answer(self) -> Answer {
        let patterns = self.sizes.name_types(&self.patterns);
        Answer { patterns, pieces: self.pieces, bound: self.bound }
    }
}

/// The best patterns of a search, the number of their pieces as it has counted them, and its bound.
pub(super) struct Answer {
    pub(super) patterns: Vec<Pattern>,
    pub(super) pieces: u64,
    pub(super) bound: u64,
}

impl Answer {
    /// The outcome, re-checked against the instance.
    pub(super) fn certify(self, instance: &Instance, report: Report) -> Result<Outcome<Packing>> {
        let packing = Packing::new(self.patterns);
        let pieces = packing.stock_pieces(instance)?;
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
