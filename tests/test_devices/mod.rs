//! The devices that tests use.
//!
//! If MAKESPAN_TEST_PLATFORM is part of a platform's name, a device of that platform must exist.
//! Without it, the tests take the devices of any platform, or none.

use std::io::Write;

use makespan::{Context, ContextOptions, Engine};

pub(crate) fn context(engine: Engine, device: Option<usize>) -> Context {
    Context::new(ContextOptions { engine, device, ..ContextOptions::default() }).unwrap()
}

/// Says that nothing is tested. The test harness would hide what macros print.
pub(crate) fn skipped(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // Nobody may listen.
    let _ = writeln!(std::io::stderr(), "skipped, {reason}: {test}");
}

/// A context for each device to be tested, and whether it is a simulator that takes tiny sizes
/// only.
pub(crate) fn device_contexts() -> Vec<(Context, bool)> {
    let wanted = std::env::var("MAKESPAN_TEST_PLATFORM").ok();
    let finder = context(Engine::Auto, None);
    let devices: Vec<_> = finder
        .devices()
        .iter()
        .filter(|device| wanted.as_ref().is_none_or(|wanted| device.platform.contains(wanted)))
        .collect();
    assert!(
        wanted.is_none() || !devices.is_empty(),
        "no platform {wanted:?}: {:?}",
        finder.device_problem()
    );
    if devices.is_empty() {
        skipped(&finder.device_problem().unwrap_or_default());
    }
    devices
        .iter()
        .map(|device| (context(Engine::Device, Some(device.index)), device.platform == "Oclgrind"))
        .collect()
}
