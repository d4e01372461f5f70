//! Files of instances: `n`, then n lines of a processing time and a weight.

use std::path::Path;

use super::Instance;
use super::instance::MAX_JOBS;
use crate::Result;
use crate::memory::Grow;
use crate::text::{self, Words};

impl Instance {
    /// Reads an instance: the number of jobs, then the processing time and the weight of each.
    ///
    /// # Errors
    /// [`Error::Parse`](crate::Error::Parse) with the line at fault, and those of
    /// [`Instance::new`].
    pub fn parse(text: &str) -> Result<Self> {
        let mut words = Words::new(text);
        let jobs = words.number(|| "n, the number of jobs,".into())?;
        if jobs > MAX_JOBS as u64 {
            return Err(words.error(format!("{jobs} jobs are more than {MAX_JOBS}")));
        }
        let (mut times, mut weights) = (Vec::new(), Vec::new());
        for job in 0..jobs {
            let time = words.number(|| format!("the time of job {job} of {jobs}"))?;
            if time == 0 {
                return Err(words.error(format!("the time of job {job} must be at least 1")));
            }
            times.try_push(time)?;
            weights.try_push(words.number(|| format!("the weight of job {job} of {jobs}"))?)?;
        }
        if words.next().is_some() {
            return Err(words.error("text follows the last job"));
        }
        Instance::new(times, weights)
    }

    /// Reads an instance from a file; see [`Instance::parse`].
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io), and those of [`Instance::parse`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        Instance::parse(&text::read(path.as_ref())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_may_be_on_any_line() {
        let instance = Instance::new(vec![3, 1], vec![2, 0]).unwrap();
        assert_eq!(Instance::parse("2\n3 2\n1 0\n").unwrap(), instance);
        assert_eq!(Instance::parse("2 3\n2 1 0").unwrap(), instance);
        assert_eq!(Instance::parse("0").unwrap().jobs(), 0);
    }

    #[test]
    fn each_fault_is_named() {
        for (text, message) in [
            ("", "line 1: the file ends where n, the number of jobs, is expected"),
            ("1048577", "line 1: 1048577 jobs are more than 1048576"),
            ("2\n3 2\n1", "line 3: the file ends where the weight of job 1 of 2 is expected"),
            ("1\n0 2", "line 2: the time of job 0 must be at least 1"),
            ("1\n3 -2", "line 2: the weight of job 0 of 1: -2 is negative"),
            ("1\n3 2\n4", "line 3: text follows the last job"),
        ] {
            assert_eq!(Instance::parse(text).unwrap_err().to_string(), message, "{text:?}");
        }
    }
}
