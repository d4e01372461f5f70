//! First sequences: insertion in the order of an index, as in NEH (Nawaz, Enscore, Ham 1983).
//!
//! For due dates the orders are those of two papers. Kim (1993), "Heuristics for flowshop
//! scheduling problems minimizing mean tardiness", Journal of the Operational Research Society 44,
//! 19-28. Vepsalainen and Morton (1987), "Priority rules for job shops with weighted tardiness
//! costs", Management Science 33, 1035-1047: the apparent tardiness cost.

use super::cost::Cost;
use super::problem::Problem;
use super::search::Evaluators;
use crate::flow_shop::Criterion;
use crate::flow_shop::search::PartialSequence;
use crate::solve::Monitor;
use crate::{Error, Result, sorting};

/// With this slack in mean times of the jobs on a machine, a job is 1 / e as urgent as without
/// slack. By an experiment with 2 to 32.
const PATIENCE: f64 = 16.0;

/// With release times, no due dates and more jobs than this, the order of releases may be the only
/// one after a stop.
const MANY: usize = 1 << 14;

/// A sequence with its value.
pub(super) type Valued = (Cost, Vec<u32>);

/// A good sequence and its value. After a stop, the remaining jobs are appended. With release
/// times, the order of releases may be the answer then. It is computed first, so that a later stop
/// does not wait for it. A stop during the first sort of many jobs leaves them in ascending order.
pub(super) fn construct(
    problem: &Problem<'_>,
    evaluators: &Evaluators<'_>,
    monitor: &Monitor,
) -> Result<Valued> {
    evaluators.check_memory(problem.instance.horizon(), 1, 1, monitor)?;
    let mut best = None;
    let mut released = None;
    if !problem.instance.release_times().is_empty() {
        let jobs = ranked(problem, &|job| problem.instance.release_time(job).into(), monitor)?;
        keep_better(&mut released, problem, [problem.pinned(), &jobs].concat());
    }
    let rankings = rankings(problem);
    let releases_suffice = released.is_some()
        && problem.free_jobs.len() > MANY
        && !matches!(rankings[0], Ranking::DueDate);
    for ranking in rankings {
        if (best.is_some() || releases_suffice) && monitor.should_stop() {
            break;
        }
        let jobs = ranking.order(problem, monitor)?;
        let order = [problem.pinned(), &insert_all(&jobs, evaluators, monitor)?].concat();
        keep_better(&mut best, problem, order);
    }
    if monitor.interrupted() {
        best = best.into_iter().chain(released).min_by_key(|&(cost, _)| cost);
    }
    Ok(best.unwrap_or_else(|| {
        let order = [problem.pinned(), &problem.free_jobs].concat();
        (problem.cost(&order), order)
    }))
}

/// A sequence from which a device starts, in a fraction of the time. Tries each order as a
/// sequence, and inserts jobs in the best one alone. With due dates it inserts none: by an
/// experiment, a search ends with better values then.
pub(super) fn construct_quickly(
    problem: &Problem<'_>,
    evaluators: &Evaluators<'_>,
    monitor: &Monitor,
) -> Result<Valued> {
    evaluators.check_memory(problem.instance.horizon(), 1, 1, monitor)?;
    let mut best = None;
    for ranking in rankings(problem) {
        let jobs = ranking.order(problem, monitor)?;
        keep_better(&mut best, problem, [problem.pinned(), &jobs].concat());
    }
    let best = best.ok_or_else(|| Error::internal("no order of insertion"))?;
    if has_criterion(problem, Criterion::has_due_dates) {
        return Ok(best);
    }
    let jobs = &best.1[problem.pinned().len()..];
    let order = [problem.pinned(), &insert_all(jobs, evaluators, monitor)?].concat();
    Ok((problem.cost(&order), order))
}

fn keep_better(best: &mut Option<Valued>, problem: &Problem<'_>, order: Vec<u32>) {
    let cost = problem.cost(&order);
    if best.as_ref().is_none_or(|(least, _)| cost < *least) {
        *best = Some((cost, order));
    }
}

