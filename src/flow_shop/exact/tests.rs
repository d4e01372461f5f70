//! Search trees of known sizes, and optima found by enumeration.

use proptest::prelude::*;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::limit::Limit;
use super::makespan::Makespan;
use super::options::Plan;
use super::oracles::{Tree, trees};
use super::problem::Problem;
use super::search::OnDevices;
use super::testing::{NONE, in_order, problem, rules, search};
use super::*;
use crate::flow_shop::incumbent::Best;
use crate::flow_shop::testing::{best_by_enumeration, instances, lengthened};
use crate::flow_shop::{self, Instance, Method, Options, Permutation, taillard};
use crate::opencl::CacheLocation;
use crate::opencl::Device;
use crate::opencl::testing::{Lie, real_test_devices, test_devices};
use crate::testing::{assert_error, cpu_context, device_context, limited};
use crate::{
    Context, ContextOptions, Control, Engine, Error, Limits, Log, LogLevel, Outcome, Progress,
    ProgressCallback, Result, SolveOptions, Status, Team,
};

/// Decomposed nodes of a search that finds no sequence shorter than the problem's limit.
fn nodes(problem: &Problem<'_, Makespan<'_>>, threads: usize) -> u64 {
    let (counts, best) = search(problem, |limit, open, slice| {
        cpu::advance(&cpu_context(threads), problem, limit, open, slice).unwrap()
    });
    assert_eq!(best, NONE);
    counts.nodes
}

fn trees_have_the_known_sizes(trees: impl Iterator<Item = Tree>, threads: &[usize]) {
    for tree in trees {
        for &threads in threads {
            let found = tree.with(|problem| nodes(problem, threads));
            assert_eq!(found, tree.nodes, "{tree:?} with {threads} threads");
        }
    }
}

#[test]
fn small_trees_have_the_known_sizes_with_any_number_of_threads() {
    trees_have_the_known_sizes(trees(400_000, 16_000), &[1, 2, 3, 8]);
}

#[test]
fn trees_from_the_front_alone_have_the_known_sizes() {
    let from_the_front = |tree: &Tree| (80_000..3_000_000).contains(&tree.nodes);
    trees_have_the_known_sizes(trees(2_600_000, 80_063).filter(from_the_front), &[2]);
}

#[test]
#[ignore = "takes minutes"]
fn all_trees_have_the_known_sizes() {
    let all_cores = std::thread::available_parallelism().unwrap().get();
    trees_have_the_known_sizes(trees(u64::MAX, u64::MAX), &[all_cores]);
}

fn solve(
    instance: &Instance,
    exact: ExactOptions,
    threads: usize,
    iterations: Option<u64>,
) -> Outcome<Permutation> {
    let options = Options { method: Method::BranchAndBound, exact, ..Options::default() };
    let solve_options = limited(Limits { iterations, ..Limits::default() });
    flow_shop::solve(&cpu_context(threads), instance, &options, &solve_options).unwrap()
}

proptest! {
    #[test]
    fn the_optimum_is_found_and_proved(
        instance in instances(7, 5),
        (bound, branching) in rules(),
        threads in 1..4usize,
        scale in prop::sample::select(vec![1, 5000]),
    ) {
        // Large times need lanes of 32 bits.
        let scaled = lengthened(&instance, scale);
        let best = i64::from(best_by_enumeration(&scaled));
        let exact = ExactOptions { bound, branching, ..ExactOptions::default() };
        let outcome = solve(&scaled, exact.clone(), threads, None);
        prop_assert_eq!((outcome.status, outcome.objective), (Status::Optimal, Some(best)));

        // An upper bound above the optimum changes nothing. With one at or below the optimum, the
        // search proves only that bound.
        for upper_bound in [best + 1, best, (best - 1).max(0), (best - 3).max(0)] {
            let exact = ExactOptions { upper_bound: Some(upper_bound as u64), ..exact.clone() };
            let outcome = solve(&scaled, exact, threads, None);
            let bound = outcome.bound.unwrap();
            prop_assert!(bound >= upper_bound.min(best) && bound <= best, "{bound}, {best}");
            match outcome.status {
                Status::Optimal => prop_assert!(outcome.objective == Some(best) && upper_bound >= best),
                Status::Infeasible => prop_assert!(outcome.solution.is_none() && upper_bound <= best),
                status => prop_assert!(false, "{status}"),
            }
        }
    }

    #[test]
    fn iterations_end_the_search_anywhere_alike(instance in instances(9, 5), iterations in 0..40u64) {
        let outcomes = [1, 3].map(|threads| {
            let outcome = solve(&instance, ExactOptions::default(), threads, Some(iterations));
            prop_assert!(outcome.report.statistics.get("nodes").unwrap_or(0) <= iterations);
            Ok((outcome.objective, outcome.bound, outcome.solution))
        });
        let [one, three] = outcomes;
        let one = one?;
        prop_assert_eq!(&one, &three?);
        let best = solve(&instance, ExactOptions::default(), 1, None).objective;
        prop_assert!(one.1 <= best && best <= one.0);
    }
}

