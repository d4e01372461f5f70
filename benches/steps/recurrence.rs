//! The blocked fill of (min,+) recurrences with 1,000 offsets, and the methods of the p-fold
//! pipeline's source.

use std::cell::LazyCell;
use std::hint::black_box;

use criterion::{BenchmarkId, Throughput};
use makespan::SolveOptions;
use makespan::recurrence::{Method, Options, solve};

use crate::Group;
use crate::common::engines::NamedEngine;
use crate::common::instances::{min_plus, offsets};

const OFFSETS: u64 = 1000;
const PUBLISHED: [Method; 5] =
    [Method::Sequential, Method::Tournament, Method::Pipeline, Method::TwoByTwo, Method::PFold];

pub(crate) fn measure(group: &mut Group<'_>, engine: &NamedEngine) {
    // Name, smallest offset and gap, elements of an instance, instances.
    let fills = [
        ("far offsets", (100_000, 100), 1_000_000, 1),
        ("near offsets", (1, 1), 300_000, 1),
        ("batch of 100", (1100, 6), 10_000, 100),
    ];
    for (name, (smallest, gap), filled, instances) in fills {
        let instance =
            LazyCell::new(|| min_plus(offsets(smallest, gap, OFFSETS), filled, instances));
        let options = Options { method: Method::Blocked, ..Options::default() };
        group.throughput(Throughput::Elements(OFFSETS * filled * instances as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                solve(&engine.context, black_box(&*instance), &options, &SolveOptions::default())
                    .unwrap()
            });
        });
    }
    published(group, engine);
}

/// Short tables, since a step of these methods is a barrier or a launch on a device.
fn published(group: &mut Group<'_>, engine: &NamedEngine) {
    const FEW: u64 = 64;
    const FILLED: u64 = 5000;
    let instance = LazyCell::new(|| min_plus(offsets(100, 20, FEW), FILLED, 1));
    group.throughput(Throughput::Elements(FEW * FILLED));
    for method in PUBLISHED {
        let options = Options { method, ..Options::default() };
        group.bench_function(BenchmarkId::new(method.name(), FILLED), |bencher| {
            bencher.iter(|| {
                solve(&engine.context, black_box(&*instance), &options, &SolveOptions::default())
                    .unwrap()
            });
        });
    }
}
