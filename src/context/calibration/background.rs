//! Measures what is unknown in the background, while the context has no solve to run.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::mutex::lock;
use crate::owned_threads;

/// A context is idle if no solve ran for this long. A program that ends after its solve never waits
/// for a measurement.
const QUIET: Duration = Duration::from_millis(100);

/// The thread that measures. Dropping it waits until the figure under way is done.
#[derive(Debug, Default)]
pub(in crate::context) struct Background {
    solves: Arc<Solves>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// The solves of a context.
#[derive(Debug, Default)]
pub(in crate::context) struct Solves {
    running: AtomicUsize,
    begun: AtomicU64,
    closing: Mutex<bool>,
    /// Signalled when the context closes.
    closed: Condvar,
}

/// A solve that is running.
#[derive(Debug)]
pub(in crate::context) struct Running(Arc<Solves>);

impl Background {
    /// The solves of the context.
    pub(super) fn solves(&self) -> Arc<Solves> {
        Arc::clone(&self.solves)
    }

    /// Counts a solve until the result is dropped.
    pub(in crate::context) fn count(&self) -> Running {
        self.solves.begun.fetch_add(1, Ordering::Relaxed);
        self.solves.running.fetch_add(1, Ordering::Relaxed);
        Running(Arc::clone(&self.solves))
    }

    /// Starts the thread, once. It does the work whenever the context is idle, until the work returns
    /// true. The work must end soon after the context is no longer idle.
    pub(super) fn start(&self, mut work: impl FnMut(&Solves) -> bool + Send + 'static) {
        let mut thread = lock(&self.thread);
        if thread.is_some() {
            return;
        }
        let solves = Arc::clone(&self.solves);
        let run = move || while solves.wait_until_idle() && !work(&solves) {};
        // Without the thread, the estimates stay.
        *thread = owned_threads::spawn("makespan-calibration", run).ok();
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        *self.solves.lock() = true;
        self.solves.closed.notify_all();
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(thread) = thread.take() {
            // A panic has ended the measurement, whose figures are then missing.
            let _ = thread.join();
        }
    }
}

impl Solves {
    /// Whether no solve runs and the context is not closing.
    pub(in crate::context) fn are_none(&self) -> bool {
        self.running.load(Ordering::Relaxed) == 0 && !*self.lock()
    }

    /// Returns false if the context closes.
    fn wait_until_idle(&self) -> bool {
        loop {
            let begun = self.begun.load(Ordering::Relaxed);
            let waited = self.closed.wait_timeout_while(self.lock(), QUIET, |closing| !*closing);
            let (closing, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if *closing {
                return false;
            }
            let is_quiet = self.begun.load(Ordering::Relaxed) == begun;
            if is_quiet && self.running.load(Ordering::Relaxed) == 0 {
                return true;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        lock(&self.closing)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const SOON: Duration = Duration::from_secs(20);

    #[test]
    fn work_waits_for_solves_and_is_repeated_until_it_is_done() {
        let background = Background::default();
        let solve = background.count();
        let (sender, calls) = mpsc::channel();
        let mut done = 0;
        background.start(move |solves| {
            assert!(solves.are_none());
            done += 1;
            sender.send(done).unwrap();
            done == 2
        });
        assert!(calls.recv_timeout(3 * QUIET).is_err(), "a solve is running");
        drop(solve);
        assert_eq!(calls.recv_timeout(SOON), Ok(1));
        assert_eq!(calls.recv_timeout(SOON), Ok(2));
        // The sender is gone.
        assert_eq!(calls.recv_timeout(SOON), Err(mpsc::RecvTimeoutError::Disconnected));
    }

    #[test]
    fn it_starts_once_and_ends_with_the_context() {
        let background = Background::default();
        let _solve = background.count();
        let (sender, calls) = mpsc::channel::<()>();
        let other = sender.clone();
        background.start(move |_| sender.send(()).is_ok());
        background.start(move |_| other.send(()).is_ok());
        drop(background);
        assert_eq!(calls.recv(), Err(mpsc::RecvError), "no work while a solve runs");
    }

    #[test]
    fn work_sees_that_a_solve_begins_or_the_context_closes() {
        let background = Background::default();
        let solves = Arc::clone(&background.solves);
        assert!(solves.are_none());
        let solve = background.count();
        assert!(!solves.are_none());
        drop(solve);
        assert!(solves.are_none());
        drop(background);
        assert!(!solves.are_none());
    }
}