#[test]
fn a_search_that_is_cut_again_and_again_has_the_same_tree() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ta014.checkpoint");
    let known = taillard::find("ta014").unwrap();
    let exact = ExactOptions {
        upper_bound: Some(known.upper_bound.into()),
        checkpoint: Some(path),
        ..ExactOptions::default()
    };
    let mut rounds = 0;
    let outcome = loop {
        rounds += 1;
        let outcome = solve(&known.instance(), exact.clone(), 2, (rounds < 5).then_some(3_000));
        if !outcome.report.interrupted {
            break outcome;
        }
        assert!(outcome.bound.unwrap() <= i64::from(known.upper_bound));
    };
    assert_eq!((rounds, outcome.report.statistics.get("nodes")), (5, Some(19_285)));
    assert_eq!(
        (outcome.status, outcome.bound),
        (Status::Infeasible, Some(known.upper_bound.into()))
    );
    // The file says that no node is open any more.
    let again = solve(&known.instance(), exact, 1, None);
    assert_eq!((again.bound, again.report.statistics.get("nodes")), (outcome.bound, Some(19_285)));
}

#[test]
fn a_file_that_is_always_due_changes_nothing_of_a_counted_search() {
    let folder = tempfile::tempdir().unwrap();
    let instance = taillard::find("ta021").unwrap().instance();
    let path = folder.path().join("ta021.checkpoint");
    let [alone, kept] = [None, Some(path)].map(|checkpoint| {
        let checkpoint_interval = Duration::ZERO;
        let exact = ExactOptions { checkpoint, checkpoint_interval, ..ExactOptions::default() };
        let outcome = solve(&instance, exact, 2, Some(3_000));
        (outcome.objective, outcome.bound, outcome.report.statistics, outcome.solution)
    });
    assert_eq!(alone, kept);
}

/// Runs branch and bound on a large instance with a checkpoint. Calls `in_the_midst` once the
/// search has begun, then stops it.
fn search_with_file(
    path: &Path,
    in_the_midst: impl Fn() + Send + Sync + 'static,
) -> Result<Outcome<Permutation>> {
    let progress: ProgressCallback = Arc::new(move |progress: &Progress| match progress.phase {
        "branch and bound" => {
            in_the_midst();
            Control::Stop
        }
        _ => Control::Continue,
    });
    let exact = ExactOptions { checkpoint: Some(path.to_owned()), ..ExactOptions::default() };
    let options = Options { method: Method::BranchAndBound, exact, ..Options::default() };
    let solve_options = SolveOptions { progress: Some(progress), ..SolveOptions::default() };
    flow_shop::solve(
        &cpu_context(2),
        &taillard::find("ta051").unwrap().instance(),
        &options,
        &solve_options,
    )
}

#[test]
fn a_file_that_can_no_longer_be_written_costs_no_result() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ta051.checkpoint");
    let outcome = search_with_file(&path, || {}).unwrap();
    assert_eq!((outcome.status, outcome.report.warning), (Status::Feasible, None));
    assert!(path.exists());

    let gone = folder.path().to_owned();
    let outcome = search_with_file(&path, move || std::fs::remove_dir_all(&gone).unwrap()).unwrap();
    assert_eq!((outcome.status, outcome.report.interrupted), (Status::Feasible, true));
    let warning = outcome.report.warning.unwrap();
    assert!(
        warning.starts_with("the checkpoint holds an earlier state of the search: "),
        "{warning}"
    );
    assert!(warning.contains("ta051.checkpoint"), "{warning}");

    // A path that can't be written from the start is the user's mistake.
    assert_error!(search_with_file(&path, || {}), Error::Io { .. });
}

