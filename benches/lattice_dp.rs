//! Dense tables of the P||Cmax scheme at k = 4 with the smallest legal classes, which have the most
//! configurations: the sizes of Tables I to VI of Li et al. 2018, and 4^13 cells. Names on the command line
//! select; the device is the first one, or MAKESPAN_BENCH_DEVICE.
#![allow(clippy::print_stderr, reason = "says what it leaves out")]

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use makespan::{Context, ContextOptions, Engine, SolveOptions, lattice_dp};

const SHAPES: [&[u32]; 8] = [
    &[6, 4, 6, 6, 4],
    &[2, 3, 2, 2, 3, 3, 2, 2, 2, 2],
    &[3, 16, 15, 18],
    &[4, 4, 6, 6, 2, 3, 3, 2],
    &[5, 6, 3, 7, 6, 4, 8, 3],
    &[3, 10, 7, 6, 4, 8, 10],
    &[4, 5, 4, 2, 3, 5, 7, 3, 8],
    &[4; 13],
];

/// All non-zero vectors of at most 16 units whose dimension i has classes of 4 + i units.
fn configurations(sizes: &[u32]) -> Vec<Vec<u32>> {
    fn extend(sizes: &[u32], units: u32, left: u32, vector: &mut Vec<u32>, list: &mut Vec<Vec<u32>>) {
        let Some((&size, rest)) = sizes.split_first() else {
            if vector.iter().any(|&count| count > 0) {
                list.push(vector.clone());
            }
            return;
        };
        for count in (0..size.min(left / units + 1)).rev() {
            vector.push(count);
            extend(rest, units + 1, left - count * units, vector, list);
            vector.pop();
        }
    }
    let mut list = Vec::new();
    extend(sizes, 4, 16, &mut Vec::new(), &mut list);
    list
}

fn dense_tables(criterion: &mut Criterion) {
    let device = std::env::var("MAKESPAN_BENCH_DEVICE").ok().and_then(|index| index.parse().ok());
    let one_thread = ContextOptions { engine: Engine::Cpu, threads: Some(1), ..ContextOptions::default() };
    let all_threads = ContextOptions { threads: None, ..one_thread.clone() };
    let on_device = ContextOptions { engine: Engine::Device, device, ..ContextOptions::default() };
    let contexts = [("cpu-1", one_thread), ("cpu-all", all_threads), ("device", on_device)];
    for (name, options) in contexts {
        let Ok(context) = Context::new(options) else {
            eprintln!("no device: {name} is left out");
            continue;
        };
        let mut group = criterion.benchmark_group(name);
        group
            .sample_size(10)
            .measurement_time(Duration::from_secs(2))
            .warm_up_time(Duration::from_millis(300));
        for sizes in SHAPES {
            let offsets = configurations(sizes).into_iter().map(|vector| (vector, 1));
            let lattice = lattice_dp::Instance::new(sizes, offsets).unwrap();
            group.throughput(Throughput::Elements(lattice.cells()));
            group.bench_function(BenchmarkId::new(format!("{sizes:?}"), lattice.cells()), |bencher| {
                bencher.iter(|| {
                    lattice_dp::solve(
                        &context,
                        black_box(&lattice),
                        &lattice_dp::Options::default(),
                        &SolveOptions::default(),
                    )
                    .unwrap()
                });
            });
        }
    }
}

criterion_group!(benches, dense_tables);
criterion_main!(benches);
