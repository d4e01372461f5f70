//! Finds values of a family's tunables that make its kernels faster on a device.
//!
//! A search replaces the present values by others as long as they are faster. Each run compares
//! its results with the CPU's, and a better configuration must pass the self-tests of its programs.
//! One that fails in any way is refused, and the search continues.

mod contest;
mod descent;

use std::time::Duration;

use self::contest::{Contest, Contestant, SizedCase};
use self::descent::{Search, descend};
use super::device::Device;
use super::recipe::KernelFamily;
use super::trial::Failing;
use super::tuning::{Defines, Row, Rows, Tunable};
use super::workload::TimedFamily;

/// How thoroughly to tune.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    search: Search,
    /// Runs of each configuration in a comparison.
    rounds: usize,
    /// The least time of a run, if cases can be as large.
    enough: Duration,
    /// Time to prepare the largest case.
    patience: Duration,
}

impl Effort {
    pub(crate) const QUICK: Effort = Effort {
        search: Search { passes: 1, reach: 1 },
        rounds: 5,
        enough: Duration::from_millis(4),
        patience: Duration::from_millis(500),
    };
    pub(crate) const FULL: Effort = Effort {
        search: Search { passes: 2, reach: 2 },
        rounds: 11,
        enough: Duration::from_millis(20),
        patience: Duration::from_secs(4),
    };
}

/// What the tuner found for a family.
#[derive(Debug, Default)]
pub(crate) struct FamilyTuning {
    pub(crate) changes: Vec<Change>,
    /// The workloads that depend on the changes.
    pub(crate) works: Vec<Work>,
    /// Configurations that were compared.
    pub(crate) tried: usize,
    /// Those that can't be used, and why.
    pub(crate) refused: Vec<String>,
}

/// A tunable with a better value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change {
    pub(crate) name: &'static str,
    pub(crate) before: u64,
    pub(crate) after: u64,
}

/// Seconds of a workload before and after the changes, medians of alternating runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Work {
    pub(crate) name: &'static str,
    pub(crate) before: f64,
    pub(crate) after: f64,
}

impl FamilyTuning {
    /// The changes as a row for the device.
    pub(crate) fn row(&self, family: &KernelFamily, device: &Device) -> Option<Row> {
        let values: Vec<_> =
            self.changes.iter().map(|change| (change.name, change.after)).collect();
        (!values.is_empty()).then(|| Row::of_device(family.name, device.info(), &values))
    }
}

/// Tunes a family while `goes_on`, which is asked before each comparison. `None` if solves on this
/// device use no kernels of the family that can be timed.
///
/// # Errors
/// Those of the present configuration, which is then unusable.
pub(crate) fn tune(
    device: &Device,
    &TimedFamily { family, workloads }: &TimedFamily,
    effort: &Effort,
    goes_on: &dyn Fn() -> bool,
) -> Result<Option<FamilyTuning>, Failing> {
    let start = Contestant::new(device, family, (*device.tuning_of(family)).clone())?;
    let mut cases = Vec::new();
    for workload in workloads {
        cases.extend(SizedCase::new(workload, &start, effort, goes_on)?);
    }
    if cases.is_empty() {
        return Ok(None);
    }
    let is_timed = |tunable: &&Tunable| cases.iter().any(|case| case.depends_on(tunable.name()));
    let tunables: Vec<Tunable> = family.tuning.iter().filter(is_timed).copied().collect();
    let mut contest = Contest::new(device, family, &cases, effort, start, goes_on);
    let first = contest.start().values.clone();
    descend(&tunables, &first, effort.search, &mut contest);
    contest.conclude().map(Some)
}

/// The device with other values of a family's tunables. It keeps nothing on disk.
fn retuned(device: &Device, family: &KernelFamily, values: &Defines) -> crate::Result<Device> {
    let values: Vec<_> = values.iter().map(|(&name, &value)| (name, value)).collect();
    device.retuned(Rows::of(vec![Row::of_device(family.name, device.info(), &values)]))
}

#[cfg(test)]
mod tests;
