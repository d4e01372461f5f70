use std::path::Path;

use proptest::prelude::*;

use super::super::testing::{least_cost, planned};
use super::*;
use crate::flow_shop::{Criterion, Instance, Setups, taillard};
use crate::solve::Limits;
use crate::testing::{limited, monitor, stopped};

fn bound(instance: &Instance) -> Cost {
    let problem = Problem::new(instance);
    lower(&problem, simple(&problem), &monitor())
}

/// A monitor whose memory limit is too small for tables of jobs and positions.
fn without_memory() -> Monitor {
    Monitor::new(&limited(Limits { memory: Some(0), ..Limits::default() }))
}

proptest! {
    #[test]
    fn no_stage_is_better_than_its_bound(instance in planned(6, 4)) {
        let bound = bound(&instance);
        let problem = Problem::new(&instance);
        let stopped = simple(&problem);
        let quick = lower(&problem, stopped, &without_memory());
        for (stage, own) in instance.objective().stages().iter().enumerate() {
            let alone = crate::flow_shop::Objective::new(vec![own.terms().to_vec()]).unwrap();
            let least = least_cost(&instance.clone().with_objective(alone).unwrap());
            prop_assert!(bound.0[stage] <= least.first(), "{stage}: {bound:?} {least:?}");
            prop_assert!(quick.0[stage] <= least.first(), "{stage}: {quick:?} {least:?}");
            prop_assert!(stopped.0[stage] <= least.first(), "{stage}: {stopped:?} {least:?}");
        }
    }

    #[test]
    fn no_sequence_is_better_than_the_bound_of_its_beginning(instance in planned(7, 4)) {
        let (problem, watch) = (Problem::new(&instance), monitor());
        let bounds = Bounds::new(&problem, &watch);
        let mut front = problem.root();
        let order = [problem.pinned(), bounds.jobs()].concat();
        let cost = problem.cost(&order);
        let count = bounds.jobs().len();
        for placed in 0..=count {
            let free: Vec<usize> = (placed..count).collect();
            let bound = bounds.behind(&front, &free, None);
            let stages = bound.0.iter().zip(&cost.0);
            prop_assert!(stages.clone().all(|(bound, value)| bound <= value), "{bound:?} {cost:?}");
            prop_assert!(bounds.behind(&front, &free, Some(cost)) <= cost);
            if let Some(&job) = bounds.jobs().get(placed) {
                problem.fix(&mut front, job, bounds.jobs()[placed + 1..].iter().copied());
            }
        }
        prop_assert_eq!(problem.scoring.cost(&front.tally), cost);
    }
}

#[test]
fn gaps_count_on_all_machines_together() {
    // On each machine alone half of the set-ups are 0, but never on both for the same two jobs.
    let (mut setups, jobs) = (Vec::new(), 6);
    for machine in 0..2 {
        let long = |cell: usize| (cell % jobs > cell / jobs) == (machine == 0);
        setups.extend((0..jobs * jobs).map(|cell| if long(cell) { 8 } else { 0 }));
    }
    let instance = Instance::new(jobs, 2, vec![5; 2 * jobs]).unwrap();
    let instance = instance.with_setups(Setups::between_jobs(jobs, setups).unwrap()).unwrap();
    // The five set-ups take 40 together, so 20 or more on one of the machines.
    assert!(bound(&instance).first() >= 35 + 20);
}

#[test]
fn paths_see_all_machines_at_once() {
    let instance = taillard::find("ta011").unwrap().instance();
    let due = (0..20).map(|job| 500 + 45 * job).collect();
    let instance = instance.with_due_dates(due).unwrap();
    let instance = instance.with_objective(Criterion::TotalTardiness.into()).unwrap();
    let (problem, watch) = (Problem::new(&instance), monitor());
    let (root, free) = (problem.root(), all_free(&problem));
    let (bounds, view) = Bounds::of(&problem, &root, &free, &watch);
    let mut behind = Behind::new(&bounds, view, true);
    let terms: Vec<Terms> =
        bounds.jobs().iter().map(|&job| problem.scoring.terms(job)[0]).collect();
    let others = behind.assigned(&terms).max(behind.tardiness(&terms));
    let paths = behind.paths(&terms, others);
    assert!(others > 0 && paths > others + others / 10, "{paths} {others}");
    assert!(paths <= problem.cost(&problem.free_jobs).first());
}

