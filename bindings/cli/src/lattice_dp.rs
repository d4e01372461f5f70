//! `makespan lattice-dp`: the lattice dynamic program, and bin packing by it.

use std::path::PathBuf;

use makespan::lattice_dp::{self, Instance, Options, Packing, Traversal, pack, solve};
use serde::Serialize;

use crate::failure::Failure;
use crate::session::{self, Task};
use crate::settings::{Problem, Settings};
use crate::table::Table;
use crate::wording::Wording;

/// Find the cheapest path through a box by offset vectors, or pack items into the fewest containers
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Instance: a line `sizes N...` and lines `offset COST N...`; or a line `capacity C` and lines
    /// `item SIZE COUNT`
    file: PathBuf,
    #[command(flatten)]
    settings: Settings<Options>,
}

/// The path as it is printed.
#[derive(Serialize)]
struct Way {
    /// Positions of the steps' offsets in the file, from 0, from the last cell back.
    offsets: Vec<u32>,
}

/// The packing as it is printed: equal containers together.
#[derive(Serialize)]
struct PrintedPacking {
    containers: Vec<Container>,
}

#[derive(Serialize)]
struct Container {
    /// Number of containers filled this way.
    count: usize,
    /// Number of items of each type.
    items: Vec<u32>,
}

impl Table for Way {
    fn columns(&self) -> Vec<&'static str> {
        vec!["step", "offset"]
    }

    fn rows(&self) -> Box<dyn Iterator<Item = Vec<String>> + '_> {
        let row = |(step, offset): (usize, &u32)| vec![step.to_string(), offset.to_string()];
        Box::new(self.offsets.iter().enumerate().map(row))
    }
}

impl Table for PrintedPacking {
    fn columns(&self) -> Vec<&'static str> {
        vec!["pattern", "containers", "item", "count"]
    }

    /// The items of each pattern.
    fn rows(&self) -> Box<dyn Iterator<Item = Vec<String>> + '_> {
        let items = |(pattern, container): (usize, &'_ Container)| {
            let counts = container.items.iter().enumerate().filter(|&(_, &count)| count > 0);
            let containers = container.count;
            let row = move |(item, count): (usize, &u32)| {
                [pattern, containers, item, *count as usize].map(|number| number.to_string()).into()
            };
            counts.map(row).collect::<Vec<_>>()
        };
        Box::new(self.containers.iter().enumerate().flat_map(items))
    }
}

impl Problem for Options {
    const NAME: &'static str = "lattice-dp";
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Settings { problem: options, common, .. } = &arguments.settings;
    if options.traversal != Traversal::Slabs {
        common.check_one_device()?;
    }
    let problem = session::read(common, &arguments.file, lattice_dp::Problem::parse)?;
    let task = |size, objective| Task {
        problem: "lattice-dp",
        file: &arguments.file,
        wording: Wording::new(size, objective),
        common,
    };
    match problem {
        lattice_dp::Problem::Lattice(lattice) => {
            task(lattice_size(&lattice), "cost").run(
                |context, solve_options| solve(context, &lattice, options, solve_options),
                |solution| Ok(Way { offsets: solution.steps.clone() }),
            )?;
        }
        lattice_dp::Problem::Packing(packing) => {
            task(packing_size(&packing), "containers").run(
                |context, solve_options| pack(context, &packing, options, solve_options),
                |containers| Ok(PrintedPacking::new(containers.clone())),
            )?;
        }
    }
    Ok(())
}

impl PrintedPacking {
    fn new(mut containers: Vec<Vec<u32>>) -> Self {
        containers.sort_unstable_by(|a, b| b.cmp(a));
        let alike = containers.chunk_by(|a, b| a == b);
        let container =
            |alike: &[Vec<u32>]| Container { count: alike.len(), items: alike[0].clone() };
        PrintedPacking { containers: alike.map(container).collect() }
    }
}

fn lattice_size(lattice: &Instance) -> String {
    format!("{} cells of {} dimensions", lattice.cells(), lattice.sizes().len())
}

fn packing_size(packing: &Packing) -> String {
    let items: u64 = packing.counts().iter().copied().map(u64::from).sum();
    format!("{items} items of {} types, capacity {}", packing.counts().len(), packing.capacity())
}
