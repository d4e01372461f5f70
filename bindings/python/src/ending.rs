//! The end of the interpreter. It ends threads that want to enter it by then, which must not happen
//! inside of a solve: foreign frames can't be unwound.

use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Whether the interpreter is about to end.
static IS_ENDING: AtomicBool = AtomicBool::new(false);
/// A process in the upper half, and in the lower half its solves that run without the interpreter's
/// lock. A child process inherits the number, but not the threads of these solves.
static RUNNING: AtomicU64 = AtomicU64::new(0);
/// The longest wait for them.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether solves must end, and call no more functions.
pub(crate) fn is_ending() -> bool {
    IS_ENDING.load(Ordering::SeqCst)
}

/// The solves that a value of [`RUNNING`] counts for a process.
fn solves_of(process: u32, word: u64) -> u64 {
    if word >> 32 == u64::from(process) { word & u64::from(u32::MAX) } else { 0 }
}

/// Changes the number of this process's solves.
fn count(process: u32, change: impl Fn(u64) -> u64) {
    let changed = |word| Some(u64::from(process) << 32 | change(solves_of(process, word)));
    let _ = RUNNING.fetch_update(Ordering::SeqCst, Ordering::SeqCst, changed);
}

/// Counts as a solve of its process while it lives.
pub(crate) struct Running {
    process: u32,
}

impl Running {
    /// Refuses once the interpreter has begun to end: the solve would be cut short.
    pub(crate) fn begin() -> PyResult<Self> {
        let running = Running { process: process::id() };
        count(running.process, |solves| solves + 1);
        if is_ending() {
            return Err(PyRuntimeError::new_err("the interpreter is ending: no solve can begin"));
        }
        Ok(running)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A solve that forked in a function of the caller ends in both processes.
        if process::id() == self.process {
            count(self.process, |solves| solves.saturating_sub(1));
        }
    }
}

/// Ends all solves of other threads; the interpreter calls it before its own end.
#[pyfunction]
pub(crate) fn end_solves(py: Python<'_>) {
    IS_ENDING.store(true, Ordering::SeqCst);
    let (begun, process) = (Instant::now(), process::id());
    py.detach(|| {
        while solves_of(process, RUNNING.load(Ordering::SeqCst)) > 0 && begun.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(1));
        }
    });
}
