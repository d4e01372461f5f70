//! The text formats.

use std::path::Path;

use super::Instance;
use super::instance::MAX_COUNT;
use crate::text::{self, Words};
use crate::{Result, memory};

impl Instance {
    /// Reads an instance in either of the field's formats:
    ///
    /// - `p p_cmax n m`, then n times and a closing 0 that is not a job;
    /// - plain `m n`, then n times.
    ///
    /// # Errors [`Error::Parse`](crate::Error::Parse) with the line at fault, and those of
    /// [`Instance::new`].
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
            return Err(words.error(format!("'{shown}' follows the {jobs} times of the header")));
        }
        Instance::new(times, machines)
    }

    /// Reads an instance from a file; see [`Instance::parse`].
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io), and those of [`Instance::parse`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        Instance::parse(&text::read(path.as_ref())?)
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
            ("p p_cmax 3 2\n1 2 3 0 9", "line 2: '9' follows the 3 times of the header"),
            ("p p_cmax 3 2\n1 -2 3 0", "line 2: the time of job 1 of 3: -2 is negative"),
            ("2 3\n1 two 3", "line 2: the time of job 1 of 3: 'two' is not a whole number"),
            ("2 3\n1 2 3 4", "line 2: '4' follows the 3 times of the header"),
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
}