/// Inserts each job at its best position.
fn insert_all(jobs: &[u32], evaluators: &Evaluators<'_>, monitor: &Monitor) -> Result<Vec<u32>> {
    // The tables of many jobs take long.
    if monitor.should_stop() {
        return Ok(jobs.to_vec());
    }
    // The first jobs end early, so that small numbers suffice at least for them.
    let mut sequence = evaluators.sequence(evaluators.problem().latest(&[]), 1)?;
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

/// An order of insertion.
#[derive(Debug, Clone, Copy)]
enum Ranking {
    DueDate,
    /// The due date less the work of the job.
    Slack,
    Urgency,
    LeastWork,
    MostWork,
    /// With the mean set-ups before the job.
    MostWorkAndSetups,
}

/// Whether the first stage has such a criterion.
fn has_criterion(problem: &Problem<'_>, check: impl Fn(Criterion) -> bool) -> bool {
    let first = problem.instance.objective().stages()[0].terms();
    first.iter().any(|&(_, criterion)| check(criterion))
}

/// The orders of insertion that suit the first stage.
fn rankings(problem: &Problem<'_>) -> &'static [Ranking] {
    let is_flow =
        |criterion| matches!(criterion, Criterion::TotalFlowTime | Criterion::WeightedFlowTime);
    if has_criterion(problem, Criterion::has_due_dates) {
        &[Ranking::DueDate, Ranking::Slack, Ranking::Urgency]
    } else if has_criterion(problem, is_flow) {
        &[Ranking::LeastWork, Ranking::MostWork]
    } else {
        &[Ranking::MostWorkAndSetups]
    }
}

impl Ranking {
    /// The free jobs in this order.
    fn order(self, problem: &Problem<'_>, monitor: &Monitor) -> Result<Vec<u32>> {
        let instance = problem.instance;
        let work = |job: u32| instance.job(job).iter().copied().map(i64::from).sum::<i64>();
        let due = |job: u32| instance.due_date(job);
        match self {
            Ranking::DueDate => ranked(problem, &due, monitor),
            Ranking::Slack => ranked(problem, &|job| due(job) - work(job), monitor),
            Ranking::Urgency => Ok(by_urgency(problem, monitor)),
            Ranking::LeastWork => ranked(problem, &work, monitor),
            Ranking::MostWork => ranked(problem, &|job| -work(job), monitor),
            Ranking::MostWorkAndSetups => {
                let setups = mean_setups(problem);
                ranked(problem, &|job| -work(job) - setups[job as usize], monitor)
            }
        }
    }
}

/// The free jobs by a key, the least first. After a stop, long lists stay as they are.
fn ranked(problem: &Problem<'_>, key: &dyn Fn(u32) -> i64, monitor: &Monitor) -> Result<Vec<u32>> {
    let jobs = &problem.free_jobs;
    let key = |place: usize| key(jobs[place]).abs_diff(i64::MIN);
    match sorting::order(jobs.len(), &key, monitor) {
        Ok(order) => Ok(order.into_iter().map(|place| jobs[place as usize]).collect()),
        Err(error) if matches!(*error, Error::Stopped) => Ok(jobs.clone()),
        Err(error) => Err(error),
    }
}

/// The free jobs in the order of a plan that always appends the job with the largest apparent
/// tardiness cost.
fn by_urgency(problem: &Problem<'_>, monitor: &Monitor) -> Vec<u32> {
    let instance = problem.instance;
    let machines = problem.machines() as f64;
    let mut criteria = instance.objective().criteria();
    let is_weighted = criteria.any(|criterion| criterion == Criterion::WeightedTardiness);
    let weight = |job: u32| f64::from(if is_weighted { instance.weight(job) } else { 1 });
    let work = |job: u32| instance.job(job).iter().sum::<u32>().max(1) as f64 / machines;
    let works = problem.free_jobs.iter().map(|&job| work(job));
    let patience = PATIENCE * works.sum::<f64>() / problem.free_jobs.len() as f64;
    let (mut front, mut left) = (problem.pinned_front(), problem.free_jobs.clone());
    let (mut order, mut free) = (Vec::with_capacity(left.len()), Vec::new());
    while !left.is_empty() && !monitor.should_stop() {
        let mut urgency = |job: u32| {
            free.clone_from(&front.free);
            let end = problem.advance(&mut free, front.last, job);
            let slack = (instance.due_date(job) - i64::from(end)).max(0);
            (weight(job) / work(job)).ln() - slack as f64 / patience
        };
        let urgencies = left.iter().map(|&job| urgency(job)).enumerate();
        let most = urgencies.max_by(|(_, one), (_, other)| one.total_cmp(other));
        let job = left.remove(most.map_or(0, |(place, _)| place));
        problem.append(&mut front, job);
        order.push(job);
    }
    [order, left].concat()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow_shop::Instance;
    use crate::flow_shop::permutation::is_permutation;
    use crate::solve::SolveOptions;
    use crate::testing::stopped;

    #[test]
    fn after_a_stop_the_order_of_releases_is_tried() {
        // The last number of jobs is too large for a sort after a stop.
        for jobs in [30, MANY + 3, 70_000] {
            let times = (0..2 * jobs as u32).map(|i| 1 + i * 7 % 11).collect();
            let release = (0..jobs).map(|job| (job * 17 % jobs * 8) as u32).collect();
            let instance = Instance::new(jobs, 2, times).unwrap();
            let instance = instance.with_release_times(release).unwrap();
            let instance = instance.with_pinned(vec![11, 4]).unwrap();
            let problem = Problem::new(&instance);
            let monitor = Monitor::new(&stopped());
            let (cost, order) = construct(&problem, &Evaluators::new(&problem), &monitor).unwrap();
            assert!(is_permutation(order.iter().copied(), jobs));
            assert_eq!((&order[..2], cost), (&[11, 4][..], problem.cost(&order)));
            let mut released = problem.free_jobs.clone();
            released.sort_by_key(|&job| instance.release_time(job));
            if jobs == 70_000 {
                released.clone_from(&problem.free_jobs);
            }
            let released = [&[11, 4], &released[..]].concat();
            assert!(cost <= problem.cost(&released));
            assert!(jobs <= MANY || order == released);
        }
    }

    #[test]
    fn heavy_and_short_jobs_without_slack_are_urgent() {
        let urgent = |criterion: Criterion, due: Vec<i64>, pinned: Vec<u32>| {
            let instance = Instance::new(3, 1, vec![4, 2, 2]).unwrap().with_due_dates(due).unwrap();
            let instance = instance.with_weights(vec![1, 1, 4]).unwrap();
            let instance = instance.with_objective(criterion.into()).unwrap();
            let instance = instance.with_pinned(pinned).unwrap();
            by_urgency(&Problem::new(&instance), &Monitor::new(&SolveOptions::default()))
        };
        let weighted = Criterion::WeightedTardiness;
        assert_eq!(urgent(weighted, vec![0, 0, 0], vec![]), [2, 1, 0]);
        assert_eq!(urgent(weighted, vec![0, 0, 1000], vec![]), [1, 0, 2]);
        assert_eq!(urgent(weighted, vec![0, 0, 0], vec![2]), [1, 0]);
        assert_eq!(urgent(Criterion::TotalTardiness, vec![0, 9, 4], vec![]), [2, 1, 0]);
    }
}
