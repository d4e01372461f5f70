//! `makespan knapsack`: 0-1, bounded and unbounded knapsacks and subset sum.

use std::path::{Path, PathBuf};

use makespan::knapsack::{Batch, Instance, Method, Options, Solution, solve, solve_profits};
use serde::Serialize;

use crate::answer::{Wording, count};
use crate::failure::Failure;
use crate::files;
use crate::names;
use crate::session::{self, Task};
use crate::settings::{Problem, Settings};

/// Choose items with the largest profit that fit into a capacity
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Instance: `n`, then n lines `index profit weight`, then the capacity; or `n capacity`, then
    /// n lines `weight`, `profit weight` or `profit weight copies`, where copies may be `inf`
    #[arg(value_parser = files::instance_path())]
    file: PathBuf,
    #[command(flatten)]
    settings: Settings<Options>,
    /// Solve one knapsack for each row of profits in this file, with the weights, copies and
    /// capacity of FILE
    #[arg(long, value_name = "ROWS")]
    profits: Option<PathBuf>,
}

/// The choice as it is printed.
#[derive(Serialize)]
struct Choice {
    #[serde(skip_serializing_if = "Option::is_none")]
    profit: Option<u64>,
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

impl Problem for Options {
    const NAME: &'static str = "knapsack";
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Settings { problem: options, common, .. } = &arguments.settings;
    common.check_one_device()?;
    if options.method == Method::Greedy {
        common.check_no_iterations(options.method.name())?;
    }
    if arguments.profits.is_some() && arguments.settings.is_given("method") {
        return Err(Failure::usage("--profits has its own method and takes no --method"));
    }
    let instance = session::read(common, &arguments.file, Instance::read)?;
    if let Some(rows) = &arguments.profits {
        return run_batch(arguments, &instance, rows);
    }
    let size = format!("{}, capacity {}", count(instance.items(), "item"), instance.capacity());
    let task = Task {
        problem: "knapsack",
        file: &arguments.file,
        wording: Wording { size, objective: "profit" },
        common,
    };
    task.run(
        |context, solve_options| solve(context, &instance, options, solve_options),
        |solution| Ok(Choice::new(&instance, solution)),
    )?;
    Ok(())
}

fn run_batch(arguments: &Arguments, instance: &Instance, rows: &Path) -> Result<(), Failure> {
    let common = &arguments.settings.common;
    let profits = session::read(common, rows, |path| instance.read_profits(path))?;
    if profits.is_empty() {
        return Err(Failure::usage(format!("{}: there are no profits", names::shown(rows))));
    }
    let items = count(instance.items(), "item");
    let knapsacks = count(profits.len() / instance.items().max(1), "knapsack");
    let task = Task {
        problem: "knapsack",
        file: &arguments.file,
        wording: Wording {
            size: format!("{knapsacks} of {items}, capacity {}", instance.capacity()),
            objective: "total profit",
        },
        common,
    };
    task.run(
        |context, solve_options| solve_profits(context, instance, &profits, solve_options),
        |batch| Ok(Choice::of_batch(instance, &profits, batch)),
    )?;
    Ok(())
}

impl Choice {
    fn new(instance: &Instance, solution: &Solution) -> Self {
        Choice::of(instance, instance.profits(), solution.counts.iter().copied())
    }

    /// One for each instance of a batch.
    fn of_batch(instance: &Instance, profits: &[u64], batch: &Batch) -> Vec<Self> {
        let items = instance.items().max(1);
        let own = profits.chunks(items).zip(batch.counts.chunks(items)).zip(&batch.profits);
        let choice = |((profits, counts), &profit): ((&[u64], &[u32]), &u64)| {
            let choice = Choice::of(instance, profits, counts.iter().map(|&count| count.into()));
            Choice { profit: Some(profit), ..choice }
        };
        own.map(choice).collect()
    }

    fn of(instance: &Instance, profits: &[u64], counts: impl Iterator<Item = u64>) -> Self {
        let choice = |(item, count)| {
            let (profit, weight) = (profits[item], instance.weights()[item]);
            ItemChoice { item, profit, weight, count }
        };
        let items: Vec<ItemChoice> =
            counts.enumerate().filter(|(_, count)| *count > 0).map(choice).collect();
        Choice {
            profit: None,
            weight: items.iter().map(|item| item.weight * item.count).sum(),
            items,
        }
    }
}
