//! Tests of all methods: results are equal on all engines and with any number of threads.

use proptest::prelude::*;

use crate::flow_shop::testing::{best_by_enumeration, instances};
use crate::flow_shop::{Instance, Method, Options, Permutation, solve};
use crate::opencl::testing::real_test_devices;
use crate::testing::{check_cases, cpu_context, device_context};
use crate::{Context, ContextOptions, Error, Limits, Outcome, SolveOptions, Status};

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
            for context in devices.iter().filter(|_| method.has_kernels()) {
                let found = result(search(context, &instance, method, seed, iterations).unwrap());
                prop_assert_eq!(&expected, &found, "{:?}", method);
            }
        }
        Ok(())
    });
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
