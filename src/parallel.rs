//! Parallel loops over parts of work, on the threads of the current pool, or on the calling thread
//! without a pool.
//!
//! Threads take parts from an iterator behind a lock, so a part should take at least microseconds.
//! Rayon provides only the threads: its splitting and stealing code is compiled once, not for each
//! loop.

use std::sync::{Mutex, OnceLock};

use rayon::prelude::*;

use crate::memory::{self, Gather};
use crate::mutex::lock;
use crate::{Error, Result};

/// Calls `work` with every part.
pub(crate) fn for_each<P>(parts: impl Iterator<Item = P> + Send, work: impl Fn(P) + Sync) {
    let parts = Mutex::new(parts.fuse());
    // No part fails.
    let _ = until_failure(&Attempt(|_: &Failure| {
        while let Some(part) = take(&parts) {
            work(part);
        }
        Ok(())
    }));
}

/// Calls `work` with the parts until a call fails. Parts that other threads have started are
/// completed.
pub(crate) fn try_for_each<P>(
    parts: impl Iterator<Item = P> + Send,
    work: impl Fn(P) -> Result<()> + Sync,
) -> Result<()> {
    try_for_each_with(parts, || Ok(()), |(), part| work(part))
}

/// Like [`try_for_each`], with a state for each thread, created by `begin`.
pub(crate) fn try_for_each_with<P, S>(
    parts: impl Iterator<Item = P> + Send,
    begin: impl Fn() -> Result<S> + Sync,
    work: impl Fn(&mut S, P) -> Result<()> + Sync,
) -> Result<()> {
    let parts = Mutex::new(parts.fuse());
    until_failure(&Attempt(|failure: &Failure| {
        let mut state = None;
        while failure.get().is_none()
            && let Some(part) = take(&parts)
        {
            let state = match &mut state {
                Some(state) => state,
                none => none.insert(begin()?),
            };
            work(state, part)?;
        }
        Ok(())
    }))
}

/// Takes the next part, for one thread.
fn take<I: Iterator>(parts: &Mutex<I>) -> Option<I::Item> {
    lock(parts).next()
}

/// The first error of several threads.
type Failure = OnceLock<Box<Error>>;

/// What a thread does, without its type. It sees whether another thread has failed. `dyn Fn` would
/// be a `FnMut` and a `FnOnce`, too, and the library would have all three.
trait OnThread: Sync {
    fn run(&self, failure: &Failure) -> Result<()>;
}

struct Attempt<W>(W);

impl<W: Fn(&Failure) -> Result<()> + Sync> OnThread for Attempt<W> {
    fn run(&self, failure: &Failure) -> Result<()> {
        (self.0)(failure)
    }
}

/// Makes the attempt on all threads. They end soon after one has failed.
fn until_failure(attempt: &dyn OnThread) -> Result<()> {
    let failure = Failure::new();
    on_all_threads(&|| {
        if let Err(error) = attempt.run(&failure) {
            // Only the first of several errors is kept.
            let _ = failure.set(error);
        }
    });
    failure.into_inner().map_or(Ok(()), Err)
}

/// The results of `work` for the parts, in order, or the first error.
pub(crate) fn try_map<P, R: Send>(
    parts: impl ExactSizeIterator<Item = P> + Send,
    work: impl Fn(P) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let mut results = memory::list(parts.len())?;
    results.resize_with(parts.len(), || None);
    try_for_each(parts.zip(&mut results), |(part, result)| {
        *result = Some(work(part)?);
        Ok(())
    })?;
    results.into_iter().flatten().gather()
}

/// Sorts by a key, not stably.
pub(crate) fn sort_by_key<T: Send, K: Ord>(elements: &mut [T], key: impl Fn(&T) -> K + Sync) {
    match has_pool() {
        true => elements.par_sort_unstable_by_key(key),
        false => elements.sort_unstable_by_key(key),
    }
}

/// Number of threads that process the parts.
pub(crate) fn threads() -> usize {
    if has_pool() { rayon::current_num_threads() } else { 1 }
}

/// Whether the calling thread belongs to a pool. Otherwise rayon would start its process-wide pool.
pub(crate) fn has_pool() -> bool {
    rayon::current_thread_index().is_some()
}

/// Calls `work` once on each thread of the pool, when it is idle.
fn on_all_threads(work: &(dyn Fn() + Sync)) {
    if !has_pool() {
        return work();
    }
    (0..rayon::current_num_threads()).into_par_iter().with_max_len(1).for_each(|_| work());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_error;
    use crate::{Context, ContextOptions};

    fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
        let options = ContextOptions { threads: Some(threads), ..ContextOptions::default() };
        Context::new(options).unwrap().install(work).unwrap()
    }

    #[test]
    fn every_part_is_worked_on_once_and_results_keep_their_order() {
        for threads in [1, 3] {
            let mut cells = vec![0u32; 1000];
            on_threads(threads, || {
                for_each(cells.chunks_mut(7).zip(1..), |(part, number)| {
                    part.iter_mut().for_each(|cell| *cell += number);
                })
            });
            let expected: Vec<u32> = (0..1000).map(|cell| 1 + cell / 7).collect();
            assert_eq!(cells, expected);
            let squares =
                on_threads(threads, || try_map(0..100usize, |number| Ok(number * number)));
            assert_eq!(
                squares.unwrap(),
                (0..100).map(|number| number * number).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn an_error_keeps_further_parts_from_being_worked_on() {
        let seen = Mutex::new(Vec::new());
        let work = |number: u32| {
            seen.lock().unwrap().push(number);
            if number == 3 { Err(Error::stopped()) } else { Ok(()) }
        };
        let result = on_threads(1, || try_for_each(0..1000, work));
        assert_error!(result, Error::Stopped);
        assert_eq!(*seen.lock().unwrap(), [0, 1, 2, 3]);
    }

    #[test]
    fn parts_may_have_parts_themselves() {
        let inner = |outer| Ok(try_map(0..10u32, |inner| Ok(outer * inner))?.iter().sum::<u32>());
        let sums = on_threads(2, || try_map(0..10u32, inner));
        assert_eq!(sums.unwrap(), (0..10).map(|outer| outer * 45).collect::<Vec<u32>>());
    }
}
