//! The progress bar of long work, on standard error and only on a terminal.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use makespan::{Control, LogCallback, LogLevel, Progress, ProgressCallback};

use crate::console;

/// Work shorter than this shows no bar.
const DELAY: Duration = Duration::from_millis(300);
/// The bar also moves between two reports, to show that the command is alive.
const TICK: Duration = Duration::from_millis(100);
/// Length of the bar in its own unit.
const FULL: u64 = 1000;

const WITH_SHARE: &str = "{spinner} {elapsed}  {msg}  [{bar:30}] {percent} %";
const WITHOUT_SHARE: &str = "{spinner} {elapsed}  {msg}";

/// A bar that appears when the work turns out to be long. Clones share one bar.
#[derive(Clone)]
pub struct Bar(ProgressBar);

impl Default for Bar {
    fn default() -> Self {
        Bar::new()
    }
}

impl Bar {
    /// A bar that does not appear yet.
    pub fn new() -> Self {
        Bar(ProgressBar::with_draw_target(Some(FULL), ProgressDrawTarget::hidden()))
    }

    /// The callback that moves the bar; none if standard error is not a terminal.
    pub(crate) fn callback(&self) -> Option<ProgressCallback> {
        let bar = self.clone();
        let callback = move |progress: &Progress| {
            bar.show(progress.elapsed, progress.fraction, message(progress));
            Control::Continue
        };
        std::io::stderr().is_terminal().then(|| Arc::new(callback) as ProgressCallback)
    }

    /// A log on standard error that does not mix with the bar.
    pub(crate) fn log(&self) -> LogCallback {
        let bar = self.0.clone();
        Arc::new(move |level, message| {
            let level = match level {
                LogLevel::Warning => "warning",
                LogLevel::Info => "info",
                LogLevel::Debug => "debug",
            };
            bar.suspend(|| console::write_error(&format!("makespan: {level}: {message}")));
        })
    }

    /// Takes the bar off the screen.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }

    /// Shows how far other work than a solve has come, if standard error is a terminal.
    pub(crate) fn move_to(&self, elapsed: Duration, fraction: f64, message: &str) {
        if std::io::stderr().is_terminal() {
            self.show(elapsed, Some(fraction), message.to_owned());
        }
    }

    /// Shows what work of unknown length does, if standard error is a terminal.
    pub fn tell(&self, elapsed: Duration, message: &str) {
        if std::io::stderr().is_terminal() {
            self.show(elapsed, None, message.to_owned());
        }
    }

    fn show(&self, elapsed: Duration, fraction: Option<f64>, message: String) {
        if elapsed < DELAY {
            return;
        }
        if self.0.is_hidden() {
            self.0.set_draw_target(ProgressDrawTarget::stderr());
            self.0.set_elapsed(elapsed);
            self.0.enable_steady_tick(TICK);
        }
        let template = if fraction.is_some() { WITH_SHARE } else { WITHOUT_SHARE };
        self.0.set_style(
            ProgressStyle::with_template(template).expect("the templates are constants"),
        );
        self.0.set_position((fraction.unwrap_or(0.0) * FULL as f64) as u64);
        self.0.set_message(message);
    }
}

fn message(progress: &Progress) -> String {
    let mut message = progress.phase.to_owned();
    if let Some(objective) = progress.objective {
        message += &format!(", best {objective}");
    }
    if let Some(bound) = progress.bound {
        message += &format!(", bound {bound}");
    }
    message
}
