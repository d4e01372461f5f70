//! Trajectories on several devices, each with some of them.

use std::time::{Duration, Instant};

use super::{Generations, Paced, Trajectories};
use crate::context::{Failure, all_of, side_by_side};
use crate::flow_shop::search::evaluator::ValuedSequence;
use crate::solve::Monitor;

/// The time between two meetings of the devices, which have made the same number of generations
/// then.
const MEETING: Duration = Duration::from_millis(50);

/// Advances the parts of all devices side by side, like [`advance`](super::advance). The generations
/// between two meetings count together. Adds to `busy` how long each device worked. All parts have
/// this monitor.
pub(in crate::flow_shop::search) fn advance_together<T: Paced + Send>(
    parts: &mut [T],
    monitor: &Monitor,
    generations: &mut Generations<'_>,
    goes_on: &dyn Fn() -> bool,
    tell: &dyn Fn(&ValuedSequence),
    busy: &mut [Duration],
) -> std::result::Result<(), Failure> {
    let mut count = 1;
    while goes_on() {
        let some = generations.begin_some(count);
        if some == 0 {
            break;
        }
        let begun = Instant::now();
        let mut made = vec![0; parts.len()];
        let best = meet(parts, some, &mut made, monitor, busy);
        generations.made += made.into_iter().min().unwrap_or(0);
        best?.iter().for_each(tell);
        if begun.elapsed() < MEETING {
            count *= 2;
        } else if begun.elapsed() > 4 * MEETING {
            count = (count / 2).max(1);
        }
    }
    Ok(())
}

/// Lets each device make that many generations of its trajectories, and counts them in `made`.
/// Returns the best sequence of all; on ties that of the first trajectory.
fn meet<T: Paced + Send>(
    parts: &mut [T],
    count: u64,
    made: &mut [u64],
    monitor: &Monitor,
    busy: &mut [Duration],
) -> std::result::Result<Option<ValuedSequence>, Failure> {
    let advance = |(part, made): (&'_ mut T, &'_ mut u64)| {
        let begun = Instant::now();
        part.generations(count, made)?;
        Ok((part.best()?, begun.elapsed()))
    };
    let steps = parts.iter_mut().zip(made).map(|part| move || advance(part));
    let found = all_of(side_by_side(monitor, steps))?;
    for (busy, (_, time)) in busy.iter_mut().zip(&found) {
        *busy += *time;
    }
    Ok(found.into_iter().map(|(best, _)| best).min_by_key(|best| best.value))
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
