//! What the tests of several modules share.

use std::fmt::Debug;
use std::sync::Arc;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

use crate::opencl::Device;
use crate::random::Random;
use crate::solve::{Control, Limits, Monitor, Progress, SolveOptions, StopHandle};
use crate::{Context, ContextOptions, Engine, Error, Result};

/// A context with this number of threads and without devices.
pub(crate) fn cpu_context(threads: usize) -> Context {
    let (engine, threads) = (Engine::Cpu, Some(threads));
    Context::new(ContextOptions { engine, threads, ..ContextOptions::default() }).unwrap()
}

/// A context with two threads that must use this device.
pub(crate) fn device_context(device: &Device) -> Context {
    let (engine, device) = (Engine::Device, Some(device.info().index));
    let options = ContextOptions { engine, device, threads: Some(2), ..ContextOptions::default() };
    Context::new(options).unwrap()
}

/// A context with one thread that would use a device, which is missing.
pub(crate) fn context_without_the_device() -> Context {
    let (engine, device) = (Engine::Auto, Some(999));
    let options = ContextOptions { engine, device, threads: Some(1), ..ContextOptions::default() };
    Context::new(options).unwrap()
}

pub(crate) fn limited(limits: Limits) -> SolveOptions {
    SolveOptions { limits, ..SolveOptions::default() }
}

/// Options of a solve that is stopped before it begins.
pub(crate) fn stopped() -> SolveOptions {
    let stop = StopHandle::new();
    stop.stop();
    SolveOptions { stop: Some(stop), ..SolveOptions::default() }
}

/// A monitor without limits.
pub(crate) fn monitor() -> Monitor {
    Monitor::new(&SolveOptions::default())
}

/// A monitor whose progress callback asks for a stop.
pub(crate) fn monitor_that_is_told_to_stop() -> Monitor {
    let progress = Some(Arc::new(|_: &Progress| Control::Stop) as _);
    Monitor::new(&SolveOptions { progress, ..SolveOptions::default() })
}

/// Runs a property test with this number of inputs. The variable `MAKESPAN_TEST_SHARE` divides it, where
/// kernels take long to compile.
#[track_caller]
pub(crate) fn check_cases<S: Strategy<Value: Debug>>(
    cases: u32,
    inputs: &S,
    test: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let share = std::env::var("MAKESPAN_TEST_SHARE").ok().and_then(|share| share.parse().ok());
    let cases = cases.div_ceil(share.unwrap_or(1));
    TestRunner::new(Config::with_cases(cases)).run(inputs, test).unwrap();
}

/// Why an argument is refused.
#[track_caller]
pub(crate) fn refusal<T>(result: Result<T>, refused: &str) -> String {
    match result.map_err(|error| *error) {
        Err(Error::InvalidArgument { argument, reason, .. }) if argument == refused => reason,
        other => panic!("{:?}", other.err()),
    }
}

/// Numbers from 1 to `most` that depend only on the seed.
pub(crate) fn numbers(count: usize, most: u64, seed: u64) -> Vec<u64> {
    let mut random = Random::new(seed);
    (0..count).map(|_| 1 + random.below(most)).collect()
}

/// Expects an error of a kind. A format with arguments may say where.
macro_rules! assert_error {
    ($result:expr, $kind:pat $(, $($place:tt)+)?) => {{
        let result = &$result;
        let error = result.as_ref().err();
        let place: &[String] = &[$(format!($($place)+))?];
        assert!(matches!(error.map(Box::as_ref), Some($kind)), "{place:?} {error:?}");
    }};
}
pub(crate) use assert_error;
