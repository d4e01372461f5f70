//! When devices and the processor are measured, and what a context knows of their speeds.

mod processor;

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use super::pool::Pools;
use super::{Context, ProcessorSpeeds};
use crate::latest::Latest;
use crate::opencl::{Cache, Calibrated, Device, DeviceSpeeds, Failing, calibrate};
use crate::{Error, Log, Result, memory};

/// What [`Context::calibrate`] found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Calibration {
    /// How fast the processor is.
    pub processor: ProcessorSpeeds,
    /// One for each of [`Context::devices`].
    pub devices: Vec<DeviceCalibration>,
}

/// What [`Context::calibrate`] found of one device.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DeviceCalibration {
    /// How fast the device is: measured, or an estimate if there is a problem.
    pub speeds: DeviceSpeeds,
    /// Why the device could not be measured.
    pub problem: Option<String>,
    /// Seconds of opening the device, of building the kernels and of their self-tests.
    pub setup_seconds: f64,
    /// Seconds of measuring.
    pub seconds: f64,
}

/// What a context knows of the processor.
#[derive(Debug, Default)]
pub(super) struct Knowledge {
    /// What an earlier process measured of the processor, read at the first need.
    recalled: OnceLock<Option<ProcessorSpeeds>>,
    /// What this context measured of the processor.
    processor: Latest<ProcessorSpeeds>,
    /// Held while something is measured: two measurements at once would slow each other down.
    measuring: Mutex<()>,
}

impl Knowledge {
    fn measure_processor(&self, pools: &Pools, cache: &Cache, log: &Log) {
        let speeds = processor::calibrate(pools);
        log.debug(|| format!("measured the processor: {speeds:?}"));
        speeds.store(pools.wanted(), cache);
        self.processor.set(speeds);
    }
}

/// Measures a device and notes the result.
fn measure(device: &Device, log: &Log, goes_on: &dyn Fn() -> bool) -> Result<Calibrated> {
    let name = || &device.info().name;
    let measured = calibrate(device, goes_on).map_err(|failing| match failing {
        Failing::Wrong(reason) => Error::device_wrong(reason),
        Failing::Error(error) => error,
    });
    match &measured {
        Ok(Calibrated { speeds, seconds }) => {
            device.learn(*speeds);
            log.debug(|| format!("measured {} in {seconds:.3} s: {speeds:?}", name()));
        }
        Err(error) => log.warn(|| format!("{} was not measured: {error}", name())),
    }
    measured
}

impl Context {
    /// How fast the processor is, as measured by [`Context::calibrate`] in this or an earlier
    /// process; otherwise an estimate.
    pub fn processor_speeds(&self) -> ProcessorSpeeds {
        // Solves ask often, so this takes no lock.
        let load = || ProcessorSpeeds::load(self.pools.wanted(), &self.source.cache);
        let recall = || *self.knowledge.recalled.get_or_init(load);
        let known = self.knowledge.processor.get().or_else(recall);
        known.unwrap_or_else(|| ProcessorSpeeds::estimate(self.pools.wanted().max(1)))
    }

    /// Measures how fast the processor and all devices are. Later choices of this context between
    /// processor and device rest on the figures. It takes about 50 ms for the processor. A device
    /// takes up to 0.3 s, and longer if a single small launch does. Opening devices and building
    /// the kernels comes on top: seconds with slow compilers.
    ///
    /// Measure while the machine has no other work, which would make the figures worse. Other
    /// threads may use the context meanwhile. A device that fails or computes wrongly keeps its
    /// estimate, with a [problem](DeviceCalibration::problem).
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the process inherited the context by `fork()`, and
    /// [`Error::OutOfMemory`] if no memory is left.
    pub fn calibrate(&self) -> Result<Calibration> {
        self.check_process()?;
        memory::check_headroom()?;
        let _alone = lock(&self.knowledge.measuring);
        self.calibrate_processor();
        let devices = (0..self.devices().len()).map(|index| self.calibrate_device(index));
        let devices = devices.collect();
        Ok(Calibration { processor: self.processor_speeds(), devices })
    }

    fn calibrate_processor(&self) {
        self.knowledge.measure_processor(&self.pools, &self.source.cache, &self.log);
    }

    fn calibrate_device(&self, index: usize) -> DeviceCalibration {
        let start = Instant::now();
        let measured = self.with_device(index, |device| measure(device, &self.log, &|| true));
        let whole = start.elapsed().as_secs_f64();
        match measured {
            Ok(Calibrated { speeds, seconds }) => {
                DeviceCalibration { speeds, problem: None, setup_seconds: whole - seconds, seconds }
            }
            Err(error) => DeviceCalibration {
                speeds: self.discovery().1.devices[index].speeds(),
                problem: Some(error.to_string()),
                setup_seconds: whole,
                seconds: 0.0,
            },
        }
    }

    /// Lends a device of the context, or one that is opened for this purpose.
    fn with_device<T>(&self, index: usize, work: impl FnOnce(&Device) -> Result<T>) -> Result<T> {
        let open = || self.source.open_device(index);
        let further = self.further_indices.iter().position(|&further| further == index);
        match further {
            _ if index == self.source.device_index.unwrap_or(0) => work(&*self.device()?),
            Some(further) => work(&*self.further_devices[further].get(open)?),
            None => work(&open()?),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::testing::found_devices;
    use crate::{CacheLocation, ContextOptions};

    #[test]
    fn another_context_knows_what_was_measured() {
        for found in found_devices().iter().filter(|found| !found.is_simulator()) {
            let folder = tempfile::tempdir().unwrap();
            let context = || {
                let cache = CacheLocation::Directory(folder.path().to_owned());
                let device = Some(found.info.index);
                Context::new(ContextOptions { device, cache, ..ContextOptions::default() }).unwrap()
            };
            let measured = context().calibrate().unwrap();
            let again = context().device_speeds(found.info.index).unwrap();
            let expected = measured.devices[found.info.index].speeds;
            assert!(again.measured, "{:?}", measured.devices[found.info.index].problem);
            // A file has whole seconds.
            assert_eq!(DeviceSpeeds { measured_at: expected.measured_at, ..again }, expected);
            let processor = context().processor_speeds();
            let measured_at = measured.processor.measured_at;
            assert_eq!(ProcessorSpeeds { measured_at, ..processor }, measured.processor);
        }
    }

    #[test]
    fn a_context_has_estimates_until_it_measures() {
        let options = ContextOptions {
            threads: Some(2),
            cache: CacheLocation::Off,
            ..ContextOptions::default()
        };
        let context = Context::new(options).unwrap();
        let devices = found_devices().len();
        assert!(!context.processor_speeds().measured);
        let estimates: Vec<_> =
            (0..devices).map(|index| context.device_speeds(index).unwrap()).collect();
        assert!(estimates.iter().all(|speeds| !speeds.measured));
        let found = context.calibrate().unwrap();
        assert_eq!(found.processor, context.processor_speeds());
        assert!(found.processor.measured);
        for (index, device) in found.devices.iter().enumerate() {
            assert_eq!(device.speeds, context.device_speeds(index).unwrap());
            assert_eq!(device.speeds.measured, device.problem.is_none(), "{device:?}");
            assert!(device.setup_seconds > 0.0);
        }
        assert!(context.device_speeds(found.devices.len()).is_err());
    }
}
