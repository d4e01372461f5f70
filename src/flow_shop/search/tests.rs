//! Tests of all methods: results are equal on all engines and with any number of threads.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use crate::flow_shop::testing::{best_by_enumeration, instances};
use crate::flow_shop::{Instance, Method, Options, Permutation, solve};
use crate::opencl::testing::real_test_devices;
use crate::testing::{check_cases, cpu_context, device_context};
use crate::{
    Context, ContextOptions, DeviceKind, Engine, Error, Limits, Log, LogLevel, Outcome,
    SolveOptions, Status,
};

const SEARCHES: [Method; 4] = [Method::Auto, Method::Beam, Method::IteratedGreedy, Method::Tabu];

/// A context for each device, except simulators, which are too slow for several searches.
fn on_devices() -> Vec<Context> {
    real_test_devices().iter().map(device_context).collect()
}

fn search(
    context: &Context,
    instance: &Instance,
    method: Method,
    seed: u64,
    iterations: u64,
) -> crate::Result<Outcome<Permutation>> {
    let limits = Limits { iterations: Some(iterations), ..Limits::default() };
    let options = Options { method, ..Options::default() };
    solve(context, instance, &options, &SolveOptions { limits, seed, ..SolveOptions::default() })
}

/// The parts of an outcome that must not depend on the engine.
fn result(outcome: Outcome<Permutation>) -> (Status, Option<i64>, Option<i64>, Vec<u32>) {
    (outcome.status, outcome.objective, outcome.bound, outcome.solution.unwrap().jobs().to_vec())
}

#[test]
fn results_depend_on_seed_and_iterations_and_not_on_the_device() {
    let (alone, many, devices) = (cpu_context(1), cpu_context(3), on_devices());
    let inputs = (instances(30, 3), any::<u64>(), 1u64..40);
    check_cases(10, &inputs, |(instance, seed, iterations)| {
        for method in SEARCHES {
            let expected = result(search(&alone, &instance, method, seed, iterations).unwrap());
            let repeated = result(search(&many, &instance, method, seed, iterations).unwrap());
            prop_assert_eq!(&expected, &repeated, "{:?}", method);
            for context in devices.iter().filter(|_| method.has_kernels(true)) {
                let found = result(search(context, &instance, method, seed, iterations).unwrap());
                prop_assert_eq!(&expected, &found, "{:?}", method);
            }
        }
        Ok(())
    });
}

/// Solves of which a device takes part in at least one.
const MOST_SOLVES: usize = 20;

#[test]
fn auto_tries_a_device_in_a_long_search_and_changes_no_result() {
    let times = (0..600).map(|number| 1 + number * 7919 % 99).collect();
    let instance = Instance::new(100, 6, times).unwrap();
    let devices = real_test_devices();
    if devices.is_empty() {
        return;
    }
    // Generations of all trajectories, and passes.
    for (method, iterations) in [(Method::Tabu, 3_000), (Method::Beam, 17)] {
        let solved = |context: &Context, engine, iterations| {
            let limits = Limits { iterations: Some(iterations), ..Limits::default() };
            let mut options = Options { method, ..Options::default() };
            options.search.trajectories = Some(8).filter(|_| method == Method::Tabu);
            let limited = SolveOptions { limits, engine, ..SolveOptions::default() };
            solve(context, &instance, &options, &limited).unwrap()
        };
        let expected = result(solved(&cpu_context(2), None, iterations));
        for device in &devices {
            let context = Context::pretending(device.info().index, DeviceKind::Gpu, 2);
            // The device is open and its kernels are built before auto needs them. How long that
            // takes depends on what else the machine does.
            solved(&context, Some(Engine::Device), 5);
            let takes_part = || {
                let outcome = solved(&context, None, iterations);
                assert_eq!(outcome.report.fallback, None);
                let used = outcome.report.device.is_some();
                assert_eq!(result(outcome), expected, "{method:?}");
                used
            };
            assert!((0..MOST_SOLVES).any(|_| takes_part()), "{method:?}: no device was tried");
        }
    }
}

