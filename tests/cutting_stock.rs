//! Cutting stock against exhaustive search, and the promises every outcome keeps.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use makespan::cutting_stock::{Instance, Method, Options, Packing, solve};
use makespan::{
    Context, ContextOptions, Control, Engine, Error, Limits, Outcome, Progress, ProgressCallback,
    SolveOptions, Status, StopHandle,
};
use proptest::prelude::*;

fn context(threads: usize) -> Context {
    let options =
        ContextOptions { engine: Engine::Cpu, threads: Some(threads), ..ContextOptions::default() };
    Context::new(options).unwrap()
}

fn run(context: &Context, instance: &Instance, method: Method) -> Outcome<Packing> {
    solve(context, instance, &method.into(), &SolveOptions::default()).unwrap()
}

/// The fewest bins for these items: every item goes into every bin begun and into a new one.
fn exhaustive(items: &[u64], bins: &mut Vec<u64>, capacity: u64, best: usize) -> usize {
    let Some((&item, rest)) = items.split_first() else { return best.min(bins.len()) };
    if bins.len() >= best {
        return best;
    }
    let mut best = best;
    let mut tried = BTreeSet::new();
    for bin in 0..bins.len() {
        if bins[bin] + item <= capacity && tried.insert(bins[bin]) {
            bins[bin] += item;
            best = exhaustive(rest, bins, capacity, best);
            bins[bin] -= item;
        }
    }
    bins.push(item);
    best = exhaustive(rest, bins, capacity, best);
    bins.pop();
    best
}

fn check(instance: &Instance, outcome: &Outcome<Packing>) {
    let pieces = outcome.solution.as_ref().unwrap().stock_pieces(instance).unwrap() as i64;
    assert_eq!(outcome.objective, Some(pieces));
    assert!(outcome.bound.unwrap() <= pieces);
    assert_eq!(outcome.status == Status::Optimal, outcome.bound == outcome.objective);
}

