use crate::{Error, Result, memory};

/// Upper limit of sums of times, so that a load plus a time never overflows.
pub(super) const MAX_TOTAL: u64 = i64::MAX as u64;

/// Largest number of jobs and of machines: machine numbers are 32 bits wide.
pub(super) const MAX_COUNT: u64 = u32::MAX as u64;

/// An instance of P||Cmax: jobs with processing times, to be run on identical machines.
///
/// Times are whole numbers in any unit; their sum is below 2^63. An instance may have no jobs, but
/// must have a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    times: Vec<u64>,
    machines: u32,
    total: u64,
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
        Ok(Instance { times, machines, total })
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

    /// Most machines that an optimal schedule can use: not more than there are jobs, at least 1.
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
    /// [`Error::OutOfMemory`].
    pub(super) fn longest_first(&self) -> Result<Vec<u32>> {
        let mut jobs: Vec<u32> = (0..self.times.len() as u32).collect();
        memory::sort_by_key(&mut jobs, |&job| u64::MAX - self.times[job as usize])?;
        Ok(jobs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_error;

    #[test]
    fn sums_beyond_63_bits_are_refused() {
        let half = 1u64 << 62;
        assert!(Instance::new(vec![half, half - 1], 1).is_ok());
        assert_error!(Instance::new(vec![half, half], 1), Error::Overflow { .. });
        assert_error!(Instance::new(vec![u64::MAX, 2], 1), Error::Overflow { .. });
        assert_error!(Instance::new(vec![1], 0), Error::InvalidArgument { .. });
    }

    #[test]
    fn machines_without_work_are_not_useful() {
        let instance = Instance::new(vec![4, 9, 4], u32::MAX).unwrap();
        assert_eq!((instance.useful_machines(), instance.average()), (3, 6));
        assert_eq!(instance.longest_first().unwrap(), [1, 0, 2]);
    }
}
