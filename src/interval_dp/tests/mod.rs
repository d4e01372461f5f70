//! Tests of the methods against the definition and against each other.

mod real;

use std::sync::Arc;

use proptest::prelude::*;

use super::magnitude::Magnitude;
use super::testing::{brute_force, by_definition, instances};
use super::*;
use crate::random::Random;
use crate::simd::Simd;
use crate::testing::{assert_error, cpu_context, stopped};
use crate::{Control, Limits, Progress, Status};

fn run<V: Number>(instance: &Instance<V>, options: &Options) -> Outcome<Solution<V>, V> {
    solve(&cpu_context(2), instance, options, &SolveOptions::default()).unwrap()
}

fn with(method: Method) -> Options {
    Options { method, ..Options::default() }
}

fn all_cells(points: usize) -> Vec<(usize, usize)> {
    (0..points).flat_map(|i| (i + 1..points).map(move |j| (i, j))).collect()
}

#[test]
fn the_textbook_examples() {
    let chain = Instance::matrix_chain(vec![30i64, 35, 15, 5, 10, 20, 25]).unwrap();
    for method in [Method::Auto, Method::HuShing, Method::Cubic, Method::Serial] {
        let outcome = run(&chain, &Options { cells: vec![(1, 5), (0, 1)], ..with(method) });
        assert_eq!((outcome.status, outcome.objective), (Status::Optimal, Some(15_125)));
        let solution = outcome.solution.unwrap();
        assert_eq!(solution.cells, [7125, 0]);
        assert_eq!(solution.tree.unwrap().parenthesisation(), "((A1 (A2 A3)) ((A4 A5) A6))");
    }
    // Knuth's weighted path length does not count the gaps' own comparisons: 0.4 less than Cormen
    // et al.'s 2.75.
    let tree = Instance::search_tree(
        &[0.15, 0.10, 0.05, 0.10, 0.20],
        &[0.05, 0.10, 0.05, 0.05, 0.05, 0.10],
    )
    .unwrap();
    for method in [Method::Auto, Method::Cubic] {
        let outcome = run(&tree, &with(method));
        assert!((outcome.objective.unwrap() - 2.35).abs() < 1e-12);
        assert!(outcome.objective.unwrap() - outcome.bound.unwrap() < 1e-12);
        assert_eq!(outcome.solution.unwrap().tree.unwrap().nodes()[0].split, 2);
    }
}

#[test]
fn the_smallest_instances() {
    for method in [Method::Auto, Method::HuShing, Method::Cubic, Method::Serial] {
        let one = run(&Instance::matrix_chain(vec![3i64, 4]).unwrap(), &with(method));
        assert_eq!((one.status, one.objective), (Status::Optimal, Some(0)));
        assert_eq!(one.solution.unwrap().tree.unwrap().parenthesisation(), "A1");
        let two = run(&Instance::matrix_chain(vec![3i64, 4, 5]).unwrap(), &with(method));
        assert_eq!(two.objective, Some(60));
    }
    // A single matrix, and one that is long in only one dimension, cost far less than the product
    // of dimensions.
    for (dimensions, cost) in [(vec![i64::MAX, i64::MAX], 0), (vec![1, 1, 1 << 40], 1 << 40)] {
        let chain = Instance::matrix_chain(dimensions).unwrap();
        for method in [Method::Auto, Method::HuShing, Method::Cubic, Method::Serial] {
            let outcome = run(&chain, &with(method));
            assert_eq!((outcome.status, outcome.objective), (Status::Optimal, Some(cost)));
        }
    }
    for method in [Method::Auto, Method::Knuth, Method::Cubic] {
        let empty = run(&Instance::search_tree(&[], &[7i64]).unwrap(), &with(method));
        assert_eq!(empty.objective, Some(0));
    }
    let square =
        Instance::triangulation_by_edges(4, |i, j| if j - i == 2 { 3 + i as i64 } else { 2 })
            .unwrap();
    assert_eq!(run(&square, &Options::default()).objective, Some(8 + 2 * 3));
}

