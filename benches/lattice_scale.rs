//! What the lattice engines reach at both ends: batches of small tables, and tables beyond one buffer of the device.
//!
//! `cargo bench --bench lattice_scale -- [batch] [single] [large]`. Runs on the CPU and on the first OpenCL device, or the
//! one with the index in MAKESPAN_BENCH_DEVICE. Times are the best of several, of the solve alone: instances are made
//! before, kernels are built before.
#![allow(clippy::print_stdout, reason = "prints its findings")]

mod common;

use std::time::Instant;

use common::{configurations, device_context, packing_lattice, threads_context};
use makespan::{Context, SolveOptions, lattice_dp};

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

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| word == name);
    let contexts: Vec<(String, Context)> = [("1 thread".to_owned(), threads_context(Some(1)))]
        .into_iter()
        .chain([("all threads".to_owned(), threads_context(None))])
        .chain(device_context().map(|context| (context.devices()[0].name.clone(), context)))
        .collect();
    if wanted("batch") {
        contexts.iter().for_each(|(name, context)| batches(name, context));
    }
    if wanted("single") {
        contexts.iter().for_each(|(name, context)| singles(name, context));
    }
    if wanted("large") {
        contexts.last().into_iter().for_each(|(name, context)| large(name, context));
    }
}

/// Best of so many runs, in seconds.
fn best(runs: usize, mut work: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..runs).map(time).fold(f64::INFINITY, f64::min)
}

/// Tables of 3,456 to 20,736 cells, all different: each shape with its classes in every rotation.
fn batches(name: &str, context: &Context) {
    let kinds: Vec<lattice_dp::Instance> = SMALL
        .iter()
        .flat_map(|&sizes| (0..13u32).map(move |turn| (sizes, turn)))
        .map(|(sizes, turn)| {
            let units: Vec<u32> = (0..sizes.len() as u32).map(|i| 4 + (i + turn) % 13).collect();
            packing_lattice(sizes, &units, 16)
        })
        .collect();
    for tables in [1, 100, 10_000, 200_000] {
        if tables > 10_000 && context.threads() == 1 {
            continue;
        }
        let instances: Vec<_> = kinds.iter().cycle().take(tables).cloned().collect();
        let options = SolveOptions::default();
        let solve = || drop(lattice_dp::solve_batch(context, &instances, &options).unwrap());
        solve();
        let seconds = best(5, solve);
        println!(
            "batch of {tables:>7} on {name}: {:.3} ms, {:.0} tables/s",
            seconds * 1e3,
            tables as f64 / seconds
        );
    }
    for sizes in [SMALL[0], SMALL[12]] {
        let instances = vec![configurations(sizes); 100_000];
        let options = SolveOptions::default();
        let solve = || drop(lattice_dp::solve_batch(context, &instances, &options).unwrap());
        solve();
        let seconds = best(3, solve);
        println!("100,000 times {sizes:?} on {name}: {:.0} tables/s", 1e5 / seconds);
    }
}

fn singles(name: &str, context: &Context) {
    let shapes: [&[u32]; 4] = [SMALL[0], SMALL[12], &[3, 10, 7, 6, 4, 8, 10], &[4; 13]];
    for sizes in shapes {
        let instance = configurations(sizes);
        let solve = || {
            drop(
                lattice_dp::solve(context, &instance, &Default::default(), &SolveOptions::default()).unwrap(),
            )
        };
        solve();
        let seconds = best(if instance.cells() > 1_000_000 { 10 } else { 200 }, solve);
        println!("{sizes:?}, {} cells on {name}: {:.1} us", instance.cells(), seconds * 1e6);
    }
}

/// Tables of one byte a cell; a device that holds too little says so.
fn large(name: &str, context: &Context) {
    let shapes: [&[u32]; 4] = [
        &[5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5],
        &[7, 7, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6],
        &[7, 7, 7, 7, 7, 7, 7, 6, 6, 6, 6, 6, 6],
        &[7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 9],
    ];
    for sizes in shapes {
        let instance = configurations(sizes);
        let cells = instance.cells();
        let mut failure = None;
        let solve =
            || match lattice_dp::solve(context, &instance, &Default::default(), &SolveOptions::default()) {
                Ok(outcome) => assert!(outcome.objective == outcome.bound),
                Err(error) => failure = Some(error),
            };
        let seconds = best(2, solve);
        match failure {
            Some(error) => println!("{cells} cells on {name}: {error}"),
            None => {
                println!("{cells} cells on {name}: {seconds:.3} s, {:.2e} cells/s", cells as f64 / seconds);
            }
        }
    }
}
