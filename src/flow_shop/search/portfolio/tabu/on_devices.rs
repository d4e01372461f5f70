//! Slices of tabu search on the chosen device, and on further ones once the search takes long.

use std::iter;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::{Search, note};
use crate::context::{Crewing, Failure, shares};
use crate::flow_shop::search::evaluator::ValuedSequence;
use crate::flow_shop::search::objective::Objective;
use crate::flow_shop::search::tabu::{
    Paced, State, Trajectories, advance, advance_together, best_of_all,
};
use crate::opencl::{Device, Queue};
use crate::solve::Monitor;
use crate::{Error, Result};

/// How long a device may prepare its tables before its first generation.
const PREPARING: Duration = Duration::from_millis(100);
/// How long devices with equal shares search before their rates are compared.
const MEASURED: Duration = Duration::from_millis(200);
/// Least ratio of the rates at which shares by these rates replace equal ones: equal devices differ
/// by chance, and new shares cost a copy of all trajectories.
const UNEQUAL: f64 = 1.15;

/// What follows the slices of some devices.
enum Next {
    /// The devices' turn is over.
    Over,
    /// Further devices may join.
    Share,
    /// The devices get new shares of the trajectories, by their rates.
    Cut,
}

/// A device with its share of the trajectories.
struct Sharer<'d> {
    /// Its place in the team; None for the chosen device.
    place: Option<usize>,
    device: &'d Device,
    share: Range<usize>,
}

impl<'a, O: Objective> Search<'a, O> {
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
            let sharers = self.sharers(device);
            let could_wait = |sharer: &Sharer<'_>| !sharer.device.has_waited_in_vain();
            let could_wait: Vec<bool> = sharers.iter().map(could_wait).collect();
            match self.slices_on(&sharers, part, watch, &mut length) {
                Ok(Next::Over) => return Ok(()),
                Ok(Next::Share) => self.is_shared = true,
                Ok(Next::Cut) => {}
                // The device repeats the slice by launches whose groups do not wait.
                Err((number, _))
                    if could_wait[number] && sharers[number].device.has_waited_in_vain() => {}
                Err((number, error)) => match sharers[number].place {
                    Some(place) if error.is_device_failure() => {
                        team.leave_out(place, &error);
                        self.rates = None;
                        if matches!(*error, Error::DeviceWrong(_)) {
                            return Err(error);
                        }
                    }
                    _ => return Err(error),
                },
            }
        }
    }

    /// The devices that take part, with shares of the trajectories: equal ones until the rates are
    /// known.
    fn sharers<'d>(&self, device: &'d Device) -> Vec<Sharer<'d>>
    where
        'a: 'd,
    {
        let team = self.team;
        let further = if self.is_shared { team.able() } else { Vec::new() };
        let further = further.into_iter().map(|(place, device)| (Some(place), device));
        let devices: Vec<(Option<usize>, &Device)> =
            iter::once((None, device)).chain(further).take(self.states.len()).collect();
        let rates = self.rates.clone().filter(|rates| rates.len() == devices.len());
        let shares = shares(self.states.len(), &rates.unwrap_or_else(|| vec![1.0; devices.len()]));
        let sharer = |((place, device), share)| Sharer { place, device, share };
        // A device that would be given no trajectory takes no part.
        let all = devices.into_iter().zip(shares).map(sharer);
        all.filter(|sharer| !sharer.share.is_empty()).collect()
    }

    /// Notes how fast devices with equal shares are; whether they are to get others.
    fn compare(&mut self, sharers: &[Sharer<'_>], generations: u64, busy: &[Duration]) -> bool {
        if self.rates.is_some() || sharers.len() < 2 || generations == 0 {
            return false;
        }
        let rate = |(sharer, busy): (&Sharer<'_>, &Duration)| {
            sharer.share.len() as f64 / busy.as_secs_f64().max(1e-9)
        };
        let rates: Vec<f64> = sharers.iter().zip(busy).map(rate).collect();
        let [least, most] =
            [f64::min, f64::max].map(|pick| rates.iter().copied().reduce(pick).unwrap_or(1.0));
        let is_unequal = most > UNEQUAL * least;
        self.rates = Some(if is_unequal { rates } else { vec![1.0; sharers.len()] });
        is_unequal
    }

    /// Whether further devices may join.
    fn can_share(&self) -> bool {
        !self.is_shared && self.states.len() > 1 && !self.team.places().is_empty()
    }

    fn slices_on(
        &mut self,
        sharers: &[Sharer<'_>],
        part: &Monitor,
        watch: &Watch,
        length: &mut Duration,
    ) -> std::result::Result<Next, Failure> {
        let begun = Instant::now();
        if self.trial.is_some() {
            watch.until(begun + PREPARING + self.patience(*length));
        }
        let queues: Vec<Queue> = sharers.iter().map(|sharer| sharer.device.queue()).collect();
        let mut searches = self.begin_on(sharers, &queues, part)?;
        let mut busy = vec![Duration::ZERO; sharers.len()];
        if let Some(trial) = &mut self.trial {
            trial.charge(Crewing::Device, begun.elapsed());
        }
        loop {
            let (begun, before) = (Instant::now(), self.generations.made());
            let most = match &self.rates {
                _ if self.can_share() => (*length).min(self.team.alone()),
                None if sharers.len() > 1 => (*length).min(MEASURED),
                _ => *length,
            };
            let goes_on = || begun.elapsed() < most;
            let tell = |best: &ValuedSequence| note(self.shop, part, best);
            let generations = &mut self.generations;
            let advanced = match &mut searches[..] {
                [alone] => advance(alone, generations, &goes_on, &tell).map_err(|error| (0, error)),
                several => advance_together(several, part, generations, &goes_on, &tell, &mut busy),
            };
            let states = match advanced {
                Err((_, error)) if matches!(*error, Error::Stopped) && !part.is_relieved() => {
                    // A limit ends the search.
                    match best_of_all(&searches) {
                        Ok(best) => {
                            self.last = best;
                            return Ok(Next::Over);
                        }
                        Err(failure) => Err(failure),
                    }
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
            let made = self.generations.made() - before;
            self.note(Crewing::Device, made, begun.elapsed());
            let is_unequal = self.compare(sharers, made, &busy);
            if self.is_over() {
                return Ok(Next::Over);
            }
            match self.turn(true) {
                (Crewing::Cpu, _) => return Ok(Next::Over),
                (_, next) => *length = next,
            }
            if self.can_share() && begun.elapsed() >= self.team.alone() {
                return Ok(Next::Share);
            }
            if is_unequal {
                return Ok(Next::Cut);
            }
            if self.trial.is_some() {
                watch.until(Instant::now() + self.patience(*length));
            }
        }
    }

    /// The searches of all devices, each with its share of the trajectories.
    fn begin_on<'q>(
        &self,
        sharers: &[Sharer<'_>],
        queues: &'q [Queue],
        part: &'q Monitor,
    ) -> std::result::Result<Vec<O::DeviceTabu<'q>>, Failure>
    where
        Self: 'q,
    {
        let mut searches = Vec::with_capacity(sharers.len());
        for (number, (sharer, queue)) in sharers.iter().zip(queues).enumerate() {
            let states = &self.states[sharer.share.clone()];
            let search =
                O::device_tabu(sharer.device, queue, self.shop, part, self.options, states);
            let search = search.map_err(|error| (number, error))?;
            searches.push(match self.budget {
                Some(budget) => search.with_budget(budget),
                None => search,
            });
            if let Some(place) = sharer.place {
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