#[test]
fn what_a_method_is_not_for_is_said() {
    let refusal = |instance: &Instance<i64>, options: &Options| {
        solve(&cpu_context(1), instance, options, &SolveOptions::default())
            .err()
            .unwrap()
            .to_string()
    };
    let chain = Instance::matrix_chain(vec![2i64; 5]).unwrap();
    assert!(refusal(&chain, &with(Method::Knuth)).contains("without split costs"));
    let tree = Instance::search_tree(&[1i64; 3], &[1; 4]).unwrap();
    assert!(refusal(&tree, &with(Method::HuShing)).contains("products of positive whole numbers"));
    let rough = CellCost::Table(vec![0, 1, 9, 0, 1, 0]);
    let rough = Instance::custom(Semiring::MinPlus, vec![0i64; 3], rough, SplitCost::None).unwrap();
    assert!(
        run(&rough, &Options::default()).report.method == "cubic"
            || run(&rough, &with(Method::Knuth)).objective.is_some()
    );
    let falling = CellCost::Table(vec![0, 5, 1, 0, 5, 0]);
    let falling =
        Instance::custom(Semiring::MinPlus, vec![0i64; 3], falling, SplitCost::None).unwrap();
    assert!(refusal(&falling, &with(Method::Knuth)).contains("quadrangle"));
    // Obeys the inequality, but might not after rounding.
    let squares =
        (0..5).flat_map(|i| (i + 1..5).map(move |j| f64::from((j - i) * (j - i)) * 0.1 + 0.05));
    let squares = CellCost::Table(squares.collect());
    let squares =
        Instance::custom(Semiring::MinPlus, vec![0.0; 4], squares, SplitCost::None).unwrap();
    assert_eq!(run(&squares, &Options::default()).report.method, "cubic");
    let error = solve(&cpu_context(1), &squares, &with(Method::Knuth), &SolveOptions::default())
        .unwrap_err();
    assert!(error.to_string().contains("a table of real numbers"));
    let cells = Options { cells: vec![(0, 1), (2, 2)], ..Options::default() };
    assert_eq!(refusal(&chain, &cells), "cells[1]: there is no cell (2, 2): it needs 2 < 2 < 5");
    let huge = Instance::matrix_chain(vec![4_000_000i64; 5]).unwrap();
    assert!(refusal(&huge, &Options::default()).contains("does not fit into 63 bits"));
    assert!(refusal(&huge, &with(Method::Cubic)).contains("does not fit into 63 bits"));
}

#[test]
fn limits_end_every_method() {
    let dimensions: Vec<i64> = (0..3000).map(|i| 1 + i * 7919 % 97).collect();
    let chain = Instance::matrix_chain(dimensions).unwrap();
    let tree = Instance::search_tree(&[1i64; 3000], &[1; 3001]).unwrap();
    let stopped = stopped();
    for (instance, method) in [
        (&chain, Method::HuShing),
        (&chain, Method::Cubic),
        (&chain, Method::Serial),
        (&chain, Method::Pipeline),
        (&tree, Method::Knuth),
        (&tree, Method::Auto),
    ] {
        let outcome = solve(&cpu_context(2), instance, &with(method), &stopped).unwrap();
        assert_eq!(
            (outcome.status, outcome.report.interrupted),
            (Status::Feasible, true),
            "{method:?}"
        );
        let tree = outcome.solution.unwrap().tree.unwrap();
        assert_eq!(outcome.objective, Some(instance.evaluate(&tree).unwrap()));
        let cells = Options { cells: vec![(0, 2)], ..with(method) };
        let outcome = solve(&cpu_context(2), instance, &cells, &stopped).unwrap();
        assert_eq!((outcome.status, outcome.objective), (Status::Stopped, None), "{method:?}");
    }
    let memory = |bytes| Limits { memory: Some(bytes), ..Limits::default() };
    for method in [Method::HuShing, Method::Cubic, Method::Serial, Method::Pipeline] {
        let options = SolveOptions { limits: memory(1 << 18), ..SolveOptions::default() };
        let result = solve(&cpu_context(1), &chain, &with(method), &options);
        assert_error!(result, Error::OutOfMemory { .. }, "{method:?}");
    }
}

#[test]
fn hu_and_shings_algorithm_reports_and_hears_the_answer() {
    let dimensions: Vec<i64> = (0..100_000).map(|i| 1 + i * 7919 % 97).collect();
    let chain = Instance::matrix_chain(dimensions).unwrap();
    let caller = std::thread::current().id();
    let stop = move |progress: &Progress| {
        // The last report comes after the stop.
        assert!(["hu-shing", "end"].contains(&progress.phase), "{}", progress.phase);
        assert_eq!(std::thread::current().id(), caller);
        Control::Stop
    };
    let options = SolveOptions { progress: Some(Arc::new(stop)), ..SolveOptions::default() };
    let outcome = solve(&cpu_context(2), &chain, &with(Method::HuShing), &options).unwrap();
    // A balanced tree follows only if this machine computes its cost within some milliseconds.
    assert!(outcome.report.interrupted && outcome.status != Status::Optimal);
}

