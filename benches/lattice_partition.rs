//! Measures the tables of Li, Ghalami, Schwiebert and Grosu 2018 again. Tables I to VI: the time of
//! each table by slabs, by levels and by blocks with 3 to 9 dimensions cut, and the shapes of the
//! blocks; on a device with a launch for each step and with a persistent kernel. Table VII: whole
//! searches by bisection and by the quarter split.
//!
//! `cargo bench --bench lattice_partition -- [shapes] [tables] [searches]`. Runs on one thread, on
//! all, and on the first OpenCL device or the one with the index in MAKESPAN_BENCH_DEVICE. Times
//! are of the whole solve, path included, the best of several; kernels are built before.
#![allow(clippy::print_stdout, reason = "prints its findings")]

mod common;

use std::time::Instant;

use common::{configurations, device_context, threads_context};
use makespan::lattice_dp::{self, DivisorRule, Launches, Partition, Traversal};
use makespan::parallel_machines::{self, Method};
use makespan::{Context, SolveOptions};

/// Shapes of Tables I to VI, with the number of cut dimensions that was the fastest in the source.
const TABLES: [(&str, usize, &[&[u32]]); 6] = [
    (
        "I, 3456 cells",
        5,
        &[
            &[6, 4, 6, 6, 4],
            &[2, 6, 3, 4, 6, 4],
            &[2, 2, 4, 3, 2, 6, 3, 2],
            &[3, 2, 3, 2, 2, 2, 2, 3, 4],
            &[2, 3, 2, 2, 3, 3, 2, 2, 2, 2],
        ],
    ),
    (
        "II, 8640 cells",
        5,
        &[&[5, 3, 6, 3, 4, 4, 2], &[5, 6, 2, 3, 2, 2, 4, 3], &[3, 3, 4, 3, 2, 2, 5, 2, 2]],
    ),
    (
        "III, 12960 cells",
        5,
        &[
            &[3, 16, 15, 18],
            &[4, 5, 3, 6, 4, 3, 3],
            &[3, 4, 3, 4, 3, 5, 3, 2],
            &[3, 3, 3, 2, 3, 4, 2, 5, 2],
        ],
    ),
    ("IV, 20736 cells", 6, &[&[4, 4, 6, 6, 2, 3, 3, 2], &[2, 4, 2, 3, 3, 3, 3, 2, 2, 2, 2]]),
    ("V, 362880 cells", 7, &[&[5, 6, 3, 7, 6, 4, 8, 3], &[3, 3, 3, 4, 5, 7, 2, 3, 4, 4]]),
    ("VI, 403200 cells", 7, &[&[3, 10, 7, 6, 4, 8, 10], &[4, 5, 4, 2, 3, 5, 7, 3, 8]]),
];

/// Shapes with the numbers of cells of Table VII, of which the source prints no others.
const SEARCHES: [&[u32]; 5] = [
    &[4, 5, 3, 6, 4, 3, 3],
    &[4, 4, 6, 6, 2, 3, 3, 2],
    &[19, 5, 6, 6, 8],
    &[5, 6, 7, 8, 9, 2],
    &[3, 10, 7, 6, 4, 8, 10],
];

fn main() {
    let words: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| word == name);
    if wanted("shapes") {
        print_shapes();
    }
    let on_device = |launches| device_context(None).map(|context| ("device", context, launches));
    let ways: Vec<(&str, Context, Launches)> = [
        Some(("1 thread", threads_context(Some(1)), Launches::Auto)),
        Some(("all threads", threads_context(None), Launches::Auto)),
        on_device(Launches::Stepwise),
        on_device(Launches::Persistent),
    ]
    .into_iter()
    .flatten()
    .collect();
    for (name, context, launches) in &ways {
        let name = format!("{name}, launches {}", launches.name());
        if wanted("tables") {
            print_tables(&name, context, *launches);
        }
        if wanted("searches") {
            print_searches(&name, context, *launches);
        }
    }
}

