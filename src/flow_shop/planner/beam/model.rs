//! The objectives that the kernels know.

use crate::flow_shop::Criterion;
use crate::flow_shop::planner::problem::Problem;
use crate::{Error, Result};

/// The kernels store jobs in 16 bits.
const MOST_JOBS: usize = 1 << 16;
/// Ends and due dates are smaller, and so are their differences.
const MOST_TIME: i64 = 1 << 31;

/// What the kernels know of an objective of one stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Model {
    /// The factor of the flow times, if it is the same for all jobs and they add nothing else.
    pub(super) flow: u64,
    pub(super) makespan: u64,
    pub(super) lateness: u64,
    /// No sequence has a lower value.
    pub(super) lowest: i64,
    pub(super) has_terms: bool,
    has_due_dates: bool,
}

impl Model {
    /// Refuses what has no kernel.
    pub(super) fn of(problem: &Problem<'_>) -> Result<Self> {
        let refuse =
            |what: &str| Err(Error::unsupported(format!("beam search on a device for {what}")));
        let (objective, scoring) = (problem.instance.objective(), &problem.scoring);
        if let Some(criterion) = objective.criteria().find(|criterion| criterion.has_plan()) {
            return refuse(criterion.name());
        }
        if objective.stages().len() > 1 {
            return refuse("a list of objectives");
        }
        let has_due_dates = objective.criteria().any(Criterion::has_due_dates);
        let horizon = i64::from(problem.instance.horizon());
        let jobs = 0..problem.jobs() as u32;
        let due = || jobs.clone().map(|job| if has_due_dates { scoring.due_date(job) } else { 0 });
        let (earliest, latest) = (due().min().unwrap_or(0), due().max().unwrap_or(0));
        if earliest <= horizon - MOST_TIME || latest >= MOST_TIME {
            return refuse("due dates beyond 31 bits");
        }
        let times = |factor: i64, time: i64| factor.saturating_mul(time.max(1));
        let of_job = |(job, due): (u32, i64)| {
            let terms = scoring.terms(job)[0];
            let flow = times(terms.flow, horizon);
            flow.saturating_add(times(terms.tardy, horizon - due)).saturating_add(terms.late)
        };
        let jobs_sum = jobs.clone().zip(due()).map(of_job).fold(0, i64::saturating_add);
        let [makespan, lateness] =
            [scoring.makespan_factors(), scoring.lateness_factors()].map(|cost| cost.first());
        let lowest = lateness.saturating_mul(-latest).min(0);
        let most = jobs_sum
            .saturating_add(times(makespan, horizon))
            .saturating_add(times(lateness, horizon - earliest))
            .saturating_sub(lowest);
        let most = most.max(horizon.saturating_mul(problem.jobs() as i64));
        if most >= u32::MAX.into() || problem.free_jobs.len() > MOST_JOBS {
            return refuse("sums beyond 32 bits or more than 65536 jobs");
        }
        let flow = problem.free_jobs.first().map_or(0, |&job| scoring.terms(job)[0].flow);
        let [flow, makespan, lateness] = [flow, makespan, lateness].map(i64::cast_unsigned);
        let has_terms = !scoring.is_uniform(&problem.free_jobs);
        Ok(Model { flow, makespan, lateness, lowest, has_terms, has_due_dates })
    }

    /// The terms of a job, as the kernels read them.
    pub(super) fn terms(&self, problem: &Problem<'_>, job: u32) -> [u32; 4] {
        let terms = problem.scoring.terms(job)[0];
        let due = if self.has_due_dates { problem.scoring.due_date(job) } else { 0 };
        [terms.flow as u32, terms.tardy as u32, terms.late as u32, (due as i32).cast_unsigned()]
    }
}
