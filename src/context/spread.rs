//! The parts of a batch on several devices.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use super::{Awaited, Team};
use crate::mutex::lock;
use crate::opencl::Device;
use crate::solve::Monitor;
use crate::{Error, Result};

/// Solves a part on a device. The monitor is that of the part: it also ends the part once another
/// device has solved it.
pub(crate) type SolvePart<'a, T> = dyn Fn(&Device, usize, &Monitor) -> Result<T> + Sync + 'a;

/// Solves the parts 0 .. `parts` of a batch. The chosen device takes one after the other, and so do
/// further ones that join a long batch. Returns the results in order, up to the first part that is
/// not solved because of a stop. A stop before any part is solved is an error. If a further device
/// fails, it is left out, and the others solve the part that it had; if it is wrong, all of its parts.
///
/// A slow device does not hold up the end. Once no part is open, the chosen device solves those
/// that further ones still have, too. The first result of a part counts; the other device ends
/// after its present launches.
pub(crate) fn spread<T: Send>(
    team: &Team<'_>,
    chosen: &Device,
    parts: usize,
    solve: &SolvePart<'_, T>,
) -> Result<Vec<T>> {
    let begun = Instant::now();
    let (batch, awaited) = (Batch::new(parts, team.monitor(), solve), Awaited::new());
    team.summon();
    let worked = thread::scope(|scope| {
        let mut is_called = false;
        let worked = batch.work(chosen, &mut |left| {
            if is_called || left < 2 || !team.may_join(begun) {
                return;
            }
            is_called = true;
            for place in team.places() {
                let batch = &batch;
                let join = move || batch.work_further(team, place);
                if let Err(error) = awaited.spawn(scope, join) {
                    team.leave_out(place, &error);
                }
            }
        });
        team.dismiss();
        awaited.wait(team.monitor());
        worked
    });
    // Parts that failed devices have left.
    worked.and_then(|()| batch.work(chosen, &mut |_| ()))?;
    batch.into_results()
}

/// The parts that are to be solved, and the results.
struct Batch<'a, T> {
    monitor: &'a Monitor,
    solve: &'a SolvePart<'a, T>,
    /// Which parts are solved.
    solved: Arc<[AtomicBool]>,
    state: Mutex<State<T>>,
}

struct State<T> {
    /// Open parts, the last one first.
    open: Vec<usize>,
    /// Parts that further devices have, the one that was taken first first.
    held: Vec<usize>,
    results: Vec<Option<T>>,
    is_stopped: bool,
    /// A failure that ends the batch.
    failure: Option<Box<Error>>,
}

