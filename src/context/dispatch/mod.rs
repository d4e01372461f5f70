mod experience;
mod forecast;
mod reason;

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use experience::ratio_name;
pub(super) use experience::{Experience, Place, is_ratio};
pub(crate) use forecast::Forecast;
use reason::{Likely, Reason};

use super::patience::Watching;
use super::{Context, Crewing, EngineTrial, Running, Team};
use crate::opencl::{Build, Device, FoundDevice, Patience, Waited};
use crate::solve::{Engine, Monitor, Report};
use crate::{Error, LogLevel, Result};

/// The warning of a solve that was to use a device, and ended earlier.
pub(crate) const ENDED_BEFORE_DEVICE: &str = "the solve ended before the device took part";
/// Time that finding and opening a device may take, depending on the driver. With less time left,
/// the CPU does the work.
pub(super) const OPENING: Duration = Duration::from_millis(500);
/// Seconds that any work takes at least on a device.
pub(super) const LEAST_ON_DEVICE: f64 = 5e-5;
/// An earlier process may have expected a device to take `MUCH_SLOWER` times as long as the CPU. Then
/// a device is looked for only if it could save `RELUCTANCE` times its opening. Another device may
/// have taken its place.
const MUCH_SLOWER: f64 = 3.0;
const RELUCTANCE: f64 = 8.0;

/// Whether a device can take part in a long search.
#[derive(Debug, Clone)]
pub(crate) enum Readiness {
    /// Not in this solve.
    Never,
    /// Not as long as the search is short.
    Later,
    /// A thread opens it, and sets this at the end.
    Opening(Arc<AtomicBool>),
    Ready,
}

/// A step on an engine, without the type of its result.
type Step<'a, E> = dyn FnMut(&E) -> Result<()> + 'a;

/// The engine of a step.
struct Choice {
    /// `None` for the CPU.
    device: Option<Arc<Device>>,
    /// What the cost model expects of this engine, if that was asked.
    expected: Option<f64>,
    reason: Reason,
}

/// Chooses the engine for the heavy steps of one solve and remembers the choice.
///
/// After one failure the solve no longer uses the device.
pub(crate) struct Dispatch<'c> {
    context: &'c Context,
    engine: Engine,
    device: Option<String>,
    /// Names of the further devices that took part.
    further_devices: Vec<String>,
    /// Whether a step could share its work among several devices.
    shared: bool,
    fallback: Option<String>,
    /// Why the method can't use a device in this solve.
    barred: Option<String>,
    warnings: Vec<String>,
    /// Whether a step ended without the kernels it waited for.
    waited_in_vain: bool,
    /// The program that a step of [`Engine::Auto`] did not wait for.
    awaited: Option<Arc<Build>>,
    /// Whether later steps of the solve depend on the results of earlier ones.
    in_chain: bool,
    setup_seconds: f64,
    /// The choice last logged.
    logged: Option<String>,
    /// Counts the solve in its context as long as it lives.
    _running: Running,
}

impl<'c> Dispatch<'c> {
    pub(super) fn new(context: &'c Context, engine: Engine) -> Result<Self> {
        let mut dispatch = Dispatch {
            context,
            engine,
            device: None,
            further_devices: Vec::new(),
            shared: false,
            fallback: None,
            barred: None,
            warnings: Vec::new(),
            waited_in_vain: false,
            awaited: None,
            in_chain: false,
            setup_seconds: 0.0,
            logged: None,
            _running: context.background.count(),
        };
        if engine == Engine::Device {
            dispatch.open()?;
        }
        Ok(dispatch)
    }

