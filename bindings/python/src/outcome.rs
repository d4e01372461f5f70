//! Results of all problems.

use makespan::{Report, TracePoint, Value};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::problem::Problem;

/// A number of the library as Python's own.
pub(crate) fn number(py: Python<'_>, value: Value) -> PyResult<Py<PyAny>> {
    match value {
        Value::Whole(value) => value.into_py_any(py),
        Value::Real(value) => value.into_py_any(py),
    }
}

/// Seconds, objective and bound.
type Point = (f64, Option<Py<PyAny>>, Option<Py<PyAny>>);

/// What a solve found and proved.
#[pyclass(frozen, module = "makespan._makespan")]
pub(crate) struct Outcome {
    status: &'static str,
    objective: Option<Value>,
    bound: Option<Value>,
    sense: &'static str,
    stages: u32,
    guarantee: Option<f64>,
    report: Report,
    solution: Option<Py<PyAny>>,
}

impl Outcome {
    pub(crate) fn new<P: Problem>(
        py: Python<'_>,
        instance: &P::Instance,
        outcome: makespan::Outcome<P::Solution, P::Value>,
    ) -> PyResult<Self> {
        let guarantee = outcome.guarantee();
        let solution = outcome.solution.as_ref();
        Ok(Outcome {
            status: outcome.status.name(),
            objective: outcome.objective.map(Into::into),
            bound: outcome.bound.map(Into::into),
            sense: outcome.sense.name(),
            stages: outcome.stages,
            guarantee,
            solution: solution.map(|found| P::solution(py, instance, found)).transpose()?,
            report: outcome.report,
        })
    }
}

#[pymethods]
impl Outcome {
    #[getter]
    fn status(&self) -> &'static str {
        self.status
    }

    #[getter]
    fn objective(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.objective.map(|value| number(py, value)).transpose()
    }

    #[getter]
    fn bound(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.bound.map(|value| number(py, value)).transpose()
    }

    #[getter]
    fn sense(&self) -> &'static str {
        self.sense
    }

    #[getter]
    fn stages(&self) -> u32 {
        self.stages
    }

    #[getter]
    fn guarantee(&self) -> Option<f64> {
        self.guarantee
    }

    #[getter]
    fn solution(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.solution.as_ref().map(|solution| solution.clone_ref(py))
    }

    #[getter]
    fn method(&self) -> &'static str {
        self.report.method
    }

    #[getter]
    fn device(&self) -> Option<&str> {
        self.report.device.as_deref()
    }

    #[getter]
    fn fallback(&self) -> Option<&str> {
        self.report.fallback.as_deref()
    }

    #[getter]
    fn warning(&self) -> Option<&str> {
        self.report.warning.as_deref()
    }

    #[getter]
    fn interrupted(&self) -> bool {
        self.report.interrupted
    }

    #[getter]
    fn seconds(&self) -> f64 {
        self.report.seconds
    }

    #[getter]
    fn setup_seconds(&self) -> f64 {
        self.report.setup_seconds
    }

    #[getter]
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counters = PyDict::new(py);
        for (name, count) in self.report.statistics.iter() {
            counters.set_item(name, count)?;
        }
        Ok(counters)
    }

    /// Triples of seconds, objective and bound.
    #[getter]
    fn trace(&self, py: Python<'_>) -> PyResult<Vec<Point>> {
        let value = |value: Option<Value>| value.map(|value| number(py, value)).transpose();
        let point =
            |point: &TracePoint| Ok((point.seconds, value(point.objective)?, value(point.bound)?));
        self.report.trace.iter().map(point).collect()
    }
}