impl<'a, T: Send> Batch<'a, T> {
    fn new(parts: usize, monitor: &'a Monitor, solve: &'a SolvePart<'a, T>) -> Self {
        let state = State {
            open: (0..parts).rev().collect(),
            held: Vec::new(),
            results: (0..parts).map(|_| None).collect(),
            is_stopped: false,
            failure: None,
        };
        let solved = (0..parts).map(|_| AtomicBool::new(false)).collect();
        Batch { monitor, solve, solved, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        lock(&self.state)
    }

    /// Solves on the chosen device one open part after the other, and then those that further
    /// devices hold. Passes the number of open ones to `between` before each.
    fn work(&self, chosen: &Device, between: &mut dyn FnMut(usize)) -> Result<()> {
        while let Some((part, left)) = self.take() {
            between(left);
            if let Err(error) = self.attempt(chosen, part) {
                return self.end(error);
            }
        }
        Ok(())
    }

    /// The next part of the chosen device, and how many were open.
    fn take(&self) -> Option<(usize, usize)> {
        let mut state = self.state();
        if self.is_over(&mut state) {
            return None;
        }
        let left = state.open.len();
        let held = || state.held.iter().copied().find(|&part| !self.is_solved(part));
        let part = state.open.last().copied().or_else(held)?;
        state.open.pop();
        Some((part, left))
    }

    /// The next part of a further device.
    fn take_further(&self) -> Option<usize> {
        let mut state = self.state();
        if self.is_over(&mut state) {
            return None;
        }
        let part = state.open.pop()?;
        state.held.push(part);
        Some(part)
    }

    fn is_over(&self, state: &mut State<T>) -> bool {
        state.is_stopped |= self.monitor.interrupted();
        state.is_stopped || state.failure.is_some()
    }

    fn is_solved(&self, part: usize) -> bool {
        self.solved[part].load(Ordering::Acquire)
    }

    /// Solves a part, unless another device solves it meanwhile. Returns whether this device did.
    fn attempt(&self, device: &Device, part: usize) -> Result<bool> {
        let solved = Arc::clone(&self.solved);
        let is_solved = move || solved[part].load(Ordering::Acquire);
        let monitor = self.monitor.one_of_several(is_solved);
        let found = (self.solve)(device, part, &monitor);
        self.monitor.join(&monitor);
        let mut state = self.state();
        // Another device has solved the part; its result may have been forgotten since, and the part
        // is open then.
        let is_late = self.is_solved(part) || monitor.is_relieved();
        match found {
            // If it is a part of a result, the rest was not worth while any more.
            Ok(_) if is_late => Ok(false),
            Ok(result) => {
                state.results[part] = Some(result);
                self.solved[part].store(true, Ordering::Release);
                Ok(true)
            }
            Err(error) if matches!(*error, Error::Stopped) && is_late => Ok(false),
            Err(error) => Err(error),
        }
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
    fn work_further(&self, team: &Team<'_>, place: usize) {
        let Some(device) = team.device(place) else { return };
        let mut own = Vec::new();
        while let Some(part) = self.take_further() {
            match self.attempt(device, part).map_err(|error| error.on_device()) {
                Ok(is_own) => {
                    self.state().held.retain(|&held| held != part);
                    own.extend(is_own.then_some(part));
                    team.joined(place);
                }
                Err(error) if Team::can_do_without(&error) => {
                    let is_wrong = matches!(*error, Error::DeviceWrong(_));
                    self.reopen(part, if is_wrong { &own } else { &[] });
                    team.leave_out(place, &error);
                    return;
                }
                // The chosen device has ended the step, but not the solve.
                Err(error) if matches!(*error, Error::Stopped) && !self.monitor.interrupted() => {
                    self.reopen(part, &[]);
                    return;
                }
                Err(error) => {
                    let _ = self.end(error);
                    return;
                }
            }
        }
    }

    /// Opens a part again that a device held in vain, and parts whose results are forgotten.
    fn reopen(&self, part: usize, forgotten: &[usize]) {
        let mut state = self.state();
        state.held.retain(|&held| held != part);
        for &part in forgotten {
            state.results[part] = None;
            self.solved[part].store(false, Ordering::Release);
        }
        let unsolved = forgotten.iter().copied().chain([part]);
        state.open.extend(unsolved.filter(|&part| !self.is_solved(part)));
    }

    fn into_results(self) -> Result<Vec<T>> {
        let State { results, failure, is_stopped, .. } =
            self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
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
    use crate::testing::{assert_error, cpu_context, monitor_that_is_told_to_stop};

    /// Waits for another thread, which may be slow on a busy machine.
    fn wait_for(is_done: impl Fn() -> bool) {
        let begun = Instant::now();
        while !is_done() && begun.elapsed() < Duration::from_secs(60) {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Squares of the parts, with a further device that fails in its second part by this error.
    fn squares(fault: Option<&(dyn Fn() -> Box<Error> + Sync)>) -> Vec<(Vec<usize>, Vec<String>)> {
        let context = cpu_context(1);
        let squares = |devices: Vec<Device>, further: Vec<Device>| {
            let (device, further) = (&devices[0], &further[0]);
            let team = Team::of(&context, &[further]);
            let by_further = AtomicUsize::new(0);
            let solve = |solver: &Device, part: usize, _: &Monitor| {
                let turn = match solver.is_view_of(further) {
                    true => by_further.fetch_add(1, Ordering::SeqCst),
                    false => {
                        wait_for(|| by_further.load(Ordering::SeqCst) > 1);
                        0
                    }
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
                spread(&team, &device, 9, &move |_, part, _| match part == last {
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

    /// Spreads a batch to a further device that solves no part before the end.
    fn spread_without_help(further_solves: &(dyn Fn(&Monitor) -> Result<usize> + Sync)) {
        for (chosen, further) in test_devices().iter().zip(&test_devices()).take(1) {
            let context = cpu_context(1);
            let team = Team::of(&context, &[further]);
            let taken = AtomicUsize::new(0);
            let solve = |device: &Device, part: usize, monitor: &Monitor| {
                if device.is_view_of(further) {
                    taken.fetch_add(1, Ordering::SeqCst);
                    return further_solves(monitor);
                }
                // The further device takes a part in any case.
                wait_for(|| part != 1 || taken.load(Ordering::SeqCst) > 0);
                Ok(part * part)
            };
            let found = spread(&team, chosen, 40, &solve).unwrap();
            assert_eq!(found, (0..40).map(|part| part * part).collect::<Vec<_>>());
            assert_eq!((taken.into_inner(), team.into_record().1), (1, vec![]));
        }
    }

    #[test]
    fn the_chosen_device_solves_the_part_of_a_slow_one_too() {
        spread_without_help(&|monitor| {
            wait_for(|| monitor.should_stop());
            Err(Error::stopped())
        });
        // Results of a device that comes too late do not count.
        spread_without_help(&|monitor| {
            wait_for(|| monitor.should_stop());
            Ok(usize::MAX)
        });
    }

    #[test]
    fn a_stop_by_the_callback_ends_the_parts_of_all_devices() {
        for (chosen, further) in test_devices().iter().zip(&test_devices()).take(1) {
            let (context, monitor) = (cpu_context(1), monitor_that_is_told_to_stop());
            let team = Team::watching(&context, &[further], &monitor);
            let solve = |_: &Device, part: usize, monitor: &Monitor| {
                wait_for(|| part == 0 || monitor.should_stop());
                Ok(part)
            };
            let found = spread(&team, chosen, 40, &solve).unwrap();
            assert!(found.len() < 40, "{found:?}");
            assert!(monitor.interrupted());
        }
    }
}
