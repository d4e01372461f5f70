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

/// What a thread measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    Processor,
    Devices,
}

/// The threads that measure. Dropping it waits until the figure under way is done.
#[derive(Debug, Default)]
pub(in crate::context) struct Background {
    solves: Arc<Solves>,
    threads: Mutex<Vec<(Subject, JoinHandle<()>)>>,
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

    /// Starts the thread of a subject, once. It does the work whenever the context is idle, until the
    /// work returns true. The work must end soon after the context is no longer idle.
    pub(super) fn start(
        &self,
        subject: Subject,
        mut work: impl FnMut(&Solves) -> bool + Send + 'static,
    ) {
        let mut threads = lock(&self.threads);
        if threads.iter().any(|&(known, _)| known == subject) {
            return;
        }
        let solves = Arc::clone(&self.solves);
        let run = move || while solves.wait_until_idle() && !work(&solves) {};
        // Without the thread, the estimates stay.
        if let Ok(thread) = owned_threads::spawn("makespan-calibration", run) {
            threads.push((subject, thread));
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        *self.solves.lock() = true;
        self.solves.closed.notify_all();
        let threads = self.threads.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (_, thread) in threads.drain(..) {
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
            if let Some(is_idle) = self.watch_briefly() {
                return is_idle;
            }
        }
    }

    /// Watches the context for a moment. Returns true if no solve ran meanwhile, false if the context
    /// closes, otherwise `None`.
    pub(super) fn watch_briefly(&self) -> Option<bool> {
        let begun = self.begun.load(Ordering::Relaxed);
        let waited = self.closed.wait_timeout_while(self.lock(), QUIET, |closing| !*closing);
        let (closing, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if *closing {
            return Some(false);
        }
        let is_quiet = self.begun.load(Ordering::Relaxed) == begun;
        (is_quiet && self.running.load(Ordering::Relaxed) == 0).then_some(true)
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
        background.start(Subject::Processor, move |solves| {
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
    fn it_starts_once_for_each_subject_and_ends_with_the_context() {
        let background = Background::default();
        let solve = background.count();
        let (sender, calls) = mpsc::channel();
        let start = |subject, number| {
            let sender = sender.clone();
            background.start(subject, move |_| sender.send(number).is_ok());
        };
        start(Subject::Processor, 1);
        start(Subject::Processor, 2);
        assert!(calls.recv_timeout(3 * QUIET).is_err(), "a solve is running");
        drop(solve);
        assert_eq!(calls.recv_timeout(SOON), Ok(1));
        start(Subject::Processor, 3);
        start(Subject::Devices, 4);
        assert_eq!(calls.recv_timeout(SOON), Ok(4));
        let _solve = background.count();
        drop(background);
        drop(sender);
        assert_eq!(calls.recv(), Err(mpsc::RecvError));
    }

    #[test]
    fn a_thread_that_waits_ends_with_the_context() {
        let background = Background::default();
        let _solve = background.count();
        let (sender, calls) = mpsc::channel::<()>();
        background.start(Subject::Devices, move |_| sender.send(()).is_ok());
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
