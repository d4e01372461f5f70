//! Builds kernels ahead of their first use. A thread orders them and waits: the device's build
//! thread builds them whenever no solve waits for a program. At the end, it measures unknown speeds.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::calibration::Ahead;
use super::{Context, Source};
use crate::mutex::lock;
use crate::opencl::{Device, Patience, Usual};
use crate::{Error, Kernels, Result, owned_threads};

/// Kernels that are being built ahead. Dropping it changes nothing; dropping the context stops it.
/// Several threads may use it at once.
#[derive(Debug, Clone)]
pub struct Prewarm(Arc<Shared>);

/// How far a [`Prewarm`] has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PrewarmProgress {
    /// Sets of kernels that are ready or have failed.
    pub done: usize,
    /// All sets of kernels. There is one for each kernel family and usual size.
    pub total: usize,
    /// The kernel family that is being built.
    pub family: Option<&'static str>,
    /// Why kernels are missing: the device does not open or lacks something, or its compiler is at
    /// fault. The first reasons, each once.
    pub problems: Vec<String>,
    /// `processor` and the name of the device, if it has measured them. It does so at the end.
    pub measured: Vec<String>,
    /// Whether it has ended, or was stopped.
    pub is_over: bool,
}

/// Most problems to report.
const MOST_PROBLEMS: usize = 10;

#[derive(Debug)]
struct Shared {
    /// The process whose thread does the work.
    process: u32,
    state: Mutex<State>,
    /// Signalled at the end.
    over: Condvar,
}

#[derive(Debug)]
struct State {
    progress: PrewarmProgress,
    is_stopped: bool,
}

/// The thread of a [`Prewarm`]. Dropping it stops it and waits for it.
pub(super) struct Warming {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Context {
    /// Builds kernels for the chosen device in the background, or loads them from the cache, so
    /// that the first solve that needs them does not wait. It opens the device if need be. Returns
    /// at once.
    ///
    /// Solves come first: a kernel that a solve waits for is built next. A build that has begun is
    /// not interrupted. What a device can't build or compute correctly is among
    /// [`PrewarmProgress::problems`].
    ///
    /// At the end, it measures the processor and the device if their speeds are unknown, so that
    /// later contexts know them. [`Context::calibrate`] says how long that takes. It measures only
    /// while no solve runs: a solve that begins ends the measurement. Without a cache, it measures
    /// nothing.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the process inherited the context by `fork()`, and
    /// [`Error::DeviceFailed`] if the system starts no thread.
    pub fn prewarm(&self, kernels: Kernels) -> Result<Prewarm> {
        self.check_process()?;
        let programs = kernels.into_programs();
        let progress = PrewarmProgress { total: programs.len(), ..PrewarmProgress::default() };
        let shared = Arc::new(Shared {
            process: std::process::id(),
            state: Mutex::new(State { progress, is_stopped: false }),
            over: Condvar::new(),
        });
        let (source, ending) = (Arc::clone(&self.source), Ending(Arc::clone(&shared)));
        let ahead = self.measure_ahead();
        let work = move || ending.0.work(&source, &programs, ahead.as_ref());
        let thread = owned_threads::spawn("makespan-prewarm", work);
        let thread = Some(thread.map_err(|error| {
            Error::device_failed(format!("no thread to build kernels ahead: {error}"))
        })?);
        let mut warming = lock(&self.warming);
        warming.retain(|warming| !warming.shared.lock().progress.is_over);
        warming.push(Warming { shared: Arc::clone(&shared), thread });
        Ok(Prewarm(shared))
    }
}

impl Prewarm {
    /// How far it has come.
    pub fn progress(&self) -> PrewarmProgress {
        self.0.lock().progress.clone()
    }