#[test]
fn a_file_that_is_not_written_in_the_midst_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = heard.clone();
    let log = Log::new(
        LogLevel::Warning,
        Arc::new(move |_, text: &str| sink.lock().unwrap().push(text.to_owned())),
    );
    let context = Context::new(ContextOptions { log, ..ContextOptions::default() }).unwrap();
    let instance = taillard::find("ta001").unwrap().instance();
    let problem = problem(&instance, Bound::OneMachine, Branching::MinBranch, 1278);
    let limit = Limit::new(in_order(&instance), 1278);
    let subfolder = folder.path().join("sub");
    let path = subfolder.join("ta001.checkpoint");
    let keeper = Keeper::new(&context, &problem, &limit, &path, Duration::ZERO);
    let open = [problem.root_node()];
    assert!(keeper.keep(&open, Counts::default()).is_err());
    keeper.keep_midway(&open, Counts::default());
    assert!(keeper.is_due());
    assert!(matches!(&heard.lock().unwrap()[..], [one] if one.contains("was not written: ")));
    std::fs::create_dir(&subfolder).unwrap();
    keeper.keep_midway(&open, Counts::default());
    assert!(path.exists() && heard.lock().unwrap().len() == 1);
}

/// Decomposed nodes of a search with the device's bounds, and the best sequence.
fn search_pool(
    device: &Device,
    problem: &Problem<'_, Makespan<'_>>,
    pool: &HostPool,
) -> (u64, Best) {
    let context = cpu_context(2);
    let team = Team::of(&context, &[]);
    let (counts, best) = search(problem, |limit, open, slice| {
        pool::advance(device, &team, problem, pool, limit, open, slice).unwrap()
    });
    (counts.nodes, best)
}

#[test]
fn device_pools_have_trees_of_the_known_sizes() {
    for device in test_devices() {
        let name = if device.quirks().simulator { "ta003" } else { "ta016" };
        let known = taillard::find(name).unwrap();
        let instance = known.instance();
        let problem =
            problem(&instance, Bound::TwoMachine, Branching::MinBranch, known.upper_bound);
        let expected = nodes(&problem, 2);
        for (number, placement) in Placement::ALL.into_iter().enumerate() {
            let (sorted, branch_free) = (number % 2 == 0, number % 3 == 0);
            let pool =
                HostPool { size: 5000, sorted, branch_free, placement, ..HostPool::default() };
            assert_eq!(search_pool(&device, &problem, &pool), (expected, NONE), "{pool:?}");
        }
    }
}

#[test]
fn device_pools_take_pinned_jobs_and_long_times() {
    let part = taillard::find("ta001").unwrap().instance();
    let times: Vec<u32> =
        (0..6).flat_map(|job| part.job(job).iter().map(|time| time * 70_000)).collect();
    let instance = Instance::new(6, 5, times).unwrap().with_pinned(vec![4]).unwrap();
    let instance = instance.with_ready_times(vec![0, 9_000_000, 0, 0, 1]).unwrap();
    let best = best_by_enumeration(&instance);
    let problem = problem(&instance, Bound::OneMachine, Branching::MinMin, instance.horizon());
    for device in test_devices() {
        let (_, found) =
            search_pool(&device, &problem, &HostPool { size: 7, ..HostPool::default() });
        assert_eq!(Permutation::new(found.order).makespan(&instance).unwrap(), u64::from(best));
    }
}

/// One machine, one job, two jobs.
#[test]
fn devices_search_the_smallest_instances() {
    let pool = HostPool { size: 3, ..HostPool::default() };
    for device in test_devices() {
        for (jobs, machines) in [(7, 1), (1, 3), (2, 3)] {
            let times: Vec<u32> =
                (0..jobs * machines).map(|k| (k * k * 7 + 3 * k + 5) as u32 % 31).collect();
            let instance = Instance::new(jobs, machines, times).unwrap();
            let best = best_by_enumeration(&instance);
            let plans = Exploration::ALL.map(|exploration| Plan { exploration, pool });
            for (bound, plan) in Bound::ALL.iter().flat_map(|&b| plans.map(|plan| (b, plan))) {
                if plan.exploration != Exploration::OnDevice && bound == Bound::Refined {
                    continue;
                }
                for (limit, known) in [(best, false), (instance.horizon(), true)] {
                    let problem = problem(&instance, bound, Branching::MinBranch, limit);
                    let found = search_on(&device, &problem, plan);
                    let expected = if known { best } else { NONE.value };
                    assert_eq!(
                        found.value, expected,
                        "{jobs}x{machines} {bound:?} {plan:?} {limit}"
                    );
                }
            }
        }
    }
}