/// Tables I to VI: the sides of the blocks for 3 dimensions and for the source's fastest number.
fn print_shapes() {
    for (table, fastest, shapes) in TABLES {
        println!("\nTable {table}\n#dim  dimension size  GPU-DIM3  GPU-DIM{fastest}");
        for &sizes in shapes {
            let [three, more] = [3, fastest].map(|dimensions| {
                Partition::new(sizes, dimensions, DivisorRule::Tabulated).unwrap().block()
            });
            println!("{}  {sizes:?}  {three:?}  {more:?}", sizes.len());
        }
    }
}

/// Microseconds of every way to fill each table.
fn print_tables(name: &str, context: &Context, launches: Launches) {
    println!(
        "\n{name}, microseconds: slabs, levels, blocks with 3 to 9 dimensions cut, automatic number"
    );
    for (table, _, shapes) in TABLES {
        println!("Table {table}");
        for &sizes in shapes {
            let lattice = configurations(sizes);
            let time = |traversal| {
                microseconds(context, &lattice, &lattice_dp::Options { traversal, launches })
            };
            let rule = DivisorRule::Tabulated;
            let mut columns = vec![time(Traversal::Slabs), time(Traversal::Levels)];
            for dimensions in Partition::DIMENSIONS {
                // More dimensions than the table has change nothing.
                if dimensions <= sizes.len() || dimensions == 3 {
                    columns.push(time(Traversal::Blocks { dimensions: Some(dimensions), rule }));
                } else {
                    columns.push("-".to_owned());
                }
            }
            columns.push(time(Traversal::Blocks { dimensions: None, rule }));
            println!("{sizes:?}  {}", columns.join("  "));
        }
    }
}

fn microseconds(
    context: &Context,
    lattice: &lattice_dp::Instance,
    options: &lattice_dp::Options,
) -> String {
    let seconds = best(|| {
        lattice_dp::solve(context, lattice, options, &SolveOptions::default()).unwrap();
    });
    format!("{:.0}", seconds * 1e6)
}

/// The best of up to 20 runs within some time.
fn best(mut work: impl FnMut()) -> f64 {
    work();
    let start = Instant::now();
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let start_of_run = Instant::now();
        work();
        best = best.min(start_of_run.elapsed().as_secs_f64());
        if start.elapsed().as_secs_f64() > 0.3 {
            break;
        }
    }
    best
}

/// Table VII: whole searches at epsilon = 0.3, from the simple bounds and the schedules of LPT and
/// MULTIFIT.
fn print_searches(name: &str, context: &Context, launches: Launches) {
    println!(
        "\n{name}: cells at T = 1600, then for bisection and the quarter split: targets, tables, cells, ms by"
    );
    println!("slabs, levels and blocks");
    for shape in SEARCHES {
        let instance = scheduling_instance(shape);
        let mut line = format!("{:6}", shape.iter().product::<u32>());
        for segments in [1, 4] {
            let blocks = Traversal::Blocks { dimensions: None, rule: DivisorRule::Tabulated };
            let mut counters = String::new();
            let mut times = Vec::new();
            for traversal in [Traversal::Slabs, Traversal::Levels, blocks] {
                let tables = lattice_dp::Options { traversal, launches };
                let options = parallel_machines::Options {
                    method: Method::Ptas,
                    epsilon: 0.3,
                    segments,
                    tables,
                };
                let seconds = best(|| {
                    let outcome = parallel_machines::solve(
                        context,
                        &instance,
                        &options,
                        &SolveOptions::default(),
                    );
                    let statistics = outcome.unwrap().report.statistics;
                    let counts = ["targets", "tables", "cells"]
                        .map(|name| statistics.get(name).unwrap_or(0).to_string());
                    counters = counts.join(", ");
                });
                times.push(format!("{:.2}", seconds * 1e3));
            }
            line += &format!("  s = {segments}: {counters}: {}", times.join(", "));
        }
        println!("{line}");
    }
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
