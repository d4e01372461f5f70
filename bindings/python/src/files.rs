//! Instances from files and texts in the formats of the library.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;

use crate::arrays::text;
use crate::error::{OrRaise, type_name, wrong_type};

/// The instance in a file, read without the interpreter's lock.
pub(crate) fn read<I: Send>(
    path: &Bound<'_, PyAny>,
    read: impl FnOnce(PathBuf) -> makespan::Result<I> + Send,
) -> PyResult<Arc<I>> {
    let py = path.py();
    let refused =
        |_| wrong_type("path", &format!("must be a str or a path, not {}", type_name(path)));
    let path: PathBuf = path.extract().map_err(refused)?;
    py.detach(|| read(path)).or_raise(py).map(Arc::new)
}

/// The instance in a text.
pub(crate) fn parse<I>(
    given: &Bound<'_, PyAny>,
    parse: impl FnOnce(&str) -> makespan::Result<I>,
) -> PyResult<Arc<I>> {
    parse(&text("text", given)?).or_raise(given.py()).map(Arc::new)
}
