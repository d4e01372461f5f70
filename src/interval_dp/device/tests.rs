use std::sync::Arc;
use std::time::Instant;

use proptest::prelude::*;

use super::*;
use crate::interval_dp::testing::{instance, instances};
use crate::interval_dp::view::View;
use crate::interval_dp::{
    self, CellCost, Expression, Instance, Method, Options, Semiring, SplitCost, serial,
};
use crate::opencl::DeviceKind;
use crate::opencl::testing::{real_test_devices, test_devices};
use crate::random::Random;
use crate::solve::Statistics;
use crate::testing::{assert_error, check_cases, device_context, refusal};
use crate::{Context, ContextOptions, Engine, Error, Outcome, SolveOptions, Status};

fn cells(points: usize) -> Vec<(usize, usize)> {
    (0..points)
        .flat_map(|i| (i + 1..points).step_by(1 + points / 40).map(move |j| (i, j)))
        .collect()
}

/// Solves in the given tiles.
fn solve_in(
    device: &Device,
    request: &Request<'_>,
    cell_type: CellType,
    tiling: Tiling,
    monitor: &Monitor,
) -> Result<Values<Value>> {
    let instance = device_instance(&request.view, cell_type, tiling.tile)?;
    solve_tiled(None, device, request, &*instance, tiling, monitor)
}

/// Solves on the device, in its own tiles or the given ones, and compares values and trees with the
/// recurrence as defined.
fn compare(device: &Device, instance: &Instance<i64>, cell_type: CellType, tiling: Option<Tiling>) {
    if cell_type == CellType::F64 && !device.info().has_double_precision() {
        return;
    }
    let monitor = Monitor::new(&SolveOptions::default());
    let wanted = cells(instance.points());
    let request = Request::new(instance, &wanted);
    let found = match tiling {
        None => solve(None, device, &request, cell_type, &monitor),
        Some(tiling) => solve_in(device, &request, cell_type, tiling, &monitor),
    };
    let found = found.unwrap();
    let expected = serial::solve(&request, cell_type, &monitor).unwrap();
    assert_eq!(found.value, expected.value);
    assert_eq!(found.cells, expected.cells);
    assert_eq!(found.tree, expected.tree);
}

const SMALL: Tiling = Tiling { tile: 8, block: 2, panel: 4 };

#[test]
fn small_tiles_equal_the_recurrence() {
    for device in test_devices() {
        let (cases, most) = if device.quirks().simulator { (3, 30) } else { (12, 90usize) };
        let types = prop_oneof![
            Just(CellType::I32),
            Just(CellType::I64),
            Just(CellType::F32),
            Just(CellType::F64)
        ];
        check_cases(cases, &(instances(2..most), types), |(instance, cell_type)| {
            let bitwise = instance.semiring() == Semiring::OrAnd;
            let cell_type = if bitwise { CellType::I32 } else { cell_type };
            compare(&device, &instance, cell_type, Some(SMALL));
            Ok(())
        });
    }
}

#[test]
fn sixteen_bits_equal_the_recurrence() {
    for device in test_devices() {
        let points = if device.quirks().simulator { 20 } else { 300 };
        let tiling = device.quirks().simulator.then_some(SMALL);
        for semiring in [Semiring::MinPlus, Semiring::MaxPlus, Semiring::MaxMin] {
            let leaves: Vec<i64> = (0..points - 1).map(|leaf| leaf * 7919 % 83).collect();
            let row = vec![0; points as usize];
            let column: Vec<i64> = (0..points).map(|j| j * 104_729 % 19).collect();
            let costs = CellCost::Separable { row, column };
            let instance = Instance::custom(semiring, leaves, costs, SplitCost::None).unwrap();
            compare(&device, &instance, CellType::U16, tiling);
        }
    }
}

#[test]
fn whole_tiles_equal_the_recurrence() {
    for device in real_test_devices() {
        for (points, seed) in [(2, 1), (129, 3), (400, 4)] {
            for split_cost in 0..3 {
                for cell_type in [CellType::I32, CellType::I64, CellType::F64] {
                    let instance = instance(points, Semiring::MinPlus, 1, split_cost, seed);
                    compare(&device, &instance, cell_type, None);
                }
            }
        }
    }
}

