//! Dense tables of the P||Cmax scheme at k = 4 with the smallest legal classes, which have the most
//! configurations: the sizes of Tables I to VI of Li et al. 2018, and 4^13 cells. Names on the
//! command line select; the device is the first one, or MAKESPAN_BENCH_DEVICE.
#![allow(clippy::print_stderr, reason = "says what it leaves out")]

mod common;

use std::hint::black_box;
use std::time::Duration;

use common::{auto_context, configurations, device_context, threads_context};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use makespan::{SolveOptions, lattice_dp};

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

fn dense_tables(criterion: &mut Criterion) {
    let contexts = [
        ("cpu-1", Some(threads_context(Some(1)))),
        ("cpu-all", Some(threads_context(None))),
        ("device", device_context(None)),
        ("auto", Some(auto_context(None))),
    ];
    for (name, context) in contexts {
        let Some(context) = context else {
            eprintln!("no device: {name} is left out");
            continue;
        };
        let mut group = criterion.benchmark_group(name);
        group
            .sample_size(10)
            .measurement_time(Duration::from_secs(2))
            .warm_up_time(Duration::from_millis(300));
        for sizes in SHAPES {
            let lattice = configurations(sizes);
            group.throughput(Throughput::Elements(lattice.cells()));
            group.bench_function(
                BenchmarkId::new(format!("{sizes:?}"), lattice.cells()),
                |bencher| {
                    bencher.iter(|| {
                        lattice_dp::solve(
                            &context,
                            black_box(&lattice),
                            &lattice_dp::Options::default(),
                            &SolveOptions::default(),
                        )
                        .unwrap()
                    });
                },
            );
        }
    }
}

criterion_group!(benches, dense_tables);
criterion_main!(benches);
