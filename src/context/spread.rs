//! The parts of a batch on several devices.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use super::Team;
use crate::opencl::Device;
use crate::{Error, Result, scoped};

/// Solves the parts 0 .. `parts` of a batch. The chosen device takes one after the other, and so do
/// further ones that join a long batch. Returns the results in order, up to the first part that is
/// not solved because of a stop. A stop before any part is solved is an error. If a further device
/// fails, it is left out, and the others solve the part that it had; if it is wrong, all of its parts.
pub(crate) fn spread<T: Send>(
    team: &Team<'_>,
    chosen: &Device,
    parts: usize,
    solve: &(dyn Fn(&Device, usize) -> Result<T> + Sync),
) -> Result<Vec<T>> {
    let begun = Instant::now();
    let batch = Batch::new(parts);
    let worked = thread::scope(|scope| {
        let mut is_called = false;
        batch.work(&|part| solve(chosen, part), &mut |left| {
            if is_called || left < 2 || begun.elapsed() < team.alone() {
                return;
            }
            is_called = true;
            for place in team.places() {
                let batch = &batch;
                let join = move || batch.work_further(team, place, solve);
                if let Err(error) = scoped::spawn(scope, join) {
                    team.leave_out(place, &error);
                }
            }
        })
    });
    // Parts that failed devices have left.
    worked.and_then(|()| batch.work(&|part| solve(chosen, part), &mut |_| ()))?;
    batch.into_results()
}

/// The parts that are to be solved, and the results.
struct Batch<T>(Mutex<State<T>>);

struct State<T> {
    /// Open parts, the last one first.
    open: Vec<usize>,
    results: Vec<Option<T>>,
    is_stopped: bool,
    /// A failure that ends the batch.
    failure: Option<Box<Error>>,
}

impl<T: Send> Batch<T> {
    fn new(parts: usize) -> Self {
        Batch(Mutex::new(State {
            open: (0..parts).rev().collect(),
            results: (0..parts).map(|_| None).collect(),
            is_stopped: false,
            failure: None,
        }))
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Solves one open part after the other. Passes the number of open ones to `between` before
    /// each.
    fn work(
        &self,
        solve: &dyn Fn(usize) -> Result<T>,
        between: &mut dyn FnMut(usize),
    ) -> Result<()> {
        while let Some((part, left)) = self.take() {
            between(left);
            match solve(part) {
                Ok(result) => self.state().results[part] = Some(result),
                Err(error) => return self.end(error),
            }
        }
        Ok(())
    }

    fn take(&self) -> Option<(usize, usize)> {
        let mut state = self.state();
        if state.is_stopped || state.failure.is_some() {
            return None;
        }
        state.open.pop().map(|part| (part, state.open.len() + 1))
    }

    /// Ends the batch of all devices by a stop or an error.
    fn end(&self, error: Box<Error>) -> Result<()> {
        let mut state = self.state();
        match *error {
            Error::Stopped => state.is_stopped = true,
            _ => {
                state.failure.get_or_insert(error);
            }
        }
        Ok(())
    }

    /// Solves open parts on a further device.
    fn work_further(
        &self,
        team: &Team<'_>,
        place: usize,
        solve: &(dyn Fn(&Device, usize) -> Result<T> + Sync),
    ) {
        let Some(device) = team.device(place) else { return };
        let mut own = Vec::new();
        while let Some((part, _)) = self.take() {
            match solve(device, part) {
                Ok(result) => {
                    self.state().results[part] = Some(result);
                    own.push(part);
                    team.joined(place);
                }
                Err(error) if error.is_device_failure() => {
                    team.leave_out(place, &error);
                    let mut state = self.state();
                    state.open.push(part);
                    if matches!(*error, Error::DeviceWrong(_)) {
                        for part in own {
                            state.results[part] = None;
                            state.open.push(part);
                        }
                    }
                    return;
                }
                Err(error) => {
                    let _ = self.end(error);
                    return;
                }
            }
        }
    }

    fn into_results(self) -> Result<Vec<T>> {
        let State { results, failure, is_stopped, .. } =
            self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let found: Vec<T> = results.into_iter().map_while(|result| result).collect();
        match failure {
            Some(error) => Err(error),
            None if is_stopped && found.is_empty() => Err(Error::stopped()),
            None => Ok(found),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::opencl::testing::test_devices;
    use crate::testing::{assert_error, cpu_context};

    /// Squares of the parts, slowly, with a device that fails in its second part by this error.
    fn squares(fault: Option<&(dyn Fn() -> Box<Error> + Sync)>) -> Vec<(Vec<usize>, Vec<String>)> {
        let context = cpu_context(1);
        let squares = |devices: Vec<Device>, further: Vec<Device>| {
            let (device, further) = (&devices[0], &further[0]);
            let team = Team::of(&context, &[further]);
            let by_further = AtomicUsize::new(0);
            let solve = |solver: &Device, part: usize| {
                thread::sleep(Duration::from_millis(2));
                let turn = match solver.is_view_of(further) {
                    true => by_further.fetch_add(1, Ordering::SeqCst),
                    false => 0,
                };
                match fault {
                    Some(fault) if turn == 1 => Err(fault()),
                    _ => Ok(part * part),
                }
            };
            let found = spread(&team, device, 40, &solve).unwrap();
            assert!(by_further.load(Ordering::SeqCst) > 1);
            (found, team.into_record().1)
        };
        let one = |devices: Vec<Device>| devices.into_iter().take(1).collect::<Vec<_>>();
        match one(test_devices()) {
            devices if devices.is_empty() => Vec::new(),
            devices => vec![squares(devices, one(test_devices()))],
        }
    }

    #[test]
    fn devices_solve_each_part_of_a_batch_whatever_happens_to_a_further_one() {
        let expected: Vec<usize> = (0..40).map(|part| part * part).collect();
        for (found, warnings) in squares(None) {
            assert_eq!((found, warnings.len()), (expected.clone(), 0));
        }
        let failures: [&(dyn Fn() -> Box<Error> + Sync); 2] =
            [&|| Error::device_failed("a fault"), &|| Error::device_wrong("a fault")];
        for failure in failures {
            for (found, warnings) in squares(Some(failure)) {
                assert_eq!((found, warnings.len()), (expected.clone(), 1));
            }
        }
    }

    #[test]
    fn a_stop_on_a_device_keeps_the_first_parts_and_an_error_none() {
        for device in test_devices().into_iter().take(1) {
            let context = cpu_context(1);
            let team = Team::of(&context, &[]);
            let until = |last: usize, error: fn() -> Box<Error>| {
                spread(&team, &device, 9, &move |_, part| match part == last {
                    true => Err(error()),
                    false => Ok(part),
                })
            };
            assert_eq!(until(4, Error::stopped).unwrap(), [0, 1, 2, 3]);
            assert_error!(until(0, Error::stopped), Error::Stopped);
            assert_error!(until(4, || Error::internal("a fault")), Error::Internal(_));
            assert_eq!(until(9, Error::stopped).unwrap().len(), 9);
        }
    }
}
