//! The tiles of the cubic method, with the tree, for every type of cell, RNA folding, and the
//! mappings of Diwan and Tembhurne.

use std::cell::LazyCell;
use std::hint::black_box;

use criterion::{BenchmarkId, Throughput};
use makespan::interval_dp::folding::{self, Model, Nussinov};
use makespan::interval_dp::{CellType, Instance, Kind, Mapping, Method, Options, solve};
use makespan::{Limits, SolveOptions};

use crate::Group;
use crate::common::engines::NamedEngine;
use crate::common::instances::{interval, narrow_interval};

const POINTS: usize = 2049;
const POINTS_OF_MAPPINGS: usize = 513;
const MAPPINGS: [Mapping; 5] = [
    Mapping::FirstPhase,
    Mapping::GroupPerCell,
    Mapping::Constant,
    Mapping::ItemPerCell,
    Mapping::Adaptive,
];

pub(crate) fn measure(group: &mut Group<'_>, engine: &NamedEngine) {
    for (kind, form) in [(Kind::SearchTree, "(min,+)"), (Kind::MatrixChain, "chain")] {
        let instance = LazyCell::new(|| interval(kind, POINTS, 1));
        for cell_type in [CellType::I32, CellType::F32, CellType::F64, CellType::I64] {
            tiles(group, engine, form, &instance, cell_type);
        }
    }
    tiles(group, engine, "(min,+)", &LazyCell::new(|| narrow_interval(POINTS)), CellType::U16);
    fold(group, engine, "nussinov", Model::Nussinov(Nussinov::default()));
    fold(group, engine, "zuker", Model::Zuker(Box::default()));
    if engine.is_device() {
        mappings(group, engine);
    }
}

fn mappings(group: &mut Group<'_>, device: &NamedEngine) {
    let chain = LazyCell::new(|| interval(Kind::MatrixChain, POINTS_OF_MAPPINGS, 1));
    let points = POINTS_OF_MAPPINGS as u64;
    group.throughput(Throughput::Elements(points * (points - 1) * (points - 2) / 6));
    for mapping in MAPPINGS {
        let method = Method::Mapping(mapping);
        let options = Options { method, ..Options::default() };
        group.bench_function(BenchmarkId::new(method.name(), points - 1), |bencher| {
            let solve_options = SolveOptions::default();
            bencher.iter(|| {
                solve(&device.context, black_box(&*chain), &options, &solve_options).unwrap()
            });
        });
    }
}

fn fold(group: &mut Group<'_>, engine: &NamedEngine, name: &str, model: Model) {
    let drawn = || folding::Instance::random(POINTS - 1, 1, model, &Limits::default()).unwrap();
    let instance = LazyCell::new(drawn);
    let points = POINTS as u64;
    group.throughput(Throughput::Elements(points * (points - 1) * (points - 2) / 6));
    group.bench_function(BenchmarkId::new(name, points - 1), |bencher| {
        let (options, solve_options) = (Options::default(), SolveOptions::default());
        bencher.iter(|| {
            let instance = black_box(&*instance);
            folding::solve(&engine.context, instance, &options, &solve_options).unwrap()
        });
    });
}

fn tiles(
    group: &mut Group<'_>,
    engine: &NamedEngine,
    form: &str,
    instance: &LazyCell<Instance<i64>, impl FnOnce() -> Instance<i64>>,
    cell_type: CellType,
) {
    let points = POINTS as u64;
    let options =
        Options { method: Method::Cubic, cell_type: Some(cell_type), ..Options::default() };
    // A split for each three points.
    group.throughput(Throughput::Elements(points * (points - 1) * (points - 2) / 6));
    group.bench_function(BenchmarkId::new(format!("{form} {cell_type}"), points - 1), |bencher| {
        bencher.iter(|| {
            solve(&engine.context, black_box(&**instance), &options, &SolveOptions::default())
                .unwrap()
        });
    });
}
