//! Signals are the host's: its handlers never run on a thread of the library.
//!
//! A new thread inherits the signal mask of the one that starts it, so that whoever starts threads,
//! a driver that is asked for something included, does so with all signals blocked. Faults of the
//! thread itself stay unblocked: the kernel would kill the process without asking the host's crash
//! handler.

/// Runs `start`, whose new threads leave all signals to others.
#[cfg(unix)]
pub(crate) fn blocked<T>(start: impl FnOnce() -> T) -> T {
    let _restored = mask::Restored(mask::block());
    start()
}

/// There are no signals to block.
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

    /// What a thread does to itself.
    const FAULTS: [libc::c_int; 6] = [SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP];

    /// Blocks all signals but faults on this thread; returns the mask that was before.
    pub(super) fn block() -> sigset_t {
        let mut all = MaybeUninit::<sigset_t>::uninit();
        // SAFETY: a valid pointer. It fails for others alone.
        unsafe { libc::sigfillset(all.as_mut_ptr()) };
        // SAFETY: sigfillset has initialised the set.
        let mut all = unsafe { all.assume_init() };
        for fault in FAULTS {
            // SAFETY: an initialised set and the number of a signal.
            unsafe { libc::sigdelset(&mut all, fault) };
        }
        let mut before = all;
        // SAFETY: two initialised sets. It fails for an unknown first argument alone.
        unsafe { pthread_sigmask(libc::SIG_SETMASK, &all, &mut before) };
        before
    }

    /// Restores a mask when it is dropped.
    pub(super) struct Restored(pub(super) sigset_t);

    impl Drop for Restored {
        fn drop(&mut self) {
            // SAFETY: an initialised set, and the old mask is not asked for.
            unsafe { pthread_sigmask(libc::SIG_SETMASK, &self.0, ptr::null_mut()) };
        }
    }
}
