//! Slices of tabu search on the chosen device, and on further ones once the search takes long.

use std::iter;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::{Search, note};
use crate::context::Crewing;
use crate::flow_shop::search::evaluator::ValuedSequence;
use crate::flow_shop::search::objective::Objective;
use crate::flow_shop::search::tabu::{
    Failure, Paced, State, Trajectories, advance, advance_together, best_of_all, shares,
};
use crate::opencl::{Device, Queue};
use crate::solve::Monitor;
use crate::{Error, Result};

/// How long a device may prepare its tables before its first generation.
const PREPARING: Duration = Duration::from_millis(100);
/// How long the chosen device searches before others may join.
const ALONE: Duration = Duration::from_millis(500);

/// What follows the slices of some devices.
enum Next {
    /// The devices' turn is over.
    Over,
    /// Further devices may join.
    Share,
}

impl<O: Objective> Search<'_, O> {
    /// Runs slices on a device, and on those of the team, as long as it is their turn. A further
    /// device that fails is left out, and the others repeat its slice.
    pub(super) fn slices(
        &mut self,
        device: &Device,
        part: &Monitor,
        watch: &Watch,
        mut length: Duration,
    ) -> Result<()> {
        let team = self.team;
        loop {
            let further = if self.is_shared { team.able() } else { Vec::new() };
            let further = further.into_iter().map(|(place, device)| (Some(place), device));
            let devices: Vec<(Option<usize>, &Device)> =
                iter::once((None, device)).chain(further).take(self.states.len()).collect();
            match self.slices_on(&devices, part, watch, &mut length) {
                Ok(Next::Over) => return Ok(()),
                Ok(Next::Share) => self.is_shared = true,
                Err((number, error)) => match devices[number].0 {
                    Some(place) if error.is_device_failure() => {
                        team.leave_out(place, &error);
                        if matches!(*error, Error::DeviceWrong(_)) {
                            return Err(error);
                        }
                    }
                    _ => return Err(error),
                },
            }
        }
    }

    /// Whether further devices may join.
    fn can_share(&self) -> bool {
        !self.is_shared && self.states.len() > 1 && !self.team.places().is_empty()
    }

    fn slices_on(
        &mut self,
        devices: &[(Option<usize>, &Device)],
        part: &Monitor,
        watch: &Watch,
        length: &mut Duration,
    ) -> std::result::Result<Next, Failure> {
        let begun = Instant::now();
        if self.trial.is_some() {
            watch.until(begun + PREPARING + self.patience(*length));
        }
        let queues: Vec<Queue> = devices.iter().map(|(_, device)| device.queue()).collect();
        let mut searches = self.begin_on(devices, &queues, part)?;
        if let Some(trial) = &mut self.trial {
            trial.charge(Crewing::Device, begun.elapsed());
        }
        loop {
            let (begun, before) = (Instant::now(), self.generations.made());
            let most = if self.can_share() { (*length).min(ALONE) } else { *length };
            let goes_on = || begun.elapsed() < most;
            let tell = |best: &ValuedSequence| note(self.shop, part, best);
            let generations = &mut self.generations;
            let advanced = match &mut searches[..] {
                [alone] => advance(alone, generations, &goes_on, &tell).map_err(|error| (0, error)),
                several => advance_together(several, generations, &goes_on, &tell),
            };
            let states = match advanced {
                Err((_, error)) if matches!(*error, Error::Stopped) && !part.is_relieved() => {
                    // A limit ends the search.
                    self.last = best_of_all(&searches)?;
                    return Ok(Next::Over);
                }
                Err(failure) => Err(failure),
                Ok(()) => states_of(&searches),
            };
            self.budget = searches.first().map(Paced::budget);
            match states {
                Ok(states) => self.states = states,
                Err((number, error)) => {
                    self.generations.return_to(before);
                    if matches!(*error, Error::Stopped) {
                        // The devices were too slow for a generation.
                        self.note(Crewing::Device, 0, begun.elapsed());
                        return Ok(Next::Over);
                    }
                    return Err((number, error));
                }
            }
            self.note(Crewing::Device, self.generations.made() - before, begun.elapsed());
            if self.is_over() {
                return Ok(Next::Over);
            }
            match self.turn(true) {
                (Crewing::Cpu, _) => return Ok(Next::Over),
                (_, next) => *length = next,
            }
            if self.can_share() && begun.elapsed() >= ALONE {
                return Ok(Next::Share);
            }
            if self.trial.is_some() {
                watch.until(Instant::now() + self.patience(*length));
            }
        }
    }

    /// The searches of all devices, each with its share of the trajectories.
    fn begin_on<'q>(
        &self,
        devices: &[(Option<usize>, &Device)],
        queues: &'q [Queue],
        part: &'q Monitor,
    ) -> std::result::Result<Vec<O::DeviceTabu<'q>>, Failure>
    where
        Self: 'q,
    {
        let mut searches = Vec::with_capacity(devices.len());
        let shares = shares(self.states.len(), devices.len());
        for (number, ((&(place, device), queue), share)) in
            devices.iter().zip(queues).zip(shares).enumerate()
        {
            let states = &self.states[share];
            let search = O::device_tabu(device, queue, self.shop, part, self.options, states);
            let search = search.map_err(|error| (number, error))?;
            searches.push(match self.budget {
                Some(budget) => search.with_budget(budget),
                None => search,
            });
            if let Some(place) = place {
                self.team.joined(place);
            }
        }
        Ok(searches)
    }
}

/// The time at which a device's slice must end.
pub(super) struct Watch {
    begun: Instant,
    /// Nanoseconds since then.
    end: AtomicU64,
}

impl Default for Watch {
    fn default() -> Self {
        Watch { begun: Instant::now(), end: AtomicU64::new(u64::MAX) }
    }
}

impl Watch {
    pub(super) fn until(&self, end: Instant) {
        let nanoseconds = end.saturating_duration_since(self.begun).as_nanos();
        self.end.store(u64::try_from(nanoseconds).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    pub(super) fn is_late(&self) -> bool {
        self.begun.elapsed().as_nanos() > u128::from(self.end.load(Ordering::Relaxed))
    }
}

/// The states of all trajectories, in order.
fn states_of<T: Trajectories<Value = u64>>(
    searches: &[T],
) -> std::result::Result<Vec<State>, Failure> {
    let mut states = Vec::new();
    for (number, search) in searches.iter().enumerate() {
        states.extend(search.states().map_err(|error| (number, error))?);
    }
    Ok(states)
}
