use std::path::Path;

use crate::text::{self, Words};
use crate::{Error, Result, memory};

/// Upper limit of sums of times, so that a load plus a time never overflows.
pub(super) const MAX_TOTAL: u64 = i64::MAX as u64;

/// Largest number of jobs and of machines: machine numbers are 32 bits wide.
const MAX_COUNT: u64 = u32::MAX as u64;

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

    /// Reads an instance in either of the field's formats:
    ///
    /// - `p p_cmax n m`, then n times and a closing 0 that is not a job;
    /// - plain `m n`, then n times.
    ///
    /// # Errors
    /// [`Error::Parse`] with the line at fault, and those of [`Instance::new`].
    pub fn parse(text: &str) -> Result<Self> {
        let mut words = Words::new(text);
        if words.clone().next().is_none() {
            return Err(words.error("the file is empty"));
        }
        let tagged = words.clone().next() == Some("p");
        let (jobs, machines) =
            if tagged { tagged_header(&mut words)? } else { plain_header(&mut words)? };
        // The text's length bounds the capacity, for any number in its header.
        let mut times = memory::list(jobs.min(text.len() as u64 / 2 + 1) as usize)?;
        for job in 0..jobs {
            times.push(words.number(|| format!("the time of job {job} of {jobs}"))?);
        }
        if tagged && words.number(|| "the closing 0".into())? != 0 {
            return Err(words.error(format!("a closing 0 is expected after the {jobs} times")));
        }
        if let Some(word) = words.next() {
            let shown: String = word.chars().take(24).collect();
            return Err(words
                .error(format!("'{shown}' stands after the {jobs} times the header announces")));
        }
        Instance::new(times, machines)
    }

    /// Reads an instance from a file; see [`Instance::parse`].
    ///
    /// # Errors
    /// [`Error::Io`], and those of [`Instance::parse`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        Instance::parse(&text::read(path.as_ref())?)
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

fn tagged_header(words: &mut Words<'_>) -> Result<(u64, u32)> {
    words.next();
    if words.next() != Some("p_cmax") {
        return Err(words.error("'p p_cmax n m' is expected"));
    }
    let jobs = words.number(|| "n, the number of jobs,".into())?;
    Ok((check_jobs(words, jobs)?, machine_count(words)?))
}

fn plain_header(words: &mut Words<'_>) -> Result<(u64, u32)> {
    let machines = machine_count(words)?;
    let jobs = words.number(|| "n, the number of jobs,".into())?;
    Ok((check_jobs(words, jobs)?, machines))
}

fn machine_count(words: &mut Words<'_>) -> Result<u32> {
    let machines = words.number(|| "m, the number of machines,".into())?;
    match u32::try_from(machines) {
        Ok(0) => Err(words.error("there must be at least 1 machine")),
        Ok(machines) => Ok(machines),
        Err(_) => Err(words.error(format!("{machines} machines are more than {MAX_COUNT}"))),
    }
}

fn check_jobs(words: &Words<'_>, jobs: u64) -> Result<u64> {
    if jobs > MAX_COUNT {
        return Err(words.error(format!("{jobs} jobs are more than {MAX_COUNT}")));
    }
    Ok(jobs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_formats() {
        let expected = Instance::new(vec![7, 5, 3], 2).unwrap();
        assert_eq!(Instance::parse("p p_cmax 3 2\n7 5 3 0\n").unwrap(), expected);
        assert_eq!(Instance::parse("2\n3\n7 5\n3").unwrap(), expected);
        assert_eq!(expected.total(), 15);
    }

    #[test]
    fn no_job_is_valid() {
        assert_eq!(Instance::parse("p p_cmax 0 3\n0\n").unwrap().jobs(), 0);
        assert_eq!(Instance::parse("3 0").unwrap().jobs(), 0);
    }

    #[test]
    fn each_fault_is_named() {
        for (text, message) in [
            ("", "line 1: the file is empty"),
            (" \n\n", "line 1: the file is empty"),
            ("p cmax 3 2", "line 1: 'p p_cmax n m' is expected"),
            ("p p_cmax 3 0\n1 2 3 0", "line 1: there must be at least 1 machine"),
            ("p p_cmax 3 2\n1 2", "line 2: the file ends where the time of job 2 of 3 is expected"),
            ("p p_cmax 3 2\n1 2 3", "line 2: the file ends where the closing 0 is expected"),
            ("p p_cmax 3 2\n1 2 3 4", "line 2: a closing 0 is expected after the 3 times"),
            (
                "p p_cmax 3 2\n1 2 3 0 9",
                "line 2: '9' stands after the 3 times the header announces",
            ),
            ("p p_cmax 3 2\n1 -2 3 0", "line 2: the time of job 1 of 3: -2 is negative"),
            ("2 3\n1 two 3", "line 2: the time of job 1 of 3: 'two' is not a whole number"),
            ("2 3\n1 2 3 4", "line 2: '4' stands after the 3 times the header announces"),
            ("2 99999999999\n1", "line 1: 99999999999 jobs are more than 4294967295"),
            ("99999999999 2\n1", "line 1: 99999999999 machines are more than 4294967295"),
            (
                "2 4294967295\n1",
                "line 2: the file ends where the time of job 1 of 4294967295 is expected",
            ),
        ] {
            assert_eq!(Instance::parse(text).unwrap_err().to_string(), message, "{text:?}");
        }
    }

    #[test]
    fn sums_beyond_63_bits_are_refused() {
        let half = 1u64 << 62;
        assert!(Instance::new(vec![half, half - 1], 1).is_ok());
        assert!(matches!(
            Instance::new(vec![half, half], 1).err().as_deref(),
            Some(Error::Overflow { .. })
        ));
        assert!(matches!(
            Instance::new(vec![u64::MAX, 2], 1).err().as_deref(),
            Some(Error::Overflow { .. })
        ));
        assert!(matches!(
            Instance::new(vec![1], 0).err().as_deref(),
            Some(Error::InvalidArgument { .. })
        ));
    }

    #[test]
    fn machines_without_work_are_not_useful() {
        let instance = Instance::new(vec![4, 9, 4], u32::MAX).unwrap();
        assert_eq!((instance.useful_machines(), instance.average()), (3, 6));
        assert_eq!(instance.longest_first().unwrap(), [1, 0, 2]);
    }
}
