//! The only places that write to standard output and standard error.

use std::io::{self, Write};

use crate::failure::Failure;

/// Writes to standard output. A reader that has gone is an error, not a panic.
pub(crate) fn write(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .map_err(|error| Failure::other(format!("standard output: {error}")))
}

/// Writes to standard error; if that fails, there is nobody left to tell.
pub(crate) fn write_error(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
