//! First sequences: insertion in the order of an index, as in NEH. For due dates the orders are
//! those of Kim (1993), "Heuristics for flowshop scheduling problems minimizing mean tardiness",
//! Journal of the Operational Research Society 44, 19-28.

use super::cost::Cost;
use super::problem::Problem;
use crate::flow_shop::Criterion;
use crate::solve::Monitor;

/// A good sequence. After a stop, the remaining jobs are appended.
pub(super) fn construct(problem: &Problem<'_>, monitor: &Monitor) -> Vec<u32> {
    let mut order = problem.pinned().to_vec();
    let jobs = ranked(problem);
    for (done, &job) in jobs.iter().enumerate() {
        if monitor.should_stop() {
            order.extend_from_slice(&jobs[done..]);
            break;
        }
        let position = best_place(problem, &mut order, job);
        order.insert(position, job);
    }
    order
}

/// The free jobs in the order of insertion: by due date if the first stage has due dates, else the
/// longest total time first.
fn ranked(problem: &Problem<'_>) -> Vec<u32> {
    let instance = problem.instance;
    let mut jobs = problem.free_jobs.clone();
    let work = |job: u32| instance.job(job).iter().copied().map(i64::from).sum::<i64>();
    let first = instance.objective().stages()[0].terms();
    if first.iter().any(|(_, criterion): &(u32, Criterion)| criterion.has_due_dates()) {
        jobs.sort_by_key(|&job| instance.due_date(job));
    } else {
        jobs.sort_by_cached_key(|&job| -work(job));
    }
    jobs
}

/// The position behind the pinned jobs where the job costs least; the first on ties.
fn best_place(problem: &Problem<'_>, order: &mut Vec<u32>, job: u32) -> usize {
    let (mut best, mut least) = (order.len(), Cost::WORST);
    for position in problem.pinned().len()..=order.len() {
        order.insert(position, job);
        let cost = problem.cost(order);
        order.remove(position);
        if cost < least {
            (best, least) = (position, cost);
        }
    }
    best
}
