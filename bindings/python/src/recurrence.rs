//! Recurrences with fixed offsets.

use std::sync::Arc;

use makespan::recurrence::{
    Callback, Instance, NO_CHOICE, Operator, Options, Semiring, Solution, solve, solve_batch,
};
use numpy::PyArray1;
use pyo3::IntoPyObjectExt;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{
    Array, blocks, frozen, integers, matrix, optional_integers, scalar, text, whole, whole_list,
    wrong_shape,
};
use crate::error::{self, OrRaise, argument, wrong_type};
use crate::files;
use crate::keywords::flag_argument;
use crate::listener::Failure;
use crate::outcome;
use crate::problem::{Problem, Solve, SolveBatch};
use crate::solving;

/// Tables whose elements follow from earlier elements at fixed distances.
#[pyclass(frozen, module = "makespan._makespan")]
pub(crate) struct Recurrence {
    /// With a [`placeholder`] for each function in Python.
    instance: Arc<Instance>,
    /// The functions in Python. They are here alone, where the garbage collector finds them.
    combine: Option<Py<PyAny>>,
    weigh: Option<Py<PyAny>>,
}

struct OfTables;

impl Problem for OfTables {
    const NAME: &'static str = "recurrence";
    type Instance = Instance;
    type Options = Options;
    type Solution = Solution;
    type Value = i64;
    const SOLVE: Solve<Self> = solve;
    const SOLVE_BATCH: SolveBatch<Self> = solve_batch;

    fn solution(py: Python<'_>, own: &Instance, found: &Solution) -> PyResult<Py<PyAny>> {
        let rows = own.instances();
        let parts = PyDict::new(py);
        let values = match found.values.is_empty() {
            true => None,
            false => {
                let table = frozen(py, found.values.clone());
                Some(table.call_method1("reshape", (rows, own.length()))?)
            }
        };
        let choice = |&choice: &u32| if choice == NO_CHOICE { -1 } else { i64::from(choice) };
        let choices = match &found.choices {
            None => None,
            Some(choices) => {
                let table = integers(py, choices.iter().map(choice))?;
                Some(table.call_method1("reshape", (rows, own.length() - own.preset()))?)
            }
        };
        parts.set_item("values", values)?;
        parts.set_item("last", frozen(py, found.last.clone()))?;
        parts.set_item("choices", choices)?;
        parts.into_py_any(py)
    }
}

/// A function in Python.
fn function(name: &str, function: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Py<PyAny>>> {
    match function {
        Some(function) if !function.is_callable() => Err(wrong_type(name, "must be callable")),
        function => Ok(function.map(|function| function.clone().unbind())),
    }
}

/// An operator in Python. What it raises ends the solve.
fn callback(name: &'static str, function: Py<PyAny>, failure: Arc<Failure>) -> Callback {
    Arc::new(move |left: i64, right: i64| {
        if failure.is_set() {
            return 0;
        }
        let value = |py: Python<'_>| {
            let value = function.call1(py, (left, right))?;
            scalar::<i64>(&format!("the value of {name}"), value.bind(py))
        };
        let value = Python::try_attach(|py| value(py).map_err(|error| failure.set(error)).ok());
        value.flatten().unwrap_or_default()
    })
}

/// Takes the place of a function in Python until a solve binds it.
fn placeholder() -> Callback {
    Arc::new(|_, _| 0)
}

/// Profits, weights, capacity.
type Items<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, u64);

impl Recurrence {
    /// Without functions.
    fn of(instance: Arc<Instance>) -> Self {
        Recurrence { instance, combine: None, weigh: None }
    }

    fn operator(&self) -> Option<&Operator> {
        match self.instance.semiring() {
            Semiring::Custom(operator) => Some(operator),
            _ => None,
        }
    }

    /// The instance for one solve. Its functions note their exceptions in `failure`.
    fn bound(&self, py: Python<'_>, failure: &Arc<Failure>) -> PyResult<Arc<Instance>> {
        let own = &self.instance;
        let (Semiring::Custom(operator), Some(offsets)) = (own.semiring(), own.offsets()) else {
            return Ok(Arc::clone(own));
        };
        let call = |name, function: &Option<Py<PyAny>>| {
            let function = function.as_ref().map(|function| function.clone_ref(py));
            function.map(|function| callback(name, function, Arc::clone(failure)))
        };
        let operator = Operator {
            combine: call("combine", &self.combine),
            weigh: call("weigh", &self.weigh),
            ..operator.clone()
        };
        let (semiring, initial) = (Semiring::Custom(operator), own.initial_values().to_vec());
        let (length, instances) = (own.length(), own.instances());
        let made = Instance::batch(semiring, offsets.to_vec(), initial, length, instances);
        let mut made = made.or_raise(py)?;
        if let Some(weights) = own.weights() {
            made = made.with_weights(weights.to_vec()).or_raise(py)?;
        }
        if let Some(terms) = own.terms() {
            made = made.with_terms(terms.to_vec()).or_raise(py)?;
        }
        Ok(Arc::new(made))
    }
}

