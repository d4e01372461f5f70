//! Stock cut into lengths, and items packed into bins.

use std::sync::Arc;

use makespan::cutting_stock::{Cut, Instance, Options, Packing, Pattern, solve, solve_batch};
use numpy::PyArray1;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{integers, scalar, whole_list};
use crate::error::{OrRaise, wrong_type};
use crate::files;
use crate::outcome;
use crate::problem::{Problem, Solve, SolveBatch};
use crate::solving;

/// Items cut from as few stock pieces as possible.
#[pyclass(frozen, module = "makespan._makespan")]
pub(crate) struct CuttingStock(Arc<Instance>);

struct OfPackings;

impl Problem for OfPackings {
    const NAME: &'static str = "cutting_stock";
    type Instance = Instance;
    type Options = Options;
    type Solution = Packing;
    type Value = i64;
    const SOLVE: Solve<Self> = solve;
    const SOLVE_BATCH: SolveBatch<Self> = solve_batch;

    fn solution(py: Python<'_>, _: &Instance, found: &Packing) -> PyResult<Py<PyAny>> {
        pairs(py, found.patterns())?.into_py_any(py)
    }
}

/// The number of pieces of each pattern with a dictionary of the items cut from each.
type Pairs<'py> = Vec<(u32, Bound<'py, PyDict>)>;

fn pairs<'py>(py: Python<'py>, patterns: &[Pattern]) -> PyResult<Pairs<'py>> {
    let pair = |pattern: &Pattern| {
        let cuts = PyDict::new(py);
        for cut in &pattern.cuts {
            cuts.set_item(cut.item, cut.count)?;
        }
        Ok((pattern.pieces, cuts))
    };
    patterns.iter().map(pair).collect()
}

/// Patterns given as pairs of a number of pieces and a dictionary of items.
fn patterns(name: &str, patterns: &Bound<'_, PyAny>) -> PyResult<Vec<Pattern>> {
    let shape = "must be a list of pairs (pieces, {item: count})";
    let refused = |_| wrong_type(name, shape);
    let mut list = Vec::new();
    for pattern in patterns.try_iter().map_err(refused)? {
        let (pieces, items) =
            pattern?.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>().map_err(refused)?;
        let items = items.cast::<PyDict>().map_err(|_| wrong_type(name, shape))?;
        let cut = |(item, count): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            Ok(Cut { item: scalar(name, &item)?, count: scalar(name, &count)? })
        };
        let cuts = items.iter().map(cut).collect::<PyResult<Vec<_>>>()?;
        list.push(Pattern { pieces: scalar(name, &pieces)?, cuts });
    }
    Ok(list)
}

#[pymethods]
impl CuttingStock {
    #[new]
    #[pyo3(signature = (lengths, demands, stock_length, *, pinned = None))]
    fn new(
        py: Python<'_>,
        lengths: &Bound<'_, PyAny>,
        demands: Option<&Bound<'_, PyAny>>,
        stock_length: &Bound<'_, PyAny>,
        pinned: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let lengths = whole_list::<u64>("lengths", lengths)?;
        let demands = match demands {
            Some(demands) => whole_list("demands", demands)?,
            None => vec![1; lengths.len()],
        };
        let stock_length = scalar("stock_length", stock_length)?;
        let mut instance = Instance::new(lengths, demands, stock_length).or_raise(py)?;
        if let Some(pinned) = pinned {
            instance = instance.with_pinned(patterns("pinned", pinned)?).or_raise(py)?;
        }
        Ok(CuttingStock(Arc::new(instance)))
    }

    /// Items of these sizes to pack into bins.
    #[staticmethod]
    fn _bins(
        py: Python<'_>,
        sizes: &Bound<'_, PyAny>,
        capacity: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let sizes = whole_list::<u64>("sizes", sizes)?;
        let demands = vec![1; sizes.len()];
        let instance = Instance::new(sizes, demands, scalar("capacity", capacity)?);
        let names = [("lengths", "sizes"), ("stock_length", "capacity")];
        Ok(CuttingStock(Arc::new(instance.with_names(&names).or_raise(py)?)))
    }

    /// An instance from a file in a format of the library.
    #[staticmethod]
    fn _read(path: &Bound<'_, PyAny>) -> PyResult<Self> {
        files::read(path, Instance::read).map(CuttingStock)
    }

    /// An instance from a text in a format of the library.
    #[staticmethod]
    fn _parse(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        files::parse(text, Instance::parse).map(CuttingStock)
    }

    /// Number of item types.
    #[getter]
    fn types(&self) -> usize {
        self.0.types()
    }

    /// Length of each item type.
    #[getter]
    fn lengths<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        integers(py, self.0.lengths().iter().copied())
    }

    /// Number of items wanted of each type.
    #[getter]
    fn demands<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        integers(py, self.0.demands().iter().copied())
    }

    /// Length of a stock piece.
    #[getter]
    fn stock_length(&self) -> u64 {
        self.0.stock_length()
    }

    /// The pieces that are cut already, pairs (pieces, {item: count}).
    #[getter]
    fn pinned<'py>(&self, py: Python<'py>) -> PyResult<Option<Pairs<'py>>> {
        let pinned = self.0.pinned();
        (!pinned.is_empty()).then(|| pairs(py, pinned)).transpose()
    }

    /// The number of stock pieces of these patterns, pairs (pieces, {item: count}).
    fn evaluate(&self, py: Python<'_>, patterns: &Bound<'_, PyAny>) -> PyResult<u64> {
        let packing = Packing::new(self::patterns("patterns", patterns)?);
        packing.stock_pieces(&self.0).about("patterns").or_raise(py)
    }

    fn _solve(&self, py: Python<'_>, keywords: &Bound<'_, PyDict>) -> PyResult<outcome::Outcome> {
        solving::solve::<OfPackings>(py, &self.0, keywords)
    }

    #[staticmethod]
    fn _solve_batch(
        py: Python<'_>,
        instances: Vec<PyRef<'_, Self>>,
        keywords: &Bound<'_, PyDict>,
    ) -> PyResult<Vec<outcome::Outcome>> {
        let instances: Vec<_> = instances.iter().map(|own| Arc::clone(&own.0)).collect();
        solving::solve_batch::<OfPackings>(py, &instances, keywords)
    }
}
