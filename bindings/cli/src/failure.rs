//! Failures of the command: a message and an exit code.

use std::fmt;
use std::io;
use std::path::Path;

use makespan::Error;

use crate::names::shown_instance;

/// Exit code for bad input or usage.
pub const USAGE: u8 = 2;
/// Exit code for everything else.
const OTHER: u8 = 1;

/// Why the command failed.
#[derive(Debug)]
pub struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    /// The command line is invalid.
    pub fn usage(message: impl Into<String>) -> Self {
        Failure { message: message.into(), code: USAGE }
    }

    /// The command line is valid, but something else failed.
    pub fn other(message: impl Into<String>) -> Self {
        Failure { message: message.into(), code: OTHER }
    }

    /// The text of an instance's file could not be read.
    pub(crate) fn no_text(path: &Path, error: io::Error) -> Self {
        let code = if error.kind() == io::ErrorKind::OutOfMemory { OTHER } else { USAGE };
        Failure { message: format!("{}: {error}", shown_instance(path)), code }
    }

    /// The text of an instance's file is not one.
    pub(crate) fn reading(path: &Path, error: Box<Error>) -> Self {
        Failure { message: format!("{}: {error}", shown_instance(path)), code: code(&error) }
    }

    /// The exit code of the program.
    pub fn exit_code(&self) -> u8 {
        self.code
    }
}

impl From<Box<Error>> for Failure {
    fn from(error: Box<Error>) -> Self {
        Failure { message: message(&error), code: code(&error) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The error's text, with the command's names of arguments.
fn message(error: &Error) -> String {
    let Error::InvalidArgument { argument, index, reason } = error else {
        return error.to_string();
    };
    match (*argument, index, crate::long_argument(argument)) {
        ("further_devices", ..) => format!("--device: {reason}"),
        ("source", ..) => format!("--expression: {reason}"),
        // Of kernels, which have no option.
        ("names", ..) => reason.clone(),
        (_, None, Some(long)) => format!("--{long}: {reason}"),
        (_, Some(index), Some(long)) => format!("--{long}[{index}]: {reason}"),
        (_, _, None) => error.to_string(),
    }
}

fn code(error: &Error) -> u8 {
    match error {
        Error::InvalidArgument { .. }
        | Error::Parse { .. }
        | Error::Io { .. }
        | Error::Overflow { .. } => USAGE,
        _ => OTHER,
    }
}