/// Numbers of all tables together, or a row for each.
fn shared(name: &str, value: &Bound<'_, PyAny>, tables: usize, columns: u64) -> PyResult<Vec<i64>> {
    let Array { values, shape } = whole(name, value, &[1, 2])?;
    let is_right = match *shape {
        [own] => own as u64 == columns,
        [rows, own] => rows == tables && own as u64 == columns,
        _ => false,
    };
    match is_right {
        true => Ok(values),
        false => {
            let wanted = format!("({columns},) or ({tables}, {columns})");
            Err(wrong_shape(value.py(), name, &wanted, &shape))
        }
    }
}

#[pymethods]
impl Recurrence {
    #[new]
    #[pyo3(signature = (
        semiring, offsets, initial, length, *, weights = None, terms = None, modulus = None,
        combine = None, weigh = None, source = None, idempotent = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords")]
    fn new(
        py: Python<'_>,
        semiring: &Bound<'_, PyAny>,
        offsets: &Bound<'_, PyAny>,
        initial: &Bound<'_, PyAny>,
        length: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
        terms: Option<&Bound<'_, PyAny>>,
        modulus: Option<&Bound<'_, PyAny>>,
        combine: Option<&Bound<'_, PyAny>>,
        weigh: Option<&Bound<'_, PyAny>>,
        source: Option<&Bound<'_, PyAny>>,
        idempotent: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (combine, weigh) = (function("combine", combine)?, function("weigh", weigh)?);
        let name = text("semiring", semiring)?.replace('_', "-");
        if name != "modular" && modulus.is_some() {
            return Err(argument(py, "modulus", "is for the semiring modular"));
        }
        let source = source.map(|source| text("source", source)).transpose()?;
        let idempotent = idempotent.map(|value| flag_argument("idempotent", value)).transpose()?;
        let idempotent = idempotent.unwrap_or_default();
        let of_operators = [
            ("combine", combine.is_some()),
            ("weigh", weigh.is_some()),
            ("source", source.is_some()),
            ("idempotent", idempotent),
        ];
        if let Some((argument, _)) = of_operators.iter().find(|(_, is_given)| *is_given)
            && name != "custom"
        {
            return Err(error::argument(py, argument, "is for the semiring custom"));
        }
        let semiring = match &*name {
            "min-plus" => Semiring::MinPlus,
            "max-plus" => Semiring::MaxPlus,
            "sum-product" => Semiring::SumProduct,
            "or-and" => Semiring::OrAnd,
            "max-min" => Semiring::MaxMin,
            "modular" => {
                let missing = || wrong_type("modulus", "is missing");
                Semiring::Modular(scalar("modulus", modulus.ok_or_else(missing)?)?)
            }
            "custom" => Semiring::Custom(Operator {
                source,
                combine: combine.as_ref().map(|_| placeholder()),
                weigh: weigh.as_ref().map(|_| placeholder()),
                idempotent,
            }),
            _ => {
                let names = "min-plus, max-plus, sum-product, modular, or-and, max-min, custom";
                let reason = format!("must be one of {names}, not \"{name}\"");
                return Err(argument(py, "semiring", &reason));
            }
        };
        let offsets = whole_list("offsets", offsets)?;
        let initial = whole::<i64>("initial", initial, &[1, 2])?;
        let rows = if initial.shape.len() == 2 { initial.shape[0] } else { 1 };
        let (length, operands) = (scalar("length", length)?, offsets.len() as u64);
        let made = Instance::batch(semiring, offsets, initial.values, length, rows);
        let names = [("operator", "combine"), ("operator_source", "source")];
        let mut instance = made.with_names(&names).or_raise(py)?;
        if let Some(weights) = weights {
            let weights = shared("weights", weights, rows, operands)?;
            let with = instance.with_weights(weights);
            instance = with.with_names(&[("operator", "weigh")]).or_raise(py)?;
        }
        if let Some(terms) = terms {
            let terms = shared("terms", terms, rows, length - instance.preset())?;
            instance = instance.with_terms(terms).or_raise(py)?;
        }
        Ok(Recurrence { instance: Arc::new(instance), combine, weigh })
    }

