//! Locks without poisoning. A panic under a lock ends one solve; the others continue.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Waits for the mutex.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
