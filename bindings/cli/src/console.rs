//! The only places that write to standard output and standard error, and the end of the command.

use std::io::{self, Write};

use crate::failure::Failure;
use crate::names::on_one_line;

/// Writes to standard output.
///
/// # Errors
/// A closed pipe is an error, not a panic.
pub fn write(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .map_err(|error| Failure::other(format!("standard output: {error}")))
}

/// Writes a message to standard error and ignores a failure to do so. Only its first line begins at
/// the margin, so that no name in it can imitate another message.
pub fn write_error(message: &str) {
    let lines: Vec<String> = message.trim_end().split('\n').map(on_one_line).collect();
    let text = lines.join("\n  ").replace("\n  \n", "\n\n") + "\n";
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Ends the command at once. A driver may still compile kernels on a thread, for minutes. The exit
/// handlers of its library must not run at the same time.
#[allow(
    unsafe_code,
    reason = "no safe function ends a process without the handlers of its libraries"
)]
pub fn leave(code: i32) -> ! {
    let _ = io::stdout().flush();
    #[cfg(unix)]
    // SAFETY: the call does not return, and everything was written.
    unsafe {
        libc::_exit(code)
    }
    #[cfg(not(unix))]
    std::process::exit(code)
}
