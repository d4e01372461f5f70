//! Work by which the kernels are timed.

use std::sync::Arc;

use super::solve;
use crate::interval_dp::semiring::{CellType, Semiring};
use crate::interval_dp::values::Values;
use crate::interval_dp::view::Request;
use crate::interval_dp::{CellCost, Expression, Instance, SplitCost, cpu, knuth};
use crate::opencl::{Case, TimedFamily, Workload, agree, timed};
use crate::random::Random;
use crate::solve::{Monitor, SolveOptions, Statistics};
use crate::{Context, Result};

pub(crate) const TIMED: TimedFamily = TimedFamily {
    family: &super::FAMILY,
    workloads: &[
        Workload {
            name: "32 bits",
            tunables: "TILE BLOCK PANEL SPLITS_GROUP \
                       SPLITS_AT_ONCE SPLITS_OF_LAUNCH LAUNCHES RUN_STEPS LONG_RUN",
            case: |_, size| triangle(size, CellType::I32, false),
        },
        Workload {
            name: "64 bits",
            tunables: "TILE BLOCK WIDE_PANEL",
            case: |_, size| triangle(size, CellType::I64, false),
        },
        Workload { name: "Knuth's bound", tunables: "KNUTH_ALONE", case: |_, size| tree(size) },
        Workload {
            name: "an expression",
            tunables: "EXPRESSION_TILE",
            case: |_, size| triangle(size, CellType::I64, true),
        },
    ],
};

/// Points of the smallest triangle, and doublings of the work of the largest.
const POINTS: f64 = 200.0;
const MOST_DOUBLINGS: u32 = 14;

/// Fills a triangle whose splits cost a product or a function.
fn triangle(size: u32, cell_type: CellType, is_expression: bool) -> Result<Option<Case>> {
    if size > MOST_DOUBLINGS {
        return Ok(None);
    }
    // The work grows with the third power of the points.
    let points = (POINTS * (f64::from(size) / 3.0).exp2()) as usize;
    let instance = instance(points, is_expression)?;
    let monitor = || Monitor::new(&SolveOptions::default());
    // All cells would take longer to read than to compute.
    let cells: Vec<(usize, usize)> = (1..points).map(|last| (0, last)).collect();
    let expected = {
        let context = Context::of_all_threads()?;
        numbers(cpu::solve(&context, &Request::new(&instance, &cells), cell_type, &monitor())?)
    };
    Ok(Some(Box::new(move |device| {
        let request = Request::new(&instance, &cells);
        let (found, time) = timed(|| solve(None, device, &request, cell_type, &monitor()))?;
        agree("interval_dp", &[numbers(found)], std::slice::from_ref(&expected))?;
        Ok(time)
    })))
}

/// Keys of the smallest search tree, and doublings of the cells of the largest.
const KEYS: f64 = 1000.0;
const MOST_TREE_DOUBLINGS: u32 = 8;

/// Fills the triangle of a search tree by Knuth's bound. Some heavy keys among many light ones give
/// cells with many splits.
fn tree(size: u32) -> Result<Option<Case>> {
    if size > MOST_TREE_DOUBLINGS {
        return Ok(None);
    }
    let keys = (KEYS * f64::from(size).exp2().sqrt()) as usize;
    let mut random = Random::new(1);
    let mut weight = || match random.below(100) {
        0 => 10_000,
        light => light as i64,
    };
    let weights: Vec<i64> = (0..keys).map(|_| weight()).collect();
    let instance = Instance::search_tree(&weights, &vec![0; keys + 1])?;
    let monitor = || Monitor::new(&SolveOptions::default());
    let cell_type = CellType::I64;
    let expected = {
        let mut statistics = Statistics::default();
        let request = Request::new(&instance, &[]);
        numbers(knuth::solve(&request, cell_type, &monitor(), &mut statistics)?)
    };
    Ok(Some(Box::new(move |device| {
        let request = Request::new(&instance, &[]);
        let solve = || super::knuth::solve(None, device, &request, cell_type, &monitor());
        let ((found, _), time) = timed(solve)?;
        agree("interval_dp", &[numbers(found)], std::slice::from_ref(&expected))?;
        Ok(time)
    })))
}

/// The values of the cells and of the whole.
fn numbers(values: Values<crate::interval_dp::number::Value>) -> (Vec<i64>, i64) {
    let values = values.into_numbers::<i64>();
    (values.cells, values.value)
}

fn instance(points: usize, is_expression: bool) -> Result<Instance<i64>> {
    let mut random = Random::new(1);
    let mut list = |most: u64| (0..points).map(|_| random.below(most) as i64).collect::<Vec<i64>>();
    let leaves = vec![0; points - 1];
    let split_cost = match is_expression {
        true => {
            let data = list(100);
            let numbers = data.clone();
            SplitCost::Expression(Expression {
                function: Some(Arc::new(move |i, k, j| numbers[k] + (j - i) as i64)),
                magnitude: 100 + points as i64,
                source: Some("data[k] + (VALUE)(j - i)".into()),
                data,
            })
        }
        false => SplitCost::Product { left: list(99), split: list(99), right: list(99) },
    };
    Instance::custom(Semiring::MinPlus, leaves, CellCost::None, split_cost)
}
