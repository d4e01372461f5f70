use proptest::prelude::*;

use super::super::testing::{least_cost, planned};
use crate::flow_shop::{Bound, Criterion, Instance, Method, Options, Permutation, Setups, solve};
use crate::random::Random;
use crate::testing::{cpu_context, limited};
use crate::{Limits, Outcome, Result, SolveOptions, Status};

fn proved(instance: &Instance, threads: usize, limits: Limits) -> Result<Outcome<Permutation>> {
    let options = Options { method: Method::BranchAndBound, ..Options::default() };
    solve(&cpu_context(threads), instance, &options, &limited(limits))
}

proptest! {
    #[test]
    fn the_best_sequence_is_proved(instance in planned(7, 4), threads in 1..=2usize) {
        prop_assume!(!instance.is_plain());
        let outcome = proved(&instance, threads, Limits::default()).unwrap();
        let least = least_cost(&instance);
        let values = outcome.solution.unwrap().values(&instance).unwrap();
        prop_assert_eq!(&values[..], &least.0[..values.len()]);
        prop_assert_eq!(outcome.status, Status::Optimal);
        prop_assert_eq!(outcome.bound, outcome.objective);
    }

    #[test]
    fn a_search_cut_short_keeps_its_bound(instance in planned(7, 4), iterations in 0..12u64) {
        prop_assume!(!instance.is_plain());
        let limits = || Limits { iterations: Some(iterations), ..Limits::default() };
        let [one, two] = [1, 2].map(|threads| proved(&instance, threads, limits()).unwrap());
        prop_assert!(one.bound.unwrap() <= least_cost(&instance).first());
        prop_assert_eq!((one.bound, one.objective), (two.bound, two.objective));
        prop_assert_eq!(one.solution, two.solution);
    }
}

#[test]
fn options_of_the_makespan_are_refused() {
    let instance = Instance::new(2, 1, vec![1, 2]).unwrap();
    let instance = instance.with_objective(Criterion::TotalFlowTime.into()).unwrap();
    let mut options = Options { method: Method::BranchAndBound, ..Options::default() };
    let refusal = |options: &Options| {
        let solved = solve(&cpu_context(1), &instance, options, &SolveOptions::default());
        solved.unwrap_err().to_string()
    };
    options.exact.upper_bound = Some(3);
    let reason = "applies only to the makespan without set-ups, release times and blocking";
    assert_eq!(refusal(&options), format!("upper_bound: {reason}"));
    options.exact.upper_bound = None;
    options.exact.bound = Bound::TwoMachine;
    assert_eq!(refusal(&options), format!("bound: {reason}"));
}

#[test]
fn too_many_jobs_are_refused() {
    let instance = Instance::new(65, 1, vec![1; 65]).unwrap();
    let instance = instance.with_release_times((0..65).rev().collect()).unwrap();
    let error = proved(&instance, 1, Limits::default()).unwrap_err().to_string();
    assert!(error.contains("65 jobs that are not pinned"), "{error}");
}

/// Proves instances of JOBS jobs (10) on 5 machines with times from 1 to 99: each criterion with and
/// without set-ups, release times and blocking.
#[test]
#[ignore = "takes a minute"]
#[allow(clippy::print_stderr, reason = "shows what it measures")]
fn proofs_of_ten_jobs() {
    let jobs = std::env::var("JOBS").map_or(10, |jobs| jobs.parse().unwrap());
    let mut slowest = 0.0;
    for (number, criterion) in (0..).zip(Criterion::ALL) {
        for parts in 0..8 {
            let instance = instance_of(jobs, 5, parts, 100 * number + parts);
            let instance = instance.with_objective(criterion.into()).unwrap();
            let outcome = proved(&instance, 2, Limits::default()).unwrap();
            let nodes = outcome.report.statistics.get("nodes").unwrap_or(0);
            let seconds = outcome.report.seconds;
            eprintln!("{} {parts:03b}: {seconds:.3} s, {nodes} nodes", criterion.name());
            assert_eq!(outcome.status, Status::Optimal);
            slowest = f64::max(slowest, seconds);
        }
    }
    eprintln!("slowest: {slowest:.3} s");
}

/// A random instance with set-ups, release times and blocking if the bits of `parts` are set.
fn instance_of(jobs: usize, machines: usize, parts: u64, seed: u64) -> Instance {
    let mut random = Random::new(seed);
    let length = jobs as u64;
    let mut list = |count: usize, most: u64| -> Vec<u32> {
        (0..count).map(|_| 1 + random.below(most) as u32).collect()
    };
    let mut instance = Instance::new(jobs, machines, list(jobs * machines, 99)).unwrap();
    let (setups, release) = (list(jobs * jobs * machines, 49), list(jobs, 25 * length));
    let (due, weights, keys) =
        (list(jobs, 50 * (length + machines as u64)), list(jobs, 9), list(jobs, 1 << 20));
    if parts & 1 > 0 {
        instance = instance.with_setups(Setups::between_jobs(jobs, setups).unwrap()).unwrap();
    }
    if parts & 2 > 0 {
        instance = instance.with_release_times(release).unwrap();
    }
    if parts & 4 > 0 {
        instance = instance.with_blocking().unwrap();
    }
    let mut plan: Vec<u32> = (0..jobs as u32).collect();
    plan.sort_by_key(|&job| keys[job as usize]);
    let due = due.into_iter().map(i64::from).collect();
    let instance = instance.with_due_dates(due).unwrap().with_weights(weights).unwrap();
    instance.with_running_plan(plan).unwrap()
}
