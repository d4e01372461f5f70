//! Few item types in large numbers, packed by a lattice.

use std::sync::Arc;

use makespan::lattice_dp::{
    Containers, Options, Packing as Items, Problem as Read, pack, pack_batch,
};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{integers, matrix, scalar, whole, whole_list};
use crate::error::{OrRaise, argument};
use crate::files;
use crate::outcome;
use crate::problem::{Problem, Solve, SolveBatch};
use crate::solving;

/// Typed items in as few containers of one capacity as possible.
#[pyclass(frozen, module = "makespan._makespan")]
pub(crate) struct Packing(Arc<Items>);

struct OfContainers;

impl Problem for OfContainers {
    const NAME: &'static str = "lattice_dp";
    type Instance = Items;
    type Options = Options;
    type Solution = Containers;
    type Value = i64;
    const SOLVE: Solve<Self> = pack;
    const SOLVE_BATCH: SolveBatch<Self> = pack_batch;

    fn solution(py: Python<'_>, own: &Items, found: &Containers) -> PyResult<Py<PyAny>> {
        let counts = found.iter().flatten().copied();
        Ok(matrix(py, counts, found.len(), own.sizes().len())?.unbind())
    }
}

/// The items that a file or text has.
fn packing(given: &Bound<'_, PyAny>, name: &str, read: Arc<Read>) -> PyResult<Packing> {
    match Arc::unwrap_or_clone(read) {
        Read::Packing(items) => Ok(Packing(Arc::new(items))),
        _ => Err(argument(given.py(), name, "has a lattice, not items to pack")),
    }
}

#[pymethods]
impl Packing {
    #[new]
    fn new(
        py: Python<'_>,
        sizes: &Bound<'_, PyAny>,
        counts: &Bound<'_, PyAny>,
        capacity: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let (sizes, counts) = (whole_list("sizes", sizes)?, whole_list("counts", counts)?);
        let items = Items::new(sizes, counts, scalar("capacity", capacity)?).or_raise(py)?;
        Ok(Packing(Arc::new(items)))
    }

    /// An instance from a file in the format of the library.
    #[staticmethod]
    fn _read(path: &Bound<'_, PyAny>) -> PyResult<Self> {
        files::read(path, Read::read).and_then(|read| packing(path, "path", read))
    }

    /// An instance from a text in the format of the library.
    #[staticmethod]
    fn _parse(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        files::parse(text, Read::parse).and_then(|read| packing(text, "text", read))
    }

    /// The size of each item type.
    #[getter]
    fn sizes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        integers(py, self.0.sizes().iter().copied())
    }

    /// The number of items of each type.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        integers(py, self.0.counts().iter().copied())
    }

    /// The capacity of a container.
    #[getter]
    fn capacity(&self) -> u64 {
        self.0.capacity()
    }

    /// The number of containers with items, a row for each container.
    fn evaluate(&self, py: Python<'_>, containers: &Bound<'_, PyAny>) -> PyResult<u64> {
        let array = whole::<u32>("containers", containers, &[2])?;
        let rows = array.values.chunks(array.shape[1].max(1)).map(<[u32]>::to_vec).collect();
        self.0.evaluate(&rows).or_raise(py)
    }

    fn _solve(&self, py: Python<'_>, keywords: &Bound<'_, PyDict>) -> PyResult<outcome::Outcome> {
        solving::solve::<OfContainers>(py, &self.0, keywords)
    }

    #[staticmethod]
    fn _solve_batch(
        py: Python<'_>,
        instances: Vec<PyRef<'_, Self>>,
        keywords: &Bound<'_, PyDict>,
    ) -> PyResult<Vec<outcome::Outcome>> {
        let instances: Vec<_> = instances.iter().map(|own| Arc::clone(&own.0)).collect();
        solving::solve_batch::<OfContainers>(py, &instances, keywords)
    }
}
