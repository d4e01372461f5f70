//! Interval programs: matrix chains, search trees, triangulations, and any recurrence of their
//! form.

use std::sync::Arc;

use makespan::Enumeration;
use makespan::interval_dp::{
    CellCost, Expression, Instance, Node, Number, Options, Semiring, Solution, SplitCost,
    SplitFunction, Tree, solve, solve_batch,
};
use numpy::Element;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arrays::{Array, Numbers, frozen, matrix, numbers, text, whole};
use crate::error::{OrRaise, argument, wrong_type};
use crate::listener::Failure;
use crate::outcome;
use crate::problem::{self, Problem, Solve, SolveBatch};

/// A dynamic program over intervals.
#[pyclass(frozen, module = "makespan._makespan")]
pub(crate) struct IntervalProgram {
    /// With a [`placeholder`] for a split cost in Python.
    instance: Any,
    /// The split cost in Python. It is here alone, where the garbage collector finds it.
    function: Option<Py<PyAny>>,
}

/// An instance of whole or of real numbers.
enum Any {
    Whole(Arc<Instance<i64>>),
    Real(Arc<Instance<f64>>),
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
    fn whole(py: Python<'_>, instance: makespan::Result<Instance<i64>>) -> PyResult<Self> {
        let instance = Any::Whole(Arc::new(instance.or_raise(py)?));
        Ok(IntervalProgram { instance, function: None })
    }

    fn real(py: Python<'_>, instance: makespan::Result<Instance<f64>>) -> PyResult<Self> {
        let instance = Any::Real(Arc::new(instance.or_raise(py)?));
        Ok(IntervalProgram { instance, function: None })
    }

    /// The instance for one solve, whose split cost notes in `failure` what it raises.
    fn bound(&self, py: Python<'_>, failure: &Arc<Failure>) -> PyResult<Any> {
        let function = self.function.as_ref();
        Ok(match &self.instance {
            Any::Whole(instance) => Any::Whole(bound(py, instance, function, failure)?),
            Any::Real(instance) => Any::Real(bound(py, instance, function, failure)?),
        })
    }

    fn tree(&self, py: Python<'_>, nodes: &Bound<'_, PyAny>) -> PyResult<Tree> {
        let points = self.points();
        let list = whole::<u32>("nodes", nodes, &[2])?;
        if list.shape[1] != 3 && !list.values.is_empty() {
            let reason = format!("must have rows of 3 points, not of {}", list.shape[1]);
            return Err(argument(py, "nodes", &reason));
        }
        let (rows, _) = list.values.as_chunks::<3>();
        let node = |&[first, split, last]: &[u32; 3]| Node { first, split, last };
        Tree::of_nodes(points, rows.iter().map(node).collect()).or_raise(py)
    }
}

/// Arguments of the general form, with lists of one type of numbers.
struct General<V> {
    semiring: Semiring,
    leaves: Vec<V>,
    cell_cost: CellCost<V>,
    split_cost: SplitCost<V>,
}

impl<V: Number> General<V> {
    fn instance(self) -> makespan::Result<Instance<V>> {
        Instance::custom(self.semiring, self.leaves, self.cell_cost, self.split_cost)
    }
}

/// The arguments of the general form as they were given.
struct Given<'a, 'py> {
    cell_cost: Option<&'a Bound<'py, PyAny>>,
    split_cost: Option<&'a Bound<'py, PyAny>>,
    magnitude: Option<&'a Bound<'py, PyAny>>,
    source: Option<String>,
    data: Option<&'a Bound<'py, PyAny>>,
}

/// The lists of the general form.
enum Costs {
    None,
    Lists(Vec<Numbers>),
    Table(Array<Numbers>),
}

impl Costs {
    fn is_real(&self) -> bool {
        match self {
            Costs::None => false,
            Costs::Lists(lists) => lists.iter().any(Numbers::is_real),
            Costs::Table(table) => table.values.is_real(),
        }
    }
}

/// A tuple with that many lists.
fn tuple_of(name: &str, value: &Bound<'_, PyTuple>, count: usize) -> PyResult<Vec<Numbers>> {
    if value.len() != count {
        let reason = format!("must have {count} lists, not {}", value.len());
        return Err(argument(value.py(), name, &reason));
    }
    value.iter().map(|item| list(name, &item)).collect()
}

