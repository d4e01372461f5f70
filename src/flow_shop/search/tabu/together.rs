//! Trajectories on several devices, each with some of them.

use std::ops::Range;
use std::thread;
use std::time::{Duration, Instant};

use super::{Generations, Paced, Trajectories};
use crate::flow_shop::search::evaluator::ValuedSequence;
use crate::{Error, Result, signals};

/// The time between two meetings of the devices, which have made the same number of generations
/// then.
const MEETING: Duration = Duration::from_millis(50);

/// The shares of some trajectories, one for each device, as equal as possible.
pub(in crate::flow_shop::search) fn shares(
    trajectories: usize,
    devices: usize,
) -> impl Iterator<Item = Range<usize>> {
    let begin = move |device: usize| device * trajectories / devices;
    (0..devices).map(move |device| begin(device)..begin(device + 1))
}

/// An error, and the number of the device that it is of.
pub(in crate::flow_shop::search) type Failure = (usize, Box<Error>);

/// Advances the parts of all devices side by side, like [`advance`](super::advance). The generations
/// between two meetings count together.
pub(in crate::flow_shop::search) fn advance_together<T: Paced + Send>(
    parts: &mut [T],
    generations: &mut Generations<'_>,
    goes_on: &dyn Fn() -> bool,
    tell: &dyn Fn(&ValuedSequence),
) -> std::result::Result<(), Failure> {
    let mut count = 1;
    while goes_on() {
        let made = generations.begin_some(count);
        if made == 0 {
            break;
        }
        let begun = Instant::now();
        let best = meet(parts, made)?;
        generations.made += made;
        best.iter().for_each(tell);
        if begun.elapsed() < MEETING {
            count *= 2;
        } else if begun.elapsed() > 4 * MEETING {
            count = (count / 2).max(1);
        }
    }
    Ok(())
}

/// Lets each device make that many generations of its trajectories. Returns the best sequence of
/// all; on ties that of the first trajectory.
fn meet<T: Paced + Send>(
    parts: &mut [T],
    count: u64,
) -> std::result::Result<Option<ValuedSequence>, Failure> {
    let advance = |part: &'_ mut T| {
        (0..count).try_for_each(|_| part.generation().map(drop))?;
        part.best()
    };
    let found: Vec<Result<ValuedSequence>> = thread::scope(|scope| {
        let start = |part| {
            let builder = thread::Builder::new();
            signals::blocked(|| builder.spawn_scoped(scope, move || advance(part)))
                .map_err(|error| Error::threads_unavailable(error.to_string()))
        };
        let threads: Vec<_> = parts.iter_mut().map(start).collect();
        let panicked = |_| Err(Error::internal("a thread for a device panicked"));
        threads
            .into_iter()
            .map(|thread| thread.and_then(|thread| thread.join().unwrap_or_else(panicked)))
            .collect()
    });
    let mut best: Option<ValuedSequence> = None;
    // A failure counts more than a stop.
    let is_failure = |found: &Result<ValuedSequence>| {
        found.as_ref().is_err_and(|error| !matches!(**error, Error::Stopped))
    };
    let mut numbered: Vec<(usize, Result<ValuedSequence>)> =
        found.into_iter().enumerate().collect();
    numbered.sort_by_key(|(_, found)| !is_failure(found));
    for (number, found) in numbered {
        let found = found.map_err(|error| (number, error))?;
        if best.as_ref().is_none_or(|best| found.value < best.value) {
            best = Some(found);
        }
    }
    Ok(best)
}

/// The best sequence of all parts; on ties that of the first trajectory.
pub(in crate::flow_shop::search) fn best_of_all<T: Trajectories<Value = u64>>(
    parts: &[T],
) -> std::result::Result<Option<ValuedSequence>, Failure> {
    let best = |(number, part): (usize, &T)| part.best().map_err(|error| (number, error));
    let bests: Vec<ValuedSequence> =
        parts.iter().enumerate().map(best).collect::<std::result::Result<_, _>>()?;
    Ok(bests.into_iter().min_by_key(|best| best.value))
}
