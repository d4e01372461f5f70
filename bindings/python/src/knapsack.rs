//! Knapsacks with one capacity: 0-1, bounded, unbounded, and many with the same weights.

use std::sync::Arc;

use makespan::knapsack::{Batch, Instance, Options, Solution, solve, solve_profits};
use makespan::options::{Entry, Named};
use numpy::PyArray1;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat};

use crate::arrays::{self, integers, matrix, scalar, whole, whole_list};
use crate::error::{OrRaise, argument};
use crate::outcome;
use crate::problem::{self, Problem, Solve, SolveBatch, one_by_one};

/// Items with the largest profit that fit into a capacity.
#[pyclass(frozen, module = "makespan._makespan")]
pub(crate) struct Knapsack(Arc<Instance>);

struct OfKnapsack;

impl Problem for OfKnapsack {
    const NAME: &'static str = "knapsack";
    type Instance = Instance;
    type Options = Options;
    type Solution = Solution;
    type Value = i64;
    const SOLVE: Solve<Self> = solve;
    const SOLVE_BATCH: SolveBatch<Self> = one_by_one::<Self>;

    fn solution(py: Python<'_>, _: &Instance, found: &Solution) -> PyResult<Py<PyAny>> {
        Ok(integers(py, found.counts.iter().copied())?.into_any().unbind())
    }
}

/// Many knapsacks that differ only in their profits.
struct OfProfits;

/// Weights and capacity, and the profits of all instances.
struct Profits {
    common: Arc<Instance>,
    profits: Vec<u64>,
}

/// There is one method, so that there are no options.
#[derive(Clone, Default)]
struct NoOptions;

impl Named for NoOptions {
    const TABLE: &'static [Entry<Self>] = &[];
}

impl Problem for OfProfits {
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

/// Copies of each item: a list, or one number for all items, which may be infinite.
fn copies(copies: &Bound<'_, PyAny>, items: usize) -> PyResult<Vec<u64>> {
    if let Ok(number) = copies.cast::<PyFloat>() {
        if number.extract::<f64>()? == f64::INFINITY {
            return Ok(vec![Instance::UNBOUNDED; items]);
        }
        let reason = "must be whole numbers or math.inf";
        return Err(argument(copies.py(), "copies", reason));
    }
    match scalar("copies", copies) {
        Ok(number) => Ok(vec![number; items]),
        Err(error) if error.is_instance_of::<pyo3::exceptions::PyTypeError>(copies.py()) => {
            whole_list("copies", copies)
        }
        Err(error) => Err(error),
    }
}

#[pymethods]
impl Knapsack {
    #[new]
    #[pyo3(signature = (profits, weights, capacity, *, copies = None, pinned = None))]
    fn new(
        py: Python<'_>,
        profits: &Bound<'_, PyAny>,
        weights: &Bound<'_, PyAny>,
        capacity: &Bound<'_, PyAny>,
        copies: Option<&Bound<'_, PyAny>>,
        pinned: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let profits = whole_list::<u64>("profits", profits)?;
        let weights = whole_list::<u64>("weights", weights)?;
        let capacity = scalar("capacity", capacity)?;
        let mut instance = match copies {
            None => Instance::new(profits, weights, capacity),
            Some(copies) => {
                let copies = self::copies(copies, weights.len())?;
                Instance::bounded(profits, weights, copies, capacity)
            }
        }
        .or_raise(py)?;
        if let Some(pinned) = pinned {
            instance = instance.with_pinned(whole_list("pinned", pinned)?).or_raise(py)?;
        }
        Ok(Knapsack(Arc::new(instance)))
    }

    /// An instance from a file in a format of the library.
    #[staticmethod]
    fn _read(py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<Self> {
        let path = arrays::path(path)?;
        let instance = py.detach(|| Instance::read(path)).or_raise(py)?;
        Ok(Knapsack(Arc::new(instance)))
    }

    /// Number of items.
    #[getter]
    fn items(&self) -> usize {
        self.0.items()
    }

    /// The capacity.
    #[getter]
    fn capacity(&self) -> u64 {
        self.0.capacity()
    }

    /// Profit of each item.
    #[getter]
    fn profits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        integers(py, self.0.profits().iter().copied())
    }

    /// Weight of each item.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        integers(py, self.0.weights().iter().copied())
    }

    /// The profit of these copies of each item.
    fn evaluate(&self, py: Python<'_>, counts: &Bound<'_, PyAny>) -> PyResult<u64> {
        self.0.profit_of(&whole_list::<u64>("counts", counts)?).or_raise(py)
    }

    fn _solve(&self, py: Python<'_>, keywords: &Bound<'_, PyDict>) -> PyResult<outcome::Outcome> {
        problem::solve::<OfKnapsack>(py, &self.0, keywords)
    }

    /// Solves an instance for each row of profits.
    fn _solve_profits(
        &self,
        py: Python<'_>,
        profits: &Bound<'_, PyAny>,
        keywords: &Bound<'_, PyDict>,
    ) -> PyResult<outcome::Outcome> {
        let profits = whole::<u64>("profits", profits, &[2])?;
        let (own, items) = (profits.shape[1], self.0.items());
        if own != items {
            let reason = format!("has rows of {own} profits for {items} items");
            return Err(argument(py, "profits", &reason));
        }
        let instance = Profits { common: Arc::clone(&self.0), profits: profits.values };
        problem::solve::<OfProfits>(py, &Arc::new(instance), keywords)
    }

    #[staticmethod]
    fn _solve_batch(
        py: Python<'_>,
        instances: Vec<PyRef<'_, Self>>,
        keywords: &Bound<'_, PyDict>,
    ) -> PyResult<Vec<outcome::Outcome>> {
        let instances: Vec<_> = instances.iter().map(|own| Arc::clone(&own.0)).collect();
        problem::solve_batch::<OfKnapsack>(py, &instances, keywords)
    }
}
