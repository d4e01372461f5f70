//! Searches of other models: iterations of iterated greedy and tabu search with set-ups and with due
//! dates, passes of the beam.

use std::cell::LazyCell;
use std::time::Duration;

use criterion::{BenchmarkId, Throughput};
use makespan::flow_shop::{
    Instance, Method, Neighbourhood, Objective, Options, SearchOptions, Setups,
};

use crate::Group;
use crate::common::engines::NamedEngine;
use crate::common::instances::flow_shop;
use crate::common::random::Random;
use crate::flow_shop_searches::{generations, seconds};

const JOBS: usize = 100;
const MACHINES: usize = 20;
/// Iterations of iterated greedy search, whose trajectories a device advances together.
const ITERATIONS: u64 = 20;
/// Trajectories on the CPU, and those that keep a device busy.
const TRAJECTORIES: (usize, usize) = (4, 256);
const BEAM_WIDTH: usize = 16;

pub(crate) fn measure(group: &mut Group<'_>, engine: &NamedEngine) {
    let with_setups = LazyCell::new(with_setups);
    let with_due_dates = LazyCell::new(with_due_dates);
    tabu(group, engine, &with_setups);
    greedy(group, engine, "set-ups", &with_setups);
    greedy(group, engine, "due dates", &with_due_dates);
    let search = SearchOptions { beam_width: Some(BEAM_WIDTH), ..SearchOptions::default() };
    let options = Options { method: Method::Beam, search, ..Options::default() };
    group.throughput(Throughput::Elements(1));
    group.bench_function("beam, due dates", |bencher| {
        let pass = |_| seconds(engine, &with_due_dates, &options, None);
        bencher.iter_custom(|rounds| Duration::from_secs_f64((0..rounds).map(pass).sum::<f64>()));
    });
}

/// Generations of tabu search with set-ups.
fn tabu(
    group: &mut Group<'_>,
    engine: &NamedEngine,
    instance: &LazyCell<Instance, impl FnOnce() -> Instance>,
) {
    let neighbourhood = Neighbourhood::Insertion;
    let search = SearchOptions { neighbourhood, ..SearchOptions::default() };
    group.throughput(Throughput::Elements((JOBS * (JOBS - 1)) as u64));
    generations(group, engine, BenchmarkId::new("tabu", "set-ups"), instance, search);
}

fn greedy(
    group: &mut Group<'_>,
    engine: &NamedEngine,
    model: &str,
    instance: &LazyCell<Instance, impl FnOnce() -> Instance>,
) {
    let trajectories = if engine.is_device() { TRAJECTORIES.1 } else { TRAJECTORIES.0 };
    let search = SearchOptions { trajectories: Some(trajectories), ..SearchOptions::default() };
    let options = Options { method: Method::IteratedGreedy, search, ..Options::default() };
    group.throughput(Throughput::Elements(ITERATIONS * trajectories as u64));
    let id = BenchmarkId::new("iterated greedy", format!("{model}, {trajectories} at once"));
    group.bench_function(id, |bencher| {
        let some = |_| seconds(engine, instance, &options, Some(ITERATIONS));
        bencher.iter_custom(|rounds| Duration::from_secs_f64((0..rounds).map(some).sum::<f64>()));
    });
}

fn with_setups() -> Instance {
    let mut random = Random(1);
    let times = (0..MACHINES * JOBS * JOBS).map(|_| random.within(1, 50) as u32).collect();
    let setups = Setups::between_jobs(JOBS, times).unwrap();
    flow_shop(JOBS, MACHINES).with_setups(setups).unwrap()
}

fn with_due_dates() -> Instance {
    let mut random = Random(1);
    let latest = 60 * (JOBS + MACHINES) as u64;
    let dates = (0..JOBS).map(|_| random.within(1000, latest) as i64).collect();
    let tardiness = Objective::parse("total-tardiness").unwrap();
    let instance = flow_shop(JOBS, MACHINES).with_due_dates(dates).unwrap();
    instance.with_objective(tardiness).unwrap()
}
