//! Options, limits and progress of a solve, common to all problems.

use std::ffi::{c_char, c_void};
use std::mem::offset_of;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use super::convert::{UserData, c_string, choice};
use super::guard::outside;
use super::pointer::Handle;
use super::stamped::{self, Stamped};
use super::status::{Failure, Result, mks_status};
use super::stop::mks_stop;
use crate::{Control, Limits, Progress, ProgressCallback, SolveOptions, Value};

/// Engines for the heavy work. Since 0.1.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_engine {
    /// The context's engine; in ::mks_solve_options only.
    Inherit = -1,
    /// The faster engine by estimate; the CPU if there is no device or it fails.
    Auto = 0,
    /// The CPU, without looking for OpenCL.
    Cpu = 1,
    /// The OpenCL device; an error if there is none or it fails.
    Device = 2,
}

/// Answers of a progress callback. Since 0.1.
#[repr(i32)]
#[derive(Clone, Copy)]
pub enum mks_control {
    /// Continue the solve.
    Continue = 0,
    /// End the solve soon and return the best solution so far. Every other number means the same.
    #[expect(dead_code, reason = "an answer for C to give")]
    Stop = 1,
}

/// State of a running solve. The library fills it. Later versions may add fields at the end; a
/// field exists if struct_size includes it. Since 0.1.
#[repr(C)]
pub struct mks_progress {
    /// Size of this struct in the library.
    pub struct_size: usize,
    /// Wall-clock seconds since the solve began.
    pub elapsed_seconds: f64,
    /// Current work of the solver, in a word or two; valid during the call only.
    pub phase: *const c_char,
    /// Objective of the best solution so far, if has_incumbent is 1.
    pub incumbent: u64,
    /// Best proved bound so far, if has_bound is 1.
    pub bound: u64,
    /// 1 if there is a solution, else 0.
    pub has_incumbent: i32,
    /// 1 if there is a bound, else 0.
    pub has_bound: i32,
    /// Completed share of the current phase, from 0 to 1; -1 if unknown.
    pub fraction: f64,
    /// The incumbent as the nearest double, NaN if there is none. In the last call it is also set
    /// for a negative or fractional incumbent, for which has_incumbent is 0.
    pub incumbent_f64: f64,
    /// The bound as the nearest double, as for incumbent_f64.
    pub bound_f64: f64,
}

/// Receives the progress of a solve, at most about twenty times a second and at each better
/// solution or bound, on the thread that called the solver. Returns one of ::mks_control. The last
/// call, in the phase "end", has the values of the result, and its answer is ignored. It is also
/// the only call after an answer of ::MKS_CONTROL_STOP. The struct is valid during the call only.
/// The callback must return normally, without an exception or a longjmp. It may call any function
/// of the library and even start another solve; an attempt to free its own context returns
/// ::MKS_STATUS_BUSY. Since 0.1.
pub type mks_progress_callback =
    Option<unsafe extern "C" fn(progress: *const mks_progress, user_data: *mut c_void) -> i32>;

/// Options common to all solvers. Fill them with ::mks_solve_options_init, then change what you
/// need. Since 0.1.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mks_solve_options {
    /// Size of this struct in the calling program; set by the init function.
    pub struct_size: usize,
    /// Wall-clock seconds, 0 or more, after which the solve ends with the best solution so far.
    /// Default: INFINITY.
    pub time_limit_seconds: f64,
    /// Iterations of the method after which the solve ends with the best solution so far. A solve
    /// that ends by this limit is reproducible. Default: UINT64_MAX, no limit.
    pub iteration_limit: u64,
    /// Bytes of host memory for tables. Default: 0, half of the free memory.
    pub memory_limit_bytes: u64,
    /// Seed of methods that draw random numbers. The same seed gives the same result. Default: 0.
    pub seed: u64,
    /// One of ::mks_engine. Default: ::MKS_ENGINE_INHERIT.
    pub engine: i32,
    /// Must be zero.
    pub reserved_flags: u32,
    /// Stop handle, by which any thread can end the solve. Default: NULL.
    pub stop: *const mks_stop,
    /// Receives the progress. Default: NULL.
    pub progress_callback: mks_progress_callback,
    /// Passed to the progress callback. Default: NULL.
    pub progress_user_data: *mut c_void,
    /// Must be zero.
    pub reserved: [u64; 4],
}

