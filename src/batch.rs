//! Many instances at once: many at a time on a device, small ones each on one thread of the CPU,
//! large ones one after the other on all threads.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::context::ENDED_BEFORE_DEVICE;
use crate::memory::{self, Gather};
use crate::mutex::lock;
use crate::solve::{Certificate, Monitor, Objective, Outcome, Report, Sense};
use crate::{
    Context, Control, Engine, Error, Limits, Progress, ProgressCallback, Result, SolveOptions,
    StopHandle, parallel,
};

/// Solves all instances by `solve`, each on one thread, and returns their outcomes in the same
/// order. Where a device is asked for, they are solved one after the other.
///
/// The limits apply to the whole batch, [`Limits::iterations`] to each instance. Instances that a
/// limit leaves out are [`Status::Stopped`](crate::Status::Stopped) and have no solution.
///
/// # Errors
/// The first instance in order that fails.
pub(crate) fn solve_each<I: Sync, S: Send + Sync, V: Objective + Send + Sync>(
    context: &Context,
    instances: &[&I],
    sense: Sense,
    options: &SolveOptions,
    solve: impl Fn(&Context, &I, &SolveOptions) -> Result<Outcome<S, V>> + Sync,
) -> Result<Vec<Outcome<S, V>>> {
    let monitor = &context.watch(sense, options)?;
    let ways = Ways {
        sense: &|_| sense,
        is_large: &|_| false,
        together: &|_, _| Ok(Vec::new()),
        solve: &solve,
    };
    let batch = Batch { context, instances, options, monitor, share: WHOLE };
    let outcomes = batch.solve(&ways)?;
    monitor.conclude_batch();
    Ok(outcomes)
}

/// Instances with what all of them share.
pub(crate) struct Batch<'a, I> {
    pub(crate) context: &'a Context,
    pub(crate) instances: &'a [&'a I],
    pub(crate) options: &'a SolveOptions,
    pub(crate) monitor: &'a Monitor,
    /// Where the batch begins and ends in what the monitor reports.
    pub(crate) share: Share,
}

/// A part of the way from 0, nothing is solved, to 1, all is.
pub(crate) type Share = (f64, f64);

/// The share of a batch that is all there is.
pub(crate) const WHOLE: Share = (0.0, 1.0);

/// How a problem solves the instances of a batch.
pub(crate) struct Ways<'a, I, S, V> {
    pub(crate) sense: &'a dyn Fn(&I) -> Sense,
    /// Whether an instance is worth all threads.
    pub(crate) is_large: &'a (dyn Fn(&I) -> bool + Sync),
    /// Fills the outcomes of instances that a device solves many at a time, if it is asked for or
    /// faster. It may call the second argument, which solves small ones on the CPU until its
    /// monitor says stop. Instances without an outcome are solved afterwards. Returns why the
    /// device did not solve instances that it was to solve.
    pub(crate) together: &'a Together<'a, S, V>,
    pub(crate) solve: &'a Solve<'a, I, S, V>,
}

/// See [`Ways::solve`].
type Solve<'a, I, S, V> = dyn Fn(&Context, &I, &SolveOptions) -> Result<Outcome<S, V>> + Sync + 'a;

/// See [`Ways::together`].
type Together<'a, S, V> = dyn Fn(&[Slot<S, V>], OnCpu<'_>) -> Result<Vec<Fallback>> + 'a;
pub(crate) type OnCpu<'a> = &'a dyn Fn(&Monitor) -> Result<()>;

/// Instances that the CPU solves, and the reason why the device does not.
pub(crate) struct Fallback {
    pub(crate) reason: String,
    pub(crate) instances: Vec<usize>,
}

/// The outcome of an instance, once it is solved.
pub(crate) type Slot<S, V> = OnceLock<Outcome<S, V>>;

