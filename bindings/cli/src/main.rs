//! The `makespan` command: reads the field's instance files, solves them and prints, saves or draws
//! the result.
//!
//! Exit code 0 means a result, even if a limit cut it short; 2 means bad input or usage, 1 any
//! other failure. Standard output has nothing but the result.

mod answer;
mod console;
mod cutting_stock;
mod devices;
mod enumeration;
mod failure;
mod files;
mod flow_shop;
mod gantt;
mod interval_dp;
mod knapsack;
mod lattice_dp;
mod names;
mod options;
mod parallel_machines;
mod progress;
mod recurrence;
mod session;
mod traversal;

use clap::{Parser, Subcommand};

use crate::failure::Failure;

/// Production scheduling and the dynamic programs behind it
#[derive(Parser)]
#[command(name = "makespan", version, arg_required_else_help = false)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one value of it, made once")]
enum Command {
    CuttingStock(cutting_stock::Arguments),
    Devices(devices::Arguments),
    FlowShop(flow_shop::Arguments),
    Knapsack(knapsack::Arguments),
    LatticeDp(lattice_dp::Arguments),
    IntervalDp(interval_dp::Arguments),
    ParallelMachines(parallel_machines::Arguments),
    Recurrence(recurrence::Arguments),
}

fn main() {
    let code = match Arguments::try_parse() {
        Ok(arguments) => conclude(run(&arguments.command)),
        Err(error) if error.use_stderr() => {
            console::write_error(&format!("makespan: {}", error.render()));
            failure::USAGE
        }
        Err(help) => conclude(console::write(&help.render().to_string())),
    };
    console::leave(code.into());
}

fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::CuttingStock(arguments) => cutting_stock::run(arguments),
        Command::Devices(arguments) => devices::run(arguments),
        Command::FlowShop(arguments) => flow_shop::run(arguments),
        Command::Knapsack(arguments) => knapsack::run(arguments),
        Command::LatticeDp(arguments) => lattice_dp::run(arguments),
        Command::IntervalDp(arguments) => interval_dp::run(arguments),
        Command::ParallelMachines(arguments) => parallel_machines::run(arguments),
        Command::Recurrence(arguments) => recurrence::run(arguments),
    }
}

fn conclude(result: Result<(), Failure>) -> u8 {
    match result {
        Ok(()) => 0,
        Err(failure) => {
            console::write_error(&format!("makespan: error: {failure}"));
            failure.exit_code()
        }
    }
}
