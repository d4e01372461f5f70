//! Contexts, and handles that stop solves.

use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::{mem, thread};

use makespan::ContextOptions;
use makespan::options::Named;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::device::{self, Prewarm};
use crate::error::{OrRaise, wrong_type};
use crate::keywords::{entry_of, set, unknown};
use crate::log::{self, Receiver};

/// A context that is dropped without the interpreter's lock: its threads may wait for that lock to
/// call a log function.
struct Shared(Option<Arc<makespan::Context>>);

impl Drop for Shared {
    fn drop(&mut self) {
        let Some(context) = self.0.take() else { return };
        if !log::is_called_here() {
            // Without an interpreter no thread can wait for it.
            let _ = Python::try_attach(|py| py.detach(|| drop(context)));
            return;
        }
        // This may be a thread of the context, which can't wait for its own end.
        let (give, take) = mpsc::channel::<Arc<makespan::Context>>();
        let ends =
            thread::Builder::new().name("makespan-end".into()).spawn(move || drop(take.recv()));
        match ends {
            Ok(_) => drop(give.send(context)),
            Err(_) => mem::forget(context),
        }
    }
}

/// Threads, devices and built kernels for solves.
#[pyclass(frozen, module = "makespan._makespan", subclass)]
pub(crate) struct Context {
    shared: Shared,
    log: Option<Receiver>,
}

impl Context {
    pub(crate) fn shared(&self) -> PyResult<Arc<makespan::Context>> {
        self.shared.0.clone().ok_or_else(|| wrong_type("context", "is closed"))
    }
}

#[pymethods]
impl Context {
    #[new]
    #[pyo3(signature = (**keywords))]
    fn new(py: Python<'_>, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut options = ContextOptions::default();
        let mut receiver = None;
        if let Some(keywords) = keywords {
            receiver = Receiver::take(keywords, &mut options)?;
            for (name, value) in keywords.iter() {
                let name: String = name.extract()?;
                let Some(entry) = entry_of::<ContextOptions>(&name) else {
                    let known: Vec<_> =
                        ContextOptions::TABLE.iter().map(|entry| entry.name).collect();
                    return Err(unknown(py, "context", &name, &known));
                };
                set(entry, &mut options, &value)?;
            }
        }
        Ok(Context { shared: Shared(Some(open(py, options)?)), log: receiver })
    }

    /// Number of threads of the CPU engine.
    #[getter]
    fn threads(&self) -> PyResult<usize> {
        Ok(self.shared()?.threads())
    }

    /// Why there is no device, or None.
    #[getter]
    fn device_problem(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let context = self.shared()?;
        Ok(py.detach(|| context.device_problem()))
    }

    /// A dictionary for each device.
    fn _devices<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        device::list(py, &*self.shared()?)
    }

    /// Builds kernels ahead, in the background.
    #[pyo3(signature = (*names))]
    fn prewarm(slf: Bound<'_, Self>, names: Vec<String>) -> PyResult<Prewarm> {
        let shared = slf.get().shared()?;
        Prewarm::start(slf.into_any(), shared, &names)
    }

    /// Calls the log function no more.
    fn _silence(&self) {
        if let Some(log) = &self.log {
            log.silence();
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.log.as_ref().map_or(Ok(()), |log| log.visit(&visit))
    }
}

/// A context with these options. A device is opened without the interpreter's lock.
pub(crate) fn open(py: Python<'_>, options: ContextOptions) -> PyResult<Arc<makespan::Context>> {
    py.detach(|| makespan::Context::new(options)).or_raise(py).map(Arc::new)
}

/// The context of calls that name none, and the process that made it.
static DEFAULT: Mutex<Option<(u32, Arc<makespan::Context>)>> = Mutex::new(None);

/// The context of calls that name none. A child process makes its own after `fork()`.
pub(crate) fn default_context(py: Python<'_>) -> PyResult<Arc<makespan::Context>> {
    own_default().or_raise(py)
}

/// Runs no Python code, so that no thread gives up the interpreter's lock while it has this one:
/// another thread might then wait for both, or fork.
fn own_default() -> makespan::Result<Arc<makespan::Context>> {
    let process = std::process::id();
    let mut known = DEFAULT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((owner, context)) = &*known
        && *owner == process
    {
        return Ok(Arc::clone(context));
    }
    // Nothing is opened here, so that this takes a short time.
    let context = Arc::new(makespan::Context::new(ContextOptions::default())?);
    if let Some((_, inherited)) = known.replace((process, Arc::clone(&context))) {
        // Its threads are those of the parent.
        mem::forget(inherited);
    }
    Ok(context)
}

/// Ends solves from any thread.
#[pyclass(frozen, module = "makespan._makespan")]
#[derive(Default)]
pub(crate) struct StopHandle(pub(crate) makespan::StopHandle);

#[pymethods]
impl StopHandle {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Ends every solve with this handle soon; each returns its best result so far.
    fn stop(&self) {
        self.0.stop();
    }

    /// Makes the handle usable again.
    fn reset(&self) {
        self.0.reset();
    }

    fn __repr__(&self) -> &'static str {
        if self.0.is_stopped() { "<StopHandle: stopped>" } else { "<StopHandle>" }
    }

    /// Whether stop() was called.
    #[getter]
    fn is_stopped(&self) -> bool {
        self.0.is_stopped()
    }
}
