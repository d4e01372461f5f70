//! A [`Context`] owns everything that a solve needs, except its input.

mod calibration;
mod dispatch;
mod install;
mod lessons;
mod letters;
mod meeting;
mod opening;
mod pacer;
mod patience;
mod pool;
mod prewarm;
mod scale;
mod shares;
mod side_by_side;
mod slot;
mod speeds;
mod spot;
mod spread;
mod team;
mod trial;
mod tune;
mod tuning;
mod waiting;

use std::mem;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, Once, OnceLock};
use std::time::Instant;

use calibration::{Background, Knowledge, Running};
pub use calibration::{Calibration, DeviceCalibration};
use dispatch::Experience;
pub(crate) use dispatch::{Dispatch, ENDED_BEFORE_DEVICE, Forecast, Readiness};
pub(crate) use letters::Letters;
pub(crate) use meeting::{Meeting, Seat};
use opening::{Opening, OpeningTimes};
pub(crate) use pacer::{Pacer, Ration, Units};
use pool::{MAX_THREADS, Pools};
use prewarm::Warming;
pub use prewarm::{Prewarm, PrewarmProgress};
pub(crate) use scale::{Engines, Expected, Scale};
pub(crate) use shares::{rates, shares};
pub(crate) use side_by_side::{Failure, all_of, side_by_side};
use slot::Slot;
pub use speeds::ProcessorSpeeds;
pub(crate) use spot::{SpotChecks, check_sample, places, sample, wrong};
pub(crate) use spread::spread;
pub(crate) use team::Team;
pub(crate) use trial::{Crewing, EngineTrial};
pub use tune::{TuneOptions, Tuned, TunedFamily, TunedValue, TunedWork};
pub(crate) use waiting::Awaited;

use crate::opencl::{
    Cache, CacheLocation, Device, DeviceInfo, DeviceSpeeds, Discovery, FoundDevice, HostOpenCl,
    Tuning, discover,
};
use crate::solve::{Engine, Monitor, Sense, SolveOptions};
use crate::{Error, Log, Result, kernel_families, memory, signals};

/// Options of a [`Context`]. The default uses all cores, looks for a device when one may be faster,
/// keeps built kernels in the platform's cache folder and logs nothing.
#[derive(Debug, Clone, Default)]
pub struct ContextOptions {
    /// Default engine of solves.
    pub engine: Engine,
    /// Index of the device in [`Context::devices`]; `None` for the best that is no further device.
    /// A graphics processor is better than another accelerator, and that is better than a
    /// processor; a simulator comes last. Of several graphics processors, the one with the largest
    /// product of [`DeviceSpeeds::add_min_rate`] and [`DeviceSpeeds::global_rate`] is the best.
    pub device: Option<usize>,
    /// Indices of further devices, for long steps that can share their work among several: branch
    /// and bound, beam search, tabu search for the makespan of the flow shop and iterated greedy
    /// search for its other models; tables of interval programs and lattices; batches of small
    /// interval programs, lattices and knapsacks. Short work stays on the chosen device. A device
    /// that can't open, build its kernels or run is left out, with a
    /// [`Report::warning`](crate::Report::warning).
    pub further_devices: Vec<usize>,
    /// Threads of the CPU engine; `None` for one per core. Each of several concurrent solves has
    /// this many.
    pub threads: Option<usize>,
    /// Where to keep built kernels.
    pub cache: CacheLocation,
    /// Tuning rows as text, which take precedence over all others. The page "Tuning" of the book
    /// has the format.
    pub tuning: Option<String>,
    /// A file of tuning rows, which take precedence over all but those of [`Self::tuning`].
    pub tuning_file: Option<PathBuf>,
    /// Receiver of the log.
    pub log: Log,
    /// The host program's own OpenCL objects. [`Context::devices`] then has their device alone, and
    /// all commands use their queue.
    pub opencl: Option<HostOpenCl>,
    /// Called first on every pool thread, for instance to set its priority.
    pub on_thread_start: Option<fn()>,
}

