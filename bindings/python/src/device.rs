//! Devices, and kernels that are built ahead.

use std::sync::Arc;
use std::time::Duration;

use makespan::Kernels;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::OrRaise;

/// A dictionary for each device of a context.
pub(crate) fn list<'py>(
    py: Python<'py>,
    context: &makespan::Context,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let devices = py.detach(|| context.devices());
    devices
        .iter()
        .map(|device| {
            let barred = context.barred_from_auto(device.index).or_raise(py)?;
            let row = PyDict::new(py);
            row.set_item("index", device.index)?;
            row.set_item("name", &device.name)?;
            row.set_item("vendor", &device.vendor)?;
            row.set_item("platform", &device.platform)?;
            row.set_item("kind", device.kind.name())?;
            row.set_item("architecture", &device.architecture)?;
            row.set_item("compute_units", device.compute_units)?;
            row.set_item("clock_megahertz", device.clock_megahertz)?;
            row.set_item("global_memory_bytes", device.global_memory_bytes)?;
            row.set_item("local_memory_bytes", device.local_memory_bytes)?;
            row.set_item("driver_version", &device.driver_version)?;
            row.set_item("device_version", &device.device_version)?;
            row.set_item("barred_from_auto", barred)?;
            Ok(row)
        })
        .collect()
}

/// The names that prewarm() takes.
#[pyfunction]
pub(crate) fn kernel_names() -> Vec<&'static str> {
    Kernels::names()
}

/// Kernels that are being built ahead.
#[pyclass(frozen, module = "makespan._makespan")]
pub(crate) struct Prewarm {
    running: makespan::Prewarm,
    /// The object of the context, whose end would stop it.
    context: Py<PyAny>,
}

impl Prewarm {
    /// Begins with the kernels of these names, or of all problems; `own` is the context's object.
    pub(crate) fn start(
        own: Bound<'_, PyAny>,
        context: Arc<makespan::Context>,
        names: &[String],
    ) -> PyResult<Self> {
        let py = own.py();
        let kernels = match names.is_empty() {
            true => Kernels::all(),
            false => Kernels::named(names).or_raise(py)?,
        };
        let running = py.detach(|| context.prewarm(kernels)).or_raise(py)?;
        Ok(Prewarm { running, context: own.unbind() })
    }
}

#[pymethods]
impl Prewarm {
    /// Sets of kernels that are ready or have failed.
    #[getter]
    fn done(&self) -> usize {
        self.running.progress().done
    }

    /// Number of all sets of kernels.
    #[getter]
    fn total(&self) -> usize {
        self.running.progress().total
    }

    /// Why kernels are missing.
    #[getter]
    fn problems(&self) -> Vec<String> {
        self.running.progress().problems
    }

    /// Whether it has ended or was stopped.
    #[getter]
    fn is_over(&self) -> bool {
        self.running.progress().is_over
    }

    /// Waits until it is over, for `seconds` at most; returns whether it is over.
    #[pyo3(signature = (seconds = None))]
    fn wait(&self, py: Python<'_>, seconds: Option<f64>) -> PyResult<bool> {
        const TURN: Duration = Duration::from_millis(50);
        let limit = seconds.map(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)));
        let mut left = limit.and_then(Result::ok).unwrap_or(Duration::MAX);
        loop {
            let turn = left.min(TURN);
            if py.detach(|| self.running.wait(Some(turn))) {
                return Ok(true);
            }
            py.check_signals()?;
            left -= turn;
            if left.is_zero() {
                return Ok(false);
            }
        }
    }

    /// Ends it soon.
    fn stop(&self) {
        self.running.stop();
    }

    fn __repr__(&self) -> String {
        let progress = self.running.progress();
        let state = if progress.is_over { "over" } else { "running" };
        format!("<Prewarm {state}: {} of {}>", progress.done, progress.total)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.context)
    }
}
