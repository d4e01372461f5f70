//! What a cost model expects of a step.

use super::Place;
use crate::opencl::{DeviceInfo, DeviceSpeeds};

/// How long a step takes on each engine, by a problem's cost model.
pub(crate) struct Forecast<'a> {
    /// Name of the cost model.
    pub(crate) model: &'static str,
    /// That of the device's part, if it has another one: a method that only devices have.
    pub(crate) device_model: Option<&'static str>,
    /// Seconds on the CPU; infinite if only a device can run the step. Asked only if it matters.
    pub(crate) cpu: &'a dyn Fn() -> f64,
    /// Seconds on a device; infinite if it can't run the step or hold its tables.
    pub(crate) device: &'a dyn Fn(&DeviceInfo, &DeviceSpeeds) -> f64,
    /// Whether the time of a step shows how good the model is: the step's work is known before.
    pub(crate) learns: bool,
}

impl Forecast<'_> {
    /// Name of the cost model of an engine.
    pub(super) fn model_at(&self, place: Place) -> &'static str {
        match place {
            Place::Cpu => self.model,
            Place::Device(_) => self.device_model.unwrap_or(self.model),
        }
    }

    /// The forecast of a step whose work is known before. Both times are infinite until the caller
    /// gives them.
    pub(crate) const fn of(model: &'static str) -> Forecast<'static> {
        Forecast {
            model,
            device_model: None,
            cpu: &|| f64::INFINITY,
            device: &|_, _| f64::INFINITY,
            learns: true,
        }
    }

    /// The forecast of a step that only a device can run.
    pub(crate) fn device_only(model: &'static str) -> Forecast<'static> {
        Forecast { device: &|_, _| 0.0, learns: false, ..Forecast::of(model) }
    }

    /// The forecast of a step for which a search has chosen the device by measurements.
    pub(crate) fn device_preferred(model: &'static str) -> Forecast<'static> {
        Forecast { cpu: &|| 1.0, ..Forecast::device_only(model) }
    }

    /// The forecast of a step that runs on a device only where that was asked for.
    pub(crate) fn cpu_preferred(model: &'static str) -> Forecast<'static> {
        Forecast { cpu: &|| 0.0, learns: false, ..Forecast::of(model) }
    }
}
