//! One solve from the command line: context, log, progress bar and Ctrl-C.

use std::time::{Duration, Instant};

use makespan::{Context, SolveOptions, StopHandle};

use crate::failure::Failure;
use crate::options::Common;
use crate::progress::Bar;

/// Exit code of a command that a second Ctrl-C ended, as shells have it.
const INTERRUPTED: i32 = 130;
/// One Ctrl-C may arrive twice, from the terminal and from a program in between.
const SAME_INTERRUPT: Duration = Duration::from_millis(500);

/// Sets up what the common options ask for and runs `work` with it.
pub(crate) fn solve<T>(
    common: &Common,
    work: impl FnOnce(&Context, &SolveOptions) -> makespan::Result<T>,
) -> Result<T, Failure> {
    let bar = Bar::new();
    let context = Context::new(common.context(bar.log())?)?;
    let options = SolveOptions {
        limits: common.limits(),
        seed: common.seed,
        stop: Some(stop_on_interrupt()?),
        progress: bar.callback(),
        ..SolveOptions::default()
    };
    let result = work(&context, &options);
    bar.clear();
    Ok(result?)
}

/// The first Ctrl-C ends the solve with the best solution so far, a later one ends the command.
fn stop_on_interrupt() -> Result<StopHandle, Failure> {
    let stop = StopHandle::new();
    let handle = stop.clone();
    let mut first: Option<Instant> = None;
    ctrlc::set_handler(move || {
        handle.stop();
        if first.get_or_insert_with(Instant::now).elapsed() > SAME_INTERRUPT {
            std::process::exit(INTERRUPTED);
        }
    })
    .map_err(|error| Failure::other(format!("Ctrl-C: {error}")))?;
    Ok(stop)
}
