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
    /// [`Error::InvalidArgument`] if there is not one machine of the instance for each job, or if a
    /// pinned job is on another machine than its own.
    pub fn makespan(&self, instance: &Instance) -> Result<u64> {
        self.run(instance, |_| ())
    }

    /// Start time of each job.
    ///
    /// # Errors
    /// Those of [`Schedule::makespan`].
    pub fn starts(&self, instance: &Instance) -> Result<Vec<u64>> {
        let mut starts = memory::list(self.assignment.len())?;
        self.run(instance, |start| starts.push(start))?;
        Ok(starts)
    }

    /// The makespan, and the machines with numbers below that of the useful ones. Where jobs are
    /// pinned, machines keep their numbers.
    ///
    /// # Errors
    /// Those of [`Schedule::makespan`].
    pub(super) fn on_useful_machines(&self, instance: &Instance) -> Result<Assignment> {
        let makespan = self.makespan(instance)?;
        let useful = instance.useful_machines();
        let is_useful = |&machine: &u32| (machine as usize) < useful;
        if !instance.pinned().is_empty() || self.assignment.iter().all(is_useful) {
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

    /// Calls `begin` with the start time of each job; returns the time at which the last one ends.
    fn run(&self, instance: &Instance, mut begin: impl FnMut(u64)) -> Result<u64> {
        let (jobs, given) = (instance.jobs(), self.assignment.len());
        if given != jobs {
            return Err(Error::argument("assignment", format!("{given} machines for {jobs} jobs")));
        }
        self.check_pinned(instance)?;
        // A schedule may name any of billions of machines. Machines up to the useful number have
        // array entries.
        let mut ends = vec![0; instance.useful_machines()];
        let mut others: HashMap<u32, u64> = HashMap::new();
        for (job, (&machine, &time)) in self.assignment.iter().zip(instance.times()).enumerate() {
            if machine >= instance.machines() {
                let reason = format!("there is no machine {machine}, only {}", instance.machines());
                return Err(Error::element("assignment", job, reason));
            }
            let end = match ends.get_mut(machine as usize) {
                Some(end) => end,
                None => others.entry(machine).or_default(),
            };
            begin(*end);
            *end += time;
        }
        Ok(ends.into_iter().chain(others.into_values()).max().unwrap_or(0))
    }

    /// Refuses pinned jobs on other machines. There is a machine for each job.
    fn check_pinned(&self, instance: &Instance) -> Result<()> {
        for (&job, &pinned) in instance.pinned().iter().zip(instance.pinned_machines()) {
            let job = job as usize;
            let machine = self.assignment[job];
            if machine != pinned {
                let reason = format!("is machine {machine}, but the job is pinned to {pinned}");
                return Err(Error::element("assignment", job, reason));
            }
        }
        Ok(())
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
        let instance = instance.with_pinned(vec![1], vec![1]).unwrap();
        let moved = Schedule::new(vec![1, 0]).makespan(&instance).unwrap_err().to_string();
        assert_eq!(moved, "assignment[1]: is machine 0, but the job is pinned to 1");
        assert_eq!(Schedule::new(vec![1, 1]).makespan(&instance).unwrap(), 7);
    }

    #[test]
    fn no_job_takes_no_time() {
        let instance = Instance::new(vec![], 2).unwrap();
        assert_eq!(Schedule::new(vec![]).makespan(&instance).unwrap(), 0);
    }
}
