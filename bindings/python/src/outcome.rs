//! Results of all problems.

use std::collections::BTreeMap;

use makespan::Value;
use pyo3::prelude::*;

use crate::problem::Problem;

/// A number of the library as one of Python's own.
#[derive(IntoPyObject)]
pub(crate) enum Number {
    Whole(i64),
    Real(f64),
}

impl From<Value> for Number {
    fn from(value: Value) -> Self {
        match value {
            Value::Whole(value) => Number::Whole(value),
            Value::Real(value) => Number::Real(value),
        }
    }
}

/// What a solve found and proved: a dictionary for the Python part, whose `Outcome` has the same
/// fields.
#[derive(IntoPyObject)]
pub(crate) struct Outcome {
    status: &'static str,
    objective: Option<Number>,
    bound: Option<Number>,
    sense: &'static str,
    guarantee: Option<f64>,
    solution: Option<Py<PyAny>>,
    method: &'static str,
    device: Option<String>,
    fallback: Option<String>,
    warning: Option<String>,
    interrupted: bool,
    seconds: f64,
    setup_seconds: f64,
    statistics: BTreeMap<&'static str, u64>,
    /// Seconds, objective and bound.
    trace: Vec<(f64, Option<Number>, Option<Number>)>,
}

impl Outcome {
    pub(crate) fn new<P: Problem>(
        py: Python<'_>,
        instance: &P::Instance,
        outcome: makespan::Outcome<P::Solution, P::Value>,
    ) -> PyResult<Self> {
        let number = |value: Option<Value>| value.map(Number::from);
        let guarantee = outcome.guarantee();
        let solution = outcome.solution.as_ref();
        let report = outcome.report;
        let points = report.trace.iter();
        Ok(Outcome {
            status: outcome.status.name(),
            objective: number(outcome.objective.map(Into::into)),
            bound: number(outcome.bound.map(Into::into)),
            sense: outcome.sense.name(),
            guarantee,
            solution: solution.map(|found| P::solution(py, instance, found)).transpose()?,
            method: report.method,
            device: report.device,
            fallback: report.fallback,
            warning: report.warning,
            interrupted: report.interrupted,
            seconds: report.seconds,
            setup_seconds: report.setup_seconds,
            statistics: report.statistics.iter().collect(),
            trace: points
                .map(|point| (point.seconds, number(point.objective), number(point.bound)))
                .collect(),
        })
    }
}
