//! When devices and the processor are measured, and what a context knows of their speeds.

mod ahead;
mod background;
mod processor;
#[cfg(test)]
mod results;

use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

pub(super) use ahead::Ahead;
pub(super) use background::{Background, Running};

use background::{Solves, Subject};

use super::dispatch::{Experience, Place};
use super::pool::Pools;
use super::slot::Slot;
use super::{Context, ProcessorSpeeds, lessons};
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

impl Knowledge {
    /// What was measured of the processor, in this or an earlier process.
    fn of_processor(&self, pools: &Pools, cache: &Cache) -> Option<ProcessorSpeeds> {
        let load = || ProcessorSpeeds::load(pools.wanted(), cache);
        self.processor.get().or_else(|| *self.recalled.get_or_init(load))
    }
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
    fn knows_processor(&self) -> bool {
        self.knowledge.of_processor(&self.pools, &self.cache).is_some()
    }

    /// Measures the processor and notes the result. Returns whether it completed all figures.
    fn processor(&self, goes_on: &dyn Fn() -> bool) -> bool {
        let Some(speeds) = processor::calibrate(&self.pools, goes_on) else { return false };
        self.log.debug(|| format!("measured the processor: {speeds:?}"));
        speeds.store(self.pools.wanted(), &self.cache);
        self.knowledge.processor.set(speeds);
        self.experience.forget(Place::Cpu);
        true
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
                // They may rest on the estimates of the device.
                self.experience.forget_ratios();
                lessons::remove_ratios(self.pools.wanted(), &self.cache);
                self.log.debug(|| format!("measured {} in {seconds:.3} s: {speeds:?}", name()));
            }
            Err(error) if matches!(**error, Error::Stopped) => {}
            Err(error) => self.log.warn(|| format!("{} was not measured: {error}", name())),
        }
        measured
    }
}

