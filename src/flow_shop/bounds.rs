//! Lower bounds of a whole instance.

use super::Instance;
use super::completion::{append, prepend};

/// Heads, tails and total times around the jobs that remain to be sequenced, by machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Surroundings {
    /// The earliest time at which the machine can start one of them.
    pub(super) front: Vec<u32>,
    /// The sum of their processing times.
    pub(super) remaining: Vec<u32>,
    /// The least time from the end of the last of them on the machine to the end of the schedule.
    pub(super) back: Vec<u32>,
}

impl Surroundings {
    /// The surroundings of all jobs that are not pinned. An empty side is bounded by the job that
    /// takes the least time to the machine.
    pub(super) fn of(instance: &Instance) -> Self {
        let machines = instance.machines();
        let jobs = instance.free_jobs();
        let mut front = instance.ready_times().to_vec();
        if instance.pinned().is_empty() {
            front = soonest(machines, &jobs, &|job, starts| {
                let mut end = 0;
                let times = instance.ready_times().iter().zip(instance.job(job));
                for (start, (&ready, &time)) in starts.iter_mut().zip(times) {
                    *start = ready.max(end);
                    end = *start + time;
                }
            });
        } else {
            instance.pinned().iter().for_each(|&job| append(&mut front, instance.job(job)));
        }
        let back = soonest(machines, &jobs, &|job, rest| {
            prepend(rest, instance.job(job));
            rest.iter_mut().zip(instance.job(job)).for_each(|(rest, time)| *rest -= time);
        });
        let mut remaining = vec![0; machines];
        for &job in &jobs {
            remaining.iter_mut().zip(instance.job(job)).for_each(|(sum, time)| *sum += time);
        }
        Surroundings { front, remaining, back }
    }
}

/// The smallest value of any job for each machine; 0 without jobs.
fn soonest(machines: usize, jobs: &[u32], of_job: &dyn Fn(u32, &mut [u32])) -> Vec<u32> {
    let mut least = vec![if jobs.is_empty() { 0 } else { u32::MAX }; machines];
    let mut row = vec![0; machines];
    for &job in jobs {
        row.fill(0);
        of_job(job, &mut row);
        least.iter_mut().zip(&row).for_each(|(least, &value)| *least = value.min(*least));
    }
    least
}

/// The one-machine bound: the machine starts with some job, processes all jobs without pause, and
/// the last of them still has to pass the later machines.
pub(super) fn one_machine(instance: &Instance) -> u32 {
    let around = Surroundings::of(instance);
    if instance.pinned().len() == instance.jobs() {
        // The sequence is fixed. The ready time of a machine that no job waits for lengthens no
        // schedule.
        return around.front.last().copied().unwrap_or(0);
    }
    let sums = around.front.iter().zip(&around.remaining).zip(&around.back);
    sums.map(|((front, remaining), back)| front + remaining + back).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::flow_shop::testing::{best_by_enumeration, instances};

    #[test]
    fn a_single_job_meets_the_bound() {
        let instance = Instance::new(1, 3, vec![4, 5, 6]).unwrap();
        assert_eq!(one_machine(&instance), 15);
        assert_eq!(one_machine(&instance.with_ready_times(vec![0, 20, 90]).unwrap()), 96);
    }

    proptest! {
        #[test]
        fn no_sequence_is_shorter(instance in instances(6, 4)) {
            prop_assert!(one_machine(&instance) <= best_by_enumeration(&instance));
        }
    }
}
