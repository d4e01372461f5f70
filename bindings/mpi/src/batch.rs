//! Many files, each on one rank.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use clap::{Args, Command, FromArgMatches};
use makespan_cli::failure::Failure;
use makespan_cli::flow_shop;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};

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
    if world.size() == 1 {
        return files.iter().try_for_each(|file| solve(file, arguments, device));
    }
    if world.rank() == 0 {
        deal(files.len(), world);
        return Ok(());
    }
    loop {
        world.process_at_rank(0).send_with_tag(&0i64, ASK);
        let (number, _) = world.process_at_rank(0).receive_with_tag::<i64>(FILE);
        let Some(file) = usize::try_from(number).ok().and_then(|number| files.get(number)) else {
            return Ok(());
        };
        solve(file, arguments, device)?;
    }
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
