//! Whole solves: their quality, their proofs and their times.
//!
//! ```text
//! cargo bench --bench solves -- SUITE [ARGUMENTS] [--json FILE]
//! cargo bench --bench solves -- --list
//! ```
//!
//! A suite prints its table, and with `--json` a line for each solve. `SUITE --help` has its
//! arguments. Seconds are without the building of kernels. The device is the first one, or that
//! with the index in `MAKESPAN_BENCH_DEVICE`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "prints tables, and says what is left out"
)]

mod batches;
mod calibration;
#[path = "../common/mod.rs"]
mod common;
mod cutting_stock;
mod deviation;
mod flow_shop_exact;
mod flow_shop_quality;
mod interval;
mod knapsack;
mod knapsack_classes;
mod lattice;
mod limits;
mod parallel_machines;
mod planner;
mod recurrence;
mod regret;
mod replanning;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::common::Result;
use crate::common::log::Log;

/// Whole solves: a table for people and, with --json, a line for each solve
#[derive(Parser)]
#[command(name = "solves")]
struct Arguments {
    #[command(subcommand)]
    suite: Option<Suite>,
    /// Print the names of the suites
    #[arg(long)]
    list: bool,
    /// Append a JSON line for each solve to this file; - is standard output
    #[arg(long, global = true, value_name = "FILE")]
    json: Option<String>,
    // Cargo adds it.
    #[arg(long, global = true, hide = true)]
    bench: bool,
}

#[derive(Subcommand)]
enum Suite {
    Batches(batches::Batches),
    Calibration(calibration::Calibrations),
    CuttingStockClasses(cutting_stock::Classes),
    CuttingStockPlanted(cutting_stock::Planted),
    FlowShopFronts(flow_shop_exact::Fronts),
    FlowShopQuality(flow_shop_quality::Quality),
    FlowShopRates(flow_shop_exact::Rates),
    FlowShopStops(flow_shop_exact::Stops),
    FlowShopTrees(flow_shop_exact::Trees),
    IntervalBatch(interval::Batch),
    IntervalFast(interval::Fast),
    IntervalFolding(interval::Folding),
    IntervalTiles(interval::Tiles),
    KnapsackBatch(knapsack::Batch),
    KnapsackClasses(knapsack::Classes),
    KnapsackDense(knapsack::Dense),
    KnapsackFolder(knapsack::Folder),
    LatticeBatch(lattice::Batch),
    LatticeLarge(lattice::Large),
    LatticeSingle(lattice::Single),
    LatticeUnitSteps(lattice::UnitSteps),
    Limits(limits::Overshoots),
    ParallelMachines(parallel_machines::Families),
    Planner(planner::Planner),
    RecurrenceBatch(recurrence::Batch),
    RecurrenceFast(recurrence::Fast),
    RecurrenceRates(recurrence::Rates),
    Regret(regret::Regret),
    Replanning(replanning::Replanning),
    ReplanningVariants(replanning::Variants),
}

impl Suite {
    fn run(&self, log: &Log) -> Result<()> {
        match self {
            Suite::Batches(suite) => suite.run(log),
            Suite::Calibration(suite) => suite.run(),
            Suite::CuttingStockClasses(suite) => suite.run(log),
            Suite::CuttingStockPlanted(suite) => suite.run(log),
            Suite::FlowShopFronts(suite) => suite.run(log),
            Suite::FlowShopQuality(suite) => suite.run(log),
            Suite::FlowShopRates(suite) => suite.run(log),
            Suite::FlowShopStops(suite) => suite.run(log),
            Suite::FlowShopTrees(suite) => suite.run(log),
            Suite::IntervalBatch(suite) => suite.run(log),
            Suite::IntervalFast(suite) => suite.run(log),
            Suite::IntervalFolding(suite) => suite.run(log),
            Suite::IntervalTiles(suite) => suite.run(log),
            Suite::KnapsackBatch(suite) => suite.run(log),
            Suite::KnapsackClasses(suite) => suite.run(log),
            Suite::KnapsackDense(suite) => suite.run(log),
            Suite::KnapsackFolder(suite) => suite.run(log),
            Suite::LatticeBatch(suite) => suite.run(log),
            Suite::LatticeLarge(suite) => suite.run(log),
            Suite::LatticeSingle(suite) => suite.run(log),
            Suite::LatticeUnitSteps(suite) => suite.run(log),
            Suite::Limits(suite) => suite.run(log),
            Suite::ParallelMachines(suite) => suite.run(log),
            Suite::Planner(suite) => suite.run(log),
            Suite::RecurrenceBatch(suite) => suite.run(log),
            Suite::RecurrenceFast(suite) => suite.run(log),
            Suite::RecurrenceRates(suite) => suite.run(log),
            Suite::Regret(suite) => suite.run(log),
            Suite::Replanning(suite) => suite.run(log),
            Suite::ReplanningVariants(suite) => suite.run(log),
        }
    }
}

fn main() -> Result<()> {
    let matches = Arguments::command().get_matches();
    let Arguments { suite, list, json, .. } = Arguments::from_arg_matches(&matches)?;
    match (suite, matches.subcommand_name()) {
        (Some(suite), Some(name)) if !list => {
            suite.run(&Log::new("solves", name, json.as_deref())?)
        }
        _ => {
            for suite in Arguments::command().get_subcommands() {
                println!("{:22} {}", suite.get_name(), suite.get_about().unwrap_or_default());
            }
            Ok(())
        }
    }
}