#[test]
fn real_numbers_have_bounds() {
    let mut random = Random::new(1);
    let mut draw = || 16.0 * random.unit() + 0.01;
    let dimensions: Vec<f64> = (0..150).map(|_| draw()).collect();
    let chain = Instance::matrix_chain(dimensions).unwrap();
    let exact = run(&chain, &Options::default());
    for cell_type in [CellType::F32, CellType::F64] {
        let outcome = run(&chain, &Options { cell_type: Some(cell_type), ..with(Method::Cubic) });
        let (objective, bound) = (outcome.objective.unwrap(), outcome.bound.unwrap());
        assert!(bound <= exact.objective.unwrap() && exact.bound.unwrap() <= objective);
        assert!(
            (objective - bound) / objective < if cell_type == CellType::F32 { 1e-3 } else { 1e-11 }
        );
    }
    let (keys, gaps): (Vec<_>, Vec<_>) =
        ((0..200).map(|_| draw()).collect(), (0..201).map(|_| draw()).collect());
    let tree = Instance::search_tree(&keys, &gaps).unwrap();
    let (knuth, cubic) = (run(&tree, &with(Method::Knuth)), run(&tree, &with(Method::Cubic)));
    assert!((knuth.objective.unwrap() / cubic.objective.unwrap() - 1.0).abs() < 1e-12);
    assert!(knuth.bound.unwrap() <= cubic.objective.unwrap());
    assert!(knuth.bound.unwrap() > cubic.objective.unwrap() * (1.0 - 1e-9));
}

#[test]
fn auto_takes_knuths_bound_or_the_tiles_with_the_same_solution() {
    for keys in [0, 1, 63, 300, 900] {
        let keys: Vec<i64> = (0..keys).map(|key| key * 7919 % 31).collect();
        let tree = Instance::search_tree(&keys, &vec![1; keys.len() + 1]).unwrap();
        let expected = run(&tree, &with(Method::Knuth));
        for threads in [1, 16] {
            let (context, options) = (cpu_context(threads), SolveOptions::default());
            let found = solve(&context, &tree, &with(Method::Auto), &options).unwrap();
            assert!(["knuth", "cubic"].contains(&found.report.method));
            assert!(found.report.statistics.get("relaxations").is_some());
            assert_eq!(found.objective, expected.objective);
            assert_eq!(found.solution, expected.solution);
        }
    }
}