/// Forms of the kernels that have crashed a compiler; `Quirks` describes the fault.
#[test]
fn forms_that_crashed_a_compiler_equal_the_recurrence() {
    let numbers = |len: i64, most| (0..len).map(|i| 1 + i * 7919 % most).collect::<Vec<_>>();
    let chain = Instance::matrix_chain(numbers(133, 83)).unwrap();
    let costs = CellCost::Separable { row: numbers(133, 19), column: numbers(133, 17) };
    let widest =
        Instance::custom(Semiring::MaxMin, numbers(132, 83), costs, SplitCost::None).unwrap();
    for device in real_test_devices() {
        for (instance, cell_type) in
            [(&chain, CellType::I32), (&chain, CellType::I64), (&widest, CellType::I64)]
        {
            compare(&device, instance, cell_type, None);
        }
    }
}

/// Trees as deep as they have leaves: to the right, to the left, in alternating runs, and one where
/// all trees are equally good.
#[test]
fn deep_trees_equal_the_recurrence() {
    for device in test_devices() {
        let simulator = device.quirks().simulator;
        let points = if simulator { 50 } else { 250 };
        let rising: Vec<i64> = (1..=points).collect();
        let mut steps: Vec<i64> = (0..points).map(|i| 1 + i / 40 * 40 % 97 + i % 3).collect();
        let falling = rising.iter().rev().copied().collect();
        let mut chains = vec![rising, falling];
        if !simulator {
            let outwards = (0..points).map(|i| (2 * i - points).abs() + 1).collect();
            let inwards = (0..points).map(|i| points - (2 * i - points).abs() + 1).collect();
            steps.rotate_left(7);
            chains.extend([outwards, inwards, steps, vec![1; points as usize]]);
        }
        let types: &[CellType] =
            if simulator { &[CellType::I32] } else { &[CellType::I64, CellType::F64] };
        for factors in chains {
            let chain = Instance::matrix_chain(factors).unwrap();
            types.iter().for_each(|&cell_type| compare(&device, &chain, cell_type, Some(SMALL)));
            // With and without runs, and for any number of launches in a sequence.
            let instance = device_instance(&View::of(&chain), CellType::I64, SMALL.tile).unwrap();
            let monitor = Monitor::new(&SolveOptions::default());
            let table = Table::new(&device, &*instance, Layout::Triangle(SMALL), &FAMILY, &monitor)
                .unwrap();
            let splits = |launches, squares| {
                let pacer = fill(&table, SMALL, None).unwrap();
                traceback::splits_with(&table, pacer, launches, squares).unwrap()
            };
            let by_steps = splits(1, 0);
            for (launches, squares) in [(1, 1), (1, 100), (4, 0), (4, 100), (3, 1)] {
                assert_eq!(splits(launches, squares), by_steps);
            }
        }
    }
}

#[test]
fn expressions_that_do_not_compile_or_agree_are_refused() {
    let monitor = Monitor::new(&SolveOptions::default());
    for device in test_devices() {
        let refuse = |source: &str| {
            let expression = Expression {
                function: Some(Arc::new(|i, k, j| (i + k + j) as i64)),
                magnitude: 100,
                source: Some(source.into()),
                data: vec![],
            };
            let terms = SplitCost::Expression(expression);
            let instance =
                Instance::custom(Semiring::MinPlus, vec![0i64; 10], CellCost::None, terms).unwrap();
            let request = Request::new(&instance, &[]);
            solve_in(&device, &request, CellType::I32, SMALL, &monitor)
                .map(|values| values.value.number::<i64>())
        };
        assert!(refuse("i + k + j").is_ok());
        let reason = refusal(refuse("i +\n no_name"), "source");
        assert!(reason.contains("no_name") && reason.contains("line 2, column 2: "), "{reason}");
        let Err(error) = refuse("i + k - j") else { panic!("it agrees") };
        assert!(error.to_string().starts_with("source: its value at ("), "{error}");
    }
}