/// Threads, devices, built kernels and the log of one user of the library.
///
/// Contexts share nothing with each other, except that launches on PoCL's processor take turns. A
/// time limit may then wait for the launch of another context. Several threads may solve with one
/// context at once, with equal shares of the processor. After `fork()`, the child process may only
/// drop its copy and create another. Dropping a context joins its threads; do not drop it inside a
/// callback of this context.
///
/// A device that fails and then does not even copy a number is lost. The next solve opens it again,
/// unless it was lost three times in a row without a step that succeeded.
pub struct Context {
    /// Dropped first, since its thread uses devices and threads.
    background: Background,
    /// The threads that build kernels ahead.
    warming: Mutex<Vec<Warming>>,
    engine: Engine,
    /// The process that created the context.
    process: u32,
    pools: Arc<Pools>,
    /// Guards the warning that not all threads start.
    warned: Once,
    /// Why rows of a file were not read.
    tuning_warnings: Vec<String>,
    log: Log,
    source: Arc<Source>,
    /// The threads that open devices ahead of their use, at most one for each device.
    openings: Mutex<Vec<Opening>>,
    /// Nanoseconds of steps on the CPU while no device was open.
    at_stake: AtomicU64,
    experience: Arc<Experience>,
    knowledge: Arc<Knowledge>,
}

/// The devices of a context, for its callers and for the threads that open them.
struct Source {
    /// The device that the options name.
    named_index: Option<usize>,
    /// Devices that the choice of the best one leaves out.
    further_indices: Vec<usize>,
    /// The chosen device, which stays the same.
    chosen_index: OnceLock<usize>,
    cache: Cache,
    tuning: Tuning,
    log: Log,
    discovery: OnceLock<(Vec<DeviceInfo>, Discovery)>,
    device: Slot,
    /// The further devices, in the order of their indices.
    further_devices: Vec<Slot>,
    opening_times: OpeningTimes,
}

/// OpenCL drivers abort when address space runs out, so they are opened only with this much left.
const DRIVER_BYTES: u64 = 1 << 30;

impl Context {
    /// Creates a context. [`Engine::Device`] opens the device here, so that a missing device is
    /// reported here.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a thread count of 0 or above 1024, a device listed twice, or
    /// faulty tuning rows;
    /// [`Error::DeviceUnavailable`] or [`Error::DeviceFailed`] if the engine is `Device` and no
    /// device works.
    pub fn new(options: ContextOptions) -> Result<Self> {
        if options.threads.is_some_and(|threads| threads == 0 || threads > MAX_THREADS) {
            return Err(Error::argument("threads", format!("must be from 1 to {MAX_THREADS}")));
        }
        check_distinct(options.device, &options.further_devices)?;
        let cache = Cache::new(&options.cache, options.log.clone());
        let tuning = tuning::collect(&options, &cache)?;
        let context = Context {
            background: Background::default(),
            warming: Mutex::default(),
            engine: options.engine,
            process: std::process::id(),
            pools: Arc::new(Pools::new(options.threads, options.on_thread_start)),
            warned: Once::new(),
            tuning_warnings: tuning.warnings,
            source: Arc::new(Source {
                named_index: options.device,
                further_devices: options.further_devices.iter().map(|_| Slot::default()).collect(),
                further_indices: options.further_devices,
                chosen_index: OnceLock::new(),
                tuning: tuning.rows,
                log: options.log.clone(),
                discovery: options
                    .opencl
                    .map(|host| listed(host.discovery(), &cache).into())
                    .unwrap_or_default(),
                cache,
                device: Slot::default(),
                opening_times: OpeningTimes::default(),
            }),
            log: options.log,
            openings: Mutex::default(),
            at_stake: AtomicU64::new(0),
            experience: Arc::default(),
            knowledge: Arc::default(),
        };
        if context.engine == Engine::Device {
            context.device()?;
        }
        Ok(context)
    }

    /// A context whose work the calling thread does.
    pub(crate) fn in_place() -> Result<Context> {
        let (engine, threads, cache) = (Engine::Cpu, Some(1), CacheLocation::Off);
        let mut context =
            Context::new(ContextOptions { engine, threads, cache, ..ContextOptions::default() })?;
        context.pools = Arc::new(Pools::new(Some(0), None));
        Ok(context)
    }