/// Up to ten items, lengths with repetitions, often about a third or half of the stock length.
fn small_instances() -> impl Strategy<Value = Instance> {
    let length = prop_oneof![1u64..=30, 8u64..=16];
    (prop::collection::vec((length, 0u32..4), 0..6), 30u64..40)
        .prop_filter("few items", |(types, _)| types.iter().map(|item| item.1).sum::<u32>() <= 10)
        .prop_map(|(types, stock_length)| {
            let (lengths, demands) = types.into_iter().unzip();
            Instance::new(lengths, demands, stock_length).unwrap()
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn bounds_are_sound_and_exact_is_exact(instance in small_instances()) {
        let context = context(1);
        let types = instance.lengths().iter().zip(instance.demands());
        let items: Vec<u64> = types.flat_map(|(&length, &demand)| vec![length; demand as usize]).collect();
        let optimum = exhaustive(&items, &mut Vec::new(), instance.stock_length(), items.len()) as i64;
        for method in Method::ALL {
            let outcome = run(&context, &instance, method);
            check(&instance, &outcome);
            let (pieces, bound) = (outcome.objective.unwrap(), outcome.bound.unwrap());
            prop_assert!(bound <= optimum && optimum <= pieces, "{method:?}: {bound} {optimum} {pieces}");
            prop_assert!(method == Method::Ffd || pieces == optimum && bound == optimum, "{method:?}");
            prop_assert!(9 * pieces <= 11 * optimum + 6, "the guarantee of first-fit decreasing");
        }
    }

    #[test]
    fn the_number_of_threads_changes_nothing(
        lengths in prop::collection::vec(20u64..60, 1..8),
        demand in 1u32..5,
    ) {
        let demands = vec![demand; lengths.len()];
        let instance = Instance::new(lengths, demands, 100).unwrap();
        let one = run(&context(1), &instance, Method::Exact);
        let three = run(&context(3), &instance, Method::Exact);
        check(&instance, &one);
        prop_assert_eq!(one.solution, three.solution);
        prop_assert_eq!(one.report.statistics, three.report.statistics);
    }
}

/// 6 pieces by first-fit and best-fit decreasing; the optimum is 5.
fn gap() -> Instance {
    Instance::new(vec![44, 24, 20, 14], vec![4, 6, 4, 6], 100).unwrap()
}

#[test]
fn the_dynamic_program_finds_what_the_heuristics_miss() {
    let context = context(2);
    assert_eq!(run(&context, &gap(), Method::Ffd).objective, Some(6));
    for method in [Method::Auto, Method::Exact] {
        let outcome = run(&context, &gap(), method);
        check(&gap(), &outcome);
        assert_eq!((outcome.objective, outcome.status), (Some(5), Status::Optimal));
        assert_eq!(outcome.report.method, method.name());
        assert_eq!(outcome.report.statistics.get("tables"), Some(1));
        assert_eq!(outcome.report.statistics.get("cells"), Some(5 * 7 * 5 * 7));
    }
}

#[test]
fn a_limit_still_gives_a_packing() {
    let stop = StopHandle::new();
    stop.stop();
    for options in [
        SolveOptions {
            limits: Limits { time: Some(Duration::ZERO), ..Limits::default() },
            ..SolveOptions::default()
        },
        SolveOptions {
            limits: Limits { iterations: Some(0), ..Limits::default() },
            ..SolveOptions::default()
        },
        SolveOptions { stop: Some(stop), ..SolveOptions::default() },
    ] {
        for method in [Method::Auto, Method::Exact] {
            let outcome = solve(&context(1), &gap(), &method.into(), &options).unwrap();
            check(&gap(), &outcome);
            assert!(outcome.report.interrupted && outcome.status == Status::Feasible);
        }
    }
}

#[test]
fn tables_that_are_too_large_are_left_out() {
    let context = context(1);
    let limits = Limits { memory: Some(100), ..Limits::default() };
    let small = SolveOptions { limits, ..SolveOptions::default() };
    // 60 lengths from a quarter to a half of the stock length.
    let many =
        Instance::new((65..125).map(|quarter| 4 * quarter).collect(), vec![7; 60], 1000).unwrap();
    // Beyond the table's 16 bits, but the bound is not met.
    let high =
        Instance::new(vec![44, 24, 20, 14], vec![40_000, 60_000, 40_000, 60_000], 101).unwrap();
    for (instance, message) in [
        (&gap(), "a lattice of 1225 cells needs 1225 bytes, the limit is 100 bytes"),
        (&many, "a lattice of 2^128 or more cells needs"),
        (&high, "needs"),
    ] {
        let solve = |method: Method| solve(&context, instance, &method.into(), &small);
        let [auto, exact] = [Method::Auto, Method::Exact].map(|method| solve(method).unwrap());
        for outcome in [&auto, &exact] {
            check(instance, outcome);
            assert_eq!((outcome.status, outcome.report.interrupted), (Status::Feasible, false));
        }
        assert_eq!((auto.objective, auto.bound), (exact.objective, exact.bound));
        // The other method that could have proved it is too large as well.
        assert!(
            auto.report.warning.unwrap().starts_with("column generation is left out: a basis of ")
        );
        let warning = exact.report.warning.unwrap();
        assert!(
            warning.starts_with("the dynamic program is left out: ") && warning.contains(message),
            "{warning}"
        );
    }
}

#[test]
fn first_fit_decreasing_has_no_kernels() {
    let solve_options = SolveOptions { engine: Some(Engine::Device), ..SolveOptions::default() };
    let error = solve(&context(1), &gap(), &Method::Ffd.into(), &solve_options).unwrap_err();
    assert!(matches!(*error, Error::Unsupported(_)), "{error}");
    assert!(error.to_string().contains("the method ffd on a device"), "{error}");
}

/// Bin packing of `items` items, as hard as random ones come: lengths from a fifth to a half of the
/// stock length.
fn many_lengths(items: u64, seed: u64) -> Instance {
    let mut state = seed;
    let lengths = (0..items).map(|_| {
        state = state * 48271 % 2147483647;
        200 + state % 301
    });
    Instance::new(lengths.collect(), vec![1; items as usize], 1000).unwrap()
}

#[test]
fn column_generation_proves_what_no_table_holds() {
    for seed in 1..=6 {
        let instance = many_lengths(60 + 10 * seed, seed);
        let first_fit = run(&context(1), &instance, Method::Ffd);
        let outcome = run(&context(1), &instance, Method::Auto);
        check(&instance, &outcome);
        assert_eq!(outcome.status, Status::Optimal, "seed {seed}");
        assert_eq!(outcome.report.statistics.get("tables"), Some(0));
        assert!(outcome.objective <= first_fit.objective && outcome.bound >= first_fit.bound);
        let again = run(&context(2), &instance, Method::Auto);
        assert_eq!(again.solution, outcome.solution);
    }
    // Demands far beyond the table's 16 bits.
    let high =
        Instance::new(vec![44, 24, 20, 14], vec![40_000, 60_000, 40_000, 60_000], 101).unwrap();
    let outcome = run(&context(1), &high, Method::Exact);
    check(&high, &outcome);
    assert_eq!(outcome.status, Status::Optimal);
}

/// Pieces cut without waste into `parts` parts each, as random as the generator: the optimum is
/// their number. With `triplets` each part is from a quarter to a half.
fn planted(pieces: i64, stock_length: u64, parts: usize, triplets: bool, seed: u64) -> Instance {
    let mut state = seed;
    let mut below = |end: u64| {
        state = state * 48271 % 2147483647;
        state % end
    };
    let mut lengths = Vec::new();
    while lengths.len() < pieces as usize * parts {
        let mut ends: Vec<u64> =
            (1..parts).map(|_| 1 + below(stock_length - 1)).chain([0, stock_length]).collect();
        ends.sort_unstable();
        let cut: Vec<u64> = ends.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let within =
            !triplets || cut.iter().all(|&part| 4 * part > stock_length && 2 * part < stock_length);
        if within && !cut.contains(&0) {
            lengths.extend(cut);
        }
    }
    let demands = vec![1; lengths.len()];
    Instance::new(lengths, demands, stock_length).unwrap()
}

#[test]
fn packings_without_waste_are_found_among_many_lengths() {
    for (pieces, stock_length, parts, triplets) in [
        (150, 1_000_000, 3, true),
        (100, 9_973, 5, false),
        (60, 1_000_000, 7, false),
        (60, 1 << 30, 3, true),
        // Where pieces of four items would leave too few for the others.
        (140, 20_276, 3, false),
    ] {
        let instance = planted(pieces, stock_length, parts, triplets, 3);
        let first_fit = run(&context(1), &instance, Method::Ffd);
        assert!(first_fit.objective > Some(pieces));
        let outcome = run(&context(2), &instance, Method::Auto);
        check(&instance, &outcome);
        assert_eq!(outcome.status, Status::Optimal, "{stock_length} in {parts}");
        assert_eq!((outcome.objective, outcome.report.warning), (Some(pieces), None));
    }
}

#[test]
fn what_is_not_proved_is_close() {
    let instance = planted(330, 200_000, 3, true, 1);
    let limits = Limits { iterations: Some(1), ..Limits::default() };
    let solve_options = SolveOptions { limits, ..SolveOptions::default() };
    let outcome = solve(&context(2), &instance, &Options::default(), &solve_options).unwrap();
    check(&instance, &outcome);
    assert!(outcome.report.interrupted && outcome.bound == Some(330));
    assert!(run(&context(1), &instance, Method::Ffd).objective > Some(350));
    assert!(outcome.objective < Some(340), "{:?}", outcome.objective);
}

#[test]
fn column_generation_takes_long_stock_and_many_lengths() {
    let mut state = 7;
    let mut drawn = |lengths: usize, shortest: u64, longest: u64, stock_length: u64| {
        let lengths = (0..lengths).map(|_| {
            state = state * 48271 % 2147483647;
            shortest + state % (longest - shortest)
        });
        let lengths: Vec<u64> = lengths.collect();
        Instance::new(lengths.clone(), vec![1; lengths.len()], stock_length).unwrap()
    };
    let (long, many) =
        (drawn(80, 210_000_000, 540_000_000, 1 << 30), drawn(600, 20_000, 70_000, 100_000));
    for (instance, iterations) in [(&long, None), (&many, Some(1))] {
        let limits = Limits { iterations, ..Limits::default() };
        let solve_options = SolveOptions { limits, ..SolveOptions::default() };
        let outcome = solve(&context(2), instance, &Options::default(), &solve_options).unwrap();
        check(instance, &outcome);
        let first_fit = run(&context(1), instance, Method::Ffd);
        assert!(outcome.bound >= first_fit.bound && outcome.objective <= first_fit.objective);
        assert_eq!(
            (outcome.status == Status::Optimal, &outcome.report.warning),
            (iterations.is_none(), &None)
        );
        assert!(outcome.report.statistics.get("columns") > Some(0));
    }
}

#[test]
fn what_is_left_out_is_said() {
    // Each length needs a row of the program.
    let lengths: Vec<u64> = (0..4500).map(|item| 250_000 + 37 * item).collect();
    let instance = Instance::new(lengths, vec![1; 4500], 1_000_000).unwrap();
    let limits = Limits { iterations: Some(9), ..Limits::default() };
    let solve_options = SolveOptions { limits, ..SolveOptions::default() };
    let outcome = solve(&context(2), &instance, &Options::default(), &solve_options).unwrap();
    check(&instance, &outcome);
    assert_eq!(outcome.status, Status::Feasible);
    let warning = outcome.report.warning.unwrap();
    assert!(warning.starts_with("column generation is left out: "), "{warning}");
}

#[test]
fn the_callback_may_stop_column_generation() {
    let lengths: Vec<u64> = (0..200).map(|item| 750 + 8 * item + item % 7).collect();
    let demands = (0..200).map(|item| 1 + item * item % 3).collect();
    let instance = Instance::new(lengths, demands, 5000).unwrap();
    let columns = |limits, progress| {
        let solve_options = SolveOptions { limits, progress, ..SolveOptions::default() };
        let outcome = solve(&context(1), &instance, &Options::default(), &solve_options).unwrap();
        check(&instance, &outcome);
        assert!(outcome.report.interrupted);
        outcome.report.statistics.get("columns").unwrap()
    };
    let whole_program = columns(Limits { iterations: Some(1), ..Limits::default() }, None);
    let stop: ProgressCallback = Arc::new(|progress: &Progress| match progress.phase {
        "columns" => Control::Stop,
        _ => Control::Continue,
    });
    let stopped = columns(Limits::default(), Some(stop));
    assert!(stopped < whole_program, "{stopped} of {whole_program} columns");
}

#[test]
fn extremes() {
    let context = context(1);
    for (lengths, demands, stock_length, pieces) in [
        (vec![], vec![], 1, 0),
        (vec![5, 3], vec![0, 0], 5, 0),
        (vec![u64::MAX / 2], vec![1], u64::MAX, 1),
        (vec![1], vec![u32::MAX], 1, i64::from(u32::MAX)),
        (vec![1; 3], vec![1_000_000_000; 3], 2, 1_500_000_000),
    ] {
        let instance = Instance::new(lengths, demands, stock_length).unwrap();
        for method in Method::ALL {
            let outcome = run(&context, &instance, method);
            check(&instance, &outcome);
            assert_eq!(outcome.objective, Some(pieces));
            assert_eq!(outcome.status, Status::Optimal);
        }
    }
}
