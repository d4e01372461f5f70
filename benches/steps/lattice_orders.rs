//! Other orders of a lattice's cells, levels and blocks, and the recurrence of single items.

use std::cell::LazyCell;
use std::hint::black_box;

use criterion::{BenchmarkId, Throughput};
use makespan::SolveOptions;
use makespan::lattice_dp::{self, Launches, Options, Packing, Recurrence, Traversal};

use crate::Group;
use crate::common::engines::NamedEngine;
use crate::common::instances::configurations;

const SHAPES: [&[u32]; 2] = [&[6, 4, 6, 6, 4], &[4, 5, 4, 2, 3, 5, 7, 3, 8]];
const TYPES: u64 = 6;
const COUNT: u32 = 9;
const CAPACITY: u64 = 60;

pub(crate) fn measure(group: &mut Group<'_>, engine: &NamedEngine) {
    for sizes in SHAPES {
        let cells = sizes.iter().map(|&size| u64::from(size)).product();
        let lattice = LazyCell::new(|| configurations(sizes));
        group.throughput(Throughput::Elements(cells));
        for traversal in [Traversal::Levels, Traversal::Blocks] {
            // Only devices have launches.
            let launches = match engine.is_device() {
                true => &[Launches::Stepwise, Launches::Persistent][..],
                false => &[Launches::Auto],
            };
            for &launches in launches {
                let options = Options { traversal, launches, ..Options::default() };
                let name = format!("{}, {}", traversal.name(), launches.name());
                group.bench_function(BenchmarkId::new(name, cells), |bencher| {
                    bencher.iter(|| {
                        let (lattice, solve_options) = (&*lattice, SolveOptions::default());
                        lattice_dp::solve(
                            &engine.context,
                            black_box(lattice),
                            &options,
                            &solve_options,
                        )
                        .unwrap()
                    });
                });
            }
        }
    }
    unit_steps(group, engine);
}

fn unit_steps(group: &mut Group<'_>, engine: &NamedEngine) {
    let packing = LazyCell::new(|| {
        let sizes = (0..TYPES).map(|item| 7 + 3 * item).collect();
        Packing::new(sizes, vec![COUNT; TYPES as usize], CAPACITY).unwrap()
    });
    let cells = u64::from(COUNT + 1).pow(TYPES as u32);
    group.throughput(Throughput::Elements(cells));
    group.bench_function(BenchmarkId::new("single items", cells), |bencher| {
        let options = Recurrence::UnitSteps.into();
        bencher.iter(|| {
            let (packing, solve_options) = (black_box(&*packing), SolveOptions::default());
            lattice_dp::pack(&engine.context, packing, &options, &solve_options).unwrap()
        });
    });
}