impl<I: Sync> Batch<'_, I> {
    /// The outcomes in the order of the instances.
    pub(crate) fn solve<S: Send + Sync, V: Objective + Send + Sync>(
        &self,
        ways: &Ways<'_, I, S, V>,
    ) -> Result<Vec<Outcome<S, V>>> {
        let mut outcomes: Vec<Slot<S, V>> = memory::list(self.instances.len())?;
        outcomes.resize_with(self.instances.len(), OnceLock::new);
        let is_large = |index: usize| (ways.is_large)(self.instances[index]);
        let solve = |context: &Context, index: usize, part: &SolveOptions| {
            let outcome = (ways.solve)(context, self.instances[index], part)?;
            // Each index comes once.
            let _ = outcomes[index].set(outcome);
            Ok(())
        };
        let fallbacks = RefCell::new(Vec::new());
        Run {
            context: self.context,
            options: self.options,
            monitor: self.monitor,
            count: self.instances.len(),
            share: self.share,
            is_solved: &|index| outcomes[index].get().is_some(),
            is_large: &is_large,
            solve: &solve,
            failure: Mutex::new(None),
        }
        .all(&|on_cpu| {
            fallbacks.replace((ways.together)(&outcomes, on_cpu)?);
            Ok(())
        })?;
        let left_out = |instance: &I| {
            let waited = self.context.wants_device(self.options.engine);
            let warning = waited.then(|| ENDED_BEFORE_DEVICE.to_owned());
            let report = Report { interrupted: true, warning, ..Report::default() };
            Certificate::stopped((ways.sense)(instance), None).outcome(None, report)
        };
        let outcomes = outcomes.into_iter().zip(self.instances);
        let mut outcomes: Vec<Outcome<S, V>> = outcomes
            .map(|(outcome, instance)| {
                outcome.into_inner().unwrap_or_else(|| left_out(instance)).traced()
            })
            .gather()?;
        for Fallback { reason, instances } in fallbacks.into_inner() {
            for index in instances {
                outcomes[index].report.fallback.get_or_insert_with(|| reason.clone());
            }
        }
        Ok(outcomes)
    }
}

/// A batch whose instances are known by their numbers: compiled once for all problems.
struct Run<'a> {
    context: &'a Context,
    options: &'a SolveOptions,
    monitor: &'a Monitor,
    count: usize,
    share: Share,
    is_solved: &'a (dyn Fn(usize) -> bool + Sync),
    is_large: &'a (dyn Fn(usize) -> bool + Sync),
    solve: &'a (dyn Fn(&Context, usize, &SolveOptions) -> Result<()> + Sync),
    /// The first failure in order. Instances before it are still solved.
    failure: Mutex<Option<(usize, Box<Error>)>>,
}

