//! Rates of the lattice engines from the smallest to the largest tables, side by side, and whether
//! the library chooses the faster engine.
//!
//! Times are the best of several. Instances are made before the clock runs, and `auto` has had
//! enough work that it has looked for the device.

use std::time::Instant;

use clap::Args;
use makespan::lattice_dp::{self, Instance, Launches, Packing, Recurrence};
use makespan::{Context, Report, SolveOptions};

use crate::common::Result;
use crate::common::engines::{auto, cpu, device};
use crate::common::instances::{configurations, packing_lattice};
use crate::common::log::Log;

/// Tables I to IV of Li et al. 2018.
const SMALL: [&[u32]; 14] = [
    &[6, 4, 6, 6, 4],
    &[2, 6, 3, 4, 6, 4],
    &[2, 2, 4, 3, 2, 6, 3, 2],
    &[3, 2, 3, 2, 2, 2, 2, 3, 4],
    &[2, 3, 2, 2, 3, 3, 2, 2, 2, 2],
    &[5, 3, 6, 3, 4, 4, 2],
    &[5, 6, 2, 3, 2, 2, 4, 3],
    &[3, 3, 4, 3, 2, 2, 5, 2, 2],
    &[3, 16, 15, 18],
    &[4, 5, 3, 6, 4, 3, 3],
    &[3, 4, 3, 4, 3, 5, 3, 2],
    &[3, 3, 3, 2, 3, 4, 2, 5, 2],
    &[4, 4, 6, 6, 2, 3, 3, 2],
    &[2, 4, 2, 3, 3, 3, 3, 2, 2, 2, 2],
];

/// One way to solve, which is a column.
struct Column {
    name: &'static str,
    context: Context,
    launches: Launches,
}

/// All columns. The device's host side has as many threads as the engine
/// it is compared with.
fn columns() -> Vec<Column> {
    let columns = [
        ("1 thread", Some(cpu(Some(1))), Launches::Auto),
        ("all threads", Some(cpu(None)), Launches::Auto),
        ("device, 1 thread", device(Some(1)), Launches::Auto),
        ("device", device(None), Launches::Auto),
        ("stepwise", device(None), Launches::Stepwise),
        ("persistent", device(None), Launches::Persistent),
        ("auto, 1 thread", Some(auto(Some(1))), Launches::Auto),
        ("auto", Some(auto(None)), Launches::Auto),
    ];
    let column = |(name, context, launches)| {
        let context: Option<Context> = context;
        Some(Column { name, context: context?, launches })
    };
    columns.into_iter().filter_map(column).collect()
}

/// The columns without those that differ only in their launches.
fn in_one_way(columns: &[Column]) -> impl Iterator<Item = &Column> {
    columns.iter().filter(|column| column.launches == Launches::Auto)
}

/// An instance that all columns solve, best of `runs`.
struct Comparison<'a> {
    log: &'a Log,
    what: &'a str,
    runs: usize,
}

impl Comparison<'_> {
    /// Prints the times of all columns, and how much longer `auto` takes than the better of CPU and
    /// device with as many threads. A column that fails prints its error, without details.
    fn print<'a>(
        &self,
        columns: impl IntoIterator<Item = &'a Column>,
        solve: impl Fn(&Column) -> makespan::Result<Report>,
    ) -> Result<()> {
        let mut times: Vec<(&str, f64)> = Vec::new();
        let mut line = format!("{}:", self.what);
        for column in columns {
            let name = column.name;
            match self.time(column, &solve) {
                Ok((seconds, report)) => {
                    line += &format!("  {name} {:.1} us", seconds * 1e6);
                    times.push((name, seconds));
                    let options = SolveOptions::default();
                    let entry = self.log.report(self.what, &column.context, &options, &report);
                    entry.variant(name).seconds(seconds).write()?;
                }
                Err(error) => {
                    let error = error.to_string();
                    let reason = error.split(" needs").next().unwrap_or_default();
                    line += &format!("  {name}: {reason}");
                }
            }
        }
        let seconds = |wanted: &str| {
            let column = times.iter().find(|(name, _)| *name == wanted);
            column.map_or(f64::INFINITY, |&(_, seconds)| seconds)
        };
        let compared =
            [("auto, 1 thread", "1 thread", "device, 1 thread"), ("auto", "all threads", "device")];
        let [one, all] =
            compared.map(|(auto, cpu, device)| seconds(auto) / seconds(cpu).min(seconds(device)));
        println!(
            "{line}  | auto takes {one:.2} (1 thread) and {all:.2} (all threads) times the better"
        );
        Ok(())
    }

    /// The least wall-clock seconds of all runs but the first.
    fn time(
        &self,
        column: &Column,
        solve: impl Fn(&Column) -> makespan::Result<Report>,
    ) -> makespan::Result<(f64, Report)> {
        let mut report = solve(column)?;
        let mut best = f64::INFINITY;
        for _ in 0..self.runs {
            let start = Instant::now();
            report = solve(column)?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        Ok((best, report))
    }
}

