//! Errors of the library as Python's exceptions.

use std::io;
use std::path::Path;

use makespan::Error;
use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyModule;

/// The module that declares the exceptions.
static CLASSES: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

/// An exception of that class.
fn raise<'py>(
    py: Python<'py>,
    class: &str,
    arguments: impl PyCallArgs<'py>,
    attributes: &[(&str, Bound<'py, PyAny>)],
) -> PyErr {
    let made = || {
        let module = CLASSES
            .get_or_try_init(py, || PyModule::import(py, "makespan._errors").map(Bound::unbind))?;
        let error = module.bind(py).getattr(class)?.call1(arguments)?;
        for (name, value) in attributes {
            error.setattr(*name, value)?;
        }
        Ok(PyErr::from_value(error))
    };
    made().unwrap_or_else(|error| error)
}

/// The exception for an error of the library.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let class = match error {
        Error::InvalidArgument { argument, index, reason } => {
            return argument_at(py, argument, *index, reason);
        }
        Error::Parse { .. } => "ParseError",
        Error::Io { path, source } => return file_error(py, path, source),
        Error::Overflow { .. } => "RangeError",
        Error::OutOfMemory { .. } => "OutOfMemoryError",
        Error::Unsupported(_) => "UnsupportedError",
        Error::DeviceUnavailable(_) | Error::DeviceFailed(_) | Error::DeviceWrong(_) => {
            "DeviceError"
        }
        Error::Internal(_) => "InternalError",
        _ => "MakespanError",
    };
    raise(py, class, (error.to_string(),), &[])
}

/// The exception for a fault of the operating system or of a file's text.
fn file_error(py: Python<'_>, path: &Path, source: &io::Error) -> PyErr {
    let number = source.raw_os_error();
    let reason = number.and_then(|number| {
        py.import("os").ok()?.call_method1("strerror", (number,)).ok()?.extract().ok()
    });
    let reason: String = reason.unwrap_or_else(|| source.to_string());
    raise(py, "FileError", (number, reason, path.as_os_str()), &[])
}

/// The exception for a value of an argument that does not fit.
pub(crate) fn argument(py: Python<'_>, argument: &str, reason: &str) -> PyErr {
    argument_at(py, argument, None, reason)
}

fn argument_at(py: Python<'_>, argument: &str, index: Option<usize>, reason: &str) -> PyErr {
    let place = index.map_or_else(String::new, |index| format!("[{index}]"));
    invalid(py, argument, index.into_pyobject(py).ok(), &format!("{argument}{place}: {reason}"))
}

/// The exception for an element of an array, by its indices in all dimensions.
pub(crate) fn element(py: Python<'_>, argument: &str, indices: &[usize], reason: &str) -> PyErr {
    let list: Vec<_> = indices.iter().map(usize::to_string).collect();
    let index = match indices {
        [] => None,
        [index] => index.into_pyobject(py).ok().map(Bound::into_any),
        _ => pyo3::types::PyTuple::new(py, indices).ok().map(Bound::into_any),
    };
    let place = if list.is_empty() { String::new() } else { format!("[{}]", list.join(", ")) };
    invalid(py, argument, index, &format!("{argument}{place}: {reason}"))
}

fn invalid<'py>(
    py: Python<'py>,
    argument: &str,
    index: Option<Bound<'py, PyAny>>,
    message: &str,
) -> PyErr {
    let Ok(name) = argument.into_pyobject(py);
    let mut attributes = vec![("argument", name.into_any())];
    attributes.extend(index.map(|index| ("index", index)));
    raise(py, "InvalidArgumentError", (message,), &attributes)
}

/// The exception for an argument of a wrong type.
pub(crate) fn wrong_type(argument: &str, reason: &str) -> PyErr {
    PyTypeError::new_err(format!("{argument}: {reason}"))
}

/// The exception for an array that needs more memory than there is.
pub(crate) fn out_of_memory(py: Python<'_>, argument: &str, cause: PyErr) -> PyErr {
    let message = format!("{argument}: {}", cause.value(py));
    because(py, raise(py, "OutOfMemoryError", (message,), &[]), Some(cause))
}

/// The exception with its cause, if it has one.
pub(crate) fn because(py: Python<'_>, error: PyErr, cause: Option<PyErr>) -> PyErr {
    error.set_cause(py, cause);
    error
}

/// The name of a value's type, for messages.
pub(crate) fn type_name(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "?".into(), |name| name.to_string())
}

/// Results of the library with its errors as exceptions.
pub(crate) trait OrRaise<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;

    /// The same about an argument that has another name here.
    fn about(self, argument: &'static str) -> Self;

    /// The same about arguments that have other names here, pairs of the library's name and that
    /// one.
    fn with_names(self, names: &[(&str, &'static str)]) -> Self;
}

impl<T> OrRaise<T> for makespan::Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, &error))
    }

    fn about(self, argument: &'static str) -> Self {
        self.map_err(|error| match *error {
            Error::InvalidArgument { index, reason, .. } => {
                Box::new(Error::InvalidArgument { argument, index, reason })
            }
            error => Box::new(error),
        })
    }

    fn with_names(self, names: &[(&str, &'static str)]) -> Self {
        self.map_err(|error| match *error {
            Error::InvalidArgument { argument, index, reason } => {
                let own = names.iter().find(|(name, _)| *name == argument);
                let argument = own.map_or(argument, |&(_, own)| own);
                Box::new(Error::InvalidArgument { argument, index, reason })
            }
            error => Box::new(error),
        })
    }
}
