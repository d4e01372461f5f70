//! Lower bounds of a whole instance. Each is a theorem; see docs/src/mathematics.md.

use super::cost::Cost;
use super::problem::Problem;

/// No sequence has a lower value: each job ends no sooner than alone on the machines behind the
/// pinned jobs.
pub(super) fn lower(problem: &Problem<'_>) -> Cost {
    let mut front = problem.pinned_front();
    let pinned = front.clone();
    for &job in &problem.free_jobs {
        let mut alone = u32::max(problem.instance.release_time(job), pinned.free[0]);
        for (&free, &time) in pinned.free.iter().zip(problem.instance.job(job)) {
            alone = alone.max(free) + time;
        }
        problem.scoring.add(&mut front.tally, job, alone.into());
    }
    problem.scoring.cost(&front.tally)
}