#[test]
fn many_jobs_need_no_table() {
    const JOBS: usize = 2 * MOST_ASSIGNED;
    let times: Vec<u32> = (0..2 * JOBS as u64).map(|i| 1 + (i * 7919 % 97) as u32).collect();
    let instance = Instance::new(JOBS, 2, times).unwrap();
    let total_flow_time = crate::flow_shop::Objective::from(Criterion::TotalFlowTime);
    let instance = instance.with_objective(total_flow_time).unwrap();
    // Smith's rule on each machine alone, without the time of the other.
    let least = |machine: usize| {
        let mut times: Vec<i64> =
            (0..JOBS as u32).map(|job| instance.job(job)[machine].into()).collect();
        times.sort_unstable();
        let jobs = times.iter().zip((1..=JOBS as i64).rev());
        jobs.map(|(time, later)| time * later).sum::<i64>()
    };
    assert!(bound(&instance).first() >= least(0).max(least(1)));
}

/// Jobs on two machines with release times and due dates below these limits.
fn released_and_due(jobs: usize, latest_release: usize, latest_due: usize) -> Instance {
    let number = |i: usize, most: usize| (i * 7919 % most) as u32;
    let times = (0..2 * jobs).map(|i| 1 + number(i, 97)).collect();
    let instance = Instance::new(jobs, 2, times).unwrap();
    let release = (0..jobs).map(|job| number(job, latest_release)).collect();
    let instance = instance.with_release_times(release).unwrap();
    let due = (0..jobs).map(|job| number(job, latest_due).into()).collect();
    instance.with_due_dates(due).unwrap()
}

/// The least value of three orders: by release time, by due date and by work.
fn least_of_orders(problem: &Problem<'_>) -> Cost {
    let instance = problem.instance;
    let work = |job: u32| instance.job(job).iter().sum::<u32>().into();
    let keys: [&dyn Fn(u32) -> i64; 3] =
        [&|job| instance.release_time(job).into(), &|job| instance.due_date(job), &work];
    let costs = keys.map(|key| {
        let mut order = problem.free_jobs.clone();
        order.sort_by_key(|&job| key(job));
        problem.cost(&order)
    });
    costs.into_iter().min().unwrap()
}

#[test]
fn simple_bounds_hold_for_many_jobs() {
    for jobs in [150, 2 * MANY] {
        let instance = released_and_due(jobs, 101, 20 * jobs);
        let first: u32 = instance.times().iter().step_by(2).sum();
        for criterion in Criterion::ALL {
            let instance = instance.clone().with_objective(criterion.into()).unwrap();
            let problem = Problem::new(&instance);
            let (bound, least) = (simple(&problem), least_of_orders(&problem));
            assert!(bound <= least, "{jobs} jobs, {criterion:?}: {bound:?} {least:?}");
            if jobs < MANY {
                let whole = lower(&problem, Cost([i64::MIN; 4]), &monitor());
                assert!(bound <= whole && whole <= least, "{criterion:?}: {bound:?} {whole:?}");
            } else {
                assert_eq!(lower(&problem, bound, &Monitor::new(&stopped())), bound);
            }
            if criterion == Criterion::Makespan {
                assert!(bound.first() > first.into());
            }
        }
    }
}

#[test]
fn bounds_hold_whenever_a_stop_comes() {
    // Enough jobs for stops while they are sorted and while a line is filled.
    const JOBS: usize = 70_000;
    let instance = released_and_due(JOBS, 3_000_001, 4_000_001);
    let criteria = [Criterion::Makespan, Criterion::WeightedFlowTime, Criterion::LateJobs];
    for criterion in criteria {
        let instance = instance.clone().with_objective(criterion.into()).unwrap();
        let problem = Problem::new(&instance);
        let mut order = problem.free_jobs.clone();
        order.sort_by_key(|&job| instance.release_time(job));
        let cost = problem.cost(&order);
        for checks in [1, 5, 12, 25, 50] {
            let made = std::sync::atomic::AtomicUsize::new(0);
            let is_over = move || made.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= checks;
            let bound = lower(&problem, simple(&problem), &monitor().until(is_over));
            assert!(bound <= cost, "{criterion:?}, {checks}: {bound:?} {cost:?}");
        }
    }
}

