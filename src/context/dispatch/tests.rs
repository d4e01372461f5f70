use std::sync::atomic::AtomicBool;
use std::thread;

use super::*;
use crate::opencl::testing::{found_devices, test_devices};
use crate::opencl::{Failing, KernelFamily, Source};
use crate::testing::{assert_error, limited, monitor};
use crate::{CacheLocation, ContextOptions, DeviceKind, Limits};

/// The forecast of a step for a device of any kind.
const LIKELY: Forecast<'_> = Forecast { device: &|_, _| 0.0, ..Forecast::of("test") };
const TOO_LITTLE_WORK: Forecast<'_> = Forecast { cpu: &|| 0.0, ..LIKELY };
const DEVICE_CANNOT: Forecast<'_> = Forecast { device: &|_, _| f64::INFINITY, ..LIKELY };

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
        assert_eq!(dispatch.run(&monitor(), &LIKELY, failing, |_| Ok("cpu")).unwrap(), "cpu");
        // The device is not used again.
        assert_eq!(
            dispatch.run(&monitor(), &LIKELY, |_| Ok("device"), |_| Ok("cpu")).unwrap(),
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
    assert_eq!(dispatch.run(&monitor(), &LIKELY, |_| Ok("device"), |_| Ok("cpu")).unwrap(), "cpu");
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
            dispatch.run(&monitor(), &LIKELY, failing, |_| Ok("cpu")),
            Error::DeviceFailed(_)
        );
    }
}

#[test]
fn other_errors_are_not_the_devices_fault() {
    for found in found_devices() {
        let context = context(Engine::Auto, found.info.index);
        let mut dispatch = context.dispatch(None).unwrap();
        let stopped =
            dispatch.run(&monitor(), &LIKELY, |_| Err::<(), _>(Error::stopped()), |_| Ok(()));
        assert_error!(stopped, Error::Stopped);
        let mut report = Report::default();
        dispatch.finish(&monitor(), &mut report);
        assert_eq!(report.device.as_deref(), Some(&found.info.name[..]));
    }
}

#[test]
fn a_step_without_a_kernel_runs_on_the_cpu_unless_a_device_is_asked_for() {
    for found in found_devices() {
        for (engine, expected) in [(Engine::Auto, Some("cpu")), (Engine::Device, None)] {
            let context = context(engine, found.info.index);
            let mut dispatch = context.dispatch(None).unwrap();
            let on_device = |_: &Device| Err(Error::unsupported("300 machines"));
            let ran = dispatch.run(&monitor(), &LIKELY, on_device, |_| Ok("cpu"));
            assert_eq!(ran.as_ref().ok().copied(), expected);
            assert!(ran.is_ok() || matches!(*ran.unwrap_err(), Error::Unsupported(_)));
        }
    }
}

#[test]
fn a_step_ends_within_the_time_of_the_faster_engine() {
    let forecast = Forecast { cpu: &|| 9.0, device: &|_, _| 1e-3, ..LIKELY };
    let options = ContextOptions { engine: Engine::Cpu, ..ContextOptions::default() };
    let cpu = Context::new(options).unwrap();
    let mut dispatch = cpu.dispatch(None).unwrap();
    let times = [9.0, 8.9].map(|time| dispatch.ends_within(&monitor(), &forecast, time));
    assert_eq!(times, [true, false]);
    for found in found_devices() {
        let context = context(Engine::Auto, found.info.index);
        let mut dispatch = context.dispatch(None).unwrap();
        // The device is not open yet: that takes longer than the step.
        let times = [9.0, 8.9, 2e-3].map(|time| dispatch.ends_within(&monitor(), &forecast, time));
        assert_eq!(times, [true, found.may_be_fast(), false]);
        let time = Some(Duration::from_millis(400));
        let short = Monitor::new(&limited(Limits { time, ..Limits::default() }));
        let unknown = Context::new(ContextOptions::default()).unwrap();
        assert!(!unknown.dispatch(None).unwrap().ends_within(&short, &forecast, 8.9));
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
            dispatch.run(&monitor, &LIKELY, |_| Ok("device"), |_| Ok("cpu")).unwrap()
        };
        assert_eq!((engine(400), engine(60_000)), ("cpu", "device"));
        // The device is open now.
        assert_eq!(engine(400), "device");
    }
}

