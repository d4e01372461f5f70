//! `makespan cutting-stock`: one-dimensional cutting stock and bin packing.

use std::path::PathBuf;

use makespan::cutting_stock::{Instance, Method, Options, Pattern, solve};
use serde::Serialize;

use crate::answer::{Wording, count};
use crate::failure::Failure;
use crate::files;
use crate::session::{self, Task};
use crate::settings::{Problem, Settings};

/// Cut items from as few stock pieces as possible; items with demand 1 are packed into bins
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Instance of BPPLIB: `n c`, then n lengths; or `n c`, then n lines with a length and its
    /// demand
    #[arg(value_parser = files::instance_path())]
    file: PathBuf,
    #[command(flatten)]
    settings: Settings<Options>,
}

/// The packing as it is printed.
#[derive(Serialize)]
struct PrintedPacking {
    patterns: Vec<PrintedPattern>,
}

#[derive(Serialize)]
struct PrintedPattern {
    /// Number of stock pieces cut this way.
    count: u32,
    /// Items cut from each piece.
    items: Vec<PrintedItem>,
    /// Length left over of each piece.
    waste: u64,
}

#[derive(Serialize)]
struct PrintedItem {
    /// Position of the item type in the file, from 0.
    #[serde(rename = "type")]
    item: u32,
    length: u64,
    count: u32,
}

impl Problem for Options {
    const NAME: &'static str = "cutting-stock";
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Settings { problem: options, common, .. } = &arguments.settings;
    common.check_one_device()?;
    if options.method == Method::Ffd {
        common.check_no_iterations(options.method.name())?;
    }
    let instance = session::read(common, &arguments.file, Instance::read)?;
    let task = Task {
        problem: "cutting-stock",
        file: &arguments.file,
        wording: Wording { size: size(&instance), objective: "pieces" },
        common,
    };
    task.run(
        |context, solve_options| solve(context, &instance, options, solve_options),
        |packing| {
            let patterns = packing.patterns().iter();
            Ok(PrintedPacking {
                patterns: patterns.map(|pattern| PrintedPattern::new(&instance, pattern)).collect(),
            })
        },
    )?;
    Ok(())
}

impl PrintedPattern {
    fn new(instance: &Instance, pattern: &Pattern) -> Self {
        let items: Vec<PrintedItem> = pattern
            .cuts
            .iter()
            .map(|cut| PrintedItem {
                item: cut.item,
                length: instance.lengths()[cut.item as usize],
                count: cut.count,
            })
            .collect();
        let used: u64 = items.iter().map(|item| item.length * u64::from(item.count)).sum();
        PrintedPattern { count: pattern.pieces, items, waste: instance.stock_length() - used }
    }
}

fn size(instance: &Instance) -> String {
    let items: u64 = instance.demands().iter().copied().map(u64::from).sum();
    let (items, types) = (count(items as usize, "item"), count(instance.types(), "type"));
    format!("{items} of {types}, stock length {}", instance.stock_length())
}
