//! Knapsacks: Pisinger's thirteen classes and even-odd ones, folders of instances, and rates of the
//! dense tables.
//!
//! ```text
//! cargo bench --bench knapsack -- classes [WORD]     SEEDS instances of each class and size: how many are proved within
//!                                                    10 s, and the slowest; one core
//! cargo bench --bench knapsack -- folder FOLDER [THREADS]   every file of a folder that `optima.csv` names; 2 threads
//! cargo bench --bench knapsack -- dense core|cores|device [WORD]   dense tables: values for all capacities, and a
//!                                                                  solution
//! cargo bench --bench knapsack -- batch core|cores|device   a million knapsacks of 50 items with the same weights
//! ```
//!
//! The device is the first one, or MAKESPAN_BENCH_DEVICE. A wrong optimum ends the run.
#![allow(clippy::print_stdout, reason = "a measuring program")]

#[path = "knapsack/classes.rs"]
mod classes;

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use classes::{Class, Random};
use makespan::knapsack::{Instance, Method, Options, profile, solve, solve_batch};
use makespan::{Context, ContextOptions, Engine, Limits, Report, SolveOptions, Status};

const SEEDS: u64 = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["classes"] => run_classes(""),
        ["classes", word] => run_classes(word),
        ["folder", folder] => run_folder(Path::new(folder), 2),
        ["folder", folder, threads] => run_folder(Path::new(folder), threads.parse()?),
        ["dense", engine] => run_dense(engine, ""),
        ["dense", engine, word] => run_dense(engine, word),
        ["batch", engine] => run_batch(engine),
        _ => {
            println!(
                "usage: knapsack classes [WORD] | folder FOLDER [THREADS] | dense core|cores|device [WORD] | \
                 batch core|cores|device"
            );
            Ok(())
        }
    }
}

fn on_cpu(threads: usize) -> makespan::Result<Context> {
    Context::new(ContextOptions {
        engine: Engine::Cpu,
        threads: Some(threads),
        ..ContextOptions::default()
    })
}

/// One core, all cores or the device.
fn on(engine: &str) -> makespan::Result<Context> {
    let device = std::env::var("MAKESPAN_BENCH_DEVICE").ok().and_then(|index| index.parse().ok());
    let threads = (engine == "core").then_some(1);
    let engine = if engine == "device" { Engine::Device } else { Engine::Cpu };
    Context::new(ContextOptions { engine, device, threads, ..ContextOptions::default() })
}

fn counters(report: &Report) -> String {
    let shown = report.statistics.iter().map(|(name, count)| format!("{name} {count}"));
    shown.collect::<Vec<_>>().join(" ")
}

fn run_classes(word: &str) -> Result<(), Box<dyn Error>> {
    let context = on_cpu(1)?;
    let limits = Limits { time: Some(Duration::from_secs(10)), ..Limits::default() };
    let options = SolveOptions { limits, ..SolveOptions::default() };
    let mut all = (0, 0);
    for class in Class::ALL.into_iter().filter(|class| format!("{class:?}").contains(word)) {
        let sizes =
            [1000, 10_000, 1_000_000, 10_000_000].map(|r| [100, 1000, 10_000].map(|n| (n, r)));
        for (n, r) in sizes.into_iter().flatten() {
            let (mut worst, mut proved) = (Report::default(), 0);
            for seed in 0..SEEDS {
                let instance = class.generate(n, r, seed);
                let outcome = solve(&context, &instance, &Options::default(), &options)?;
                proved += u64::from(outcome.status == Status::Optimal);
                if outcome.report.seconds > worst.seconds {
                    worst = outcome.report;
                }
            }
            let name = format!("{class:?}");
            let (seconds, counters) = (worst.seconds, counters(&worst));
            println!(
                "{name:<26} n {n:>5} R {r:>8} {proved} of {SEEDS} proved {seconds:9.4} s  {counters}"
            );
            all = (all.0 + proved, all.1 + SEEDS);
        }
    }
    println!("{} of {} proved", all.0, all.1);
    Ok(())
}

fn run_folder(folder: &Path, threads: usize) -> Result<(), Box<dyn Error>> {
    let context = on_cpu(threads)?;
    let optima = std::fs::read_to_string(folder.join("optima.csv"))?;
    for line in optima.lines().skip(1) {
        let (file, optimum) = line.split_once(',').ok_or("lines of optima.csv are file,optimum")?;
        let instance = Instance::read(folder.join(file))?;
        let outcome = solve(&context, &instance, &Options::default(), &SolveOptions::default())?;
        assert_eq!(
            (outcome.objective, outcome.bound),
            (optimum.trim().parse().ok(), outcome.objective)
        );
        println!("{file:<50} {:9.4} s  {}", outcome.report.seconds, counters(&outcome.report));
    }
    Ok(())
}

