use std::time::Duration;

use proptest::prelude::*;

use super::FlowTime;
use super::{device, pool as own_pool};
use crate::flow_shop::Instance;
use crate::flow_shop::exact::checkpoint::Checkpoint;
use crate::flow_shop::exact::keeper::Keeper;
use crate::flow_shop::exact::limit::Limit;
use crate::flow_shop::exact::makespan::Makespan;
use crate::flow_shop::exact::objective::Objective;
use crate::flow_shop::exact::pool::{self, HostPool};
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::exact::testing::search;
use crate::flow_shop::exact::{Branching, Counts, cpu, device as on_device};
use crate::flow_shop::incumbent::Best;
use crate::flow_shop::testing::{instances, least_by_enumeration};
use crate::opencl::testing::{expect_lies_to_be_noticed, test_devices};
use crate::solve::{Monitor, SolveOptions};
use crate::testing::{check_cases, cpu_context};
use crate::{Context, Team};

fn value(instance: &Instance, order: &[u32]) -> u32 {
    FlowTime::value(instance, order).unwrap() as u32
}

/// Expects a search to find the best value, and nothing below it.
fn expect_the_optimum(
    instance: &Instance,
    branching: Branching,
    engine: impl Fn(&Problem<'_, FlowTime>) -> (Counts, Best),
) -> Result<(), TestCaseError> {
    let least = least_by_enumeration(instance, value);
    let (_, found) = engine(&FlowTime::problem(instance, branching, u32::MAX));
    prop_assert_eq!(found.value, least);
    prop_assert_eq!(value(instance, &found.order), least);
    let (_, none) = engine(&FlowTime::problem(instance, branching, least));
    prop_assert_eq!(none.value, u32::MAX);
    Ok(())
}

fn rules() -> impl Strategy<Value = Branching> {
    prop::sample::select(Branching::ALL.to_vec())
}

fn with_free_jobs(instance: &Instance) -> bool {
    instance.free_jobs().len() > 1
}

proptest! {
    #[test]
    fn no_sequence_below_a_node_has_a_smaller_value(
        instance in instances(6, 4).prop_filter("free jobs", with_free_jobs),
    ) {
        let problem = FlowTime::problem(&instance, Branching::default(), u32::MAX);
        prop_assert!(problem.root_node().bound <= least_by_enumeration(&instance, value));
    }

    #[test]
    fn the_cpu_finds_and_proves_the_least_total_flow_time(
        instance in instances(8, 4).prop_filter("free jobs", with_free_jobs),
        branching in rules(),
        threads in 1..3usize,
    ) {
        let context = cpu_context(threads);
        expect_the_optimum(&instance, branching, |problem| {
            search(problem, |limit, open, slice| {
                cpu::advance(&context, problem, limit, open, slice).unwrap()
            })
        })?;
    }
}

#[test]
fn a_device_bounds_the_host_s_pool_by_total_flow_time() {
    let context = Context::of_one_thread().unwrap();
    let team = Team::of(&context, &[]);
    for device in test_devices() {
        let cases = if device.quirks().simulator { 2 } else { 20 };
        let inputs = (instances(7, 3).prop_filter("free jobs", with_free_jobs), rules());
        let pool = HostPool { size: 50, ..HostPool::default() };
        let run = |(instance, branching): (Instance, Branching)| {
            expect_the_optimum(&instance, branching, |problem| {
                search(problem, |limit, open, slice| {
                    pool::advance(&device, &team, problem, &pool, limit, open, slice).unwrap()
                })
            })
        };
        check_cases(cases, &inputs, run);
    }
}

#[test]
fn a_device_explores_the_tree_of_total_flow_time() {
    let context = Context::of_one_thread().unwrap();
    for device in test_devices() {
        let cases = if device.quirks().simulator { 2 } else { 20 };
        let inputs = (instances(7, 3).prop_filter("free jobs", with_free_jobs), rules());
        let run = |(instance, branching): (Instance, Branching)| {
            expect_the_optimum(&instance, branching, |problem| {
                search(problem, |limit, open, slice| {
                    let team = context.team(slice.monitor);
                    on_device::advance(&device, &team, problem, limit, open, slice).unwrap()
                })
            })
        };
        check_cases(cases, &inputs, run);
    }
}

#[test]
fn wrong_kernels_fail_their_self_test() {
    let lies: [(_, &[&str]); 3] = [
        ("flow_shop_advance", &["totals"]),
        ("flow_shop_smallest", &["smallest"]),
        ("flow_shop_tails", &["tails"]),
    ];
    expect_lies_to_be_noticed(&device::FAMILY, &[("MACHINES", 4)], &lies);
    let pool: [(_, &[&str]); 1] = [("flow_shop_pool_bound", &["bounds"])];
    expect_lies_to_be_noticed(&own_pool::FAMILY, &[("JOBS", 9), ("MACHINES", 4)], &pool);
}

#[test]
fn a_file_goes_on_with_its_own_objective_alone() {
    let instance = Instance::new(4, 2, vec![3, 2, 1, 4, 2, 1, 5, 5]).unwrap();
    let context = Context::of_one_thread().unwrap();
    let monitor = Monitor::new(&SolveOptions::default());
    let order = vec![0, 1, 2, 3];
    let best = Best { value: value(&instance, &order), order };
    let problem = FlowTime::problem(&instance, Branching::default(), best.value);
    let limit = Limit::new(best.clone(), u32::MAX);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("search.checkpoint");
    let keeper = Keeper::new(&context, &problem, &limit, &path, Duration::MAX);
    keeper.keep(&[problem.root_node()], Counts::default()).unwrap();
    let read = Checkpoint::read::<FlowTime>(&instance, &path, &monitor).unwrap().unwrap();
    assert_eq!((read.best, &read.open[..]), (best, &[problem.root_node()][..]));
    let refused = Checkpoint::read::<Makespan<'_>>(&instance, &path, &monitor).unwrap_err();
    assert!(refused.to_string().ends_with("belongs to another instance"), "{refused}");
}
