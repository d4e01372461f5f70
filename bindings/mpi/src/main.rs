//! `makespan-mpi`: the flow shop on many machines by MPI.
//!
//! Every rank runs the same command and reads the same files. Rank 0 coordinates, works, and prints
//! the result. Its main thread makes all calls of MPI, as those of the other ranks do.

mod attempts;
mod batch;
mod launcher;
mod link;
mod message;
mod proof;
mod search;
#[cfg(ulfm)]
mod ulfm;

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use makespan::flow_shop::Method;
use makespan_cli::failure::{self, Failure};
use makespan_cli::{console, flow_shop};
use mpi::Threading;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

/// The permutation flow shop on many machines: mpirun -n 8 makespan-mpi flow-shop ta056
#[derive(Parser)]
#[command(name = "makespan-mpi", version)]
struct Arguments {
    #[command(flatten)]
    attempts: attempts::Arguments,
    /// Let this many ranks of a host share a device: rank 0 of the host and those after it take the
    /// first one, and so on
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    ranks_per_device: Option<u32>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one value of it, made once")]
enum Command {
    FlowShop(flow_shop::Arguments),
    /// Solve many files, each on one rank; print a JSON object for each
    Batch {
        /// Instances, as for flow-shop
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Arguments of flow-shop for each file
        #[arg(last = true)]
        arguments: Vec<String>,
    },
}

fn main() {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() => {
            console::write_error(&format!("makespan-mpi: {}", error.render()));
            console::leave(2);
        }
        Err(help) => {
            let code = makespan_cli::conclude(console::write(&help.render().to_string()));
            console::leave(code.into());
        }
    };
    if let Some(code) = attempts::run(&arguments.attempts) {
        console::leave(code);
    }
    let start = || mpi::initialize_with_threading(Threading::Funneled);
    #[cfg(ulfm)]
    let start = || ulfm::watched(start);
    let Some((universe, threading)) = start() else {
        console::write_error("makespan-mpi: error: MPI does not start\n");
        console::leave(1);
    };
    let world = universe.world();
    let ran = match threading < Threading::Funneled {
        true => Err(Failure::other("this MPI allows no threads without MPI calls")),
        false => run(arguments, &world),
    };
    if let Err(failure) = ran {
        let code = match makespan_cli::conclude(Err(failure)) {
            failure::USAGE => failure::USAGE.into(),
            _ => attempts::FAILED,
        };
        // The other ranks would wait for this one.
        world.abort(code);
    }
    drop(universe);
    console::leave(0);
}

fn run(mut arguments: Arguments, world: &SimpleCommunicator) -> Result<(), Failure> {
    let device = arguments.ranks_per_device.map(own_device).transpose()?;
    match &mut arguments.command {
        Command::FlowShop(flow_shop) => {
            if let Some(device) = device {
                flow_shop.use_device(device);
            }
            flow_shop.shift_seed(world.rank().unsigned_abs().into());
            let task = flow_shop.read()?;
            match task.options().method {
                Method::BranchAndBound => proof::run(&task, world),
                _ => search::run(&task, world),
            }
        }
        Command::Batch { files, arguments } => batch::run(files, arguments, device, world),
    }
}

/// The device of this rank, by its number among those of its host.
fn own_device(ranks: u32) -> Result<usize, Failure> {
    const NAMES: [&str; 4] = [
        "OMPI_COMM_WORLD_LOCAL_RANK",
        "MPI_LOCALRANKID",
        "MV2_COMM_WORLD_LOCAL_RANK",
        "SLURM_LOCALID",
    ];
    let number = NAMES.iter().find_map(|name| std::env::var(name).ok()?.parse::<u32>().ok());
    let number = number.ok_or_else(|| {
        Failure::usage("--ranks-per-device: the launcher does not number the ranks of a host")
    })?;
    Ok((number / ranks) as usize)
}