    /// The OpenCL devices of this machine, graphics cards first. The first call searches for them.
    pub fn devices(&self) -> &[DeviceInfo] {
        &self.discovery().0
    }

    /// Why [`Context::devices`] is empty or the chosen device did not open.
    pub fn device_problem(&self) -> Option<String> {
        if let Some(reason) = self.source.device.problem() {
            return Some(reason);
        }
        match self.device_info().map_err(|error| *error) {
            Err(Error::DeviceUnavailable(reason)) => Some(reason),
            _ => self.discovery().1.reason.clone(),
        }
    }

    /// A context with one CPU thread, for self-tests of kernels and other tests.
    pub(crate) fn of_one_thread() -> Result<Context> {
        let options =
            ContextOptions { engine: Engine::Cpu, threads: Some(1), ..ContextOptions::default() };
        Context::new(options)
    }

    /// A context with the CPU engine on all cores, for workloads of kernels.
    pub(crate) fn of_all_threads() -> Result<Context> {
        Context::new(ContextOptions { engine: Engine::Cpu, ..ContextOptions::default() })
    }

    /// Number of threads of the CPU engine. They start when first needed. If the system does not
    /// start all of them, it is the number of those that started, or 1 if the calling thread does
    /// the work.
    pub fn threads(&self) -> usize {
        self.pools.threads()
    }

    /// Starts a solve.
    pub(crate) fn watch(&self, sense: Sense, options: &SolveOptions) -> Result<Monitor> {
        self.check_process()?;
        Ok(Monitor::start(sense, options).logging(self.log.clone()))
    }

    /// Refuses a process that inherited the context by `fork()`: it has neither the threads nor the
    /// drivers' state.
    pub(crate) fn check_process(&self) -> Result<()> {
        if self.is_inherited() {
            let reason = "belongs to the parent process, make a new one after fork()";
            return Err(Error::argument("context", reason));
        }
        Ok(())
    }

    /// Whether the context was created before a `fork()`, in another process.
    pub(crate) fn is_inherited(&self) -> bool {
        std::process::id() != self.process
    }

    pub(crate) fn log(&self) -> &Log {
        &self.log
    }

    /// Whether a solve with this engine option requires the device, so that work without kernels is
    /// an error.
    pub(crate) fn wants_device(&self, engine: Option<Engine>) -> bool {
        engine.unwrap_or(self.engine) == Engine::Device
    }

