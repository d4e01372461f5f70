//! Steps of the searches: the insertions of NEH, generations of tabu search, passes of the beam.

use std::cell::LazyCell;
use std::time::Duration;

use criterion::{BenchmarkId, Throughput};
use makespan::flow_shop::{Instance, Method, Neighbourhood, Options, SearchOptions, solve};
use makespan::{Limits, SolveOptions};

use crate::Group;
use crate::common::engines::NamedEngine;
use crate::common::instances::flow_shop;

const SIZES: [(usize, usize); 5] = [(100, 20), (200, 20), (500, 20), (900, 40), (800, 60)];
/// The beam's passes have 1, 2, 4 and so on up to this many nodes of a level.
const BEAM_WIDTH: usize = 64;

pub(crate) fn measure(group: &mut Group<'_>, engine: &NamedEngine) {
    group.bench_function("beam/200x20", |bencher| {
        let search = SearchOptions { beam_width: Some(BEAM_WIDTH), ..SearchOptions::default() };
        let options = Options { method: Method::Beam, search, ..Options::default() };
        let instance = flow_shop(200, 20);
        bencher.iter(|| seconds(engine, &instance, &options, None));
    });
    for (jobs, machines) in SIZES {
        let instance = LazyCell::new(|| flow_shop(jobs, machines));
        let size = format!("{jobs}x{machines}");
        for neighbourhood in [Neighbourhood::Insertion, Neighbourhood::Swap] {
            for &trajectories in if engine.is_device() { &[1, 64][..] } else { &[1] } {
                let search = SearchOptions {
                    neighbourhood,
                    trajectories: Some(trajectories),
                    ..SearchOptions::default()
                };
                let pairs = (jobs * (jobs - 1)) as u64;
                let moves = if neighbourhood == Neighbourhood::Swap { pairs / 2 } else { pairs };
                group.throughput(Throughput::Elements(moves * trajectories as u64));
                let name = format!("tabu {neighbourhood:?}, {trajectories} at once");
                let id = BenchmarkId::new(name.to_lowercase(), &size);
                generations(group, engine, id, &instance, search);
            }
        }
        group.throughput(Throughput::Elements(jobs as u64));
        // It has no kernels.
        if !engine.is_device() {
            group.bench_function(BenchmarkId::new("neh", &size), |bencher| {
                let options = Options { method: Method::Neh, ..Options::default() };
                bencher.iter(|| seconds(engine, &instance, &options, None));
            });
        }
    }
}

/// Generations of tabu search: evaluate neighbours, choose one, update the tables.
pub(crate) fn generations(
    group: &mut Group<'_>,
    engine: &NamedEngine,
    id: BenchmarkId,
    instance: &LazyCell<Instance, impl FnOnce() -> Instance>,
    search: SearchOptions,
) {
    let options = Options { method: Method::Tabu, search, ..Options::default() };
    let seconds = |generations| seconds(engine, instance, &options, Some(generations));
    // Everything before the second generation.
    let start = LazyCell::new(|| (0..3).map(|_| seconds(1)).fold(f64::INFINITY, f64::min));
    group.bench_function(id, |bencher| {
        bencher.iter_custom(|generations| {
            Duration::from_secs_f64((seconds(generations + 1) - *start).max(1e-9))
        });
    });
}

/// Seconds of a solve with at most these iterations, without building kernels.
pub(crate) fn seconds(
    engine: &NamedEngine,
    instance: &Instance,
    options: &Options,
    iterations: Option<u64>,
) -> f64 {
    let limits = Limits { iterations, ..Limits::default() };
    let solve_options = SolveOptions { limits, ..SolveOptions::default() };
    solve(&engine.context, instance, options, &solve_options).unwrap().report.seconds
}
