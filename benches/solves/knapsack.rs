//! Knapsacks: Pisinger's classes, folders, rates of the dense tables, batches.

use std::path::PathBuf;

use clap::Args;
use makespan::knapsack::{Instance, Method, Options, profile, solve, solve_profits};
use makespan::{Report, SolveOptions, Status};

use crate::common::Result;
use crate::common::engines::NamedEngine;
use crate::common::instances::{knapsack, subset_sum};
use crate::common::log::Log;
use crate::common::options::{Compared, Run};
use crate::common::random::Random;
use crate::knapsack_classes::Class;

const SEEDS: u64 = 5;

/// Pisinger's thirteen classes and even-odd ones: 10 s each, one thread
#[derive(Args)]
pub(crate) struct Classes {
    /// Only classes whose names have this word
    #[arg(default_value = "")]
    word: String,
    #[command(flatten)]
    run: Run,
}

impl Classes {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let (context, solve_options) = (self.run.context(1)?, self.run.solve_options(Some(10.0)));
        let mut all = (0, 0);
        for class in
            Class::ALL.into_iter().filter(|class| format!("{class:?}").contains(&self.word))
        {
            let sizes =
                [1000, 10_000, 1_000_000, 10_000_000].map(|r| [100, 1000, 10_000].map(|n| (n, r)));
            for (n, r) in sizes.into_iter().flatten() {
                let (mut worst, mut proved) = (Report::default(), 0);
                let name = format!("{class:?}");
                for seed in 0..SEEDS {
                    let instance = class.generate(n, r, seed);
                    let outcome = solve(&context, &instance, &Options::default(), &solve_options)?;
                    proved += u64::from(outcome.status == Status::Optimal);
                    let line = format!("{name} n {n} R {r} seed {seed}");
                    let line = log.outcome(line, &context, &solve_options, &outcome);
                    line.class(&name).with("items", n).with("range", r).write()?;
                    if outcome.report.seconds > worst.seconds {
                        worst = outcome.report;
                    }
                }
                let (seconds, counters) = (worst.seconds, counters(&worst));
                println!(
                    "{name:<26} n {n:>5} R {r:>8} {proved} of {SEEDS} proved \
                     {seconds:9.4} s  {counters}"
                );
                all = (all.0 + proved, all.1 + SEEDS);
            }
        }
        println!("{} of {} proved", all.0, all.1);
        Ok(())
    }
}

fn counters(report: &Report) -> String {
    let shown = report.statistics.iter().map(|(name, count)| format!("{name} {count}"));
    shown.collect::<Vec<_>>().join(" ")
}

/// All files of a folder that its `optima.csv` names, in lines `file,optimum`: two threads
///
/// A wrong optimum ends the run.
#[derive(Args)]
pub(crate) struct Folder {
    folder: PathBuf,
    #[command(flatten)]
    run: Run,
}

impl Folder {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let (context, solve_options) = (self.run.context(2)?, self.run.solve_options(None));
        let optima = std::fs::read_to_string(self.folder.join("optima.csv"))?;
        for line in optima.lines().skip(1) {
            let (file, optimum) =
                line.split_once(',').ok_or("optima.csv has lines file,optimum")?;
            let instance = Instance::read(self.folder.join(file))?;
            let outcome = solve(&context, &instance, &Options::default(), &solve_options)?;
            log.outcome(file, &context, &solve_options, &outcome).write()?;
            let optimum = optimum.trim().parse().ok();
            assert_eq!((outcome.objective, outcome.bound), (optimum, outcome.objective));
            println!("{file:<50} {:9.4} s  {}", outcome.report.seconds, counters(&outcome.report));
        }
        Ok(())
    }
}

/// Rates of the dense tables: values for all capacities, and a solution
#[derive(Args)]
pub(crate) struct Dense {
    /// Only tables whose names have this word
    #[arg(default_value = "")]
    word: String,
    #[command(flatten)]
    compared: Compared,
}

impl Dense {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        for engine in &self.compared.engines() {
            for (table, instance) in tables(engine.is_device()) {
                if table.contains(&self.word) {
                    fill(log, engine, table, &instance())?;
                }
            }
        }
        Ok(())
    }
}

