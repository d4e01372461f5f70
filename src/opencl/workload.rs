//! Work by which the tuner times the kernels of a family.

use std::time::{Duration, Instant};

use super::device::Device;
use super::recipe::KernelFamily;
use super::trial::Failing;
use crate::Result;

/// A kernel family with the work by which the tuner times its kernels.
pub(crate) struct TimedFamily {
    pub(crate) family: &'static KernelFamily,
    pub(crate) workloads: &'static [Workload],
}

impl TimedFamily {
    /// A family that the tuner leaves out.
    pub(crate) const fn untimed(family: &'static KernelFamily) -> Self {
        TimedFamily { family, workloads: &[] }
    }
}

/// Work of a family whose time depends on its tunables.
#[derive(Clone, Copy)]
pub(crate) struct Workload {
    /// In one or two words, for people.
    pub(crate) name: &'static str,
    /// The tunables that may change its time, separated by spaces.
    pub(crate) tunables: &'static str,
    /// A case of this size; each size has about twice the work of the one before. `None` if there
    /// is none as large, or if solves on this device do not use the kernels.
    pub(crate) case: fn(&Device, u32) -> Result<Option<Case>>,
}

impl Workload {
    /// Whether the tunable may change its time.
    pub(crate) fn depends_on(&self, tunable: &str) -> bool {
        self.tunables.split(' ').any(|name| name == tunable)
    }
}

/// Runs the kernels on a device, one of several views with different tuning rows. Compares the
/// results with the CPU's and returns the time that counts.
pub(crate) type Case = Box<dyn Fn(&Device) -> Result<Duration, Failing>>;

/// The result of some work, and its time.
pub(crate) fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
    let start = Instant::now();
    let result = work()?;
    Ok((result, start.elapsed()))
}
