use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;
use crate::flow_shop::exact::checkpoint::Checkpoint;
use crate::flow_shop::exact::cpu;
use crate::flow_shop::exact::keeper::Keeper;
use crate::flow_shop::exact::oracles::{Tree, trees};
use crate::flow_shop::exact::{Bound, Branching, CheckpointOptions};
use crate::flow_shop::incumbent::Best;
use crate::flow_shop::testing::{best_by_enumeration, instances};
use crate::flow_shop::{Instance, Permutation, taillard};
use crate::opencl::testing::test_devices;
use crate::{Context, ContextOptions, Engine, SolveOptions};

/// No sequence is known.
const NONE: Best = Best { makespan: u32::MAX, order: Vec::new() };

fn cpu_context() -> Context {
    let options = ContextOptions { engine: Engine::Cpu, threads: Some(1), ..ContextOptions::default() };
    Context::new(options).unwrap()
}

fn monitor() -> Monitor {
    Monitor::new(&SolveOptions::default())
}

fn never() -> Instant {
    Instant::now() + Duration::from_secs(3600)
}

/// What the CPU does below some nodes.
fn on_cpu(problem: &Problem<'_>, limit: &Limit, mut open: Vec<Open>) -> Counts {
    let monitor = monitor();
    let end = never();
    let slice = Slice { monitor: &monitor, end, counts_iterations: false, keeps_open: true, keeper: None };
    cpu::advance(&cpu_context(), problem, limit, &mut open, &slice).unwrap()
}

/// What devices do below the root; nothing shorter than the problem's limit is found.
fn on_devices(devices: &[&Device], problem: &Problem<'_>) -> Counts {
    let monitor = monitor();
    let limit = Limit::new(NONE, problem.initial_limit);
    let mut search = DeviceSearch::new(devices, problem, vec![problem.root_node()], &monitor).unwrap();
    let counts = search.advance(&limit, &monitor, never()).unwrap();
    assert!(search.is_done() && search.least_bound().unwrap().is_none() && limit.best() == NONE);
    counts
}

/// The search for something shorter than the optimum of one of Taillard's instances.
fn with_tree<T>(name: &str, bound: Bound, branching: Branching, search: impl FnOnce(&Problem<'_>) -> T) -> T {
    let known = taillard::find(name).unwrap();
    search(&Problem::new(&known.instance(), bound, branching, known.upper_bound))
}

fn trees_have_the_known_sizes(device: &Device, trees: impl Iterator<Item = Tree>) {
    for tree in trees {
        let found = tree.with(|problem| on_devices(&[device], problem));
        assert_eq!(found.nodes, tree.nodes, "{tree:?} {}", device.info().name);
    }
}

#[test]
fn small_trees_have_the_known_sizes() {
    for device in test_devices() {
        let most = if device.quirks().simulator { (50, 0) } else { (30_000, 16_000) };
        trees_have_the_known_sizes(&device, trees(most.0, most.1));
    }
}

#[test]
#[ignore = "for a graphics card"]
fn all_trees_have_the_known_sizes() {
    for device in test_devices() {
        trees_have_the_known_sizes(&device, trees(u64::MAX, u64::MAX));
    }
}

#[test]
fn small_searches_equal_the_cpus() {
    for device in test_devices() {
        let cases = if device.quirks().simulator { 6 } else { 60 };
        let rules = (prop::sample::select(&Bound::ALL[..]), prop::sample::select(&Branching::ALL[..]));
        // Long times need wide words.
        let inputs = (instances(7, 3), rules, prop::bool::weighted(0.2));
        TestRunner::new(Config::with_cases(cases))
            .run(&inputs, |(instance, (bound, branching), long)| {
                let factor = if long { 5_000 } else { 1 };
                let times = instance.times().iter().map(|time| time * factor).collect();
                let ready = instance.ready_times().iter().map(|time| time * factor).collect();
                let instance = Instance::new(instance.jobs(), instance.machines(), times)
                    .and_then(|long| long.with_ready_times(ready))
                    .and_then(|long| long.with_pinned(instance.pinned().to_vec()))
                    .unwrap();
                let optimum = best_by_enumeration(&instance);
                let problem = Problem::new(&instance, bound, branching, optimum);
                if problem.root.free_count < 2 {
                    return Ok(());
                }
                let limit = Limit::new(NONE, optimum);
                let expected = on_cpu(&problem, &limit, vec![problem.root_node()]);
                prop_assert_eq!(on_devices(&[&device], &problem), expected);

                let problem = Problem::new(&instance, bound, branching, optimum + 10 * factor);
                let limit = Limit::new(NONE, problem.initial_limit);
                let monitor = monitor();
                let (root, devices) = (vec![problem.root_node()], [&device]);
                let mut search = DeviceSearch::new(&devices, &problem, root, &monitor).unwrap();
                search.advance(&limit, &monitor, never()).unwrap();
                let best = limit.best();
                prop_assert_eq!(best.makespan, optimum);
                let makespan = Permutation::new(best.order).makespan(&instance).unwrap();
                prop_assert_eq!(makespan, u64::from(optimum));
                Ok(())
            })
            .unwrap();
    }
}

#[test]
fn a_search_that_was_stopped_goes_on_elsewhere() {
    for device in test_devices().into_iter().filter(|device| !device.quirks().simulator) {
        with_tree("ta014", Bound::OneMachine, Branching::MinBranch, |problem| {
            let limit = Limit::new(NONE, problem.initial_limit);
            let (monitor, context, devices) = (monitor(), cpu_context(), [&device]);
            let root = vec![problem.root_node()];
            let mut search = DeviceSearch::new(&devices, problem, root, &monitor).unwrap();
            // A handful of rounds each time.
            let mut nodes = 0;
            for _ in 0..2 {
                search.stacks[0].rounds = 3;
                nodes += search.advance(&limit, &monitor, Instant::now()).unwrap().nodes;
            }
            let open = search.open(&context).unwrap();
            assert!(!open.is_empty() && nodes > 0);
            assert_eq!(search.least_bound().unwrap(), open.iter().map(|node| node.bound).min());
            let mut again = DeviceSearch::new(&devices, problem, open.clone(), &monitor).unwrap();
            assert_eq!(again.open(&context).unwrap(), open);
            again.share_nodes().unwrap();
            assert_eq!(again.open(&context).unwrap(), open);
            assert_eq!(nodes + on_cpu(problem, &limit, open).nodes, 19_285);
        });
    }
}

#[test]
fn a_file_that_was_written_in_the_midst_holds_the_rest() {
    for device in test_devices().into_iter().filter(|device| !device.quirks().simulator) {
        with_tree("ta014", Bound::OneMachine, Branching::MinBranch, |problem| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("search");
            let order = (0..20).collect::<Vec<u32>>();
            let makespan = Permutation::new(order.clone()).makespan(problem.instance).unwrap() as u32;
            let limit = Limit::new(Best { makespan, order }, problem.initial_limit);
            let (monitor, context) = (monitor(), cpu_context());
            // Always due.
            let options = CheckpointOptions { interval: Duration::ZERO, ..CheckpointOptions::new(&path) };
            let keeper = Keeper::new(&context, problem, &limit, &options);
            let keeper = Some(&keeper);
            let slice =
                Slice { monitor: &monitor, end: never(), counts_iterations: false, keeps_open: true, keeper };
            let mut open = vec![problem.root_node()];
            let (counts, _) = advance(&context, &[&device], problem, &limit, &mut open, &slice).unwrap();
            assert_eq!((counts.nodes, open.len()), (19_285, 0));
            let kept = Checkpoint::read(problem.instance, &path).unwrap();
            let rest = on_cpu(problem, &limit, kept.open.into_owned());
            assert_eq!(kept.counts.nodes + rest.nodes, 19_285);
        });
    }
}

