//! `makespan single-machine`: jobs with weights on one machine.

use std::path::PathBuf;

use makespan::single_machine::{Instance, Options, solve};
use serde::Serialize;

use crate::answer::{Wording, count};
use crate::failure::Failure;
use crate::files;
use crate::session::{self, Task};
use crate::settings::{Problem, Settings};

/// Sequence jobs on one machine, the sum of weighted completion times least
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Instance: `n`, then n lines of a time and a weight
    #[arg(value_parser = files::instance_path())]
    file: PathBuf,
    #[command(flatten)]
    settings: Settings<Options>,
}

/// The sequence as it is printed.
#[derive(Serialize)]
struct Plan {
    order: Vec<u32>,
}

impl Problem for Options {
    const NAME: &'static str = "single-machine";
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Settings { problem: options, common, .. } = &arguments.settings;
    common.check_one_device()?;
    let instance = session::read(common, &arguments.file, Instance::read)?;
    let task = Task {
        problem: "single-machine",
        file: &arguments.file,
        wording: Wording { size: count(instance.jobs(), "job"), objective: "cost" },
        common,
    };
    task.run(
        |context, solve_options| solve(context, &instance, options, solve_options),
        |sequence| Ok(Plan { order: sequence.order().to_vec() }),
    )?;
    Ok(())
}