    /// Waits until it is over, but at most for `most` if that is given. Returns whether it is over.
    /// After `fork()`, the child process does not wait: it has no such thread.
    pub fn wait(&self, most: Option<Duration>) -> bool {
        let deadline = most.and_then(|most| Instant::now().checked_add(most));
        let mut state = self.0.lock();
        while !state.progress.is_over {
            let left = deadline.map_or(Duration::MAX, |deadline| {
                deadline.saturating_duration_since(Instant::now())
            });
            if left.is_zero() || std::process::id() != self.0.process {
                return false;
            }
            let waited = self.0.over.wait_timeout(state, left.min(Duration::from_secs(3600)));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Ends it soon. Kernels that are ready stay; a build that has begun is completed, and the figure
    /// that is being measured.
    pub fn stop(&self) {
        self.0.lock().is_stopped = true;
    }
}

/// Says that it is over, also if the thread panics.
struct Ending(Arc<Shared>);

impl Drop for Ending {
    fn drop(&mut self) {
        let progress = &mut self.0.lock().progress;
        (progress.family, progress.is_over) = (None, true);
        self.0.over.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn work(self: &Arc<Self>, source: &Source, programs: &[Usual], ahead: Option<&Ahead>) {
        let device = source.device();
        let wanted = || Wanted(Arc::clone(self));
        match &device {
            Ok(device) => self.build(&device.ahead(wanted()), programs),
            Err(error) => self.lock().add(error.to_string()),
        }
        // Who names no kernels waits for nothing.
        if let Some(ahead) = ahead
            && !programs.is_empty()
            && wanted().lasts()
        {
            let measured = ahead.measure(device.as_deref().ok(), wanted());
            self.lock().progress.measured = measured;
        }
    }

    /// Requests the programs one after the other, so that little is left to withdraw after a stop.
    fn build(&self, device: &Device, programs: &[Usual]) {
        for program in programs {
            let mut state = self.lock();
            if state.is_stopped {
                return;
            }
            state.progress.family = Some(program.family());
            drop(state);
            let built = program.request(device);
            let mut state = self.lock();
            match built {
                Err(error) if matches!(*error, Error::Stopped) => return,
                // The device has no variant for this size, so that there is nothing to build.
                Err(error) if matches!(*error, Error::Unsupported(_)) => {}
                Err(error) => state.add(format!("{}: {error}", program.family())),
                Ok(()) => {}
            }
            state.progress.done += 1;
        }
        self.lock().progress.family = None;
    }
}

impl State {
    fn add(&mut self, problem: String) {
        let problems = &mut self.progress.problems;
        if problems.len() < MOST_PROBLEMS && !problems.contains(&problem) {
            problems.push(problem);
        }
    }
}

/// Waits for programs until a stop.
#[derive(Clone)]
struct Wanted(Arc<Shared>);

impl Patience for Wanted {
    fn lasts(&self) -> bool {
        !self.0.lock().is_stopped
    }
}

impl Drop for Warming {
    fn drop(&mut self) {
        self.shared.lock().is_stopped = true;
        if let Some(thread) = self.thread.take() {
            // A panic has ended the work, which is then over.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::testing::{found_devices, real_test_devices};
    use crate::solve::SolveOptions;
    use crate::testing::context_without_the_device;
    use crate::{CacheLocation, ContextOptions, Engine, Log, LogLevel, knapsack};

    const LONG: Option<Duration> = Some(Duration::from_secs(600));

    type Lines = Arc<Mutex<Vec<String>>>;

    /// A context on a device, and its log.
    fn context(index: usize) -> (Context, Lines) {
        let lines = Lines::default();
        let sink = Arc::clone(&lines);
        let write = move |_, line: &str| sink.lock().unwrap().push(line.to_owned());
        let context = Context::new(ContextOptions {
            engine: Engine::Device,
            device: Some(index),
            threads: Some(2),
            cache: CacheLocation::Off,
            log: Log::new(LogLevel::Debug, Arc::new(write)),
            ..ContextOptions::default()
        });
        (context.unwrap(), lines)
    }

    fn builds(lines: &Lines) -> usize {
        lines.lock().unwrap().iter().filter(|line| line.contains(": built from ")).count()
    }

    #[test]
    fn a_solve_after_it_builds_nothing() {
        for device in real_test_devices() {
            let (context, lines) = context(device.info().index);
            let prewarm = context.prewarm(Kernels::named(&["knapsack"]).unwrap()).unwrap();
            assert!(prewarm.wait(LONG));
            let PrewarmProgress { done, total, family, problems, measured, is_over } =
                prewarm.progress();
            assert_eq!((done, family, problems, is_over), (total, None, vec![], true));
            assert!(measured.is_empty(), "there is no cache: {measured:?}");
            let before = builds(&lines);
            assert!(before > 0);
            let instance = knapsack::Instance::new(
                (1..60).map(|item| item % 7 + 9).collect(),
                (1..60).map(|item| item % 11 + 3).collect(),
                200,
            );
            let options = knapsack::Options {
                method: knapsack::Method::Dense,
                ..knapsack::Options::default()
            };
            let solve = SolveOptions::default();
            let outcome = knapsack::solve(&context, &instance.unwrap(), &options, &solve).unwrap();
            assert_eq!(outcome.report.device.as_deref(), Some(&*device.info().name));
            assert_eq!(builds(&lines), before, "{:?}", lines.lock().unwrap());
        }
    }

    #[test]
    fn it_ends_soon_after_a_stop() {
        for found in found_devices() {
            let (context, _) = context(found.info.index);
            let kernels = Kernels::named(&["recurrence"]).unwrap();
            let many = (0..50).fold(kernels.clone(), |all, _| all.and(kernels.clone()));
            let prewarm = context.prewarm(many).unwrap();
            prewarm.stop();
            assert!(prewarm.wait(LONG));
            let progress = prewarm.progress();
            assert!(progress.is_over && progress.done < progress.total, "{progress:?}");
            // The context may go first.
            let other = context.prewarm(kernels).unwrap();
            drop(context);
            assert!(other.progress().is_over && other.wait(None));
        }
    }

    #[test]
    fn a_missing_device_is_its_problem() {
        let folder = tempfile::tempdir().unwrap();
        let context = context_with_folder(999, &folder);
        let prewarm = context.prewarm(Kernels::all()).unwrap();
        assert!(prewarm.wait(LONG));
        let progress = prewarm.progress();
        assert_eq!((progress.done, progress.problems.len()), (0, 1));
        assert!(progress.problems[0].starts_with("no OpenCL device: "), "{progress:?}");
        assert_eq!(progress.measured, ["processor"]);
    }

    /// A context that keeps its measurements.
    fn context_with_folder(device: usize, folder: &tempfile::TempDir) -> Context {
        let (device, threads) = (Some(device), Some(2));
        let cache = CacheLocation::Directory(folder.path().to_owned());
        Context::new(ContextOptions { device, threads, cache, ..ContextOptions::default() })
            .unwrap()
    }

    #[test]
    fn it_measures_what_is_unknown() {
        for device in found_devices().iter().filter(|device| !device.is_simulator()) {
            let folder = tempfile::tempdir().unwrap();
            let measured = || {
                let context = context_with_folder(device.info.index, &folder);
                let kernels = Kernels::named(&["recurrence"]).unwrap();
                let prewarm = context.prewarm(kernels).unwrap();
                assert!(prewarm.wait(LONG));
                assert!(context.processor_speeds().measured);
                assert!(context.device_speeds(device.info.index).unwrap().measured);
                let progress = prewarm.progress();
                assert_eq!((progress.done, progress.problems), (progress.total, vec![]));
                progress.measured
            };
            assert_eq!(measured(), ["processor", &*device.info.name]);
            assert!(measured().is_empty(), "it is known");
        }
    }

    #[test]
    fn it_ends_without_measuring_while_a_solve_runs() {
        let folder = tempfile::tempdir().unwrap();
        let context = context_with_folder(999, &folder);
        let solve = context.background.count();
        let measured = || {
            let prewarm = context.prewarm(Kernels::named(&["knapsack"]).unwrap()).unwrap();
            assert!(prewarm.wait(LONG));
            prewarm.progress().measured
        };
        assert!(measured().is_empty() && !context.processor_speeds().measured);
        drop(solve);
        assert_eq!(measured(), ["processor"]);
    }

    #[test]
    fn nothing_to_build_is_over_at_once() {
        let context = context_without_the_device();
        let prewarm = context.prewarm(Kernels::named::<&str>(&[]).unwrap()).unwrap();
        assert!(prewarm.wait(LONG) && prewarm.wait(Some(Duration::ZERO)));
    }
}
