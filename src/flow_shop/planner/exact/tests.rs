use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;

use super::super::testing::{least_cost, one_stage, planned};
use crate::flow_shop::{
    Bound, Criterion, Instance, Method, Objective, Options, Permutation, Setups, solve,
};
use crate::opencl::DeviceKind;
use crate::opencl::testing::{real_test_devices, test_devices};
use crate::random::Random;
use crate::testing::{
    check_cases, context_without_the_device, cpu_context, device_context, limited,
};
use crate::{Context, Engine, Error, Limits, Outcome, Result, SolveOptions, Status};

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

fn kept(path: &Path) -> Options {
    let mut options = Options { method: Method::BranchAndBound, ..Options::default() };
    options.exact.checkpoint = Some(path.into());
    options
}

proptest! {
    #[test]
    fn a_kept_search_goes_on_to_the_best_sequence(
        instance in one_stage(7, 4),
        iterations in 0..9u64,
    ) {
        prop_assume!(!instance.is_plain());
        let folder = tempfile::tempdir().unwrap();
        let options = kept(&folder.path().join("search.checkpoint"));
        let solved = |limits: Limits| {
            solve(&cpu_context(2), &instance, &options, &limited(limits)).unwrap()
        };
        let least = least_cost(&instance).first();
        for _ in 0..3 {
            let part = solved(Limits { iterations: Some(iterations), ..Limits::default() });
            prop_assert!(part.bound.unwrap() <= least && part.objective.unwrap() >= least);
        }
        let whole = solved(Limits::default());
        prop_assert_eq!(whole.status, Status::Optimal);
        prop_assert_eq!((whole.objective, whole.bound), (Some(least), Some(least)));
        let values = whole.solution.unwrap().values(&instance).unwrap();
        prop_assert_eq!(values, [least]);
    }
}

#[test]
fn a_file_belongs_to_one_model() {
    let folder = tempfile::tempdir().unwrap();
    let options = kept(&folder.path().join("search.checkpoint"));
    let solved = |instance: &Instance| {
        solve(&cpu_context(1), instance, &options, &SolveOptions::default())
            .map_err(|error| error.to_string())
    };
    let instance = instance_of(6, 3, 7, 1).with_objective(Criterion::LateJobs.into()).unwrap();
    assert_eq!(solved(&instance).unwrap().status, Status::Optimal);
    let again = solved(&instance).unwrap();
    assert_eq!(again.status, Status::Optimal);
    let others = [
        instance.clone().with_objective(Criterion::TotalTardiness.into()),
        instance.clone().with_due_dates(vec![1; 6]),
        instance.clone().with_release_times(vec![1; 6]),
        instance.clone().with_weights(vec![1; 6]),
        instance.clone().with_running_plan(vec![3]),
        instance.clone().with_setups(Setups::between_jobs(6, vec![2; 36]).unwrap()),
        Ok(instance_of(6, 3, 3, 1).with_objective(Criterion::LateJobs.into()).unwrap()),
    ];
    for other in others {
        let refused = solved(&other.unwrap()).unwrap_err();
        assert!(refused.ends_with("belongs to another instance"), "{refused}");
    }
}

#[test]
fn what_the_engines_do_not_search_is_refused() {
    let options = kept(Path::new("not-written"));
    let instance = instance_of(5, 2, 0, 1);
    for (objective, reason) in [
        ("late-jobs,makespan", "a list of objectives"),
        ("4000000000*total-tardiness", "objectives beyond 31 bits"),
    ] {
        let instance =
            instance.clone().with_objective(Objective::parse(objective).unwrap()).unwrap();
        let refused =
            solve(&cpu_context(1), &instance, &options, &SolveOptions::default()).unwrap_err();
        assert!(matches!(*refused, Error::Unsupported(_)), "{refused}");
        let begin = "branch and bound on a device or with a checkpoint for ";
        assert!(refused.to_string().ends_with(&format!("{begin}{reason}")), "{refused}");
        let mut free = options.clone();
        free.exact.checkpoint = None;
        let proved = solve(&cpu_context(1), &instance, &free, &SolveOptions::default()).unwrap();
        assert_eq!(proved.status, Status::Optimal);
    }
}

#[test]
fn devices_prove_the_best_sequence() {
    for device in test_devices() {
        let context = device_context(&device);
        let options = Options { method: Method::BranchAndBound, ..Options::default() };
        check_cases(5, &one_stage(7, 4), |instance| {
            prop_assume!(!instance.is_plain());
            let solved = solve(&context, &instance, &options, &SolveOptions::default()).unwrap();
            let least = least_cost(&instance).first();
            prop_assert_eq!((solved.objective, solved.bound), (Some(least), Some(least)));
            prop_assert_eq!(solved.status, Status::Optimal);
            Ok(())
        });
    }
}

