//! Threads that outlive the call that starts them. Their owner joins them.

use std::io;
use std::thread::{Builder, JoinHandle};

use crate::signals;

/// Starts a thread of this name, which receives no signals.
pub(crate) fn spawn(
    name: &str,
    work: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    // The start of a thread is much code, here one copy.
    let work: Box<dyn FnOnce() + Send> = Box::new(work);
    signals::blocked(|| Builder::new().name(name.into()).spawn(work))
}
