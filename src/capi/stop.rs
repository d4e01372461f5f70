//! The stop handle.

use super::guard::guard;
use super::handle::{Handle, get};
use super::pointer::Out;
use super::status::mks_status;
use crate::StopHandle;

/// A stop handle ends any number of solves from outside. Its functions may be called on any thread
/// at any time, also inside callbacks, but not in signal handlers. Free it after its other calls
/// have returned.
pub struct mks_stop {
    handle: StopHandle,
}

impl Handle for mks_stop {
    const NAME: &'static str = "mks_stop";
    const ARGUMENT: &'static str = "stop";
}

impl mks_stop {
    pub(super) fn handle(&self) -> StopHandle {
        self.handle.clone()
    }
}

/// Creates a stop handle that is not tripped.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_stop_create(stop: *mut *mut mks_stop) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid pointer or NULL.
        let out = unsafe { Out::new(stop, "stop") }?;
        out.write(mks_stop { handle: StopHandle::new() }.give());
        Ok(())
    })
}

/// Asks every solve with this handle to end soon and return the best solution so far; harmless if
/// repeated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_stop_trip(stop: *const mks_stop) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        unsafe { mks_stop::borrow(stop) }?.handle.stop();
        Ok(())
    })
}

/// Makes a tripped handle usable for the next solve. A solve that has noticed the trip ends
/// nevertheless.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_stop_reset(stop: *const mks_stop) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        unsafe { mks_stop::borrow(stop) }?.handle.reset();
        Ok(())
    })
}

/// Sets *tripped to 1 if the handle is tripped, else to 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_stop_is_tripped(
    stop: *const mks_stop,
    tripped: *mut i32,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(stop, tripped, "tripped", |stop| Ok(stop.handle.is_stopped().into())) }
}

/// Frees a stop handle. A running solve with this handle continues and can no longer be stopped by
/// it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_stop_free(stop: *mut mks_stop) {
    // SAFETY: the header demands a valid handle, which ends here, or NULL.
    unsafe { mks_stop::free(stop) };
}