#[test]
fn data_beyond_its_end_is_zero() {
    let monitor = Monitor::new(&SolveOptions::default());
    let value = |device: &Device, source: &str, data: &[i64], cell_type| {
        let expression = Expression {
            function: None,
            magnitude: 1000,
            source: Some(source.into()),
            data: data.to_vec(),
        };
        let terms = SplitCost::Expression(expression);
        let instance =
            Instance::custom(Semiring::MinPlus, vec![0i64; 2], CellCost::None, terms).unwrap();
        let request = Request::new(&instance, &[]);
        let found = solve_in(device, &request, cell_type, SMALL, &monitor);
        found
            .unwrap_or_else(|error| panic!("{cell_type:?}, {source:?}: {error}"))
            .value
            .number::<i64>()
    };
    for device in test_devices() {
        let simulator = device.quirks().simulator;
        let all = [CellType::I32, CellType::U16, CellType::I64, CellType::F32];
        // Compiling takes long, so one expression tests all indices.
        let within = "data[0] + data[1] + data[2]";
        let beyond = "data[3] + data[-1] + data[i - 1] + data[4294967295u] + data[1UL << 63] + data[1 << 30]";
        for &cell_type in if simulator { &all[..1] } else { &all } {
            assert_eq!(
                value(&device, &format!("{within} + {beyond}"), &[5, 70, 900], cell_type),
                975
            );
        }
        assert_eq!(value(&device, "3 + data[i] /* data[j] */", &[], CellType::I32), 3);
    }
}

#[test]
fn split_costs_that_are_never_the_same_are_the_callers_fault() {
    let calls = std::sync::atomic::AtomicI64::new(0);
    let function: interval_dp::SplitFunction<i64> =
        Arc::new(move |_, _, _| calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) % 1000);
    let expression =
        Expression { function: Some(function), magnitude: 1000, source: None, data: vec![] };
    let terms = SplitCost::Expression(expression);
    let instance =
        Instance::custom(Semiring::MinPlus, vec![0i64; 30], CellCost::None, terms).unwrap();
    let context = Context::new(ContextOptions::default()).unwrap();
    for method in [interval_dp::Method::Cubic, interval_dp::Method::Serial] {
        let options = Options { method, ..Options::default() };
        let solved = interval_dp::solve(&context, &instance, &options, &SolveOptions::default());
        refusal(solved, "split_cost");
    }
}

#[test]
fn expressions_may_be_for_devices_alone() {
    let data = vec![3i64, 5, 2, 7, 4, 6, 1];
    let instance = |function, magnitude| {
        let source = Some("data[i] * data[k] * data[j]".into());
        let terms =
            SplitCost::Expression(Expression { function, magnitude, source, data: data.clone() });
        Instance::custom(Semiring::MinPlus, vec![0i64; 6], CellCost::None, terms).unwrap()
    };
    let chain = Instance::matrix_chain(data.clone()).unwrap();
    for device in test_devices() {
        let context = device_context(&device);
        let run = |instance: &Instance<i64>, engine| {
            let options = SolveOptions { engine, ..SolveOptions::default() };
            interval_dp::solve(&context, instance, &Options::default(), &options)
        };
        let found = run(&instance(None, 210), None).unwrap();
        let expected = run(&chain, Some(Engine::Cpu)).unwrap();
        assert_eq!((found.status, found.objective), (Status::Optimal, expected.objective));
        let tree = found.solution.unwrap().tree.unwrap();
        assert_eq!(Some(chain.evaluate(&tree).unwrap()), expected.objective);
        assert_error!(instance(None, 210).evaluate(&tree), Error::Unsupported(_));
        // The tree's evaluation finds costs beyond the promised magnitude.
        let broken = run(&instance(None, 5), None).unwrap_err();
        assert!(broken.to_string().starts_with("magnitude: the split cost at ("), "{broken}");
        for options in
            [Method::Auto, Method::Serial].map(|method| Options { method, ..Options::default() })
        {
            let cpu = SolveOptions { engine: Some(Engine::Cpu), ..SolveOptions::default() };
            let refused = interval_dp::solve(&context, &instance(None, 210), &options, &cpu);
            assert_error!(refused, Error::Unsupported(_));
        }
    }
}

