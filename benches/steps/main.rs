//! The steps that solves are made of, and the kernels under them, on each engine found: one core,
//! all cores, the device.
//!
//! ```text
//! cargo bench --bench steps -- [FILTER] [--save-baseline NAME | --baseline NAME]
//! ```
//!
//! A group is a step on an engine, such as `lattice/core`. Kernels are built while Criterion warms
//! up.
#![allow(clippy::print_stderr, reason = "says that there is no device")]

mod batches;
#[path = "../common/mod.rs"]
mod common;
mod flow_shop_bounds;
mod flow_shop_planner;
mod flow_shop_searches;
mod flow_shop_trees;
mod interval;
mod knapsack;
mod lattice;
mod lattice_orders;
mod multidimensional_knapsack;
mod recurrence;

use std::time::Duration;

use common::engines::{self, NamedEngine};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion};

type Group<'a> = BenchmarkGroup<'a, WallTime>;

/// Measures a step on an engine.
type Step = fn(&mut Group<'_>, &NamedEngine);

const STEPS: [(&str, Step); 11] = [
    ("batches", batches::measure),
    ("flow-shop-bounds", flow_shop_bounds::measure),
    ("flow-shop-planner", flow_shop_planner::measure),
    ("flow-shop-searches", flow_shop_searches::measure),
    ("flow-shop-trees", flow_shop_trees::measure),
    ("interval", interval::measure),
    ("knapsack", knapsack::measure),
    ("lattice", lattice::measure),
    ("lattice-orders", lattice_orders::measure),
    ("multidimensional-knapsack", multidimensional_knapsack::measure),
    ("recurrence", recurrence::measure),
];

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .measurement_time(Duration::from_secs(2))
        .warm_up_time(Duration::from_millis(300))
        .configure_from_args();
    for engine in engines::found(&engines::NAMES, None) {
        for (step, measure) in STEPS {
            measure(&mut criterion.benchmark_group(format!("{step}/{}", engine.name)), &engine);
        }
    }
    criterion.final_summary();
}
