//! Functions of Python that receive the log of a context.

use std::cell::Cell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use makespan::{ContextOptions, Log, LogLevel};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{argument, wrong_type};
use crate::keywords::take;

thread_local! {
    /// Log functions that are being called on this thread.
    static CALLS: Cell<u32> = const { Cell::new(0) };
}

/// Whether this thread is calling a log function.
pub(crate) fn is_called_here() -> bool {
    CALLS.get() > 0
}

/// The log function of a context, with one reference for the context's object and its threads, so
/// that the garbage collector finds all of them.
#[derive(Clone)]
pub(crate) struct Receiver(Arc<Mutex<Option<Py<PyAny>>>>);

impl Receiver {
    /// Takes the function and its level out of the keywords and sets the option.
    pub(crate) fn take(
        keywords: &Bound<'_, PyDict>,
        options: &mut ContextOptions,
    ) -> PyResult<Option<Self>> {
        let level = match take(keywords, "log_level")? {
            None => LogLevel::Info,
            Some(name) => level(&name)?,
        };
        let Some(function) = take(keywords, "log")? else { return Ok(None) };
        if !function.is_callable() {
            return Err(wrong_type("log", "must be callable"));
        }
        let receiver = Receiver(Arc::new(Mutex::new(Some(function.unbind()))));
        let own = receiver.clone();
        let write = move |level: LogLevel, message: &str| own.call(level, message);
        options.log = Log::new(level, Arc::new(write));
        Ok(Some(receiver))
    }

    /// Held by threads with the interpreter's lock for a moment.
    fn function(&self) -> MutexGuard<'_, Option<Py<PyAny>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call(&self, level: LogLevel, message: &str) {
        CALLS.set(CALLS.get() + 1);
        Python::try_attach(|py| {
            let function = self.function().as_ref().map(|function| function.clone_ref(py));
            let Some(function) = function else { return };
            if let Err(error) = function.call1(py, (level.name(), message)) {
                // There is no caller who could take it.
                error.write_unraisable(py, Some(function.bind(py)));
            }
        });
        CALLS.set(CALLS.get() - 1);
    }

    /// Calls the function no more. The garbage collector may then take it apart.
    pub(crate) fn silence(&self) {
        let function = self.function().take();
        // Its end may run Python code.
        drop(function);
    }

    pub(crate) fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(self.function().as_ref())
    }
}

fn level(value: &Bound<'_, PyAny>) -> PyResult<LogLevel> {
    let name: String = value.extract().map_err(|_| wrong_type("log_level", "must be a str"))?;
    LogLevel::ALL.into_iter().find(|level| level.name() == name).ok_or_else(|| {
        let names = LogLevel::ALL.map(LogLevel::name).join(", ");
        argument(value.py(), "log_level", &format!("must be one of {names}, not \"{name}\""))
    })
}