/// Costs that obey the quadrangle inequality, in all their forms.
fn obedient(points: usize, form: usize, seed: u64) -> Instance<i64> {
    let mut random = Random::new(seed);
    let mut list =
        |most: u64| -> Vec<i64> { (0..points).map(|_| random.below(most) as i64).collect() };
    let (leaves, mut row, mut column) = (list(50)[1..].to_vec(), list(9), list(9));
    row.sort_unstable_by(|a, b| b.cmp(a));
    column.sort_unstable();
    if form == 3 {
        // Cells between heavy keys have many splits.
        let key = |place: usize| if place % 19 == 7 { 100_000 } else { row[place] };
        let keys: Vec<i64> = (0..points - 1).map(key).collect();
        return Instance::search_tree(&keys[1..], &vec![0; points - 1]).unwrap();
    }
    let pairs = (0..points).flat_map(|i| (i + 1..points).map(move |j| (i, j)));
    let squares = pairs.map(|(i, j)| row[i] + ((j - i) as i64).pow(2));
    let cell_cost = match form {
        0 => CellCost::None,
        1 => CellCost::Separable { row: row.clone(), column },
        _ => CellCost::Table(squares.collect()),
    };
    Instance::custom(Semiring::MinPlus, leaves, cell_cost, SplitCost::None).unwrap()
}

#[test]
fn knuths_bound_equals_that_of_the_cpu() {
    for device in test_devices() {
        let (cases, most) = if device.quirks().simulator { (4, 50) } else { (20, 300usize) };
        let drawn = (2..most, 0..4usize, any::<u64>(), any::<bool>());
        check_cases(cases, &drawn, |(points, form, seed, is_wide)| {
            let instance = obedient(points, form, seed);
            let monitor = Monitor::new(&SolveOptions::default());
            let wanted = cells(points);
            let request = Request::new(&instance, &wanted);
            let cell_type = if is_wide { CellType::I64 } else { CellType::I32 };
            let (found, tried) =
                knuth::solve(None, &device, &request, cell_type, &monitor).unwrap();
            let mut statistics = Statistics::default();
            let on_cpu = interval_dp::knuth::solve;
            let expected = on_cpu(&request, cell_type, &monitor, &mut statistics).unwrap();
            prop_assert_eq!(found.value, expected.value);
            prop_assert_eq!(found.cells, expected.cells);
            prop_assert_eq!(found.tree, expected.tree);
            prop_assert_eq!(Some(tried), statistics.get("relaxations"));
            Ok(())
        });
    }
}

/// All methods find the same. The cells between heavy keys have more splits than a work-item tries
/// alone.
#[test]
fn knuths_bound_is_that_of_the_cpu_in_a_solve() {
    for device in test_devices() {
        let tree = obedient(if device.quirks().simulator { 45 } else { 200 }, 3, 1);
        let context = device_context(&device);
        let solve = |method, engine| {
            let options = Options { method, ..Options::default() };
            let limits = SolveOptions { engine: Some(engine), ..SolveOptions::default() };
            interval_dp::solve(&context, &tree, &options, &limits).unwrap()
        };
        let expected = solve(Method::Knuth, Engine::Cpu);
        let [found, by_auto] =
            [Method::Knuth, Method::Auto].map(|method| solve(method, Engine::Device));
        assert_eq!((found.report.method, found.status), ("knuth", Status::Optimal));
        let tried = |outcome: &Outcome<_, _>| outcome.report.statistics.get("relaxations");
        assert_eq!(tried(&found), tried(&expected));
        for outcome in [found, by_auto] {
            assert!(outcome.report.device.is_some());
            assert_eq!(outcome.solution, expected.solution);
        }
    }
}

#[test]
fn knuths_bound_on_a_device_is_for_known_inequalities_of_whole_numbers() {
    let falling = CellCost::Table(vec![0, 5, 1, 0, 5, 0]);
    let falling =
        Instance::custom(Semiring::MinPlus, vec![0i64; 3], falling, SplitCost::None).unwrap();
    let real = Instance::search_tree(&[0.5; 3], &[0.25; 4]).unwrap();
    for device in test_devices() {
        let (context, limits) = (device_context(&device), SolveOptions::default());
        let options =
            Options { method: Method::Knuth, assume_quadrangle: true, ..Options::default() };
        let broken = interval_dp::solve(&context, &falling, &options, &limits).unwrap_err();
        assert!(broken.to_string().contains("quadrangle inequality"), "{broken}");
        // The cubic algorithm does not need it.
        let auto = Options { method: Method::Auto, ..options.clone() };
        let found = interval_dp::solve(&context, &falling, &auto, &limits).unwrap();
        assert_eq!((found.report.method, found.status), ("cubic", Status::Optimal));
        assert!(found.report.device.is_some());
        let options = Options { assume_quadrangle: false, ..options };
        let rounded = interval_dp::solve(&context, &real, &options, &limits).unwrap_err();
        assert!(rounded.to_string().contains("on a device, for real numbers"), "{rounded}");
        let auto = Options { assume_quadrangle: false, ..auto };
        let on_cpu = interval_dp::solve(&context, &real, &auto, &limits).unwrap();
        assert_eq!((on_cpu.report.method, on_cpu.report.device), ("knuth", None));
    }
}

