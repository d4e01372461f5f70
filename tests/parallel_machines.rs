//! P||Cmax against exhaustive search, and the promises every outcome keeps.

use makespan::lattice_dp::{self, DivisorRule, Launches, Partition, Traversal};
use makespan::parallel_machines::{Instance, Method, Options, Schedule, solve};
use makespan::{
    Context, ContextOptions, Control, Engine, Error, Limits, Outcome, Progress, ProgressCallback,
    SolveOptions, Status,
};
use proptest::prelude::*;
use std::sync::Arc;

fn context(threads: usize) -> Context {
    let options =
        ContextOptions { engine: Engine::Cpu, threads: Some(threads), ..ContextOptions::default() };
    Context::new(options).unwrap()
}

fn run(context: &Context, instance: &Instance, method: Method, epsilon: f64) -> Outcome<Schedule> {
    solve(context, instance, &options(method, epsilon), &SolveOptions::default()).unwrap()
}

/// A method, with a precision if it has one.
fn options(method: Method, epsilon: f64) -> Options {
    let default = Options { method, ..Options::default() };
    match method {
        Method::Lpt | Method::Multifit => default,
        _ => Options { epsilon, ..default },
    }
}

/// The least makespan of jobs `job..` on machines with these loads.
fn exhaustive(times: &[u64], loads: &mut [u64]) -> u64 {
    let Some((&time, rest)) = times.split_first() else { return *loads.iter().max().unwrap() };
    let mut best = u64::MAX;
    for machine in 0..loads.len() {
        loads[machine] += time;
        best = best.min(exhaustive(rest, loads));
        loads[machine] -= time;
        if loads[machine] == 0 {
            break; // every further machine is empty, too
        }
    }
    best
}

fn check(instance: &Instance, outcome: &Outcome<Schedule>) {
    let makespan = outcome.solution.as_ref().unwrap().makespan(instance).unwrap() as i64;
    assert_eq!(outcome.objective, Some(makespan));
    assert!(outcome.bound.unwrap() <= makespan);
    assert_eq!(outcome.status == Status::Optimal, outcome.bound == outcome.objective);
}

