use std::thread;

use super::waiting::Awaited;
use crate::solve::Monitor;
use crate::{Error, Result, scoped};

/// Runs steps at the same time: the first on the calling thread, which may report progress, the
/// others on one thread each. While the calling thread waits for the others, it looks at the
/// monitor. Returns their results in order.
pub(crate) fn side_by_side<T: Send>(
    monitor: &Monitor,
    mut steps: impl Iterator<Item = impl FnOnce() -> Result<T> + Send>,
) -> Vec<Result<T>> {
    let Some(first) = steps.next() else { return Vec::new() };
    let awaited = Awaited::new();
    thread::scope(|scope| {
        let threads: Vec<_> = steps.map(|step| awaited.spawn(scope, step)).collect();
        let first = first();
        awaited.wait(monitor);
        let others = threads.into_iter().map(|thread| thread.and_then(scoped::join));
        [first].into_iter().chain(others).collect()
    })
}

/// An error, and the number of the step that it is of.
pub(crate) type Failure = (usize, Box<Error>);

/// The results of all steps, or a failure. A failure counts more than a stop: the other steps may
/// have stopped because of it.
pub(crate) fn all_of<T>(results: Vec<Result<T>>) -> std::result::Result<Vec<T>, Failure> {
    let is_stop = |error: &Error| matches!(error, Error::Stopped);
    let (mut all, mut failure) = (Vec::with_capacity(results.len()), None::<Failure>);
    for (number, result) in results.into_iter().enumerate() {
        match result {
            Ok(result) => all.push(result),
            Err(error) => {
                let counts_more = |(_, known): &Failure| is_stop(known) && !is_stop(&error);
                if failure.as_ref().is_none_or(counts_more) {
                    failure = Some((number, error));
                }
            }
        }
    }
    failure.map_or(Ok(all), Err)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::testing::{assert_error, monitor, monitor_that_is_told_to_stop};

    #[test]
    fn the_first_step_runs_here_and_no_failure_hides_another_result() {
        let step = |number: usize| {
            move || match number {
                3 => Err(Error::stopped()),
                _ => Ok((number, thread::current().id())),
            }
        };
        let mut results = side_by_side(&monitor(), (0..5).map(step));
        assert_error!(results.remove(3), Error::Stopped);
        let results: Vec<_> = results.into_iter().map(|result| result.unwrap()).collect();
        assert_eq!(results[0], (0, thread::current().id()));
        for (index, number) in [(1, 1), (2, 2), (3, 4)] {
            assert_eq!(results[index].0, number);
            assert_ne!(results[index].1, thread::current().id());
        }
        assert!(side_by_side(&monitor(), (0..0).map(step)).is_empty());
    }

    #[test]
    fn the_callback_may_stop_the_others_while_the_calling_thread_waits_for_them() {
        let monitor = monitor_that_is_told_to_stop();
        let others = |number: usize| {
            let monitor = &monitor;
            move || {
                while number > 0 && !monitor.is_over() {
                    thread::yield_now();
                }
                Ok(number)
            }
        };
        let results = side_by_side(&monitor, (0..3).map(others));
        assert_eq!(all_of(results).map_err(|(number, _)| number), Ok(vec![0, 1, 2]));
    }

    #[test]
    fn a_failure_counts_more_than_a_stop() {
        let failed = || Err(Error::internal("a fault"));
        let first = |results: Vec<Result<u8>>| all_of(results).map_err(|(number, _)| number);
        assert_eq!(first(vec![Ok(1), Ok(2)]), Ok(vec![1, 2]));
        assert_eq!(first(vec![Ok(1), Err(Error::stopped()), Err(Error::stopped())]), Err(1));
        assert_eq!(first(vec![Err(Error::stopped()), Ok(1), failed(), failed()]), Err(2));
    }
}
