use std::collections::HashMap;

use super::Instance;
use crate::memory::Gather;
use crate::{Error, Result, memory};

/// A makespan and the machine of each job.
pub(super) type Assignment = (u64, Vec<u32>);

/// A schedule of P||Cmax: the machine of each job. The jobs of a machine run without pause in the
/// order of their numbers; any other order gives the same makespan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    assignment: Vec<u32>,
}

impl Schedule {
    /// A schedule from the machine of each job, counted from 0.
    pub fn new(assignment: Vec<u32>) -> Self {
        Schedule { assignment }
    }

    /// Machine of each job, from 0.
    pub fn assignment(&self) -> &[u32] {
        &self.assignment
    }

    /// Checks the schedule against the instance and returns its makespan, independently of the
    /// solvers.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if there is not one machine of the instance for each job.
    pub fn makespan(&self, instance: &Instance) -> Result<u64> {
        Ok(self.run(instance)?.1)
    }

    /// Start time of each job.
    ///
    /// # Errors
    /// Those of [`Schedule::makespan`].
    pub fn starts(&self, instance: &Instance) -> Result<Vec<u64>> {
        Ok(self.run(instance)?.0)
    }

    /// The makespan, and the machines with numbers below that of the useful ones.
    ///
    /// # Errors
    /// Those of [`Schedule::makespan`].
    pub(super) fn on_useful_machines(&self, instance: &Instance) -> Result<Assignment> {
        let makespan = self.makespan(instance)?;
        let useful = instance.useful_machines();
        if self.assignment.iter().all(|&machine| (machine as usize) < useful) {
            return Ok((makespan, memory::copied(&self.assignment)?));
        }
        // There are no more used machines than jobs.
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let number = |&machine| {
            let next = numbers.len() as u32;
            *numbers.entry(machine).or_insert(next)
        };
        Ok((makespan, self.assignment.iter().map(number).gather()?))
    }

    /// Start time of each job, and the time at which the last one ends.
    fn run(&self, instance: &Instance) -> Result<(Vec<u64>, u64)> {
        let (jobs, given) = (instance.jobs(), self.assignment.len());
        if given != jobs {
            return Err(Error::argument("assignment", format!("{given} machines for {jobs} jobs")));
        }
        // A schedule may name any of billions of machines. Machines up to the useful number have
        // array entries.
        let mut ends = vec![0; instance.useful_machines()];
        let mut others: HashMap<u32, u64> = HashMap::new();
        let mut starts = Vec::with_capacity(jobs);
        for (job, (&machine, &time)) in self.assignment.iter().zip(instance.times()).enumerate() {
            if machine >= instance.machines() {
                let reason = format!("there is no machine {machine}, only {}", instance.machines());
                return Err(Error::element("assignment", job, reason));
            }
            let end = match ends.get_mut(machine as usize) {
                Some(end) => end,
                None => others.entry(machine).or_default(),
            };
            starts.push(*end);
            *end += time;
        }
        Ok((starts, ends.into_iter().chain(others.into_values()).max().unwrap_or(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_of_a_machine_follow_each_other() {
        let instance = Instance::new(vec![4, 3, 2, 6], 3).unwrap();
        let schedule = Schedule::new(vec![2, 0, 2, 0]);
        assert_eq!(schedule.makespan(&instance).unwrap(), 9);
        assert_eq!(schedule.starts(&instance).unwrap(), [0, 0, 4, 3]);
    }

    #[test]
    fn machines_may_have_any_number() {
        let instance = Instance::new(vec![4, 3, 2], u32::MAX).unwrap();
        let schedule = Schedule::new(vec![u32::MAX - 1, 2, u32::MAX - 1]);
        assert_eq!(schedule.makespan(&instance).unwrap(), 6);
        assert_eq!(schedule.starts(&instance).unwrap(), [0, 0, 4]);
    }

    #[test]
    fn used_machines_have_low_numbers() {
        let instance = Instance::new(vec![4, 3, 2], u32::MAX).unwrap();
        let low = |assignment| Schedule::new(assignment).on_useful_machines(&instance).unwrap();
        assert_eq!(low(vec![u32::MAX - 1, 2, u32::MAX - 1]), (6, vec![0, 1, 0]));
        assert_eq!(low(vec![2, 0, 0]), (5, vec![2, 0, 0]));
    }

    #[test]
    fn faults_are_found() {
        let instance = Instance::new(vec![4, 3], 2).unwrap();
        let fault =
            |assignment| Schedule::new(assignment).makespan(&instance).unwrap_err().to_string();
        assert_eq!(fault(vec![0]), "assignment: 1 machines for 2 jobs");
        assert_eq!(fault(vec![0, 2]), "assignment[1]: there is no machine 2, only 2");
    }

    #[test]
    fn no_job_takes_no_time() {
        let instance = Instance::new(vec![], 2).unwrap();
        assert_eq!(Schedule::new(vec![]).makespan(&instance).unwrap(), 0);
    }
}