/// Not a test: `cargo test --release --lib rates_by_instruction_set -- --ignored --nocapture`
/// prints the rate of one core in the loops of each instruction set.
#[test]
#[ignore = "a measurement"]
#[allow(clippy::print_stdout, reason = "it prints")]
fn rates_by_instruction_set() {
    let points = 4001;
    let factors = (0..points).map(|i| 1 + i * 7919 % 40).collect();
    let chain = Instance::matrix_chain(factors).unwrap();
    let leaves = (1..points).map(|i| i * 7919 % 40).collect();
    let plain =
        Instance::custom(Semiring::MinPlus, leaves, CellCost::None, SplitCost::None).unwrap();
    let context = cpu_context(1);
    // Without hardware support for fused multiply-add, chains of real numbers take minutes.
    for simd in blocks::forced::all().into_iter().filter(|&simd| simd != Simd::Baseline) {
        let _forced = blocks::forced::Force::new(simd);
        for cell_type in [CellType::I32, CellType::F32, CellType::F64, CellType::I64] {
            for (form, instance) in [("(min,+)", &plain), ("chain", &chain)] {
                let options = Options { cell_type: Some(cell_type), ..with(Method::Cubic) };
                let solve =
                    |_| solve(&context, instance, &options, &SolveOptions::default()).unwrap();
                let seconds = (0..3).map(solve).map(|outcome| outcome.report.seconds);
                let rate = instance.relaxations() as f64 / seconds.fold(f64::INFINITY, f64::min);
                println!("{simd:?} {form} {cell_type}: {:.1}e9 relaxations/s", rate / 1e9);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_tiles_agree_with_the_definition(instance in instances(2..200usize)) {
        let expected = by_definition(&instance);
        let cells = all_cells(instance.points());
        let values: Vec<i64> = cells.iter().map(|&(i, j)| expected[i][j]).collect();
        for method in [Method::Cubic, Method::Serial] {
            let options = Options { cells: cells.clone(), ..with(method) };
            let outcome = run(&instance, &options);
            let solution = outcome.solution.unwrap();
            prop_assert_eq!(&solution.cells, &values, "{:?}", method);
            prop_assert_eq!(outcome.status, Status::Optimal);
            prop_assert_eq!(solution.tree.is_some(), instance.semiring().selects());
        }
    }

    #[test]
    fn every_type_and_instruction_set_finds_the_same(instance in instances(2..150usize)) {
        let bitwise = instance.semiring() == Semiring::OrAnd;
        let expected = run(&instance, &with(Method::Serial));
        for simd in blocks::forced::all() {
            let _forced = blocks::forced::Force::new(simd);
            for cell_type in [CellType::I32, CellType::I64, CellType::F32, CellType::F64] {
                // Single precision may round large values to another tree.
                if cell_type.is_float() && (bitwise || !Magnitude::of(&instance).is_exact(cell_type)) {
                    continue;
                }
                let outcome = run(&instance, &Options { cell_type: Some(cell_type), ..with(Method::Cubic) });
                prop_assert_eq!(outcome.objective, expected.objective);
                prop_assert_eq!(
                    outcome.solution.unwrap().tree, expected.solution.clone().unwrap().tree, "{:?}", cell_type
                );
            }
        }
    }

    #[test]
    fn no_tree_is_better(instance in instances(2..9usize)) {
        if instance.semiring().selects() {
            let outcome = run(&instance, &with(Method::Cubic));
            prop_assert_eq!(outcome.objective, Some(brute_force(&instance)));
        }
    }

    #[test]
    fn hu_and_shing_agree(dimensions in proptest::collection::vec(1i64..12, 2..60)) {
        let chain = Instance::matrix_chain(dimensions).unwrap();
        let cells = all_cells(chain.points());
        let options = |method| Options { cells: cells.clone(), ..with(method) };
        let (fast, cubic) = (run(&chain, &options(Method::HuShing)), run(&chain, &options(Method::Cubic)));
        prop_assert_eq!(fast.objective, cubic.objective);
        prop_assert_eq!(fast.solution.unwrap().cells, cubic.solution.unwrap().cells);
    }

    #[test]
    fn hu_and_shing_agree_on_large_weights(dimensions in proptest::collection::vec(1i64..2000, 2..200)) {
        let chain = Instance::matrix_chain(dimensions).unwrap();
        prop_assert_eq!(run(&chain, &with(Method::HuShing)).objective, run(&chain, &with(Method::Cubic)).objective);
    }

    #[test]
    fn knuth_agrees(
        keys in proptest::collection::vec(0i64..20, 0..90),
        last in 0i64..20,
    ) {
        let mut gaps: Vec<i64> = keys.iter().map(|key| (key * 7 + 3) % 11).collect();
        gaps.push(last);
        let tree = Instance::search_tree(&keys, &gaps).unwrap();
        let cells = all_cells(tree.points());
        let options = |method| Options { cells: cells.clone(), ..with(method) };
        let (fast, cubic) = (run(&tree, &options(Method::Knuth)), run(&tree, &options(Method::Cubic)));
        prop_assert_eq!(fast.objective, cubic.objective);
        let (fast, cubic) = (fast.solution.unwrap(), cubic.solution.unwrap());
        prop_assert_eq!(fast.cells, cubic.cells);
        prop_assert_eq!(fast.tree, cubic.tree);
    }
}

proptest! {
    // Ten leaves have 4,862 trees.
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn no_larger_tree_is_better(instance in instances(9..12usize)) {
        if instance.semiring().selects() {
            let expected = Some(brute_force(&instance));
            for method in [Method::Auto, Method::Cubic] {
                prop_assert_eq!(run(&instance, &with(method)).objective, expected);
            }
        }
    }

    #[test]
    fn no_larger_triangulation_is_better(dimensions in proptest::collection::vec(1i64..50, 9..12)) {
        let chain = Instance::matrix_chain(dimensions).unwrap();
        let expected = Some(brute_force(&chain));
        for method in [Method::HuShing, Method::Cubic] {
            prop_assert_eq!(run(&chain, &with(method)).objective, expected);
        }
    }
}

#[test]
fn whole_numbers_beyond_53_bits_stay_whole() {
    let keys = [5421, 1055547990, 841376555078, 4354139179660007763];
    let gaps = [354076, 1100477, 451975, 769514, 578331993];
    let tree = Instance::search_tree(&keys, &gaps).unwrap();
    let points = tree.points();
    // The recurrence in wider integers.
    let mut values = vec![vec![0i128; points]; points];
    for length in 1..points {
        for i in 0..points - length {
            let j = i + length;
            let split = (i + 1..j).map(|k| values[i][k] + values[k][j]).min();
            let weight = tree.weight(i, j).map_or(0, i128::from);
            values[i][j] = split.map_or(i128::from(tree.leaves()[i]), |split| split + weight);
        }
    }
    let cells = all_cells(points);
    for method in [Method::Auto, Method::Knuth] {
        let outcome = run(&tree, &Options { cells: cells.clone(), ..with(method) });
        let solution = outcome.solution.unwrap();
        assert_eq!((outcome.status, solution.cell_type), (Status::Optimal, CellType::I64));
        for (&(i, j), &value) in cells.iter().zip(&solution.cells) {
            assert_eq!(i128::from(value), values[i][j], "cell ({i}, {j})");
        }
    }
    // Twice the cost of the best tree exceeds 63 bits.
    let keys = keys.map(|key| key + key / 2);
    let tree = Instance::search_tree(&keys, &gaps).unwrap();
    let refused = solve(&cpu_context(1), &tree, &Options::default(), &SolveOptions::default());
    assert_error!(refused, Error::Overflow { .. });
}

#[test]
fn methods_with_cells_of_their_own_take_no_type() {
    let chain = Instance::matrix_chain((1..9).collect::<Vec<i64>>()).unwrap();
    let tree = Instance::search_tree(&[3i64, 1, 2], &[0, 0, 0, 0]).unwrap();
    for (instance, method) in [(&chain, Method::HuShing), (&tree, Method::Knuth)] {
        let options = Options { cell_type: Some(CellType::I64), ..with(method) };
        let refused =
            solve(&cpu_context(1), instance, &options, &SolveOptions::default()).unwrap_err();
        assert!(
            matches!(*refused, Error::InvalidArgument { argument: "cell_type", .. }),
            "{refused}"
        );
    }
}

#[test]
fn cells_of_rounded_tables_are_within_their_error() {
    // Whole doubles whose sums are not exact.
    let draw = |seed: i64, count: i64| -> Vec<i64> {
        (0..count)
            .map(|item| {
                (1 << 51) - (item * 7_919_919_881 + seed) % 1_000_003 * 2_147_483_647 - item
            })
            .collect()
    };
    let (keys, gaps) = (draw(1, 30), draw(2, 31));
    let whole = Instance::search_tree(&keys, &gaps).unwrap();
    let expected = by_definition(&whole);
    let real = |list: &[i64]| list.iter().map(|&value| value as f64).collect::<Vec<_>>();
    let rounded = Instance::search_tree(&real(&keys), &real(&gaps)).unwrap();
    let cells = all_cells(whole.points());
    let f32 = Some(CellType::F32);
    for (method, cell_type) in [(Method::Knuth, None), (Method::Cubic, None), (Method::Serial, f32)]
    {
        let options = Options { cells: cells.clone(), cell_type, ..with(method) };
        let solution = run(&rounded, &options).solution.unwrap();
        let (error, last) = (
            solution.cell_error,
            solution.cells.iter().fold(0.0, |most, &cell| f64::max(most, cell)),
        );
        let precision = if cell_type.is_none() { 1e-12 } else { 1e-3 };
        assert!(error > 0.0 && error < precision * last, "{method:?}: {error} of {last}");
        let mut exact = 0;
        for (&(i, j), &value) in cells.iter().zip(&solution.cells) {
            let difference = (value as i128 - i128::from(expected[i][j])).abs();
            assert!(
                difference as f64 <= error,
                "{method:?}: cell ({i}, {j}) by {difference}, error {error}"
            );
            exact += usize::from(difference == 0);
        }
        assert!(exact < cells.len(), "{method:?} rounds nothing");
        let solution =
            run(&whole, &Options { cells: cells.clone(), ..with(method) }).solution.unwrap();
        assert_eq!(solution.cell_error, 0.0);
    }
}