type Make = Box<dyn Fn() -> Instance>;

/// Tables by name. A device gets enough items to outlast its set-up. Where the name has their
/// number, not all of them fit anyway.
fn tables(on_device: bool) -> [(&'static str, Make); 9] {
    let times = if on_device { 25 } else { 1 };
    let drawn =
        |items, weights, capacity| -> Make { Box::new(move || knapsack(items, weights, capacity)) };
    let sums = |items, heaviest, capacity| -> Make {
        Box::new(move || subset_sum(items, heaviest, capacity))
    };
    [
        ("w <= 1024, C = 1e7", drawn(800 * times, (1, 1024), 10_000_000)),
        ("w <= 1024, C = 5e7", drawn(400 * times, (1, 1024), 50_000_000)),
        ("w <= 1e6, C = 1e7", drawn(80 * times, (1000, 1_000_000), 10_000_000)),
        ("w <= 1e6, C = 5e7", drawn(20 * times, (1000, 1_000_000), 50_000_000)),
        ("w <= 1e6, C = 5e7, n = 200", drawn(200, (1000, 1_000_000), 50_000_000)),
        ("w <= 1024, C = 1e6, n = 4000", drawn(4000, (1, 1024), 1_000_000)),
        ("sums, w <= 1e4, C = 1e7", sums(8000, 10_000, 10_000_000)),
        ("sums, w <= 1e4, C = 1e8", sums(40_000, 10_000, 100_000_000)),
        ("sums, w <= 1e6, C = 1e8", sums(320 * times, 1_000_000, 100_000_000)),
    ]
}

/// Fills a table twice for the values and twice for a solution.
fn fill(log: &Log, engine: &NamedEngine, table: &str, instance: &Instance) -> Result<()> {
    let (context, solve_options) = (&engine.context, SolveOptions::default());
    let (mut values, mut solution, mut all_fit) = (f64::INFINITY, f64::INFINITY, false);
    for what in ["values", "values again"] {
        let outcome = profile(context, instance, &solve_options)?;
        log.outcome(table, context, &solve_options, &outcome).variant(what).write()?;
        show(engine.name, table, what, &outcome.report);
        values = values.min(outcome.report.seconds);
    }
    let dense = Options::from(Method::Dense);
    for what in ["solution", "solution again"] {
        let outcome = solve(context, instance, &dense, &solve_options)?;
        log.outcome(table, context, &solve_options, &outcome).variant(what).write()?;
        show(engine.name, table, what, &outcome.report);
        solution = solution.min(outcome.report.seconds);
        all_fit = outcome.report.statistics.get("cells") == Some(0);
    }
    if !all_fit {
        let ratio = solution / values;
        println!("{:<9} {table:<30} solution in {ratio:.2} times the values' time", engine.name);
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

/// A million knapsacks with the same weights, with their items
#[derive(Args)]
pub(crate) struct Batch {
    #[command(flatten)]
    compared: Compared,
}

impl Batch {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let solve_options = SolveOptions::default();
        for NamedEngine { name, context } in &self.compared.engines() {
            for (items, capacity) in [(50, 1000), (50, 500), (200, 4000)] {
                let instance = knapsack(items, (10, 400), capacity);
                let count = if *name == "core" { 100_000 } else { 1_000_000 } * 50 / items;
                let mut numbers = Random(1);
                let profits: Vec<u64> = (0..count * items).map(|_| numbers.below(1000)).collect();
                for _ in 0..3 {
                    let outcome = solve_profits(context, &instance, &profits, &solve_options)?;
                    let seconds = outcome.report.seconds;
                    println!(
                        "{name:<9} {count} of {items} items, C = {capacity}: {seconds:.4} s, \
                         {:.2e} instances/s",
                        count as f64 / seconds
                    );
                    let size = format!("{items} items, C = {capacity}");
                    let line = log.outcome(size, context, &solve_options, &outcome);
                    line.with("instances", count).write()?;
                }
            }
        }
        Ok(())
    }
}
