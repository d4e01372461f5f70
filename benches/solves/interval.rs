//! Interval dynamic programs.

use std::time::Instant;

use clap::Args;
use makespan::interval_dp::folding::{self, Model, Nussinov};
use makespan::interval_dp::{CellType, Instance, Kind, Method, Options, solve, solve_batch};
use makespan::{Context, Limits, Outcome, SolveOptions};

use crate::common::Result;
use crate::common::engines::{self, NamedEngine};
use crate::common::fastest::fastest;
use crate::common::instances::{interval, narrow_interval};
use crate::common::log::Log;
use crate::common::options::{Compared, On};

/// The best of three solves, or of one if it is long. Returns its seconds.
fn seconds(
    log: &Log,
    context: &Context,
    instance: &Instance<i64>,
    method: Method,
    cell_type: Option<CellType>,
) -> Result<f64> {
    let (options, solve_options) =
        (Options { method, cell_type, ..Options::default() }, SolveOptions::default());
    let best = fastest(3, 2.0, || solve(context, instance, &options, &solve_options))?;
    let name = format!("{} of {}", instance.kind().name(), instance.points());
    let line = log.outcome(name, context, &solve_options, &best);
    let line = line.with("points", instance.points()).with("relaxations", instance.relaxations());
    match cell_type {
        Some(cell_type) => line.variant(cell_type.name()).write()?,
        None => line.write()?,
    }
    Ok(best.report.seconds)
}

fn show(name: &str, instance: &Instance<i64>, seconds: f64) {
    let (n, rate) = (instance.points() - 1, instance.relaxations() as f64 / seconds / 1e9);
    println!("{name:<34} n = {n:<8} {seconds:>9.4} s  {rate:>9.1}e9 relaxations/s");
}

/// The tiles for every type of cell
#[derive(Args)]
pub(crate) struct Tiles {
    /// Solve n = 30,000 to 65,536 on the device instead
    #[arg(long)]
    large: bool,
    #[command(flatten)]
    compared: Compared,
}

impl Tiles {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        for engine in &self.compared.engines() {
            match (engine.is_device(), self.large) {
                (true, false) => {
                    tiles(log, engine, &[4096, 8192, 16_384])?;
                    for points in [16_384, 30_001] {
                        let narrow = narrow_interval(points);
                        tile(log, engine, "(min,+)", &narrow, CellType::U16)?;
                    }
                }
                (true, true) => large_tiles(log, engine)?,
                (false, false) => tiles(log, engine, &[4001])?,
                (false, true) => {}
            }
        }
        Ok(())
    }
}

fn tiles(log: &Log, engine: &NamedEngine, sizes: &[usize]) -> Result<()> {
    for &points in sizes {
        for (kind, form) in [(Kind::SearchTree, "(min,+)"), (Kind::MatrixChain, "chain")] {
            let instance = interval(kind, points, 1);
            for cell_type in [CellType::I32, CellType::F32, CellType::F64, CellType::I64] {
                tile(log, engine, form, &instance, cell_type)?;
            }
        }
    }
    Ok(())
}

fn large_tiles(log: &Log, device: &NamedEngine) -> Result<()> {
    for points in [30_001, 32_768] {
        let tree = interval(Kind::SearchTree, points, 1);
        tile(log, device, "(min,+)", &tree, CellType::I32)?;
    }
    let chain = interval(Kind::MatrixChain, 65_537, 1);
    for cell_type in [CellType::I32, CellType::F64] {
        tile(log, device, "chain", &chain, cell_type)?;
    }
    Ok(())
}

fn tile(
    log: &Log,
    engine: &NamedEngine,
    form: &str,
    instance: &Instance<i64>,
    cell_type: CellType,
) -> Result<()> {
    let seconds = seconds(log, &engine.context, instance, Method::Cubic, Some(cell_type))?;
    show(&format!("{} {form} {cell_type}", engine.name), instance, seconds);
    Ok(())
}

/// Hu and Shing's and Knuth's algorithms, one core
#[derive(Args)]
pub(crate) struct Fast {}

impl Fast {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let core = engines::cpu(Some(1));
        let chain = interval(Kind::MatrixChain, 1_000_001, 1);
        show("Hu-Shing", &chain, seconds(log, &core, &chain, Method::HuShing, None)?);
        let tree = interval(Kind::SearchTree, 8002, 1);
        show("Knuth", &tree, seconds(log, &core, &tree, Method::Knuth, None)?);
        Ok(())
    }
}

/// Random RNA sequences by the models of Nussinov and Zuker
#[derive(Args)]
pub(crate) struct Folding {
    #[command(flatten)]
    on: On,
    /// Bases of each sequence
    #[arg(long, value_delimiter = ',', default_values_t = [2000, 5000, 10_000])]
    lengths: Vec<usize>,
    /// Zuker's model, too
    #[arg(long)]
    zuker: bool,
}

impl Folding {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let context = &self.on.context(None)?;
        for &len in &self.lengths {
            fold(log, context, "nussinov", len, Model::Nussinov(Nussinov::default()))?;
            if self.zuker {
                fold(log, context, "zuker", len, Model::Zuker(Box::default()))?;
            }
        }
        Ok(())
    }
}

/// The best of three solves.
fn fold(log: &Log, context: &Context, name: &str, len: usize, model: Model) -> Result<()> {
    let instance = folding::Instance::random(len, 1, model, &Limits::default())?;
    let (options, solve_options) = (Options::default(), SolveOptions::default());
    let solves = (0..3).map(|_| folding::solve(context, &instance, &options, &solve_options));
    let outcomes = solves.collect::<makespan::Result<Vec<_>>>()?;
    let seconds = |outcome: &Outcome<_>| outcome.report.seconds;
    let best = outcomes.iter().min_by(|a, b| seconds(a).total_cmp(&seconds(b)));
    let best = best.ok_or("nothing was solved")?;
    let rate = instance.relaxations() as f64 / seconds(best) / 1e9;
    println!("{name:<10} n = {len:<8} {:>9.4} s  {rate:>9.1}e9 relaxations/s", seconds(best));
    let line = log.outcome(format!("{name} of {len}"), context, &solve_options, best);
    line.with("bases", len).with("relaxations", instance.relaxations()).write()
}

/// Small chains by the cubic method, many at a time
#[derive(Args)]
pub(crate) struct Batch {
    #[command(flatten)]
    compared: Compared,
}

impl Batch {
    /// In wall-clock seconds, with building the outcomes.
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        for NamedEngine { name, context } in &self.compared.engines() {
            for (points, count) in [(16, 100_000), (64, 1000), (64, 20_000)] {
                let chains: Vec<_> =
                    (0..count).map(|seed| interval(Kind::MatrixChain, points, seed)).collect();
                let chains: Vec<_> = chains.iter().collect();
                let options = Options { method: Method::Cubic, ..Options::default() };
                let solve_options = SolveOptions::default();
                let (mut best, mut report) = (f64::INFINITY, None);
                for _ in 0..3 {
                    let start = Instant::now();
                    let outcomes = solve_batch(context, &chains, &options, &solve_options)?;
                    best = best.min(start.elapsed().as_secs_f64());
                    report = outcomes.into_iter().next().map(|outcome| outcome.report);
                }
                let each = best / count as f64 * 1e6;
                println!(
                    "{name}: {count} chains of {points} points {best:.4} s, {each:.2} us each"
                );
                let report = report.ok_or("nothing was solved")?;
                let instance = format!("{count} chains of {points}");
                let line = log.report(instance, context, &solve_options, &report).seconds(best);
                line.with("instances", count).write()?;
            }
        }
        Ok(())
    }
}
