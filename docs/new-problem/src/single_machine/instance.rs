use crate::{Error, Result};

/// Most jobs. Sorting them takes a tenth of a second, so that the sort need not look at the clock.
pub(super) const MAX_JOBS: usize = 1 << 20;

/// An instance of 1||sum w_j C_j: the processing time and the weight of each job.
///
/// Times are whole numbers from 1 in any unit, weights whole numbers from 0. The sum of all times
/// multiplied by the sum of all weights is below 2^63, so that no sum overflows. An instance may
/// have no jobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    times: Vec<u64>,
    weights: Vec<u64>,
}

impl Instance {
    /// Creates an instance from the processing time and the weight of each job.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for lists that differ in length, for a time of 0 and for more
    /// than 2^20 jobs; [`Error::Overflow`] if the two sums multiplied are 2^63 or more.
    pub fn new(times: Vec<u64>, weights: Vec<u64>) -> Result<Self> {
        let jobs = times.len();
        if weights.len() != jobs {
            let reason = format!("{} weights for {jobs} times", weights.len());
            return Err(Error::argument("weights", reason));
        }
        if jobs > MAX_JOBS {
            return Err(Error::argument("times", format!("{jobs} jobs are more than {MAX_JOBS}")));
        }
        if let Some(job) = times.iter().position(|&time| time == 0) {
            return Err(Error::element("times", job, "must be at least 1"));
        }
        let [length, weight] = [&times, &weights].map(|list| sum(list));
        if length.checked_mul(weight).is_none_or(|largest| largest > i64::MAX as u128) {
            return Err(Error::overflow("the sum of all times multiplied by that of all weights"));
        }
        Ok(Instance { times, weights })
    }

    /// Number of jobs.
    pub fn jobs(&self) -> usize {
        self.times.len()
    }

    /// Processing time of each job, at least 1.
    pub fn times(&self) -> &[u64] {
        &self.times
    }

    /// Weight of each job.
    pub fn weights(&self) -> &[u64] {
        &self.weights
    }
}

/// A sum of at most 2^20 numbers, which fits.
fn sum(list: &[u64]) -> u128 {
    list.iter().copied().map(u128::from).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_arguments_are_refused() {
        let fault = |times: &[u64], weights: &[u64]| {
            Instance::new(times.to_vec(), weights.to_vec()).unwrap_err().to_string()
        };
        assert_eq!(fault(&[1, 2], &[1]), "weights: 1 weights for 2 times");
        assert_eq!(fault(&[1, 0], &[1, 1]), "times[1]: must be at least 1");
        let many = vec![1; MAX_JOBS + 1];
        assert_eq!(fault(&many, &many), "times: 1048577 jobs are more than 1048576");
        let overflow =
            "the sum of all times multiplied by that of all weights does not fit into 63 bits";
        assert_eq!(fault(&[1 << 31, 1 << 31], &[1 << 31, 0]), overflow);
        assert_eq!(fault(&[u64::MAX; 3], &[u64::MAX; 3]), overflow);
    }
}
