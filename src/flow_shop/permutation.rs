use std::path::Path;

use super::Instance;
use super::distinct::check_distinct;
use super::model::Schedule;
use crate::text::{self, Words};
use crate::{Error, Result};

/// A schedule of the permutation flow shop: the sequence in which the jobs pass every machine. Each operation
/// starts as early as possible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permutation {
    jobs: Vec<u32>,
}

impl Permutation {
    /// A schedule with the jobs, numbered from 0, in this order.
    pub fn new(jobs: Vec<u32>) -> Self {
        Permutation { jobs }
    }

    /// Reads job numbers from 0, separated by blanks or commas.
    ///
    /// # Errors
    /// [`Error::Parse`] with the line of a word that is not a 32-bit number.
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.replace(',', " ");
        let mut words = Words::new(&text);
        let mut jobs = Vec::new();
        while words.clone().next().is_some() {
            let number = words.number(|| format!("position {}", jobs.len()))?;
            let beyond = |_| words.error(format!("job {number} does not fit into 32 bits"));
            jobs.push(u32::try_from(number).map_err(beyond)?);
        }
        Ok(Permutation { jobs })
    }

    /// Reads a file of job numbers; see [`Permutation::parse`].
    ///
    /// # Errors
    /// [`Error::Io`], and errors of [`Permutation::parse`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        Permutation::parse(&text::read(path.as_ref())?)
    }

    /// The jobs in sequence order.
    pub fn jobs(&self) -> &[u32] {
        &self.jobs
    }

    /// Checks the schedule against the instance and returns its makespan. Shares no code with the
    /// solvers.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the sequence does not contain every job of the instance once,
    /// pinned jobs first.
    pub fn makespan(&self, instance: &Instance) -> Result<u64> {
        self.check(instance)?;
        let schedule = Schedule::of(instance, &self.jobs);
        Ok(self.jobs.last().map_or(0, |&job| schedule.completion(job)))
    }

    /// The value of each stage of the instance's objective. Shares no code with the solvers.
    ///
    /// # Errors
    /// Errors of [`Permutation::makespan`], and [`Error::InvalidArgument`] if the objective needs
    /// due dates or a running plan that the instance lacks.
    pub fn values(&self, instance: &Instance) -> Result<Vec<i64>> {
        self.check(instance)?;
        instance.objective().check_data(instance)?;
        let schedule = Schedule::of(instance, &self.jobs);
        Ok(instance.objective().stages().iter().map(|stage| schedule.value(stage)).collect())
    }

    /// Start times of the operations, `starts[job * machines + machine]`.
    ///
    /// # Errors
    /// Errors of [`Permutation::makespan`].
    pub fn starts(&self, instance: &Instance) -> Result<Vec<u64>> {
        self.check(instance)?;
        Ok(Schedule::of(instance, &self.jobs).starts)
    }

    fn check(&self, instance: &Instance) -> Result<()> {
        let (jobs, given) = (instance.jobs(), self.jobs.len());
        if given != jobs {
            return Err(Error::argument(
                "permutation",
                format!("{given} positions for {jobs} jobs"),
            ));
        }
        check_distinct("permutation", &self.jobs, jobs)?;
        let mut positions = instance.pinned().iter().zip(&self.jobs);
        match positions.position(|(pinned, job)| pinned != job) {
            None => Ok(()),
            Some(position) => {
                let reason = format!("job {} is pinned there", instance.pinned()[position]);
                Err(Error::element("permutation", position, reason))
            }
        }
    }
}

/// Whether the list contains each number below `count` once.
pub(super) fn is_permutation(numbers: impl ExactSizeIterator<Item = u32>, count: usize) -> bool {
    let mut known = vec![false; count];
    let mut is_new = |number: u32| {
        known.get_mut(number as usize).is_some_and(|known| !std::mem::replace(known, true))
    };
    numbers.len() == count && numbers.into_iter().all(&mut is_new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance() -> Instance {
        Instance::new(3, 2, vec![3, 2, 1, 4, 2, 1]).unwrap()
    }

    #[test]
    fn jobs_wait_for_machines_and_machines_for_jobs() {
        let schedule = Permutation::new(vec![1, 0, 2]);
        assert_eq!(schedule.makespan(&instance()).unwrap(), 8);
        assert_eq!(schedule.starts(&instance()).unwrap(), [1, 5, 0, 1, 4, 7]);
    }

    #[test]
    fn machines_start_at_their_ready_times() {
        let late = instance().with_ready_times(vec![2, 9]).unwrap();
        let schedule = Permutation::new(vec![1, 0, 2]);
        assert_eq!(schedule.makespan(&late).unwrap(), 16);
        assert_eq!(schedule.starts(&late).unwrap(), [3, 13, 2, 9, 6, 15]);
    }

    #[test]
    fn faults_are_found() {
        let pinned = instance().with_pinned(vec![1]).unwrap();
        let fault = |jobs| Permutation::new(jobs).makespan(&pinned).unwrap_err().to_string();
        assert_eq!(fault(vec![1, 0]), "permutation: 2 positions for 3 jobs");
        assert_eq!(fault(vec![1, 3, 0]), "permutation[1]: there is no job 3, only 3");
        assert_eq!(fault(vec![1, 0, 1]), "permutation[2]: job 1 stands at position 0 already");
        assert_eq!(fault(vec![0, 1, 2]), "permutation[0]: job 1 is pinned there");
    }

    #[test]
    fn permutations_are_read() {
        assert_eq!(Permutation::parse("2, 0\n1").unwrap().jobs(), [2, 0, 1]);
        let fault = |text| Permutation::parse(text).unwrap_err().to_string();
        assert_eq!(fault("0\n1 x"), "line 2: position 2: 'x' is not a whole number");
        assert_eq!(fault("4294967296"), "line 1: job 4294967296 does not fit into 32 bits");
    }
}