    pub(crate) fn context(&self) -> &'c Context {
        self.context
    }

    /// Whether the steps must run on a device.
    pub(crate) fn wants_device(&self) -> bool {
        self.engine == Engine::Device
    }

    /// An expected time on the CPU, corrected by what the context has learnt of the cost model.
    pub(crate) fn on_cpu(&self, model: &str, seconds: f64) -> f64 {
        seconds * self.context.learnt_factor(model, Place::Cpu, seconds)
    }

    /// Whether a step is expected to end within a time on the CPU or on the chosen device, which
    /// may have to be opened first. A device that is not known is looked for only if it can be.
    pub(crate) fn ends_within(
        &mut self,
        monitor: &Monitor,
        forecast: &Forecast<'_>,
        seconds: f64,
    ) -> bool {
        let on_cpu = self.on_cpu(forecast.model, (forecast.cpu)());
        if on_cpu <= seconds || !self.is_auto() || self.has_fallen_back() {
            return on_cpu <= seconds;
        }
        let context = self.context;
        let (opening, is_open) = (context.opening_seconds(), context.knows_device());
        let look = opening * self.reluctance(forecast.model, on_cpu);
        if !is_open && (look > seconds || monitor.ends_within(OPENING)) {
            return false;
        }
        let Ok(found) = self.find() else { return false };
        let place = Place::Device(found.info.index);
        let on_device = (forecast.device)(&found.info, &found.speeds());
        let factor = context.learnt_factor(forecast.model_at(place), place, on_device);
        let on_device = if found.may_be_fast() { on_device * factor } else { f64::INFINITY };
        if is_open {
            return on_device <= seconds;
        }
        self.learn_ratio(forecast, on_cpu, on_device);
        opening + on_device <= seconds
    }

    /// Whether a device ran any step.
    pub(crate) fn used_device(&self) -> bool {
        self.device.is_some()
    }

    /// Runs a step on the requested engine. For [`Engine::Auto`] the forecast decides. Its first
    /// half needs no device, so that small problems never pay for opening one.
    ///
    /// While kernels are being built, [`Engine::Auto`] runs the step on the CPU, with a monitor
    /// that ends it once they are ready. A step that then returns [`Error::Stopped`] runs again on
    /// the device. A step that does not check the monitor finishes on the CPU, and the next step
    /// asks again. If the build fails, the CPU runs the remaining steps: another request would
    /// build the program again.
    pub(crate) fn run<T>(
        &mut self,
        monitor: &Monitor,
        forecast: &Forecast<'_>,
        on_device: impl FnMut(&Device) -> Result<T>,
        on_cpu: impl FnMut(&Monitor) -> Result<T>,
    ) -> Result<T> {
        self.run_with(None, monitor, forecast, on_device, on_cpu)
    }

    /// Like [`Dispatch::run`], for a step in which a team may work with the chosen device. The
    /// cost model describes one device: it learns nothing from a step of several.
    pub(crate) fn run_with<T>(
        &mut self,
        team: Option<&Team<'_>>,
        monitor: &Monitor,
        forecast: &Forecast<'_>,
        mut on_device: impl FnMut(&Device) -> Result<T>,
        mut on_cpu: impl FnMut(&Monitor) -> Result<T>,
    ) -> Result<T> {
        let found = Cell::new(None);
        let keep = |value| found.set(Some(value));
        self.run_step(
            team,
            monitor,
            forecast,
            &mut |device| on_device(device).map(keep),
            &mut |monitor| on_cpu(monitor).map(keep),
        )?;
        found.into_inner().ok_or_else(|| Error::internal("a step ended without a result"))
    }

    /// [`Dispatch::run_with`], compiled once for all types of results.
    fn run_step(
        &mut self,
        team: Option<&Team<'_>>,
        monitor: &Monitor,
        forecast: &Forecast<'_>,
        on_device: &mut Step<'_, Device>,
        on_cpu: &mut Step<'_, Monitor>,
    ) -> Result<()> {
        self.give_up_failed_build();
        let Some(Choice { device, expected, reason }) = self.choose(monitor, forecast) else {
            return on_cpu(monitor);
        };
        self.log_choice(device.as_deref(), forecast.model, reason);
        let expected = expected.filter(|_| forecast.learns && !self.context.pools.is_inside());
        let lesson = Lesson { context: self.context, forecast, expected, monitor };
        let Some(device) = device else {
            let start = Instant::now();
            let result = on_cpu(monitor);
            lesson.learn(Place::Cpu, start.elapsed(), &result);
            return result;
        };
        let is_auto = self.engine == Engine::Auto;
        let (mut result, mut ran) = match is_auto {
            true => self.run_on(&device, Hurry, on_device),
            false => self.run_on(&device, Watching(monitor.clone()), on_device),
        };
        if let Some(build) = ran.unready.take_if(|_| is_auto) {
            self.awaited = Some(Arc::clone(&build));
            let meanwhile = monitor.until(move || build.is_done());
            let found = on_cpu(&meanwhile);
            monitor.join(&meanwhile);
            self.give_up_failed_build();
            match found {
                Err(error) if matches!(*error, Error::Stopped) && meanwhile.is_relieved() => {}
                // The CPU can't run this step, so it waits for the device.
                Err(error) if matches!(*error, Error::Unsupported(_)) => {}
                found => return found,
            }
            if self.has_fallen_back() {
                return on_cpu(monitor);
            }
            (result, ran) = self.run_on(&device, Watching(monitor.clone()), on_device);
        }
        if !team.is_some_and(Team::has_worked) {
            lesson.learn(Place::Device(device.info().index), ran.time, &result);
        }
        if let Some(build) = ran.unready {
            self.waited_in_vain = true;
            self.warn(format!("the kernels {} were not ready before the end", build.family()));
        }
        match result {
            Err(error) if is_auto && may_run_on_cpu(&error) => {
                self.fall_back(error.to_string());
                let wrong = matches!(*error, Error::DeviceWrong(_));
                if wrong && self.in_chain && self.device.take().is_some() {
                    Err(error)
                } else {
                    on_cpu(monitor)
                }
            }
            result => result,
        }
    }

    /// Declares that later steps depend on earlier ones. If a device is found wrong after it ran
    /// some, [`Dispatch::run`] returns the error, and the solve must restart if
    /// [`Dispatch::has_fallen_back`].
    pub(crate) fn chain_steps(&mut self) {
        self.in_chain = true;
    }

    /// Whether the CPU runs the remaining steps.
    pub(crate) fn has_fallen_back(&self) -> bool {
        self.fallback.is_some()
    }

    /// Runs all steps on the CPU for a reason of the method. The report gives it as the fallback if
    /// a step would otherwise have used a device.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if a device was requested.
    pub(crate) fn cpu_only(&mut self, reason: &str) -> Result<()> {
        if self.engine == Engine::Device {
            return Err(Error::unsupported(reason));
        }
        self.barred = Some(reason.to_owned());
        Ok(())
    }

    /// Records the devices that worked with the chosen one.
    pub(crate) fn shared_with(&mut self, team: Team<'_>) {
        self.shared = true;
        let (names, warnings) = team.into_record();
        // Of several steps, the one with the most devices counts.
        if names.len() > self.further_devices.len() {
            self.further_devices = names;
        }
        self.warnings.extend(warnings);
    }

    /// Records a problem that does not end the solve, once.
    pub(crate) fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.context.log.warn(|| warning.clone());
            self.warnings.push(warning);
        }
    }

    /// Seconds that devices could have saved in earlier steps of the context, at best. Adds a step
    /// of `cpu_seconds` on the CPU, where opening a device takes `opening` seconds.
    fn saved_before(&self, cpu_seconds: f64, opening: f64) -> f64 {
        // The value of a long step is capped: alone it justifies a look, and its nanoseconds might
        // not fit.
        let most = RELUCTANCE * opening;
        let at_stake = (cpu_seconds - LEAST_ON_DEVICE).clamp(0.0, most) * 1e9;
        self.context.at_stake.fetch_add(at_stake as u64, Ordering::Relaxed) as f64 / 1e9
    }

    /// How many times as much as its opening a device must be able to save before it is looked for.
    fn reluctance(&self, model: &str, cpu_seconds: f64) -> f64 {
        let context = self.context;
        // What is found already costs nothing.
        if context.source.discovery.get().is_some() {
            return 1.0;
        }
        let ratio = context.experience.factor(&self.ratio_name(model), Place::Cpu, cpu_seconds);
        if ratio >= MUCH_SLOWER { RELUCTANCE } else { 1.0 }
    }

    /// Keeps the ratio of the expected times for later processes.
    fn learn_ratio(&self, forecast: &Forecast<'_>, cpu_seconds: f64, device_seconds: f64) {
        if forecast.learns {
            let name = self.ratio_name(forecast.model);
            self.context.experience.learn(&name, Place::Cpu, cpu_seconds, device_seconds);
        }
    }

    /// The name of the ratio between the expected times of the context's device and of the CPU.
    fn ratio_name(&self, model: &str) -> String {
        ratio_name(model, self.context.source.named_index)
    }

    /// Whether a device can take part in a search that works in slices. Once the search is long,
    /// the device is opened on another thread, while the CPU works.
    pub(crate) fn readiness(&self, monitor: &Monitor, is_long: bool) -> Readiness {
        let context = self.context;
        let asks_at_once = self.barred.is_some();
        match self.engine {
            Engine::Cpu => Readiness::Never,
            Engine::Device => Readiness::Ready,
            Engine::Auto if self.fallback.is_some() => Readiness::Never,
            Engine::Auto if context.knows_device() => self.ready(),
            Engine::Auto if !is_long => Readiness::Later,
            // Finding a device is enough to give the reason why it takes no part.
            Engine::Auto if asks_at_once => self.ready(),
            Engine::Auto if monitor.ends_within(OPENING) => Readiness::Later,
            Engine::Auto => {
                let opening = context.open_ahead();
                match opening.load(Ordering::Acquire) {
                    true => self.ready(),
                    false => Readiness::Opening(opening),
                }
            }
        }
    }

    fn ready(&self) -> Readiness {
        match self.context.device_may_be_fast() {
            true => Readiness::Ready,
            false => Readiness::Never,
        }
    }

    /// Logs how long each engine worked in a search in which both did.
    pub(crate) fn log_turns(&self, search: &str, trial: &EngineTrial) {
        let [cpu, device] = [Crewing::Cpu, Crewing::Device].map(|side| trial.seconds(side));
        if cpu.min(device) > 0.0 {
            let turns = || format!("{search}: {cpu:.3} s on the CPU, {device:.3} s on the device");
            self.context.log.info(turns);
        }
    }

    /// Whether the engine of each step is chosen.
    pub(crate) fn is_auto(&self) -> bool {
        self.engine == Engine::Auto
    }

    /// Fills in the report: device, fallback, warnings and times.
    pub(crate) fn finish(mut self, monitor: &Monitor, report: &mut Report) {
        self.give_up_failed_build();
        if self.context.has_further_devices() && self.device.is_some() && !self.shared {
            let warning = "further devices took no part: they share branch and bound, beam search, \
                tabu search for the makespan of the flow shop and iterated greedy search for other \
                models, tables of interval programs and lattices, and batches of small interval \
                programs, lattices and knapsacks";
            self.warn(warning.into());
        }
        if self.device.is_some() {
            // The context has logged them.
            self.warnings.extend(self.context.tuning_warnings.iter().cloned());
        }
        let is_cut_short = monitor.interrupted();
        if is_cut_short
            && self.engine == Engine::Device
            && self.device.is_none()
            && !self.waited_in_vain
        {
            self.warn(ENDED_BEFORE_DEVICE.into());
        }
        self.context.calibrate_after(monitor.elapsed(), self.device.is_some());
        let further = self.further_devices;
        report.device =
            self.device.map(|name| further.iter().fold(name, |all, name| format!("{all}, {name}")));
        report.fallback = self.fallback;
        report.warning = (!self.warnings.is_empty()).then(|| self.warnings.join("; "));
        report.interrupted = is_cut_short;
        report.setup_seconds = self.setup_seconds;
        report.seconds = (monitor.elapsed().as_secs_f64() - self.setup_seconds).max(0.0);
        self.context.keep_lessons(monitor.elapsed());
    }

    /// `None` if the solve has left the device.
    fn choose(&mut self, monitor: &Monitor, forecast: &Forecast<'_>) -> Option<Choice> {
        let asked = |device| Choice { device, expected: None, reason: Reason::Asked };
        match self.engine {
            Engine::Cpu => Some(asked(None)),
            Engine::Device => Some(asked(self.open().ok())),
            Engine::Auto if self.fallback.is_some() => None,
            Engine::Auto => self.weigh(monitor, forecast),
        }
    }

    /// Chooses the engine that is expected to be faster. A device that is not open yet must save as
    /// much as its opening costs, in this step alone or together with all earlier steps of the
    /// context. So a short solve never pays for opening a device, but a long series of short solves
    /// gets one. The rule is that of the ski rental problem: stop renting once it has cost as much
    /// as buying.
    fn weigh(&mut self, monitor: &Monitor, forecast: &Forecast<'_>) -> Option<Choice> {
        let context = self.context;
        let is_open = context.knows_device();
        let likely = |seconds, place| {
            let factor = context.learnt_factor(forecast.model_at(place), place, seconds);
            Likely { seconds: seconds * factor, factor }
        };
        let expected = (forecast.cpu)();
        let cpu = likely(expected, Place::Cpu);
        let on_cpu = |reason| Some(Choice { device: None, expected: Some(expected), reason });
        let (opening, saved) = match is_open {
            true => (0.0, f64::INFINITY),
            false => {
                let opening = context.opening_seconds();
                (opening, self.saved_before(cpu.seconds, opening))
            }
        };
        // A tiny step does not look at all, however much is at stake: the look takes longer, and so
        // does any device.
        let is_tiny = cpu.seconds <= LEAST_ON_DEVICE;
        let promised = saved + cpu.seconds - LEAST_ON_DEVICE;
        let is_little = promised < opening
            || !is_open && promised < opening * self.reluctance(forecast.model, cpu.seconds);
        if is_tiny || is_little {
            return on_cpu(Reason::Little { cpu });
        }
        if !is_open && monitor.ends_within(OPENING) {
            return on_cpu(Reason::NoTime);
        }
        let found = match self.find() {
            Ok(found) => found,
            Err(error) => {
                if self.barred.is_none() {
                    self.fall_back(error.to_string());
                }
                return None;
            }
        };
        // Any device will do for a step that the CPU can't run.
        let seconds = match found.may_be_fast() || expected.is_infinite() {
            true => (forecast.device)(&found.info, &found.speeds()),
            false => {
                self.learn_ratio(forecast, cpu.seconds, f64::INFINITY);
                return on_cpu(Reason::Unsuited);
            }
        };
        let device = likely(seconds, Place::Device(found.info.index));
        if !is_open {
            self.learn_ratio(forecast, cpu.seconds, device.seconds);
        }
        let reason = Reason::Weighed { cpu, device };
        let gain = cpu.seconds - device.seconds;
        // The gain of two infinite times is no number.
        if !(gain > 0.0 && saved + gain >= opening) {
            return on_cpu(reason);
        }
        let opened = match self.barred.clone() {
            None => self.open().map_err(|error| error.to_string()),
            Some(reason) => Err(reason),
        };
        match opened {
            Ok(device) => Some(Choice { device: Some(device), expected: Some(seconds), reason }),
            Err(reason) => {
                self.fall_back(reason);
                None
            }
        }
    }

    /// Logs a change of engine, with the reason.
    fn log_choice(&mut self, device: Option<&Device>, model: &str, reason: Reason) {
        // A fallback has logged its reason already. The many parts of a batch, on the pool's
        // threads, log nothing.
        let log = &self.context.log;
        if self.fallback.is_some() || !log.hears(LogLevel::Info) || self.context.pools.is_inside() {
            return;
        }
        let name = device.map_or("CPU", |device| &device.info().name);
        let choice = format!("engine {name} for {model}");
        if self.logged.as_ref() != Some(&choice) {
            log.info(|| format!("{choice}: {reason}"));
            self.logged = Some(choice);
        }
    }

    /// The device to choose, which the first call looks for.
    fn find(&mut self) -> Result<&'c FoundDevice> {
        let start = Instant::now();
        let found = self.context.found_device();
        self.setup_seconds += start.elapsed().as_secs_f64();
        found
    }

    fn open(&mut self) -> Result<Arc<Device>> {
        let start = Instant::now();
        let device = self.context.device();
        self.setup_seconds += start.elapsed().as_secs_f64();
        device
    }

    /// Runs the step on the device.
    fn run_on(
        &mut self,
        device: &Device,
        patience: impl Patience + 'static,
        step: &mut Step<'_, Device>,
    ) -> (Result<()>, Ran) {
        let (device, start) = (device.for_step(patience), Instant::now());
        let result = step(&device).map_err(|error| error.on_device());
        let (whole, Waited { time, missing }) = (start.elapsed(), device.waited());
        self.setup_seconds += time.as_secs_f64();
        let is_stopped = matches!(result.as_ref().err().map(Box::as_ref), Some(Error::Stopped));
        let unready = missing.filter(|_| is_stopped);
        if (result.is_ok() || is_stopped) && unready.is_none() {
            self.device = Some(device.info().name.clone());
        }
        match result.as_ref().map_err(Box::as_ref) {
            Ok(()) => self.context.source.device.worked(),
            Err(failure @ Error::DeviceFailed(_)) => self.context.close_if_lost(&device, failure),
            Err(_) => {}
        }
        (result, Ran { time: whole.saturating_sub(time), unready })
    }

    /// Falls back to the CPU if the awaited program has failed.
    fn give_up_failed_build(&mut self) {
        let failure = self.awaited.as_deref().and_then(Build::failure).map(str::to_owned);
        if let Some(reason) = failure.filter(|_| self.fallback.is_none()) {
            let failure = Error::device_failed(reason);
            if let Ok(device) = self.context.device() {
                self.context.close_if_lost(&device, &failure);
            }
            self.fall_back(failure.to_string());
        }
    }

    fn fall_back(&mut self, reason: String) {
        self.context.log.warn(|| format!("falling back to the CPU: {reason}"));
        self.fallback = Some(reason);
    }
}

