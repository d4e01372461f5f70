//! The context and its options.

use std::ffi::{c_char, c_void};
use std::mem::offset_of;
use std::ops::Deref;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::convert::{UserData, c_string, choice, number, optional_choice};
use super::guard::{enter_worker_thread, guard, guard_free, outside};
use super::pointer::{self, Handle, Out};
use super::solve_options::mks_engine;
use super::stamped::{self, Stamped};
use super::status::{Failure, Result, mks_status};
use crate::opencl::CacheLocation;
use crate::{Context, ContextOptions, Log, LogCallback};

/// Importance of log messages; each level includes the ones above it. Since 0.1.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_log_level {
    /// No messages.
    Off = 0,
    /// Failures that the library worked around.
    Warning = 1,
    /// Also milestones of a solve.
    Info = 2,
    /// Also details for developers: kernel builds, cache hits and misses.
    Debug = 3,
}

/// Receives a log message: its level, one of ::mks_log_level, and its text, which is valid during
/// the call only. It is called on any thread, also on several at once. It must return normally,
/// without an exception or a longjmp, and must not call functions that use its own context. Since
/// 0.1.
pub type mks_log_callback =
    Option<unsafe extern "C" fn(level: i32, message: *const c_char, user_data: *mut c_void)>;

/// Options of a context. Fill them with ::mks_context_options_init, then change what you need.
/// Since 0.1.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mks_context_options {
    /// Size of this struct in the calling program; set by the init function.
    pub struct_size: usize,
    /// Engine of the solves whose own options name none, one of ::mks_engine. Default:
    /// ::MKS_ENGINE_AUTO.
    pub engine: i32,
    /// Index of the OpenCL device to use. Default: -1, the first device.
    pub device: i32,
    /// Threads of the CPU engine. Of several solves at once, each has this number of threads.
    /// Default: 0, one per core.
    pub threads: u32,
    /// Messages to log, one of ::mks_log_level. Default: ::MKS_LOG_LEVEL_WARNING.
    pub log_level: i32,
    /// Receives the log. Default: NULL, no log.
    pub log_callback: mks_log_callback,
    /// Passed to the log callback. Default: NULL.
    pub log_user_data: *mut c_void,
    /// Folder for built kernels; "off" keeps none. Read during ::mks_context_create only. Default:
    /// NULL, the platform's cache folder.
    pub cache_directory: *const c_char,
    /// Indices of further devices, for steps that can share their work among several devices:
    /// branch and bound of the flow shop. All indices must differ, also from `device`, where -1
    /// counts as 0. A device that fails is left out, and ::mks_result_warning says so. Read during
    /// ::mks_context_create only. Default: NULL.
    pub further_devices: *const u32,
    /// Number of `further_devices`. Default: 0.
    pub further_device_count: usize,
    /// Must be zero.
    pub reserved: [u64; 2],
}

// SAFETY: no padding, and every bit pattern is a valid integer, pointer or nullable function.
unsafe impl Stamped for mks_context_options {
    const ARGUMENT: &'static str = "options";
    const FIRST_SIZE: usize = offset_of!(Self, reserved) + 16;
    const DEFAULT: Self = mks_context_options {
        struct_size: size_of::<Self>(),
        engine: mks_engine::Auto as i32,
        device: -1,
        threads: 0,
        log_level: mks_log_level::Warning as i32,
        log_callback: None,
        log_user_data: ptr::null_mut(),
        cache_directory: ptr::null(),
        further_devices: ptr::null(),
        further_device_count: 0,
        reserved: [0; 2],
    };

    fn reserved_is_zero(&self) -> bool {
        self.reserved == [0; 2]
    }
}

/// Threads, devices, built kernels and log of one user of the library. Contexts share nothing.
/// Several threads may solve on one context at once; the solves have equal shares of the processor.
/// Free a context on one thread, after the last call that uses it. After fork() the child may only
/// free it and create another: all other calls are refused. Since 0.1.
pub struct mks_context {
    context: Context,
    /// Calls that use the context now; freeing it is refused as long as there are any.
    calls: AtomicUsize,
}