impl Run<'_> {
    fn all(self, together: &dyn Fn(OnCpu<'_>) -> Result<()>) -> Result<()> {
        let is_over = Cell::new(self.context.wants_device(self.options.engine));
        let on_threads = |monitor: &Monitor| {
            self.on_threads(monitor)?;
            if monitor.is_relieved() {
                return Err(Error::stopped());
            }
            is_over.set(true);
            Ok(())
        };
        together(&on_threads)?;
        if !is_over.get() {
            on_threads(self.monitor)?;
        }
        self.one_by_one()?;
        match self.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some((_, error)) => Err(error),
            None => Ok(()),
        }
    }

    /// Solves the small instances, each on one thread with its share of the memory limit, until
    /// `monitor` says stop. Those that need more memory are left for [`Run::one_by_one`].
    fn on_threads(&self, monitor: &Monitor) -> Result<()> {
        let threads = self.context.threads() as u64;
        let memory = share_of_memory(self.context, self.monitor, self.options, self.count);
        let contexts = Contexts(Mutex::new(Vec::new()));
        let done = AtomicUsize::new(self.solved());
        let fraction = || self.fraction(done.load(Ordering::Relaxed));
        self.context.install_reporting(self.monitor, "batch", fraction, || {
            parallel::for_each(0..self.count, |index| {
                if (self.is_solved)(index) || (self.is_large)(index) || self.has_failed(index) {
                    return;
                }
                let solved = contexts.lend(|alone| {
                    if !monitor.should_stop() {
                        (self.solve)(alone, index, &self.part(None, memory))?;
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                    Ok(())
                });
                match solved {
                    Err(error) if matches!(*error, Error::OutOfMemory { .. }) && threads > 1 => {}
                    solved => self.keep_failure(index, solved),
                }
            });
        })?;
        self.monitor.report("batch", fraction());
        Ok(())
    }

    /// Solves what is left, with all threads or the device and the whole memory limit for each.
    fn one_by_one(&self) -> Result<()> {
        let mut done = self.solved();
        for index in 0..self.count {
            if (self.is_solved)(index) {
                continue;
            }
            if self.monitor.should_stop() || self.has_failed(index) {
                break;
            }
            let part = self.reporting(self.part(self.options.engine, self.options.limits.memory));
            self.keep_failure(index, (self.solve)(self.context, index, &part));
            done += 1;
            self.monitor.report("batch", self.fraction(done));
        }
        Ok(())
    }

    /// How far the monitor's solve is when `done` instances of this batch are solved.
    fn fraction(&self, done: usize) -> Option<f64> {
        let (begin, end) = self.share;
        Some(begin + (end - begin) * done as f64 / self.count.max(1) as f64)
    }

    fn solved(&self) -> usize {
        (0..self.count).filter(|&index| (self.is_solved)(index)).count()
    }

    /// Whether an instance before this one has failed.
    fn has_failed(&self, index: usize) -> bool {
        let failure = lock(&self.failure);
        failure.as_ref().is_some_and(|(before, _)| *before < index)
    }

    fn keep_failure(&self, index: usize, solved: Result<()>) {
        let Err(error) = solved else { return };
        let mut failure = lock(&self.failure);
        if failure.as_ref().is_none_or(|(before, _)| index < *before) {
            *failure = Some((index, error));
        }
    }

    /// The options of one solve of the batch.
    fn part(&self, engine: Option<Engine>, memory: Option<u64>) -> SolveOptions {
        SolveOptions { engine, ..part_of(self.monitor, self.options, memory) }
    }

    /// The options of a part that works for long, on several threads or on a device: the calling
    /// thread asks the caller's callback meanwhile. Without one, no solve keeps solutions to show.
    fn reporting(&self, part: SolveOptions) -> SolveOptions {
        let watched = self.monitor.clone();
        let ask = self.options.progress.as_ref().map(|_| {
            Arc::new(move |_: &Progress| match watched.should_stop() {
                true => Control::Stop,
                false => Control::Continue,
            }) as ProgressCallback
        });
        SolveOptions { progress: ask, ..part }
    }
}

/// The options of one solve of the batch that `monitor` watches, without an engine.
pub(crate) fn part_of(
    monitor: &Monitor,
    options: &SolveOptions,
    memory: Option<u64>,
) -> SolveOptions {
    SolveOptions {
        limits: Limits { time: monitor.left(), memory, iterations: options.limits.iterations },
        seed: options.seed,
        engine: None,
        // What ends the batch ends its parts: also the answer of the caller's callback, which
        // receives the progress of the batch.
        stop: Some(StopHandle::of(monitor)),
        progress: None,
    }
}

/// The memory limit of each of `count` instances that the threads solve side by side.
pub(crate) fn share_of_memory(
    context: &Context,
    monitor: &Monitor,
    options: &SolveOptions,
    count: usize,
) -> Option<u64> {
    match context.threads().min(count) as u64 {
        0 | 1 => options.limits.memory,
        sharing => Some(monitor.memory_bytes() / sharing),
    }
}

/// Contexts without threads, which the pool's threads lend each other.
struct Contexts(Mutex<Vec<Context>>);