#[test]
fn methods_without_kernels_are_refused() {
    let chain = Instance::matrix_chain(vec![3i64, 5, 2, 7]).unwrap();
    for device in test_devices() {
        let context = device_context(&device);
        for (method, name) in [(Method::HuShing, "hu-shing"), (Method::Serial, "serial")] {
            let (options, limits) = (Options { method, ..Options::default() }, Default::default());
            let alone = interval_dp::solve(&context, &chain, &options, &limits);
            let many = interval_dp::solve_batch(&context, &[&chain; 3], &options, &limits);
            for refused in [alone.map(drop), many.map(drop)] {
                let words = format!("not supported: the method {name} on a device");
                assert_eq!(refused.unwrap_err().to_string(), words);
            }
        }
    }
}

#[test]
fn tables_beyond_the_device_are_named() {
    let monitor = Monitor::new(&SolveOptions::default());
    for device in test_devices() {
        let limit = device.info().max_allocation_bytes;
        let points = ((limit / 4) as f64).sqrt() as usize + 1000;
        let chain = Instance::matrix_chain(vec![1i64; points]).unwrap();
        let request = Request::new(&chain, &[]);
        let error = solve_in(&device, &request, CellType::I64, SMALL, &monitor).err().unwrap();
        let Error::OutOfMemory { what, required, limit: allowed } = &*error else {
            panic!("{error}")
        };
        assert!(what.contains(" i64 on ") && what.contains(&device.info().name), "{what}");
        assert!(*required > u128::from(limit) && *allowed <= limit);
    }
}

/// Not a test: prints the share of a solve's time that the traceback takes.
#[test]
#[ignore = "a measurement"]
fn share_of_traceback() {
    let monitor = Monitor::new(&SolveOptions::default());
    for device in test_devices() {
        let sizes = match device.info().kind {
            DeviceKind::Cpu => [1025, 2049, 4097],
            _ => [8193, 16_385, 30_001],
        };
        for points in sizes {
            let chain = |factors: Vec<i64>| Instance::matrix_chain(factors).unwrap();
            let drawn = chain((0..points).map(|i| 1 + i * i % 40_009 * 7919 % 40).collect());
            let rising = chain((0..points).map(|i| 1 + i * 40 / points).collect());
            let leaves = (1..points).map(|i| i * i % 40_009 % 2).collect();
            let narrow =
                Instance::custom(Semiring::MinPlus, leaves, CellCost::None, SplitCost::None)
                    .unwrap();
            share(&device, CellType::I32, &drawn, "chain", &monitor);
            share(&device, CellType::I32, &rising, "rising chain", &monitor);
            share(&device, CellType::I32, &narrow, "(min,+)", &monitor);
            share(&device, CellType::U16, &narrow, "(min,+)", &monitor);
        }
    }
}

#[allow(clippy::print_stdout, reason = "it prints")]
fn share(
    device: &Device,
    cell_type: CellType,
    instance: &Instance<i64>,
    form: &str,
    monitor: &Monitor,
) {
    let request = Request::new(instance, &[]);
    let (tiling, instance) = laid_out(device, &request.view, cell_type).unwrap();
    let table = Table::new(device, &*instance, Layout::Triangle(tiling), &FAMILY, monitor).unwrap();
    let mut best = [f64::INFINITY; 2];
    for _ in 0..3 {
        let start = Instant::now();
        let pacer = fill(&table, tiling, None).unwrap();
        table.queue.finish().unwrap();
        let filled = Instant::now();
        table.values(&request, pacer).unwrap();
        let seconds = [filled - start, filled.elapsed()].map(|time| time.as_secs_f64());
        best = [best[0].min(seconds[0]), best[1].min(seconds[1])];
    }
    let [fill, values] = best;
    let share = 100.0 * values / (fill + values);
    println!(
        "{form} {} n = {}: {fill:.4} s, traceback {values:.5} s, {share:.2} %",
        cell_type,
        table.points - 1
    );
}
