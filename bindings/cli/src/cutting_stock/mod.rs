//! `makespan cutting-stock`: one-dimensional cutting stock and bin packing.

mod chart;

use std::path::PathBuf;

use makespan::cutting_stock::{Instance, Method, Options, Packing, Pattern, solve};
use serde::Serialize;

use crate::answer::count;
use crate::arguments;
use crate::failure::Failure;
use crate::files::OutputFile;
use crate::labels::Labels;
use crate::names;
use crate::session::{self, Task};
use crate::settings::{Problem, Settings};
use crate::sheet::{self, FormatOption, Sheet};
use crate::table::Table;
use crate::wording::Wording;

/// Cut items from as few stock pieces as possible; items with demand 1 are packed into bins
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Instance of BPPLIB: `n c`, then n lengths; or `n c`, then n lines with a length and its
    /// demand; or CSV with a column length, and as needed item (a name) and count
    file: PathBuf,
    #[command(flatten)]
    format: FormatOption,
    /// Length of the stock pieces for the items of a CSV file
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    stock_length: Option<u64>,
    #[command(flatten)]
    settings: Settings<Options>,
    /// Stock pieces that are in use already, in the form of --start, or a file with them
    #[arg(long, value_name = "LIST|FILE", value_parser = parse_pinned)]
    pinned: Option<Packing>,
    /// Draw the patterns
    #[arg(long, value_name = "CHART.svg", value_parser = |text: &str| OutputFile::parse_as(&["svg"], text))]
    chart: Option<OutputFile>,
}

/// An instance with the names of its items.
struct Named {
    instance: Instance,
    items: Labels,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
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
    common.publication.check_apart("chart", arguments.chart.as_ref())?;
    if let Some(chart) = &arguments.chart {
        chart.check_other(&arguments.file)?;
    }
    let mut named = instance(arguments)?;
    if let Some(pinned) = &arguments.pinned {
        named.instance = named.instance.with_pinned(pinned.patterns().to_vec())?;
    }
    let instance = &named.instance;
    let task = Task {
        problem: "cutting-stock",
        file: &arguments.file,
        wording: Wording::new(size(instance), "pieces"),
        common,
    };
    let (outcome, printed) = task.run_with_table(
        |context, solve_options| solve(context, instance, options, solve_options),
        |packing| {
            let patterns = packing.patterns().iter();
            Ok(PrintedPacking {
                patterns: patterns.map(|pattern| PrintedPattern::new(&named, pattern)).collect(),
            })
        },
    )?;
    if let (Some(file), Some(printed)) = (&arguments.chart, &printed) {
        let pieces = outcome.objective.map_or(0, i64::cast_unsigned) as usize;
        let subtitle =
            format!("{}: {}, {}", size(instance), count(pieces, "piece"), outcome.status);
        let name = names::instance_name(&arguments.file);
        file.write(&chart::chart(name, subtitle, printed).to_svg())?;
    }
    Ok(())
}

fn parse_pinned(text: &str) -> Result<Packing, String> {
    let options: Options = arguments::with_list("start", text)?;
    Ok(options.start.unwrap_or_else(|| Packing::new(Vec::new())))
}

fn instance(arguments: &Arguments) -> Result<Named, Failure> {
    let (file, common) = (&arguments.file, &arguments.settings.common);
    if !arguments.format.is_csv(file) {
        sheet::refuse_for_others(arguments.stock_length.is_some(), "stock-length", file)?;
        let instance = session::read(common, file, Instance::parse)?;
        return Ok(Named { instance, items: Labels::default() });
    }
    let stock_length = sheet::lacking(arguments.stock_length, "stock-length", file)?;
    session::read(common, file, |text| {
        let sheet = Sheet::parse(text)?;
        sheet.check_columns(&["item", "length", "count"])?;
        let lengths: Vec<u64> = sheet.needed("length")?;
        let counts = sheet.numbers("count")?.unwrap_or_else(|| vec![1; lengths.len()]);
        let instance = Instance::new(lengths, counts, stock_length)
            .map_err(|error| sheet.locate(error, &[("lengths", "length")]))?;
        Ok(Named { instance, items: sheet.labels("item") })
    })
}

impl Table for PrintedPacking {
    fn columns(&self) -> Vec<&'static str> {
        vec!["pattern", "pieces", "item", "length", "count", "waste"]
    }

    /// The items of each pattern.
    fn rows(&self) -> Box<dyn Iterator<Item = Vec<String>> + '_> {
        let items = |(number, pattern): (usize, &'_ PrintedPattern)| {
            let row = |item: &PrintedItem| {
                let name = item.name.clone().unwrap_or_else(|| item.item.to_string());
                let [number, pieces, length, count, waste] = [
                    number as u64,
                    pattern.count.into(),
                    item.length,
                    item.count.into(),
                    pattern.waste,
                ]
                .map(|number| number.to_string());
                vec![number, pieces, name, length, count, waste]
            };
            pattern.items.iter().map(row).collect::<Vec<_>>()
        };
        Box::new(self.patterns.iter().enumerate().flat_map(items))
    }
}

impl PrintedPattern {
    fn new(Named { instance, items: names }: &Named, pattern: &Pattern) -> Self {
        let items: Vec<PrintedItem> = pattern
            .cuts
            .iter()
            .map(|cut| PrintedItem {
                item: cut.item,
                name: names.name(cut.item as usize).map(str::to_owned),
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
