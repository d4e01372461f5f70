use super::distinct::check_distinct;
use super::model::Extras;
use crate::{Error, Result, memory};

/// Schedules of an instance are at most this long, so that 32-bit integers hold every time and
/// every bound.
pub(super) const MAX_HORIZON: u64 = i32::MAX as u64;

/// An instance of the permutation flow shop: jobs that pass all machines in the same order, with a
/// processing time for each job and machine. It may have set-ups, release times, blocking, due
/// dates and another objective than the makespan.
///
/// Times are 32-bit integers in any unit, including 0; the longest possible schedule must stay
/// below 2^31. There is at least one job and one machine. Machines may have ready times, and the
/// first jobs of the sequence may be pinned because they were already released.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    jobs: usize,
    machines: usize,
    /// Row by row: all machines of job 0, then all of job 1, ...
    times: Vec<u32>,
    ready: Vec<u32>,
    pinned: Vec<u32>,
    pub(super) extras: Extras,
    horizon: u32,
}

impl Instance {
    /// Creates an instance from `times[job * machines + machine]`.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] without a job or a machine, if there are not `jobs * machines`
    /// times, or if a schedule might last 2^31 or longer.
    pub fn new(jobs: usize, machines: usize, times: Vec<u32>) -> Result<Self> {
        if jobs == 0 {
            return Err(Error::argument("jobs", "must be at least 1"));
        }
        if machines == 0 {
            return Err(Error::argument("machines", "must be at least 1"));
        }
        if u32::try_from(jobs).is_err() {
            return Err(Error::argument("jobs", format!("more than {} jobs", u32::MAX)));
        }
        if jobs.checked_mul(machines) != Some(times.len()) {
            let reason = format!("{} times for {jobs} jobs on {machines} machines", times.len());
            return Err(Error::argument("times", reason));
        }
        let ready = memory::zeroed(machines)?;
        let (pinned, extras) = (Vec::new(), Extras::default());
        let instance = Instance { jobs, machines, times, ready, pinned, extras, horizon: 0 };
        instance.update_horizon("times")
    }

    /// The same instance with a ready time for each machine.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if there is not exactly one time for each machine, or if a
    /// schedule might last 2^31 or longer.
    pub fn with_ready_times(mut self, ready: Vec<u32>) -> Result<Self> {
        if ready.len() != self.machines {
            let reason = format!("{} ready times for {} machines", ready.len(), self.machines);
            return Err(Error::argument("ready_times", reason));
        }
        self.ready = ready;
        self.update_horizon("ready_times")
    }

    /// The same instance with these jobs at the beginning of every sequence.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] with the position of a job that does not exist or occurs twice.
    pub fn with_pinned(mut self, pinned: Vec<u32>) -> Result<Self> {
        check_distinct("pinned", &pinned, self.jobs)?;
        self.pinned = pinned;
        Ok(self)
    }

    /// Number of jobs, at least 1.
    pub fn jobs(&self) -> usize {
        self.jobs
    }

    /// Number of machines, at least 1.
    pub fn machines(&self) -> usize {
        self.machines
    }

    /// The times of all jobs, `times[job * machines + machine]`.
    pub fn times(&self) -> &[u32] {
        &self.times
    }

    /// The times of one job, one for each machine.
    #[inline]
    pub fn job(&self, job: u32) -> &[u32] {
        &self.times[job as usize * self.machines..][..self.machines]
    }

    /// For each machine, the time at which it becomes ready.
    pub fn ready_times(&self) -> &[u32] {
        &self.ready
    }

    /// The jobs at the beginning of every sequence.
    pub fn pinned(&self) -> &[u32] {
        &self.pinned
    }

    /// The jobs that are not pinned, in ascending order.
    pub(super) fn free_jobs(&self) -> Vec<u32> {
        let mut pinned = vec![false; self.jobs];
        self.pinned.iter().for_each(|&job| pinned[job as usize] = true);
        (0..self.jobs as u32).filter(|&job| !pinned[job as usize]).collect()
    }

