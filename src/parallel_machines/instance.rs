use crate::solve::Monitor;
use crate::{Error, Result, memory, sorting};

/// Upper limit of sums of times, so that a load plus a time never overflows.
pub(super) const MAX_TOTAL: u64 = i64::MAX as u64;

/// Largest number of jobs and of machines: machine numbers are 32 bits wide.
pub(super) const MAX_COUNT: u64 = u32::MAX as u64;

/// An instance of P||Cmax: jobs with processing times, to be run on identical machines.
///
/// Times are whole numbers in any unit; their sum is below 2^63. An instance may have no jobs, but
/// must have a machine. Some jobs may be pinned to machines because they run there already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    times: Vec<u64>,
    machines: u32,
    total: u64,
    pinned: Vec<u32>,
    /// The machine of each pinned job.
    pinned_machines: Vec<u32>,
}

impl Instance {
    /// Creates an instance from the processing times of the jobs.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] without a machine or with too many jobs, [`Error::Overflow`] if
    /// the sum of the times is 2^63 or more.
    pub fn new(times: Vec<u64>, machines: u32) -> Result<Self> {
        if machines == 0 {
            return Err(Error::argument("machines", "must be at least 1"));
        }
        if times.len() as u64 > MAX_COUNT {
            return Err(Error::argument("times", format!("more than {MAX_COUNT} jobs")));
        }
        let total = times
            .iter()
            .try_fold(0u64, |sum, &time| sum.checked_add(time))
            .filter(|&sum| sum <= MAX_TOTAL)
            .ok_or(Error::overflow("the sum of the processing times"))?;
        Ok(Instance { times, machines, total, pinned: Vec::new(), pinned_machines: Vec::new() })
    }

    /// The same instance with these jobs on the machines in the same place of the second list, in
    /// every schedule.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the lists differ in length, if a job or a machine does not
    /// exist, or if a job occurs twice; [`Error::OutOfMemory`].
    pub fn with_pinned(mut self, pinned: Vec<u32>, machines: Vec<u32>) -> Result<Self> {
        if pinned.len() != machines.len() {
            let reason = format!("{} machines for {} pinned jobs", machines.len(), pinned.len());
            return Err(Error::argument("machines", reason));
        }
        let mut is_pinned = memory::filled(false, self.jobs())?;
        for (position, &job) in pinned.iter().enumerate() {
            let reason = match is_pinned.get_mut(job as usize) {
                None => format!("there is no job {job}, only {}", self.jobs()),
                Some(true) => format!("job {job} is pinned already"),
                Some(is_pinned) => {
                    *is_pinned = true;
                    continue;
                }
            };
            return Err(Error::element("pinned", position, reason));
        }
        if let Some(position) = machines.iter().position(|&machine| machine >= self.machines) {
            let (machine, count) = (machines[position], self.machines);
            let reason = format!("there is no machine {machine}, only {count}");
            return Err(Error::element("machines", position, reason));
        }
        (self.pinned, self.pinned_machines) = (pinned, machines);
        Ok(self)
    }

    /// Processing time of each job.
    pub fn times(&self) -> &[u64] {
        &self.times
    }

    /// Number of jobs.
    pub fn jobs(&self) -> usize {
        self.times.len()
    }

    /// Number of machines, at least 1.
    pub fn machines(&self) -> u32 {
        self.machines
    }

    /// Sum of the processing times, below 2^63.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The jobs that are pinned to machines.
    pub fn pinned(&self) -> &[u32] {
        &self.pinned
    }

    /// The machine of each job of [`Instance::pinned`].
    pub fn pinned_machines(&self) -> &[u32] {
        &self.pinned_machines
    }

    /// Most machines that an optimal schedule without pinned jobs can use: not more than there are
    /// jobs, at least 1.
    pub(super) fn useful_machines(&self) -> usize {
        (self.machines as usize).min(self.times.len()).max(1)
    }

    /// Average load of the useful machines, rounded up.
    pub(super) fn average(&self) -> u64 {
        self.total.div_ceil(self.useful_machines() as u64)
    }

    /// The jobs from the longest to the shortest; equal ones by number.
    ///
    /// # Errors
    /// [`Error::Stopped`] if there are many jobs, and [`Error::OutOfMemory`].
    pub(super) fn longest_first(&self, monitor: &Monitor) -> Result<Vec<u32>> {
        sorting::order(self.times.len(), &|job| u64::MAX - self.times[job], monitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_error, monitor};

    #[test]
    fn sums_beyond_63_bits_are_refused() {
        let half = 1u64 << 62;
        assert!(Instance::new(vec![half, half - 1], 1).is_ok());
        assert_error!(Instance::new(vec![half, half], 1), Error::Overflow { .. });
        assert_error!(Instance::new(vec![u64::MAX, 2], 1), Error::Overflow { .. });
        assert_error!(Instance::new(vec![1], 0), Error::InvalidArgument { .. });
    }

    #[test]
    fn pinned_jobs_and_their_machines_exist_once() {
        let instance = Instance::new(vec![4, 9, 4], 2).unwrap();
        let pin = |jobs: &[u32], machines: &[u32]| {
            instance.clone().with_pinned(jobs.to_vec(), machines.to_vec())
        };
        let fault = |jobs: &[u32], machines: &[u32]| pin(jobs, machines).unwrap_err().to_string();
        assert_eq!(fault(&[1], &[]), "machines: 0 machines for 1 pinned jobs");
        assert_eq!(fault(&[1, 3], &[0, 0]), "pinned[1]: there is no job 3, only 3");
        assert_eq!(fault(&[1, 2, 1], &[0, 0, 1]), "pinned[2]: job 1 is pinned already");
        assert_eq!(fault(&[1, 2], &[0, 2]), "machines[1]: there is no machine 2, only 2");
        let pinned = pin(&[2, 0], &[1, 0]).unwrap();
        assert_eq!((pinned.pinned(), pinned.pinned_machines()), (&[2, 0][..], &[1, 0][..]));
        assert_eq!(pinned.with_pinned(vec![], vec![]).unwrap(), instance);
    }

    #[test]
    fn machines_without_work_are_not_useful() {
        let instance = Instance::new(vec![4, 9, 4], u32::MAX).unwrap();
        assert_eq!((instance.useful_machines(), instance.average()), (3, 6));
        assert_eq!(instance.longest_first(&monitor()).unwrap(), [1, 0, 2]);
    }
}
