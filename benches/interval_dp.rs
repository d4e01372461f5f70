//! Interval dynamic programs. Arguments name sections; none means all but `large`.
//!
//! - `mappings`: speed-up over the three plain loops on one core against n, for the mappings of
//!   Diwan and Tembhurne 2019 and the tiles, as their figures have it;
//! - `cpu`: the tiles on one core and on all;
//! - `device`: the tiles on the device for every type of cell; `large` adds n = 32,768 and 65,536;
//! - `fast`: Hu and Shing's and Knuth's algorithms on one core;
//! - `batch`: small chains by the cubic method, many at a time, on all cores and on the device.
//!
//! The device is the first one, or MAKESPAN_BENCH_DEVICE. Seconds are those of the result: without
//! kernel building, with the tree.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints")]

use std::time::Instant;

use makespan::interval_dp::{
    AnyInstance, CellCost, CellType, Instance, Kind, Mapping, Method, Options, Semiring, SplitCost,
    solve, solve_batch,
};
use makespan::{Context, ContextOptions, Engine, Limits, SolveOptions};

/// The instance with `points` points.
fn instance(kind: Kind, points: usize, largest: i64) -> Instance<i64> {
    let size = match kind {
        Kind::MatrixChain => points - 1,
        _ => points - 2,
    };
    match AnyInstance::random(kind, size, 1, largest, &Limits::default()) {
        Ok(AnyInstance::Whole(instance)) => instance,
        _ => panic!("whole numbers were asked for"),
    }
}

/// Leaves of 0 and 1: values fit 16 bits.
fn narrow(points: usize) -> Instance<i64> {
    let leaves = (0..points as i64 - 1).map(|leaf| i64::from(leaf * 7919 % 10 < 5)).collect();
    Instance::custom(Semiring::MinPlus, leaves, CellCost::None, SplitCost::None).unwrap()
}

/// Best seconds of three solves, or of one if it is long.
fn seconds(
    context: &Context,
    instance: &Instance<i64>,
    method: Method,
    cell_type: Option<CellType>,
) -> f64 {
    let options = Options { method, cell_type, ..Options::default() };
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let outcome = solve(context, instance, &options, &SolveOptions::default()).unwrap();
        best = best.min(outcome.report.seconds);
        if best > 2.0 {
            break;
        }
    }
    best
}

fn show(name: &str, instance: &Instance<i64>, seconds: f64) {
    let rate = instance.relaxations() as f64 / seconds / 1e9;
    println!(
        "{name:<34} n = {:<8} {seconds:>9.4} s  {rate:>9.1}e9 relaxations/s",
        instance.points() - 1
    );
}

fn mappings(device: &Context) {
    let serial = cpu(1);
    println!("n, seconds of three loops, speed-ups of cm-1 cm-2 cm-3 cm-4 gmm, of the tiles");
    for points in [513, 1025, 2049, 4097] {
        let chain = instance(Kind::MatrixChain, points, 40);
        let yardstick = seconds(&serial, &chain, Method::Serial, None);
        let mut methods: Vec<Method> = Mapping::ALL.into_iter().map(Method::Mapping).collect();
        methods.push(Method::Cubic);
        let speed_ups: Vec<String> = methods
            .into_iter()
            .map(|method| format!("{:>8.1}", yardstick / seconds(device, &chain, method, None)))
            .collect();
        println!("{:>6} {yardstick:>9.4} {}", points - 1, speed_ups.join(" "));
    }
}

fn tiles(name: &str, context: &Context, sizes: &[usize]) {
    let all = [CellType::I32, CellType::F32, CellType::F64, CellType::I64];
    for &points in sizes {
        for cell_type in all {
            for (kind, form) in [(Kind::SearchTree, "(min,+)"), (Kind::MatrixChain, "chain")] {
                let instance = instance(kind, points, 40);
                let seconds = seconds(context, &instance, Method::Cubic, Some(cell_type));
                show(&format!("{name} {form} {cell_type}"), &instance, seconds);
            }
        }
    }
}

/// Wall-clock seconds of batches, with building the outcomes.
fn batches(name: &str, context: &Context) {
    for (points, count) in [(16, 100_000), (64, 1000), (64, 20_000)] {
        let chains: Vec<_> = (0..count)
            .map(|seed| {
                AnyInstance::random(Kind::MatrixChain, points - 1, seed, 40, &Limits::default())
                    .unwrap()
            })
            .filter_map(
                |chain| if let AnyInstance::Whole(chain) = chain { Some(chain) } else { None },
            )
            .collect();
        let chains: Vec<_> = chains.iter().collect();
        let options = Options { method: Method::Cubic, ..Options::default() };
        let best = (0..3)
            .map(|_| {
                let start = Instant::now();
                solve_batch(context, &chains, &options, &SolveOptions::default()).unwrap();
                start.elapsed().as_secs_f64()
            })
            .fold(f64::INFINITY, f64::min);
        let each = best / count as f64 * 1e6;
        println!("{name}: {count} chains of {points} points {best:.4} s, {each:.2} us each");
    }
}

fn cpu(threads: usize) -> Context {
    let options =
        ContextOptions { engine: Engine::Cpu, threads: Some(threads), ..ContextOptions::default() };
    Context::new(options).unwrap()
}

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let wants = |section: &str| {
        arguments.iter().any(|argument| argument == section)
            || arguments.is_empty() && section != "large"
    };
    let index = std::env::var("MAKESPAN_BENCH_DEVICE").ok().and_then(|index| index.parse().ok());
    let device = Context::new(ContextOptions {
        engine: Engine::Device,
        device: index,
        ..ContextOptions::default()
    });
    if wants("fast") {
        let chain = instance(Kind::MatrixChain, 1_000_001, 40);
        show("Hu-Shing, one core", &chain, seconds(&cpu(1), &chain, Method::HuShing, None));
        let tree = instance(Kind::SearchTree, 8002, 40);
        show("Knuth, one core", &tree, seconds(&cpu(1), &tree, Method::Knuth, None));
    }
    if wants("batch") {
        for threads in [1, 2, 16] {
            batches(&format!("{threads} threads"), &cpu(threads));
        }
    }
    if wants("cpu") {
        tiles("one core", &cpu(1), &[4001]);
        for threads in [2, 4, 8, 16] {
            tiles(&format!("{threads} threads"), &cpu(threads), &[4001]);
        }
    }
    match device {
        Err(error) => eprintln!("no device: {error}"),
        Ok(device) => {
            if wants("batch") {
                batches("device", &device);
            }
            if wants("mappings") {
                mappings(&device);
            }
            if wants("device") {
                tiles("device", &device, &[4096, 8192, 16_384]);
                for points in [16_384, 30_001] {
                    let narrow = narrow(points);
                    let seconds = seconds(&device, &narrow, Method::Cubic, Some(CellType::U16));
                    show("device (min,+) u16", &narrow, seconds);
                }
            }
            if wants("large") {
                for points in [30_001, 32_768] {
                    let tree = instance(Kind::SearchTree, points, 40);
                    show(
                        "device (min,+) i32",
                        &tree,
                        seconds(&device, &tree, Method::Cubic, Some(CellType::I32)),
                    );
                }
                let chain = instance(Kind::MatrixChain, 65_537, 40);
                for cell_type in [CellType::I32, CellType::F64] {
                    let seconds = seconds(&device, &chain, Method::Cubic, Some(cell_type));
                    show(&format!("device chain {cell_type}"), &chain, seconds);
                }
            }
        }
    }
}
