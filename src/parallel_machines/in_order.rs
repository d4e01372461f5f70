//! A schedule for solves without time for sorting.

use std::collections::HashMap;

use super::Instance;
use super::incumbent::Answer;
use super::schedule::Assignment;
use crate::{Result, memory};

/// Fills one machine after the other with jobs in their order, each up to the average load, unless
/// the start is shorter. The makespan is below the sum of the average load and the longest job, or
/// the longest load of pinned jobs.
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub(super) fn answer(instance: &Instance, start: Option<Assignment>) -> Result<Answer> {
    let (mut makespan, mut assignment) = in_order(instance)?;
    if let Some(start) = start.filter(|start| start.0 < makespan) {
        (makespan, assignment) = start;
    }
    let longest = instance.times().iter().copied().max().unwrap_or(0);
    Ok(Answer { makespan, assignment, bound: instance.average().max(longest) })
}

fn in_order(instance: &Instance) -> Result<Assignment> {
    let (times, machines, average) =
        (instance.times(), instance.useful_machines(), instance.average());
    let mut loads: Vec<u64> = memory::zeroed(machines)?;
    // Machines of pinned jobs may have any number.
    let mut others: HashMap<u32, u64> = HashMap::new();
    let mut is_pinned = memory::filled(false, instance.jobs())?;
    let mut assignment: Vec<u32> = memory::zeroed(instance.jobs())?;
    for (&job, &machine) in instance.pinned().iter().zip(instance.pinned_machines()) {
        (is_pinned[job as usize], assignment[job as usize]) = (true, machine);
        let load = match loads.get_mut(machine as usize) {
            Some(load) => load,
            None => others.entry(machine).or_default(),
        };
        *load += times[job as usize];
    }
    let mut machine = 0;
    for ((job, &time), &is_pinned) in times.iter().enumerate().zip(&is_pinned) {
        if is_pinned {
            continue;
        }
        // All of them have the average load together, so the last one is not passed but by jobs
        // of time 0.
        while loads[machine] >= average && machine + 1 < machines {
            machine += 1;
        }
        loads[machine] += time;
        assignment[job] = machine as u32;
    }
    let makespan = loads.into_iter().chain(others.into_values()).max().unwrap_or(0);
    Ok((makespan, assignment))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::parallel_machines::Schedule;

    proptest! {
        #[test]
        fn loads_are_near_the_average(
            times in prop::collection::vec(0u64..50, 0..40),
            machines in 1u32..60,
            pins in prop::collection::btree_map(0u32..40, 0u32..60, 0..9),
        ) {
            let jobs = times.len() as u32;
            let plain = Instance::new(times, machines).unwrap();
            let (pinned, on): (Vec<u32>, Vec<u32>) =
                pins.into_iter().filter(|pin| pin.0 < jobs && pin.1 < machines).unzip();
            let pinned = plain.clone().with_pinned(pinned, on).unwrap();
            for instance in [&plain, &pinned] {
                let Answer { makespan, assignment, bound } = answer(instance, None).unwrap();
                let evaluated = Schedule::new(assignment).makespan(instance).unwrap();
                prop_assert_eq!(evaluated, makespan);
                prop_assert!(bound <= makespan);
                if instance.pinned().is_empty() {
                    prop_assert!(makespan < 2 * bound || makespan == 0);
                }
            }
        }
    }

    #[test]
    fn a_shorter_start_is_kept() {
        let instance = Instance::new(vec![1, 1, 4], 2).unwrap();
        assert_eq!(answer(&instance, None).unwrap().makespan, 6);
        let kept = answer(&instance, Some((4, vec![0, 0, 1]))).unwrap();
        assert_eq!((kept.makespan, kept.assignment, kept.bound), (4, vec![0, 0, 1], 4));
    }
}