#[test]
fn devices_share_a_search_and_the_host_takes_nodes_in() {
    for device in test_devices().into_iter().filter(|device| !device.quirks().simulator) {
        with_tree("ta014", Bound::OneMachine, Branching::MaxSum, |problem| {
            let limit = Limit::new(NONE, problem.initial_limit);
            let (monitor, devices) = (monitor(), [&device, &device]);
            let root = vec![problem.root_node()];
            let mut search = DeviceSearch::new(&devices, problem, root, &monitor).unwrap();
            search.stacks.push(Stack::new(&device, problem, &monitor).unwrap());
            for stack in &mut search.stacks {
                stack.shrink(400);
            }
            let mut taken_in = false;
            while !search.is_done() {
                search.stacks.iter_mut().for_each(|stack| stack.rounds = 4);
                search.share_nodes().unwrap();
                taken_in |= !search.waiting.is_empty();
                search.turn(&limit, &monitor).unwrap();
            }
            assert!(taken_in);
            assert!(search.stacks.iter().all(|stack| stack.totals().unwrap()[0] > 1_000));
            assert_eq!(search.count().unwrap().nodes, 29_686);
        });
    }
}

#[test]
fn further_devices_join_a_long_search() {
    for device in test_devices().into_iter().filter(|device| !device.quirks().simulator) {
        with_tree("ta014", Bound::OneMachine, Branching::MaxSum, |problem| {
            let limit = Limit::new(NONE, problem.initial_limit);
            let (monitor, devices) = (monitor(), [&device, &device, &device]);
            let root = vec![problem.root_node()];
            let mut search = DeviceSearch::new(&devices, problem, root, &monitor).unwrap();
            search.stacks[0].shrink(5_000);
            search.start = Instant::now().checked_sub(2 * ALONE).unwrap();
            let counts = search.advance(&limit, &monitor, never()).unwrap();
            assert_eq!((search.stacks.len(), counts.nodes), (3, 29_686));
        });
    }
}

#[test]
fn a_stop_is_seen() {
    for device in test_devices() {
        with_tree("ta003", Bound::OneMachine, Branching::Forward, |problem| {
            let stop = crate::StopHandle::new();
            stop.stop();
            let monitor = Monitor::new(&SolveOptions { stop: Some(stop), ..SolveOptions::default() });
            let limit = Limit::new(NONE, problem.initial_limit);
            let (root, devices) = (vec![problem.root_node()], [&device]);
            let mut search = DeviceSearch::new(&devices, problem, root.clone(), &monitor).unwrap();
            assert_eq!(search.advance(&limit, &monitor, never()).unwrap(), Counts::default());
            assert_eq!(search.open(&cpu_context()).unwrap(), root);
        });
    }
}