fn solve(column: &Column, instance: &Instance) -> makespan::Result<Report> {
    let options = lattice_dp::Options { launches: column.launches, ..Default::default() };
    let outcome = lattice_dp::solve(&column.context, instance, &options, &SolveOptions::default())?;
    assert_eq!(outcome.objective, outcome.bound);
    Ok(outcome.report)
}

/// Single tables, from 3,456 cells to some tens of milliseconds
#[derive(Args)]
pub(crate) struct Single {}

impl Single {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let further: [&[u32]; 9] = [
            &[5, 6, 3, 7, 6, 4, 8, 3],
            &[3, 10, 7, 6, 4, 8, 10],
            &[4, 5, 4, 2, 3, 5, 7, 3, 8],
            &[4; 10],
            &[10, 10, 10, 10, 10, 10],
            &[4; 11],
            &[20, 20, 20, 20, 20],
            &[4; 12],
            &[4; 13],
        ];
        let columns = columns();
        for sizes in SMALL.into_iter().chain(further) {
            let instance = configurations(sizes);
            let what =
                format!("{sizes:?}, {} cells, {} look-ups", instance.cells(), instance.lookups());
            let runs = if instance.cells() > 1 << 20 { 10 } else { 100 };
            Comparison { log, what: &what, runs }
                .print(&columns, |column| solve(column, &instance))?;
        }
        Ok(())
    }
}

/// Batches of tables of 3,456 to 20,736 cells
#[derive(Args)]
pub(crate) struct Batch {}

impl Batch {
    /// All tables are different: each shape with its classes in every rotation.
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let columns = columns();
        let kinds: Vec<Instance> = SMALL
            .iter()
            .flat_map(|&sizes| (0..13u32).map(move |turn| (sizes, turn)))
            .map(|(sizes, turn)| {
                let units: Vec<u32> =
                    (0..sizes.len() as u32).map(|i| 4 + (i + turn) % 13).collect();
                packing_lattice(sizes, &units, 16)
            })
            .collect();
        let compare = |what: &str, instances: &[Instance]| {
            // One thread of the CPU takes seconds for the largest.
            let brief = |column: &&Column| instances.len() <= 10_000 || column.name != "1 thread";
            Comparison { log, what, runs: 5 }.print(in_one_way(&columns).filter(brief), |column| {
                let solve_options = SolveOptions::default();
                let instances: Vec<_> = instances.iter().collect();
                let own = lattice_dp::Options::default();
                let outcomes =
                    lattice_dp::solve_batch(&column.context, &instances, &own, &solve_options)?;
                Ok(outcomes.into_iter().next().map(|outcome| outcome.report).unwrap_or_default())
            })
        };
        for tables in [2, 10, 30, 100, 1_000, 10_000, 200_000] {
            let instances: Vec<_> = kinds.iter().cycle().take(tables).cloned().collect();
            compare(&format!("{tables} tables"), &instances)?;
        }
        for sizes in [SMALL[0], SMALL[12]] {
            let what = format!("100000 times {sizes:?}");
            compare(&what, &vec![configurations(sizes); 100_000])?;
        }
        Ok(())
    }
}

/// The recurrence of single items against that of configurations
#[derive(Args)]
pub(crate) struct UnitSteps {}

impl UnitSteps {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let columns = columns();
        for (types, count, capacity) in
            [(5u64, 9, 60), (6, 9, 60), (6, 15, 100), (7, 9, 60), (13, 3, 50)]
        {
            let sizes: Vec<u64> = (0..types).map(|item| 7 + 3 * item).collect();
            let packing = Packing::new(sizes, vec![count; types as usize], capacity)?;
            for recurrence in Recurrence::ALL {
                let cells = u64::from(count + 1).pow(types as u32);
                let what = format!(
                    "{types} types of {count}, capacity {capacity}, {cells} cells, {}",
                    recurrence.name()
                );
                let comparison = Comparison { log, what: &what, runs: 3 };
                comparison.print(in_one_way(&columns), |column| {
                    let solve_options = SolveOptions::default();
                    let outcome = lattice_dp::pack(
                        &column.context,
                        &packing,
                        &recurrence.into(),
                        &solve_options,
                    )?;
                    Ok(outcome.report)
                })?;
            }
        }
        Ok(())
    }
}

/// Tables of up to 1.2e11 cells, one byte each
#[derive(Args)]
pub(crate) struct Large {}

impl Large {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let shapes: [&[u32]; 4] = [
            &[5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5],
            &[7, 7, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6],
            &[7, 7, 7, 7, 7, 7, 7, 6, 6, 6, 6, 6, 6],
            &[7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 9],
        ];
        let columns = columns();
        for sizes in shapes {
            let instance = configurations(sizes);
            // One thread takes half a minute.
            let brief = |column: &&Column| {
                !column.name.contains("1 thread") || instance.cells() < 2_000_000_000
            };
            let what = format!("{} cells", instance.cells());
            Comparison { log, what: &what, runs: 1 }
                .print(in_one_way(&columns).filter(brief), |column| solve(column, &instance))?;
        }
        Ok(())
    }
}
