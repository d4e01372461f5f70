use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;
use crate::flow_shop::exact::cpu;
use crate::flow_shop::exact::{Bound, Branching};
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
    let slice = Slice { monitor: &monitor, end: never(), counts_iterations: false, keeps_open: true };
    cpu::advance(&cpu_context(), problem, limit, &mut open, &slice).unwrap()
}

/// What devices do below the root; nothing shorter than the problem's limit is found.
fn on_devices(devices: &[&Device], problem: &Problem<'_>) -> Counts {
    let monitor = monitor();
    let limit = Limit::new(NONE, problem.initial_limit);
    let mut search = DeviceSearch::new(devices, problem, &[problem.root_node()], &monitor).unwrap();
    let counts = search.advance(&limit, &monitor, never()).unwrap();
    assert!(search.is_done() && search.least_bound().unwrap().is_none() && limit.best() == NONE);
    counts
}

/// The search for something shorter than the optimum of one of Taillard's instances.
fn with_tree<T>(name: &str, bound: Bound, branching: Branching, search: impl FnOnce(&Problem<'_>) -> T) -> T {
    let known = taillard::find(name).unwrap();
    search(&Problem::new(&known.instance(), bound, branching, known.upper_bound))
}

#[test]
fn trees_have_the_known_sizes() {
    for device in test_devices() {
        for (name, bound, branching, expected) in [
            ("ta003", Bound::OneMachine, Branching::MaxSum, 43),
            ("ta003", Bound::OneMachine, Branching::MinBranch, 28),
            ("ta003", Bound::OneMachine, Branching::MinMin, 28),
            ("ta014", Bound::OneMachine, Branching::MinMin, 17_394),
            ("ta014", Bound::OneMachine, Branching::MaxSum, 29_686),
            ("ta014", Bound::TwoMachine, Branching::MinMin, 11_727),
            ("ta014", Bound::Refined, Branching::MinBranch, 15_262),
        ] {
            if expected > 50 && device.quirks().simulator {
                continue;
            }
            let found = with_tree(name, bound, branching, |problem| on_devices(&[&device], problem));
            assert_eq!(found.nodes, expected, "{name} {bound:?} {branching:?} {}", device.info().name);
        }
    }
}

/// Every row of the published sizes.
#[test]
#[ignore = "for a graphics card"]
fn large_trees_have_the_known_sizes() {
    use Bound::{OneMachine, Refined, TwoMachine};
    use Branching::{Forward, MaxSum, MinBranch, MinMin};
    for device in test_devices() {
        for (name, bound, branching, expected) in [
            ("ta003", OneMachine, Forward, 2_567_445),
            ("ta011", OneMachine, Forward, 6_703_747),
            ("ta014", OneMachine, Forward, 2_571_005),
            ("ta016", OneMachine, Forward, 10_714_215),
            ("ta011", OneMachine, MaxSum, 177_130),
            ("ta011", OneMachine, MinBranch, 150_679),
            ("ta011", OneMachine, MinMin, 156_874),
            ("ta014", OneMachine, MinBranch, 19_285),
            ("ta016", OneMachine, MaxSum, 1_477),
            ("ta016", OneMachine, MinBranch, 1_509),
            ("ta016", OneMachine, MinMin, 1_729),
            ("ta020", OneMachine, MaxSum, 348_401),
            ("ta020", OneMachine, MinBranch, 268_813),
            ("ta020", OneMachine, MinMin, 288_358),
            ("ta030", OneMachine, MaxSum, 3_045_578),
            ("ta030", OneMachine, MinBranch, 2_415_747),
            ("ta030", OneMachine, MinMin, 2_742_969),
            ("ta041", OneMachine, MinBranch, 16_419),
            ("ta041", OneMachine, MinMin, 18_993),
            ("ta050", OneMachine, MaxSum, 2_211_186),
            ("ta050", OneMachine, MinBranch, 2_129_065),
            ("ta050", OneMachine, MinMin, 2_317_088),
            ("ta028", OneMachine, MinBranch, 12_869_872),
            ("ta029", OneMachine, MinBranch, 12_233_363),
            ("ta022", OneMachine, MinBranch, 45_955_935),
            ("ta003", TwoMachine, Forward, 80_063),
            ("ta014", TwoMachine, Forward, 144_640),
            ("ta016", TwoMachine, Forward, 2_646_206),
            ("ta011", TwoMachine, MinBranch, 72_131),
            ("ta014", TwoMachine, MinBranch, 15_101),
            ("ta014", TwoMachine, MaxSum, 23_244),
            ("ta016", TwoMachine, MinBranch, 1_130),
            ("ta020", TwoMachine, MinBranch, 118_865),
            ("ta014", Refined, MinMin, 13_468),
            ("ta020", Refined, MinBranch, 140_192),
        ] {
            let found = with_tree(name, bound, branching, |problem| on_devices(&[&device], problem));
            assert_eq!(found.nodes, expected, "{name} {bound:?} {branching:?} {}", device.info().name);
        }
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
                let mut search =
                    DeviceSearch::new(&[&device], &problem, &[problem.root_node()], &monitor).unwrap();
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
            let monitor = monitor();
            let mut search =
                DeviceSearch::new(&[&device], problem, &[problem.root_node()], &monitor).unwrap();
            // A handful of rounds each time.
            let mut nodes = 0;
            for _ in 0..2 {
                search.rounds = 3;
                nodes += search.advance(&limit, &monitor, Instant::now()).unwrap().nodes;
                search.rounds = 3;
                search.turn(&limit, &monitor).unwrap();
            }
            nodes += search.count().unwrap().nodes;
            let open = search.open().unwrap();
            assert!(!open.is_empty() && nodes > 0);
            assert_eq!(search.least_bound().unwrap(), open.iter().map(|node| node.bound).min());
            let again = DeviceSearch::new(&[&device], problem, &open, &monitor).unwrap();
            assert_eq!(again.open().unwrap(), open);
            assert_eq!(nodes + on_cpu(problem, &limit, open).nodes, 19_285);
        });
    }
}

#[test]
fn devices_share_a_search_and_the_host_takes_nodes_in() {
    for device in test_devices().into_iter().filter(|device| !device.quirks().simulator) {
        with_tree("ta014", Bound::OneMachine, Branching::MaxSum, |problem| {
            let limit = Limit::new(NONE, problem.initial_limit);
            let monitor = monitor();
            let root = [problem.root_node()];
            let mut search = DeviceSearch::new(&[&device, &device], problem, &root, &monitor).unwrap();
            for stack in &mut search.stacks {
                stack.shrink(500);
            }
            let mut taken_in = false;
            while !search.is_done() {
                search.rounds = 4;
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
fn a_stop_is_seen() {
    for device in test_devices() {
        with_tree("ta003", Bound::OneMachine, Branching::Forward, |problem| {
            let stop = crate::StopHandle::new();
            stop.stop();
            let monitor = Monitor::new(&SolveOptions { stop: Some(stop), ..SolveOptions::default() });
            let limit = Limit::new(NONE, problem.initial_limit);
            let mut search =
                DeviceSearch::new(&[&device], problem, &[problem.root_node()], &monitor).unwrap();
            assert_eq!(search.advance(&limit, &monitor, never()).unwrap(), Counts::default());
            assert_eq!(search.open().unwrap(), [problem.root_node()]);
        });
    }
}
