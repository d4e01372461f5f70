//! The makespans of all insertions of one job into a sequence, each with a few operations per
//! machine: Taillard (1990), "Some efficient heuristic methods for the flow shop sequencing
//! problem", EJOR 47, 65-74.

use super::Instance;
use super::completion::{append, heads, tails};

/// Tables for insertions, reused from job to job.
pub(super) struct Insertion<'a> {
    instance: &'a Instance,
    heads: Vec<u32>,
    tails: Vec<u32>,
    inserted: Vec<u32>,
}

impl<'a> Insertion<'a> {
    pub(super) fn new(instance: &'a Instance) -> Self {
        let inserted = vec![0; instance.machines()];
        Insertion { instance, heads: Vec::new(), tails: Vec::new(), inserted }
    }

    /// The position from `first` on with the shortest makespan for the job in `order`, and that
    /// makespan. On ties, the position with the least idle time of the machines is chosen, then the
    /// first. Fernandez-Viagas and Framinan estimate this idle time (2014, "On insertion
    /// tie-breaking rules in heuristics for the permutation flowshop scheduling problem", Computers
    /// & Operations Research 45, 60-67).
    pub(super) fn best(&mut self, order: &[u32], job: u32, first: usize) -> (usize, u32) {
        heads(self.instance, order, &mut self.heads);
        tails(self.instance, order, &mut self.tails);
        let mut best = (first, u32::MAX);
        let mut least_idle = None;
        for position in first..=order.len() {
            let makespan = self.makespan(job, position);
            if makespan > best.1 {
                continue;
            }
            if makespan < best.1 {
                best = (position, makespan);
                least_idle = None;
                continue;
            }
            // Only ties need idle times.
            let least = *least_idle.get_or_insert_with(|| self.idle_time(order, job, best.0));
            let idle = self.idle_time(order, job, position);
            if idle < least {
                best = (position, makespan);
                least_idle = Some(idle);
            }
        }
        best
    }

    /// The makespan with the job inserted at the position.
    fn makespan(&mut self, job: u32, position: usize) -> u32 {
        let machines = self.instance.machines();
        self.inserted.copy_from_slice(&self.heads[position * machines..][..machines]);
        append(&mut self.inserted, self.instance.job(job));
        let tail = &self.tails[position * machines..];
        let through = self.inserted.iter().zip(tail).map(|(end, tail)| end + tail);
        through.max().unwrap_or(0)
    }

    fn idle_time(&self, order: &[u32], job: u32, position: usize) -> i64 {
        let next = order.get(position).map(|&next| self.instance.job(next));
        let row = self.instance.machines();
        idle_time(self.instance.job(job), next, |machine, later| {
            self.heads[(position + later) * row + machine]
        })
    }
}

/// The additional idle time of all machines but the first, before an inserted job and the next one,
/// as Fernandez-Viagas and Framinan estimate it. `head` returns the time at which a machine
/// completes the jobs before (0), and then also `next` if the job is not inserted (1).
pub(super) fn idle_time(
    job: &[u32],
    next: Option<&[u32]>,
    head: impl Fn(usize, usize) -> u32,
) -> i64 {
    let (mut end, mut arrival, mut idle) = (0, 0u32, 0);
    for (machine, &time) in job.iter().enumerate() {
        let free = head(machine, 0);
        let start = free.max(end);
        end = start + time;
        let Some(next) = next else {
            // The first machine never waits.
            idle += i64::from(start) - i64::from(free);
            continue;
        };
        if machine > 0 {
            let next_start = head(machine, 1) - next[machine];
            idle +=
                i64::from(start) - i64::from(next_start) + i64::from(arrival.saturating_sub(end));
        }
        arrival = arrival.max(end) + next[machine];
    }
    idle
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::flow_shop::completion;
    use crate::flow_shop::testing::instances;

    /// The estimate in the paper's notation: `e` are completion times of the sequence without the
    /// job, `f` those of the job, `f'` those of the next job.
    fn published(instance: &Instance, order: &[u32], job: u32, position: usize) -> i64 {
        let mut all = Vec::new();
        heads(instance, order, &mut all);
        let machines = instance.machines();
        let e = |machine: usize, jobs: usize| i64::from(all[jobs * machines + machine]);
        let t = |machine: usize, job: u32| i64::from(instance.job(job)[machine]);
        let mut f = vec![0; machines];
        for machine in 0..machines {
            let before = if machine == 0 { 0 } else { f[machine - 1] };
            f[machine] = e(machine, position).max(before) + t(machine, job);
        }
        let Some(&next) = order.get(position) else {
            return (1..machines)
                .map(|machine| (f[machine - 1] - e(machine, position)).max(0))
                .sum();
        };
        let mut arrival = f[0] + t(0, next);
        let mut idle = 0;
        for (machine, &end) in f.iter().enumerate().skip(1) {
            idle += end - e(machine, position + 1) + t(machine, next) - t(machine, job);
            idle += (arrival - end).max(0);
            arrival = arrival.max(end) + t(machine, next);
        }
        idle
    }

    proptest! {
        #[test]
        fn the_best_insertion_is_the_best_of_all(instance in instances(7, 5)) {
            let job = instance.jobs() as u32 - 1;
            let order: Vec<u32> = (0..job).collect();
            let with = |position| {
                let mut order = order.clone();
                order.insert(position, job);
                completion::makespan(&instance, &order)
            };
            let (position, makespan) = Insertion::new(&instance).best(&order, job, 0);
            prop_assert_eq!(makespan, with(position));
            prop_assert_eq!(Some(makespan), (0..=order.len()).map(with).min());
        }

        #[test]
        fn ties_are_broken_as_published(instance in instances(7, 5)) {
            let job = instance.jobs() as u32 - 1;
            let order: Vec<u32> = (0..job).collect();
            let mut insertion = Insertion::new(&instance);
            let (best, makespan) = insertion.best(&order, job, 0);
            let ties = (0..=order.len()).filter(|&position| insertion.makespan(job, position) == makespan);
            let ties: Vec<usize> = ties.collect();
            let expected = ties.into_iter().min_by_key(|&position| published(&instance, &order, job, position));
            prop_assert_eq!(Some(best), expected);
        }
    }
}
