//! The partitioned dynamic program of P||Cmax: the tables of Li, Ghalami, Schwiebert and Grosu 2018.
//!
//! Times are of whole solves, path included, the best of several.

mod published;
mod render;

use clap::Args;
use makespan::lattice_dp::{self, DivisorRule, Launches, Partition, Traversal};
use makespan::parallel_machines::{self, Method};
use makespan::{Context, Error, Outcome, SolveOptions};

use self::published::{TABLE_7, TABLES};
use crate::common::Result;
use crate::common::engines::NamedEngine;
use crate::common::fastest::fastest;
use crate::common::instances::configurations;
use crate::common::log::Log;
use crate::recorded::Lines;
use crate::report::{Items, Report};
use crate::{Reproduction, Run};

/// Tables by slabs, levels and blocks, and whole searches at epsilon = 0.3
#[derive(Args)]
pub(crate) struct ParallelMachines {
    /// Tables and figures; by default all
    #[arg(value_parser = ITEMS)]
    items: Vec<String>,
}

const ITEMS: [&str; 11] = [
    "figure-1", "figure-2", "figure-3", "figure-4", "table-1", "table-2", "table-3", "table-4",
    "table-5", "table-6", "table-7",
];
const LAUNCHES: [Launches; 2] = [Launches::Stepwise, Launches::Persistent];
/// The cells of the 36 tables of Figure 3; the paper has the ranges, not the tables. A part of the
/// figure each.
const FIGURE_3: [(&str, [u32; 12]); 3] = [
    (
        "a: 100 to 10,000 cells",
        [100, 200, 350, 550, 800, 1100, 1600, 2400, 3500, 5000, 7200, 10_000],
    ),
    (
        "b: 20,000 to 100,000 cells",
        [
            20_000, 23_000, 27_000, 31_000, 36_000, 42_000, 48_000, 56_000, 65_000, 75_000, 87_000,
            100_000,
        ],
    ),
    (
        "c: 110,000 to 500,000 cells",
        [
            110_000, 126_000, 145_000, 166_000, 191_000, 219_000, 251_000, 288_000, 331_000,
            380_000, 436_000, 500_000,
        ],
    ),
];

/// A way to fill a table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fill {
    Slabs,
    Levels,
    /// With that many dimensions cut.
    Blocks(usize),
}

impl Fill {
    /// Those of the columns.
    fn all() -> Vec<Fill> {
        let blocks = Partition::DIMENSIONS.map(Fill::Blocks);
        [Fill::Slabs, Fill::Levels].into_iter().chain(blocks).collect()
    }

    /// Whether the fill is another one than that with fewer dimensions cut.
    fn is_for(self, dimensions: usize) -> bool {
        !matches!(self, Fill::Blocks(cut) if cut > dimensions.max(3))
    }

    fn options(self) -> lattice_dp::Options {
        match self {
            Fill::Slabs => Traversal::Slabs.into(),
            Fill::Levels => Traversal::Levels.into(),
            Fill::Blocks(cut) => lattice_dp::Options::by_blocks(Some(cut), DivisorRule::Tabulated),
        }
    }

    fn name(self) -> String {
        match self {
            Fill::Slabs => "slabs".to_owned(),
            Fill::Levels => "levels".to_owned(),
            Fill::Blocks(cut) => format!("DIM{cut}"),
        }
    }

    /// As lines name it.
    fn variant(self, launches: Launches) -> String {
        format!("{}, launches {}", self.name(), launches.name())
    }
}