/// A type of numbers, and what lists of any numbers become.
trait Read: Number + Element {
    fn read(py: Python<'_>, name: &str, numbers: Numbers) -> PyResult<Vec<Self>>;
    fn one(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self>;
}

impl Read for i64 {
    fn read(_: Python<'_>, name: &str, numbers: Numbers) -> PyResult<Vec<i64>> {
        match numbers {
            Numbers::Whole(list) => Ok(list),
            Numbers::Real(_) => Err(wrong_type(name, "must have whole numbers")),
        }
    }

    fn one(name: &str, value: &Bound<'_, PyAny>) -> PyResult<i64> {
        crate::arrays::scalar(name, value)
    }
}

impl Read for f64 {
    fn read(py: Python<'_>, name: &str, numbers: Numbers) -> PyResult<Vec<f64>> {
        numbers.into_real(py, name)
    }

    fn one(name: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
        value.extract().map_err(|_| wrong_type(name, "must be a number"))
    }
}

/// A split cost in Python. What it raises ends the solve.
fn function<V: Read>(function: Py<PyAny>, failure: Arc<Failure>) -> SplitFunction<V> {
    Arc::new(move |i, k, j| {
        if failure.is_set() {
            return V::default();
        }
        let cost = |py: Python<'_>| {
            let cost = function.call1(py, (i, k, j))?;
            V::one("the value of split_cost", cost.bind(py))
        };
        let cost = Python::try_attach(|py| cost(py).map_err(|error| failure.set(error)).ok());
        cost.flatten().unwrap_or_default()
    })
}

/// Stands for a split cost in Python until a solve binds it.
fn placeholder<V: Read>() -> SplitFunction<V> {
    Arc::new(|_, _, _| V::default())
}

/// The instance with a split cost in Python in place of the [`placeholder`].
fn bound<V: Read>(
    py: Python<'_>,
    instance: &Arc<Instance<V>>,
    own: Option<&Py<PyAny>>,
    failure: &Arc<Failure>,
) -> PyResult<Arc<Instance<V>>> {
    let (Some(own), SplitCost::Expression(given)) = (own, instance.split_cost()) else {
        return Ok(Arc::clone(instance));
    };
    let function = Some(function(own.clone_ref(py), Arc::clone(failure)));
    let split_cost = SplitCost::Expression(Expression { function, ..given.clone() });
    let (leaves, cell_cost) = (instance.leaves().to_vec(), instance.cell_cost().clone());
    let made = Instance::custom(instance.semiring(), leaves, cell_cost, split_cost);
    made.or_raise(py).map(Arc::new)
}

impl Given<'_, '_> {
    fn cell_costs(&self) -> PyResult<Costs> {
        let Some(value) = self.cell_cost else { return Ok(Costs::None) };
        match value.cast::<PyTuple>() {
            Ok(pair) => tuple_of("cell_cost", pair, 2).map(Costs::Lists),
            Err(_) => numbers("cell_cost", value, &[1, 2]).map(Costs::Table),
        }
    }

    fn split_costs(&self) -> PyResult<Costs> {
        match self.split_cost {
            Some(value) if value.is_callable() => Ok(Costs::None),
            Some(value) => match value.cast::<PyTuple>() {
                Ok(lists) => tuple_of("split_cost", lists, 3).map(Costs::Lists),
                Err(_) => {
                    let reason = "must be a function or a tuple of three lists";
                    Err(wrong_type("split_cost", reason))
                }
            },
            None => Ok(Costs::None),
        }
    }

    fn function(&self) -> Option<Py<PyAny>> {
        let function = self.split_cost.filter(|value| value.is_callable());
        function.map(|function| function.clone().unbind())
    }

    fn has_expression(&self) -> bool {
        self.source.is_some() || self.split_cost.is_some_and(|value| value.is_callable())
    }

    fn general<V: Read>(
        &self,
        py: Python<'_>,
        semiring: Semiring,
        leaves: Numbers,
        [cell_costs, split_costs]: [Costs; 2],
    ) -> PyResult<General<V>> {
        let leaves = V::read(py, "leaves", leaves)?;
        let points = leaves.len() + 1;
        let cell_cost = match cell_costs {
            Costs::None => CellCost::None,
            Costs::Lists(lists) => {
                let mut lists = lists.into_iter().map(|list| V::read(py, "cell_cost", list));
                let mut next = || lists.next().unwrap_or_else(|| Ok(Vec::new()));
                CellCost::Separable { row: next()?, column: next()? }
            }
            Costs::Table(table) => {
                let Array { values, shape } = table;
                CellCost::Table(upper(py, V::read(py, "cell_cost", values)?, &shape, points)?)
            }
        };
        let split_cost = match split_costs {
            Costs::Lists(lists) => {
                let mut lists = lists.into_iter().map(|list| V::read(py, "split_cost", list));
                let mut next = || lists.next().unwrap_or_else(|| Ok(Vec::new()));
                SplitCost::Product { left: next()?, split: next()?, right: next()? }
            }
            _ if self.has_expression() => SplitCost::Expression(self.expression(py)?),
            _ => SplitCost::None,
        };
        Ok(General { semiring, leaves, cell_cost, split_cost })
    }

