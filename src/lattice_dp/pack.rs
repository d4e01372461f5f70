//! Packs items by a recurrence on the lattice.

use super::first_fit::first_fit_decreasing;
use super::packing::{Containers, Packing};
use super::{Options, solve_tables, unit_steps};
use crate::enumeration::enumeration;
use crate::solve::{
    Certificate, Monitor, Outcome, Report, Sense, SolveOptions, Statistics, unless_stopped,
};
use crate::{Context, Dispatch, Error, Result};

enumeration! {
    /// The recurrence that fills the table. Both are exact and give the same number of containers;
    /// the containers may differ.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum Recurrence {
        /// A step adds a filled container, in any possible way (Eq. 1 of Li, Ghalami, Schwiebert
        /// and Grosu 2018).
        #[default]
        Configurations: "configurations", "A step fills a container in any possible way";
        /// A step adds one item. A cell holds the smallest pair of containers used and load of the
        /// last one. Each cell looks up one cell for each item type, while
        /// [`Recurrence::Configurations`] looks up one for each way to fill a container. Use it for
        /// containers of many items.
        UnitSteps: "unit-steps", "A step adds one item; for containers that hold many items";
    }
}

/// Packs the items into the fewest containers; the objective is their number. Exact: without a
/// limit the outcome is [`Status::Optimal`](crate::Status::Optimal). Cut short by a limit, it
/// returns the containers of first-fit decreasing, up to 65,536 of them, and the bound by the total
/// size. One iteration limit unit is one table. The result is the same for every engine and number
/// of threads. May be called on several threads at once.
///
/// # Errors
/// Those of [`solve`](super::solve); [`Error::Unsupported`] for more than 2^18 ways to fill a
/// container with [`Recurrence::Configurations`]; with [`Recurrence::UnitSteps`] for 2^31 cells or
/// more, or if number of items and capacity together take more than 32 bits.
pub fn pack(
    context: &Context,
    packing: &Packing,
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Outcome<Containers>> {
    options.check_packing()?;
    let recurrence = options.recurrence;
    let monitor = context.watch(Sense::Minimise, solve_options)?;
    let opening = monitor.opening();
    let heuristic = first_fit_decreasing(packing, &opening).ok();
    monitor.join(&opening);
    let mut dispatch = context.dispatch(solve_options.engine)?;
    let mut report = Report { method: recurrence.name(), ..Report::default() };
    let statistics = &mut report.statistics;
    let result = match recurrence {
        Recurrence::Configurations => {
            by_configurations(&mut dispatch, &monitor, packing, statistics)
        }
        Recurrence::UnitSteps => unit_steps::solve(&mut dispatch, &monitor, packing, statistics),
    };
    dispatch.finish(&monitor, &mut report);
    let fewest = unless_stopped(result)?;
    let bound = fewest.as_ref().map_or_else(|| packing.bound(), |fewest| fewest.len() as u64);
    let containers = fewest.or(heuristic);
    let certificate = match &containers {
        Some(containers) => {
            let (claimed, used) =
                (containers.len() as u64, packing.evaluate(containers).map_err(Error::defect)?);
            Certificate::new(Sense::Minimise, claimed, used, Some(bound))?
        }
        None => Certificate::stopped(Sense::Minimise, bound.try_into().ok()),
    };
    Ok(monitor.conclude(certificate.outcome(containers, report)))
}

/// Packs many small instances, each as [`pack`] does on one thread of the CPU, and returns their
/// outcomes in the same order. Where [`Engine::Device`](crate::Engine::Device) is asked for, they
/// are packed one after the other.
///
/// The limits apply to the whole batch, [`Limits::iterations`](crate::Limits::iterations) to each
/// instance. Instances that a limit leaves out are [`Status::Stopped`](crate::Status::Stopped) and
/// have no solution.
///
/// # Errors
/// Those of [`pack`] for the first instance in order that fails.
pub fn pack_batch(
    context: &Context,
    packings: &[&Packing],
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Vec<Outcome<Containers>>> {
    let pack = |context: &Context, packing: &Packing, part: &SolveOptions| {
        pack(context, packing, options, part)
    };
    crate::batch::solve_each(context, packings, Sense::Minimise, solve_options, pack)
}

fn by_configurations(
    dispatch: &mut Dispatch<'_>,
    monitor: &Monitor,
    packing: &Packing,
    statistics: &mut Statistics,
) -> Result<Containers> {
    let lattice = packing.lattice(monitor)?;
    let paths = solve_tables(dispatch, monitor, &[&lattice], &Options::default(), statistics)?;
    let missing = || Error::internal("single items do not reach the last lattice cell");
    let path = paths.into_iter().flatten().next().ok_or_else(missing)?;
    path.steps.into_iter().map(|step| lattice.vector(step).ok_or_else(missing)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Status;
    use crate::testing::{cpu_context, limited};

    /// Fewest containers, found by trying every container for every item.
    fn exhaustive(items: &[u64], loads: &mut Vec<u64>, capacity: u64) -> usize {
        let Some((&item, rest)) = items.split_first() else { return loads.len() };
        let mut best = usize::MAX;
        for index in 0..loads.len() {
            if loads[index] + item <= capacity {
                loads[index] += item;
                best = best.min(exhaustive(rest, loads, capacity));
                loads[index] -= item;
            }
        }
        loads.push(item);
        best = best.min(exhaustive(rest, loads, capacity));
        loads.pop();
        best
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn both_recurrences_agree_with_exhaustive_search(
            types in proptest::collection::vec((1u64..15, 0u32..4), 0..4)
                .prop_filter("up to eight items", |types| types.iter().map(|of| of.1).sum::<u32>() <= 8),
            capacity in 14u64..40,
        ) {
            let (sizes, counts): (Vec<u64>, Vec<u32>) = types.iter().copied().unzip();
            let packing = Packing::new(sizes, counts, capacity).unwrap();
            let items: Vec<u64> = types.iter().flat_map(|&(size, n)| std::iter::repeat_n(size, n as usize)).collect();
            let expected = exhaustive(&items, &mut Vec::new(), capacity) as i64;
            for recurrence in Recurrence::ALL {
                let outcome = pack(&cpu_context(1), &packing, &recurrence.into(), &SolveOptions::default()).unwrap();
                prop_assert_eq!(outcome.objective, Some(expected));
                prop_assert_eq!(outcome.status, Status::Optimal);
            }
        }
    }

    #[test]
    fn without_time_first_fit_decreasing_is_returned() {
        let options =
            limited(crate::Limits { time: Some(std::time::Duration::ZERO), ..Default::default() });
        let packing = Packing::new(vec![4, 3], vec![2, 4], 10).unwrap();
        for recurrence in Recurrence::ALL {
            let outcome = pack(&cpu_context(1), &packing, &recurrence.into(), &options).unwrap();
            assert_eq!((outcome.status, outcome.objective), (Status::Feasible, Some(3)));
            assert_eq!(outcome.bound, Some(2));
        }
    }

    #[test]
    fn what_is_too_large_is_refused_with_its_size() {
        let refusal = |packing: &Packing, recurrence: Recurrence| {
            let options = limited(crate::Limits { memory: Some(1 << 20), ..Default::default() });
            pack(&cpu_context(1), packing, &recurrence.into(), &options).unwrap_err().to_string()
        };
        let many = Packing::new(vec![1; 8], vec![9; 8], 3).unwrap();
        for recurrence in Recurrence::ALL {
            assert!(refusal(&many, recurrence).starts_with("a lattice of 100000000 cells needs "));
        }
        let refused = |sizes, counts, capacity| {
            refusal(&Packing::new(sizes, counts, capacity).unwrap(), Recurrence::UnitSteps)
        };
        assert_eq!(
            refused(vec![1], vec![9], u64::MAX),
            "not supported: a capacity of 18446744073709551615 by unit steps"
        );
        assert_eq!(
            refused(vec![1], vec![9], 1 << 30),
            "not supported: unit steps with a capacity of 1073741824 and up to 9 containers"
        );
        assert_eq!(
            refused(vec![1, 2], vec![65535, 65535], 9),
            "not supported: a lattice of 4294967296 cells and 131070 items by unit steps"
        );
    }
}
