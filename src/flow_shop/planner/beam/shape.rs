//! What of an instance the kernels of the tree depend on.

use crate::flow_shop::Criterion;
use crate::flow_shop::planner::problem::Problem;

/// The parts of an instance that the kernels are compiled for.
pub(super) struct Shape {
    pub(super) machines: usize,
    pub(super) has_setups: bool,
    pub(super) has_blocking: bool,
    pub(super) has_releases: bool,
    pub(super) has_makespan: bool,
    /// Whether jobs add other terms than one multiple of the flow time.
    pub(super) has_terms: bool,
    pub(super) has_late_jobs: bool,
    pub(super) has_lateness: bool,
}

impl Shape {
    pub(super) fn of(problem: &Problem<'_>) -> Self {
        let objective = problem.instance.objective();
        let has = |wanted| objective.criteria().any(|criterion| criterion == wanted);
        Shape {
            machines: problem.machines(),
            has_setups: problem.instance.setups().is_some(),
            has_blocking: problem.has_blocking,
            has_releases: !problem.instance.release_times().is_empty(),
            has_makespan: has(Criterion::Makespan),
            has_terms: !problem.scoring.is_uniform(&problem.free_jobs),
            has_late_jobs: has(Criterion::LateJobs),
            has_lateness: has(Criterion::MaxLateness),
        }
    }

    /// What the kernels are compiled with.
    pub(super) fn defines(&self) -> [(&'static str, u64); 8] {
        [
            ("MACHINES", self.machines as u64),
            ("SETUPS", self.has_setups.into()),
            ("BLOCKING", self.has_blocking.into()),
            ("RELEASES", self.has_releases.into()),
            ("MAKESPAN", self.has_makespan.into()),
            ("TERMS", self.has_terms.into()),
            ("LATE_JOBS", self.has_late_jobs.into()),
            ("LATENESS", self.has_lateness.into()),
        ]
    }
}
