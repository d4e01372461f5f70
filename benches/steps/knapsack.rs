//! Sweeps of the dense table: the values of all capacities, and a solution.

use std::cell::LazyCell;
use std::hint::black_box;

use criterion::{BenchmarkId, Throughput};
use makespan::SolveOptions;
use makespan::knapsack::{Instance, Method, Options, profile, solve};

use crate::Group;
use crate::common::engines::NamedEngine;
use crate::common::instances;

pub(crate) fn measure(group: &mut Group<'_>, engine: &NamedEngine) {
    sweep(group, engine, "w <= 1,024", 1000, 250_000, |items, capacity| {
        instances::knapsack(items, (1, 1024), capacity)
    });
    sweep(group, engine, "w <= 100,000", 100, 2_500_000, |items, capacity| {
        instances::knapsack(items, (1000, 100_000), capacity)
    });
    sweep(group, engine, "sums", 1000, 2_500_000, |items, capacity| {
        instances::subset_sum(items, 10_000, capacity)
    });
}

fn sweep(
    group: &mut Group<'_>,
    engine: &NamedEngine,
    name: &str,
    items: usize,
    capacity: u64,
    make: impl Fn(usize, u64) -> Instance,
) {
    let instance = LazyCell::new(|| make(items, capacity));
    group.throughput(Throughput::Elements(items as u64 * capacity));
    group.bench_function(BenchmarkId::new("values", name), |bencher| {
        bencher.iter(|| {
            profile(&engine.context, black_box(&*instance), &SolveOptions::default())
                .unwrap()
                .objective
        });
    });
    let dense = Options::from(Method::Dense);
    group.bench_function(BenchmarkId::new("solution", name), |bencher| {
        bencher.iter(|| {
            solve(&engine.context, black_box(&*instance), &dense, &SolveOptions::default()).unwrap()
        });
    });
}
