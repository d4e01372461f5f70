//! The log of a context: levels and the callback.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use super::convert::{UserData, c_string, number, optional_choice};
use super::guard::outside;
use super::status::Result;
use crate::{Log, LogCallback};

/// Importance of log messages; each level includes the ones above it.
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
/// without an exception or a longjmp, and must not call functions that use its own context.
pub type mks_log_callback =
    Option<unsafe extern "C" fn(level: i32, message: *const c_char, user_data: *mut c_void)>;

/// The log of a context's options.
pub(super) fn log(level: i32, callback: mks_log_callback, user_data: *mut c_void) -> Result<Log> {
    let level = optional_choice("level", level)?;
    let (Some(level), Some(callback)) = (level, callback) else { return Ok(Log::default()) };
    let user_data = UserData::new(user_data);
    let forward: LogCallback = Arc::new(move |level, message| {
        // 0 is for no message at all.
        let level = 1 + number(level);
        let message = c_string(message);
        // SAFETY: the header demands a function that may be called like this on any thread.
        outside(|| unsafe { callback(level, message.as_ptr(), user_data.get()) });
    });
    Ok(Log::new(level, forward))
}
