//! Kernels that are built ahead of their use.

use std::ffi::c_char;
use std::time::Duration;

use super::context::{Call, mks_context};
use super::convert::c_string;
use super::flow_shop::instance::mks_flow_shop_instance;
use super::guard::guard;
use super::handle::{Handle, get};
use super::pointer::{self, Out, OutArray};
use super::solve::Plain;
use super::status::{Failure, Result, mks_status};
use crate::{Kernels, Prewarm, PrewarmProgress};

/// Kernels that a context builds ahead. Its functions may be called on any thread at any time.
/// Freeing the context stops the work; the handle may be freed before or after that.
pub struct mks_prewarm {
    prewarm: Prewarm,
}

impl Handle for mks_prewarm {
    const NAME: &'static str = "mks_prewarm";
    const ARGUMENT: &'static str = "prewarm";
}

/// Body of an exported function that begins to build kernels.
///
/// # Safety
/// That of [`Call::enter`] and of [`Out::new`].
unsafe fn begin(
    context: *const mks_context,
    prewarm: *mut *mut mks_prewarm,
    kernels: impl FnOnce() -> Result<Kernels>,
) -> mks_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let call = unsafe { Call::enter(context) }?;
        let kernels = kernels()?;
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(prewarm, "prewarm") }?;
        out.write(mks_prewarm { prewarm: call.prewarm(kernels)? }.give());
        Ok(())
    })
}

/// Builds kernels for the context's device in the background, or loads them from the cache, so that
/// the first solve that needs them does not wait. It opens the device if need be, and returns at
/// once. Solves come first: a kernel that a solve waits for is built next; a build that has begun
/// is not interrupted. `names` are problems, such as flow_shop, and kernel families, such as
/// lattice_slabs, separated by commas; an empty text means all problems. The kernels are those of
/// usual instances. An unknown name is refused, and the message lists the known ones. A device that
/// is missing or fails is no error here: see ::mks_prewarm_problem. At the end, it measures the
/// processor and the device if their speeds are unknown, the cache is on and no solve runs. A solve
/// that begins ends the measurement.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_context_prewarm(
    context: *const mks_context,
    names: *const c_char,
    prewarm: *mut *mut mks_prewarm,
) -> mks_status {
    let kernels = || {
        // SAFETY: the header demands a string or NULL.
        let names: Vec<&str> =
            unsafe { pointer::text(names, "names") }?.split(',').map(str::trim).collect();
        match names[..] {
            [""] => Ok(Kernels::all()),
            _ => Ok(Kernels::named(&names)?),
        }
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { begin(context, prewarm, kernels) }
}

/// Like ::mks_context_prewarm, for proofs and searches of this instance: its numbers of jobs and
/// machines are constants of some kernels. Another instance of this size needs the same ones.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_context_prewarm_flow_shop(
    context: *const mks_context,
    instance: *const mks_flow_shop_instance,
    prewarm: *mut *mut mks_prewarm,
) -> mks_status {
    let kernels = || {
        // SAFETY: the header demands a valid handle or NULL.
        let instance = unsafe { mks_flow_shop_instance::borrow(instance) }?;
        Ok(Kernels::of_flow_shop(instance.instance()))
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { begin(context, prewarm, kernels) }
}

/// How far the work has come: *done sets of kernels of *total are ready or have failed. There is
/// one set for each kernel family and usual size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_prewarm_progress(
    prewarm: *const mks_prewarm,
    done: *mut usize,
    total: *mut usize,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        let progress = unsafe { mks_prewarm::borrow(prewarm) }?.prewarm.progress();
        // SAFETY: the header demands a valid pointer or NULL.
        let done = unsafe { Out::new(done, "done") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let total = unsafe { Out::new(total, "total") }?;
        done.write(progress.done);
        total.write(progress.total);
        Ok(())
    })
}

/// Body of an exported function that copies a text.
///
/// # Safety
/// That of [`Handle::borrow`], [`OutArray::new`] and [`Out::new`].
unsafe fn copy_text(
    prewarm: *const mks_prewarm,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
    of: impl FnOnce(&PrewarmProgress) -> String,
) -> mks_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let progress = unsafe { mks_prewarm::borrow(prewarm) }?.prewarm.progress();
        // SAFETY: the caller's promise.
        let text = unsafe { OutArray::new(text, capacity, "text") }?;
        // SAFETY: the caller's promise.
        let length = unsafe { Out::new(length, "length") }?;
        let copied = c_string(&of(&progress));
        text.write_text(&copied);
        length.write(copied.count_bytes());
        Ok(())
    })
}

/// The kernel family that is being built; empty if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_prewarm_family(
    prewarm: *const mks_prewarm,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> mks_status {
    let family = |progress: &PrewarmProgress| progress.family.unwrap_or_default().to_owned();
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { copy_text(prewarm, text, capacity, length, family) }
}

/// Why kernels are missing: the device does not open or lacks something, or its compiler is at
/// fault. The text is empty if there is no problem.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_prewarm_problem(
    prewarm: *const mks_prewarm,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> mks_status {
    let problems = |progress: &PrewarmProgress| progress.problems.join("\n");
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { copy_text(prewarm, text, capacity, length, problems) }
}

/// Waits until the work is over, but at most for this many seconds; a negative number means without
/// limit. Sets *is_over to 1 if it is over, else to 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_prewarm_wait(
    prewarm: *const mks_prewarm,
    seconds: f64,
    is_over: *mut i32,
) -> mks_status {
    let wait = |prewarm: &mks_prewarm| {
        if seconds.is_nan() {
            return Err(Failure::argument("seconds", "is no number"));
        }
        // What no clock can count is without limit.
        let most = Duration::try_from_secs_f64(seconds).ok();
        Ok(prewarm.prewarm.wait(most).into())
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(prewarm, is_over, "is_over", wait) }
}

/// Ends the work soon. Kernels that are ready stay, and a build that has begun is completed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_prewarm_stop(prewarm: *const mks_prewarm) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        unsafe { mks_prewarm::borrow(prewarm) }?.prewarm.stop();
        Ok(())
    })
}

/// Frees the handle. The work continues.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_prewarm_free(prewarm: *mut mks_prewarm) {
    // SAFETY: the header demands a valid handle, which ends here, or NULL.
    unsafe { mks_prewarm::free(prewarm) };
}