#[test]
#[ignore = "takes two minutes, and needs an idle machine"]
#[allow(clippy::print_stderr, reason = "shows what it measures")]
fn a_slow_device_costs_a_long_search_little() {
    for device in real_test_devices() {
        let mut too_slow = Vec::new();
        for (method, name) in [(Method::Tabu, "ta081"), (Method::Beam, "ta101")] {
            let instance = Instance::named(name).unwrap();
            let searched = |context: &Context, seconds| {
                let time = Some(Duration::from_secs(seconds));
                let limits = Limits { time, ..Limits::default() };
                let mut options = Options { method, ..Options::default() };
                options.search.trajectories = Some(8).filter(|_| method == Method::Tabu);
                let limited = SolveOptions { limits, ..SolveOptions::default() };
                solve(context, &instance, &options, &limited).unwrap()
            };
            // Children of a pass count at its end, so beams are compared by their sequences.
            let work = |outcome: &Outcome<Permutation>| match method {
                Method::Tabu => outcome.report.statistics.get("iterations").unwrap() as f64,
                _ => 1.0 / outcome.objective.unwrap() as f64,
            };
            for slowness in [1, 10, 100, 1_000] {
                let alone = searched(&cpu_context(2), 8);
                let log = Log::new(LogLevel::Info, Arc::new(|_, message| eprintln!("{message}")));
                let index = device.info().index;
                let context = Context::pretending_with_log(index, DeviceKind::Gpu, 2, log);
                context.chosen_device().spare_self_tests();
                // Builds the kernels.
                assert!((0..60).any(|_| searched(&context, 2).report.device.is_some()));
                context.chosen_device().slow_down(slowness);
                let found = searched(&context, 8);
                let share = work(&found) / work(&alone);
                let (ours, theirs) = (found.report.statistics, alone.report.statistics);
                eprintln!("{slowness} times slower: {share:.3}, {ours:?}, alone {theirs:?}");
                assert!(found.report.device.is_some(), "no device was tried");
                too_slow.extend((share < 0.8).then_some((method, slowness, share)));
            }
        }
        assert!(too_slow.is_empty(), "{too_slow:?}");
    }
}

#[test]
fn the_portfolio_proves_what_is_small() {
    let context = cpu_context(2);
    check_cases(40, &(instances(7, 4), any::<u64>()), |(instance, seed)| {
        let outcome = search(&context, &instance, Method::Auto, seed, 1_000).unwrap();
        prop_assert_eq!(outcome.objective, Some(best_by_enumeration(&instance).into()));
        prop_assert_eq!(outcome.status, Status::Optimal);
        Ok(())
    });
}

#[test]
fn the_portfolio_does_without_what_needs_too_much_memory() {
    // Johnson's orders need more memory.
    let limits = Limits { memory: Some(3_000_000), iterations: Some(1), ..Limits::default() };
    let instance =
        Instance::new(100, 60, (0..6000).map(|number| 1 + number * 7919 % 99).collect()).unwrap();
    let options = SolveOptions { limits, ..SolveOptions::default() };
    let outcome = solve(&cpu_context(1), &instance, &Options::default(), &options).unwrap();
    assert_eq!(outcome.status, Status::Feasible);
}

#[test]
fn a_device_is_not_asked_for_in_vain() {
    let instance = Instance::named("ta001").unwrap();
    for context in on_devices() {
        for method in [Method::IteratedGreedy, Method::Neh] {
            let error = search(&context, &instance, method, 0, 1).unwrap_err();
            assert!(
                matches!(&*error, Error::Unsupported(what) if what.contains(method.name())),
                "{error}"
            );
        }
        let outcome = search(&context, &instance, Method::Beam, 0, 3).unwrap();
        assert!(outcome.report.device.is_some());
    }
    let anything = Context::new(ContextOptions::default()).unwrap();
    let outcome = search(&anything, &instance, Method::IteratedGreedy, 0, 1).unwrap();
    assert_eq!((outcome.report.device, outcome.report.fallback), (None, None));
}
