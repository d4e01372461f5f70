//! Many instances at once: small ones a thread each, large ones one after the other.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::instance::Instance;
use super::number::Number;
use super::tiles::TILE;
use super::{Options, Solution, solve};
use crate::solve::{Engine, Limits, Monitor, Outcome, Report, SolveOptions, Status};
use crate::{Context, Result};

/// Solves all instances as [`solve`] does, and returns their outcomes in the same order. Instances of up to 64 points
/// are spread over the threads of the CPU; larger ones are solved one after the other, each on all threads or on the
/// device. The limits hold for the whole batch, [`Limits::iterations`] for each instance; what they cut off is
/// [`Status::Stopped`]. Progress is reported on the calling thread.
///
/// # Errors
/// Those of [`solve`], of the first instance that has one.
pub fn solve_batch<V: Number>(
    context: &Context,
    instances: &[Instance<V>],
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Vec<Outcome<Solution<V>, V>>> {
    let monitor = Monitor::new(solve_options);
    let quiet = SolveOptions {
        limits: Limits { time: None, ..solve_options.limits.clone() },
        engine: Some(Engine::Cpu),
        progress: None,
        ..solve_options.clone()
    };
    let done = AtomicUsize::new(0);
    let is_small = |instance: &Instance<V>| instance.points() <= TILE && !instance.is_for_devices();
    let solve_small = |instance: &Instance<V>| {
        done.fetch_add(1, Ordering::Relaxed);
        match (is_small(instance), monitor.should_stop()) {
            (false, _) => Ok(None),
            (true, true) => Ok(Some(stopped())),
            (true, false) => solve(context, instance, options, &quiet).map(Some),
        }
    };
    let fraction = || Some(done.load(Ordering::Relaxed) as f64 / instances.len() as f64);
    let small: Vec<_> = context.install_reporting(&monitor, "batch", fraction, || {
        instances.par_iter().map(solve_small).collect::<Result<_>>()
    })??;
    let solve_large = |(instance, outcome): (&Instance<V>, Option<_>)| match outcome {
        Some(outcome) => Ok(outcome),
        None if monitor.should_stop() => Ok(stopped()),
        None => {
            let left = solve_options.limits.time.map(|time| time.saturating_sub(monitor.elapsed()));
            let limits = Limits { time: left, ..solve_options.limits.clone() };
            solve(context, instance, options, &SolveOptions { limits, ..solve_options.clone() })
        }
    };
    instances.iter().zip(small).map(solve_large).collect()
}

fn stopped<S, V>() -> Outcome<S, V> {
    let report = Report { interrupted: true, ..Report::default() };
    Outcome { status: Status::Stopped, objective: None, bound: None, solution: None, report }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval_dp::Method;
    use crate::{ContextOptions, StopHandle};

    fn chains() -> Vec<Instance<i64>> {
        let chain = |len: usize| {
            let dimensions = (0..len as i64).map(|index| 1 + index * 7919 % 31).collect();
            Instance::matrix_chain(dimensions).unwrap()
        };
        (2..40).chain([64, 65, 200]).chain(2..40).map(chain).collect()
    }

    fn context() -> Context {
        let options = ContextOptions { engine: Engine::Cpu, threads: Some(3), ..ContextOptions::default() };
        Context::new(options).unwrap()
    }

    #[test]
    fn a_batch_is_its_instances_one_by_one() {
        let (context, chains) = (context(), chains());
        for method in [Method::Auto, Method::Cubic] {
            let options = Options { method, ..Options::default() };
            let outcomes = solve_batch(&context, &chains, &options, &SolveOptions::default()).unwrap();
            assert_eq!(outcomes.len(), chains.len());
            for (chain, outcome) in chains.iter().zip(outcomes) {
                let single = solve(&context, chain, &options, &SolveOptions::default()).unwrap();
                assert_eq!(outcome.objective, single.objective);
                assert_eq!(outcome.solution, single.solution);
            }
        }
    }

    #[test]
    fn a_batch_stops_and_fails_as_a_whole() {
        let (context, mut chains) = (context(), chains());
        let stop = StopHandle::new();
        stop.stop();
        let options = SolveOptions { stop: Some(stop), ..SolveOptions::default() };
        let outcomes = solve_batch(&context, &chains, &Options::default(), &options).unwrap();
        assert!(outcomes.iter().all(|outcome| outcome.status == Status::Stopped));
        chains.push(Instance::matrix_chain(vec![4_000_000; 5]).unwrap());
        assert!(solve_batch(&context, &chains, &Options::default(), &SolveOptions::default()).is_err());
        assert!(
            solve_batch::<i64>(&context, &[], &Options::default(), &SolveOptions::default())
                .unwrap()
                .is_empty()
        );
    }
}