impl Handle for mks_context {
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

fn convert(given: &mks_context_options) -> Result<ContextOptions> {
    let engine = choice("options.engine", given.engine)?;
    let device = match given.device {
        -1 => None,
        index => Some(usize::try_from(index).map_err(|_| {
            Failure::argument("options.device", format!("{index} is neither an index nor -1"))
        })?),
    };
    let threads = (given.threads != 0).then_some(given.threads as usize);
    let further_devices = further_devices(given)?;
    let (cache, log) = (cache(given)?, log(given)?);
    Ok(ContextOptions { engine, device, further_devices, threads, cache, log, ..quiet_options() })
}

fn further_devices(given: &mks_context_options) -> Result<Vec<usize>> {
    let (start, count) = (given.further_devices, given.further_device_count);
    // SAFETY: the caller of `mks_context_create` promises a valid array.
    let indices = unsafe { pointer::array(start, count, "options.further_devices") }?;
    Ok(indices.iter().map(|&index| index as usize).collect())
}

fn cache(given: &mks_context_options) -> Result<CacheLocation> {
    if given.cache_directory.is_null() {
        return Ok(CacheLocation::Default);
    }
    // SAFETY: the header demands a string or NULL.
    let directory = unsafe { pointer::path(given.cache_directory, "options.cache_directory") }?;
    Ok(match directory.to_str() {
        Some("off") => CacheLocation::Off,
        Some("") => return Err(Failure::argument("options.cache_directory", "is empty")),
        _ => CacheLocation::Directory(directory),
    })
}

fn log(given: &mks_context_options) -> Result<Log> {
    let level = optional_choice("options.log_level", given.log_level)?;
    let (Some(level), Some(callback)) = (level, given.log_callback) else {
        return Ok(Log::default());
    };
    let user_data = UserData::new(given.log_user_data);
    let forward: LogCallback = Arc::new(move |level, message| {
        // 0 is for no message at all.
        let level = 1 + number(level);
        let message = c_string(message);
        // SAFETY: the header demands a function that may be called like this on any thread.
        outside(|| unsafe { callback(level, message.as_ptr(), user_data.get()) });
    });
    Ok(Log::new(level, forward))
}

/// Fills in the defaults; `size` is sizeof(mks_context_options). Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_context_options_init(
    options: *mut mks_context_options,
    size: usize,
) -> mks_status {
    // SAFETY: the header demands room for that many bytes, or NULL.
    unsafe { stamped::init(options, size) }
}

/// Creates a context. Options may be NULL for the defaults. With ::MKS_ENGINE_DEVICE it opens the
/// device now, otherwise on first need. Free the context with ::mks_context_free. Since 0.1.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_context_create(
    options: *const mks_context_options,
    context: *mut *mut mks_context,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid pointer or NULL.
        let out = unsafe { Out::new(context, "context") }?;
        // SAFETY: the header demands an initialised struct or NULL.
        let given = unsafe { stamped::read(options) }?;
        let context = Context::new(convert(&given)?)?;
        out.write(mks_context { context, calls: AtomicUsize::new(0) }.give());
        Ok(())
    })
}

/// Frees a context and waits until its threads have ended; NULL is harmless. While a call uses the
/// context, and thus inside its own callbacks, it frees nothing and returns ::MKS_STATUS_BUSY.
/// After fork() the child frees its copy without the threads, which only the parent has. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_context_free(context: *mut mks_context) -> mks_status {
    guard_free(|| {
        // SAFETY: the header demands a valid handle or NULL.
        let Some(handle) = (unsafe { context.as_ref() }) else { return Ok(()) };
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
        drop(unsafe { Box::from_raw(context) });
        Ok(())
    })
}

/// Number of threads of the CPU engine. Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_context_threads(
    context: *const mks_context,
    threads: *mut u32,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(context, threads, "threads", |context| Ok(context.threads() as u32)) }
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
