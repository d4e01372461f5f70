//! Tunes the kernels for a device: finds better values of their tunables by measuring.

use std::path::PathBuf;
use std::time::Instant;

use super::Context;
use crate::mutex::lock;
use crate::opencl::{Change, Effort, FamilyTuning, Rows, TimedFamily, Work, merged, tune};
use crate::solve::{Sense, SolveOptions};
use crate::{Error, Result, kernel_families, memory};

/// How to tune.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct TuneOptions {
    /// Index of the device in [`Context::devices`]; `None` for the one that solves use.
    pub device: Option<usize>,
    /// Kernel families to tune, by their names in tuning rows; all if there is none.
    pub families: Vec<String>,
    /// Whether to search further, with larger cases and more runs. It takes several times as long.
    pub full: bool,
}

/// What [`Context::tune`] found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Tuned {
    /// Name of the device.
    pub device: String,
    /// The families in the order in which they were tuned. The last ones are missing if a limit or
    /// a stop came first.
    pub families: Vec<TunedFamily>,
    /// Whether a limit or a stop came before all families were tuned as far as possible.
    pub stopped: bool,
    rows: Rows,
}

/// What [`Context::tune`] found for one kernel family.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TunedFamily {
    /// Its name in tuning rows.
    pub name: &'static str,
    /// The tunables with a better value.
    pub changes: Vec<TunedValue>,
    /// The workloads that depend on them, with their times.
    pub works: Vec<TunedWork>,
    /// Number of configurations that were compared with a better one.
    pub tried: usize,
    /// The configurations that the device can't run, or with which it computes wrongly, and why.
    pub refused: Vec<String>,
    /// Why the family was not tuned.
    pub problem: Option<String>,
    /// Seconds that tuning took.
    pub seconds: f64,
}

/// A tunable whose value was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TunedValue {
    /// Its name in tuning rows.
    pub name: &'static str,
    /// The value before.
    pub before: u64,
    /// The better value.
    pub after: u64,
}

/// The time of a workload: medians of runs that alternated.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TunedWork {
    /// What the kernels did, in a few words.
    pub name: &'static str,
    /// Seconds with the values before.
    pub seconds_before: f64,
    /// Seconds with the better values.
    pub seconds_after: f64,
}

impl Tuned {
    /// The better values as tuning rows for the device.
    pub fn rows(&self) -> String {
        self.rows.to_string()
    }

    /// A text of tuning rows with the better values in place of older ones for the device. All
    /// other lines stay as they are.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the text has a fault; the reason names the line.
    pub fn merged_with(&self, rows: &str) -> Result<String> {
        let families: Vec<_> = kernel_families::all().collect();
        merged(rows, &families, &self.rows).map_err(|reason| Error::argument("rows", reason))
    }
}

impl TunedFamily {
    fn new(name: &'static str, begun: Instant, found: Result<FamilyTuning, String>) -> Self {
        let seconds = begun.elapsed().as_secs_f64();
        let (found, problem) = match found {
            Ok(found) => (found, None),
            Err(problem) => (FamilyTuning::default(), Some(problem)),
        };
        let change = |change: &Change| TunedValue {
            name: change.name,
            before: change.before,
            after: change.after,
        };
        let work = |work: &Work| TunedWork {
            name: work.name,
            seconds_before: work.before,
            seconds_after: work.after,
        };
        TunedFamily {
            name,
            changes: found.changes.iter().map(change).collect(),
            works: found.works.iter().map(work).collect(),
            tried: found.tried,
            refused: found.refused,
            problem,
            seconds,
        }
    }
}

impl Context {
    /// Finds values of the kernels' tunables with which they are faster on a device. It starts from
    /// the present values, see [`Context::tuning`], and measures others. A configuration counts
    /// only if its results equal the CPU's bit for bit. A value is better if it saves at least 2 %.
    ///
    /// The result alone changes nothing: keep it by [`Context::keep_tuning`], or give
    /// [`Tuned::rows`] to [`ContextOptions::tuning`](crate::ContextOptions::tuning). It never
    /// changes the result of a solve.
    ///
    /// Tuning all families of a graphics card takes about a minute. A compiler that is slow makes it
    /// longer. Of `solve`, the time limit, the stop handle and the progress callback count; after a
    /// stop, the result has what was found until then. Tune while the machine has no other work.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an unknown family or one without tunables,
    /// [`Error::DeviceUnavailable`] or [`Error::DeviceFailed`] if the device does not open, and
    /// [`Error::OutOfMemory`] if no memory is left. Kernels that fail are no error, see
    /// [`TunedFamily::problem`].
    pub fn tune(&self, options: &TuneOptions, solve: &SolveOptions) -> Result<Tuned> {
        self.check_process()?;
        memory::check_headroom()?;
        let families = chosen(&options.families)?;
        let index = options.device.unwrap_or_else(|| self.source.device_index());
        let monitor = self.watch(Sense::Minimise, solve)?;
        let _alone = lock(&self.knowledge.measuring);
        self.with_device(index, |device| {
            let effort = if options.full { &Effort::FULL } else { &Effort::QUICK };
            let (mut tuned, mut rows, mut stopped) = (Vec::new(), Vec::new(), false);
            for (number, &timed) in families.iter().enumerate() {
                let family = timed.family;
                monitor.report(family.name, Some(number as f64 / families.len() as f64));
                let begun = Instant::now();
                // Each family gets an equal share of the time that is left.
                let share = monitor.left().map(|left| left / (families.len() - number) as u32);
                let goes_on =
                    || !monitor.should_stop() && share.is_none_or(|share| begun.elapsed() < share);
                if monitor.should_stop() {
                    stopped = true;
                    break;
                }
                let found = match tune(device, timed, effort, &goes_on) {
                    Ok(Some(found)) => {
                        rows.extend(found.row(family, device));
                        Ok(found)
                    }
                    Ok(None) if goes_on() => {
                        Err("solves on this device do not use its kernels".into())
                    }
                    Ok(None) => Err("there was no time".into()),
                    Err(failing) => Err(failing.to_string()),
                };
                stopped |= !goes_on();
                let found = TunedFamily::new(family.name, begun, found);
                self.log.info(|| format!("tuned {}: {:?}", family.name, found.changes));
                tuned.push(found);
            }
            let device = device.info().name.clone();
            Ok(Tuned { device, families: tuned, stopped, rows: Rows::of(rows) })
        })
    }