impl Contexts {
    fn lend<T>(&self, work: impl FnOnce(&Context) -> Result<T>) -> Result<T> {
        let mut idle = lock(&self.0);
        let context = idle.pop();
        drop(idle);
        let context = match context {
            Some(context) => context,
            None => Context::in_place()?,
        };
        let result = work(&context);
        lock(&self.0).push(context);
        result
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::testing::{cpu_context, limited};
    use crate::{Status, flow_shop, knapsack, parallel_machines};

    fn jobs(count: u64) -> Vec<parallel_machines::Instance> {
        let times = |seed: u64| (0..12).map(|job| 1 + (seed * 7919 + job * 104_729) % 97).collect();
        (0..count).map(|seed| parallel_machines::Instance::new(times(seed), 3).unwrap()).collect()
    }

    #[test]
    fn a_batch_is_its_instances_one_by_one() {
        let (context, options) = (cpu_context(3), SolveOptions::default());
        let instances = jobs(40);
        let references: Vec<_> = instances.iter().collect();
        let own = parallel_machines::Options::default();
        let batch = parallel_machines::solve_batch(&context, &references, &own, &options).unwrap();
        assert_eq!(batch.len(), instances.len());
        for (instance, outcome) in instances.iter().zip(batch) {
            let alone = parallel_machines::solve(&context, instance, &own, &options).unwrap();
            assert_eq!((outcome.status, outcome.bound), (alone.status, alone.bound));
            assert_eq!(outcome.solution, alone.solution);
        }
        assert_eq!(solve_jobs(&context, &[], &options).unwrap().len(), 0);
    }

    #[test]
    fn outcomes_have_the_reason_why_a_device_left_them() {
        let (context, options) = (cpu_context(2), SolveOptions::default());
        let (instances, own) = (jobs(3), parallel_machines::Options::default());
        let instances: Vec<_> = instances.iter().collect();
        let monitor = &context.watch(Sense::Minimise, &options).unwrap();
        let batch = Batch {
            context: &context,
            instances: &instances,
            options: &options,
            monitor,
            share: WHOLE,
        };
        let outcomes = batch.solve(&Ways {
            sense: &|_| Sense::Minimise,
            is_large: &|_| false,
            together: &|_, _| Ok(vec![Fallback { reason: "hot".into(), instances: vec![0, 2] }]),
            solve: &|context, instance, part| {
                parallel_machines::solve(context, instance, &own, part)
            },
        });
        let outcomes = outcomes.unwrap();
        let fallbacks = outcomes.iter().map(|outcome| outcome.report.fallback.as_deref());
        assert!(fallbacks.eq([Some("hot"), None, Some("hot")]));
    }

    fn solve_jobs(
        context: &Context,
        instances: &[&parallel_machines::Instance],
        options: &SolveOptions,
    ) -> Result<Vec<Outcome<parallel_machines::Schedule>>> {
        parallel_machines::solve_batch(context, instances, &Default::default(), options)
    }

    #[test]
    fn what_a_limit_leaves_out_is_stopped() {
        let context = cpu_context(2);
        let instances = jobs(5);
        let references: Vec<_> = instances.iter().collect();
        let stop = StopHandle::new();
        stop.stop();
        let at_once: ProgressCallback = Arc::new(|_: &Progress| Control::Stop);
        for options in [
            limited(Limits { time: Some(Duration::ZERO), ..Limits::default() }),
            SolveOptions { stop: Some(stop), ..SolveOptions::default() },
        ] {
            for outcome in solve_jobs(&context, &references, &options).unwrap() {
                assert_eq!((outcome.status, outcome.solution), (Status::Stopped, None));
            }
        }
        // The answer of the callback may come after the first instances.
        let options = SolveOptions { progress: Some(at_once), ..SolveOptions::default() };
        for outcome in solve_jobs(&context, &references, &options).unwrap() {
            assert_eq!(outcome.solution.is_none(), outcome.status == Status::Stopped);
        }
    }

    #[test]
    fn progress_tells_the_share_and_an_instance_that_fails_the_error() {
        let context = cpu_context(2);
        let shares = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&shares);
        let progress: ProgressCallback = Arc::new(move |progress: &Progress| {
            kept.lock().unwrap().push(progress.fraction);
            Control::Continue
        });
        let options = SolveOptions { progress: Some(progress), ..SolveOptions::default() };
        let instances: Vec<_> = (0..50)
            .map(|seed| flow_shop::Instance::new(2, 2, vec![seed, 1, 2, 3]).unwrap())
            .collect();
        let references: Vec<_> = instances.iter().collect();
        flow_shop::solve_batch(&context, &references, &Default::default(), &options).unwrap();
        assert_eq!(shares.lock().unwrap().last(), Some(&Some(1.0)));

        let start = Some(flow_shop::Permutation::new(vec![1, 1]));
        let wrong = flow_shop::Options { start, ..Default::default() };
        let error = flow_shop::solve_batch(&context, &references, &wrong, &options).unwrap_err();
        assert_eq!(error.to_string(), "start[1]: job 1 stands at position 0 already");
    }

