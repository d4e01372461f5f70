//! Interval programs: matrix chains, search trees, triangulations, and any recurrence of their
//! form.

use std::sync::Arc;

use makespan::interval_dp::{
    AnyInstance, Instance, Node, Number, Options, Solution, Tree, solve, solve_batch,
};
use numpy::Element;
use pyo3::IntoPyObjectExt;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{self, Array, Numbers, check_rows, frozen, matrix, numbers, text, whole_rows};
use crate::error::{OrRaise, argument};
use crate::files;
use crate::interval_form::{Given, expression, given_cell_cost, given_split_cost};
use crate::interval_numbers::Any;
use crate::keywords::named;
use crate::listener::Failure;
use crate::outcome;
use crate::problem::{Problem, Solve, SolveBatch};
use crate::solving;
use crate::split_cost::bound;

/// A dynamic program over intervals.
#[pyclass(frozen, module = "makespan._makespan")]
pub(crate) struct IntervalProgram {
    /// With a [`placeholder`] for a split cost in Python.
    instance: Any,
    /// The split cost in Python. It is here alone, where the garbage collector finds it.
    function: Option<Py<PyAny>>,
}

struct OfIntervals<V>(std::marker::PhantomData<V>);

impl<V: Number + Element> Problem for OfIntervals<V> {
    const NAME: &'static str = "interval_dp";
    type Instance = Instance<V>;
    type Options = Options;
    type Solution = Solution<V>;
    type Value = V;
    const SOLVE: Solve<Self> = solve::<V>;
    const SOLVE_BATCH: SolveBatch<Self> = solve_batch::<V>;

    fn solution(py: Python<'_>, _: &Instance<V>, found: &Solution<V>) -> PyResult<Py<PyAny>> {
        let nodes = found.tree.as_ref().map(|tree| {
            let nodes = tree.nodes();
            let points = nodes.iter().flat_map(|node| [node.first, node.split, node.last]);
            matrix(py, points, nodes.len(), 3)
        });
        let parts = PyDict::new(py);
        parts.set_item("nodes", nodes.transpose()?)?;
        parts.set_item("cells", frozen(py, found.cells.clone()))?;
        parts.set_item("cell_error", found.cell_error)?;
        parts.set_item("cell_type", found.cell_type.name())?;
        parts.into_py_any(py)
    }
}

/// Lists of one instance, which have the same type of numbers.
enum Lists<const N: usize> {
    Whole([Vec<i64>; N]),
    Real([Vec<f64>; N]),
}

/// Makes lists real if one of them is.
fn alike<const N: usize>(
    py: Python<'_>,
    names: [&str; N],
    lists: [Numbers; N],
    is_real: bool,
) -> PyResult<Lists<N>> {
    if is_real || lists.iter().any(Numbers::is_real) {
        let mut real: [Vec<f64>; N] = std::array::from_fn(|_| Vec::new());
        for ((own, list), name) in real.iter_mut().zip(lists).zip(names) {
            *own = list.into_real(py, name)?;
        }
        return Ok(Lists::Real(real));
    }
    Ok(Lists::Whole(lists.map(|list| match list {
        Numbers::Whole(list) => list,
        Numbers::Real(_) => Vec::new(),
    })))
}

