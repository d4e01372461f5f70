//! Many files, each on one rank.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use clap::{Args, Command, FromArgMatches};
use makespan_cli::console;
use makespan_cli::failure::Failure;
use makespan_cli::flow_shop;
use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, Source};

/// The tags of a rank that asks for a file, and of the file's number.
const ASK: i32 = 5;
const FILE: i32 = 6;
/// No file is left.
const NONE: i64 = -1;
/// Pause of rank 0 between two looks for messages.
const POLL: Duration = Duration::from_micros(500);

pub(crate) fn run(
    files: &[PathBuf],
    arguments: &[String],
    device: Option<usize>,
    world: &SimpleCommunicator,
) -> Result<(), Failure> {
    let fails = |file: &PathBuf| u64::from(!is_solved(file, arguments, device));
    let failed = match (world.size(), world.rank()) {
        (1, _) => files.iter().map(fails).sum(),
        (_, 0) => {
            deal(files.len(), world);
            0
        }
        _ => asked_for(files, world).map(fails).sum(),
    };
    // A rank that ended with a failure before the others would end them, too.
    let mut all = 0u64;
    world.all_reduce_into(&failed, &mut all, SystemOperation::sum());
    match all {
        0 => Ok(()),
        _ if world.rank() > 0 => Ok(()),
        _ => Err(Failure::other(format!("{all} of {} files were not solved", files.len()))),
    }
}

/// The files that this rank gets, one after the other.
fn asked_for<'f>(
    files: &'f [PathBuf],
    world: &SimpleCommunicator,
) -> impl Iterator<Item = &'f PathBuf> {
    std::iter::from_fn(|| {
        world.process_at_rank(0).send_with_tag(&0i64, ASK);
        let (number, _) = world.process_at_rank(0).receive_with_tag::<i64>(FILE);
        usize::try_from(number).ok().and_then(|number| files.get(number))
    })
}

/// Solves a file, or reports why not: the others are solved all the same.
fn is_solved(file: &Path, arguments: &[String], device: Option<usize>) -> bool {
    let solved = solve(file, arguments, device);
    if let Err(failure) = &solved {
        console::write_error(&format!("makespan-mpi: error: {}: {failure}\n", file.display()));
    }
    solved.is_ok()
}

/// Gives every rank that asks the next file, and at last none.
fn deal(count: usize, world: &SimpleCommunicator) {
    let (mut next, mut working) = (0i64, world.size() - 1);
    while working > 0 {
        let Some(asking) = world.any_process().immediate_probe_with_tag(ASK) else {
            thread::sleep(POLL);
            continue;
        };
        let rank = world.process_at_rank(asking.source_rank());
        let _: (i64, _) = rank.receive_with_tag(ASK);
        if next < count as i64 {
            rank.send_with_tag(&next, FILE);
            next += 1;
        } else {
            rank.send_with_tag(&NONE, FILE);
            working -= 1;
        }
    }
}

/// Solves one file and prints its JSON object.
fn solve(file: &Path, arguments: &[String], device: Option<usize>) -> Result<(), Failure> {
    let command = flow_shop::Arguments::augment_args(Command::new("flow-shop"));
    let name = ["flow-shop".as_ref(), file.as_os_str()];
    let words = name.into_iter().chain(arguments.iter().map(AsRef::as_ref));
    let json = (!arguments.iter().any(|word| word == "--json")).then_some("--json".as_ref());
    let usage = |error: clap::Error| Failure::usage(error.to_string());
    let matches = command.try_get_matches_from(words.chain(json)).map_err(usage)?;
    let mut parsed = flow_shop::Arguments::from_arg_matches(&matches).map_err(usage)?;
    if let Some(device) = device {
        parsed.use_device(device);
    }
    let task = parsed.read()?;
    let (instance, options) = (task.instance(), task.options());
    task.publish(|context, given| makespan::flow_shop::solve(context, instance, options, given))
}