    /// Outcomes of a batch whose parts need this many bytes each.
    fn needing(bytes: u128, threads: usize, memory: u64) -> Result<Vec<Outcome<u64>>> {
        let instances: Vec<u64> = (0..10).collect();
        let references: Vec<_> = instances.iter().collect();
        let options = limited(Limits { memory: Some(memory), ..Limits::default() });
        let solve = |context: &Context, &instance: &u64, part: &SolveOptions| {
            let monitor = context.watch(Sense::Minimise, part)?;
            monitor.check_memory(bytes, || format!("instance {instance}"))?;
            let certificate = Certificate::proved(Sense::Minimise, Some(bytes as i64));
            Ok(certificate.outcome(part.limits.memory, Report::default()))
        };
        solve_each(&cpu_context(threads), &references, Sense::Minimise, &options, solve)
    }

    #[test]
    fn threads_share_the_memory_limit_and_large_instances_have_all_of_it() {
        let given = |outcomes: Result<Vec<Outcome<u64>>>| {
            let outcomes = outcomes.unwrap().into_iter();
            outcomes.map(|outcome| outcome.solution.unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(given(needing(300, 3, 900)), [300; 10]);
        assert_eq!(given(needing(301, 3, 900)), [900; 10]);
        assert_eq!(given(needing(900, 1, 900)), [900; 10]);
        let error = needing(901, 3, 900).unwrap_err().to_string();
        assert!(error.contains("instance 0"), "{error}");
    }

    #[test]
    fn devices_solve_batches_partly_and_tell_the_share() {
        use crate::{interval_dp, lattice_dp};

        for device in crate::opencl::testing::test_devices() {
            let context = crate::testing::device_context(&device);
            let shares = Arc::new(Mutex::new(Vec::new()));
            let kept = Arc::clone(&shares);
            let progress: ProgressCallback = Arc::new(move |progress: &Progress| {
                if progress.phase == "end" {
                    kept.lock().unwrap().push(progress.fraction);
                }
                Control::Continue
            });
            let options = SolveOptions { progress: Some(progress), ..SolveOptions::default() };
            let told = || {
                assert_eq!(shares.lock().unwrap().drain(..).next_back(), Some(Some(1.0)));
            };
            let lattice = lattice_dp::Instance::new(&[5], [([1], 1), ([2], 1)]).unwrap();
            let own = lattice_dp::Options::default();
            let batch = lattice_dp::solve_batch(&context, &[&lattice; 9], &own, &options).unwrap();
            assert!(batch.iter().all(|outcome| outcome.objective == Some(2)));
            assert!(batch.iter().all(|outcome| outcome.report.device.is_some()));
            told();
            let chain = interval_dp::Instance::matrix_chain(vec![2i64, 3, 4, 5]).unwrap();
            let cubic =
                interval_dp::Options { method: interval_dp::Method::Cubic, ..Default::default() };
            let batch = interval_dp::solve_batch(&context, &[&chain; 9], &cubic, &options).unwrap();
            assert!(batch.iter().all(|outcome| outcome.objective == Some(64)));
            assert!(batch.iter().all(|outcome| outcome.report.device.is_some()));
            told();
        }
    }

    #[test]
    fn knapsacks_are_maximised() {
        let instance = knapsack::Instance::new(vec![5, 7, 9], vec![4, 6, 5], 10).unwrap();
        let options = SolveOptions::default();
        let batch =
            knapsack::solve_batch(&cpu_context(1), &[&instance; 3], &Default::default(), &options);
        assert!(batch.unwrap().iter().all(|outcome| outcome.objective == Some(14)));
    }
}
