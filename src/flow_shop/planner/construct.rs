//! First sequences: insertion in the order of an index, as in NEH (Nawaz, Enscore, Ham 1983). For
//! due dates the orders are those of Kim (1993), "Heuristics for flowshop scheduling problems
//! minimizing mean tardiness", Journal of the Operational Research Society 44, 19-28.

use super::cost::Cost;
use super::problem::Problem;
use super::search::Evaluators;
use crate::Result;
use crate::flow_shop::Criterion;
use crate::flow_shop::search::PartialSequence;
use crate::solve::Monitor;

/// A good sequence. After a stop, the remaining jobs are appended.
pub(super) fn construct(
    problem: &Problem<'_>,
    evaluators: &Evaluators<'_>,
    monitor: &Monitor,
) -> Result<Vec<u32>> {
    evaluators.check_memory(problem.instance.horizon(), 1, 1, monitor)?;
    let mut best: Option<(Cost, Vec<u32>)> = None;
    for jobs in rankings(problem) {
        if best.is_some() && monitor.should_stop() {
            break;
        }
        let order = [problem.pinned(), &insert_all(&jobs, evaluators, monitor)?].concat();
        let cost = problem.cost(&order);
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, order));
        }
    }
    Ok(best.map_or_else(Vec::new, |(_, order)| order))
}

/// Inserts each job at its best position.
fn insert_all(jobs: &[u32], evaluators: &Evaluators<'_>, monitor: &Monitor) -> Result<Vec<u32>> {
    // The first jobs end early, so that small numbers suffice at least for them.
    let mut sequence = evaluators.sequence(0, 1)?;
    sequence.set(&[]);
    for (done, &job) in jobs.iter().enumerate() {
        if monitor.should_stop() {
            return Ok([sequence.order(), &jobs[done..]].concat());
        }
        let value = sequence.value();
        if !sequence.reaches(value, 1) {
            let order = sequence.order().to_vec();
            sequence = evaluators.widest()?;
            sequence.set(&order);
        }
        let (position, _) = sequence.best_place(job);
        sequence.insert(position, job);
    }
    Ok(sequence.order().to_vec())
}

/// The free jobs in the orders of insertion that suit the first stage.
fn rankings(problem: &Problem<'_>) -> Vec<Vec<u32>> {
    let instance = problem.instance;
    let work = |job: u32| instance.job(job).iter().copied().map(i64::from).sum::<i64>();
    let ranked = |key: &dyn Fn(u32) -> i64| {
        let mut jobs = problem.free_jobs.clone();
        jobs.sort_by_cached_key(|&job| key(job));
        jobs
    };
    let first = instance.objective().stages()[0].terms();
    let has = |check: fn(Criterion) -> bool| first.iter().any(|&(_, criterion)| check(criterion));
    let is_flow =
        |criterion| matches!(criterion, Criterion::TotalFlowTime | Criterion::WeightedFlowTime);
    if has(Criterion::has_due_dates) {
        let due = |job: u32| instance.due_date(job);
        return vec![ranked(&due), ranked(&|job| due(job) - work(job)), ranked(&|job| -work(job))];
    }
    if has(is_flow) {
        return vec![ranked(&work), ranked(&|job| -work(job))];
    }
    let setups = mean_setups(problem);
    vec![ranked(&|job| -work(job) - setups[job as usize])]
}

/// For each job, the sum over the machines of its mean set-up behind another job.
fn mean_setups(problem: &Problem<'_>) -> Vec<i64> {
    let Some(setups) = problem.instance.setups() else { return vec![0; problem.jobs()] };
    let kinds = setups.kinds();
    let mut means = vec![0; kinds];
    for machine in 0..problem.machines() {
        for (pair, &time) in setups.matrix(machine).iter().enumerate() {
            means[pair % kinds] += i64::from(time);
        }
    }
    (0..problem.jobs() as u32).map(|job| means[setups.kind_of(job)] / kinds as i64).collect()
}
