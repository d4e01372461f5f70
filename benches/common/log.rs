//! A JSON line for each solve.

use std::collections::BTreeMap;
use std::fs::{File, read_to_string};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Mutex;

use makespan::{Context, Objective, Outcome, Report, SolveOptions, Status};
use serde::Serialize;
use serde_json::Value;

use super::Result;

/// Where lines go.
pub(crate) struct Log {
    output: Option<Mutex<Box<dyn Write + Send>>>,
    /// The file of the output, unless it is standard output.
    file: Option<PathBuf>,
    suite: String,
    command: String,
    processor: String,
}

impl Log {
    /// The log of a suite of that program that appends to that file; `-` is standard output.
    pub(crate) fn new(program: &str, suite: &str, file: Option<&str>) -> Result<Self> {
        let output: Option<Box<dyn Write + Send>> = match file {
            None => None,
            Some("-") => Some(Box::new(io::stdout())),
            Some(path) => Some(Box::new(File::options().create(true).append(true).open(path)?)),
        };
        let words: Vec<String> =
            std::env::args().skip(1).filter(|word| word != "--bench").collect();
        Ok(Log {
            output: output.map(Mutex::new),
            file: file.filter(|file| *file != "-").map(PathBuf::from),
            suite: suite.to_owned(),
            command: format!("cargo bench --bench {program} -- {}", words.join(" ")),
            processor: processor(),
        })
    }

    /// The lines that the suite has written to the file in this run and earlier ones.
    pub(crate) fn earlier(&self) -> Result<Vec<Value>> {
        let Some(file) = &self.file else { return Ok(Vec::new()) };
        let text = read_to_string(file)?;
        let lines: std::result::Result<Vec<Value>, _> =
            text.lines().map(serde_json::from_str).collect();
        Ok(lines?.into_iter().filter(|line| line["suite"] == self.suite).collect())
    }

    /// A solve with its outcome.
    pub(crate) fn outcome<S, V: Objective>(
        &self,
        instance: impl Into<String>,
        context: &Context,
        options: &SolveOptions,
        outcome: &Outcome<S, V>,
    ) -> Line<'_> {
        let line = self.report(instance, context, options, &outcome.report);
        line.found(outcome.status, outcome.objective, outcome.bound)
    }

    /// A solve with only a report: a batch, a part of a search.
    pub(crate) fn report(
        &self,
        instance: impl Into<String>,
        context: &Context,
        options: &SolveOptions,
        report: &Report,
    ) -> Line<'_> {
        let statistics = report.statistics.iter();
        let fields = Fields {
            suite: &self.suite,
            class: None,
            instance: instance.into(),
            method: report.method,
            variant: None,
            engine: if report.device.is_some() { "device" } else { "cpu" },
            device: report.device.clone(),
            processor: &self.processor,
            threads: context.threads(),
            limit: options.limits.time.map(|time| time.as_secs_f64()),
            seed: options.seed,
            status: None,
            objective: None,
            bound: None,
            seconds: report.seconds,
            setup_seconds: report.setup_seconds,
            statistics: statistics.map(|(name, count)| (name, Value::from(count))).collect(),
            version: env!("CARGO_PKG_VERSION"),
            command: &self.command,
        };
        Line { log: self, fields }
    }
}

/// A line that is not yet written.
#[must_use]
pub(crate) struct Line<'a> {
    log: &'a Log,
    fields: Fields<'a>,
}

#[derive(Serialize)]
struct Fields<'a> {
    suite: &'a str,
    /// The group of the summary.
    class: Option<String>,
    instance: String,
    method: &'static str,
    /// A further difference that the suite compares.
    variant: Option<String>,
    /// `cpu` or `device`.
    engine: &'static str,
    device: Option<String>,
    processor: &'a str,
    threads: usize,
    /// Seconds.
    limit: Option<f64>,
    seed: u64,
    status: Option<String>,
    objective: Option<Value>,
    bound: Option<Value>,
    seconds: f64,
    setup_seconds: f64,
    statistics: BTreeMap<&'static str, Value>,
    version: &'static str,
    command: &'a str,
}

impl Line<'_> {
    pub(crate) fn found<V: Into<makespan::Value>>(
        mut self,
        status: Status,
        objective: Option<V>,
        bound: Option<V>,
    ) -> Self {
        let number = |value: V| match value.into() {
            makespan::Value::Whole(value) => Value::from(value),
            makespan::Value::Real(value) => Value::from(value),
        };
        self.fields.status = Some(status.to_string());
        self.fields.objective = objective.map(number);
        self.fields.bound = bound.map(number);
        self
    }

    pub(crate) fn class(mut self, class: impl Into<String>) -> Self {
        self.fields.class = Some(class.into());
        self
    }

    pub(crate) fn variant(mut self, variant: impl Into<String>) -> Self {
        self.fields.variant = Some(variant.into());
        self
    }

    /// The best time of several.
    pub(crate) fn seconds(mut self, seconds: f64) -> Self {
        self.fields.seconds = seconds;
        self
    }

    /// A figure that the report does not have.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.fields.statistics.insert(name, value.into());
        self
    }

    pub(crate) fn write(self) -> Result<()> {
        if let Some(output) = &self.log.output {
            let mut text = serde_json::to_string(&self.fields)?;
            text.push('\n');
            output.lock().map_err(|_| "a run failed")?.write_all(text.as_bytes())?;
        }
        Ok(())
    }
}

/// The processor's name, where a file has it, else its architecture.
fn processor() -> String {
    let file = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = file.lines().find(|line| line.starts_with("model name"));
    let name = line.and_then(|line| line.split_once(": ")).map(|(_, name)| name.trim());
    name.unwrap_or(std::env::consts::ARCH).to_owned()
}
