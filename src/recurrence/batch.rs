//! Many recurrences at once, as in every [batch](crate::batch).

use super::{Instance, Options, Solution, solve};
use crate::batch::{Batch, WHOLE, Ways};
use crate::solve::{Outcome, Sense, SolveOptions};
use crate::{Context, Result};

/// Least operands of an instance for which all threads are better than one: some milliseconds.
const LARGE: u64 = 1 << 25;

/// Solves many instances, which may differ in everything, as [`solve`] does, and returns their
/// outcomes in the same order. Small ones are solved each on one thread of the CPU, large ones one
/// after the other. Instances that share offsets and length are faster as the tables of one
/// [`Instance::batch`].
///
/// The limits apply to the whole batch, [`Limits::iterations`](crate::Limits::iterations) to each
/// instance. Instances that a limit leaves out are [`Status::Stopped`](crate::Status::Stopped).
///
/// # Errors
/// Those of [`solve`] for the first instance in order that fails.
pub fn solve_batch(
    context: &Context,
    instances: &[&Instance],
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Vec<Outcome<Solution>>> {
    let sense = instances.first().map_or(Sense::Minimise, |first| first.semiring().sense());
    let monitor = &context.watch(sense, solve_options)?;
    let batch = Batch { context, instances, options: solve_options, monitor, share: WHOLE };
    let outcomes = batch.solve(&Ways {
        sense: &|instance| instance.semiring().sense(),
        // Threads have no device, which some operators need.
        is_large: &|instance| instance.work() >= LARGE || instance.semiring().is_for_devices(),
        together: &|_, _| Ok(Vec::new()),
        solve: &|context, instance, part| solve(context, instance, options, part),
    })?;
    monitor.conclude_batch();
    Ok(outcomes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Status;
    use crate::recurrence::Semiring;
    use crate::testing::{cpu_context, stopped};

    /// Ways to pay each amount below `length`, or the fewest coins.
    fn coins(semiring: Semiring, length: u64) -> Instance {
        let one = i64::from(semiring.sense() == Sense::Minimise);
        let mut initial = vec![i64::MAX; 5];
        initial[0] = 0;
        let instance = Instance::new(semiring, vec![5, 2, 1], initial, length).unwrap();
        instance.with_weights(vec![one; 3]).unwrap()
    }

    #[test]
    fn a_batch_is_its_instances_one_by_one() {
        let mut instances: Vec<_> =
            (6..40).map(|length| coins(Semiring::MinPlus, length)).collect();
        // One that is large, and one of another sense.
        instances.insert(7, coins(Semiring::MinPlus, LARGE / 2));
        instances.push(Instance::new(Semiring::MaxPlus, vec![1], vec![3], 9).unwrap());
        let references: Vec<_> = instances.iter().collect();
        let (own, options) = (Options::default(), SolveOptions::default());
        for threads in [1, 3] {
            let context = cpu_context(threads);
            let outcomes = solve_batch(&context, &references, &own, &options).unwrap();
            assert_eq!(outcomes.len(), instances.len());
            for (instance, outcome) in instances.iter().zip(outcomes) {
                let alone = solve(&context, instance, &own, &options).unwrap();
                assert_eq!((outcome.status, outcome.sense), (alone.status, alone.sense));
                assert_eq!(outcome.objective, alone.objective);
                assert!(outcome.solution == alone.solution);
            }
            let outcomes = solve_batch(&context, &references, &own, &stopped()).unwrap();
            assert!(outcomes.iter().all(|outcome| outcome.status == Status::Stopped));
            assert_eq!(outcomes.last().unwrap().sense, Sense::Maximise);
        }
    }
}
