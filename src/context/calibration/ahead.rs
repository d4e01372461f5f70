//! Measures what is unknown once kernels were built ahead.

use std::sync::Arc;

use super::background::Solves;
use super::{Measurer, is_unknown};
use crate::Context;
use crate::mutex::try_lock;
use crate::opencl::{Device, Patience};

/// The name of the processor among what was measured.
const PROCESSOR: &str = "processor";

/// Measures for one [`Prewarm`](super::super::Prewarm).
pub(in crate::context) struct Ahead {
    measurer: Measurer,
    solves: Arc<Solves>,
}

impl Context {
    /// `None` without a folder: later processes would not know what was measured.
    pub(in crate::context) fn measure_ahead(&self) -> Option<Ahead> {
        let (measurer, solves) = (self.measurer(), self.background.solves());
        (!self.source.cache.is_off()).then_some(Ahead { measurer, solves })
    }
}

impl Ahead {
    /// Measures what is unknown of the processor and of the device, and returns their names. A solve
    /// comes first: if one runs or begins, this gives up, and the context measures after a long
    /// solve.
    pub(in crate::context) fn measure(
        &self,
        device: Option<&Device>,
        patience: impl Patience + Clone + 'static,
    ) -> Vec<String> {
        let device = device.filter(|device| is_unknown(device));
        let knows_processor = self.measurer.knows_processor();
        if device.is_none() && knows_processor || self.solves.watch_briefly() != Some(true) {
            return Vec::new();
        }
        let wait = Unneeded { solves: Arc::clone(&self.solves), patience };
        // Whoever measures already knows what is unknown.
        let Some(_alone) = try_lock(&self.measurer.knowledge.measuring) else { return Vec::new() };
        let goes_on = || wait.lasts();
        let mut measured = Vec::new();
        if !knows_processor {
            if !self.measurer.processor(&goes_on) {
                return measured;
            }
            measured.push(PROCESSOR.to_owned());
        }
        if let Some(device) = device
            && self.measurer.device(&device.ahead(wait.clone()), &goes_on).is_ok()
        {
            measured.push(device.info().name.clone());
        }
        measured
    }
}

/// Lasts as long as no solve runs.
#[derive(Clone)]
struct Unneeded<P> {
    solves: Arc<Solves>,
    patience: P,
}

impl<P: Patience> Patience for Unneeded<P> {
    fn lasts(&self) -> bool {
        self.patience.lasts() && self.solves.are_none()
    }
}
