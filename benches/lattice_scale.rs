//! Rates of the lattice engines from the smallest to the largest tables, side by side: single
//! tables, batches of small ones, tables beyond one buffer of the device, and the recurrence of
//! single items; and whether the library chooses the faster engine.
//!
//! `cargo bench --bench lattice_scale -- [single] [batch] [large] [unit-steps]`. Runs on the CPU
//! and on the first OpenCL device, or the one with the index in MAKESPAN_BENCH_DEVICE. Times are
//! the best of several, of the solve alone: instances are made before, kernels are built before,
//! and `auto` has had so much work that it has looked for the device.
#![allow(clippy::print_stdout, reason = "prints its findings")]

mod common;

use std::time::Instant;

use common::{auto_context, configurations, device_context, packing_lattice, threads_context};
use makespan::lattice_dp::{self, Instance, Launches, Packing, Recurrence};
use makespan::{Context, SolveOptions};

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

fn main() {
    let words: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| word == name);
    let columns = columns();
    if wanted("single") {
        singles(&columns);
    }
    if wanted("batch") {
        batches(&columns);
    }
    if wanted("unit-steps") {
        unit_steps(&columns);
    }
    if wanted("large") {
        large(&columns);
    }
}

fn columns() -> Vec<Column> {
    let column = |name, context| Column { name, context, launches: Launches::Auto };
    let mut columns = vec![
        column("1 thread", threads_context(Some(1))),
        column("all threads", threads_context(None)),
    ];
    // The device's host side has as many threads as the engine it is compared with.
    for (name, threads) in [("device, 1 thread", Some(1)), ("device", None)] {
        columns.extend(device_context(threads).map(|context| column(name, context)));
    }
    for (name, launches) in [("stepwise", Launches::Stepwise), ("persistent", Launches::Persistent)]
    {
        columns.extend(device_context(None).map(|context| Column { name, context, launches }));
    }
    columns.push(column("auto, 1 thread", auto_context(Some(1))));
    columns.push(column("auto", auto_context(None)));
    columns
}

/// Prints the times of all columns, best of `runs`, and how much longer `auto` takes than the
/// better of CPU and device with as many threads. A column that fails prints its error, without
/// details.
fn compare<'a>(
    what: &str,
    columns: impl IntoIterator<Item = &'a Column>,
    runs: usize,
    work: impl Fn(&Column) -> makespan::Result<()>,
) {
    let time = |column: &Column| -> makespan::Result<f64> {
        work(column)?;
        let mut best = f64::INFINITY;
        for _ in 0..runs {
            let start = Instant::now();
            work(column)?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        Ok(best)
    };
    let times: Vec<_> = columns.into_iter().map(|column| (column.name, time(column))).collect();
    let seconds = |wanted: &str| {
        let column = times.iter().find(|(name, _)| *name == wanted);
        column.and_then(|(_, time)| time.as_ref().ok()).copied().unwrap_or(f64::INFINITY)
    };
    let mut line = format!("{what}:");
    for (name, time) in &times {
        line += &match time {
            Ok(seconds) => format!("  {name} {:.1} us", seconds * 1e6),
            Err(error) => {
                format!(
                    "  {name}: {}",
                    error.to_string().split(" needs").next().unwrap_or_default()
                )
            }
        };
    }
    let compared =
        [("auto, 1 thread", "1 thread", "device, 1 thread"), ("auto", "all threads", "device")];
    let [one, all] =
        compared.map(|(auto, cpu, device)| seconds(auto) / seconds(cpu).min(seconds(device)));
    println!(
        "{line}  | auto takes {one:.2} (1 thread) and {all:.2} (all threads) times the better"
    );
}

fn solve(column: &Column, instance: &Instance) -> makespan::Result<()> {
    let options = lattice_dp::Options { launches: column.launches, ..Default::default() };
    let outcome = lattice_dp::solve(&column.context, instance, &options, &SolveOptions::default())?;
    assert_eq!(outcome.objective, outcome.bound);
    Ok(())
}

/// From the sizes of Table I to 4^13, and on to tables of some tens of milliseconds.
fn singles(columns: &[Column]) {
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
    for sizes in SMALL.into_iter().chain(further) {
        let instance = configurations(sizes);
        let what =
            format!("{sizes:?}, {} cells, {} look-ups", instance.cells(), instance.lookups());
        compare(&what, columns, if instance.cells() > 1 << 20 { 10 } else { 100 }, |column| {
            solve(column, &instance)
        });
    }
}

/// Tables of 3,456 to 20,736 cells, all different: each shape with its classes in every rotation.
fn batches(columns: &[Column]) {
    let kinds: Vec<Instance> = SMALL
        .iter()
        .flat_map(|&sizes| (0..13u32).map(move |turn| (sizes, turn)))
        .map(|(sizes, turn)| {
            let units: Vec<u32> = (0..sizes.len() as u32).map(|i| 4 + (i + turn) % 13).collect();
            packing_lattice(sizes, &units, 16)
        })
        .collect();
    let compare = |what: &str, instances: &[Instance]| {
        // One thread of the CPU takes seconds for the largest.
        let brief = |column: &&Column| instances.len() <= 10_000 || column.name != "1 thread";
        compare(what, in_one_way(columns).filter(brief), 5, |column| {
            lattice_dp::solve_batch(&column.context, instances, &SolveOptions::default()).map(drop)
        });
    };
    for tables in [2, 10, 30, 100, 1_000, 10_000, 200_000] {
        let instances: Vec<_> = kinds.iter().cycle().take(tables).cloned().collect();
        compare(&format!("{tables} tables"), &instances);
    }
    for sizes in [SMALL[0], SMALL[12]] {
        compare(&format!("100000 times {sizes:?}"), &vec![configurations(sizes); 100_000]);
    }
}

/// The columns without those that differ only in their launches.
fn in_one_way(columns: &[Column]) -> impl Iterator<Item = &Column> {
    columns.iter().filter(|column| column.launches == Launches::Auto)
}

/// The recurrence of single items against that of configurations.
fn unit_steps(columns: &[Column]) {
    for (types, count, capacity) in
        [(5u64, 9, 60), (6, 9, 60), (6, 15, 100), (7, 9, 60), (13, 3, 50)]
    {
        let sizes: Vec<u64> = (0..types).map(|item| 7 + 3 * item).collect();
        let packing = Packing::new(sizes, vec![count; types as usize], capacity).unwrap();
        for recurrence in Recurrence::ALL {
            let cells = u64::from(count + 1).pow(types as u32);
            let what = format!(
                "{types} types of {count}, capacity {capacity}, {cells} cells, {}",
                recurrence.name()
            );
            compare(&what, in_one_way(columns), 3, |column| {
                lattice_dp::pack(&column.context, &packing, recurrence, &SolveOptions::default())
                    .map(drop)
            });
        }
    }
}

/// Tables of one byte per cell; an engine with too little memory prints its error.
fn large(columns: &[Column]) {
    let shapes: [&[u32]; 4] = [
        &[5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5],
        &[7, 7, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6],
        &[7, 7, 7, 7, 7, 7, 7, 6, 6, 6, 6, 6, 6],
        &[7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 9],
    ];
    for sizes in shapes {
        let instance = configurations(sizes);
        // One thread takes half a minute.
        let brief = |column: &&Column| {
            !column.name.contains("1 thread") || instance.cells() < 2_000_000_000
        };
        compare(
            &format!("{} cells", instance.cells()),
            in_one_way(columns).filter(brief),
            1,
            |column| solve(column, &instance),
        );
    }
}
