//! When devices and the processor are measured, and what a context knows of their speeds.

mod background;
mod processor;

use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

pub(super) use background::{Background, Running};

use background::Solves;

use super::dispatch::{Experience, Place};
use super::pool::Pools;
use super::slot::Slot;
use super::{Context, ProcessorSpeeds};
use crate::latest::Latest;
use crate::mutex::lock;
use crate::opencl::{Cache, Calibrated, Device, DeviceSpeeds, Failing, Patience, calibrate};
use crate::{Error, Log, Result, memory};

/// A solve of this length shows that the choice of engines matters to the program.
const LONG_SOLVE: Duration = Duration::from_secs(1);
/// Seconds to start a thread.
const THREAD_START: f64 = 1e-4;

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
    pub(super) measuring: Mutex<()>,
}

/// What a measurement needs of its context.
struct Measurer {
    knowledge: Arc<Knowledge>,
    experience: Arc<Experience>,
    pools: Arc<Pools>,
    cache: Cache,
    log: Log,
}

impl Measurer {
    /// Measures the processor and notes the result.
    fn processor(&self) {
        let speeds = processor::calibrate(&self.pools);
        self.log.debug(|| format!("measured the processor: {speeds:?}"));
        speeds.store(self.pools.wanted(), &self.cache);
        self.knowledge.processor.set(speeds);
        self.experience.forget(Place::Cpu);
    }

    /// Measures a device and notes the result.
    fn device(&self, device: &Device, goes_on: &dyn Fn() -> bool) -> Result<Calibrated> {
        let name = || &device.info().name;
        let measured = calibrate(device, goes_on).map_err(|failing| match failing {
            Failing::Wrong(reason) => Error::device_wrong(reason),
            Failing::Error(error) => error,
        });
        match &measured {
            Ok(Calibrated { speeds, seconds }) => {
                device.learn(*speeds);
                self.experience.forget(Place::Device(device.info().index));
                self.log.debug(|| format!("measured {} in {seconds:.3} s: {speeds:?}", name()));
            }
            Err(error) if matches!(**error, Error::Stopped) => {}
            Err(error) => self.log.warn(|| format!("{} was not measured: {error}", name())),
        }
        measured
    }
}

fn is_stopped(measured: Result<Calibrated>) -> bool {
    measured.is_err_and(|error| matches!(*error, Error::Stopped))
}

/// Waits for kernels as long as no solve runs.
struct WhileIdle(Arc<Solves>);

impl Patience for WhileIdle {
    fn lasts(&self) -> bool {
        self.0.are_none()
    }
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

    /// Sets the speeds that choices rest on.
    #[cfg(test)]
    pub(crate) fn assume(&self, speeds: ProcessorSpeeds) {
        self.knowledge.processor.set(speeds);
    }

    /// Expected seconds to start the threads, if that is still to come.
    pub(crate) fn starting_seconds(&self) -> f64 {
        match self.pools.have_started() {
            true => 0.0,
            false => self.pools.wanted() as f64 * THREAD_START,
        }
    }

    /// Measures how fast the processor and all devices are. Later choices of this context between
    /// processor and device rest on the figures. It takes about 50 ms for the processor. A device
    /// takes up to 0.3 s, and longer if a single small launch does. Opening devices and building
    /// the kernels takes additional time: seconds with slow compilers.
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
        let measurer = self.measurer();
        let _alone = lock(&self.knowledge.measuring);
        measurer.processor();
        let indices = 0..self.devices().len();
        let devices = indices.map(|index| self.calibrate_device(index, &measurer)).collect();
        Ok(Calibration { processor: self.processor_speeds(), devices })
    }

    fn measurer(&self) -> Measurer {
        Measurer {
            knowledge: Arc::clone(&self.knowledge),
            experience: Arc::clone(&self.experience),
            pools: Arc::clone(&self.pools),
            cache: self.source.cache.clone(),
            log: self.log.clone(),
        }
    }

    fn calibrate_device(&self, index: usize, measurer: &Measurer) -> DeviceCalibration {
        let start = Instant::now();
        let measured = self.with_device(index, |device| measurer.device(device, &|| true));
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

    /// Measures what is unknown of the processor and of the open devices, in the background and
    /// once, if the solve was a long one on a device.
    pub(super) fn calibrate_after(&self, solve: Duration) {
        if solve < LONG_SOLVE {
            return;
        }
        let further = self.source.further_devices.iter().filter_map(Slot::open);
        let open = self.source.device.open().into_iter().chain(further);
        let unknown =
            open.filter(|device| !device.speeds().measured && !device.is_measured_on_demand_only());
        let devices: Vec<Device> =
            unknown.map(|device| device.for_step(WhileIdle(self.background.solves()))).collect();
        if devices.is_empty() {
            return;
        }
        let measurer = self.measurer();
        let mut is_processor_known = self.processor_speeds().measured;
        self.background.start(move |solves: &Solves| {
            let _alone = lock(&measurer.knowledge.measuring);
            if !is_processor_known {
                measurer.processor();
                is_processor_known = true;
            }
            let unknown = devices.iter().filter(|device| !device.speeds().measured);
            let measured = unknown.map(|device| measurer.device(device, &|| solves.are_none()));
            // A device that fails keeps its estimate.
            !measured.into_iter().any(is_stopped)
        });
    }

    /// Lends a device of the context, or one that is opened for this purpose.
    pub(super) fn with_device<T>(
        &self,
        index: usize,
        work: impl FnOnce(&Device) -> Result<T>,
    ) -> Result<T> {
        let source = &self.source;
        match source.further_indices.iter().position(|&further| further == index) {
            _ if index == source.device_index() => work(&*source.device()?),
            Some(place) => work(&*source.further_device(place)?),
            None => work(&source.open_device(index)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::opencl::testing::found_devices;
    use crate::{CacheLocation, ContextOptions, Engine};

    /// Contexts that have a device open and have measured nothing, with the device's index.
    fn open_contexts() -> impl Iterator<Item = (Context, usize)> {
        found_devices().into_iter().map(|found| {
            let index = found.info.index;
            let context = Context::new(ContextOptions {
                engine: Engine::Device,
                device: Some(index),
                threads: Some(2),
                cache: CacheLocation::Off,
                ..ContextOptions::default()
            });
            (context.unwrap(), index)
        })
    }

    fn is_measured(context: &Context, index: usize) -> bool {
        context.device_speeds(index).unwrap().measured
    }

    #[test]
    fn a_long_solve_makes_an_idle_context_measure_its_device() {
        for (context, index) in open_contexts() {
            if context.chosen_device().is_measured_on_demand_only() {
                continue;
            }
            context.calibrate_after(LONG_SOLVE / 2);
            let solve = context.background.count();
            context.calibrate_after(LONG_SOLVE);
            thread::sleep(Duration::from_millis(400));
            assert!(!is_measured(&context, index), "a solve is running");
            drop(solve);
            let start = Instant::now();
            while !is_measured(&context, index) {
                assert!(start.elapsed() < Duration::from_secs(120), "it takes too long");
                thread::sleep(Duration::from_millis(20));
            }
            assert!(context.processor_speeds().measured);
        }
    }

    #[test]
    fn a_context_that_ends_after_its_solve_measures_nothing() {
        for (context, index) in open_contexts() {
            context.calibrate_after(LONG_SOLVE);
            let found = context.discovery().1.devices[index].clone();
            drop(context);
            assert!(!found.speeds().measured);
        }
    }

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