#[test]
fn a_device_goes_on_with_a_kept_search() {
    for device in real_test_devices() {
        for (number, criterion) in (0..).zip(Criterion::ALL).step_by(2) {
            let instance = instance_of(9, 4, number % 7 + 1, number);
            let instance = instance.with_objective(criterion.into()).unwrap();
            let folder = tempfile::tempdir().unwrap();
            let options = kept(&folder.path().join("search.checkpoint"));
            let few = limited(Limits { iterations: Some(2), ..Limits::default() });
            let begun = solve(&cpu_context(1), &instance, &options, &few).unwrap();
            let context = device_context(&device);
            let whole = solve(&context, &instance, &options, &SolveOptions::default()).unwrap();
            assert_eq!(whole.status, Status::Optimal);
            assert_eq!(whole.report.device.is_some(), begun.status != Status::Optimal);
            let expected = proved(&instance, 1, Limits::default()).unwrap();
            assert_eq!(whole.objective, expected.objective, "{}", criterion.name());
        }
    }
}

/// With 16 jobs the search with dominance takes longer than the look for a device.
#[test]
fn auto_takes_a_device_for_a_long_proof() {
    let instance = instance_of(16, 5, 1, 3);
    let instance = instance.with_objective(Criterion::TotalFlowTime.into()).unwrap();
    let options = Options { method: Method::BranchAndBound, ..Options::default() };
    for device in real_test_devices() {
        let context = Context::pretending(device.info().index, DeviceKind::Gpu, 2);
        let solved = |instance: &Instance, engine, limits| {
            let limited = SolveOptions { limits, engine, ..SolveOptions::default() };
            solve(&context, instance, &options, &limited).unwrap()
        };
        // The device is open, and the program for these models is built.
        let small = instance_of(6, 5, 1, 3);
        let small = small.with_objective(Criterion::TotalFlowTime.into()).unwrap();
        let built = solved(&small, Some(Engine::Device), Limits::default());
        assert_eq!(built.status, Status::Optimal);
        let time = Some(Duration::from_secs(3));
        let outcome = solved(&instance, None, Limits { time, ..Limits::default() });
        assert!(outcome.report.statistics.get("bounds") > Some(0), "no engine went on");
        assert!(outcome.bound <= outcome.objective);
    }
}

#[test]
fn auto_keeps_the_search_with_dominance_without_a_device() {
    let instance = instance_of(16, 5, 1, 3);
    let instance = instance.with_objective(Criterion::TotalFlowTime.into()).unwrap();
    let options = Options { method: Method::BranchAndBound, ..Options::default() };
    let time = Some(Duration::from_secs(1));
    let limits = Limits { time, ..Limits::default() };
    let limited = SolveOptions { limits, engine: None, ..SolveOptions::default() };
    let outcome = solve(&context_without_the_device(), &instance, &options, &limited).unwrap();
    assert_eq!(outcome.report.statistics.get("bounds"), None);
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

/// Proves instances of JOBS jobs (10) on MACHINES machines (5) with times from 1 to 99: each
/// criterion with and without set-ups, release times and blocking. Each of the searches, on the CPU
/// with dominance, on the CPU with a checkpoint, and on devices, takes SECONDS (60) at most.
#[test]
#[ignore = "takes minutes"]
#[allow(clippy::print_stderr, reason = "shows what it measures")]
fn proofs_with_and_without_devices() {
    let number = |name, usual| std::env::var(name).map_or(usual, |text| text.parse().unwrap());
    let (jobs, machines) = (number("JOBS", 10), number("MACHINES", 5));
    let time = Some(Duration::from_secs(number("SECONDS", 60) as u64));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("search.checkpoint");
    let usual = Options { method: Method::BranchAndBound, ..Options::default() };
    let mut searches = vec![(cpu_context(2), usual.clone()), (cpu_context(2), kept(&file))];
    searches.extend(real_test_devices().iter().map(|one| (device_context(one), usual.clone())));
    for (number, criterion) in (0..).zip(Criterion::ALL) {
        for parts in 0..8 {
            let instance = instance_of(jobs, machines, parts, 100 * number + parts);
            let instance = instance.with_objective(criterion.into()).unwrap();
            let mut row = format!("{} {parts:03b}:", criterion.name());
            let mut known = None;
            for (context, options) in &searches {
                // The makespan alone has another search.
                if instance.is_plain() {
                    continue;
                }
                let limits = limited(Limits { time, ..Limits::default() });
                let outcome = solve(context, &instance, options, &limits).unwrap();
                let nodes = outcome.report.statistics.get("nodes").unwrap_or(0);
                let is_proved = outcome.status == Status::Optimal;
                let mark = if is_proved { "" } else { " not proved" };
                row += &format!("  {:.3} s {nodes}{mark}", outcome.report.seconds);
                if is_proved {
                    assert_eq!(*known.get_or_insert(outcome.objective), outcome.objective);
                }
                std::fs::remove_file(&file).ok();
            }
            eprintln!("{row}");
        }
    }
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
