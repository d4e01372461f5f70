//! One solve from the command line: instance, context, log, progress bar, Ctrl-C and answer.

use std::fs;
use std::mem;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use makespan::{Context, Objective, Outcome, Report, SolveOptions, StopHandle};
use serde::Serialize;

use crate::answer::Answer;
use crate::failure::Failure;
use crate::options::Common;
use crate::progress::Bar;
use crate::table::Table;
use crate::wording::Wording;
use crate::{console, files, names};

/// Exit code after a second Ctrl-C, as in shells.
const INTERRUPTED: i32 = 130;
/// One Ctrl-C may arrive twice, from the terminal and from a program in between.
const SAME_INTERRUPT: Duration = Duration::from_millis(500);
/// If a solve takes longer to end, a message explains how to abandon it.
const PATIENCE: Duration = Duration::from_secs(1);
/// Shorter files are read without a watch on the time.
const SMALL_FILE: u64 = 1 << 20;
/// The least time for reading, under any time limit, so that there is a first heuristic's result.
const TIME_TO_READ: Duration = Duration::from_secs(1);

/// The task of a subcommand that reads one file.
pub(crate) struct Task<'a> {
    /// The subcommand.
    pub(crate) problem: &'static str,
    /// The instance's file.
    pub(crate) file: &'a Path,
    pub(crate) wording: Wording,
    pub(crate) common: &'a Common,
}

impl Task<'_> {
    /// Solves by `work`, and publishes the answer with the solution as `show` returns it.
    ///
    /// The summary shows no rows, but a table in a file has them.
    pub(crate) fn run<S, V: Objective, T: Serialize + Table>(
        &self,
        work: impl FnOnce(&Context, &SolveOptions) -> makespan::Result<Outcome<S, V>>,
        show: impl FnOnce(&S) -> Result<T, Failure>,
    ) -> Result<(), Failure> {
        let in_file = self.common.writes_table();
        self.publish(work, show, |shown| in_file.then_some(shown))?;
        Ok(())
    }

    /// The same for a solution that has rows. Also returns the outcome and the printed solution.
    pub(crate) fn run_with_table<S, V: Objective, T: Serialize + Table>(
        &self,
        work: impl FnOnce(&Context, &SolveOptions) -> makespan::Result<Outcome<S, V>>,
        show: impl FnOnce(&S) -> Result<T, Failure>,
    ) -> Result<(Outcome<S, V>, Option<T>), Failure> {
        self.publish(work, show, |shown| Some(shown))
    }

    fn publish<S, V: Objective, T: Serialize>(
        &self,
        work: impl FnOnce(&Context, &SolveOptions) -> makespan::Result<Outcome<S, V>>,
        show: impl FnOnce(&S) -> Result<T, Failure>,
        table: impl FnOnce(&T) -> Option<&dyn Table>,
    ) -> Result<(Outcome<S, V>, Option<T>), Failure> {
        let outcome = solve(self.common, work)?;
        let shown = outcome.solution.as_ref().map(show).transpose()?;
        let name = names::instance_name(self.file);
        Answer::new(self.problem, &name, &outcome, shown.as_ref())
            .with_table(shown.as_ref().and_then(table))
            .publish(self.common, &self.wording)?;
        Ok((outcome, shown))
    }
}

/// Reads an instance; refuses to let the result overwrite it.
pub(crate) fn read<I>(
    common: &Common,
    file: &Path,
    parse: impl FnOnce(&str) -> makespan::Result<I>,
) -> Result<I, Failure> {
    read_text(common, file, |text| parse(text).map_err(|error| Failure::reading(file, error)))
}

/// [`read`] by a parser that returns a [`Failure`].
pub(crate) fn read_text<I>(
    common: &Common,
    file: &Path,
    parse: impl FnOnce(&str) -> Result<I, Failure>,
) -> Result<I, Failure> {
    common.publication.files().try_for_each(|output| output.check_other(file))?;
    common.check_file(file)?;
    let read = || {
        let text = files::read_instance(file).map_err(|error| Failure::no_text(file, error))?;
        parse(&text)
    };
    let is_small = !names::is_standard_input(file)
        && fs::metadata(file).is_ok_and(|about| about.is_file() && about.len() < SMALL_FILE);
    if is_small { read() } else { in_time(common, read) }
}

/// Reads an instance. Readers do not check the time, so the command ends if the time limit comes
/// first.
fn in_time<T>(common: &Common, work: impl FnOnce() -> T) -> T {
    let (done, waiting) = mpsc::channel::<()>();
    let watch = |left: Duration| {
        let wait = move || waiting.recv_timeout(left.max(TIME_TO_READ));
        let give_up = move || {
            if wait() == Err(RecvTimeoutError::Timeout) {
                console::write_error(
                    "makespan: error: the time limit came before the instance was read\n",
                );
                console::leave(1);
            }
        };
        // If no thread can start, there is no watch.
        thread::Builder::new().spawn(give_up).ok()
    };
    let watcher = common.limits().time.and_then(watch);
    let result = work();
    drop(done);
    if let Some(watcher) = watcher {
        // Its result does not matter.
        let _ = watcher.join();
    }
    result
}

/// Runs `work` with the context and the solve options that the common options ask for.
pub(crate) fn solve<T>(
    common: &Common,
    work: impl FnOnce(&Context, &SolveOptions) -> makespan::Result<T>,
) -> Result<T, Failure> {
    let bar = Bar::new();
    let context = Context::new(common.context(bar.log())?)?;
    let options = SolveOptions {
        stop: Some(stop_on_interrupt()?),
        progress: bar.callback(),
        ..common.solve()
    };
    let result = work(&context, &options);
    bar.clear();
    // Dropping it would wait for kernels that nobody needs any more.
    mem::forget(context);
    Ok(result?)
}

/// Adds a warning of the command to those of the solve.
pub(crate) fn warn(report: &mut Report, warning: Option<String>) {
    let warnings = report.warning.take().into_iter().chain(warning);
    report.warning = warnings.reduce(|all, next| format!("{all}; {next}"));
}

/// The first Ctrl-C, SIGTERM or SIGHUP ends the solve with the best solution so far; a later one
/// ends the command.
pub(crate) fn stop_on_interrupt() -> Result<StopHandle, Failure> {
    // A program may solve several instances, and has one handler of signals.
    static STOP: Mutex<Option<StopHandle>> = Mutex::new(None);
    let mut known = STOP.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(stop) = &*known {
        return Ok(stop.clone());
    }
    let stop = StopHandle::new();
    let handle = stop.clone();
    let mut first: Option<Instant> = None;
    ctrlc::set_handler(move || {
        handle.stop();
        if first.is_none() {
            // If no thread can start, there is no explanation.
            let _ = thread::Builder::new().spawn(explain_waiting);
        }
        if first.get_or_insert_with(Instant::now).elapsed() > SAME_INTERRUPT {
            console::leave(INTERRUPTED);
        }
    })
    .map_err(|error| Failure::other(format!("Ctrl-C: {error}")))?;
    *known = Some(stop.clone());
    Ok(stop)
}

/// Explains how to abandon a solve that takes long to stop, such as one whose driver compiles. The
/// end of the command ends this thread, too.
fn explain_waiting() {
    thread::sleep(PATIENCE);
    console::write_error("makespan: stopping; a second Ctrl-C abandons the solve\n");
}
