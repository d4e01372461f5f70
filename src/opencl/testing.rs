//! Devices for tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use super::discovery::FoundDevice;
use super::{Cache, CacheLocation, Device, discover};
use crate::{Error, Log, Result};

/// The commands that a device's queues still take before it fails.
#[derive(Clone)]
pub(crate) struct Fault(Arc<AtomicI64>);

impl Default for Fault {
    /// A device that works.
    fn default() -> Self {
        Fault(Arc::new(AtomicI64::new(i64::MAX)))
    }
}

impl Fault {
    pub(super) fn set(&self, commands: i64) {
        self.0.store(commands, Ordering::Relaxed);
    }

    pub(super) fn command(&self) -> Result<()> {
        match self.0.fetch_sub(1, Ordering::Relaxed) {
            1.. => Ok(()),
            _ => Err(Error::DeviceFailed("a fault of the test".into())),
        }
    }
}

/// All devices of this machine, without a kernel cache.
///
/// With `MAKESPAN_TEST_PLATFORM` set, only those of platforms whose name contains it, and it is a failure if there is
/// none: a run on a chosen implementation must not pass by testing nothing.
pub(crate) fn test_devices() -> Vec<Device> {
    found_devices().into_iter().map(|found| open(found, &CacheLocation::Off, Log::default())).collect()
}

/// The same devices before they are opened.
pub(crate) fn found_devices() -> Vec<FoundDevice> {
    let wanted = std::env::var("MAKESPAN_TEST_PLATFORM").ok();
    let found = discover();
    let mut devices = found.devices;
    if let Some(wanted) = &wanted {
        devices.retain(|device| device.info.platform.contains(wanted.as_str()));
        assert!(!devices.is_empty(), "no device of a platform {wanted:?}: {:?}", found.reason);
    }
    if devices.is_empty() {
        skipped(&found.reason.unwrap_or_default());
    }
    devices
}

pub(crate) fn open(found: FoundDevice, cache: &CacheLocation, log: Log) -> Device {
    Device::open(found, Cache::new(cache, log.clone()), log).unwrap()
}

#[allow(clippy::print_stderr, reason = "a test run must show what it did not test")]
fn skipped(reason: &str) {
    eprintln!("skipped, there is no OpenCL device: {reason}");
}