/// How a step on a device went.
struct Ran {
    /// Without the wait for programs.
    time: Duration,
    /// The program that the step gave up waiting for.
    unready: Option<Arc<Build>>,
}

/// Whether the CPU may succeed where the device has not: it fails, or has no kernel for the step.
fn may_run_on_cpu(error: &Error) -> bool {
    error.is_device_failure() || matches!(error, Error::Unsupported(_))
}

/// What the time of a step shows about the cost model.
struct Lesson<'a> {
    context: &'a Context,
    forecast: &'a Forecast<'a>,
    expected: Option<f64>,
    monitor: &'a Monitor,
}

impl Lesson<'_> {
    /// Learns from a step that was completed.
    fn learn(&self, place: Place, measured: Duration, result: &Result<()>) {
        let Some(expected) = self.expected.filter(|_| result.is_ok()) else { return };
        if !self.monitor.interrupted() {
            let seconds = measured.as_secs_f64();
            let model = self.forecast.model_at(place);
            self.context.experience.learn(model, place, expected, seconds);
            self.context.log.debug(|| {
                format!("{model} took {seconds:.6} s, and {expected:.6} s by its cost model")
            });
        }
    }
}

/// Patience that waits for no program.
struct Hurry;

impl Patience for Hurry {
    fn lasts(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
