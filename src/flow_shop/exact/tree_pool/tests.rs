use std::sync::atomic::{AtomicU32, Ordering};

use proptest::prelude::*;

use super::{Exploration, advance, replay};
use crate::flow_shop::exact::makespan::Makespan;
use crate::flow_shop::exact::pool::{self, Host, HostPool, Search, Worker};
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::exact::testing::{NONE, problem, rules, search, unlimited};
use crate::flow_shop::exact::{Bound, Branching, Counts, Slice, cpu, limit::Limit};
use crate::flow_shop::incumbent::Best;
use crate::flow_shop::testing::{best_by_enumeration, instances};
use crate::flow_shop::{Instance, Permutation, taillard};
use crate::opencl::Device;
use crate::opencl::testing::test_devices;
use crate::testing::{assert_error, check_cases, cpu_context, monitor};
use crate::{Error, Team};

fn on_cpu(problem: &Problem<'_, Makespan<'_>>) -> (Counts, Best) {
    search(problem, |limit, open, slice| {
        cpu::advance(&cpu_context(2), problem, limit, open, slice).unwrap()
    })
}

fn on_device(
    device: &Device,
    further: &[&Device],
    problem: &Problem<'_, Makespan<'_>>,
    options: &HostPool,
) -> (Counts, Best) {
    let context = cpu_context(2);
    let team = Team::of(&context, further);
    search(problem, |limit, open, slice| {
        advance(device, &team, problem, options, limit, open, slice).unwrap()
    })
}

proptest! {
    #[test]
    fn a_tree_in_parts_is_that_of_the_cpu_engine(
        instance in instances(7, 4).prop_filter("free jobs", |one| one.free_jobs().len() > 1),
        (bound, branching) in rules(),
        budget in 1..9u64,
    ) {
        let best = best_by_enumeration(&instance);
        let problem = problem(&instance, bound, branching, best);
        let (mut counts, mut open) = (Counts::default(), vec![problem.root_node()]);
        while let Some(root) = open.pop() {
            if root.bound >= best || problem.node(&root).free_count == 1 {
                continue;
            }
            let tree = replay::explore(&problem, &root, best, budget, &monitor()).unwrap();
            prop_assert!(tree.nodes == budget || tree.left.is_empty());
            prop_assert_eq!(tree.best, None);
            counts.nodes += tree.nodes;
            counts.bounds += tree.free * branching.bounds_of(1);
            open.extend(tree.left);
        }
        prop_assert_eq!(counts, on_cpu(&problem).0);
    }
}

/// Instances of one size, so that a device needs one program for each bound.
fn of_one_size() -> impl Strategy<Value = Instance> {
    prop::collection::vec(1..100u32, 7 * 4).prop_map(|times| Instance::new(7, 4, times).unwrap())
}

#[test]
fn a_device_explores_trees_of_a_pool_like_the_cpu_and_the_hosts_pool() {
    for device in test_devices() {
        let cases = if device.quirks().simulator { 2 } else { 24 };
        let bounds = prop::sample::select(vec![Bound::OneMachine, Bound::TwoMachine]);
        let rules = prop::sample::select(&Branching::ALL[..]);
        let inputs = (of_one_size(), bounds, rules, 1..200usize, 1..9usize, any::<bool>());
        let run = |(instance, bound, branching, size, budget, sorted)| {
            let options = HostPool { size, budget, sorted, ..HostPool::default() };
            let best = best_by_enumeration(&instance);
            let from_above = problem(&instance, bound, branching, instance.horizon());
            let (_, found) = on_device(&device, &[], &from_above, &options);
            prop_assert_eq!(found.value, best);
            let makespan = Permutation::new(found.order).makespan(&instance).unwrap();
            prop_assert_eq!(makespan, u64::from(best));
            let from_below = problem(&instance, bound, branching, best);
            let found = on_device(&device, &[], &from_below, &options);
            prop_assert_eq!(&found, &on_cpu(&from_below));
            let pool = HostPool { size: 100, ..HostPool::default() };
            let context = cpu_context(1);
            let team = Team::of(&context, &[]);
            let pooled = search(&from_below, |limit, open, slice| {
                pool::advance(&device, &team, &from_below, &pool, limit, open, slice).unwrap()
            });
            prop_assert_eq!(found, pooled);
            Ok(())
        };
        check_cases(cases, &inputs, run);
    }
}

#[test]
fn devices_explore_trees_of_the_known_sizes_together() {
    for device in test_devices() {
        let name = if device.quirks().simulator { "ta003" } else { "ta014" };
        let known = taillard::find(name).unwrap();
        let instance = known.instance();
        let problem =
            problem(&instance, Bound::OneMachine, Branching::MinBranch, known.upper_bound);
        let expected = on_cpu(&problem);
        for further in [&[][..], &[&device][..]] {
            let options = HostPool { size: 500, budget: 20, ..HostPool::default() };
            assert_eq!(on_device(&device, further, &problem, &options), expected);
        }
    }
}

/// Nodes of a search that ends again and again.
#[test]
fn trees_of_a_device_s_pool_wait_for_the_next_slice() {
    for device in test_devices() {
        let name = if device.quirks().simulator { "ta003" } else { "ta014" };
        let known = taillard::find(name).unwrap();
        let instance = known.instance();
        let problem =
            problem(&instance, Bound::OneMachine, Branching::MinBranch, known.upper_bound);
        let (context, monitor) = (cpu_context(1), monitor());
        let team = Team::of(&context, &[]);
        let limit = Limit::new(NONE, problem.initial_limit);
        let options = HostPool { size: 300, ..HostPool::default() };
        let (mut open, mut nodes, mut slices) = (vec![problem.root_node()], 0, 0);
        while !open.is_empty() {
            let asked = AtomicU32::new(0);
            // Ends in the midst of a round, sooner or later.
            let until = || asked.fetch_add(1, Ordering::Relaxed) > slices;
            let slice = Slice { until: Some(&until), ..unlimited(&monitor) };
            let counts =
                advance(&device, &team, &problem, &options, &limit, &mut open, &slice).unwrap();
            nodes += counts.nodes;
            slices += 1;
        }
        assert!(slices > 1);
        assert_eq!(nodes, on_cpu(&problem).0.nodes);
    }
}

#[test]
fn a_stop_ends_the_round_of_a_device() {
    for device in test_devices() {
        let instance = taillard::find("ta003").unwrap().instance();
        let problem = problem(&instance, Bound::OneMachine, Branching::Forward, 1081);
        let monitor = crate::solve::Monitor::new(&crate::testing::stopped());
        let (context, limit) = (cpu_context(1), Limit::new(NONE, 1081));
        let (slice, options) = (unlimited(&monitor), HostPool::default());
        let host = Host { problem: &problem, options: &options };
        let search = Search { context: &context, host, limit: &limit, slice: &slice };
        let mut exploration = Exploration::new(&device, &search).unwrap();
        let stopped = exploration.branch(&[problem.root_node()], &monitor);
        assert_error!(stopped, Error::Stopped);
    }
}