    /// The table of a knapsack, a row for each item.
    #[staticmethod]
    fn _knapsack(
        py: Python<'_>,
        profits: &Bound<'_, PyAny>,
        weights: &Bound<'_, PyAny>,
        capacity: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let (weights, profits) = (whole_list("weights", weights)?, whole_list("profits", profits)?);
        let instance = Instance::knapsack(weights, profits, scalar("capacity", capacity)?);
        Ok(Self::of(Arc::new(instance.or_raise(py)?)))
    }

    /// An instance from a file in the format of the library.
    #[staticmethod]
    fn _read(path: &Bound<'_, PyAny>) -> PyResult<Self> {
        files::read(path, Instance::read).map(Self::of)
    }

    /// An instance from a text in the format of the library.
    #[staticmethod]
    fn _parse(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        files::parse(text, Instance::parse).map(Self::of)
    }

    /// Number of elements of each table.
    #[getter]
    fn length(&self) -> u64 {
        self.instance.length()
    }

    /// Number of tables.
    #[getter]
    fn instances(&self) -> usize {
        self.instance.instances()
    }

    /// Number of preset elements of each table.
    #[getter]
    fn preset(&self) -> u64 {
        self.instance.preset()
    }

    /// The largest p for which the p-fold pipeline is correct.
    #[getter]
    fn largest_fold(&self) -> u64 {
        makespan::recurrence::largest_fold(&self.instance)
    }

    /// The operations of the recurrence.
    #[getter]
    fn semiring(&self) -> &'static str {
        self.instance.semiring().name()
    }

    /// The offsets; None for a knapsack.
    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray1<i64>>>> {
        optional_integers(py, self.instance.offsets().unwrap_or_default())
    }

    /// The preset elements, a row for each table.
    #[getter]
    fn initial<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (list, rows) = (self.instance.initial_values(), self.instance.instances());
        matrix(py, list.iter().copied(), rows, list.len() / rows)
    }

    /// The weights, of all tables together or a row for each.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let weights = self.instance.weights().unwrap_or_default();
        blocks(py, weights, &[self.instance.operands()])
    }

    /// The terms, of all tables together or a row for each.
    #[getter]
    fn terms<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let columns = self.instance.length() - self.instance.preset();
        blocks(py, self.instance.terms().unwrap_or_default(), &[columns as usize])
    }

    /// The modulus of the semiring modular.
    #[getter]
    fn modulus(&self) -> Option<u64> {
        match self.instance.semiring() {
            Semiring::Modular(modulus) => Some(*modulus),
            _ => None,
        }
    }

    /// The function of a custom operator.
    #[getter]
    fn combine(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.combine.as_ref().map(|function| function.clone_ref(py))
    }

    /// The function for its weights.
    #[getter]
    fn weigh(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.weigh.as_ref().map(|function| function.clone_ref(py))
    }

    /// The operator in OpenCL C.
    #[getter]
    fn source(&self) -> Option<&str> {
        self.operator()?.source.as_deref()
    }

    /// Whether a custom operator combines a number with itself to the same.
    #[getter]
    fn idempotent(&self) -> bool {
        self.operator().is_some_and(|operator| operator.idempotent)
    }

    /// Profits and weights of the items of a knapsack, and its capacity.
    #[getter]
    fn _items<'py>(&self, py: Python<'py>) -> PyResult<Option<Items<'py>>> {
        let Some((weights, profits)) = self.instance.items() else { return Ok(None) };
        let weights = integers(py, weights.iter().copied())?;
        let profits = integers(py, profits.iter().copied())?;
        Ok(Some((profits, weights, self.instance.preset() - 1)))
    }

    fn _solve(&self, py: Python<'_>, keywords: &Bound<'_, PyDict>) -> PyResult<outcome::Outcome> {
        let failure = Arc::default();
        solving::solve_with::<OfTables>(py, &self.bound(py, &failure)?, keywords, failure)
    }

    #[staticmethod]
    fn _solve_batch(
        py: Python<'_>,
        instances: Vec<PyRef<'_, Self>>,
        keywords: &Bound<'_, PyDict>,
    ) -> PyResult<Vec<outcome::Outcome>> {
        let failure = Arc::default();
        let bound = instances.iter().map(|own| own.bound(py, &failure));
        let bound: Vec<_> = bound.collect::<PyResult<_>>()?;
        solving::solve_batch_with::<OfTables>(py, &bound, keywords, failure)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.combine)?;
        visit.call(&self.weigh)
    }
}