/// Whether the speeds are to be measured without being asked for.
fn is_unknown(device: &Device) -> bool {
    !device.speeds().measured && !device.is_measured_on_demand_only()
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
        let known = self.knowledge.of_processor(&self.pools, &self.source.cache);
        known.unwrap_or_else(|| ProcessorSpeeds::estimate(self.pools.wanted().max(1)))
    }

    /// Sets the speeds that choices rest on.
    #[cfg(test)]
    pub(crate) fn assume(&self, speeds: ProcessorSpeeds) {
        self.knowledge.processor.set(speeds);
    }

    /// Sets the speeds of a device that choices rest on.
    #[cfg(test)]
    fn assume_of_device(&self, index: usize, speeds: DeviceSpeeds) {
        self.discovery().1.devices[index].learn(speeds, &self.source.cache);
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
        measurer.processor(&|| true);
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

    /// Measures what is unknown of the processor, and of the open devices if one of them took part,
    /// in the background and once, if the solve was a long one.
    pub(super) fn calibrate_after(&self, solve: Duration, was_on_device: bool) {
        if solve < LONG_SOLVE {
            return;
        }
        let devices = if was_on_device { self.unknown_devices() } else { Vec::new() };
        let measurer = self.measurer();
        let subject = match devices.is_empty() {
            false => Subject::Devices,
            // Without a folder, each process of a program that never uses a device would burn its
            // cores for the processor's figures. With one, a machine does so once.
            true if self.source.cache.is_off() || measurer.knows_processor() => return,
            true => Subject::Processor,
        };
        self.background.start(subject, move |solves: &Solves| {
            let goes_on = || solves.are_none();
            let _alone = lock(&measurer.knowledge.measuring);
            if !measurer.knows_processor() && !measurer.processor(&goes_on) {
                return false;
            }
            let unknown = devices.iter().filter(|device| !device.speeds().measured);
            let measured = unknown.map(|device| measurer.device(device, &goes_on));
            // A device that fails keeps its estimate.
            !measured.into_iter().any(is_stopped)
        });
    }

    /// Views of the open devices that were not measured, for the time when no solve runs.
    fn unknown_devices(&self) -> Vec<Device> {
        let further = self.source.further_devices.iter().filter_map(Slot::open);
        let open = self.source.device.open().into_iter().chain(further);
        let unknown = open.filter(|device| is_unknown(device));
        unknown.map(|device| device.for_step(WhileIdle(self.background.solves()))).collect()
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
            context.calibrate_after(LONG_SOLVE / 2, true);
            let solve = context.background.count();
            context.calibrate_after(LONG_SOLVE, false);
            context.calibrate_after(LONG_SOLVE, true);
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

    fn context_of_the_processor(cache: CacheLocation) -> Context {
        let (engine, threads) = (Engine::Cpu, Some(2));
        Context::new(ContextOptions { engine, threads, cache, ..ContextOptions::default() })
            .unwrap()
    }

    /// Waits until the context knows the processor's speeds.
    fn wait_for_the_processor(context: &Context) {
        let start = Instant::now();
        while !context.processor_speeds().measured {
            assert!(start.elapsed() < Duration::from_secs(20), "it takes too long");
            thread::sleep(Duration::from_millis(20));
        }
    }

    #[test]
    fn a_long_solve_on_the_cpu_makes_an_idle_context_measure_the_processor() {
        let folder = tempfile::tempdir().unwrap();
        let context =
            || context_of_the_processor(CacheLocation::Directory(folder.path().to_owned()));
        let first = context();
        first.calibrate_after(LONG_SOLVE / 2, false);
        let solve = first.background.count();
        first.calibrate_after(LONG_SOLVE, false);
        thread::sleep(Duration::from_millis(400));
        assert!(!first.processor_speeds().measured, "a solve is running");
        drop(solve);
        wait_for_the_processor(&first);
        assert!(context().processor_speeds().measured);
        for file in std::fs::read_dir(folder.path()).unwrap() {
            std::fs::write(file.unwrap().path(), "damaged").unwrap();
        }
        let later = context();
        assert!(!later.processor_speeds().measured);
        later.calibrate_after(LONG_SOLVE, false);
        wait_for_the_processor(&later);
    }

    #[test]
    fn a_long_solve_on_the_cpu_measures_nothing_without_a_folder() {
        let context = context_of_the_processor(CacheLocation::Off);
        context.calibrate_after(LONG_SOLVE, false);
        thread::sleep(Duration::from_millis(400));
        assert!(!context.processor_speeds().measured);
    }

    #[test]
    fn a_context_that_ends_after_its_solve_measures_nothing() {
        for (context, index) in open_contexts() {
            context.calibrate_after(LONG_SOLVE, true);
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
    fn the_measurement_of_a_device_removes_the_ratios_that_rest_on_its_estimates() {
        for found in found_devices().iter().filter(|found| !found.is_simulator()) {
            let (index, folder) = (found.info.index, tempfile::tempdir().unwrap());
            let context = || {
                let cache = CacheLocation::Directory(folder.path().to_owned());
                let options = ContextOptions { device: Some(index), cache, ..Default::default() };
                Context::new(options).unwrap()
            };
            let names = [format!("test-on-device-{index}"), "test".into()];
            let learn = |context: &Context| {
                for name in &names {
                    (0..9).for_each(|_| context.experience.learn(name, Place::Cpu, 1.0, 9.0));
                }
                context.keep_lessons(LONG_SOLVE);
            };
            let is_learnt = |context: &Context| {
                names.each_ref().map(|name| context.learnt_factor(name, Place::Cpu, 1.0) > 2.0)
            };
            let (first, other) = (context(), context());
            assert!(first.measurer().processor(&|| true));
            assert!(!other.device_speeds(index).unwrap().measured);
            learn(&first);
            assert_eq!(is_learnt(&context()), [true, true]);
            let measured = first.calibrate_device(index, &first.measurer());
            assert_eq!(measured.problem, None);
            assert_eq!([is_learnt(&first), is_learnt(&context())], [[false, true]; 2]);
            // The other one still has estimates.
            learn(&other);
            assert_eq!(is_learnt(&context()), [false, true]);
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