// SAFETY: no padding, and every bit pattern is a valid number, pointer or nullable function.
unsafe impl Stamped for mks_solve_options {
    const ARGUMENT: &'static str = "solve_options";
    const FIRST_SIZE: usize = offset_of!(Self, reserved) + 32;
    const DEFAULT: Self = mks_solve_options {
        struct_size: size_of::<Self>(),
        time_limit_seconds: f64::INFINITY,
        iteration_limit: u64::MAX,
        memory_limit_bytes: 0,
        seed: 0,
        engine: mks_engine::Inherit as i32,
        reserved_flags: 0,
        stop: ptr::null(),
        progress_callback: None,
        progress_user_data: ptr::null_mut(),
        reserved: [0; 4],
    };

    fn reserved_is_zero(&self) -> bool {
        self.reserved_flags == 0 && self.reserved == [0; 4]
    }
}

/// Fills in the defaults; `size` is sizeof(mks_solve_options). Since 0.1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_solve_options_init(
    options: *mut mks_solve_options,
    size: usize,
) -> mks_status {
    // SAFETY: the header demands room for that many bytes, or NULL.
    unsafe { stamped::init(options, size) }
}

/// The options of a solve; NULL means the defaults.
///
/// # Safety
/// The pointer is NULL or an initialised struct whose stop handle is NULL or valid.
pub(super) unsafe fn read(options: *const mks_solve_options) -> Result<SolveOptions> {
    // SAFETY: the caller's promise.
    let given = unsafe { stamped::read(options) }?;
    const INHERIT: i32 = mks_engine::Inherit as i32;
    let engine = match given.engine {
        INHERIT => None,
        number => Some(choice("solve_options.engine", number)?),
    };
    let stop = if given.stop.is_null() {
        None
    } else {
        // SAFETY: the caller's promise.
        Some(unsafe { mks_stop::borrow(given.stop) }?.handle())
    };
    let limits = Limits {
        time: duration("solve_options.time_limit_seconds", given.time_limit_seconds)?,
        iterations: (given.iteration_limit != u64::MAX).then_some(given.iteration_limit),
        memory: (given.memory_limit_bytes != 0).then_some(given.memory_limit_bytes),
    };
    Ok(SolveOptions { limits, seed: given.seed, engine, stop, progress: progress(&given) })
}

/// A number of seconds; none for infinity and for numbers beyond a duration's range.
pub(super) fn duration(argument: &'static str, seconds: f64) -> Result<Option<Duration>> {
    if seconds.is_nan() || seconds < 0.0 {
        return Err(Failure::argument(argument, format!("{seconds} is no duration")));
    }
    Ok(Duration::try_from_secs_f64(seconds).ok())
}

fn progress(given: &mks_solve_options) -> Option<ProgressCallback> {
    let callback = given.progress_callback?;
    let user_data = UserData::new(given.progress_user_data);
    Some(Arc::new(move |progress: &Progress| {
        let phase = c_string(progress.phase);
        let whole = |value: Option<Value>| match value {
            Some(Value::Whole(value)) => u64::try_from(value).ok(),
            _ => None,
        };
        let (incumbent, bound) = (whole(progress.objective), whole(progress.bound));
        let progress = mks_progress {
            struct_size: size_of::<mks_progress>(),
            elapsed_seconds: progress.elapsed.as_secs_f64(),
            phase: phase.as_ptr(),
            incumbent: incumbent.unwrap_or(0),
            bound: bound.unwrap_or(0),
            has_incumbent: incumbent.is_some().into(),
            has_bound: bound.is_some().into(),
            fraction: progress.fraction.unwrap_or(-1.0),
            incumbent_f64: progress.objective.map_or(f64::NAN, Value::to_f64),
            bound_f64: progress.bound.map_or(f64::NAN, Value::to_f64),
        };
        // SAFETY: the header demands a function that may be called like this on the solver's
        // thread.
        let answer = outside(|| unsafe { callback(&progress, user_data.get()) });
        if answer == mks_control::Continue as i32 { Control::Continue } else { Control::Stop }
    }))
}
