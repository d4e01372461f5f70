//! Common options of all subcommands that solve.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use makespan::{ContextOptions, Engine, Limits, Log, LogCallback, LogLevel, SolveOptions};
use serde_json::Value;

use crate::arguments;
use crate::failure::Failure;
use crate::files::OutputFile;
use crate::names;

/// A smaller file is read under any memory limit, which is for tables.
const LITTLE: u64 = 1 << 20;
/// Memory per byte of a file, estimated: the text itself, and numbers of 64 bits from words of two
/// letters.
const BYTES_PER_BYTE: u64 = 8;

/// The options of all problems.
pub(crate) struct Common {
    /// When the command began.
    started: Instant,
    /// The options that differ from their defaults, and the method.
    pub(crate) changed: BTreeMap<&'static str, Value>,
    solve: SolveOptions,
    context: ContextOptions,
    pub(crate) publication: Publication,
}

/// Forms of the result, and the log.
#[derive(clap::Args)]
#[command(next_help_heading = arguments::COMMON)]
pub(crate) struct Publication {
    /// Print one JSON object instead of a summary
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the JSON object to a file, or the solution as a table to a file whose name ends in
    /// .csv
    #[arg(long, value_name = "FILE.json|FILE.csv", value_parser = |text: &str| OutputFile::parse_as(&["json", "csv"], text))]
    pub(crate) output: Option<OutputFile>,
    /// Write the result as a page for browsers: the solution as a chart, the values over time,
    /// statistics and options
    #[arg(long, value_name = "REPORT.html", value_parser = |text: &str| OutputFile::parse_as(&["html", "htm"], text))]
    pub(crate) report: Option<OutputFile>,
    /// Log milestones to standard error; twice for details
    #[arg(short, long, action = clap::ArgAction::Count)]
    verbose: u8,
}

/// The chart option of subcommands whose solution is a schedule.
#[derive(clap::Args)]
pub(crate) struct ChartOption {
    /// Draw the schedule as a Gantt chart
    #[arg(long, value_name = "CHART.svg", value_parser = |text: &str| OutputFile::parse_as(&["svg"], text))]
    pub(crate) gantt: Option<OutputFile>,
    /// Unit of the times, such as minutes, for the axes of --gantt and --report
    #[arg(long, value_name = "NAME")]
    pub(crate) time_unit: Option<String>,
}

impl ChartOption {
    /// Refuses to write result and chart into one file, and a unit without an axis.
    pub(crate) fn check(&self, common: &Common) -> Result<(), Failure> {
        let publication = &common.publication;
        if self.time_unit.is_some() && self.gantt.is_none() && publication.report.is_none() {
            return Err(Failure::usage("--time-unit needs --gantt or --report"));
        }
        publication.check_apart("gantt", self.gantt.as_ref())
    }
}

impl Publication {
    /// The files of the result, with the options that name them.
    fn named_files(&self) -> impl Iterator<Item = (&'static str, &OutputFile)> {
        let files = [("output", &self.output), ("report", &self.report)];
        files.into_iter().filter_map(|(option, file)| Some((option, file.as_ref()?)))
    }

    /// The files of the result.
    pub(crate) fn files(&self) -> impl Iterator<Item = &OutputFile> {
        self.named_files().map(|(_, file)| file)
    }

    /// Refuses to write the file of another option into a file of the result.
    pub(crate) fn check_apart(
        &self,
        option: &str,
        file: Option<&OutputFile>,
    ) -> Result<(), Failure> {
        match self.named_files().find(|&(_, own)| Some(own) == file) {
            Some((own, _)) => {
                Err(Failure::usage(format!("--{own} and --{option} name the same file")))
            }
            None => Ok(()),
        }
    }

    fn check(&self) -> Result<(), Failure> {
        match self.output.is_some() && self.output == self.report {
            true => Err(Failure::usage("--output and --report name the same file")),
            false => Ok(()),
        }
    }
}

impl Common {
    /// The options of a command that begins now.
    pub(crate) fn new(
        solve: SolveOptions,
        context: ContextOptions,
        changed: BTreeMap<&'static str, Value>,
        publication: Publication,
    ) -> Self {
        Common { started: Instant::now(), changed, solve, context, publication }
    }

