//! Interval programs of whole or of real numbers.

use std::sync::Arc;

use makespan::interval_dp::{Instance, Number};
use numpy::Element;
use pyo3::prelude::*;

use crate::arrays::{self, Numbers};
use crate::error::wrong_type;

/// An instance of whole or of real numbers.
pub(crate) enum Any {
    Whole(Arc<Instance<i64>>),
    Real(Arc<Instance<f64>>),
}

/// A type of numbers, and what lists of any numbers become.
pub(crate) trait Read: Number + Element {
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
        arrays::scalar(name, value)
    }
}

impl Read for f64 {
    fn read(py: Python<'_>, name: &str, numbers: Numbers) -> PyResult<Vec<f64>> {
        numbers.into_real(py, name)
    }

    fn one(name: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
        arrays::real(name, value)
    }
}