/// Items with weights from a range, profits of no pattern.
fn random(items: usize, weights: (u64, u64), capacity: u64) -> Instance {
    let mut random = Random(items as u64);
    let weights: Vec<u64> = (0..items).map(|_| random.within(weights.0, weights.1)).collect();
    let profits = (0..items).map(|_| random.within(1, 30_000)).collect();
    Instance::new(profits, weights, capacity).unwrap()
}

/// Weights that are multiples of 3 except one, so that no sum meets the capacity.
fn sums(items: usize, heaviest: u64, capacity: u64) -> Instance {
    let mut random = Random(items as u64);
    let mut weights: Vec<u64> =
        (1..items).map(|_| 3 * random.within(heaviest / 6, heaviest / 3)).collect();
    weights.push(heaviest / 3 * 3 - 2);
    Instance::subset_sum(weights, capacity / 3 * 3 + 2).unwrap()
}

fn run_dense(engine: &str, word: &str) -> Result<(), Box<dyn Error>> {
    let context = on(engine)?;
    let on_device = engine == "device";
    // A device is given enough to outlast its set-up. Where the name has the number of items, not
    // all of them fit anyway.
    let times = if on_device { 25 } else { 1 };
    let tables = [
        ("w <= 1024, C = 1e7", random(800 * times, (1, 1024), 10_000_000)),
        ("w <= 1024, C = 5e7", random(400 * times, (1, 1024), 50_000_000)),
        ("w <= 1e6, C = 1e7", random(80 * times, (1000, 1_000_000), 10_000_000)),
        ("w <= 1e6, C = 5e7", random(20 * times, (1000, 1_000_000), 50_000_000)),
        ("w <= 1e6, C = 5e7, n = 200", random(200, (1000, 1_000_000), 50_000_000)),
        ("w <= 1024, C = 1e6, n = 4000", random(4000, (1, 1024), 1_000_000)),
        ("sums, w <= 1e4, C = 1e7", sums(8000, 10_000, 10_000_000)),
        ("sums, w <= 1e4, C = 1e8", sums(40_000, 10_000, 100_000_000)),
        ("sums, w <= 1e6, C = 1e8", sums(320 * times, 1_000_000, 100_000_000)),
    ];
    for (table, instance) in tables.iter().filter(|(table, _)| table.contains(word)) {
        let (mut values, mut solution, mut all_fit) = (f64::INFINITY, f64::INFINITY, false);
        for round in 0..2 {
            let outcome = profile(&context, instance, &SolveOptions::default())?;
            show(engine, table, ["values", "values again"][round], &outcome.report);
            values = values.min(outcome.report.seconds);
        }
        let dense = Options { method: Method::Dense };
        for round in 0..2 {
            let outcome = solve(&context, instance, &dense, &SolveOptions::default())?;
            show(engine, table, ["solution", "solution again"][round], &outcome.report);
            solution = solution.min(outcome.report.seconds);
            all_fit = outcome.report.statistics.get("cells") == Some(0);
        }
        if !all_fit {
            println!(
                "{engine:<9} {table:<30} solution in {:.2} times the values' time",
                solution / values
            );
        }
    }
    Ok(())
}

fn run_batch(engine: &str) -> Result<(), Box<dyn Error>> {
    let context = on(engine)?;
    for (items, capacity) in [(50, 1000), (50, 500), (200, 4000)] {
        let instance = random(items, (10, 400), capacity);
        let count = if engine == "core" { 100_000 } else { 1_000_000 } * 50 / items;
        let mut numbers = Random(1);
        let profits: Vec<u64> = (0..count * items).map(|_| numbers.within(0, 999)).collect();
        for _ in 0..3 {
            let outcome = solve_batch(&context, &instance, &profits, &SolveOptions::default())?;
            let (seconds, rate) = (outcome.report.seconds, count as f64 / outcome.report.seconds);
            println!(
                "{engine:<9} {count} of {items} items, C = {capacity}: {seconds:.4} s, {rate:.2e} instances/s"
            );
        }
    }
    Ok(())
}

fn show(engine: &str, table: &str, what: &str, report: &Report) {
    let cells = report.statistics.get("cells").unwrap_or(0);
    if cells == 0 {
        // All items fit.
        return;
    }
    let rate = cells as f64 / report.seconds;
    println!(
        "{engine:<9} {table:<30} {what:<14} {cells:>15} cells {:9.4} s {rate:9.2e} cells/s",
        report.seconds
    );
}
