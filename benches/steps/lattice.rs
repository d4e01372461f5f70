//! Dense tables with their paths: sizes of Tables I to VI of Li et al. 2018, and 4^13 cells.

use std::cell::LazyCell;
use std::hint::black_box;

use criterion::{BenchmarkId, Throughput};
use makespan::{SolveOptions, lattice_dp};

use crate::Group;
use crate::common::engines::NamedEngine;
use crate::common::instances::configurations;

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

pub(crate) fn measure(group: &mut Group<'_>, engine: &NamedEngine) {
    for sizes in SHAPES {
        let cells = sizes.iter().map(|&size| u64::from(size)).product();
        let lattice = LazyCell::new(|| configurations(sizes));
        group.throughput(Throughput::Elements(cells));
        group.bench_function(BenchmarkId::new(format!("{sizes:?}"), cells), |bencher| {
            let (lattice, options) = (&*lattice, lattice_dp::Options::default());
            bencher.iter(|| {
                lattice_dp::solve(
                    &engine.context,
                    black_box(lattice),
                    &options,
                    &SolveOptions::default(),
                )
                .unwrap()
            });
        });
    }
}
