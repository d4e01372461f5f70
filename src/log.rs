//! The library's only output: a log callback with levels, set per context.

use std::fmt;
use std::sync::Arc;

use crate::enumeration::enumeration;

enumeration! {
    /// Importance of a log message, most important first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum LogLevel {
        /// Something failed and the library had to use an alternative.
        Warning: "warning", "A failure that the library worked around";
        /// Milestones of a solve: engine chosen, bounds, phases.
        Info: "info", "Milestones of a solve, and warnings";
        /// Details for developers: kernel builds, cache hits and misses.
        Debug: "debug", "Details for developers, and all else";
    }
}

/// Receives log messages, possibly from several threads at once.
pub type LogCallback = Arc<dyn Fn(LogLevel, &str) + Send + Sync>;

/// The receiver of log messages; silent by default. Cheap to clone.
#[derive(Clone, Default)]
pub struct Log {
    sink: Option<(LogLevel, LogCallback)>,
}

impl Log {
    /// Sends messages of `level` and more important ones to `callback`.
    pub fn new(level: LogLevel, callback: LogCallback) -> Self {
        Log { sink: Some((level, callback)) }
    }

    /// Whether messages of this level are received.
    pub(crate) fn hears(&self, level: LogLevel) -> bool {
        self.sink.as_ref().is_some_and(|(threshold, _)| level <= *threshold)
    }

    /// Sends a message. It is built only if the callback receives this level.
    pub(crate) fn write(&self, level: LogLevel, message: impl FnOnce() -> String) {
        if let Some((threshold, callback)) = &self.sink
            && level <= *threshold
        {
            callback(level, &message());
        }
    }

    pub(crate) fn warn(&self, message: impl FnOnce() -> String) {
        self.write(LogLevel::Warning, message);
    }

    pub(crate) fn info(&self, message: impl FnOnce() -> String) {
        self.write(LogLevel::Info, message);
    }

    pub(crate) fn debug(&self, message: impl FnOnce() -> String) {
        self.write(LogLevel::Debug, message);
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threshold = self.sink.as_ref().map(|(level, _)| level);
        f.debug_struct("Log").field("threshold", &threshold).finish()
    }
}