/// A file of whole numbers.
fn numbers(path: &Path) -> Vec<u32> {
    let text = std::fs::read_to_string(path).unwrap();
    text.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

/// The lines of a table behind its caption.
fn table(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().skip(1).map(|line| line.split(',').map(str::to_string).collect()).collect()
}

/// Mean gaps by class, and of all.
#[allow(clippy::print_stderr, reason = "shows what it measures")]
fn tell(what: &str, gaps: &[(String, f64)]) {
    let mean = |class: Option<&String>| {
        let list: Vec<_> =
            gaps.iter().filter(|gap| class.is_none_or(|class| gap.0 == *class)).collect();
        list.iter().map(|gap| gap.1).sum::<f64>() / list.len() as f64
    };
    let mut classes: Vec<_> = gaps.iter().map(|gap| &gap.0).collect();
    classes.sort();
    classes.dedup();
    for class in classes {
        eprintln!("{what} {class}: {:.2} %", 100.0 * mean(Some(class)));
    }
    eprintln!("{what}, {} instances: {:.2} %", gaps.len(), 100.0 * mean(None));
}

/// Measures (UB - LB) / UB with the best known values as UB. The variable MAKESPAN_DATA names the
/// folder of the benchmark data.
#[test]
#[ignore = "needs benchmark data, and takes many minutes"]
#[allow(clippy::print_stderr, reason = "shows what it measures")]
fn certified_gaps() {
    let Some(data) = std::env::var_os("MAKESPAN_DATA") else { return };
    let (data, only) = (Path::new(&data), std::env::var("ONLY").unwrap_or_default());
    let gap = |instance: &Instance, name: &str, best: f64| {
        let clock = std::time::Instant::now();
        // A part of the searches' usual limit.
        let half = instance.jobs() * instance.machines() / 2;
        let time = Some(std::time::Duration::from_millis(60 * half as u64) / 4);
        let monitor = Monitor::new(&limited(Limits { time, ..Limits::default() }));
        let problem = Problem::new(instance);
        let bound = lower(&problem, simple(&problem), &monitor).first() as f64;
        assert!(bound <= best, "{name}: {bound} {best}");
        eprintln!("{name}: {bound} of {best} in {:.2} s", clock.elapsed().as_secs_f64());
        (best - bound) / best
    };
    if only.is_empty() || only == "setups" {
        let folder = data.join("flow-shop-setups");
        let of_row = |row: Vec<String>| {
            let list = numbers(&folder.join(&row[0]));
            let (jobs, machines) = (list[0] as usize, list[1] as usize);
            let (times, setups) = list[2..].split_at(jobs * machines);
            let instance = Instance::new(jobs, machines, times.to_vec()).unwrap();
            let setups = Setups::between_jobs(jobs, setups.to_vec()).unwrap();
            let instance = instance.with_setups(setups).unwrap();
            (row[3].clone(), gap(&instance, &row.join(" "), row[4].parse().unwrap()))
        };
        let rows = table(&folder.join("best_known.csv"));
        tell("setups", &rows.into_iter().map(of_row).collect::<Vec<_>>());
    }
    if only.is_empty() || only == "flow" {
        let of_row = |row: Vec<String>| {
            let instance = taillard::find(&row[0]).unwrap().instance();
            let instance = instance.with_objective(Criterion::TotalFlowTime.into()).unwrap();
            let best = row[3].parse().ok()?;
            Some((format!("{}x{}", row[1], row[2]), gap(&instance, &row[0], best)))
        };
        let rows = table(&data.join("taillard_other_objectives.csv"));
        tell("flow time", &rows.into_iter().filter_map(of_row).collect::<Vec<_>>());
    }
    if only.is_empty() || only == "due-dates" {
        let folder = data.join("flow-shop-due-dates");
        let (mut gaps, mut late, mut alone) = (Vec::new(), 0, 0);
        for row in table(&folder.join("best_known.csv")) {
            let list = numbers(&folder.join(&row[0]));
            let (jobs, machines) = (list[0] as usize, list[1] as usize);
            let (due, times) = list[2..].split_at(jobs);
            let instance = Instance::new(jobs, machines, times.to_vec()).unwrap();
            let due: Vec<i64> = due.iter().copied().map(i64::from).collect();
            let instance = instance.with_due_dates(due.clone()).unwrap();
            let tardy = instance.clone().with_objective(Criterion::TotalTardiness.into()).unwrap();
            let best: f64 = row[3].parse().unwrap();
            if best > 0.0 {
                gaps.push((row[1].clone(), gap(&tardy, &row.join(" "), best)));
            }
            late += bound(&instance.clone().with_objective(Criterion::LateJobs.into()).unwrap())
                .first();
            let work = |job: u32| instance.job(job).iter().copied().map(i64::from).sum::<i64>();
            alone += (0..).zip(&due).filter(|&(job, &due)| work(job) > due).count();
        }
        tell("tardiness", &gaps);
        eprintln!("late jobs: at least {late}; late alone: {alone}");
    }
}
