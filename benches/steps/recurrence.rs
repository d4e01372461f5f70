//! The blocked fill of (min,+) recurrences with 1,000 offsets.

use std::cell::LazyCell;
use std::hint::black_box;

use criterion::Throughput;
use makespan::SolveOptions;
use makespan::recurrence::{Method, Options, solve};

use crate::Group;
use crate::common::engines::NamedEngine;
use crate::common::instances::{min_plus, offsets};

const OFFSETS: u64 = 1000;

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
}
