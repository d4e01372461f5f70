//! Solves in processes of their own, as those of the command.

use std::fs;
use std::io::{BufRead, BufReader, Write, stdout};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Instant;

use makespan::{Engine, Report, Status};
use serde::{Deserialize, Serialize};

use super::cases::{Answer, Case, Found, Way};
use super::{Reason, context, reason_of};
use crate::common::Result;

/// The report of a process on its solve.
#[derive(Serialize, Deserialize)]
struct Told {
    /// Seconds for the making of the instance, which the command's user reads from a file.
    making: f64,
    found: Vec<(String, Option<i64>, Option<i64>)>,
    method: String,
    device: Option<String>,
    interrupted: bool,
    warning: Option<String>,
    reason: String,
}

/// Solves in this process, which then waits for its end by the caller.
pub(super) fn solve(case: &Case, way: &str, engine: &str) -> Result<()> {
    let begun = Instant::now();
    let ways = (case.make)();
    let making = begun.elapsed().as_secs_f64();
    let way = ways.iter().find(|known| known.name == way).ok_or("there is no such way")?;
    let engine = Engine::ALL.into_iter().find(|known| known.name() == engine);
    let reason = Reason::default();
    let context = context(engine.ok_or("there is no such engine")?, &reason)?;
    let Answer { found, report } = (way.solve)(&context)?;
    let told = Told {
        making,
        found: found
            .into_iter()
            .map(|found| (found.status.name().to_owned(), found.objective, found.bound))
            .collect(),
        method: report.method.to_owned(),
        device: report.device,
        interrupted: report.interrupted,
        warning: report.warning,
        reason: reason_of(&reason),
    };
    let mut stdout = stdout().lock();
    serde_json::to_writer(&mut stdout, &told)?;
    writeln!(stdout)?;
    stdout.flush()?;
    loop {
        thread::park();
    }
}

/// The answer of a process, the reason for its choice, and the seconds from its start to its end. It
/// is ended as soon as it has printed its answer: like the command, it does not wait for a driver.
pub(super) fn measure(case: &str, way: &Way, engine: Engine) -> Result<(f64, Answer, String)> {
    let begun = Instant::now();
    let mut child = Command::new(std::env::current_exe()?)
        .args(["regret", "--alone", case, way.name, engine.name()])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let line = first_line(&mut child);
    child.kill()?;
    child.wait()?;
    let seconds = begun.elapsed().as_secs_f64();
    let told: Told = serde_json::from_str(&line?)?;
    let mut report = Report::default();
    report.method = told.method.leak();
    report.device = told.device;
    report.interrupted = told.interrupted;
    report.warning = told.warning;
    let status = |name: &str| Status::ALL.into_iter().find(|status| status.name() == name);
    let found = told.found.into_iter().map(|(name, objective, bound)| {
        Ok(Found { status: status(&name).ok_or("there is no such status")?, objective, bound })
    });
    let found = found.collect::<Result<_>>()?;
    Ok((seconds - told.making, Answer { found, report }, told.reason))
}

/// Removes the measured speeds from the cache.
pub(super) fn forget_speeds() -> Result<()> {
    let directory = std::env::var("MAKESPAN_CACHE_DIR")?;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let is_short = entry.metadata()?.len() < MOST_BYTES;
        let contents = if is_short { fs::read(entry.path())? } else { Vec::new() };
        if contents.windows(SPEEDS.len()).any(|bytes| bytes == SPEEDS) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Only cache files with measured speeds have these bytes.
const SPEEDS: &[u8] = b"measured_at ";
/// More than such a file has.
const MOST_BYTES: u64 = 4096;

fn first_line(child: &mut Child) -> Result<String> {
    let mut line = String::new();
    let output = child.stdout.take().ok_or("the process has no output")?;
    BufReader::new(output).read_line(&mut line)?;
    Ok(line)
}
