//! The dense table of a multidimensional knapsack, with its solution.

use std::cell::LazyCell;
use std::hint::black_box;

use criterion::{BenchmarkId, Throughput};
use makespan::SolveOptions;
use makespan::multidimensional_knapsack::{Method, Options, solve};

use crate::Group;
use crate::common::engines::NamedEngine;
use crate::common::instances;

const ITEMS: usize = 50;

pub(crate) fn measure(group: &mut Group<'_>, engine: &NamedEngine) {
    for capacities in [&[200, 200, 200][..], &[2800, 2900], &[50, 50, 50, 60]] {
        let instance = LazyCell::new(|| instances::multidimensional_knapsack(ITEMS, capacities));
        let cells: u64 = capacities.iter().map(|capacity| capacity + 1).product();
        group.throughput(Throughput::Elements(ITEMS as u64 * cells));
        let dense = Options::from(Method::Dense);
        group.bench_function(BenchmarkId::new("solution", format!("{capacities:?}")), |bencher| {
            bencher.iter(|| {
                let options = SolveOptions::default();
                solve(&engine.context, black_box(&*instance), &dense, &options).unwrap()
            });
        });
    }
}
