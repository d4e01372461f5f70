//! Signals belong to the host: its handlers never run on a thread of the library.
//!
//! A new thread inherits its creator's signal mask. So all code that may start threads, including
//! calls to drivers, runs with all signals blocked. Faults of the thread itself stay unblocked:
//! otherwise the kernel would kill the process without calling the host's crash handler.

/// Runs `start` with signals blocked, so that the threads it starts receive none.
#[cfg(unix)]
pub(crate) fn blocked<T>(start: impl FnOnce() -> T) -> T {
    let _restored = mask::Restored(mask::block());
    start()
}

/// This system has no signals to block.
#[cfg(not(unix))]
pub(crate) fn blocked<T>(start: impl FnOnce() -> T) -> T {
    start()
}

#[cfg(unix)]
#[allow(unsafe_code, reason = "the standard library has no signal masks")]
mod mask {
    use std::mem::MaybeUninit;
    use std::ptr;

    use libc::{SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP, pthread_sigmask, sigset_t};

    /// Signals that a thread's own faults raise.
    const FAULTS: [libc::c_int; 6] = [SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP];

    /// Blocks all signals except faults on this thread; returns the previous mask.
    pub(super) fn block() -> sigset_t {
        let mut all = MaybeUninit::<sigset_t>::uninit();
        // SAFETY: the pointer is valid; the call fails only for invalid pointers.
        unsafe { libc::sigfillset(all.as_mut_ptr()) };
        // SAFETY: sigfillset has initialised the set.
        let mut all = unsafe { all.assume_init() };
        for fault in FAULTS {
            // SAFETY: the set is initialised and the signal number is valid.
            unsafe { libc::sigdelset(&mut all, fault) };
        }
        let mut before = all;
        // SAFETY: both sets are initialised; the call fails only for an unknown first argument.
        unsafe { pthread_sigmask(libc::SIG_SETMASK, &all, &mut before) };
        before
    }

    /// Restores a signal mask on drop.
    pub(super) struct Restored(pub(super) sigset_t);

    impl Drop for Restored {
        fn drop(&mut self) {
            // SAFETY: the set is initialised, and null means that the old mask is not requested.
            unsafe { pthread_sigmask(libc::SIG_SETMASK, &self.0, ptr::null_mut()) };
        }
    }
}
