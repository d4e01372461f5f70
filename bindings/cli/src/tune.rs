//! `makespan tune`: finds values of the kernels' tunables with which a device is faster.

use std::fs;
use std::io::ErrorKind;
use std::mem;
use std::path::PathBuf;
use std::time::Duration;

use makespan::{
    Context, ContextOptions, Limits, SolveOptions, TuneOptions, Tuned, TunedFamily, TunedWork,
};
use serde_json::{Value, json};

use crate::columns::align;
use crate::failure::Failure;
use crate::files::OutputFile;
use crate::names::on_one_line;
use crate::progress::Bar;
use crate::session::stop_on_interrupt;
use crate::{console, files};

/// Most time of a quick search.
const QUICK: Duration = Duration::from_secs(60);

/// Find values of the kernels' tunables with which a device is faster, and keep them for later runs
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Kernel families to tune, by their names in tuning rows; all if there is none
    #[arg(value_name = "FAMILY")]
    families: Vec<String>,
    /// The device, as numbered by `makespan devices`; the best if there is none
    #[arg(long, value_name = "N")]
    device: Option<usize>,
    /// Search with small cases; this is the default
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// Search further, with larger cases and more runs; this takes several minutes
    #[arg(long)]
    full: bool,
    /// End the search after this time; 60 s for a quick search and no limit for a full one if there
    /// is none
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time_limit: Option<Duration>,
    /// Put the rows into this file instead of the user's file of tuning rows; rows of other devices
    /// stay there
    #[arg(long, value_name = "FILE", value_parser = OutputFile::parse)]
    output: Option<OutputFile>,
    /// Print one JSON object instead of a summary
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let bar = Bar::new();
    let context = Context::new(ContextOptions::default())?;
    let mut options = TuneOptions::default();
    options.device = arguments.device;
    options.families.clone_from(&arguments.families);
    options.full = arguments.full;
    let quick = (!arguments.full).then_some(QUICK);
    let solve = SolveOptions {
        limits: Limits { time: arguments.time_limit.or(quick), ..Limits::default() },
        stop: Some(stop_on_interrupt()?),
        progress: bar.callback(),
        ..SolveOptions::default()
    };
    let tuned = context.tune(&options, &solve);
    bar.clear();
    let tuned = tuned?;
    let file = keep(&context, &tuned, arguments.output.as_ref())?;
    // Dropping it would wait for kernels that nobody needs any more.
    mem::forget(context);
    console::write(&match arguments.json {
        true => format!("{}\n", to_json(&tuned, file)),
        false => to_text(&tuned, file),
    })
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().map_err(|_| "it is not a number of seconds")?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// Writes the rows, if there are any; returns the path of their file.
fn keep(
    context: &Context,
    tuned: &Tuned,
    output: Option<&OutputFile>,
) -> Result<Option<PathBuf>, Failure> {
    if tuned.families.iter().all(|family| family.changes.is_empty()) {
        return Ok(None);
    }
    let Some(output) = output else { return Ok(Some(context.keep_tuning(tuned)?)) };
    let present = match fs::metadata(output.path()) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        _ => files::read_text(output.path()).map_err(Failure::usage)?,
    };
    output.write(&tuned.merged_with(&present)?)?;
    Ok(Some(output.path().to_owned()))
}

fn to_json(tuned: &Tuned, file: Option<PathBuf>) -> Value {
    let family = |family: &TunedFamily| {
        let works: Vec<Value> = family.works.iter().map(work_to_json).collect();
        let change = |change: &makespan::TunedValue| json!({ "name": change.name, "before": change.before, "after": change.after });
        json!({
            "family": family.name,
            "changes": family.changes.iter().map(change).collect::<Vec<Value>>(),
            "workloads": works,
            "tried": family.tried,
            "refused": family.refused,
            "problem": family.problem,
            "seconds": family.seconds,
        })
    };
    json!({
        "device": tuned.device,
        "stopped": tuned.stopped,
        "families": tuned.families.iter().map(family).collect::<Vec<Value>>(),
        "rows": tuned.rows(),
        "file": file.map(|file| file.display().to_string()),
    })
}

fn work_to_json(work: &TunedWork) -> Value {
    json!({
        "name": work.name,
        "seconds_before": work.seconds_before,
        "seconds_after": work.seconds_after,
    })
}

fn to_text(tuned: &Tuned, file: Option<PathBuf>) -> String {
    let mut rows = Vec::new();
    for family in &tuned.families {
        let name = family.name.to_owned();
        if let Some(problem) = &family.problem {
            rows.push([name, format!("not tuned: {}", on_one_line(problem)), String::new()]);
            continue;
        }
        let changes = family.changes.iter();
        let changes = changes.map(|it| format!("{} {} to {}", it.name, it.before, it.after));
        let changes: Vec<String> = changes.collect();
        let text = if changes.is_empty() { "no better values".into() } else { changes.join(", ") };
        rows.push([name, text, format!("{} tried, {:.1} s", family.tried, family.seconds)]);
        rows.extend(family.works.iter().map(faster));
    }
    let mut text = format!("{}\n{}", on_one_line(&tuned.device), align(&rows));
    if tuned.stopped {
        text += "stopped by the time limit or on request: some values were not tried\n";
    }
    match file {
        Some(file) => text + &format!("rows are in {}\n", on_one_line(&file.display().to_string())),
        None => text + "no row was written\n",
    }
}

/// The line of a workload.
fn faster(work: &TunedWork) -> [String; 3] {
    let milliseconds = |seconds: f64| format!("{:.3}", seconds * 1e3);
    let times = [milliseconds(work.seconds_before), milliseconds(work.seconds_after)].join(" to ");
    let factor = work.seconds_before / work.seconds_after;
    [format!("  {}", work.name), format!("{times} ms"), format!("{factor:.2} times as fast")]
}