#[test]
fn a_method_without_kernels_falls_back_only_where_a_device_would_have_worked() {
    let fallback = |device, forecast: &Forecast<'_>| {
        let context = context(Engine::Auto, device);
        let mut dispatch = context.dispatch(None).unwrap();
        dispatch.cpu_only("it is counted").unwrap();
        for _ in 0..2 {
            let engine =
                dispatch.run(&monitor(), forecast, |_| Ok("device"), |_| Ok("cpu")).unwrap();
            assert_eq!(engine, "cpu");
        }
        let mut report = Report::default();
        dispatch.finish(&monitor(), &mut report);
        assert_eq!((report.device, report.warning), (None, None));
        report.fallback
    };
    assert_eq!(fallback(999, &LIKELY), None);
    for found in found_devices() {
        let device = found.info.index;
        assert_eq!(fallback(device, &LIKELY).as_deref(), Some("it is counted"));
        assert_eq!(fallback(device, &DEVICE_CANNOT), None);
        assert_eq!(fallback(device, &TOO_LITTLE_WORK), None);
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
        dispatch.run(&monitor(), &LIKELY, |_| Ok(()), |_| Ok(())).unwrap();
        let device = &context.device().unwrap();
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
    let opening = context.opening_seconds();
    let is_promising = |seconds| dispatch.saved_before(seconds, opening) + seconds >= opening;
    assert!(!(0..100_000).any(|_| is_promising(LEAST_ON_DEVICE)));
    assert_eq!((0..1000).position(|_| is_promising(LEAST_ON_DEVICE + 0.002)), Some(149));
    // Another solve of the context continues the sum.
    assert!(context.dispatch(None).unwrap().saved_before(f64::INFINITY, opening) > 0.299);
    let fresh = Context::new(ContextOptions::default()).unwrap();
    assert_eq!(fresh.dispatch(None).unwrap().saved_before(f64::INFINITY, opening), 0.0);
}

#[test]
fn experience_with_the_cpu_comes_from_whole_steps_of_auto() {
    let context = Context::new(ContextOptions::default()).unwrap();
    let forecast = Forecast { cpu: &|| 1e-4, ..LIKELY };
    let step = |engine, forecast: &Forecast<'_>, result: fn() -> Result<()>| {
        let on_cpu = |_: &Monitor| {
            thread::sleep(Duration::from_millis(2));
            result()
        };
        let mut dispatch = context.dispatch(Some(engine)).unwrap();
        let _ = dispatch.run(&monitor(), forecast, |_| Ok(()), on_cpu);
        context.experience.factor("test", Place::Cpu, 1e-4)
    };
    assert_eq!(step(Engine::Auto, &forecast, || Err(Error::stopped())), 1.0);
    assert_eq!(step(Engine::Auto, &Forecast { learns: false, ..forecast }, || Ok(())), 1.0);
    assert_eq!(step(Engine::Cpu, &forecast, || Ok(())), 1.0);
    assert!(step(Engine::Auto, &forecast, || Ok(())) > 1.5);
}

#[test]
fn a_device_is_not_credited_with_what_several_did() {
    for device in test_devices().into_iter().take(1) {
        let context = Context::pretending(device.info().index, DeviceKind::Gpu, 1);
        let forecast = Forecast { device: &|_, _| 1e-4, ..LIKELY };
        let learnt = |joins: bool| {
            let (monitor, mut dispatch) =
                (monitor(), context.dispatch(Some(Engine::Auto)).unwrap());
            let team = Team::of(&context, &[&device]);
            let on_device = |_: &Device| {
                thread::sleep(Duration::from_millis(2));
                if joins {
                    team.joined(0);
                }
                Ok(())
            };
            let on_cpu = |_: &Monitor| panic!("the device has the step");
            dispatch.run_with(Some(&team), &monitor, &forecast, on_device, on_cpu).unwrap();
            context.experience.factor("test", Place::Device(device.info().index), 1e-4)
        };
        assert_eq!(learnt(true), 1.0);
        assert!(learnt(false) > 1.5);
    }
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
        let stopped = dispatch.run(&limited, &LIKELY, on_device, |_| Ok("cpu"));
        assert_error!(stopped, Error::Stopped);
        let report = report_of(dispatch, &limited);
        let warning = "the kernels dispatch_test were not ready before the end";
        assert_eq!((report.device, report.warning.as_deref()), (None, Some(warning)));

        let monitor = monitor();
        let mut dispatch = context.dispatch(Some(Engine::Auto)).unwrap();
        // A step that ends before the kernels are ready keeps its result.
        assert_eq!(dispatch.run(&monitor, &LIKELY, on_device, |_| Ok("cpu")).unwrap(), "cpu");
        // A longer step ends early and runs on the device.
        let on_cpu = |meanwhile: &Monitor| {
            assert!(meanwhile.check().is_ok());
            HELD.store(false, Ordering::Relaxed);
            while !meanwhile.should_stop() {
                thread::yield_now();
            }
            Err(Error::stopped())
        };
        assert_eq!(dispatch.run(&monitor, &LIKELY, on_device, on_cpu).unwrap(), "device");
        let report = report_of(dispatch, &monitor);
        let name = found.info.name;
        assert_eq!((report.device, report.warning, report.interrupted), (Some(name), None, false));
    }
}

static FAILURE_HELD: AtomicBool = AtomicBool::new(false);

