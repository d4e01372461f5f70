//! `makespan knapsack`: 0-1, bounded and unbounded knapsacks and subset sum.

use std::path::{Path, PathBuf};

use makespan::knapsack::{Batch, Instance, Method, Options, Solution, solve, solve_profits};
use serde::Serialize;

use crate::answer::count;
use crate::arguments;
use crate::failure::Failure;
use crate::labels::Labels;
use crate::names;
use crate::session::{self, Task};
use crate::settings::{Problem, Settings};
use crate::sheet::{self, FormatOption, Sheet};
use crate::table::Table;
use crate::wording::Wording;

/// Choose items with the largest profit that fit into a capacity
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Instance: `n`, then n lines `index profit weight`, then the capacity; or `n capacity`, then
    /// n lines `weight`, `profit weight` or `profit weight copies`, where copies may be `inf`; or
    /// CSV with a column weight, and as needed item (a name), profit and copies
    file: PathBuf,
    #[command(flatten)]
    format: FormatOption,
    /// Capacity for the items of a CSV file
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    capacity: Option<u64>,
    #[command(flatten)]
    settings: Settings<Options>,
    /// Copies of each item that are packed already, such as "0 2 1", or a file with them
    #[arg(long, value_name = "LIST|FILE", value_parser = parse_pinned)]
    pinned: Option<Solution>,
    /// Solve one knapsack for each row of profits in this file, with the weights, copies and
    /// capacity of FILE
    #[arg(long, value_name = "ROWS")]
    profits: Option<PathBuf>,
}

/// An instance with the names of its items.
struct Named {
    instance: Instance,
    items: Labels,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
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
    if arguments.profits.is_none() {
        common.check_one_device()?;
    }
    if options.method == Method::Greedy {
        common.check_no_iterations(options.method.name())?;
    }
    if arguments.profits.is_some() && arguments.settings.is_given("method") {
        return Err(Failure::usage("--profits has its own method and takes no --method"));
    }
    if arguments.profits.is_some() && options.start.is_some() {
        return Err(Failure::usage("--profits takes no --start"));
    }
    if arguments.profits.is_some() && arguments.pinned.is_some() {
        return Err(Failure::usage("--profits takes no --pinned"));
    }
    let mut named = instance(arguments)?;
    if let Some(pinned) = &arguments.pinned {
        named.instance = named.instance.with_pinned(pinned.counts.clone())?;
    }
    let instance = &named.instance;
    if let Some(rows) = &arguments.profits {
        return run_batch(arguments, &named, rows);
    }
    let size = format!("{}, capacity {}", count(instance.items(), "item"), instance.capacity());
    let task = Task {
        problem: "knapsack",
        file: &arguments.file,
        wording: Wording::new(size, "profit"),
        common,
    };
    task.run_with_table(
        |context, solve_options| solve(context, instance, options, solve_options),
        |solution| Ok(Choice::new(&named, solution)),
    )?;
    Ok(())
}

fn parse_pinned(text: &str) -> Result<Solution, String> {
    let options: Options = arguments::with_list("start", text)?;
    Ok(options.start.unwrap_or(Solution { counts: Vec::new() }))
}

fn instance(arguments: &Arguments) -> Result<Named, Failure> {
    let (file, common) = (&arguments.file, &arguments.settings.common);
    if !arguments.format.is_csv(file) {
        sheet::refuse_for_others(arguments.capacity.is_some(), "capacity", file)?;
        let instance = session::read(common, file, Instance::parse)?;
        return Ok(Named { instance, items: Labels::default() });
    }
    let capacity = sheet::lacking(arguments.capacity, "capacity", file)?;
    session::read(common, file, |text| {
        let sheet = Sheet::parse(text)?;
        sheet.check_columns(&["item", "profit", "weight", "copies"])?;
        let weights: Vec<u64> = sheet.needed("weight")?;
        let profits = sheet.numbers("profit")?.unwrap_or_else(|| weights.clone());
        let copies = sheet.numbers_or_inf("copies", Instance::UNBOUNDED)?;
        let copies = copies.unwrap_or_else(|| vec![1; weights.len()]);
        let instance = Instance::bounded(profits, weights, copies, capacity)
            .map_err(|error| sheet.locate(error, &[("copies", "copies")]))?;
        Ok(Named { instance, items: sheet.labels("item") })
    })
}

fn run_batch(arguments: &Arguments, named: &Named, rows: &Path) -> Result<(), Failure> {
    let (common, instance) = (&arguments.settings.common, &named.instance);
    let profits = session::read(common, rows, |text| instance.parse_profits(text))?;
    if profits.is_empty() {
        return Err(Failure::usage(format!("{}: there are no profits", names::shown(rows))));
    }
    let items = count(instance.items(), "item");
    let knapsacks = count(profits.len() / instance.items().max(1), "knapsack");
    let task = Task {
        problem: "knapsack",
        file: &arguments.file,
        wording: Wording::new(
            format!("{knapsacks} of {items}, capacity {}", instance.capacity()),
            "total profit",
        ),
        common,
    };
    task.run_with_table(
        |context, solve_options| solve_profits(context, instance, &profits, solve_options),
        |batch| Ok(Choices::new(named, &profits, batch)),
    )?;
    Ok(())
}

/// One choice for each instance of a batch.
#[derive(Serialize)]
#[serde(transparent)]
struct Choices(Vec<Choice>);

impl Choices {
    fn new(named: &Named, profits: &[u64], batch: &Batch) -> Self {
        let items = named.instance.items().max(1);
        let own = profits.chunks(items).zip(batch.counts.chunks(items)).zip(&batch.profits);
        let choice = |((profits, counts), &profit): ((&[u64], &[u64]), &u64)| {
            let choice = Choice::of(named, profits, counts.iter().copied());
            Choice { profit: Some(profit), ..choice }
        };
        Choices(own.map(choice).collect())
    }
}

impl Table for Choices {
    fn columns(&self) -> Vec<&'static str> {
        vec!["knapsack", "item", "profit", "weight", "count"]
    }

    fn rows(&self) -> Box<dyn Iterator<Item = Vec<String>> + '_> {
        let rows = |(knapsack, choice): (usize, &'_ Choice)| {
            let number = move |row| [vec![knapsack.to_string()], row].concat();
            choice.rows().map(number).collect::<Vec<_>>()
        };
        Box::new(self.0.iter().enumerate().flat_map(rows))
    }
}

impl Table for Choice {
    fn columns(&self) -> Vec<&'static str> {
        vec!["item", "profit", "weight", "count"]
    }

    fn rows(&self) -> Box<dyn Iterator<Item = Vec<String>> + '_> {
        Box::new(self.items.iter().map(|item| {
            let name = item.name.clone().unwrap_or_else(|| item.item.to_string());
            let numbers = [item.profit, item.weight, item.count].map(|number| number.to_string());
            [name].into_iter().chain(numbers).collect()
        }))
    }
}

impl Choice {
    fn new(named: &Named, solution: &Solution) -> Self {
        Choice::of(named, named.instance.profits(), solution.counts.iter().copied())
    }

    fn of(named: &Named, profits: &[u64], counts: impl Iterator<Item = u64>) -> Self {
        let choice = |(item, count)| {
            let (profit, weight) = (profits[item], named.instance.weights()[item]);
            let name = named.items.name(item).map(str::to_owned);
            ItemChoice { item, name, profit, weight, count }
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
