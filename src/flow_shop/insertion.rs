//! The makespans of all insertions of one job into a sequence, each in a few operations a machine: Taillard (1990),
//! "Some efficient heuristic methods for the flow shop sequencing problem", EJOR 47, 65-74.

use super::Instance;
use super::completion::{append, heads, tails};

/// Room for the tables, used again from job to job.
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

    /// The position from `first` on where the job gives `order` the shortest makespan, and that makespan. Between equal
    /// ones the position with the least idle time of the machines decides, as Fernandez-Viagas and Framinan estimate
    /// it (2014, "On insertion tie-breaking rules in heuristics for the permutation flowshop scheduling problem",
    /// Computers & Operations Research 45, 60-67), then the first.
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
            // Idle times are needed for ties alone.
            let least = *least_idle.get_or_insert_with(|| self.idle_time(order, job, best.0));
            let idle = self.idle_time(order, job, position);
            if idle < least {
                best = (position, makespan);
                least_idle = Some(idle);
            }
        }
        best
    }

    /// The makespan with the job at the position.
    fn makespan(&mut self, job: u32, position: usize) -> u32 {
        self.insert(job, position);
        let tail = &self.tails[position * self.instance.machines()..];
        let through = self.inserted.iter().zip(tail).map(|(end, tail)| end + tail);
        through.max().unwrap_or(0)
    }

    /// Completion times of the job at the position.
    fn insert(&mut self, job: u32, position: usize) {
        let machines = self.instance.machines();
        self.inserted.copy_from_slice(&self.heads[position * machines..][..machines]);
        append(&mut self.inserted, self.instance.job(job));
    }

    /// What the machines, from the second one on, wait longer before the job and the one after it.
    fn idle_time(&mut self, order: &[u32], job: u32, position: usize) -> i64 {
        self.insert(job, position);
        let machines = self.instance.machines();
        let times = self.instance.job(job);
        let before = &self.heads[position * machines..][..machines];
        let Some(&next) = order.get(position) else {
            let starts = self.inserted.iter().zip(times).map(|(end, time)| end - time);
            return starts.zip(before).skip(1).map(|(start, free)| i64::from(start) - i64::from(*free)).sum();
        };
        let next_ends = &self.heads[(position + 1) * machines..][..machines];
        let next_times = self.instance.job(next);
        let mut arrival = self.inserted[0] + next_times[0];
        let mut idle = 0;
        for machine in 1..machines {
            let end = self.inserted[machine];
            let start = i64::from(end - times[machine]);
            let next_start = i64::from(next_ends[machine] - next_times[machine]);
            idle += start - next_start + i64::from(arrival.saturating_sub(end));
            arrival = arrival.max(end) + next_times[machine];
        }
        idle
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::flow_shop::completion;
    use crate::flow_shop::testing::instances;

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
    }
}
