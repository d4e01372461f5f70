//! `makespan knapsack`: 0-1, bounded and unbounded knapsacks and subset sum.

use std::path::PathBuf;

use clap::ValueEnum;
use makespan::knapsack::{Instance, Method, Options, Solution, solve};
use serde::Serialize;

use crate::answer::{Wording, count};
use crate::failure::Failure;
use crate::options::Common;
use crate::session::{self, Task};

/// The most profit that fits into a capacity
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Instance: `n`, n lines `index profit weight` and the capacity; or `n capacity` and n lines `weight`,
    /// `profit weight` or `profit weight copies`, where copies may be `inf`
    file: PathBuf,
    /// How to solve
    #[arg(long, value_enum, default_value_t)]
    method: MethodChoice,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum MethodChoice {
    /// The core, or the dense table where that is cheaper
    #[default]
    Auto,
    /// Greedy by efficiency, with Dantzig's bound
    Greedy,
    /// Dynamic programming over the items around the break item
    Core,
    /// The table over all capacities
    Dense,
}

/// The choice as it is printed.
#[derive(Serialize)]
struct Choice {
    weight: u64,
    items: Vec<ItemChoice>,
}

#[derive(Serialize)]
struct ItemChoice {
    /// Position of the item in the file, from 0.
    item: usize,
    profit: u64,
    weight: u64,
    /// Copies taken.
    count: u64,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let instance = session::read(&arguments.common, &arguments.file, Instance::read)?;
    let options = Options {
        method: match arguments.method {
            MethodChoice::Auto => Method::Auto,
            MethodChoice::Greedy => Method::Greedy,
            MethodChoice::Core => Method::Core,
            MethodChoice::Dense => Method::Dense,
        },
    };
    let size = format!("{}, capacity {}", count(instance.items(), "item"), instance.capacity());
    let task = Task {
        problem: "knapsack",
        file: &arguments.file,
        wording: Wording { size, objective: "profit" },
        common: &arguments.common,
    };
    task.run(
        |context, solve_options| solve(context, &instance, &options, solve_options),
        |solution| Ok(Choice::new(&instance, solution)),
    )?;
    Ok(())
}

impl Choice {
    fn new(instance: &Instance, solution: &Solution) -> Self {
        let taken = solution.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let choice = |(item, &count)| {
            let (profit, weight) = (instance.profits()[item], instance.weights()[item]);
            ItemChoice { item, profit, weight, count }
        };
        let items: Vec<ItemChoice> = taken.map(choice).collect();
        Choice { weight: items.iter().map(|item| item.weight * item.count).sum(), items }
    }
}
