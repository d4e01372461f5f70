use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::patience::Watching;
use super::{Context, Team};
use crate::opencl::{Build, Device, DeviceInfo, Patience, Waited};
use crate::solve::{Engine, Monitor, Report};
use crate::{Error, LogLevel, Result};

/// The warning of a solve that was to use a device, and ended earlier.
pub(crate) const ENDED_BEFORE_DEVICE: &str = "the solve ended before the device took part";
/// Seconds that finding and opening a device takes at least.
const WORTH_A_LOOK: f64 = 0.05;
/// Time that finding and opening a device may take, depending on the driver. With less time left,
/// the CPU does the work.
const OPENING: Duration = Duration::from_millis(500);
/// Seconds that any work takes at least on a device.
const LEAST_ON_DEVICE: f64 = 5e-5;

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
    /// Whether later steps of the solve depend on the results of earlier ones.
    in_chain: bool,
    setup_seconds: f64,
    /// The choice last logged.
    logged: Option<String>,
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
            in_chain: false,
            setup_seconds: 0.0,
            logged: None,
        };
        if engine == Engine::Device {
            dispatch.open()?;
        }
        Ok(dispatch)
    }

    pub(crate) fn context(&self) -> &'c Context {
        self.context
    }

    /// Whether a device ran any step.
    pub(crate) fn used_device(&self) -> bool {
        self.device.is_some()
    }

    /// Runs a step on the requested engine. For [`Engine::Auto`], `worth` asks the cost model
    /// whether the step would be faster on that device. `promising` is a cheap preliminary answer
    /// that needs no device, so that small problems never pay for opening one.
    ///
    /// While kernels are being built, [`Engine::Auto`] runs the step on the CPU, with a monitor
    /// that ends it once they are ready. A step that then returns [`Error::Stopped`] runs again on
    /// the device. A step that does not check the monitor finishes on the CPU, and the next step
    /// asks again.
    pub(crate) fn run<T>(
        &mut self,
        monitor: &Monitor,
        promising: bool,
        worth: impl FnOnce(&DeviceInfo) -> bool,
        mut on_device: impl FnMut(&Device) -> Result<T>,
        mut on_cpu: impl FnMut(&Monitor) -> Result<T>,
    ) -> Result<T> {
        let Some(device) = self.choose(monitor, promising, worth) else { return on_cpu(monitor) };
        let is_auto = self.engine == Engine::Auto;
        let (mut result, mut unready) = match is_auto {
            true => self.run_on(device, Hurry, &mut on_device),
            false => self.run_on(device, Watching(monitor.clone()), &mut on_device),
        };
        if let Some(build) = unready.take_if(|_| is_auto) {
            let meanwhile = monitor.until(move || build.is_done());
            let found = on_cpu(&meanwhile);
            monitor.join(&meanwhile);
            match found {
                Err(error) if matches!(*error, Error::Stopped) && meanwhile.is_relieved() => {}
                // The CPU can't run this step, so it waits for the device.
                Err(error) if matches!(*error, Error::Unsupported(_)) => {}
                found => return found,
            }
            (result, unready) = self.run_on(device, Watching(monitor.clone()), &mut on_device);
        }
        if let Some(build) = unready {
            self.waited_in_vain = true;
            self.warn(format!("the kernels {} were not ready before the end", build.family()));
        }
        match result {
            Err(error) if is_auto && error.is_device_failure() => {
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
        self.further_devices = names;
        self.warnings.extend(warnings);
    }

    /// Records a problem that does not end the solve.
    pub(crate) fn warn(&mut self, warning: String) {
        self.context.log.warn(|| warning.clone());
        self.warnings.push(warning);
    }

    /// Whether a step of `cpu_seconds` on the CPU justifies looking for a device that is not open
    /// yet: it is long, or all steps of the context so far together were. So a short solve never
    /// pays for opening a device, but a long series of short solves gets one (as in the ski rental
    /// problem, where renting stops once it has cost as much as buying).
    pub(crate) fn is_promising(&self, cpu_seconds: impl FnOnce() -> f64) -> bool {
        if self.engine != Engine::Auto {
            return true;
        }
        // The value of a long step is capped: alone it justifies a look, and its nanoseconds might
        // not fit.
        let at_stake = (cpu_seconds() - LEAST_ON_DEVICE).clamp(0.0, WORTH_A_LOOK) * 1e9;
        let before = self.context.at_stake.fetch_add(at_stake as u64, Ordering::Relaxed);
        before as f64 + at_stake >= WORTH_A_LOOK * 1e9
    }

    /// Writes how the solve went to the report.
    pub(crate) fn finish(mut self, monitor: &Monitor, report: &mut Report) {
        if self.context.has_further_devices() && self.device.is_some() && !self.shared {
            self.warn("only branch and bound of the flow shop uses further devices".into());
        }
        let is_cut_short = monitor.interrupted();
        if is_cut_short
            && self.engine == Engine::Device
            && self.device.is_none()
            && !self.waited_in_vain
        {
            self.warn(ENDED_BEFORE_DEVICE.into());
        }
        let further = self.further_devices;
        report.device =
            self.device.map(|name| further.iter().fold(name, |all, name| format!("{all}, {name}")));
        report.fallback = self.fallback;
        report.warning = (!self.warnings.is_empty()).then(|| self.warnings.join("; "));
        report.interrupted = is_cut_short;
        report.setup_seconds = self.setup_seconds;
        report.seconds = (monitor.elapsed().as_secs_f64() - self.setup_seconds).max(0.0);
    }

    fn choose(
        &mut self,
        monitor: &Monitor,
        promising: bool,
        worth: impl FnOnce(&DeviceInfo) -> bool,
    ) -> Option<&'c Device> {
        let is_open = self.context.device.get().is_some();
        let (device, reason) = match self.engine {
            Engine::Cpu => (None, "as asked for"),
            Engine::Device => (self.open().ok(), "as asked for"),
            Engine::Auto if self.fallback.is_some() => return None,
            Engine::Auto if !promising && !is_open => (None, "too little work for a device"),
            Engine::Auto if !is_open && monitor.ends_within(OPENING) => {
                (None, "too little time to open a device")
            }
            Engine::Auto => (self.open_if(worth), "expected to be faster"),
        };
        self.log_choice(device, reason);
        device
    }

    /// Logs a change of engine, with the reason.
    fn log_choice(&mut self, device: Option<&Device>, reason: &str) {
        // A fallback has logged its reason already. The many parts of a batch, on the pool's
        // threads, log nothing.
        let log = &self.context.log;
        if self.fallback.is_some() || !log.hears(LogLevel::Info) || self.context.pools.is_inside() {
            return;
        }
        let line =
            format!("engine {}, {reason}", device.map_or("CPU", |device| &device.info().name));
        if self.logged.as_ref() != Some(&line) {
            log.info(|| line.clone());
            self.logged = Some(line);
        }
    }

    /// Opens the device if it is worth it by its description. A missing device is no fallback
    /// reason if none would have been used.
    fn open_if(&mut self, worth: impl FnOnce(&DeviceInfo) -> bool) -> Option<&'c Device> {
        let start = Instant::now();
        let info = self.context.device_info();
        self.setup_seconds += start.elapsed().as_secs_f64();
        let reason = match (info.map(worth), self.barred.clone()) {
            (Ok(true), None) => match self.open() {
                Ok(device) => return Some(device),
                Err(error) => error.to_string(),
            },
            (Ok(true), Some(reason)) => reason,
            (Err(error), None) => error.to_string(),
            _ => return None,
        };
        self.fall_back(reason);
        None
    }

    fn open(&mut self) -> Result<&'c Device> {
        let start = Instant::now();
        let device = self.context.device();
        self.setup_seconds += start.elapsed().as_secs_f64();
        device
    }

    /// Runs the step, and returns the program that it gave up waiting for.
    fn run_on<T>(
        &mut self,
        device: &Device,
        patience: impl Patience + 'static,
        step: &mut impl FnMut(&Device) -> Result<T>,
    ) -> (Result<T>, Option<Arc<Build>>) {
        let device = device.for_step(patience);
        // If a check of the device's results fails, the device is at fault.
        let result = step(&device).map_err(|error| match *error {
            Error::Internal(reason) => Error::device_wrong(reason),
            other => Box::new(other),
        });
        let Waited { time, missing } = device.waited();
        self.setup_seconds += time.as_secs_f64();
        let is_stopped = matches!(result.as_ref().err().map(Box::as_ref), Some(Error::Stopped));
        let unready = missing.filter(|_| is_stopped);
        if (result.is_ok() || is_stopped) && unready.is_none() {
            self.device = Some(device.info().name.clone());
        }
        (result, unready)
    }

    fn fall_back(&mut self, reason: String) {
        self.context.log.warn(|| format!("falling back to the CPU: {reason}"));
        self.fallback = Some(reason);
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
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::thread;

    use super::*;
    use crate::opencl::testing::found_devices;
    use crate::opencl::{KernelFamily, Source};
    use crate::testing::{assert_error, limited, monitor};
    use crate::{ContextOptions, Limits};

    fn failing(_: &Device) -> Result<&'static str> {
        Err(Error::device_failed("kernel on fire"))
    }

    fn context(engine: Engine, device: usize) -> Context {
        let options = ContextOptions { engine, device: Some(device), ..ContextOptions::default() };
        Context::new(options).unwrap()
    }

    #[test]
    fn a_device_that_fails_is_left_for_the_cpu() {
        for found in found_devices() {
            let context = context(Engine::Auto, found.info.index);
            let mut dispatch = context.dispatch(None).unwrap();
            assert_eq!(
                dispatch.run(&monitor(), true, |_| true, failing, |_| Ok("cpu")).unwrap(),
                "cpu"
            );
            // The device is not used again.
            assert_eq!(
                dispatch.run(&monitor(), true, |_| true, |_| Ok("device"), |_| Ok("cpu")).unwrap(),
                "cpu"
            );
            let mut report = Report::default();
            dispatch.finish(&monitor(), &mut report);
            assert_eq!(report.fallback.as_deref(), Some("OpenCL device failed: kernel on fire"));
            assert_eq!(report.device, None);
        }
    }

    #[test]
    fn a_device_that_is_missing_is_left_for_the_cpu() {
        let context = context(Engine::Auto, 999);
        let mut dispatch = context.dispatch(None).unwrap();
        assert_eq!(
            dispatch.run(&monitor(), true, |_| true, |_| Ok("device"), |_| Ok("cpu")).unwrap(),
            "cpu"
        );
        let mut report = Report::default();
        dispatch.finish(&monitor(), &mut report);
        let reason = report.fallback.unwrap();
        assert!(reason.starts_with("no OpenCL device: "), "{reason}");
        assert!(reason.ends_with(&context.device_problem().unwrap()), "{reason}");
    }

    #[test]
    fn a_device_that_was_asked_for_must_not_fail() {
        for found in found_devices() {
            let context = context(Engine::Device, found.info.index);
            let mut dispatch = context.dispatch(None).unwrap();
            assert_error!(
                dispatch.run(&monitor(), true, |_| true, failing, |_| Ok("cpu")),
                Error::DeviceFailed(_)
            );
        }
    }

    #[test]
    fn other_errors_are_not_the_devices_fault() {
        for found in found_devices() {
            let context = context(Engine::Auto, found.info.index);
            let mut dispatch = context.dispatch(None).unwrap();
            let stopped = dispatch.run(
                &monitor(),
                true,
                |_| true,
                |_| Err::<(), _>(Error::stopped()),
                |_| Ok(()),
            );
            assert_error!(stopped, Error::Stopped);
            let mut report = Report::default();
            dispatch.finish(&monitor(), &mut report);
            assert_eq!(report.device.as_deref(), Some(&found.info.name[..]));
        }
    }

    #[test]
    fn a_device_is_opened_while_there_is_time_for_that() {
        for found in found_devices() {
            let context = context(Engine::Auto, found.info.index);
            let engine = |milliseconds| {
                let monitor = Monitor::new(&limited(Limits {
                    time: Some(Duration::from_millis(milliseconds)),
                    ..Limits::default()
                }));
                let mut dispatch = context.dispatch(None).unwrap();
                dispatch.run(&monitor, true, |_| true, |_| Ok("device"), |_| Ok("cpu")).unwrap()
            };
            assert_eq!((engine(400), engine(60_000)), ("cpu", "device"));
            // The device is open now.
            assert_eq!(engine(400), "device");
        }
    }

    #[test]
    fn a_method_without_kernels_falls_back_only_where_a_device_would_have_worked() {
        let fallback = |device, promising, worth: bool| {
            let context = context(Engine::Auto, device);
            let mut dispatch = context.dispatch(None).unwrap();
            dispatch.cpu_only("it is counted").unwrap();
            for _ in 0..2 {
                let engine = dispatch
                    .run(&monitor(), promising, |_| worth, |_| Ok("device"), |_| Ok("cpu"))
                    .unwrap();
                assert_eq!(engine, "cpu");
            }
            let mut report = Report::default();
            dispatch.finish(&monitor(), &mut report);
            assert_eq!((report.device, report.warning), (None, None));
            report.fallback
        };
        assert_eq!(fallback(999, true, true), None);
        for found in found_devices() {
            let device = found.info.index;
            assert_eq!(fallback(device, true, true).as_deref(), Some("it is counted"));
            assert_eq!(fallback(device, true, false), None);
            assert_eq!(fallback(device, false, true), None);
            let context = context(Engine::Device, device);
            let refused = context.dispatch(None).unwrap().cpu_only("it is counted");
            assert_error!(refused, Error::Unsupported(_));
        }
    }

    #[test]
    fn all_devices_of_a_team_are_named_and_what_became_of_them() {
        for found in found_devices() {
            let context = context(Engine::Auto, found.info.index);
            let mut dispatch = context.dispatch(None).unwrap();
            dispatch.run(&monitor(), true, |_| true, |_| Ok(()), |_| Ok(())).unwrap();
            let device = context.device().unwrap();
            let team = Team::of(&context, &[device, device, device, device]);
            team.leave_out(1, &Error::device_failed("kernel on fire"));
            [2, 3, 2].into_iter().for_each(|place| team.joined(place));
            assert_eq!(team.able().iter().map(|&(place, _)| place).collect::<Vec<_>>(), [0, 2, 3]);
            dispatch.shared_with(team);
            dispatch.warn("the file was not written".into());
            let mut report = Report::default();
            dispatch.finish(&monitor(), &mut report);
            let name = &found.info.name;
            assert_eq!(report.device.unwrap(), format!("{name}, {name}, {name}"));
            let lost = format!("{name} was left out: OpenCL device failed: kernel on fire");
            assert_eq!(report.warning.unwrap(), format!("{lost}; the file was not written"));
        }
    }

    #[test]
    fn many_short_steps_are_worth_a_look_like_a_long_one() {
        let context = Context::new(ContextOptions::default()).unwrap();
        let dispatch = context.dispatch(Some(Engine::Auto)).unwrap();
        assert!(!(0..100_000).any(|_| dispatch.is_promising(|| LEAST_ON_DEVICE)));
        assert_eq!(
            (0..100).position(|_| dispatch.is_promising(|| LEAST_ON_DEVICE + 0.002)),
            Some(24)
        );
        // Another solve of the context continues the sum.
        assert!(context.dispatch(None).unwrap().is_promising(|| 0.0));
        let fresh = Context::new(ContextOptions::default()).unwrap();
        assert!(fresh.dispatch(None).unwrap().is_promising(|| f64::INFINITY));
    }

    static HELD: AtomicBool = AtomicBool::new(false);

    /// A family whose self-test runs while `HELD` is set.
    const FAMILY: KernelFamily = KernelFamily {
        name: "dispatch_test",
        sources: &[Source::Text("kernel void f(global uint *out) { out[0] = 1; }")],
        kernels: &[],
        constants: &[],
        tuning: &[],
        self_test: |_| {
            while HELD.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            Ok(())
        },
    };

    #[test]
    fn limits_are_heard_while_kernels_are_built_and_the_cpu_works_meanwhile() {
        let on_device = |device: &Device| device.program(&FAMILY, &[]).map(|_| "device");
        for found in found_devices() {
            let context = context(Engine::Device, found.info.index);
            let report_of = |dispatch: Dispatch<'_>, monitor: &Monitor| {
                let mut report = Report::default();
                dispatch.finish(monitor, &mut report);
                report
            };
            HELD.store(true, Ordering::Relaxed);

            let limited =
                Monitor::new(&limited(Limits { time: Some(Duration::ZERO), ..Limits::default() }));
            let mut dispatch = context.dispatch(None).unwrap();
            let stopped = dispatch.run(&limited, true, |_| true, on_device, |_| Ok("cpu"));
            assert_error!(stopped, Error::Stopped);
            let report = report_of(dispatch, &limited);
            let warning = "the kernels dispatch_test were not ready before the end";
            assert_eq!((report.device, report.warning.as_deref()), (None, Some(warning)));

            let monitor = monitor();
            let mut dispatch = context.dispatch(Some(Engine::Auto)).unwrap();
            // A step that ends before the kernels are ready keeps its result.
            assert_eq!(
                dispatch.run(&monitor, true, |_| true, on_device, |_| Ok("cpu")).unwrap(),
                "cpu"
            );
            // A longer step ends early and runs on the device.
            let on_cpu = |meanwhile: &Monitor| {
                assert!(meanwhile.check().is_ok());
                HELD.store(false, Ordering::Relaxed);
                while !meanwhile.should_stop() {
                    thread::yield_now();
                }
                Err(Error::stopped())
            };
            assert_eq!(
                dispatch.run(&monitor, true, |_| true, on_device, on_cpu).unwrap(),
                "device"
            );
            let report = report_of(dispatch, &monitor);
            let name = found.info.name;
            assert_eq!(
                (report.device, report.warning, report.interrupted),
                (Some(name), None, false)
            );
        }
    }

    #[test]
    fn the_model_decides_and_small_steps_do_not_even_look() {
        let context = Context::new(ContextOptions::default()).unwrap();
        let mut dispatch = context.dispatch(None).unwrap();
        let never = |_: &DeviceInfo| -> bool { panic!("asked for the model") };
        assert_eq!(
            dispatch.run(&monitor(), false, never, |_| Ok("device"), |_| Ok("cpu")).unwrap(),
            "cpu"
        );
        assert!(context.discovery.get().is_none());
        assert_eq!(
            dispatch.run(&monitor(), true, |_| false, |_| Ok("device"), |_| Ok("cpu")).unwrap(),
            "cpu"
        );
    }
}
