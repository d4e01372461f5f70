//! Threads that end with a scope.

use std::thread::{Builder, Scope, ScopedJoinHandle};

use crate::{Error, Result, signals};

/// Starts a thread that receives no signals.
///
/// # Errors
/// [`Error::ThreadsUnavailable`] if the system refuses the thread; `work` is then dropped.
pub(crate) fn spawn<'s, T: Send + 's>(
    scope: &'s Scope<'s, '_>,
    work: impl FnOnce() -> T + Send + 's,
) -> Result<ScopedJoinHandle<'s, T>> {
    // The start of a thread is much code, here one copy for each type of result.
    let work: Box<dyn FnOnce() -> T + Send + 's> = Box::new(work);
    signals::blocked(|| Builder::new().spawn_scoped(scope, work))
        .map_err(|error| Error::threads_unavailable(error.to_string()))
}

/// Waits for a thread. Its panic becomes an internal error.
pub(crate) fn join<T>(thread: ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    thread.join().unwrap_or_else(|_| Err(Error::internal("a thread of the solve panicked")))
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::testing::assert_error;

    #[test]
    fn a_result_an_error_and_a_panic_of_a_thread_arrive() {
        thread::scope(|scope| {
            let start = |work: fn() -> Result<u8>| join(spawn(scope, work).unwrap());
            assert_eq!(start(|| Ok(7)).unwrap(), 7);
            assert_error!(start(|| Err(Error::stopped())), Error::Stopped);
            assert_error!(start(|| std::panic::resume_unwind(Box::new(()))), Error::Internal(_));
        });
    }
}
