//! `makespan lattice-dp`: the lattice dynamic program, and bin packing by it.

use std::path::PathBuf;

use clap::ValueEnum;
use makespan::lattice_dp::{Instance, Options, Packing, Problem, Recurrence, pack, solve};
use serde::Serialize;

use crate::answer::{Answer, Wording};
use crate::failure::Failure;
use crate::files;
use crate::options::Common;
use crate::session;

/// The cheapest way through a box by offset vectors; or items packed into the fewest containers
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Problem: a line `sizes N...` and lines `offset COST N...`; or a line `capacity C` and lines `item SIZE COUNT`
    file: PathBuf,
    /// How to fill the table of a packing
    #[arg(long, value_enum, default_value_t)]
    recurrence: RecurrenceChoice,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum RecurrenceChoice {
    /// A step fills a container, in any of all possible ways
    #[default]
    Configurations,
    /// A step adds one item: for containers of many items
    UnitSteps,
}

/// The way as it is printed.
#[derive(Serialize)]
struct Way {
    /// Positions of the steps' offsets in the file, from 0, from the last cell back.
    offsets: Vec<u32>,
}

/// The packing as it is printed: equal containers together.
#[derive(Serialize)]
struct Plan {
    containers: Vec<Container>,
}

#[derive(Serialize)]
struct Container {
    /// Number of containers filled this way.
    count: usize,
    /// Number of items of each type.
    items: Vec<u32>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let common = &arguments.common;
    if let Some(output) = &common.output {
        output.check_input(&arguments.file)?;
    }
    let problem = Problem::read(&arguments.file).map_err(|error| Failure::reading(&arguments.file, error))?;
    let name = files::instance_name(&arguments.file);
    match problem {
        Problem::Lattice(lattice) => {
            let outcome = session::solve(common, |context, solve_options| {
                solve(context, &lattice, &Options::default(), solve_options)
            })?;
            let way = outcome.solution.as_ref().map(|solution| Way { offsets: solution.steps.clone() });
            let wording = Wording { size: lattice_size(&lattice), objective: "cost" };
            Answer::new("lattice-dp", &name, &outcome, way.as_ref()).publish(common, &wording)
        }
        Problem::Packing(packing) => {
            let recurrence = match arguments.recurrence {
                RecurrenceChoice::Configurations => Recurrence::Configurations,
                RecurrenceChoice::UnitSteps => Recurrence::UnitSteps,
            };
            let outcome = session::solve(common, |context, solve_options| {
                pack(context, &packing, recurrence, solve_options)
            })?;
            let plan = outcome.solution.as_ref().map(|containers| Plan::new(containers.clone()));
            let wording = Wording { size: packing_size(&packing), objective: "containers" };
            Answer::new("lattice-dp", &name, &outcome, plan.as_ref()).publish(common, &wording)
        }
    }
}

impl Plan {
    fn new(mut containers: Vec<Vec<u32>>) -> Self {
        containers.sort_unstable_by(|a, b| b.cmp(a));
        let alike = containers.chunk_by(|a, b| a == b);
        let container = |alike: &[Vec<u32>]| Container { count: alike.len(), items: alike[0].clone() };
        Plan { containers: alike.map(container).collect() }
    }
}

fn lattice_size(lattice: &Instance) -> String {
    format!("{} cells of {} dimensions", lattice.cells(), lattice.sizes().len())
}

fn packing_size(packing: &Packing) -> String {
    let items: u64 = packing.counts().iter().copied().map(u64::from).sum();
    format!("{items} items of {} types, capacity {}", packing.counts().len(), packing.capacity())
}
