//! Knapsacks with several capacities.

use std::sync::Arc;

use makespan::multidimensional_knapsack::{Instance, Options, Selection, solve, solve_batch};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{integers, matrix, whole, whole_list};
use crate::error::{OrRaise, argument};
use crate::files;
use crate::outcome;
use crate::problem::{Problem, Solve, SolveBatch};
use crate::solving;

/// Items with the largest profit that fit into several capacities.
#[pyclass(frozen, module = "makespan._makespan")]
pub(crate) struct MultidimensionalKnapsack(Arc<Instance>);

struct OfSelections;

impl Problem for OfSelections {
    const NAME: &'static str = "multidimensional_knapsack";
    type Instance = Instance;
    type Options = Options;
    type Solution = Selection;
    type Value = i64;
    const SOLVE: Solve<Self> = solve;
    const SOLVE_BATCH: SolveBatch<Self> = solve_batch;

    fn solution(py: Python<'_>, _: &Instance, found: &Selection) -> PyResult<Py<PyAny>> {
        Ok(integers(py, found.counts.iter().copied())?.into_any().unbind())
    }
}

#[pymethods]
impl MultidimensionalKnapsack {
    #[new]
    #[pyo3(signature = (profits, weights, capacities, *, copies = None))]
    fn new(
        py: Python<'_>,
        profits: &Bound<'_, PyAny>,
        weights: &Bound<'_, PyAny>,
        capacities: &Bound<'_, PyAny>,
        copies: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let profits = whole_list::<u64>("profits", profits)?;
        let weights = whole::<u64>("weights", weights, &[2])?;
        let capacities = whole_list::<u64>("capacities", capacities)?;
        if weights.shape != [capacities.len(), profits.len()] {
            let reason = format!(
                "must have a row for each of {} capacities and a column for each of {} items, not \
                 {} rows and {} columns",
                capacities.len(),
                profits.len(),
                weights.shape[0],
                weights.shape[1],
            );
            return Err(argument(py, "weights", &reason));
        }
        let instance = match copies {
            None => Instance::new(profits, weights.values, capacities),
            Some(copies) => {
                let copies = whole_list("copies", copies)?;
                Instance::bounded(profits, weights.values, copies, capacities)
            }
        };
        Ok(MultidimensionalKnapsack(Arc::new(instance.or_raise(py)?)))
    }

    /// An instance from a file in a format of the library.
    #[staticmethod]
    fn _read(path: &Bound<'_, PyAny>) -> PyResult<Self> {
        files::read(path, Instance::read).map(MultidimensionalKnapsack)
    }

    /// An instance from a text in a format of the library.
    #[staticmethod]
    fn _parse(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        files::parse(text, Instance::parse).map(MultidimensionalKnapsack)
    }

    /// Number of items.
    #[getter]
    fn items(&self) -> usize {
        self.0.items()
    }

    /// Number of dimensions.
    #[getter]
    fn dimensions(&self) -> usize {
        self.0.dimensions()
    }

    /// The capacity of each dimension.
    #[getter]
    fn capacities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        integers(py, self.0.capacities().iter().copied())
    }

    /// Profit of each item.
    #[getter]
    fn profits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        integers(py, self.0.profits().iter().copied())
    }

    /// Number of copies of each item.
    #[getter]
    fn copies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        integers(py, self.0.copies().iter().copied())
    }

    /// The weights, a row for each dimension.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        matrix(py, self.0.weights().iter().copied(), self.0.dimensions(), self.0.items())
    }

    /// The profit of these copies of each item.
    fn evaluate(&self, py: Python<'_>, counts: &Bound<'_, PyAny>) -> PyResult<u64> {
        self.0.profit_of(&whole_list::<u64>("counts", counts)?).or_raise(py)
    }

    fn _solve(&self, py: Python<'_>, keywords: &Bound<'_, PyDict>) -> PyResult<outcome::Outcome> {
        solving::solve::<OfSelections>(py, &self.0, keywords)
    }

    #[staticmethod]
    fn _solve_batch(
        py: Python<'_>,
        instances: Vec<PyRef<'_, Self>>,
        keywords: &Bound<'_, PyDict>,
    ) -> PyResult<Vec<outcome::Outcome>> {
        let instances: Vec<_> = instances.iter().map(|own| Arc::clone(&own.0)).collect();
        solving::solve_batch::<OfSelections>(py, &instances, keywords)
    }
}