fn list(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Numbers> {
    numbers(name, value, &[1]).map(|array| array.values)
}

impl IntervalProgram {
    fn of(read: Arc<AnyInstance>) -> Self {
        let instance = match Arc::unwrap_or_clone(read) {
            AnyInstance::Whole(instance) => Any::Whole(Arc::new(instance)),
            AnyInstance::Real(instance) => Any::Real(Arc::new(instance)),
        };
        IntervalProgram { instance, function: None }
    }

    fn whole(py: Python<'_>, instance: makespan::Result<Instance<i64>>) -> PyResult<Self> {
        let instance = Any::Whole(Arc::new(instance.or_raise(py)?));
        Ok(IntervalProgram { instance, function: None })
    }

    fn real(py: Python<'_>, instance: makespan::Result<Instance<f64>>) -> PyResult<Self> {
        let instance = Any::Real(Arc::new(instance.or_raise(py)?));
        Ok(IntervalProgram { instance, function: None })
    }

    /// The instance for one solve. Its split cost notes its exception in `failure`.
    fn bound(&self, py: Python<'_>, failure: &Arc<Failure>) -> PyResult<Any> {
        let function = self.function.as_ref();
        Ok(match &self.instance {
            Any::Whole(instance) => Any::Whole(bound(py, instance, function, failure)?),
            Any::Real(instance) => Any::Real(bound(py, instance, function, failure)?),
        })
    }

    fn tree(&self, py: Python<'_>, nodes: &Bound<'_, PyAny>) -> PyResult<Tree> {
        let points = self.points();
        let list = whole_rows::<u32>("nodes", nodes, 3)?;
        let (rows, _) = list.as_chunks::<3>();
        let node = |&[first, split, last]: &[u32; 3]| Node { first, split, last };
        Tree::of_nodes(points, rows.iter().map(node).collect()).or_raise(py)
    }
}

#[pymethods]
impl IntervalProgram {
    /// A matrix chain, a search tree or a triangulation from a file.
    #[staticmethod]
    fn _read(kind: &Bound<'_, PyAny>, path: &Bound<'_, PyAny>) -> PyResult<Self> {
        let kind = named(kind.py(), "kind", &text("kind", kind)?)?;
        files::read(path, |path| AnyInstance::read(kind, path)).map(Self::of)
    }

    /// A matrix chain, a search tree or a triangulation from a text.
    #[staticmethod]
    fn _parse(kind: &Bound<'_, PyAny>, text: &Bound<'_, PyAny>) -> PyResult<Self> {
        let kind = named(kind.py(), "kind", &arrays::text("kind", kind)?)?;
        files::parse(text, |text| AnyInstance::parse(kind, text)).map(Self::of)
    }

    /// The cheapest order of multiplying a chain of matrices.
    #[staticmethod]
    fn _matrix_chain(py: Python<'_>, dimensions: &Bound<'_, PyAny>) -> PyResult<Self> {
        match list("dimensions", dimensions)? {
            Numbers::Whole(list) => Self::whole(py, Instance::matrix_chain(list)),
            Numbers::Real(list) => Self::real(py, Instance::matrix_chain(list)),
        }
    }

    /// The cheapest triangulation of a convex polygon with weights at its vertices.
    #[staticmethod]
    fn _weighted_polygon(py: Python<'_>, weights: &Bound<'_, PyAny>) -> PyResult<Self> {
        match list("weights", weights)? {
            Numbers::Whole(list) => Self::whole(py, Instance::triangulation_by_weights(list)),
            Numbers::Real(list) => Self::real(py, Instance::triangulation_by_weights(list)),
        }
    }

    /// The triangulation with the least sum of perimeters of a convex polygon in the plane.
    #[staticmethod]
    fn _convex_polygon(py: Python<'_>, vertices: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Array { values, shape } = numbers("vertices", vertices, &[1, 2])?;
        check_rows(py, "vertices", &shape, 2)?;
        let values = values.into_real(py, "vertices")?;
        let (corners, _) = values.as_chunks::<2>();
        Self::real(py, Instance::convex_polygon(corners))
    }

    /// The binary search tree with the least weighted path length.
    #[staticmethod]
    fn _search_tree(
        py: Python<'_>,
        keys: &Bound<'_, PyAny>,
        gaps: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let keys = list("keys", keys)?;
        let gaps = match gaps {
            Some(gaps) => list("gaps", gaps)?,
            // Searches end at keys.
            None => Numbers::Whole(vec![0; keys.len() + 1]),
        };
        let lists = [keys, gaps];
        match alike(py, ["keys", "gaps"], lists, false)? {
            Lists::Whole([keys, gaps]) => Self::whole(py, Instance::search_tree(&keys, &gaps)),
            Lists::Real([keys, gaps]) => Self::real(py, Instance::search_tree(&keys, &gaps)),
        }
    }

    /// An instance of the general form.
    #[staticmethod]
    #[pyo3(signature = (leaves, semiring, cell_cost, split_cost, magnitude, source, data))]
    #[allow(clippy::too_many_arguments, reason = "the Python part names them")]
    fn _custom(
        py: Python<'_>,
        leaves: &Bound<'_, PyAny>,
        semiring: &Bound<'_, PyAny>,
        cell_cost: Option<&Bound<'_, PyAny>>,
        split_cost: Option<&Bound<'_, PyAny>>,
        magnitude: Option<&Bound<'_, PyAny>>,
        source: Option<&Bound<'_, PyAny>>,
        data: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let source = source.map(|source| text("source", source)).transpose()?;
        let semiring = named(py, "semiring", &text("semiring", semiring)?)?;
        let given = Given { cell_cost, split_cost, magnitude, source, data };
        let instance = given.instance(py, semiring, numbers("leaves", leaves, &[1])?.values)?;
        Ok(IntervalProgram { instance, function: given.function() })
    }

    /// Number of points; there is one leaf less.
    #[getter]
    fn points(&self) -> usize {
        match &self.instance {
            Any::Whole(instance) => instance.points(),
            Any::Real(instance) => instance.points(),
        }
    }

    /// The problem that the instance describes.
    #[getter]
    fn kind(&self) -> &'static str {
        match &self.instance {
            Any::Whole(instance) => instance.kind().name(),
            Any::Real(instance) => instance.kind().name(),
        }
    }

    /// The operations of the recurrence.
    #[getter]
    fn semiring(&self) -> &'static str {
        match &self.instance {
            Any::Whole(instance) => instance.semiring().name(),
            Any::Real(instance) => instance.semiring().name(),
        }
    }

    /// The values of the leaves.
    #[getter]
    fn leaves<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        match &self.instance {
            Any::Whole(instance) => frozen(py, instance.leaves().to_vec()).into_any(),
            Any::Real(instance) => frozen(py, instance.leaves().to_vec()).into_any(),
        }
    }

    /// w(i, j): None, a tuple (row, column), or a list of all pairs, row after row.
    #[getter]
    fn cell_cost<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.instance {
            Any::Whole(instance) => given_cell_cost(py, instance.cell_cost()),
            Any::Real(instance) => given_cell_cost(py, instance.cell_cost()),
        }
    }

    /// g(i, k, j): None, a tuple (left, split, right), or a function.
    #[getter]
    fn split_cost<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(function) = &self.function {
            return Ok(function.bind(py).clone());
        }
        match &self.instance {
            Any::Whole(instance) => given_split_cost(py, instance.split_cost()),
            Any::Real(instance) => given_split_cost(py, instance.split_cost()),
        }
    }

    /// The largest absolute value of a split cost that is a function or has a source.
    #[getter]
    fn magnitude(&self) -> Option<outcome::Number> {
        match &self.instance {
            Any::Whole(instance) => {
                expression(instance).map(|own| outcome::Number::Whole(own.magnitude))
            }
            Any::Real(instance) => {
                expression(instance).map(|own| outcome::Number::Real(own.magnitude))
            }
        }
    }

    /// The split cost in OpenCL C.
    #[getter]
    fn source(&self) -> Option<&str> {
        match &self.instance {
            Any::Whole(instance) => expression(instance)?.source.as_deref(),
            Any::Real(instance) => expression(instance)?.source.as_deref(),
        }
    }

    /// The numbers that the source reads.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.source()?;
        Some(match &self.instance {
            Any::Whole(instance) => frozen(py, expression(instance)?.data.clone()).into_any(),
            Any::Real(instance) => frozen(py, expression(instance)?.data.clone()).into_any(),
        })
    }

    /// The value of a tree, given by its nodes.
    fn evaluate(&self, py: Python<'_>, nodes: &Bound<'_, PyAny>) -> PyResult<outcome::Number> {
        let (tree, failure) = (self.tree(py, nodes)?, Arc::default());
        let value = match &self.bound(py, &failure)? {
            Any::Whole(instance) => {
                py.detach(|| instance.evaluate(&tree)).about("nodes").map(makespan::Value::from)
            }
            Any::Real(instance) => {
                py.detach(|| instance.evaluate(&tree)).about("nodes").map(makespan::Value::from)
            }
        };
        solving::ended(py, &failure)?;
        value.or_raise(py).map(Into::into)
    }

    /// A tree as a product of its leaves.
    fn parenthesisation(&self, py: Python<'_>, nodes: &Bound<'_, PyAny>) -> PyResult<String> {
        Ok(self.tree(py, nodes)?.parenthesisation())
    }

    /// A tree as a graph in the DOT language.
    fn dot(&self, py: Python<'_>, nodes: &Bound<'_, PyAny>) -> PyResult<String> {
        let tree = self.tree(py, nodes)?;
        Ok(match &self.instance {
            Any::Whole(instance) => tree.dot(instance.kind()),
            Any::Real(instance) => tree.dot(instance.kind()),
        })
    }

    fn _solve(&self, py: Python<'_>, keywords: &Bound<'_, PyDict>) -> PyResult<outcome::Outcome> {
        let failure = Arc::default();
        match &self.bound(py, &failure)? {
            Any::Whole(instance) => {
                solving::solve_with::<OfIntervals<i64>>(py, instance, keywords, failure)
            }
            Any::Real(instance) => {
                solving::solve_with::<OfIntervals<f64>>(py, instance, keywords, failure)
            }
        }
    }

    #[staticmethod]
    fn _solve_batch(
        py: Python<'_>,
        instances: Vec<PyRef<'_, Self>>,
        keywords: &Bound<'_, PyDict>,
    ) -> PyResult<Vec<outcome::Outcome>> {
        let (failure, mut whole, mut real) = (Arc::default(), Vec::new(), Vec::new());
        for own in &instances {
            match own.bound(py, &failure)? {
                Any::Whole(instance) => whole.push(instance),
                Any::Real(instance) => real.push(instance),
            }
        }
        match (whole.is_empty(), real.is_empty()) {
            (_, true) => {
                solving::solve_batch_with::<OfIntervals<i64>>(py, &whole, keywords, failure)
            }
            (true, false) => {
                solving::solve_batch_with::<OfIntervals<f64>>(py, &real, keywords, failure)
            }
            (false, false) => {
                let reason = "must all have whole numbers, or all real ones";
                Err(argument(py, "instances", reason))
            }
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.function)
    }
}
