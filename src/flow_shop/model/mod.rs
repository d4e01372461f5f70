//! What planners ask of a flow shop beyond F|prmu|Cmax: set-ups, release times, blocking, due
//! dates, weights, and other objectives.
//!
//! This file and `instance.rs` import each other: an instance holds these parts, and here are its
//! methods for them.

mod criterion;
mod schedule;
mod setups;

pub use self::criterion::{Criterion, Objective, Stage};
pub(super) use self::schedule::Schedule;
pub use self::setups::Setups;

use super::Instance;
use super::distinct::check_distinct;
use crate::{Error, Result};

/// The parts of an instance that F|prmu|Cmax does not have. Lists that were not given are
/// empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Extras {
    pub(super) objective: Objective,
    pub(super) setups: Option<Setups>,
    pub(super) release_times: Vec<u32>,
    pub(super) due_dates: Vec<i64>,
    pub(super) weights: Vec<u32>,
    pub(super) has_blocking: bool,
    pub(super) running_plan: Vec<u32>,
}

/// Largest absolute value of a due date, so that no lateness overflows.
const MAX_DUE_DATE: u64 = 1 << 53;

impl Instance {
    /// The same instance with another objective.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if it needs due dates or a running plan that the instance lacks,
    /// or if its values might need more than 62 bits.
    pub fn with_objective(mut self, objective: Objective) -> Result<Self> {
        self.extras.objective = objective;
        self.check_objective("objective")?;
        Ok(self)
    }

    /// The same instance with set-ups: between two jobs on a machine, the machine is set up. It may
    /// do so before the later job arrives or is released.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the set-ups are not for this many jobs and machines, or if a
    /// schedule might last 2^31 or longer.
    pub fn with_setups(mut self, setups: Setups) -> Result<Self> {
        setups.check(self.jobs(), self.machines())?;
        self.extras.setups = Some(setups);
        self.update_horizon("setups")
    }

    /// The same instance with a time for each job before which it does not start.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if there is not exactly one time for each job, or if a schedule
    /// might last 2^31 or longer.
    pub fn with_release_times(mut self, release_times: Vec<u32>) -> Result<Self> {
        check_length("release_times", release_times.len(), self.jobs())?;
        self.extras.release_times = release_times;
        self.update_horizon("release_times")
    }

    /// The same instance with a due date for each job. Dates before 0 belong to jobs that are
    /// already late.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if there is not exactly one date for each job, if a date is beyond
    /// 2^53, or if the objective might need more than 62 bits.
    pub fn with_due_dates(mut self, due_dates: Vec<i64>) -> Result<Self> {
        check_length("due_dates", due_dates.len(), self.jobs())?;
        if let Some(job) = due_dates.iter().position(|date| date.unsigned_abs() > MAX_DUE_DATE) {
            return Err(Error::element("due_dates", job, format!("beyond {MAX_DUE_DATE}")));
        }
        self.extras.due_dates = due_dates;
        self.check_objective("due_dates")?;
        Ok(self)
    }

    /// The same instance with a weight for each job, for the weighted criteria. Without them all
    /// weights are 1.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if there is not exactly one weight for each job, or if the
    /// objective might need more than 62 bits.
    pub fn with_weights(mut self, weights: Vec<u32>) -> Result<Self> {
        check_length("weights", weights.len(), self.jobs())?;
        self.extras.weights = weights;
        self.check_objective("weights")?;
        Ok(self)
    }

    /// The same instance without buffers between the machines: a job stays on its machine, and
    /// blocks it, until the next machine is free and set up for it.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if a schedule might last 2^31 or longer.
    pub fn with_blocking(mut self) -> Result<Self> {
        self.extras.has_blocking = true;
        self.update_horizon("blocking")
    }

    /// The same instance with the sequence that the plant follows at present, which the criteria
    /// [`Criterion::Inversions`] and [`Criterion::NewPredecessors`] compare with. It may lack jobs
    /// that are new.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] with the position of a job that does not exist or occurs twice.
    pub fn with_running_plan(mut self, running_plan: Vec<u32>) -> Result<Self> {
        check_distinct("running_plan", &running_plan, self.jobs())?;
        self.extras.running_plan = running_plan;
        Ok(self)
    }

    /// The objective; the makespan unless another one was given.
    pub fn objective(&self) -> &Objective {
        &self.extras.objective
    }

    /// The set-ups, if there are any.
    pub fn setups(&self) -> Option<&Setups> {
        self.extras.setups.as_ref()
    }

    /// The release times of the jobs; none if all are 0.
    pub fn release_times(&self) -> &[u32] {
        &self.extras.release_times
    }

