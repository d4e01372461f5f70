//! Trajectories of iterated greedy search on several devices. Each has some of them. They do not
//! depend on each other, so that any number of devices makes the same moves.

use std::iter;
use std::time::{Duration, Instant};

use super::crowd::{Crowd, Found, Snapshot};
use super::member::Member;
use crate::context::{Failure, all_of, rates, shares, side_by_side};
use crate::opencl::{Device, Queue};
use crate::solve::Monitor;
use crate::{Error, Result, Team};

/// The time between two meetings of the devices, which report better sequences there.
const MEETING: Duration = Duration::from_millis(50);
/// The time after which the trajectories are copied to the host, so that no more is lost if a
/// device fails.
const KEPT: Duration = Duration::from_secs(1);

/// What to do with the number of evaluations so far and better sequences; false ends the search.
pub(in crate::flow_shop::planner) type Take<'t> = dyn FnMut(u64, &[Found]) -> bool + 't;

/// Continues the trajectories of an instance on the chosen device and those of the team, until
/// all have made the iterations, a limit ends the search, or `take` returns false. At the end it
/// gets all sequences with the best values. If a further device fails, the others repeat the
/// iterations since the last copy of the trajectories; if it is wrong, all iterations together.
pub(in crate::flow_shop::planner) fn go_on_together(
    (team, chosen): (&Team<'_>, &Device),
    monitor: &Monitor,
    member: Member<'_>,
    begin: Snapshot,
    iterations: u64,
    take: &mut Take<'_>,
) -> Result<Snapshot> {
    let mut search = Search { monitor, members: [member], iterations, last: begin.clone() };
    loop {
        let (places, further): (Vec<usize>, Vec<&Device>) =
            team.able().into_iter().take(begin.trajectories().saturating_sub(1)).unzip();
        let devices: Vec<&Device> = iter::once(chosen).chain(further).collect();
        match search.run_on(&devices, take) {
            Ok(numbers) => {
                let further = numbers.into_iter().filter_map(|number| number.checked_sub(1));
                further.for_each(|index| team.joined(places[index]));
                return Ok(search.last);
            }
            // A limit came while further devices got ready.
            Err((_, error)) if matches!(*error, Error::Stopped) && monitor.interrupted() => {
                return Ok(search.last);
            }
            Err(failure) => {
                if matches!(*failure.1, Error::DeviceWrong(_)) {
                    search.last = begin.clone();
                }
                team.blame(&places, failure)?;
            }
        }
    }
}

struct Search<'a> {
    monitor: &'a Monitor,
    members: [Member<'a>; 1],
    iterations: u64,
    /// The last copy of the trajectories.
    last: Snapshot,
}

impl Search<'_> {
    /// Returns the numbers of the devices that had trajectories.
    fn run_on(
        &mut self,
        devices: &[&Device],
        take: &mut Take<'_>,
    ) -> std::result::Result<Vec<usize>, Failure> {
        let Search { monitor, ref members, iterations, .. } = *self;
        let rates = rates(devices, |speeds| speeds.add_min_rate);
        let shares = shares(self.last.trajectories(), &rates);
        let queues: Vec<Queue> = devices.iter().map(|device| device.queue()).collect();
        let mut crowds = Vec::new();
        let all = devices.iter().zip(&queues).zip(shares).enumerate();
        for (number, ((device, queue), share)) in all.filter(|(_, (_, share))| !share.is_empty()) {
            let crowd = Crowd::resume(device, (queue, monitor), members, &self.last.part(share));
            crowds.push((number, crowd.map_err(|error| (number, error))?));
        }
        let mut known: Vec<_> = crowds.iter().map(|(_, crowd)| crowd.known()).collect();
        let mut copied = Instant::now();
        loop {
            let is_stopped = meet(&mut crowds, iterations, monitor)?;
            let mut found = Vec::new();
            for ((number, crowd), known) in crowds.iter().zip(&mut known) {
                found.extend(crowd.better(known).map_err(|error| (*number, error))?);
            }
            let goes_on = take(evaluations(&crowds), &found);
            let is_done = crowds.iter().all(|(_, crowd)| crowd.is_at(iterations));
            let ends = is_stopped || !goes_on || is_done;
            if ends || copied.elapsed() >= KEPT {
                self.last = Snapshot::join(of_all(&crowds, Crowd::snapshot)?);
                copied = Instant::now();
            }
            if ends {
                let best: Vec<Found> =
                    of_all(&crowds, Crowd::bests)?.into_iter().flatten().collect();
                take(evaluations(&crowds), &best);
                return Ok(crowds.into_iter().map(|(number, _)| number).collect());
            }
        }
    }
}

/// Devices by number with their trajectories.
type Crowds<'a> = [(usize, Crowd<'a>)];

/// Lets each device search for a while. Returns whether the solve has to stop.
fn meet(
    crowds: &mut Crowds<'_>,
    iterations: u64,
    monitor: &Monitor,
) -> std::result::Result<bool, Failure> {
    let numbers: Vec<usize> = crowds.iter().map(|(number, _)| *number).collect();
    let advance = |crowd: &mut Crowd<'_>| -> Result<()> {
        let begun = Instant::now();
        while !crowd.is_at(iterations) && begun.elapsed() < MEETING {
            crowd.advance(iterations)?;
        }
        Ok(())
    };
    let steps = crowds.iter_mut().map(|(_, crowd)| move || advance(crowd));
    match all_of(side_by_side(monitor, steps)) {
        Ok(_) => Ok(false),
        Err((_, error)) if matches!(*error, Error::Stopped) => Ok(true),
        Err((index, error)) => Err((numbers[index], error)),
    }
}

fn evaluations(crowds: &Crowds<'_>) -> u64 {
    crowds.iter().map(|(_, crowd)| crowd.evaluations()).sum()
}

/// What each device gives, in order.
fn of_all<'c, T>(
    crowds: &Crowds<'c>,
    give: impl Fn(&Crowd<'c>) -> Result<T>,
) -> std::result::Result<Vec<T>, Failure> {
    crowds.iter().map(|(number, crowd)| give(crowd).map_err(|error| (*number, error))).collect()
}
