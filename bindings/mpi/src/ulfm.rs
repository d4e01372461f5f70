//! User-level failure mitigation (ULFM): calls by which ranks survive the loss of others.

#![allow(unsafe_code, reason = "the crate `mpi` does not have these calls")]

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use makespan_cli::console;
use mpi::ffi;
use mpi::raw::AsRaw;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

use crate::attempts;

/// How long the start of MPI may take.
const START: Duration = Duration::from_secs(120);

unsafe extern "C" {
    fn MPIX_Comm_failure_ack(comm: ffi::MPI_Comm) -> c_int;
    fn MPIX_Comm_failure_get_acked(comm: ffi::MPI_Comm, failed: *mut ffi::MPI_Group) -> c_int;
}

/// Starts MPI. It would wait forever for a rank that is lost meanwhile, so that this one then ends.
pub(crate) fn watched<R>(start: impl FnOnce() -> R) -> R {
    let (started, waiting) = mpsc::channel::<()>();
    thread::spawn(move || {
        if waiting.recv_timeout(START) == Err(RecvTimeoutError::Timeout) {
            console::write_error("makespan-mpi: error: MPI does not start: a rank may be lost\n");
            console::leave(attempts::LOST);
        }
    });
    let universe = start();
    drop(started);
    universe
}

/// Whether the launcher has enabled it.
pub(crate) fn is_enabled(world: &SimpleCommunicator) -> bool {
    let mut value: *const c_int = std::ptr::null();
    let mut is_set: c_int = 0;
    let (key, to) = (ffi::MPI_FT as c_int, (&raw mut value).cast::<c_void>());
    // SAFETY: the attribute's value is a pointer to an integer.
    let code = unsafe { ffi::MPI_Comm_get_attr(world.as_raw(), key, to, &raw mut is_set) };
    let is_known = code == ffi::MPI_SUCCESS as c_int && is_set != 0 && !value.is_null();
    // SAFETY: the MPI keeps the integer as long as the communicator.
    is_known && unsafe { *value } != 0
}

/// Lets calls return their errors, if losses can be survived.
pub(crate) fn enable(world: &SimpleCommunicator) -> c_int {
    if !is_enabled(world) {
        return ffi::MPI_SUCCESS as c_int;
    }
    // SAFETY: the linked library never changes it.
    let handler = unsafe { ffi::RSMPI_ERRORS_RETURN };
    // SAFETY: both handles are valid.
    unsafe { ffi::MPI_Comm_set_errhandler(world.as_raw(), handler) }
}

/// Whether a call returned because a rank is lost.
pub(crate) fn is_loss(code: c_int) -> bool {
    let mut class: c_int = 0;
    // SAFETY: the pointer is that of a variable.
    unsafe { ffi::MPI_Error_class(code, &raw mut class) };
    [ffi::MPI_ERR_PROC_FAILED, ffi::MPI_ERR_PROC_FAILED_PENDING].contains(&(class as u32))
}

/// The ranks that are lost. Later calls that receive from any rank no longer return because of them.
///
/// # Errors
/// The code of a call that failed.
pub(crate) fn lost(world: &SimpleCommunicator) -> Result<Vec<i32>, c_int> {
    // SAFETY: the handle is valid.
    checked(unsafe { MPIX_Comm_failure_ack(world.as_raw()) })?;
    let mut group = MaybeUninit::uninit();
    // SAFETY: the pointer is that of a variable.
    checked(unsafe { MPIX_Comm_failure_get_acked(world.as_raw(), group.as_mut_ptr()) })?;
    // SAFETY: the call wrote the group.
    let mut group = unsafe { group.assume_init() };
    let ranks = ranks(group, world);
    // SAFETY: the group belongs to this function, and nothing has its handle afterwards.
    checked(unsafe { ffi::MPI_Group_free(&raw mut group) })?;
    ranks
}

/// The members of a group by their ranks in the world.
fn ranks(group: ffi::MPI_Group, world: &SimpleCommunicator) -> Result<Vec<i32>, c_int> {
    let mut size: c_int = 0;
    // SAFETY: the pointer is that of a variable.
    checked(unsafe { ffi::MPI_Group_size(group, &raw mut size) })?;
    let (members, all) = ((0..size).collect::<Vec<c_int>>(), world.group());
    let mut ranks = members.clone();
    let (from, to) = (members.as_ptr(), ranks.as_mut_ptr());
    // SAFETY: both lists have `size` elements.
    let code = unsafe { ffi::MPI_Group_translate_ranks(group, size, from, all.as_raw(), to) };
    checked(code).map(|()| ranks)
}

fn checked(code: c_int) -> Result<(), c_int> {
    if code == ffi::MPI_SUCCESS as c_int { Ok(()) } else { Err(code) }
}
