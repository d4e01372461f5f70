//! `makespan multidimensional-knapsack`: the largest profit of items that fit into several
//! capacities.

use std::path::PathBuf;

use makespan::multidimensional_knapsack::{Instance, Method, Options, Selection, solve};
use serde::Serialize;

use crate::answer::count;
use crate::failure::Failure;
use crate::session::{self, Task};
use crate::settings::{Problem, Settings};
use crate::table::Table;
use crate::wording::Wording;

/// Choose items that fit into several capacities, the largest profit
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Instance in the format of the OR-Library: `n m optimum`, then n profits, m rows of n
    /// weights, m capacities
    file: PathBuf,
    #[command(flatten)]
    settings: Settings<Options>,
}

/// The choice as it is printed.
#[derive(Serialize)]
struct Choice {
    /// In each dimension.
    weights: Vec<u64>,
    items: Vec<ItemChoice>,
}

#[derive(Serialize)]
struct ItemChoice {
    /// Position of the item in the file, from 0.
    item: usize,
    profit: u64,
    weights: Vec<u64>,
}

impl Choice {
    fn new(instance: &Instance, selection: &Selection) -> Self {
        let all = instance.items();
        let taken = selection.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let items: Vec<ItemChoice> = taken
            .map(|(item, _)| ItemChoice {
                item,
                profit: instance.profits()[item],
                weights: instance.weights().iter().skip(item).step_by(all).copied().collect(),
            })
            .collect();
        let weight = |dimension| items.iter().map(|item| item.weights[dimension]).sum();
        Choice { weights: (0..instance.dimensions()).map(weight).collect(), items }
    }
}

impl Table for Choice {
    fn columns(&self) -> Vec<&'static str> {
        vec!["item", "profit", "weights"]
    }

    fn rows(&self) -> Box<dyn Iterator<Item = Vec<String>> + '_> {
        Box::new(self.items.iter().map(|item| {
            let weights: Vec<String> = item.weights.iter().map(u64::to_string).collect();
            vec![item.item.to_string(), item.profit.to_string(), weights.join(" ")]
        }))
    }
}

impl Problem for Options {
    const NAME: &'static str = "multidimensional-knapsack";
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Settings { problem: options, common, .. } = &arguments.settings;
    common.check_one_device()?;
    if options.method == Method::Greedy {
        common.check_no_iterations(options.method.name())?;
    }
    let instance = session::read(common, &arguments.file, Instance::parse)?;
    let dimensions = count(instance.dimensions(), "dimension");
    let task = Task {
        problem: "multidimensional-knapsack",
        file: &arguments.file,
        wording: Wording::new(
            format!("{}, {dimensions}", count(instance.items(), "item")),
            "profit",
        ),
        common,
    };
    task.run_with_table(
        |context, solve_options| solve(context, &instance, options, solve_options),
        |selection| Ok(Choice::new(&instance, selection)),
    )?;
    Ok(())
}
