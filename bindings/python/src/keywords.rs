//! Keywords of a solve: options of the library's tables, by name.

use std::ffi::OsString;
use std::path::PathBuf;

use makespan::options::{Entry, Kind, Named};
use makespan::{Enumeration, Error};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDelta, PyDict, PyDictMethods, PyFloat, PyList, PyString};

use crate::arrays;
use crate::error::{argument, because, exception, type_name, wrong_type};

/// The entry of that name in a table.
pub(crate) fn entry_of<O: Named>(name: &str) -> Option<&'static Entry<O>> {
    O::TABLE.iter().find(|entry| entry.name == name)
}

/// Sets an option to the value of a keyword.
pub(crate) fn set<O: Named>(
    entry: &Entry<O>,
    options: &mut O,
    value: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let text = text_of(entry.name, entry.kind, entry.unset, value)?;
    let default = entry.default();
    entry.set(options, &text).map_err(|error| match *error {
        Error::InvalidArgument { argument, index, reason } => {
            let reason = format!("{reason} (the default is {default})");
            exception(value.py(), &Error::InvalidArgument { argument, index, reason })
        }
        error => exception(value.py(), &error),
    })
}

/// The value as the text that the table reads.
fn text_of(
    name: &str,
    kind: Kind,
    unset: Option<&'static str>,
    value: &Bound<'_, PyAny>,
) -> PyResult<OsString> {
    if value.is_none() {
        let refused = || wrong_type(name, &format!("must be {}, not None", wanted(kind)));
        return unset.map(OsString::from).ok_or_else(refused);
    }
    // A word such as "auto", or any value as the command takes it.
    if let Ok(text) = value.cast::<PyString>() {
        return text.extract();
    }
    let refused = || {
        let reason = format!("must be {}, not {}", wanted(kind), type_name(value));
        because(value.py(), wrong_type(name, &reason), arrays::int_of(value).err().flatten())
    };
    if let Some(bits) = arrays::bits_beyond(value) {
        let reason = format!("is an integer of {bits} bits, which is too large");
        return Err(argument(value.py(), name, &reason));
    }
    let text = match kind {
        Kind::Flag => flag(value),
        Kind::Whole | Kind::Bytes => whole(value),
        Kind::Real => whole(value).or_else(|| real(value)),
        Kind::Seconds => {
            let span = value.cast::<PyDelta>().ok();
            let seconds = span.and_then(|span| span.call_method0("total_seconds").ok());
            whole(value).or_else(|| real(seconds.as_ref().unwrap_or(value)))
        }
        Kind::Choice(_) => None,
        Kind::Path => value.extract::<PathBuf>().ok().map(PathBuf::into_os_string),
        Kind::List => match whole(value) {
            Some(number) => Some(number),
            None => Some(list(name, value)?),
        },
    };
    text.ok_or_else(refused)
}

fn wanted(kind: Kind) -> &'static str {
    match kind {
        Kind::Flag => "True or False",
        Kind::Whole => "a whole number",
        Kind::Real => "a number",
        Kind::Seconds => "a number of seconds",
        Kind::Bytes => "a number of bytes",
        Kind::Choice(_) => "a str",
        Kind::Path => "a path",
        Kind::List => "a list of whole numbers",
    }
}

/// A flag of Python or of numpy.
fn flag(value: &Bound<'_, PyAny>) -> Option<OsString> {
    let flag = is_flag(value).then(|| value.is_truthy().ok()).flatten();
    flag.map(|flag| flag.to_string().into())
}

fn is_flag(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyBool>() || matches!(&*type_name(value), "bool" | "bool_")
}

/// An argument that is a flag.
pub(crate) fn flag_argument(name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if is_flag(value) {
        return value.is_truthy();
    }
    Err(wrong_type(name, &format!("must be {}, not {}", wanted(Kind::Flag), type_name(value))))
}

fn whole(value: &Bound<'_, PyAny>) -> Option<OsString> {
    arrays::int_of(value).ok().map(|number| number.to_string().into())
}

/// Also numbers of numpy, and fractions, which are exact.
fn real(value: &Bound<'_, PyAny>) -> Option<OsString> {
    if value.is_instance_of::<PyBool>() {
        return None;
    }
    if type_name(value) == "Fraction" {
        return Some(value.to_string().into());
    }
    let number = match value.is_instance_of::<PyFloat>() {
        true => value.extract::<f64>().ok()?,
        false => value.call_method0("__float__").ok()?.extract().ok()?,
    };
    Some(number.to_string().into())
}

/// Options that are pairs of numbers.
const PAIRS: [&str; 1] = ["cells"];

/// The numbers of a list, of an iterator, or of an array.
fn list(name: &str, value: &Bound<'_, PyAny>) -> PyResult<OsString> {
    let py = value.py();
    let numbers = match value.hasattr("__len__")? {
        true => value.clone(),
        false if value.hasattr("__iter__")? => {
            PyList::new(py, value.try_iter()?.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        false => {
            let reason = format!("must be a list of whole numbers, not {}", type_name(value));
            return Err(wrong_type(name, &reason));
        }
    };
    let numbers = match PAIRS.contains(&name) {
        true => arrays::whole_rows::<i64>(name, &numbers, 2)?,
        false => arrays::whole_list::<i64>(name, &numbers)?,
    };
    let mut text = String::with_capacity(numbers.len() * 4);
    for number in numbers {
        text.push_str(&number.to_string());
        text.push(' ');
    }
    Ok(text.trim_end().into())
}

/// The exception for a keyword that no table has.
pub(crate) fn unknown(py: Python<'_>, problem: &str, name: &str, known: &[&'static str]) -> PyErr {
    let similar = || -> PyResult<Vec<String>> {
        py.import("difflib")?.call_method1("get_close_matches", (name, known, 1))?.extract()
    };
    let hint = match similar().ok().and_then(|mut names| names.pop()) {
        Some(similar) => format!("did you mean '{similar}'?"),
        None => format!("makespan.options({problem:?}) lists the options"),
    };
    PyTypeError::new_err(format!("{problem}: unexpected keyword argument '{name}'; {hint}"))
}

/// Takes a keyword out of the others.
pub(crate) fn take<'py>(
    keywords: &Bound<'py, PyDict>,
    name: &str,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let value = keywords.get_item(name)?;
    if value.is_some() {
        keywords.del_item(name)?;
    }
    Ok(value.filter(|value| !value.is_none()))
}

/// The value of an enumeration with this name.
pub(crate) fn named<E: Enumeration>(py: Python<'_>, owner: &str, name: &str) -> PyResult<E> {
    let wanted = name.replace('_', "-");
    let found = E::VALUES.iter().copied().find(|value| value.name() == wanted);
    found.ok_or_else(|| {
        let names: Vec<_> = E::VALUES.iter().map(|value| value.name()).collect();
        let reason = format!("must be one of {}, not \"{name}\"", names.join(", "));
        argument(py, owner, &reason)
    })
}
