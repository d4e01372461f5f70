//! Contexts, and handles that stop solves.

use std::sync::{Arc, Mutex, PoisonError};

use makespan::options::Named;
use makespan::{ContextOptions, Log, LogLevel};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::device::{self, Prewarm};
use crate::error::{OrRaise, argument, wrong_type};
use crate::keywords::{entry_of, set, take, unknown};

/// A context that is dropped without the interpreter's lock: its threads may wait for that lock to
/// call a log function.
pub(crate) struct Shared(Option<Arc<makespan::Context>>);

impl Shared {
    pub(crate) fn new(context: Arc<makespan::Context>) -> Self {
        Shared(Some(context))
    }

    pub(crate) fn get(&self) -> Option<Arc<makespan::Context>> {
        self.0.clone()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let context = self.0.take();
        // Without an interpreter no thread can wait for it.
        let _ = Python::try_attach(|py| py.detach(|| drop(context)));
    }
}

/// Threads, devices and built kernels for solves.
#[pyclass(frozen, module = "makespan._makespan", subclass)]
pub(crate) struct Context(Shared);

impl Context {
    pub(crate) fn shared(&self) -> PyResult<Arc<makespan::Context>> {
        self.0.get().ok_or_else(|| wrong_type("context", "is closed"))
    }
}

#[pymethods]
impl Context {
    #[new]
    #[pyo3(signature = (**keywords))]
    fn new(py: Python<'_>, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut options = ContextOptions::default();
        if let Some(keywords) = keywords {
            options.log = log(keywords)?;
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
        open(py, options).map(|context| Context(Shared::new(context)))
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
    fn prewarm(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Prewarm> {
        Prewarm::start(py, self.shared()?, &names)
    }
}

/// A context with these options. A device is opened without the interpreter's lock.
pub(crate) fn open(py: Python<'_>, options: ContextOptions) -> PyResult<Arc<makespan::Context>> {
    py.detach(|| makespan::Context::new(options)).or_raise(py).map(Arc::new)
}

/// The receiver of the log that the keywords name.
fn log(keywords: &Bound<'_, PyDict>) -> PyResult<Log> {
    let py = keywords.py();
    let level = match take(keywords, "log_level")? {
        None => LogLevel::Info,
        Some(level) => {
            let name: String =
                level.extract().map_err(|_| wrong_type("log_level", "must be a str"))?;
            LogLevel::ALL.into_iter().find(|level| level.name() == name).ok_or_else(|| {
                let names = LogLevel::ALL.map(LogLevel::name).join(", ");
                argument(py, "log_level", &format!("must be one of {names}, not \"{name}\""))
            })?
        }
    };
    let Some(receiver) = take(keywords, "log")? else { return Ok(Log::default()) };
    if !receiver.is_callable() {
        return Err(wrong_type("log", "must be callable"));
    }
    let receiver = receiver.unbind();
    let write = move |level: LogLevel, message: &str| {
        Python::try_attach(|py| {
            if let Err(error) = receiver.call1(py, (level.name(), message)) {
                // There is no caller who could take it.
                error.write_unraisable(py, Some(receiver.bind(py)));
            }
        });
    };
    Ok(Log::new(level, Arc::new(write)))
}

/// The context of calls that name none, and the process that made it.
static DEFAULT: Mutex<Option<(u32, Arc<makespan::Context>)>> = Mutex::new(None);

/// The context of calls that name none. A child process makes its own after `fork()`.
pub(crate) fn default_context(py: Python<'_>) -> PyResult<Arc<makespan::Context>> {
    let process = std::process::id();
    let mut known = DEFAULT.lock().unwrap_or_else(PoisonError::into_inner);
    match &*known {
        Some((owner, context)) if *owner == process => Ok(Arc::clone(context)),
        _ => {
            // Nothing is opened here, so that the lock is held for a short time.
            let context = makespan::Context::new(ContextOptions::default()).or_raise(py)?;
            let context = Arc::new(context);
            if let Some((_, inherited)) = known.replace((process, Arc::clone(&context))) {
                // Its threads are those of the parent.
                std::mem::forget(inherited);
            }
            Ok(context)
        }
    }
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

    /// Whether stop() was called.
    #[getter]
    fn is_stopped(&self) -> bool {
        self.0.is_stopped()
    }
}
