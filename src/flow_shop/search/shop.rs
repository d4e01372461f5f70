use crate::flow_shop::completion::append_after;
use crate::flow_shop::{Instance, Setups};

/// The part of an instance that remains to be sequenced: the jobs that are not pinned, numbered
/// from 0, after the front of the pinned jobs and ready times. Searches see only this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::flow_shop) struct Shop {
    jobs: usize,
    machines: usize,
    /// Row by row: all machines of job 0, then all of job 1, ...
    times: Vec<u32>,
    /// The times at which the machines become free.
    front: Vec<u32>,
    /// The instance's index of each job.
    numbers: Vec<u32>,
    pinned: Vec<u32>,
    /// Set-ups between the instance's jobs.
    setups: Option<Setups>,
    /// No schedule is longer.
    horizon: u32,
    /// The largest sum of one job's times.
    longest_job: u32,
}

impl Shop {
    pub(in crate::flow_shop) fn of(instance: &Instance) -> Self {
        let (mut front, mut before) = (instance.ready_times().to_vec(), None);
        for &job in instance.pinned() {
            let setup = |machine| instance.setup(machine, before, job);
            append_after(&mut front, instance.job(job), setup);
            before = Some(job);
        }
        let numbers = instance.free_jobs();
        // On each machine, a job takes at most the longest time there, so the sum is at most the
        // horizon.
        let longest_job =
            numbers.iter().map(|&job| instance.job(job).iter().sum()).max().unwrap_or(0);
        Shop {
            jobs: numbers.len(),
            machines: instance.machines(),
            times: numbers.iter().flat_map(|&job| instance.job(job)).copied().collect(),
            front,
            numbers,
            pinned: instance.pinned().to_vec(),
            setups: instance.setups().cloned(),
            horizon: instance.horizon(),
            longest_job,
        }
    }

    #[inline]
    pub(super) fn jobs(&self) -> usize {
        self.jobs
    }

    #[inline]
    pub(super) fn machines(&self) -> usize {
        self.machines
    }

    pub(super) fn times(&self) -> &[u32] {
        &self.times
    }

    #[inline]
    pub(super) fn job(&self, job: u32) -> &[u32] {
        &self.times[job as usize * self.machines..][..self.machines]
    }

    pub(super) fn horizon(&self) -> u32 {
        self.horizon
    }

    pub(super) fn longest_job(&self) -> u32 {
        self.longest_job
    }

    /// The mean of all processing times.
    pub(super) fn mean_time(&self) -> f64 {
        self.times.iter().copied().map(f64::from).sum::<f64>() / self.times.len().max(1) as f64
    }

    pub(super) fn front(&self) -> &[u32] {
        &self.front
    }

    /// The set-ups between jobs of the instance.
    pub(super) fn setups(&self) -> Option<&Setups> {
        self.setups.as_ref()
    }

    /// The instance's index of a job.
    pub(super) fn number(&self, job: u32) -> u32 {
        self.numbers[job as usize]
    }

    /// The instance's last pinned job.
    pub(super) fn last_pinned(&self) -> Option<u32> {
        self.pinned.last().copied()
    }

    /// The times, row by row for each machine.
    pub(super) fn times_by_machine(&self) -> Vec<u32> {
        let mut rows = vec![0; self.times.len()];
        let jobs = self.jobs();
        for (job, times) in self.times.chunks_exact(self.machines).enumerate() {
            times.iter().enumerate().for_each(|(machine, &time)| rows[machine * jobs + job] = time);
        }
        rows
    }

    /// Converts a sequence of the instance to job numbers here, without the pinned jobs.
    pub(in crate::flow_shop) fn order(&self, sequence: &[u32]) -> Vec<u32> {
        let here = |job| self.numbers.binary_search(job).ok().map(|number| number as u32);
        sequence.iter().filter_map(here).collect()
    }

    /// Converts a sequence of job numbers here to the instance's, with the pinned jobs.
    pub(in crate::flow_shop) fn sequence(&self, order: &[u32]) -> Vec<u32> {
        let free = order.iter().map(|&job| self.numbers[job as usize]);
        self.pinned.iter().copied().chain(free).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::flow_shop::Permutation;
    use crate::flow_shop::testing::instances;

    proptest! {
        #[test]
        fn makespans_are_those_of_the_instance(instance in instances(7, 4)) {
            let shop = Shop::of(&instance);
            let order: Vec<u32> = (0..shop.jobs() as u32).rev().collect();
            let sequence = shop.sequence(&order);
            prop_assert_eq!(&shop.order(&sequence), &order);
            let makespan = Permutation::new(sequence).makespan(&instance).unwrap();
            prop_assert_eq!(u64::from(shop.makespan(&order)), makespan);
        }
    }
}