    /// The due dates of the jobs; none if they were not given.
    pub fn due_dates(&self) -> &[i64] {
        &self.extras.due_dates
    }

    /// The weights of the jobs; none if all are 1.
    pub fn weights(&self) -> &[u32] {
        &self.extras.weights
    }

    /// Whether there are no buffers between the machines.
    pub fn has_blocking(&self) -> bool {
        self.extras.has_blocking
    }

    /// The sequence that the plant follows at present; empty if it was not given.
    pub fn running_plan(&self) -> &[u32] {
        &self.extras.running_plan
    }

    /// Whether the instance is one of F|prmu|Cmax, with ready times and pinned jobs at most.
    pub fn is_plain(&self) -> bool {
        let extras = &self.extras;
        extras.objective.is_makespan()
            && extras.setups.is_none()
            && extras.release_times.is_empty()
            && !extras.has_blocking
    }

    /// What the instance has and its objective does not use, in words for a warning.
    pub fn unused(&self) -> Option<String> {
        let uses = |check: fn(Criterion) -> bool| self.objective().criteria().any(check);
        let unused = [
            ("due dates", !self.due_dates().is_empty() && !uses(Criterion::has_due_dates)),
            ("weights", !self.weights().is_empty() && !uses(Criterion::has_weights)),
            ("the running plan", !self.running_plan().is_empty() && !uses(Criterion::has_plan)),
        ];
        let names: Vec<_> =
            unused.iter().filter(|(_, is_unused)| *is_unused).map(|(name, _)| *name).collect();
        let are = if names.len() > 1 || unused[0].1 || unused[1].1 { "are" } else { "is" };
        let list = names.join(" and ");
        (!names.is_empty()).then(|| format!("{list} {are} not used by the objective"))
    }

    /// A job's release time.
    pub(super) fn release_time(&self, job: u32) -> u32 {
        self.extras.release_times.get(job as usize).copied().unwrap_or(0)
    }

    /// A job's weight.
    pub(super) fn weight(&self, job: u32) -> u32 {
        self.extras.weights.get(job as usize).copied().unwrap_or(1)
    }

    /// A job's due date; 0 without due dates.
    pub(super) fn due_date(&self, job: u32) -> i64 {
        self.extras.due_dates.get(job as usize).copied().unwrap_or(0)
    }

    /// The set-up of a machine for a job of the instance, after another job or as the first.
    pub fn setup(&self, machine: usize, before: Option<u32>, job: u32) -> u32 {
        self.extras.setups.as_ref().map_or(0, |setups| setups.between(machine, before, job))
    }

    /// Refuses an objective that the instance has no data for, and values beyond 62 bits.
    pub(super) fn check_objective(&self, argument: &'static str) -> Result<()> {
        let (objective, jobs) = (self.objective(), self.jobs() as u128);
        let longest = |list: &[i64]| list.iter().map(|date| date.unsigned_abs()).max();
        let latest =
            u128::from(self.horizon()) + u128::from(longest(self.due_dates()).unwrap_or(0));
        let heaviest = u128::from(self.weights().iter().copied().max().unwrap_or(1).max(1));
        for stage in objective.stages() {
            let largest = |&(factor, criterion): &(u32, Criterion)| {
                let value = match criterion {
                    Criterion::Makespan | Criterion::MaxLateness => latest,
                    Criterion::TotalFlowTime | Criterion::TotalTardiness => jobs * latest,
                    Criterion::WeightedFlowTime | Criterion::WeightedTardiness => {
                        jobs * latest * heaviest
                    }
                    Criterion::LateJobs | Criterion::NewPredecessors => jobs,
                    Criterion::Inversions => jobs * jobs,
                };
                u128::from(factor) * value
            };
            if stage.terms().iter().map(largest).sum::<u128>() >= 1 << 62 {
                return Err(Error::argument(
                    argument,
                    "the objective might need more than 62 bits",
                ));
            }
        }
        Ok(())
    }
}

impl Objective {
    /// Refuses an instance without the data that the objective needs.
    pub(super) fn check_data(&self, instance: &Instance) -> Result<()> {
        for criterion in self.criteria() {
            let lacks = if criterion.has_due_dates() && instance.due_dates().is_empty() {
                "due dates"
            } else if criterion.has_plan() && instance.running_plan().is_empty() {
                "a running plan"
            } else {
                continue;
            };
            let reason = format!("{} needs {lacks}", criterion.name());
            return Err(Error::argument("objective", reason));
        }
        Ok(())
    }
}

fn check_length(argument: &'static str, given: usize, jobs: usize) -> Result<()> {
    match given == jobs {
        true => Ok(()),
        false => Err(Error::argument(argument, format!("{given} elements for {jobs} jobs"))),
    }
}
