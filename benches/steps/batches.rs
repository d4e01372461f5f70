//! Many small instances at once: lattices, knapsacks, interval programs, recurrences.

use std::cell::LazyCell;
use std::hint::black_box;

use criterion::{BenchmarkId, Throughput};
use makespan::interval_dp::{self, Kind};
use makespan::lattice_dp;
use makespan::recurrence;
use makespan::{SolveOptions, knapsack};

use crate::Group;
use crate::common::engines::NamedEngine;
use crate::common::instances::{self, configurations, interval, min_plus, offsets};
use crate::common::random::Random;

const LATTICES: usize = 200;
const KNAPSACKS: usize = 2000;
const CHAINS: u64 = 1000;
const RECURRENCES: usize = 1000;

pub(crate) fn measure(group: &mut Group<'_>, engine: &NamedEngine) {
    lattices(group, engine);
    knapsacks(group, engine);
    chains(group, engine);
    recurrences(group, engine);
}

/// Tables of the P||Cmax scheme.
fn lattices(group: &mut Group<'_>, engine: &NamedEngine) {
    let lattices = LazyCell::new(|| vec![configurations(&[6, 4, 6, 6, 4]); LATTICES]);
    group.throughput(Throughput::Elements(LATTICES as u64));
    group.bench_function(BenchmarkId::new("lattices", LATTICES), |bencher| {
        let lattices: Vec<_> = lattices.iter().collect();
        let (options, solve_options) = (lattice_dp::Options::default(), SolveOptions::default());
        bencher.iter(|| {
            let lattices = black_box(&lattices);
            lattice_dp::solve_batch(&engine.context, lattices, &options, &solve_options).unwrap()
        });
    });
}

/// Knapsacks with the same weights and other profits.
fn knapsacks(group: &mut Group<'_>, engine: &NamedEngine) {
    const ITEMS: usize = 20;
    let weights = LazyCell::new(|| instances::knapsack(ITEMS, (1, 300), 1000));
    let profits = LazyCell::new(|| {
        let mut random = Random(1);
        (0..ITEMS * KNAPSACKS).map(|_| random.within(1, 1000)).collect::<Vec<_>>()
    });
    group.throughput(Throughput::Elements(KNAPSACKS as u64));
    group.bench_function(BenchmarkId::new("knapsacks", KNAPSACKS), |bencher| {
        bencher.iter(|| {
            let (weights, profits) = (black_box(&*weights), black_box(&*profits));
            let options = SolveOptions::default();
            knapsack::solve_profits(&engine.context, weights, profits, &options).unwrap()
        });
    });
}

/// Matrix chains by the cubic method.
fn chains(group: &mut Group<'_>, engine: &NamedEngine) {
    const POINTS: usize = 64;
    let chains = LazyCell::new(|| {
        (0..CHAINS).map(|seed| interval(Kind::MatrixChain, POINTS, seed)).collect::<Vec<_>>()
    });
    group.throughput(Throughput::Elements(CHAINS));
    group.bench_function(BenchmarkId::new("chains", CHAINS), |bencher| {
        let chains: Vec<_> = chains.iter().collect();
        let method = interval_dp::Method::Cubic;
        let options = interval_dp::Options { method, ..Default::default() };
        bencher.iter(|| {
            let (chains, solve_options) = (black_box(&chains), SolveOptions::default());
            interval_dp::solve_batch(&engine.context, chains, &options, &solve_options).unwrap()
        });
    });
}

/// (min,+) recurrences with near offsets.
fn recurrences(group: &mut Group<'_>, engine: &NamedEngine) {
    const OFFSETS: u64 = 20;
    const FILLED: u64 = 1000;
    let recurrences = LazyCell::new(|| min_plus(offsets(1, 1, OFFSETS), FILLED, RECURRENCES));
    group.throughput(Throughput::Elements(OFFSETS * FILLED * RECURRENCES as u64));
    group.bench_function(BenchmarkId::new("recurrences", RECURRENCES), |bencher| {
        let method = recurrence::Method::Blocked;
        let options = recurrence::Options { method, ..Default::default() };
        bencher.iter(|| {
            let (batch, solve_options) = (black_box(&*recurrences), SolveOptions::default());
            recurrence::solve(&engine.context, batch, &options, &solve_options).unwrap()
        });
    });
}