    /// An upper limit, below 2^31, of the length of every sequence and of every bound on sequences
    /// with a given beginning and end.
    pub(super) fn horizon(&self) -> u32 {
        self.horizon
    }

    /// Computes the horizon again, after a change of `argument`.
    pub(super) fn update_horizon(mut self, argument: &'static str) -> Result<Self> {
        self.horizon = self.find_horizon(argument)?;
        self.check_objective(argument)?;
        Ok(self)
    }

    /// The length of a schedule is the length of a path through the grid of positions and machines,
    /// plus the ready time of the machine or the release time of the job where it begins. Each step
    /// of the path leads to the next position or the next machine. The horizon counts each position
    /// with its longest time and the largest set-up, and each step to a machine with the longest
    /// time there. With blocking, a path may also lead back to the machine before. For each such
    /// step it has one more step to a next machine, so that all times are counted.
    fn find_horizon(&self, argument: &'static str) -> Result<u32> {
        let rows = || self.times.chunks_exact(self.machines);
        let longest_of_jobs: u64 =
            rows().filter_map(|row| row.iter().max()).copied().map(u64::from).sum();
        let mut longest_of_machines = vec![0; self.machines];
        for row in rows() {
            longest_of_machines
                .iter_mut()
                .zip(row)
                .for_each(|(longest, &time)| *longest = time.max(*longest));
        }
        let steps: u64 = longest_of_machines.into_iter().map(u64::from).sum();
        let path = match self.has_blocking() {
            false => longest_of_jobs.saturating_add(steps),
            true => self.times.iter().copied().map(u64::from).fold(0, u64::saturating_add),
        };
        let setups = self.setups().map_or(0, |setups| u64::from(setups.largest()));
        let begin = self.ready.iter().chain(self.release_times()).max();
        let horizon = path
            .saturating_add(setups.saturating_mul(self.jobs as u64))
            .saturating_add(begin.copied().map_or(0, u64::from));
        match u32::try_from(horizon) {
            Ok(short) if horizon <= MAX_HORIZON => Ok(short),
            _ => {
                let reason = format!("schedules might last {horizon}, the most is {MAX_HORIZON}");
                Err(Error::argument(argument, reason))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(result: Result<Instance>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn sizes_must_agree() {
        assert_eq!(fault(Instance::new(0, 2, vec![])), "jobs: must be at least 1");
        assert_eq!(fault(Instance::new(2, 0, vec![])), "machines: must be at least 1");
        assert_eq!(
            fault(Instance::new(2, 2, vec![1, 2, 3])),
            "times: 3 times for 2 jobs on 2 machines"
        );
        assert_eq!(
            fault(Instance::new(usize::MAX, 3, vec![1])),
            format!("jobs: more than {} jobs", u32::MAX)
        );
    }

    #[test]
    fn times_that_do_not_fit_are_refused() {
        let most = i32::MAX as u32;
        // One job on one machine counts once as a position and once as a machine.
        assert_eq!(Instance::new(1, 1, vec![most / 2]).unwrap().horizon(), most - 1);
        let long = fault(Instance::new(1, 1, vec![most]));
        assert_eq!(long, "times: schedules might last 4294967294, the most is 2147483647");
        let instance = Instance::new(1, 2, vec![1, 1]).unwrap();
        let late = fault(instance.clone().with_ready_times(vec![0, most]));
        assert_eq!(late, "ready_times: schedules might last 2147483650, the most is 2147483647");
        assert_eq!(
            fault(instance.with_ready_times(vec![0])),
            "ready_times: 1 ready times for 2 machines"
        );
    }

    #[test]
    fn pinned_jobs_exist_once() {
        let instance = Instance::new(3, 1, vec![1, 2, 3]).unwrap();
        assert_eq!(
            fault(instance.clone().with_pinned(vec![3])),
            "pinned[0]: there is no job 3, only 3"
        );
        assert_eq!(
            fault(instance.clone().with_pinned(vec![1, 2, 1])),
            "pinned[2]: job 1 stands at position 0 already"
        );
        assert_eq!(instance.with_pinned(vec![1]).unwrap().free_jobs(), [0, 2]);
    }
}
