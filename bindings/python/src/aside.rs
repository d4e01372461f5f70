//! Long work on another thread, while the interpreter's main thread handles signals.

use std::panic::resume_unwind;
use std::process;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::listener::{SIGNALS, is_main};

/// Work on more numbers than this may need some time until it ends after a stop.
const MANY: usize = 1 << 16;
/// The wait for that end, if a signal's handler has raised an exception.
const PATIENCE: Duration = Duration::from_millis(40);

/// Whether work on that many numbers should run [`aside`]. Only the main thread handles signals.
pub(crate) fn is_due(py: Python<'_>, numbers: usize) -> PyResult<bool> {
    Ok(numbers > MANY && is_main(py)?)
}

/// Does the work without the interpreter's lock, on another thread. If a signal's handler raises an
/// exception meanwhile, `leave` asks the work to end, and the exception waits at most 40 ms for that.
pub(crate) fn aside<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
    leave: impl FnOnce(),
) -> PyResult<T> {
    let (hand_over, start) = mpsc::sync_channel(1);
    let (finish, mut done) = mpsc::sync_channel(1);
    let thread = thread::Builder::new().name("makespan-aside".into()).spawn(move || {
        let work = start.recv();
        drop(work.map(|work: Box<dyn FnOnce() -> T + Send>| finish.send(work())));
    });
    let Ok(thread) = thread else { return Ok(py.detach(work)) };
    drop(hand_over.send(Box::new(work)));
    let process = process::id();
    loop {
        match wait(py, &mut done, SIGNALS) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Err(panic) => resume_unwind(panic),
                Ok(()) => return Err(PyRuntimeError::new_err("the work ended without a result")),
            },
        }
        if let Err(error) = py.check_signals() {
            leave();
            drop(wait(py, &mut done, PATIENCE));
            return Err(error);
        }
        if process::id() != process {
            let message = "this process was forked during a solve and has no thread for it";
            return Err(PyRuntimeError::new_err(message));
        }
    }
}

fn wait<T: Send>(
    py: Python<'_>,
    done: &mut Receiver<T>,
    time: Duration,
) -> Result<T, RecvTimeoutError> {
    py.detach(move || done.recv_timeout(time))
}