    /// Starts the engine choice of one solve.
    pub(crate) fn dispatch(&self, engine: Option<Engine>) -> Result<Dispatch<'_>> {
        Dispatch::new(self, engine.unwrap_or(self.engine))
    }

    fn discovery(&self) -> &(Vec<DeviceInfo>, Discovery) {
        self.source.discovery()
    }

    /// How fast a device of [`Context::devices`] is, as measured by [`Context::calibrate`] in this
    /// or an earlier process; otherwise an estimate from its description.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`] if there is no such device.
    pub fn device_speeds(&self, index: usize) -> Result<DeviceSpeeds> {
        Ok(self.source.found(index)?.speeds())
    }

    /// Why [`Engine::Auto`] uses a device of [`Context::devices`] only for steps that the CPU can't
    /// run; `None` if it uses the device where that is expected to be faster.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`] if there is no such device.
    pub fn barred_from_auto(&self, index: usize) -> Result<Option<&'static str>> {
        Ok(self.source.found(index)?.barred_from_auto())
    }

    /// The values of all tunables on a device of [`Context::devices`], as tuning rows for this
    /// device.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`] if there is no such device.
    pub fn tuning(&self, index: usize) -> Result<String> {
        let families: Vec<_> = kernel_families::all().collect();
        Ok(self.source.tuning.shown(&families, self.info_of(index)?))
    }

    /// The index in [`Context::devices`] of the device that solves use if they need only one; `None`
    /// without a device.
    pub fn chosen_device_index(&self) -> Option<usize> {
        self.device_info().ok().map(|info| info.index)
    }

    /// Facts about the chosen device, before it is opened.
    pub(crate) fn device_info(&self) -> Result<&DeviceInfo> {
        self.source.found_device().map(|found| &found.info)
    }

    /// How fast the chosen device is.
    pub(crate) fn chosen_speeds(&self) -> Result<DeviceSpeeds> {
        Ok(self.source.found_device()?.speeds())
    }

    /// The chosen device, before it is opened.
    fn found_device(&self) -> Result<&FoundDevice> {
        self.source.found_device()
    }

    fn info_of(&self, index: usize) -> Result<&DeviceInfo> {
        self.source.found(index).map(|found| &found.info)
    }

    /// The chosen device, opened on first use and after a loss.
    fn device(&self) -> Result<Arc<Device>> {
        self.source.device()
    }

    /// Closes the chosen device if the failure of `device`, a view of it, means that it is lost.
    fn close_if_lost(&self, device: &Device, failure: &Error) {
        if self.source.device.close_if_lost(device, &failure.to_string()) {
            self.log.warn(|| format!("{} is lost", device.info().name));
        }
    }

    /// The chosen device, for tests that make it fail or return wrong numbers.
    #[cfg(test)]
    pub(crate) fn chosen_device(&self) -> Arc<Device> {
        self.device().unwrap_or_else(|error| panic!("{error}"))
    }

    /// A context that takes the device with this index for one of another kind.
    #[cfg(test)]
    pub(crate) fn pretending(index: usize, kind: crate::DeviceKind, threads: usize) -> Context {
        Context::pretending_with_log(index, kind, threads, Log::default())
    }

    #[cfg(test)]
    pub(crate) fn pretending_with_log(
        index: usize,
        kind: crate::DeviceKind,
        threads: usize,
        log: Log,
    ) -> Context {
        let mut found = discover();
        found.devices[index].info.kind = kind;
        let options = ContextOptions {
            device: Some(index),
            threads: Some(threads),
            cache: CacheLocation::Off,
            // PoCL compiles the unrolled code of graphics cards for minutes.
            tuning: Some("makespan tuning 1\nflow_shop_search kind gpu UNROLL 1".into()),
            log,
            ..ContextOptions::default()
        };
        let context = Context::new(options).unwrap();
        assert!(context.source.discovery.set(listed(found, &context.source.cache)).is_ok());
        context
    }

    /// Whether further devices share the work of the chosen one.
    pub(crate) fn has_further_devices(&self) -> bool {
        !self.source.further_indices.is_empty()
    }

    /// The further devices, without the chosen one, for one solve.
    pub(crate) fn team(&self, monitor: &Monitor) -> Team<'_> {
        Team::new(self, monitor)
    }
}

impl Source {
    fn discovery(&self) -> &(Vec<DeviceInfo>, Discovery) {
        self.discovery.get_or_init(|| {
            let start = Instant::now();
            let discovery = match memory::address_space() {
                Some(left) if left < DRIVER_BYTES => Discovery::none(format!(
                    "OpenCL drivers take more than the {left} bytes of address space that are left"
                )),
                _ => signals::blocked(discover),
            };
            let seconds = start.elapsed().as_secs_f64();
            self.opening_times.note_search(seconds);
            self.log.debug(|| {
                let (count, milliseconds) = (discovery.devices.len(), seconds * 1e3);
                format!("found {count} OpenCL devices in {milliseconds:.1} ms")
            });
            listed(discovery, &self.cache)
        })
    }

    fn found_device(&self) -> Result<&FoundDevice> {
        self.found(self.device_index())
    }

    /// The index of the chosen device; none has it if there is no device to choose.
    fn device_index(&self) -> usize {
        *self.chosen_index.get_or_init(|| {
            let best = || {
                let found = &self.discovery().1;
                found.best(&self.further_indices).unwrap_or(found.devices.len())
            };
            self.named_index.unwrap_or_else(best)
        })
    }

    fn found(&self, index: usize) -> Result<&FoundDevice> {
        let discovery = &self.discovery().1;
        discovery.devices.get(index).ok_or_else(|| {
            let none = || format!("there is no device {index}, only {}", discovery.devices.len());
            Error::device_unavailable(discovery.reason.clone().unwrap_or_else(none))
        })
    }

