//! From which size on work belongs on a device, as the cost models expect it.

use super::dispatch::{LEAST_ON_DEVICE, Place};
use super::{Context, ProcessorSpeeds};
use crate::opencl::{DeviceInfo, DeviceSpeeds};

/// A kind of work in growing sizes.
pub(crate) struct Scale {
    /// Such as `search trees`.
    pub(crate) work: &'static str,
    /// What a size counts, such as `keys`.
    pub(crate) unit: &'static str,
    /// The work of step 0, 1, ..., each larger than the one before; `None` behind the largest.
    pub(crate) step: fn(u32, &Engines<'_>) -> Option<Expected>,
}

/// What the expected times depend on.
pub(crate) struct Engines<'a> {
    pub(crate) threads: usize,
    pub(crate) processor: &'a ProcessorSpeeds,
    pub(crate) device: &'a DeviceInfo,
    pub(crate) speeds: &'a DeviceSpeeds,
}

/// The expected seconds of work on each engine, and the names of the cost models.
pub(crate) struct Expected {
    pub(crate) size: u64,
    pub(crate) cpu: (&'static str, f64),
    pub(crate) device: (&'static str, f64),
}

impl Scale {
    /// The least size of a step that the device is expected to end first. The context's experience
    /// corrects the cost models, if one is given.
    pub(crate) fn least_on_device(
        &self,
        engines: &Engines<'_>,
        context: Option<&Context>,
    ) -> Option<u64> {
        let corrected = |(model, seconds): (&'static str, f64), place| match context {
            Some(context) => seconds * context.learnt_factor(model, place, seconds),
            None => seconds,
        };
        let belongs_there = |expected: &Expected| {
            let cpu = corrected(expected.cpu, Place::Cpu);
            let device = corrected(expected.device, Place::Device(engines.device.index));
            cpu > LEAST_ON_DEVICE && device < cpu
        };
        let mut steps = (0..).map_while(|number| (self.step)(number, engines));
        steps.find(belongs_there).map(|expected| expected.size)
    }
}