impl Reproduction for ParallelMachines {
    fn name(&self) -> &'static str {
        "parallel-machines"
    }

    fn measure(&self, run: &Run, log: &Log) -> Result<()> {
        let items = Items(&self.items);
        let solves = if run.quick { 5 } else { 20 };
        for engine in &run.compared.engines() {
            let launches: &[Launches] =
                if engine.is_device() { &LAUNCHES } else { &[Launches::Auto] };
            for &launches in launches {
                let measured = Measured { log, engine, launches, solves };
                for table in &TABLES {
                    if items.has(table.item) || items.has("figure-4") {
                        table
                            .rows
                            .iter()
                            .try_for_each(|row| measured.fills("figure-4", row.sizes))?;
                    }
                }
                if items.has("table-7") {
                    TABLE_7.iter().try_for_each(|row| measured.searches(row.shape))?;
                }
            }
            if items.has("figure-3") {
                let measured = Measured { log, engine, launches: Launches::Auto, solves };
                for (_, sizes) in FIGURE_3 {
                    for (place, cells) in sizes.into_iter().enumerate() {
                        measured.fills("figure-3", &shape(cells, 5 + place % 5))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn render(&self, lines: &Lines, report: &mut Report) -> Result<()> {
        let items = Items(&self.items);
        if items.has("figure-1") {
            render::figure_1(report);
        }
        if items.has("figure-2") {
            render::figure_2(report)?;
        }
        for table in TABLES.iter().filter(|table| items.has(table.item)) {
            render::table(table, report)?;
        }
        if items.has("figure-3") {
            render::figure_3(lines, report);
        }
        if items.has("figure-4") {
            render::figure_4(lines, report);
        }
        if items.has("table-7") {
            render::table_7(lines, report);
        }
        Ok(())
    }
}

/// A box of almost `cells` cells, with sides that differ by at most 1.
fn shape(cells: u32, dimensions: usize) -> Vec<u32> {
    let side = (1..).take_while(|side: &u32| side.pow(dimensions as u32) <= cells).last();
    let mut sizes = vec![side.unwrap_or(1); dimensions];
    for place in (0..dimensions).rev() {
        let others = sizes.iter().product::<u32>() / sizes[place];
        if others * (sizes[place] + 1) <= cells {
            sizes[place] += 1;
        }
    }
    sizes
}

/// An engine, with all that its lines need.
struct Measured<'a> {
    log: &'a Log,
    engine: &'a NamedEngine,
    launches: Launches,
    /// Most solves of which the fastest counts.
    solves: usize,
}

impl Measured<'_> {
    /// The fastest solve, after one that builds kernels. `None` if the device does not have it.
    fn fastest<S>(
        &self,
        solve: impl Fn(&Context) -> makespan::Result<Outcome<S>>,
    ) -> Result<Option<Outcome<S>>> {
        match solve(&self.engine.context) {
            Err(error) if matches!(*error, Error::Unsupported(_)) => Ok(None),
            Err(error) => Err(error.into()),
            Ok(_) => Ok(Some(fastest(self.solves, 0.3, || solve(&self.engine.context))?)),
        }
    }

    /// A line for each way to fill the table.
    fn fills(&self, class: &str, sizes: &[u32]) -> Result<()> {
        let lattice = configurations(sizes);
        let solve_options = SolveOptions::default();
        for fill in Fill::all().into_iter().filter(|fill| fill.is_for(sizes.len())) {
            let options = lattice_dp::Options { launches: self.launches, ..fill.options() };
            let solve =
                |context: &Context| lattice_dp::solve(context, &lattice, &options, &solve_options);
            let Some(outcome) = self.fastest(solve)? else { continue };
            self.log
                .outcome(format!("{sizes:?}"), &self.engine.context, &solve_options, &outcome)
                .class(class)
                .variant(fill.variant(self.launches))
                .write()?;
        }
        Ok(())
    }

    /// Whole searches from the simple bounds and the schedules of LPT and MULTIFIT, by bisection
    /// and by the quarter split.
    fn searches(&self, shape: &[u32]) -> Result<()> {
        let instance = scheduling_instance(shape);
        let solve_options = SolveOptions::default();
        for segments in [1, 4] {
            for traversal in Traversal::ALL {
                let tables = lattice_dp::Options { launches: self.launches, ..traversal.into() };
                let options = parallel_machines::Options {
                    method: Method::Ptas,
                    epsilon: 0.3,
                    segments,
                    tables,
                    ..Default::default()
                };
                let solve = |context: &Context| {
                    parallel_machines::solve(context, &instance, &options, &solve_options)
                };
                let Some(outcome) = self.fastest(solve)? else { continue };
                self.log
                    .outcome(format!("{shape:?}"), &self.engine.context, &solve_options, &outcome)
                    .class("table-7")
                    .variant(search_variant(traversal.name(), self.launches, segments))
                    .write()?;
            }
        }
        Ok(())
    }
}

/// As lines name a search.
fn search_variant(traversal: &str, launches: Launches, segments: u32) -> String {
    format!("{traversal}, launches {}, {segments} segments", launches.name())
}

/// Jobs that are long and make a table of that shape for the target 1600: classes from 4 units on
/// of 100 each, a little more than the rounded time; on as many machines as their load fills to
/// nine tenths at that target.
fn scheduling_instance(shape: &[u32]) -> parallel_machines::Instance {
    let mut times = Vec::new();
    for (class, &size) in (4u64..).zip(shape) {
        times.extend((1..u64::from(size)).map(|job| 100 * class + (7 * class + 31 * job) % 100));
    }
    let machines = (times.iter().sum::<u64>() * 10).div_ceil(1600 * 9);
    parallel_machines::Instance::new(times, machines as u32).unwrap()
}