    fn expression<V: Read>(&self, py: Python<'_>) -> PyResult<Expression<V>> {
        let magnitude = self.magnitude.ok_or_else(|| {
            let reason = "is missing: the largest magnitude of the split costs";
            PyTypeError::new_err(format!("magnitude: {reason}"))
        })?;
        let function = self.function().map(|_| placeholder());
        let data = match self.data {
            Some(data) => V::read(py, "data", list("data", data)?)?,
            None => Vec::new(),
        };
        let magnitude = V::one("magnitude", magnitude)?;
        Ok(Expression { function, magnitude, source: self.source.clone(), data })
    }
}

/// The entries above the diagonal of a matrix, row after row; a list is taken as it is.
fn upper<V: Copy>(
    py: Python<'_>,
    values: Vec<V>,
    shape: &[usize],
    points: usize,
) -> PyResult<Vec<V>> {
    match *shape {
        [_] => Ok(values),
        [rows, columns] if rows == points && columns == points => {
            let above = |row: usize| row * points + row + 1..(row + 1) * points;
            Ok((0..points).flat_map(|row| &values[above(row)]).copied().collect())
        }
        _ => {
            let reason = format!("must be a matrix of {points} by {points} points, or a list");
            Err(argument(py, "cell_cost", &reason))
        }
    }
}

#[pymethods]
impl IntervalProgram {
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
        let Array { values, shape } = numbers("vertices", vertices, &[2])?;
        if shape[1] != 2 && shape[0] != 0 {
            let reason = format!("must have two coordinates, not {}", shape[1]);
            return Err(argument(py, "vertices", &reason));
        }
        let values = values.into_real(py, "vertices")?;
        let (corners, _) = values.as_chunks::<2>();
        Self::real(py, Instance::convex_polygon(corners))
    }

    /// The binary search tree with the least weighted path length.
    #[staticmethod]
    fn _search_tree(
        py: Python<'_>,
        keys: &Bound<'_, PyAny>,
        gaps: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let lists = [list("keys", keys)?, list("gaps", gaps)?];
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
        let leaves = list("leaves", leaves)?;
        let costs = [given.cell_costs()?, given.split_costs()?];
        let magnitude_is_real = magnitude.is_some_and(|number| {
            given.has_expression() && number.is_instance_of::<pyo3::types::PyFloat>()
        });
        let is_real = leaves.is_real() || costs.iter().any(Costs::is_real) || magnitude_is_real;
        let instance = match is_real {
            false => {
                let general = given.general::<i64>(py, semiring, leaves, costs)?;
                Any::Whole(Arc::new(general.instance().or_raise(py)?))
            }
            true => {
                let general = given.general::<f64>(py, semiring, leaves, costs)?;
                Any::Real(Arc::new(general.instance().or_raise(py)?))
            }
        };
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

    /// The value of a tree, given by its nodes.
    fn evaluate(&self, py: Python<'_>, nodes: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let (tree, failure) = (self.tree(py, nodes)?, Arc::default());
        let value = match &self.bound(py, &failure)? {
            Any::Whole(instance) => {
                py.detach(|| instance.evaluate(&tree)).about("nodes").map(makespan::Value::from)
            }
            Any::Real(instance) => {
                py.detach(|| instance.evaluate(&tree)).about("nodes").map(makespan::Value::from)
            }
        };
        problem::ended(py, &failure)?;
        outcome::number(py, value.or_raise(py)?)
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
                problem::solve_with::<OfIntervals<i64>>(py, instance, keywords, failure)
            }
            Any::Real(instance) => {
                problem::solve_with::<OfIntervals<f64>>(py, instance, keywords, failure)
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
                problem::solve_batch_with::<OfIntervals<i64>>(py, &whole, keywords, failure)
            }
            (true, false) => {
                problem::solve_batch_with::<OfIntervals<f64>>(py, &real, keywords, failure)
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

/// The value of an enumeration with this name.
pub(crate) fn named<E: Enumeration>(py: Python<'_>, argument: &str, name: &str) -> PyResult<E> {
    let wanted = name.replace('_', "-");
    let found = E::VALUES.iter().copied().find(|value| value.name() == wanted);
    found.ok_or_else(|| {
        let names: Vec<_> = E::VALUES.iter().map(|value| value.name()).collect();
        let reason = format!("must be one of {}, not \"{name}\"", names.join(", "));
        crate::error::argument(py, argument, &reason)
    })
}
