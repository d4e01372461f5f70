//! Many knapsacks with the same weights, copies and capacity.

use std::sync::Arc;

use makespan::knapsack::{Batch, Instance, solve_profits};
use numpy::PyArray1;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Array, integers, matrix, scalar, whole, whole_list};
use crate::error::{OrRaise, argument};
use crate::knapsack::{copies, copies_list};
use crate::outcome;
use crate::problem::{NoOptions, Problem, Solve, SolveBatch, one_by_one};
use crate::solving;

/// Knapsacks that differ only in their profits.
#[pyclass(frozen, module = "makespan._makespan")]
pub(crate) struct KnapsackBatch(Arc<Profits>);

struct Profits {
    /// Weights, copies and capacity. Its own profits count for nothing.
    common: Instance,
    /// The profits of all knapsacks.
    profits: Vec<u64>,
    knapsacks: usize,
}

struct OfBatches;

impl Problem for OfBatches {
    const NAME: &'static str = "knapsack_batch";
    type Instance = Profits;
    type Options = NoOptions;
    type Solution = Batch;
    type Value = i64;
    const SOLVE: Solve<Self> = |context, own, _, solve_options| {
        solve_profits(context, &own.common, &own.profits, solve_options)
    };
    const SOLVE_BATCH: SolveBatch<Self> = one_by_one::<Self>;

    fn solution(py: Python<'_>, own: &Profits, found: &Batch) -> PyResult<Py<PyAny>> {
        let (rows, items) = (found.profits.len(), own.common.items());
        let counts = matrix(py, found.counts.iter().copied(), rows, items)?;
        let profits = integers(py, found.profits.iter().copied())?;
        (profits, counts).into_py_any(py)
    }
}

#[pymethods]
impl KnapsackBatch {
    #[new]
    #[pyo3(signature = (profits, weights, capacity, *, copies = None))]
    fn new(
        py: Python<'_>,
        profits: &Bound<'_, PyAny>,
        weights: &Bound<'_, PyAny>,
        capacity: &Bound<'_, PyAny>,
        copies: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let Array { values: profits, shape } = whole::<u64>("profits", profits, &[2])?;
        let weights = whole_list::<u64>("weights", weights)?;
        let (own, items) = (shape[1], weights.len());
        if own != items {
            let reason = format!("has rows of {own} profits for {items} weights");
            return Err(argument(py, "profits", &reason));
        }
        let copies = match copies {
            Some(given) => self::copies(given, items)?,
            None => vec![1; items],
        };
        let capacity = scalar("capacity", capacity)?;
        let common = Instance::bounded(vec![0; items], weights, copies, capacity).or_raise(py)?;
        Ok(KnapsackBatch(Arc::new(Profits { common, profits, knapsacks: shape[0] })))
    }

    /// Number of knapsacks.
    #[getter]
    fn knapsacks(&self) -> usize {
        self.0.knapsacks
    }

    /// Number of items.
    #[getter]
    fn items(&self) -> usize {
        self.0.common.items()
    }

    /// The capacity of each knapsack.
    #[getter]
    fn capacity(&self) -> u64 {
        self.0.common.capacity()
    }

    /// The profits, a row for each knapsack.
    #[getter]
    fn profits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (rows, columns) = (self.0.knapsacks, self.0.common.items());
        matrix(py, self.0.profits.iter().copied(), rows, columns)
    }

    /// Weight of each item.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        integers(py, self.0.common.weights().iter().copied())
    }

    /// Number of copies of each item.
    #[getter]
    fn copies<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        copies_list(py, self.0.common.copies())
    }

    fn _solve(&self, py: Python<'_>, keywords: &Bound<'_, PyDict>) -> PyResult<outcome::Outcome> {
        solving::solve::<OfBatches>(py, &self.0, keywords)
    }

    #[staticmethod]
    fn _solve_batch(
        py: Python<'_>,
        instances: Vec<PyRef<'_, Self>>,
        keywords: &Bound<'_, PyDict>,
    ) -> PyResult<Vec<outcome::Outcome>> {
        let instances: Vec<_> = instances.iter().map(|own| Arc::clone(&own.0)).collect();
        solving::solve_batch::<OfBatches>(py, &instances, keywords)
    }
}