    /// Writes the better values into the user's file of tuning rows, in place of older ones for the
    /// device. Contexts that are made later use them. Returns the path of the file.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the file has a fault, can't be read or has no folder, and
    /// [`Error::Io`] if it can't be written.
    pub fn keep_tuning(&self, tuned: &Tuned) -> Result<PathBuf> {
        let cache = &self.source.cache;
        let unreadable = |error| Error::argument("rows", format!("the user's file: {error}"));
        let present = cache.tuning_rows().transpose().map_err(unreadable)?;
        cache.store_tuning_rows(&tuned.merged_with(&present.unwrap_or_default())?)
    }
}

/// The families with these names, or all that have tunables.
fn chosen(names: &[String]) -> Result<Vec<&'static TimedFamily>> {
    let known: Vec<_> =
        kernel_families::timed().filter(|timed| !timed.workloads.is_empty()).collect();
    if names.is_empty() {
        return Ok(known);
    }
    let find = |(position, name): (usize, &String)| {
        known.iter().copied().find(|timed| timed.family.name == name).ok_or_else(|| {
            let names: Vec<_> = known.iter().map(|timed| timed.family.name).collect();
            let reason = format!("\"{name}\" is none of {}", names.join(", "));
            Error::element("families", position, reason)
        })
    };
    names.iter().enumerate().map(find).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;
    use crate::opencl::testing::found_devices;
    use crate::solve::Limits;
    use crate::testing::assert_error;
    use crate::{CacheLocation, ContextOptions, StopHandle};

    fn of(families: &[&str], device: Option<usize>) -> TuneOptions {
        let families = families.iter().map(|&name| name.to_owned()).collect();
        TuneOptions { device, families, full: false }
    }

    #[test]
    fn later_contexts_use_what_was_found() {
        for found in found_devices().iter().filter(|found| !found.is_simulator()) {
            let index = found.info.index;
            let folder = tempfile::tempdir().unwrap();
            let context = || {
                let cache = CacheLocation::Directory(folder.path().to_owned());
                Context::new(ContextOptions { cache, ..ContextOptions::default() }).unwrap()
            };
            let first = context();
            let limits = Limits { time: Some(Duration::from_secs(30)), ..Limits::default() };
            let solve = SolveOptions { limits, ..SolveOptions::default() };
            let tuned = first.tune(&of(&["lattice_unit_steps"], Some(index)), &solve).unwrap();
            assert_eq!((&tuned.device, tuned.families.len()), (&found.info.name, 1));
            let family = &tuned.families[0];
            assert_eq!((family.name, &family.problem), ("lattice_unit_steps", &None));
            assert!(family.tried > 0, "{family:?}");
            assert_eq!(family.works.len(), family.changes.len(), "it has one of each");
            for work in &family.works {
                assert!(0.0 < work.seconds_after && work.seconds_after < work.seconds_before);
            }
            // Rows of another device stay.
            let other = "makespan tuning 1\nknapsack device \"another\" GROUP 32\n";
            first.source.cache.store_tuning_rows(other).unwrap();
            let path = first.keep_tuning(&tuned).unwrap();
            let text = fs::read_to_string(path).unwrap();
            assert!(text.starts_with(other), "{text}");
            let rows = context().tuning(index).unwrap();
            let row = rows.lines().find(|line| line.starts_with("lattice_unit_steps ")).unwrap();
            for change in &family.changes {
                assert!(format!("{row} ").contains(&format!(" {} {} ", change.name, change.after)));
            }
        }
    }

    #[test]
    fn a_stop_leaves_what_was_found_before() {
        for found in found_devices() {
            let context = Context::new(ContextOptions::default()).unwrap();
            let stop = StopHandle::new();
            stop.stop();
            let solve = SolveOptions { stop: Some(stop), ..SolveOptions::default() };
            let tuned = context.tune(&of(&[], Some(found.info.index)), &solve).unwrap();
            assert!(tuned.stopped && tuned.families.is_empty());
            assert_eq!(tuned.rows(), "makespan tuning 1\n");
        }
    }

    #[test]
    fn what_can_not_be_tuned_is_refused() {
        let options = ContextOptions { cache: CacheLocation::Off, ..ContextOptions::default() };
        let context = Context::new(options).unwrap();
        let solve = SolveOptions::default();
        let refused = context.tune(&of(&["knapsack", "horse"], None), &solve).unwrap_err();
        assert!(refused.to_string().starts_with("families[1]: \"horse\" is none of "), "{refused}");
        let tuned = context.tune(&of(&["knapsack"], Some(1000)), &solve);
        assert_error!(tuned, Error::DeviceUnavailable(_));
    }
}
