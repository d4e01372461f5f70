//! The `makespan` command: reads the field's instance files, solves them and prints, saves or draws
//! the result. `makespan-mpi` shares its arguments, its output and the distribution of work. The
//! functions here serve these two programs; the library for others is `makespan`.
//!
//! Exit code 0 means a result, even if a limit cut it short; 2 means bad input or usage, 1 any
//! other failure. Standard output has nothing but the result.

mod answer;
mod arguments;
mod columns;
pub mod console;
mod cutting_stock;
mod devices;
pub mod distribution;
mod enumeration;
pub mod failure;
mod files;
pub mod flow_shop;
mod gantt;
mod generate;
mod interval_dp;
mod knapsack;
mod labels;
mod lattice_dp;
mod listing;
mod multidimensional_knapsack;
mod names;
mod options;
mod parallel_machines;
mod prewarm;
pub mod progress;
mod recurrence;
mod report;
mod session;
mod settings;
mod sheet;
mod svg;
mod table;
mod tune;
mod wording;
mod work;

use std::hint;

use clap::{CommandFactory, Parser, Subcommand};

use crate::failure::Failure;
use crate::settings::{Listed, listed};

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
    #[command(hide = true)]
    Generate(generate::Arguments),
    Knapsack(knapsack::Arguments),
    LatticeDp(lattice_dp::Arguments),
    IntervalDp(interval_dp::Arguments),
    MultidimensionalKnapsack(multidimensional_knapsack::Arguments),
    Options(listing::Arguments),
    ParallelMachines(parallel_machines::Arguments),
    Prewarm(prewarm::Arguments),
    Recurrence(recurrence::Arguments),
    Tune(tune::Arguments),
    Work(work::Arguments),
}

/// The problems in lists of options.
const PROBLEMS: &[Listed] = &[
    listed::<makespan::cutting_stock::Options>(),
    listed::<makespan::flow_shop::Options>(),
    listed::<makespan::interval_dp::Options>(),
    listed::<makespan::knapsack::Options>(),
    listed::<makespan::lattice_dp::Options>(),
    listed::<makespan::multidimensional_knapsack::Options>(),
    listed::<makespan::parallel_machines::Options>(),
    listed::<makespan::recurrence::Options>(),
];

/// Bytes for the arguments and their help, which the parser allocates without a check.
const HEADROOM: usize = 4 << 20;

/// The command.
pub fn main() {
    if hint::black_box(Vec::<u8>::new().try_reserve_exact(HEADROOM)).is_err() {
        console::write_error("makespan: error: there is too little memory to start\n");
        console::leave(1);
    }
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
        Command::Generate(arguments) => generate::run(arguments),
        Command::Knapsack(arguments) => knapsack::run(arguments),
        Command::LatticeDp(arguments) => lattice_dp::run(arguments),
        Command::IntervalDp(arguments) => interval_dp::run(arguments),
        Command::MultidimensionalKnapsack(arguments) => multidimensional_knapsack::run(arguments),
        Command::Options(arguments) => listing::run(arguments),
        Command::ParallelMachines(arguments) => parallel_machines::run(arguments),
        Command::Prewarm(arguments) => prewarm::run(arguments),
        Command::Recurrence(arguments) => recurrence::run(arguments),
        Command::Tune(arguments) => tune::run(arguments),
        Command::Work(arguments) => work::run(arguments),
    }
}

/// The command's argument for a name in the library, without its dashes.
fn long_argument(name: &str) -> Option<String> {
    let command = Arguments::command();
    let mut all = command.get_subcommands().flat_map(|problem| problem.get_arguments());
    all.find(|argument| argument.get_id() == name)?.get_long().map(str::to_owned)
}

/// Reports a failure. Returns the exit code.
pub fn conclude(result: Result<(), Failure>) -> u8 {
    match result {
        Ok(()) => 0,
        Err(failure) => {
            console::write_error(&format!("makespan: error: {failure}"));
            failure.exit_code()
        }
    }
}
