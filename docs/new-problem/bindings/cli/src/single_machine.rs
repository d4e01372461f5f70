//! `makespan single-machine`: jobs with weights on one machine.

use std::path::PathBuf;

use makespan::single_machine::{Instance, Options, solve};
use serde::Serialize;

use crate::answer::count;
use crate::failure::Failure;
use crate::session::{self, Task};
use crate::settings::{Problem, Settings};
use crate::table::Table;
use crate::wording::Wording;

/// Sequence jobs on one machine, the sum of weighted completion times least
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Instance: `n`, then n lines of a time and a weight
    file: PathBuf,
    #[command(flatten)]
    settings: Settings<Options>,
}

/// The sequence as it is printed.
#[derive(Serialize)]
struct Plan {
    order: Vec<u32>,
}

impl Table for Plan {
    fn columns(&self) -> Vec<&'static str> {
        vec!["position", "job"]
    }

    fn rows(&self) -> Box<dyn Iterator<Item = Vec<String>> + '_> {
        let row = |(position, job): (usize, &u32)| vec![position.to_string(), job.to_string()];
        Box::new(self.order.iter().enumerate().map(row))
    }
}

impl Problem for Options {
    const NAME: &'static str = "single-machine";
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Settings { problem: options, common, .. } = &arguments.settings;
    common.check_one_device()?;
    let instance = session::read(common, &arguments.file, Instance::parse)?;
    let task = Task {
        problem: "single-machine",
        file: &arguments.file,
        wording: Wording::new(count(instance.jobs(), "job"), "cost"),
        common,
    };
    task.run_with_table(
        |context, solve_options| solve(context, &instance, options, solve_options),
        |sequence| Ok(Plan { order: sequence.order().to_vec() }),
    )?;
    Ok(())
}