    /// Options of the context, which logs to `log` if --verbose is given.
    pub(crate) fn context(&self, log: LogCallback) -> Result<ContextOptions, Failure> {
        self.publication.check()?;
        if self.is_cpu_only() && self.context.device.is_some() {
            return Err(Failure::usage("--device makes no sense with --engine cpu"));
        }
        let log = match self.publication.verbose {
            0 => Log::default(),
            1 => Log::new(LogLevel::Info, log),
            _ => Log::new(LogLevel::Debug, log),
        };
        Ok(ContextOptions { log, ..self.context.clone() })
    }

    /// Works on another device.
    pub(crate) fn use_device(&mut self, index: usize) {
        self.context.device = Some(index);
    }

    /// Makes other random choices.
    pub(crate) fn shift_seed(&mut self, by: u64) {
        self.solve.seed = self.solve.seed.wrapping_add(by);
    }

    /// Options of a solve that begins now.
    pub(crate) fn solve(&self) -> SolveOptions {
        SolveOptions { limits: self.limits(), ..self.solve.clone() }
    }

    /// Refuses several devices where no work could be shared among them.
    pub(crate) fn check_one_device(&self) -> Result<(), Failure> {
        match self.context.further_devices[..] {
            [] => Ok(()),
            _ => Err(Failure::usage(
                "--device takes one index here; several are for flow-shop with --method auto, \
                 branch-and-bound, beam or (for other models than the makespan) iterated-greedy, \
                 or with --method tabu and several --trajectories, for interval-dp with --method \
                 auto or cubic, for lattice-dp with --traversal slabs, and for knapsack with \
                 --profits",
            )),
        }
    }

    /// Refuses an iteration limit for a method that has no iterations.
    pub(crate) fn check_no_iterations(&self, method: &str) -> Result<(), Failure> {
        match self.solve.limits.iterations {
            None => Ok(()),
            Some(_) => Err(Failure::usage(format!(
                "--iteration-limit makes no sense with --method {method}, which has no iterations"
            ))),
        }
    }

    /// Whether only the CPU may work.
    pub(crate) fn is_cpu_only(&self) -> bool {
        self.context.engine == Engine::Cpu
    }

    /// Whether the JSON object is printed or written.
    pub(crate) fn writes_json(&self) -> bool {
        let Publication { json, output, report, .. } = &self.publication;
        *json || report.is_some() || output.as_ref().is_some_and(|file| !file.is_csv())
    }

    /// Whether the solution is written as a table.
    pub(crate) fn writes_table(&self) -> bool {
        self.publication.output.as_ref().is_some_and(OutputFile::is_csv)
    }

    /// Refuses to write a solution as a table that has no rows.
    pub(crate) fn check_no_table(&self, problem: &str) -> Result<(), Failure> {
        match &self.publication.output {
            Some(file) if file.is_csv() => Err(Failure::usage(format!(
                "--output: a solution of {problem} is no table; use a file that ends in .json"
            ))),
            _ => Ok(()),
        }
    }

    /// The limits of a solve that begins now.
    pub(crate) fn limits(&self) -> Limits {
        let limits = self.solve.limits.clone();
        let time = limits.time.map(|limit| limit.saturating_sub(self.started.elapsed()));
        Limits { time, ..limits }
    }

    /// Refuses to read a file whose content would exceed the given memory limit.
    pub(crate) fn check_file(&self, file: &Path) -> Result<(), Failure> {
        // The reader reports a missing file and a path that is no file.
        let (Some(limit), Ok(about)) = (self.solve.limits.memory, fs::metadata(file)) else {
            return Ok(());
        };
        let required = about.len().saturating_mul(BYTES_PER_BYTE);
        if !about.is_file() || required <= limit.max(LITTLE) {
            return Ok(());
        }
        let file = names::shown(file);
        Err(Failure::other(format!(
            "{file}: reading it needs {required} bytes, the limit is {limit} bytes"
        )))
    }
}