/// The best sequence of the instance that is shorter than the problem's limit.
fn search_on(device: &Device, problem: &Problem<'_, Makespan<'_>>, plan: Plan) -> Best {
    let context = cpu_context(1);
    let (_, best) = search(problem, |limit, open, slice| {
        let team = context.team(slice.monitor);
        Makespan::advance(&plan, device, &team, problem, limit, open, slice).unwrap()
    });
    best
}

#[test]
fn a_pool_without_nodes_is_refused() {
    let instance = Instance::new(2, 2, vec![5, 1, 1, 5]).unwrap();
    let pool = HostPool { size: 0, ..HostPool::default() };
    let exact =
        ExactOptions { exploration: Exploration::HostPool, pool, ..ExactOptions::default() };
    let options = Options { method: Method::BranchAndBound, exact, ..Options::default() };
    let refused = flow_shop::solve(&cpu_context(1), &instance, &options, &SolveOptions::default())
        .unwrap_err();
    assert_eq!(refused.to_string(), "pool_size: must be from 1 to 1048576, not 0");
}

#[test]
fn iterations_are_not_counted_on_a_device() {
    let instance = taillard::find("ta001").unwrap().instance();
    let options = Options { method: Method::BranchAndBound, ..Options::default() };
    let limits = Limits { iterations: Some(100), ..Limits::default() };
    let by_engine =
        |engine| SolveOptions { limits: limits.clone(), engine, ..SolveOptions::default() };
    let context = Context::new(ContextOptions::default()).unwrap();
    let outcome = flow_shop::solve(&context, &instance, &options, &by_engine(None)).unwrap();
    assert!(outcome.report.interrupted && outcome.report.device.is_none());
    // The solve is too short for a device.
    assert_eq!(outcome.report.fallback, None);
    if !test_devices().is_empty() {
        let refused =
            flow_shop::solve(&context, &instance, &options, &by_engine(Some(Engine::Device)))
                .unwrap_err();
        assert!(refused.to_string().contains("counted on the CPU alone"), "{refused}");
    }
}

/// A context with a device on which one kernel returns wrong results.
fn lying(device: &Device, lie: Lie) -> Context {
    let context = device_context(device);
    context.chosen_device().lie(lie);
    context
}

#[test]
fn wrong_bounds_of_a_device_are_noticed() {
    let instance = Instance::named("ta014").unwrap();
    let solve_options = SolveOptions::default();
    for device in real_test_devices() {
        for seed in 0..3 {
            let trees = Lie::of("flow_shop_tree_left", seed).share(1e-2).only(&["left"]);
            for (exploration, lie) in [
                (Exploration::HostPool, Lie::of("flow_shop_pool_bound", seed)),
                (Exploration::TreePool, trees),
            ] {
                let context = lying(&device, lie);
                let pool = HostPool { size: 4096, ..HostPool::default() };
                let upper_bound = Some(1377);
                let exact =
                    ExactOptions { exploration, pool, upper_bound, ..ExactOptions::default() };
                let options =
                    Options { method: Method::BranchAndBound, exact, ..Options::default() };
                let found = flow_shop::solve(&context, &instance, &options, &solve_options);
                assert_error!(found, Error::DeviceWrong(_));
                assert!(context.chosen_device().lies_told() > 0);
            }

            let context = lying(&device, Lie::of("flow_shop_children", seed).share(1e-3));
            let part = |job: u32| Subproblem {
                front: vec![job % 20, (job + 1 + job / 20) % 20],
                back: Vec::new(),
            };
            let parts: Vec<_> = (0..360u32).map(part).collect();
            let found =
                bound_children(&context, &instance, Bound::OneMachine, &parts, &solve_options);
            assert!(context.chosen_device().lies_told() > 0);
            assert_error!(found, Error::DeviceWrong(_));
        }
    }
}

#[test]
fn kernels_that_a_device_has_not_at_the_limit_leave_the_first_sequence() {
    let instance = Instance::named("ta021").unwrap();
    let solve_options =
        limited(Limits { time: Some(Duration::from_millis(20)), ..Limits::default() });
    for device in real_test_devices() {
        for exploration in Exploration::ALL {
            let (engine, cache) = (Engine::Device, CacheLocation::Off);
            let device = Some(device.info().index);
            let context =
                Context::new(ContextOptions { engine, device, cache, ..ContextOptions::default() })
                    .unwrap();
            let exact = ExactOptions { exploration, ..ExactOptions::default() };
            let options = Options { method: Method::BranchAndBound, exact, ..Options::default() };
            let outcome = flow_shop::solve(&context, &instance, &options, &solve_options).unwrap();
            assert_eq!(outcome.status, Status::Feasible);
        }
    }
}
