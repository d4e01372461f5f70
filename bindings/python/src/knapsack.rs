//! Knapsacks with one capacity: 0-1, bounded and unbounded.

use std::sync::Arc;

use makespan::knapsack::{Instance, Options, Profile, Solution, profile, solve, solve_batch};
use numpy::PyArray1;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyFloatMethods, PyList};

use crate::arrays::{integers, optional_integers, scalar, whole_list};
use crate::aside::{self, aside};
use crate::error::{OrRaise, argument};
use crate::files;
use crate::outcome;
use crate::problem::{NoOptions, Problem, Solve, SolveBatch, one_by_one};
use crate::solving;

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
    const SOLVE_BATCH: SolveBatch<Self> = solve_batch;

    fn numbers(instance: &Instance) -> usize {
        instance.weights().len()
    }

    fn solution(py: Python<'_>, _: &Instance, found: &Solution) -> PyResult<Py<PyAny>> {
        Ok(integers(py, found.counts.iter().copied())?.into_any().unbind())
    }
}

/// The largest profit for each capacity.
struct OfProfiles;

impl Problem for OfProfiles {
    const NAME: &'static str = "knapsack_profile";
    type Instance = Instance;
    type Options = NoOptions;
    type Solution = Profile;
    type Value = i64;
    const SOLVE: Solve<Self> =
        |context, instance, _, solve_options| profile(context, instance, solve_options);
    const SOLVE_BATCH: SolveBatch<Self> = one_by_one::<Self>;

    fn numbers(instance: &Instance) -> usize {
        instance.weights().len()
    }

    fn solution(py: Python<'_>, _: &Instance, found: &Profile) -> PyResult<Py<PyAny>> {
        Ok(integers(py, found.values().iter().copied())?.into_any().unbind())
    }
}

/// Copies of each item: a list, or one number for all items. Any of them may be infinite.
pub(crate) fn copies(copies: &Bound<'_, PyAny>, items: usize) -> PyResult<Vec<u64>> {
    if !copies.hasattr("__len__")? {
        return number_of_copies("copies", copies).map(|number| vec![number; items]);
    }
    // Arrays have numbers of one type, so that only lists mix whole and infinite numbers.
    match copies.cast::<PyList>() {
        Ok(list) if list.iter().any(|number| is_infinite(&number)) => list
            .iter()
            .enumerate()
            .map(|(place, number)| number_of_copies(&format!("copies[{place}]"), &number))
            .collect(),
        _ => whole_list("copies", copies),
    }
}

fn number_of_copies(name: &str, number: &Bound<'_, PyAny>) -> PyResult<u64> {
    if is_infinite(number) {
        return Ok(Instance::UNBOUNDED);
    }
    if number.is_instance_of::<PyFloat>() {
        return Err(argument(number.py(), name, "must be a whole number or math.inf"));
    }
    scalar(name, number)
}

fn is_infinite(number: &Bound<'_, PyAny>) -> bool {
    number.cast::<PyFloat>().is_ok_and(|number| number.value() == f64::INFINITY)
}

/// Numbers of copies as [`copies`] reads them.
pub(crate) fn copies_list<'py>(
    py: Python<'py>,
    copies: &[u64],
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let number = |&number: &u64| match number {
        Instance::UNBOUNDED => f64::INFINITY.into_bound_py_any(py),
        number => number.into_bound_py_any(py),
    };
    copies.iter().map(number).collect()
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
        let copies = copies.map(|copies| self::copies(copies, weights.len())).transpose()?;
        let items = weights.len();
        let make = move || match copies {
            None => Instance::new(profits, weights, capacity),
            Some(copies) => Instance::bounded(profits, weights, copies, capacity),
        };
        let made = if aside::is_due(py, items)? { aside(py, make, || ())? } else { make() };
        let mut instance = made.or_raise(py)?;
        if let Some(pinned) = pinned {
            instance = instance.with_pinned(whole_list("pinned", pinned)?).or_raise(py)?;
        }
        Ok(Knapsack(Arc::new(instance)))
    }

    /// Numbers whose sum is to come near a capacity.
    #[staticmethod]
    fn _subset_sum(
        py: Python<'_>,
        weights: &Bound<'_, PyAny>,
        capacity: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let weights = whole_list::<u64>("weights", weights)?;
        let instance = Instance::subset_sum(weights, scalar("capacity", capacity)?);
        Ok(Knapsack(Arc::new(instance.or_raise(py)?)))
    }

    /// An instance from a file in a format of the library.
    #[staticmethod]
    fn _read(path: &Bound<'_, PyAny>) -> PyResult<Self> {
        files::read(path, Instance::read).map(Knapsack)
    }

    /// An instance from a text in a format of the library.
    #[staticmethod]
    fn _parse(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        files::parse(text, Instance::parse).map(Knapsack)
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

    /// Number of copies of each item.
    #[getter]
    fn copies<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        copies_list(py, self.0.copies())
    }

    /// Copies of each item that every selection takes.
    #[getter]
    fn pinned<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray1<i64>>>> {
        optional_integers(py, self.0.pinned())
    }

    /// The profit of these copies of each item.
    fn evaluate(&self, py: Python<'_>, counts: &Bound<'_, PyAny>) -> PyResult<u64> {
        self.0.profit_of(&whole_list::<u64>("counts", counts)?).or_raise(py)
    }

    fn _solve(&self, py: Python<'_>, keywords: &Bound<'_, PyDict>) -> PyResult<outcome::Outcome> {
        solving::solve::<OfKnapsack>(py, &self.0, keywords)
    }

    fn _profile(&self, py: Python<'_>, keywords: &Bound<'_, PyDict>) -> PyResult<outcome::Outcome> {
        solving::solve::<OfProfiles>(py, &self.0, keywords)
    }

    #[staticmethod]
    fn _solve_batch(
        py: Python<'_>,
        instances: Vec<PyRef<'_, Self>>,
        keywords: &Bound<'_, PyDict>,
    ) -> PyResult<Vec<outcome::Outcome>> {
        let instances: Vec<_> = instances.iter().map(|own| Arc::clone(&own.0)).collect();
        solving::solve_batch::<OfKnapsack>(py, &instances, keywords)
    }
}
