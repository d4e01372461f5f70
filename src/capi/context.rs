//! The context and its options.

use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::guard::{enter_worker_thread, guard, guard_free};
use super::handle::{Handle, make};
use super::options::{self, mks_options};
use super::pointer::Out;
use super::status::{Failure, Result, mks_status};
use crate::{Context, ContextOptions, HostOpenCl};

/// Threads, devices, built kernels and log of one user of the library. Contexts share nothing,
/// except that launches on PoCL's processor take turns: a time limit may then wait for the launch
/// of another context. Several threads may solve on one context at once; the solves have equal
/// shares of the processor. Free a context on one thread, after the last call that uses it. After
/// fork() the child may only free it and create another: all other calls are refused.
pub struct mks_context {
    context: Context,
    /// Calls that use the context now; freeing it is refused as long as there are any.
    calls: AtomicUsize,
}

impl Handle for mks_context {
    const NAME: &'static str = "mks_context";
    const ARGUMENT: &'static str = "context";
}

/// A call that uses a context.
pub(super) struct Call<'a>(&'a mks_context);

impl<'a> Call<'a> {
    /// # Safety
    /// That of [`Handle::borrow`].
    pub(super) unsafe fn enter(context: *const mks_context) -> Result<Self> {
        // SAFETY: the caller's promise.
        let context: &'a mks_context = unsafe { mks_context::borrow(context) }?;
        context.context.check_process()?;
        context.calls.fetch_add(1, Ordering::AcqRel);
        Ok(Call(context))
    }
}

impl Deref for Call<'_> {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.0.context
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.0.calls.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Options of a context that C callers get: worker threads keep their panics quiet.
pub(super) fn quiet_options() -> ContextOptions {
    ContextOptions { on_thread_start: Some(enter_worker_thread), ..ContextOptions::default() }
}

/// Creates a context. The options are those of a "context"; NULL takes the defaults. With the
/// engine "device" it opens the device now, otherwise on first need.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_context_create(
    options: *const mks_options,
    context: *mut *mut mks_context,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { create(options, context, || Ok(None)) }
}

/// # Safety
/// That of [`Handle::borrow`] and of [`Out::new`].
unsafe fn create(
    options: *const mks_options,
    context: *mut *mut mks_context,
    opencl: impl FnOnce() -> Result<Option<HostOpenCl>>,
) -> mks_status {
    let build = || {
        // SAFETY: the caller's promise.
        let (options, _) = unsafe { options::read::<ContextOptions>(options) }?;
        let (on_thread_start, opencl) = (Some(enter_worker_thread as fn()), opencl()?);
        let context = Context::new(ContextOptions { on_thread_start, opencl, ..options })?;
        Ok(mks_context { context, calls: AtomicUsize::new(0) })
    };
    // SAFETY: the caller's promise.
    unsafe { make(context, build) }
}

/// A cl_context of OpenCL's headers is a pointer to this.
pub struct _cl_context {
    _private: [u8; 0],
}

/// A cl_device_id of OpenCL's headers is a pointer to this.
pub struct _cl_device_id {
    _private: [u8; 0],
}

/// A cl_command_queue of OpenCL's headers is a pointer to this.
pub struct _cl_command_queue {
    _private: [u8; 0],
}

/// Creates a context that works with the program's own OpenCL objects: a cl_context, a device of it
/// and an in-order queue of both, from the OpenCL library of the system. Solves enqueue all their
/// commands there, between those of the program. A long command of the program therefore delays
/// solves and stops. The device is the only one of the context. The context and the queue are
/// retained until ::mks_context_free. `options` are as for ::mks_context_create.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_context_create_from_opencl(
    opencl_context: *mut _cl_context,
    opencl_device: *mut _cl_device_id,
    opencl_queue: *mut _cl_command_queue,
    options: *const mks_options,
    context: *mut *mut mks_context,
) -> mks_status {
    let opencl = || {
        let (context, device, queue) =
            (opencl_context.cast(), opencl_device.cast(), opencl_queue.cast());
        // SAFETY: the header demands live OpenCL objects or NULL.
        Ok(Some(unsafe { HostOpenCl::new(context, device, queue) }?))
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { create(options, context, opencl) }
}

/// Frees a context and waits until its threads have ended. While a call uses the context, and thus
/// inside its own callbacks, it frees nothing and returns ::MKS_STATUS_BUSY. After fork() the child
/// frees its copy without the threads, which only the parent has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_context_free(context: *mut mks_context) -> mks_status {
    guard_free(|| {
        if context.is_null() {
            return Ok(());
        }
        // SAFETY: the header demands a valid handle.
        let handle = unsafe { mks_context::borrow(context) }?;
        let in_use = handle.calls.load(Ordering::Acquire) != 0;
        if in_use && handle.context.is_inherited() {
            // Forked inside a call, perhaps this thread's: its frames still refer to the context,
            // which stays.
            return Ok(());
        }
        if in_use {
            let text = "context: is in use by a call that has not returned".into();
            return Err(Failure { status: mks_status::Busy, text });
        }
        // SAFETY: a valid handle, which nobody uses and which ends here.
        unsafe { mks_context::free(context) };
        Ok(())
    })
}

/// Number of threads of the CPU engine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_context_threads(
    context: *const mks_context,
    threads: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(context, threads, "threads", |context| Ok(context.threads())) }
}

/// Body of an exported function that reads one value off a context.
///
/// # Safety
/// That of [`Call::enter`] and of [`Out::new`].
pub(super) unsafe fn get<T>(
    context: *const mks_context,
    out: *mut T,
    argument: &'static str,
    value: impl FnOnce(&Context) -> Result<T>,
) -> mks_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let call = unsafe { Call::enter(context) }?;
        // SAFETY: the caller's promise.
        let out = unsafe { Out::new(out, argument) }?;
        out.write(value(&call)?);
        Ok(())
    })
}
