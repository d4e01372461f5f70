//! Statuses of calls and the errors behind them.

use std::ffi::{CStr, c_char};

use crate::Error;

/// Status of a call. 0 is success, all failures are negative; a later version may add numbers. The
/// status of a solution is ::mks_solution_status.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum mks_status {
    /// Success.
    Ok = 0,
    /// An argument is invalid: NULL, too short, unknown or out of range.
    InvalidArgument = -1,
    /// A text does not follow its file format.
    Parse = -2,
    /// A file could not be read or written.
    Io = -3,
    /// A sum or product of the input does not fit into 63 bits, or into the range that the last
    /// error names.
    Overflow = -4,
    /// The call needs more memory than is allowed or free.
    OutOfMemory = -5,
    /// The library does not support this.
    Unsupported = -6,
    /// There is no OpenCL device, or the requested one does not exist.
    DeviceUnavailable = -7,
    /// A kernel failed to build or to run.
    DeviceFailed = -8,
    /// A limit or a stop request ended the work before it had a result.
    Stopped = -9,
    /// The context is in use, perhaps by a call of the same thread.
    Busy = -10,
    /// The result or the instance has no such value.
    NotAvailable = -11,
    /// A defect of the library: a result failed its check. Please report it.
    Internal = -12,
    /// A defect of the library: a panic, which was caught. Please report it.
    Panic = -13,
    /// The operating system refused to start threads of the CPU engine.
    ThreadsUnavailable = -14,
}

const TEXTS: [(mks_status, &CStr); 15] = [
    (mks_status::Ok, c"success"),
    (mks_status::InvalidArgument, c"invalid argument"),
    (mks_status::Parse, c"malformed text"),
    (mks_status::Io, c"file could not be read or written"),
    (mks_status::Overflow, c"sum or product too large"),
    (mks_status::OutOfMemory, c"out of memory"),
    (mks_status::Unsupported, c"not supported"),
    (mks_status::DeviceUnavailable, c"no OpenCL device"),
    (mks_status::DeviceFailed, c"OpenCL device failed"),
    (mks_status::Stopped, c"stopped before there was a result"),
    (mks_status::Busy, c"in use"),
    (mks_status::NotAvailable, c"the result has no such value"),
    (mks_status::Internal, c"internal error"),
    (mks_status::Panic, c"panic inside the library"),
    (mks_status::ThreadsUnavailable, c"threads could not be started"),
];

/// The fixed text of a status, never NULL; "unknown status" for an unknown number. ::mks_last_error
/// has the details of a failure.
#[unsafe(no_mangle)]
pub extern "C" fn mks_status_text(status: i32) -> *const c_char {
    let known = TEXTS.iter().find(|(known, _)| *known as i32 == status);
    known.map_or(c"unknown status", |(_, text)| text).as_ptr()
}

/// Why a call fails: its status and the text of the last error.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) status: mks_status,
    pub(super) text: String,
}

/// What the body of an exported function returns.
pub(super) type Result<T = ()> = std::result::Result<T, Failure>;

impl Failure {
    pub(super) fn argument(argument: &'static str, reason: impl Into<String>) -> Self {
        Error::argument(argument, reason).into()
    }

    pub(super) fn not_available(what: &str) -> Self {
        Failure::missing(format!("the result has no {what}"))
    }

    /// A value that a handle does not have.
    pub(super) fn missing(text: impl Into<String>) -> Self {
        Failure { status: mks_status::NotAvailable, text: text.into() }
    }
}

impl From<Box<Error>> for Failure {
    fn from(error: Box<Error>) -> Self {
        let status = match *error {
            Error::InvalidArgument { .. } => mks_status::InvalidArgument,
            Error::Parse { .. } => mks_status::Parse,
            Error::Io { .. } => mks_status::Io,
            Error::Overflow { .. } => mks_status::Overflow,
            Error::OutOfMemory { .. } => mks_status::OutOfMemory,
            Error::Unsupported(_) => mks_status::Unsupported,
            Error::ThreadsUnavailable(_) => mks_status::ThreadsUnavailable,
            Error::DeviceUnavailable(_) => mks_status::DeviceUnavailable,
            Error::DeviceFailed(_) | Error::DeviceWrong(_) => mks_status::DeviceFailed,
            Error::Stopped => mks_status::Stopped,
            Error::Internal(_) => mks_status::Internal,
        };
        Failure { status, text: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_numbered_without_gaps_and_each_has_a_text() {
        for (position, (status, _)) in TEXTS.iter().enumerate() {
            assert_eq!(*status as i32, -(position as i32));
        }
    }
}
