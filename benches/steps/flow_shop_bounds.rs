//! Bounds of all children at both ends of random nodes, without transfers.

use std::cell::LazyCell;
use std::time::Duration;

use criterion::{BenchmarkId, Throughput};
use makespan::SolveOptions;
use makespan::flow_shop::{Bound, Instance, Subproblem, bound_children, taillard};

use crate::Group;
use crate::common::engines::NamedEngine;
use crate::common::random::Random;

pub(crate) fn measure(group: &mut Group<'_>, engine: &NamedEngine) {
    for name in ["ta021", "ta051", "ta081", "ta101"] {
        let known = taillard::find(name).unwrap();
        let (jobs, instance) = (known.jobs, LazyCell::new(|| known.instance()));
        // LB2 looks at all pairs of machines, and a device needs more nodes to be busy.
        for (bound, cpu_bounds, device_bounds) in
            [(Bound::OneMachine, 1 << 19, 1 << 25), (Bound::TwoMachine, 1 << 14, 1 << 21)]
        {
            let nodes = if engine.is_device() { device_bounds } else { cpu_bounds } / jobs;
            let parts = LazyCell::new(|| half_open(&instance, nodes));
            let free = jobs - 2 * (jobs / 4);
            group.throughput(Throughput::Elements(2 * (nodes * free) as u64));
            let id = BenchmarkId::new(bound.name(), format!("{jobs}x{}", known.machines));
            group.bench_function(id, |bencher| {
                let options = SolveOptions::default();
                let bounding = |_| {
                    bound_children(&engine.context, &instance, bound, &parts, &options)
                        .unwrap()
                        .bounding
                };
                bencher.iter_custom(|rounds| (0..rounds).map(bounding).sum::<Duration>());
            });
        }
    }
}

/// Subproblems with half of the jobs free, a quarter at each end.
fn half_open(instance: &Instance, count: usize) -> Vec<Subproblem> {
    let mut random = Random(1);
    let quarter = instance.jobs() / 4;
    let mut jobs: Vec<u32> = (0..instance.jobs() as u32).collect();
    let mut draw = || {
        for place in 0..2 * quarter {
            let other = place + random.below((jobs.len() - place) as u64) as usize;
            jobs.swap(place, other);
        }
        Subproblem { front: jobs[..quarter].to_vec(), back: jobs[quarter..2 * quarter].to_vec() }
    };
    (0..count).map(|_| draw()).collect()
}
