//! Common options of all subcommands that solve.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use makespan::{CacheLocation, ContextOptions, Engine, Limits, Log, LogCallback, LogLevel};

use crate::enumeration::named;
use crate::failure::Failure;
use crate::files::OutputFile;
use crate::names;

/// A smaller file is read under any memory limit, which is for tables.
const LITTLE: u64 = 1 << 20;
/// Memory per byte of a file, estimated: the text itself, and numbers of 64 bits from words of two
/// letters.
const BYTES_PER_BYTE: u64 = 8;

#[derive(clap::Args)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Common {
    /// When the command began.
    #[arg(skip = Instant::now())]
    started: Instant,
    /// Engine for the heavy work; `auto` takes the faster one by estimate
    #[arg(long, value_parser = named::<Engine>(), default_value = Engine::default().name())]
    engine: Engine,
    /// OpenCL device, as numbered by `makespan devices`; several with commas between, for branch
    /// and bound
    #[arg(long, value_name = "INDEX", value_delimiter = ',')]
    device: Vec<usize>,
    /// Threads of the CPU engine [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// End with the best solution so far after this time. Reading the instance counts, but a file
    /// of 1 MiB or more always has at least a second [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, allow_negative_numbers = true)]
    time_limit: Option<Duration>,
    /// End the solve after this many iterations of the method [default: no limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    iteration_limit: Option<u64>,
    /// Memory for tables; K, M and G are powers of 1024 [default: half of the free memory]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    memory_limit: Option<u64>,
    /// Seed of the methods that draw random numbers
    #[arg(long, value_name = "S", default_value_t = 0, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Folder for built kernels, or `off` [default: the platform's cache folder]
    #[arg(long, value_name = "DIR|off", value_parser = parse_cache)]
    cache: Option<CacheLocation>,
    /// Print one JSON object instead of a summary
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the JSON object to a file
    #[arg(long, value_name = "SOLUTION.json", value_parser = |text: &str| OutputFile::parse_as("json", text))]
    pub(crate) output: Option<OutputFile>,
    /// Log milestones to standard error; twice for details
    #[arg(short, long, action = clap::ArgAction::Count)]
    verbose: u8,
}

/// The chart option of subcommands whose solution is a schedule.
#[derive(clap::Args)]
pub(crate) struct ChartOption {
    /// Draw the schedule as a Gantt chart
    #[arg(long, value_name = "CHART.svg", value_parser = |text: &str| OutputFile::parse_as("svg", text))]
    pub(crate) gantt: Option<OutputFile>,
}

impl ChartOption {
    /// Refuses to write result and chart into one file.
    pub(crate) fn check(&self, common: &Common) -> Result<(), Failure> {
        if self.gantt.is_some() && self.gantt == common.output {
            return Err(Failure::usage("--output and --gantt name the same file"));
        }
        Ok(())
    }
}

impl Common {
    /// Options of the context, which logs to `log` if --verbose is given.
    pub(crate) fn context(&self, log: LogCallback) -> Result<ContextOptions, Failure> {
        if self.is_cpu_only() && !self.device.is_empty() {
            return Err(Failure::usage("--device makes no sense with --engine cpu"));
        }
        let log = match self.verbose {
            0 => Log::default(),
            1 => Log::new(LogLevel::Info, log),
            _ => Log::new(LogLevel::Debug, log),
        };
        let cache = self.cache.clone().unwrap_or_default();
        let (device, further_devices) = match self.device.split_first() {
            Some((&first, further)) => (Some(first), further.to_vec()),
            None => (None, Vec::new()),
        };
        let threads = self.threads;
        Ok(ContextOptions {
            engine: self.engine,
            device,
            further_devices,
            threads,
            cache,
            log,
            ..ContextOptions::default()
        })
    }

    /// Refuses several devices, which only branch and bound of the flow shop can use.
    pub(crate) fn check_one_device(&self) -> Result<(), Failure> {
        match self.device.len() {
            0 | 1 => Ok(()),
            _ => Err(Failure::usage(
                "--device takes one index here; several are for flow-shop with --method auto or branch-and-bound",
            )),
        }
    }

    /// Refuses an iteration limit for a method that has no iterations.
    pub(crate) fn check_no_iterations(&self, method: &str) -> Result<(), Failure> {
        match self.iteration_limit {
            None => Ok(()),
            Some(_) => Err(Failure::usage(format!(
                "--iteration-limit makes no sense with --method {method}, which has no iterations"
            ))),
        }
    }

    /// Whether only the CPU may work.
    pub(crate) fn is_cpu_only(&self) -> bool {
        self.engine == Engine::Cpu
    }

    /// Whether the JSON object is printed or written.
    pub(crate) fn writes_json(&self) -> bool {
        self.json || self.output.is_some()
    }

    /// The limits of a solve that begins now.
    pub(crate) fn limits(&self) -> Limits {
        let time = self.time_limit.map(|limit| limit.saturating_sub(self.started.elapsed()));
        Limits { time, iterations: self.iteration_limit, memory: self.memory_limit }
    }

    /// Refuses to read a file whose content would exceed the given memory limit.
    pub(crate) fn check_file(&self, file: &Path) -> Result<(), Failure> {
        // The reader reports a missing file and a path that is no file.
        let (Some(limit), Ok(about)) = (self.memory_limit, fs::metadata(file)) else {
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

pub(crate) fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "it is not a number")?;
    if seconds.is_nan() || seconds < 0.0 {
        return Err("it must be 0 or more".into());
    }
    // A number beyond a duration's range means no limit.
    Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

fn parse_bytes(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.char_indices().next_back() {
        Some((end, 'k' | 'K')) => (&text[..end], 10),
        Some((end, 'm' | 'M')) => (&text[..end], 20),
        Some((end, 'g' | 'G')) => (&text[..end], 30),
        _ => (text, 0),
    };
    let number: u64 =
        digits.parse().map_err(|_| "it is not a whole number with or without K, M or G")?;
    number.checked_mul(1 << shift).ok_or_else(|| "it does not fit into 64 bits".into())
}

fn parse_cache(text: &str) -> Result<CacheLocation, String> {
    match text {
        "" => Err("it must be a folder or 'off'".into()),
        "off" => Ok(CacheLocation::Off),
        folder => Ok(CacheLocation::Directory(folder.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_take_suffixes() {
        for (text, bytes) in [
            ("0", 0),
            ("17", 17),
            ("3K", 3 << 10),
            ("5m", 5 << 20),
            ("17179869183G", 17179869183 << 30),
        ] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        for text in ["", "K", "-1", "1.5G", "1KB", "17179869184G", "18446744073709551616", "1µ"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn seconds_are_not_negative() {
        assert_eq!(parse_seconds("0"), Ok(Duration::ZERO));
        assert_eq!(parse_seconds("1.5"), Ok(Duration::from_millis(1500)));
        for text in ["inf", "1e300"] {
            assert_eq!(parse_seconds(text), Ok(Duration::MAX), "{text}");
        }
        for text in ["", "soon", "-1", "NaN"] {
            assert!(parse_seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_cache_is_a_folder_or_off() {
        assert_eq!(parse_cache("off"), Ok(CacheLocation::Off));
        assert_eq!(parse_cache("x/off"), Ok(CacheLocation::Directory("x/off".into())));
        assert!(parse_cache("").is_err());
    }
}