    fn device(&self) -> Result<Arc<Device>> {
        self.device.get(|| self.open_device(self.device_index()))
    }

    /// The further device at a place of the list, opened on first use and after a loss.
    fn further_device(&self, place: usize) -> Result<Arc<Device>> {
        self.further_devices[place].get(|| self.open_device(self.further_indices[place]))
    }

    fn open_device(&self, index: usize) -> Result<Device> {
        let found = self.found(index)?.clone();
        let (cache, tuning, log) = (self.cache.clone(), self.tuning.clone(), self.log.clone());
        let start = Instant::now();
        let device = signals::blocked(|| Device::open(found, cache, tuning, log))?;
        let seconds = start.elapsed().as_secs_f64();
        self.opening_times.note_opening(seconds);
        self.log.debug(|| {
            let milliseconds = seconds * 1e3;
            format!("opening device {index} took {milliseconds:.1} ms")
        });
        self.log.info(|| format!("opened device {index}: {}", device.info().name));
        Ok(device)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.is_inherited() {
            // The child process has no such threads: joining them would never return, and a driver
            // might wait for its own threads in the same way.
            mem::forget(mem::take(&mut self.background));
            mem::forget(mem::take(&mut self.warming));
            mem::forget(mem::replace(&mut self.pools, Arc::new(Pools::new(Some(0), None))));
            mem::forget(Arc::clone(&self.source));
            mem::forget(mem::take(&mut self.openings));
        }
    }
}

/// The descriptions of the devices, and the discovery with the speeds that the cache has of them.
fn listed(discovery: Discovery, cache: &Cache) -> (Vec<DeviceInfo>, Discovery) {
    discovery.devices.iter().for_each(|device| device.recall(cache));
    (discovery.devices.iter().map(|device| device.info.clone()).collect(), discovery)
}

/// Refuses a device listed twice: a search would share its work with itself.
fn check_distinct(first: Option<usize>, further: &[usize]) -> Result<()> {
    let is_named_before =
        |position: usize, index| Some(index) == first || further[..position].contains(&index);
    match further.iter().enumerate().find(|&(position, &index)| is_named_before(position, index)) {
        None => Ok(()),
        Some((position, index)) => Err(Error::element(
            "further_devices",
            position,
            format!("device {index} is named twice"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Report;
    use crate::testing::assert_error;

    fn with_devices(device: Option<usize>, further_devices: &[usize]) -> Result<Context> {
        let further_devices = further_devices.to_vec();
        Context::new(ContextOptions { device, further_devices, ..ContextOptions::default() })
    }

    #[test]
    fn a_further_device_that_does_not_exist_takes_no_part() {
        let monitor = Monitor::new(&SolveOptions::default());
        assert!(with_devices(None, &[]).unwrap().team(&monitor).able().is_empty());
        let context = with_devices(None, &[999]).unwrap();
        let team = context.team(&monitor);
        assert!(team.able().is_empty());
        let mut dispatch = context.dispatch(None).unwrap();
        dispatch.shared_with(team);
        let mut report = Report::default();
        dispatch.finish(&monitor, &mut report);
        let warning = report.warning.unwrap();
        assert!(warning.starts_with("device 999 took no part: no OpenCL device: "), "{warning}");
    }

    #[test]
    fn a_device_that_is_named_twice_is_refused() {
        for (device, further, position, index) in
            [(None, &[1, 1][..], 1, 1), (Some(2), &[2], 0, 2), (Some(0), &[2, 1, 2], 2, 2)]
        {
            let refused = with_devices(device, further).err().unwrap().to_string();
            assert_eq!(
                refused,
                format!("further_devices[{position}]: device {index} is named twice")
            );
        }
        assert!(with_devices(Some(1), &[0, 2]).is_ok());
    }

    #[test]
    fn a_further_device_is_not_chosen() {
        let count = discover().devices.len();
        let all: Vec<usize> = (0..count).collect();
        let refused = with_devices(None, &all).unwrap().device_info().map(|info| info.index);
        assert_error!(refused, Error::DeviceUnavailable(_));
        for index in all {
            assert_eq!(with_devices(Some(index), &[]).unwrap().device_info().unwrap().index, index);
        }
    }
}
