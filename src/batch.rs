//! Many small instances at once, each on one thread of the CPU.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::memory::{self, Gather};
use crate::solve::{Certificate, Monitor, Objective, Outcome, Report, Sense};
use crate::{Context, Control, Engine, Error, Limits, Progress, Result, SolveOptions, parallel};

/// Solves all instances by `solve` and returns their outcomes in the same order. Where a device is
/// asked for, they are solved one after the other.
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
    let mut outcomes: Vec<OnceLock<Outcome<S, V>>> = memory::list(instances.len())?;
    outcomes.resize_with(instances.len(), OnceLock::new);
    let solve_one = |context: &Context, index: usize, part: &SolveOptions| {
        // Each index comes once.
        let _ = outcomes[index].set(solve(context, instances[index], part)?);
        Ok(())
    };
    run(context, instances.len(), sense, options, &solve_one)?;
    let stopped = || Certificate::stopped(sense, None).outcome(None, Report::default());
    outcomes.into_iter().map(|outcome| outcome.into_inner().unwrap_or_else(stopped)).gather()
}

/// Calls `solve` with each index from 0 below `count`, unless a limit leaves it out. This part is
/// compiled once for all problems.
fn run(
    context: &Context,
    count: usize,
    sense: Sense,
    options: &SolveOptions,
    solve: &(dyn Fn(&Context, usize, &SolveOptions) -> Result<()> + Sync),
) -> Result<()> {
    let monitor = context.watch(sense, options)?;
    let done = AtomicUsize::new(0);
    let solve_one = |context: &Context, index: usize, engine| {
        if !monitor.should_stop() {
            solve(context, index, &part(&monitor, options, engine))?;
        }
        done.fetch_add(1, Ordering::Relaxed);
        Ok(())
    };
    if context.wants_device(options.engine) {
        (0..count).try_for_each(|index| solve_one(context, index, options.engine))?;
    } else {
        let contexts = Contexts(Mutex::new(Vec::new()));
        let fraction = || Some(done.load(Ordering::Relaxed) as f64 / count.max(1) as f64);
        // The first failure in order. Instances before it are still solved.
        let failure = Mutex::new(None::<(usize, Box<Error>)>);
        let first = || failure.lock().unwrap_or_else(PoisonError::into_inner);
        context.install_reporting(&monitor, "batch", fraction, || {
            parallel::for_each(0..count, |index| {
                if first().as_ref().is_some_and(|(before, _)| *before < index) {
                    return;
                }
                if let Err(error) = contexts.lend(|alone| solve_one(alone, index, None)) {
                    let mut first = first();
                    if first.as_ref().is_none_or(|(before, _)| index < *before) {
                        *first = Some((index, error));
                    }
                }
            });
        })?;
        if let Some((_, error)) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
    }
    monitor.report("batch", Some(1.0));
    Ok(())
}

/// The options of one solve of a batch.
fn part(monitor: &Monitor, options: &SolveOptions, engine: Option<Engine>) -> SolveOptions {
    let watched = monitor.clone();
    SolveOptions {
        limits: Limits { time: monitor.left(), ..options.limits.clone() },
        seed: options.seed,
        engine,
        stop: options.stop.clone(),
        // The caller's callback receives the progress of the batch, and its answer ends the parts.
        progress: Some(Arc::new(move |_: &Progress| match watched.should_stop() {
            true => Control::Stop,
            false => Control::Continue,
        })),
    }
}

/// Contexts without threads, which the pool's threads lend each other.
struct Contexts(Mutex<Vec<Context>>);

impl Contexts {
    fn lend<T>(&self, work: impl FnOnce(&Context) -> Result<T>) -> Result<T> {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let context = idle.pop();
        drop(idle);
        let context = match context {
            Some(context) => context,
            None => Context::in_place()?,
        };
        let result = work(&context);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(context);
        result
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::testing::{cpu_context, limited};
    use crate::{ProgressCallback, Status, StopHandle, flow_shop, knapsack, parallel_machines};

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

    #[test]
    fn knapsacks_are_maximised() {
        let instance = knapsack::Instance::new(vec![5, 7, 9], vec![4, 6, 5], 10).unwrap();
        let options = SolveOptions::default();
        let batch =
            knapsack::solve_batch(&cpu_context(1), &[&instance; 3], &Default::default(), &options);
        assert!(batch.unwrap().iter().all(|outcome| outcome.objective == Some(14)));
    }
}
