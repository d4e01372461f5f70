//! The one error type of the library.

use std::path::{Path, PathBuf};

/// Errors of the library. Every variant names its cause.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument has an invalid value.
    #[error("{argument}{}: {reason}", at(*index))]
    InvalidArgument {
        /// Name of the argument as the caller knows it.
        argument: &'static str,
        /// Index in the argument from 0, if it is a list.
        index: Option<usize>,
        /// What is wrong with it.
        reason: String,
    },
    /// A text does not follow its file format.
    #[error("line {line}: {reason}")]
    Parse {
        /// Line at fault, from 1.
        line: usize,
        /// What was expected and what was found.
        reason: String,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", shown(path))]
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// A sum or product of input values does not fit the integer type.
    #[error("{what} does not fit into {range}")]
    Overflow {
        /// The quantity that overflows.
        what: &'static str,
        /// The allowed range, such as "63 bits".
        range: &'static str,
    },
    /// The work needs more memory than the limit allows or the system has.
    #[error("{what} needs {required} bytes, the limit is {limit} bytes")]
    OutOfMemory {
        /// What was to be stored, with its size.
        what: String,
        /// Bytes needed; `u128::MAX` if that number overflows.
        required: u128,
        /// Bytes allowed.
        limit: u64,
    },
    /// The library does not support this (yet).
    #[error("not supported: {0}")]
    Unsupported(String),
    /// The operating system does not start a thread that the use of several devices needs.
    #[error("threads: {0}")]
    ThreadsUnavailable(String),
    /// There is no OpenCL device, or not the requested one.
    #[error("no OpenCL device: {0}")]
    DeviceUnavailable(String),
    /// A kernel failed to build or run, or the driver reported an error.
    #[error("OpenCL device failed: {0}")]
    DeviceFailed(String),
    /// A device's result differs from the host's. The solve uses none of the device's results.
    #[error("OpenCL device returned wrong numbers: {0}")]
    DeviceWrong(String),
    /// A limit or stop request ended the work before it had a result.
    #[error("stopped before there was a result")]
    Stopped,
    /// A defect of the library: a result failed a check.
    #[error("internal error: {0}")]
    Internal(String),
}

/// Result with the library's [`Error`] in a box, so that a result without a value fits into a
/// register.
pub type Result<T, E = Box<Error>> = std::result::Result<T, E>;

/// Constructors are marked cold, so that they stay out of the hot code.
impl Error {
    /// An [`Error::InvalidArgument`] about a whole argument.
    #[cold]
    pub(crate) fn argument(argument: &'static str, reason: impl Into<String>) -> Box<Self> {
        Box::new(Error::InvalidArgument { argument, index: None, reason: reason.into() })
    }

    /// An [`Error::InvalidArgument`] about one element of an argument.
    #[cold]
    pub(crate) fn element(
        argument: &'static str,
        index: usize,
        reason: impl Into<String>,
    ) -> Box<Self> {
        Box::new(Error::InvalidArgument { argument, index: Some(index), reason: reason.into() })
    }

    /// An [`Error::Io`].
    #[cold]
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Box<Self> {
        Box::new(Error::Io { path: path.to_owned(), source })
    }

    /// An [`Error::Overflow`] of 63 bits.
    #[cold]
    pub(crate) fn overflow(what: &'static str) -> Box<Self> {
        Box::new(Error::Overflow { what, range: "63 bits" })
    }

    /// An [`Error::Unsupported`].
    #[cold]
    pub(crate) fn unsupported(what: impl Into<String>) -> Box<Self> {
        Box::new(Error::Unsupported(what.into()))
    }

    /// An [`Error::DeviceUnavailable`].
    #[cold]
    pub(crate) fn device_unavailable(reason: impl Into<String>) -> Box<Self> {
        Box::new(Error::DeviceUnavailable(reason.into()))
    }

    /// An [`Error::ThreadsUnavailable`].
    #[cold]
    pub(crate) fn threads_unavailable(reason: impl Into<String>) -> Box<Self> {
        Box::new(Error::ThreadsUnavailable(reason.into()))
    }

    /// An [`Error::DeviceFailed`].
    #[cold]
    pub(crate) fn device_failed(reason: impl Into<String>) -> Box<Self> {
        Box::new(Error::DeviceFailed(reason.into()))
    }

    /// The error of a step on a device. If a check of the device's results has failed, the device is
    /// at fault.
    pub(crate) fn on_device(self) -> Box<Self> {
        match self {
            Error::Internal(reason) => Error::device_wrong(reason),
            other => Box::new(other),
        }
    }

    /// An [`Error::DeviceWrong`].
    #[cold]
    pub(crate) fn device_wrong(reason: impl Into<String>) -> Box<Self> {
        Box::new(Error::DeviceWrong(reason.into()))
    }

    /// The same error about an argument that the caller knows by another name.
    #[cold]
    pub(crate) fn about(self, argument: &'static str) -> Box<Self> {
        match self {
            Error::InvalidArgument { index, reason, .. } => {
                Box::new(Error::InvalidArgument { argument, index, reason })
            }
            other => Box::new(other),
        }
    }

    /// A solution of the library's own that an evaluator refuses.
    #[cold]
    pub(crate) fn defect(refusal: Box<Error>) -> Box<Self> {
        Error::internal(format!("a solution failed its check: {refusal}"))
    }

    /// An [`Error::Internal`].
    #[cold]
    pub(crate) fn internal(reason: impl Into<String>) -> Box<Self> {
        Box::new(Error::Internal(reason.into()))
    }

    /// An [`Error::Stopped`].
    #[cold]
    pub(crate) fn stopped() -> Box<Self> {
        Box::new(Error::Stopped)
    }

    /// Whether the CPU or another device might succeed after a device returned this error.
    pub(crate) fn is_device_failure(&self) -> bool {
        use Error::{DeviceFailed, DeviceUnavailable, DeviceWrong, OutOfMemory};
        matches!(self, DeviceUnavailable(_) | DeviceFailed(_) | DeviceWrong(_) | OutOfMemory { .. })
    }
}

/// A file name for messages, with control characters escaped, so that it stays on one line.
pub(crate) fn shown(path: &Path) -> String {
    let name = path.to_string_lossy();
    name.chars()
        .map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() })
        .collect()
}

fn at(index: Option<usize>) -> String {
    index.map_or_else(String::new, |index| format!("[{index}]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_on_their_line() {
        assert_eq!(shown(Path::new("a\nb\u{1b}ä")), "a\\nb\\u{1b}ä");
    }
}
