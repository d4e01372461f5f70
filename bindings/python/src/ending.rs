//! The end of the interpreter. It ends threads that want to enter it by then, which must not happen
//! inside of a solve: foreign frames can't be unwound.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// Whether the interpreter is about to end.
static IS_ENDING: AtomicBool = AtomicBool::new(false);
/// Solves that run without the interpreter's lock.
static RUNNING: AtomicUsize = AtomicUsize::new(0);
/// The longest wait for them.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether solves must end, and call no more functions.
pub(crate) fn is_ending() -> bool {
    IS_ENDING.load(Ordering::SeqCst)
}

/// Counts as a solve while it lives.
pub(crate) struct Running;

impl Running {
    pub(crate) fn new() -> Self {
        RUNNING.fetch_add(1, Ordering::SeqCst);
        Running
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Ends all solves of other threads; the interpreter calls it before its own end.
#[pyfunction]
pub(crate) fn end_solves(py: Python<'_>) {
    IS_ENDING.store(true, Ordering::SeqCst);
    let begun = Instant::now();
    py.detach(|| {
        while RUNNING.load(Ordering::SeqCst) > 0 && begun.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(1));
        }
    });
}
