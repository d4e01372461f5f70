//! Cheapest paths on a grid by a list of moves.

use std::sync::Arc;

use makespan::lattice_dp::{Instance, Options, Problem as Read, Solution, solve, solve_batch};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{integers, matrix, whole, whole_list};
use crate::error::{OrRaise, argument};
use crate::files;
use crate::outcome;
use crate::problem::{Problem, Solve, SolveBatch};
use crate::solving;

/// A box of cells with moves and their costs.
#[pyclass(frozen, module = "makespan._makespan")]
pub(crate) struct LatticeProgram(Arc<Instance>);

struct OfPaths;

impl Problem for OfPaths {
    const NAME: &'static str = "lattice_dp";
    type Instance = Instance;
    type Options = Options;
    type Solution = Solution;
    type Value = i64;
    const SOLVE: Solve<Self> = solve;
    const SOLVE_BATCH: SolveBatch<Self> = solve_batch;

    fn solution(py: Python<'_>, _: &Instance, found: &Solution) -> PyResult<Py<PyAny>> {
        Ok(integers(py, found.steps.iter().copied())?.into_any().unbind())
    }
}

/// The lattice that a file or text has.
fn lattice(given: &Bound<'_, PyAny>, name: &str, read: Arc<Read>) -> PyResult<LatticeProgram> {
    match Arc::unwrap_or_clone(read) {
        Read::Lattice(instance) => Ok(LatticeProgram(Arc::new(instance))),
        _ => Err(argument(given.py(), name, "has items to pack, not a lattice")),
    }
}

#[pymethods]
impl LatticeProgram {
    #[new]
    #[pyo3(signature = (sizes, offsets, costs = None))]
    fn new(
        py: Python<'_>,
        sizes: &Bound<'_, PyAny>,
        offsets: &Bound<'_, PyAny>,
        costs: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let sizes = whole_list::<u32>("sizes", sizes)?;
        let offsets = whole::<u32>("offsets", offsets, &[2])?;
        let (count, width) = (offsets.shape[0], offsets.shape[1]);
        if width != sizes.len() {
            let reason = format!("has rows of {width} numbers for {} dimensions", sizes.len());
            return Err(argument(py, "offsets", &reason));
        }
        let costs = match costs {
            Some(costs) => whole_list("costs", costs)?,
            None => vec![1; count],
        };
        if costs.len() != count {
            let reason = format!("has {} costs for {count} offsets", costs.len());
            return Err(argument(py, "costs", &reason));
        }
        let rows = (0..count).map(|row| &offsets.values[row * width..][..width]);
        Ok(LatticeProgram(Arc::new(Instance::new(&sizes, rows.zip(costs)).or_raise(py)?)))
    }

    /// An instance from a file in the format of the library.
    #[staticmethod]
    fn _read(path: &Bound<'_, PyAny>) -> PyResult<Self> {
        files::read(path, Read::read).and_then(|read| lattice(path, "path", read))
    }

    /// An instance from a text in the format of the library.
    #[staticmethod]
    fn _parse(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        files::parse(text, Read::parse).and_then(|read| lattice(text, "text", read))
    }

    /// Number of cells.
    #[getter]
    fn cells(&self) -> u64 {
        self.0.cells()
    }

    /// The sizes of the box.
    #[getter]
    fn sizes(&self) -> Vec<u32> {
        self.0.sizes()
    }

    /// The offset vectors, a row for each.
    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let offsets: Vec<_> = self.0.given_offsets().map(|(offset, _)| offset).collect();
        let (rows, columns) = (offsets.len(), self.0.sizes().len());
        matrix(py, offsets.into_iter().flatten(), rows, columns)
    }

    /// The cost of each offset.
    #[getter]
    fn costs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        integers(py, self.0.given_offsets().map(|(_, cost)| cost))
    }

    /// The cost of a path, given by the positions of its offsets from the last cell back.
    fn evaluate(&self, py: Python<'_>, steps: &Bound<'_, PyAny>) -> PyResult<u64> {
        self.0.path_cost(&whole_list::<u32>("steps", steps)?).or_raise(py)
    }

    fn _solve(&self, py: Python<'_>, keywords: &Bound<'_, PyDict>) -> PyResult<outcome::Outcome> {
        solving::solve::<OfPaths>(py, &self.0, keywords)
    }

    #[staticmethod]
    fn _solve_batch(
        py: Python<'_>,
        instances: Vec<PyRef<'_, Self>>,
        keywords: &Bound<'_, PyDict>,
    ) -> PyResult<Vec<outcome::Outcome>> {
        let instances: Vec<_> = instances.iter().map(|own| Arc::clone(&own.0)).collect();
        solving::solve_batch::<OfPaths>(py, &instances, keywords)
    }
}
