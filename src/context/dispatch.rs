use std::time::{Duration, Instant};

use super::Context;
use crate::opencl::{Device, DeviceInfo};
use crate::solve::{Engine, Report};
use crate::{Error, Result};

/// Chooses the engine of one solve's heavy steps and remembers what it chose.
///
/// A device that fails once is not asked again in the same solve.
pub(crate) struct Dispatch<'c> {
    context: &'c Context,
    engine: Engine,
    device: Option<String>,
    fallback: Option<String>,
    setup_seconds: f64,
}

impl<'c> Dispatch<'c> {
    pub(super) fn new(context: &'c Context, engine: Engine) -> Result<Self> {
        let mut dispatch = Dispatch { context, engine, device: None, fallback: None, setup_seconds: 0.0 };
        if engine == Engine::Device {
            dispatch.open()?;
        }
        Ok(dispatch)
    }

    pub(crate) fn context(&self) -> &'c Context {
        self.context
    }

    /// Runs a step on the engine asked for. `worth` is the cost model's word for [`Engine::Auto`]: whether
    /// the step would be faster on that device; `promising` is its cheap forerunner, which needs no device,
    /// so that small problems never pay for looking for one.
    pub(crate) fn run<T>(
        &mut self,
        promising: bool,
        worth: impl FnOnce(&DeviceInfo) -> bool,
        on_device: impl FnOnce(&Device) -> Result<T>,
        on_cpu: impl FnOnce(&Context) -> Result<T>,
    ) -> Result<T> {
        match self.choose(promising, worth) {
            Some(device) => match self.run_on(device, on_device) {
                Err(error) if self.engine == Engine::Auto && is_device_failure(&error) => {
                    self.fall_back(&error);
                    on_cpu(self.context)
                }
                result => result,
            },
            None => on_cpu(self.context),
        }
    }

    /// Writes what ran where into the report; `elapsed` is the whole solve's time.
    pub(crate) fn finish(self, elapsed: Duration, report: &mut Report) {
        report.device = self.device;
        report.fallback = self.fallback;
        report.setup_seconds = self.setup_seconds;
        report.seconds = (elapsed.as_secs_f64() - self.setup_seconds).max(0.0);
    }

    fn choose(&mut self, promising: bool, worth: impl FnOnce(&DeviceInfo) -> bool) -> Option<&'c Device> {
        match self.engine {
            Engine::Cpu => None,
            Engine::Device => self.open().ok(),
            Engine::Auto if !promising || self.fallback.is_some() => None,
            Engine::Auto => match self.open() {
                Ok(device) => Some(device).filter(|device| worth(device.info())),
                Err(error) => {
                    self.fall_back(&error);
                    None
                }
            },
        }
    }

    fn open(&mut self) -> Result<&'c Device> {
        let start = Instant::now();
        let device = self.context.device();
        self.setup_seconds += start.elapsed().as_secs_f64();
        device
    }

    fn run_on<T>(&mut self, device: &Device, step: impl FnOnce(&Device) -> Result<T>) -> Result<T> {
        let built = device.build_seconds();
        let result = step(device);
        self.setup_seconds += device.build_seconds() - built;
        if result.is_ok() {
            self.device = Some(device.info().name.clone());
        }
        result
    }

    fn fall_back(&mut self, error: &Error) {
        self.context.log.warn(|| format!("falling back to the CPU: {error}"));
        self.fallback = Some(error.to_string());
    }
}

/// Whether the CPU may succeed where the device gave this error.
fn is_device_failure(error: &Error) -> bool {
    matches!(error, Error::DeviceUnavailable(_) | Error::DeviceFailed(_) | Error::OutOfMemory { .. })
}