/// A family whose build fails after `FAILURE_HELD` is cleared.
const FAILING_FAMILY: KernelFamily = KernelFamily {
    name: "dispatch_failing",
    self_test: |_| {
        while FAILURE_HELD.load(Ordering::Relaxed) {
            thread::yield_now();
        }
        Err(Failing::Error(Error::device_failed("out of registers")))
    },
    ..FAMILY
};

#[test]
fn a_device_whose_kernels_do_not_build_is_asked_once() {
    for found in found_devices() {
        let context = context(Engine::Auto, found.info.index);
        for ends_before_the_build in [true, false] {
            FAILURE_HELD.store(true, Ordering::Relaxed);
            let mut asked = 0;
            let mut on_device = |device: &Device| {
                asked += 1;
                device.program(&FAILING_FAMILY, &[]).map(|_| "device")
            };
            let mut solves = 0;
            let mut on_cpu = |meanwhile: &Monitor| {
                solves += 1;
                FAILURE_HELD.store(ends_before_the_build, Ordering::Relaxed);
                if ends_before_the_build || solves > 1 {
                    return Ok("cpu");
                }
                while !meanwhile.should_stop() {
                    thread::yield_now();
                }
                Err(Error::stopped())
            };
            let (mut dispatch, monitor) = (context.dispatch(None).unwrap(), monitor());
            let result = dispatch.run(&monitor, &LIKELY, &mut on_device, &mut on_cpu);
            assert_eq!(result.unwrap(), "cpu");
            FAILURE_HELD.store(false, Ordering::Relaxed);
            let awaited = Arc::clone(dispatch.awaited.as_ref().unwrap());
            while !awaited.is_done() {
                thread::yield_now();
            }
            for _ in 0..2 {
                let result = dispatch.run(&monitor, &LIKELY, &mut on_device, |_| Ok("cpu"));
                assert_eq!(result.unwrap(), "cpu");
            }
            assert_eq!((asked, solves), (1, if ends_before_the_build { 1 } else { 2 }));
            let mut report = Report::default();
            dispatch.finish(&monitor, &mut report);
            let reason = report.fallback.unwrap();
            assert!(reason.contains("out of registers"), "{reason}");
            assert_eq!(report.device, None);
        }
    }
}

#[test]
fn the_model_decides_and_small_steps_do_not_even_look() {
    let context = Context::new(ContextOptions::default()).unwrap();
    let mut dispatch = context.dispatch(None).unwrap();
    let never = Forecast { device: &|_, _| panic!("asked for the model"), ..TOO_LITTLE_WORK };
    assert_eq!(dispatch.run(&monitor(), &never, |_| Ok("device"), |_| Ok("cpu")).unwrap(), "cpu");
    assert!(context.source.discovery.get().is_none());
    assert_eq!(
        dispatch.run(&monitor(), &DEVICE_CANNOT, |_| Ok("device"), |_| Ok("cpu")).unwrap(),
        "cpu"
    );
}

#[test]
fn a_device_that_was_expected_to_be_much_slower_must_promise_more() {
    let second = Forecast { cpu: &|| 1.0, ..DEVICE_CANNOT };
    let run = |context: &Context| {
        let mut dispatch = context.dispatch(None).unwrap();
        dispatch.run(&monitor(), &second, |_| Ok("device"), |_| Ok("cpu")).unwrap()
    };
    let looks = |context: &Context| context.source.discovery.get().is_some();
    let alone = || {
        // A kept time of opening would change the limit.
        let cache = CacheLocation::Off;
        Context::new(ContextOptions { cache, ..ContextOptions::default() }).unwrap()
    };
    let first = alone();
    assert_eq!(run(&first), "cpu");
    assert!(looks(&first));
    let later = alone();
    later.experience.recall(Place::Cpu, "test-on-device:0", 16.0);
    assert_eq!(run(&later), "cpu");
    assert!(!looks(&later));
    // But not for ever.
    (0..10).for_each(|_| assert_eq!(run(&later), "cpu"));
    assert!(looks(&later));
}

#[test]
fn a_look_for_a_device_shows_how_much_slower_it_is() {
    let forecast = Forecast { cpu: &|| 1.0, device: &|_, _| 100.0, ..LIKELY };
    for found in found_devices() {
        let index = found.info.index;
        for kind in [DeviceKind::Cpu, DeviceKind::Gpu] {
            for runs in [true, false] {
                let context = Context::pretending(index, kind, 2);
                let mut dispatch = context.dispatch(None).unwrap();
                match runs {
                    true => assert_eq!(
                        dispatch
                            .run(&monitor(), &forecast, |_| Ok("device"), |_| Ok("cpu"))
                            .unwrap(),
                        "cpu"
                    ),
                    false => assert!(!dispatch.ends_within(&monitor(), &forecast, 0.9)),
                }
                assert!(!context.device_speeds(index).unwrap().measured);
                let name = ratio_name("test", Some(index));
                assert!(context.experience.factor(&name, Place::Cpu, 1.0) > MUCH_SLOWER);
            }
        }
    }
}