fn small_instances() -> impl Strategy<Value = Instance> {
    let time = prop_oneof![0u64..4, 1u64..30, 50u64..100, 1u64..1000];
    (proptest::collection::vec(time, 0..=9), 1u32..5)
        .prop_map(|(times, machines)| Instance::new(times, machines).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn bounds_are_sound_and_guarantees_kept(instance in small_instances(), k in 1u32..8) {
        let context = context(1);
        let optimum = exhaustive(instance.times(), &mut vec![0; instance.machines() as usize]) as i64;
        for method in Method::ALL {
            let outcome = run(&context, &instance, method, 1.0 / f64::from(k));
            check(&instance, &outcome);
            let (makespan, bound) = (outcome.objective.unwrap(), outcome.bound.unwrap());
            prop_assert!(bound <= optimum && optimum <= makespan, "{method:?}: {bound} {optimum} {makespan}");
            if method == Method::Exact {
                prop_assert_eq!(outcome.status, Status::Optimal);
            }
            if matches!(method, Method::Ptas | Method::Auto) {
                prop_assert!(makespan * i64::from(k) <= bound * (i64::from(k) + 1), "{method:?}");
            }
            if method != Method::Lpt {
                prop_assert!(makespan * 11 <= optimum * 13 + 11, "MULTIFIT's guarantee");
            }
        }
    }

    #[test]
    fn the_number_of_threads_changes_nothing(times in proptest::collection::vec(20u64..100, 20..36), machines in 4u32..14) {
        let instance = Instance::new(times, machines).unwrap();
        let one = run(&context(1), &instance, Method::Auto, 0.25);
        let three = run(&context(3), &instance, Method::Auto, 0.25);
        check(&instance, &one);
        prop_assert_eq!(one.solution, three.solution);
        prop_assert_eq!(one.bound, three.bound);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn no_certificate_is_beaten_by_another_method(
        times in proptest::collection::vec(prop_oneof![20u64..100, 1u64..400, 97u64..103], 10..40),
        machines in 3u32..12,
        k in 1u32..4,
    ) {
        let instance = Instance::new(times, machines).unwrap();
        let limits = Limits { iterations: Some(40), ..Limits::default() };
        let solve_options = SolveOptions { limits, ..SolveOptions::default() };
        let outcomes: Vec<_> = Method::ALL
            .into_iter()
            .map(|method| {
                let options = options(method, 1.0 / f64::from(k));
                solve(&context(1), &instance, &options, &solve_options).unwrap()
            })
            .collect();
        outcomes.iter().for_each(|outcome| check(&instance, outcome));
        let bound = outcomes.iter().filter_map(|outcome| outcome.bound).max().unwrap();
        let makespan = outcomes.iter().filter_map(|outcome| outcome.objective).min().unwrap();
        prop_assert!(bound <= makespan, "{bound} {makespan}");
    }
}

#[test]
fn extremes() {
    let context = context(1);
    let huge = 1u64 << 62;
    for (times, machines, optimum) in [
        (vec![], 3, 0),
        (vec![0, 0, 0], 2, 0),
        (vec![7], 1, 7),
        (vec![7; 5], u32::MAX, 7),
        (vec![huge, huge - 1], 1, 2 * huge - 1),
        (vec![huge, huge - 1], 2, huge),
        (vec![huge - 1, 1, huge - 1], 2, huge),
    ] {
        let instance = Instance::new(times, machines).unwrap();
        for method in Method::ALL {
            let outcome = run(&context, &instance, method, 0.5);
            check(&instance, &outcome);
            assert_eq!(outcome.objective, Some(optimum as i64), "{instance:?} {method:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn segments_and_traversals_keep_the_guarantee(
        instance in small_instances(),
        k in 1u32..8,
        segments in 1u32..=Options::MAX_SEGMENTS,
        tables in tables(),
    ) {
        let context = context(2);
        let epsilon = 1.0 / f64::from(k);
        let optimum = exhaustive(instance.times(), &mut vec![0; instance.machines() as usize]) as i64;
        let options =
            Options { method: Method::Ptas, epsilon, segments, tables, ..Options::default() };
        let outcome = solve(&context, &instance, &options, &SolveOptions::default()).unwrap();
        check(&instance, &outcome);
        let (makespan, bound) = (outcome.objective.unwrap(), outcome.bound.unwrap());
        prop_assert!(bound <= optimum && optimum <= makespan, "{bound} {optimum} {makespan}");
        prop_assert!(makespan as f64 <= (1.0 + epsilon) * bound as f64 * (1.0 + 1e-12));
        let bisection = run(&context, &instance, Method::Ptas, epsilon);
        prop_assert_eq!(bound, bisection.bound.unwrap());
    }
}

fn tables() -> impl Strategy<Value = lattice_dp::Options> {
    let rule = prop_oneof![Just(DivisorRule::Tabulated), Just(DivisorRule::Printed)];
    let blocks = (proptest::option::of(Partition::DIMENSIONS), rule)
        .prop_map(|(partition, divisors)| lattice_dp::Options::by_blocks(partition, divisors));
    prop_oneof![Just(Traversal::Slabs.into()), Just(Traversal::Levels.into()), blocks]
}

#[test]
fn segments_and_traversals_are_checked() {
    let blocks = |cut| lattice_dp::Options::by_blocks(Some(cut), DivisorRule::Printed);
    for (segments, tables, argument) in [
        (0, Traversal::Slabs.into(), "segments: must be from 1 to 64, not 0"),
        (65, Traversal::Slabs.into(), "segments: must be from 1 to 64, not 65"),
        (1, blocks(2), "partition: must be from 3 to 9, not 2"),
        (1, blocks(10), "partition: must be from 3 to 9, not 10"),
    ] {
        let options = Options { method: Method::Ptas, segments, tables, ..Options::default() };
        let error = solve(&context(1), &hard(), &options, &SolveOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), argument);
    }
}

#[test]
fn the_quarter_split_gives_the_same_on_any_number_of_threads() {
    let instance = hard();
    let options = Options { method: Method::Ptas, epsilon: 0.3, segments: 4, ..Options::default() };
    let [one, two] = [1, 2].map(|threads| {
        solve(&context(threads), &instance, &options, &SolveOptions::default()).unwrap()
    });
    check(&instance, &one);
    assert_eq!((&one.solution, one.bound), (&two.solution, two.bound));
    assert_eq!(one.report.statistics, two.report.statistics);
    assert_eq!(one.bound, run(&context(1), &instance, Method::Ptas, 0.3).bound);
}

#[test]
fn what_a_method_has_not_is_refused() {
    let instance = hard();
    let refused = |options: Options, engine| {
        let solve_options = SolveOptions { engine, ..SolveOptions::default() };
        solve(&context(1), &instance, &options, &solve_options).unwrap_err().to_string()
    };
    let levels: lattice_dp::Options = Traversal::Levels.into();
    let stepwise = lattice_dp::Options { launches: Launches::Stepwise, ..Default::default() };
    for method in Method::ALL.into_iter().filter(|&method| method != Method::Ptas) {
        for (argument, options) in [
            ("segments", Options { method, segments: 4, ..Options::default() }),
            ("traversal", Options { method, tables: levels.clone(), ..Options::default() }),
            ("launches", Options { method, tables: stepwise.clone(), ..Options::default() }),
        ] {
            assert_eq!(refused(options, None), format!("{argument}: applies only to ptas"));
        }
    }
    for method in [Method::Lpt, Method::Multifit] {
        let precise = Options { method, epsilon: 0.1, ..Options::default() };
        assert_eq!(refused(precise, None), "epsilon: applies only to auto, ptas, exact");
        let error = refused(Options { method, ..Options::default() }, Some(Engine::Device));
        assert!(error.contains(&format!("the method {} on a device", method.name())), "{error}");
    }
}

#[test]
fn epsilon_is_checked() {
    let instance = Instance::new(vec![1, 2], 2).unwrap();
    for epsilon in [0.0, -1.0, 1.5, f64::NAN] {
        let options = Options { epsilon, ..Options::default() };
        let error = solve(&context(1), &instance, &options, &SolveOptions::default()).unwrap_err();
        assert!(matches!(*error, Error::InvalidArgument { argument: "epsilon", .. }), "{error}");
    }
}

/// Ninety jobs on thirty machines: tables far beyond any memory at a high precision, and long to
/// fill before.
fn hard() -> Instance {
    let mut state = 1u64;
    let times = (0..90).map(|_| {
        state = state * 16807 % 2147483647;
        500 + state % 500
    });
    Instance::new(times.collect(), 30).unwrap()
}

#[test]
fn a_table_beyond_memory_is_refused_with_its_size() {
    // Three on each machine; their sums are 93, 99, ... 117 and never the average, 112.
    let times = [(43, 16), (37, 15), (31, 14)]
        .into_iter()
        .flat_map(|(time, jobs)| vec![time; jobs])
        .collect();
    let instance = Instance::new(times, 15).unwrap();
    let options = Options { method: Method::Ptas, epsilon: 0.01, ..Options::default() };
    let limits = Limits { memory: Some(1000), ..Limits::default() };
    let solve_options = SolveOptions { limits, ..SolveOptions::default() };
    let error = solve(&context(1), &instance, &options, &solve_options).unwrap_err().to_string();
    assert_eq!(error, "a lattice of 4080 cells needs 4080 bytes, the limit is 1000 bytes");

    let outcome = run(&context(1), &instance, Method::Ptas, 0.01);
    check(&instance, &outcome);
    assert!(outcome.guarantee().unwrap() <= 1.01);
    // `Auto` returns its best schedule instead.
    let options = Options { method: Method::Auto, epsilon: 0.01, ..Options::default() };
    check(&instance, &solve(&context(1), &instance, &options, &solve_options).unwrap());
}

#[test]
fn the_scheme_finds_what_multifit_misses() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/full-shifts-18-jobs.pcmax");
    let instance = Instance::read(file).unwrap();
    let context = context(1);
    let [multifit, scheme] =
        [Method::Multifit, Method::Ptas].map(|method| run(&context, &instance, method, 0.2));
    check(&instance, &scheme);
    assert_eq!(
        (multifit.objective, scheme.objective, scheme.bound),
        (Some(27), Some(25), Some(25))
    );
    assert!(scheme.report.statistics.get("cells").unwrap() > 0);
}

#[test]
fn thousands_of_classes_are_refused_before_they_are_listed() {
    // Every job is a separate class.
    let instance = Instance::new((0..5000).map(|job| 1_000_000 + 7 * job).collect(), 2000).unwrap();
    let limits = Limits { memory: Some(100 << 20), ..Limits::default() };
    let solve_options = SolveOptions { limits, ..SolveOptions::default() };
    for method in [Method::Auto, Method::Ptas] {
        let options = Options { method, epsilon: 0.001, ..Options::default() };
        match solve(&context(1), &instance, &options, &solve_options) {
            Ok(outcome) => check(&instance, &outcome),
            // The box is refused, not the list of its configurations, which would come after it.
            Err(error) => {
                assert_eq!(method, Method::Ptas);
                assert!(error.to_string().starts_with("a lattice of "), "{error}");
            }
        }
    }
}

#[test]
fn the_callback_may_stop_the_configuration_program() {
    let mut state = 5u64;
    let times = (0..200).map(|_| {
        state = state * 48271 % 2147483647;
        1000 + state % 2000
    });
    let instance = Instance::new(times.collect(), 74).unwrap();
    let columns = |limits, progress| {
        let solve_options = SolveOptions { limits, progress, ..SolveOptions::default() };
        let outcome = solve(&context(1), &instance, &Options::default(), &solve_options).unwrap();
        check(&instance, &outcome);
        assert!(outcome.report.interrupted);
        outcome.report.statistics.get("columns").unwrap()
    };
    let first_target = columns(Limits { iterations: Some(1), ..Limits::default() }, None);
    let stop: ProgressCallback = Arc::new(|progress: &Progress| match progress.phase {
        "configuration program" => Control::Stop,
        _ => Control::Continue,
    });
    let stopped = columns(Limits::default(), Some(stop));
    assert!(stopped < first_target, "{stopped} of {first_target} columns");
}

#[test]
fn certified_solving_is_reproducible_without_a_limit_of_time() {
    let instance = hard();
    for (method, iterations) in [(Method::Auto, None), (Method::Exact, Some(5))] {
        let limits = Limits { iterations, ..Limits::default() };
        let solve_options = SolveOptions { limits, seed: 7, ..SolveOptions::default() };
        let options = Options { method, ..Options::default() };
        let [one, two] = [1, 2]
            .map(|threads| solve(&context(threads), &instance, &options, &solve_options).unwrap());
        assert_eq!((one.solution, one.bound), (two.solution, two.bound));
        assert_eq!(one.report.statistics, two.report.statistics);
    }
}

#[test]
fn an_iteration_limit_is_reproducible() {
    let options = Options { method: Method::Ptas, epsilon: 0.3, ..Options::default() };
    let limits = Limits { iterations: Some(2), ..Limits::default() };
    let solve_options = SolveOptions { limits, ..SolveOptions::default() };
    let instance = hard();
    let outcomes: Vec<_> = [1, 2]
        .map(|threads| solve(&context(threads), &instance, &options, &solve_options).unwrap())
        .into();
    assert!(outcomes[0].report.interrupted);
    assert_eq!(outcomes[0].solution, outcomes[1].solution);
    assert_eq!(outcomes[0].bound, outcomes[1].bound);
}
