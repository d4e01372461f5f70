//! `makespan devices`: the OpenCL devices and the processor, how fast they are, and whether they
//! are used.

use std::time::SystemTime;

use makespan::{
    Calibration, Context, ContextOptions, DeviceCalibration, DeviceInfo, DeviceSpeeds, DeviceUse,
    ProcessorSpeeds,
};
use serde_json::{Value, json};

use crate::columns::{align, grouped_by};
use crate::console;
use crate::failure::Failure;
use crate::names::on_one_line;

/// Show OpenCL devices and processor, their speeds, and which of them `auto` uses
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Measure how fast the processor and the devices are, and keep the figures for later runs
    #[arg(long)]
    calibrate: bool,
    /// Threads of the processor; one per core if there is none
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let options = ContextOptions { threads: arguments.threads, ..ContextOptions::default() };
    let context = Context::new(options)?;
    let calibration = if arguments.calibrate { Some(context.calibrate()?) } else { None };
    let processor = context.processor_speeds();
    let chosen = context.chosen_device_index();
    let mut devices = Vec::new();
    for info in context.devices() {
        devices.push(Shown {
            info,
            speeds: context.device_speeds(info.index)?,
            chosen,
            uses: context.device_uses(info.index)?,
            barred: context.barred_from_auto(info.index)?,
            found: calibration
                .as_ref()
                .and_then(|found: &Calibration| found.devices.get(info.index)),
        });
    }
    // Without a device, there is always a reason.
    let reason = context.device_problem();
    if arguments.json {
        let devices: Vec<Value> = devices.iter().map(Shown::to_json).collect();
        let processor = json!({
            "threads": context.threads(),
            "speeds": processor_to_json(&processor),
        });
        let all = json!({ "devices": devices, "processor": processor, "reason": reason });
        return console::write(&format!("{all}\n"));
    }
    let mut text = String::new();
    if let Some(reason) = reason {
        let what = if devices.is_empty() { "no OpenCL device" } else { "a device is missing" };
        text += &format!("{what}: {}\n\n", on_one_line(&reason));
    }
    for device in &devices {
        text += &device.to_text();
        text.push('\n');
    }
    console::write(&(text + &processor_to_text(&context, &processor)))
}

/// What is shown of a device.
struct Shown<'c> {
    info: &'c DeviceInfo,
    speeds: DeviceSpeeds,
    /// The index of the device that solves use.
    chosen: Option<usize>,
    uses: Vec<DeviceUse>,
    /// Why `auto` uses it only for what the CPU can't do.
    barred: Option<&'static str>,
    /// What measuring it just now has found.
    found: Option<&'c DeviceCalibration>,
}

impl Shown<'_> {
    fn problem(&self) -> Option<&str> {
        self.found?.problem.as_deref()
    }

    fn to_json(&self) -> Value {
        let Shown { info, speeds, chosen, uses, barred, found } = self;
        let use_of =
            |used: &DeviceUse| json!({ "work": used.work, "unit": used.unit, "least": used.least });
        json!({
            "index": info.index,
            "name": info.name,
            "vendor": info.vendor,
            "kind": info.kind.name(),
            "platform": info.platform,
            "platform_version": info.platform_version,
            "device_version": info.device_version,
            "opencl_c_version": info.opencl_c_version,
            "driver_version": info.driver_version,
            "architecture": info.architecture,
            "compute_units": info.compute_units,
            "clock_megahertz": info.clock_megahertz,
            "max_work_group_size": info.max_work_group_size,
            "local_memory_bytes": info.local_memory_bytes,
            "global_memory_bytes": info.global_memory_bytes,
            "max_allocation_bytes": info.max_allocation_bytes,
            "chosen": *chosen == Some(info.index),
            "uses": uses.iter().map(use_of).collect::<Vec<_>>(),
            "barred_from_auto": barred,
            "problem": self.problem(),
            "speeds": {
                "measured": speeds.measured,
                "age_seconds": age(speeds.measured_at),
                "launch_seconds": speeds.launch_seconds,
                "round_trip_seconds": speeds.round_trip_seconds,
                "to_device_rate": speeds.to_device_rate,
                "to_host_rate": speeds.to_host_rate,
                "add_min_rate": speeds.add_min_rate,
                "wide_add_min_rate": speeds.wide_add_min_rate,
                "global_rate": speeds.global_rate,
                "local_rate": speeds.local_rate,
                "barrier_seconds": speeds.barrier_seconds,
            },
            "setup_seconds": found.map(|found| found.setup_seconds),
            "calibration_seconds": found.map(|found| found.seconds),
        })
    }

    fn to_text(&self) -> String {
        let Shown { info, speeds, .. } = self;
        let units = if info.compute_units == 1 { "unit" } else { "units" };
        let mut rows = vec![
            row("hardware", format!("{}, {} {units}", info.kind.name(), info.compute_units)),
            row(
                "memory",
                format!("{:.1} GiB", info.global_memory_bytes as f64 / (1u64 << 30) as f64),
            ),
            row("driver", on_one_line(&format!("{} {}", info.platform, info.driver_version))),
        ];
        rows.extend(self.uses_to_rows());
        rows.extend(self.problem().map(|problem| row("problem", on_one_line(problem))));
        let barrier = speeds.barrier_seconds.map(|barrier| format!(", barrier {}", time(barrier)));
        rows.extend([
            row("speeds", origin(speeds.measured_at)),
            row(
                "arithmetic",
                format!(
                    "{} pairs of addition and minimum, {} with 64 bits",
                    rate(speeds.add_min_rate, "/s"),
                    rate(speeds.wide_add_min_rate, "/s"),
                ),
            ),
            row(
                "bandwidth",
                format!(
                    "{} global, {} local memory",
                    rate(speeds.global_rate, "B/s"),
                    rate(speeds.local_rate, "B/s"),
                ),
            ),
            row(
                "copies",
                format!(
                    "{} to the device, {} back",
                    rate(speeds.to_device_rate, "B/s"),
                    rate(speeds.to_host_rate, "B/s"),
                ),
            ),
            row(
                "launch",
                format!(
                    "{}, {} with the wait{}",
                    time(speeds.launch_seconds),
                    time(speeds.round_trip_seconds),
                    barrier.unwrap_or_default(),
                ),
            ),
        ]);
        format!("device {}: {}\n{}", info.index, on_one_line(&info.name), align(&rows))
    }

    /// What `auto` uses the device for.
    fn uses_to_rows(&self) -> Vec<[String; 2]> {
        if let Some(reason) = self.barred {
            return vec![row("auto", format!("uses it only for what the CPU can't do: {reason}"))];
        }
        let index = self.info.index;
        let begin = match self.chosen {
            Some(chosen) if chosen != index => {
                format!(
                    "uses device {chosen} instead; with --device {index}, it uses this one for:"
                )
            }
            _ => "uses it where it is expected to be faster:".to_owned(),
        };
        let sized = self.uses.iter().filter_map(|used| {
            Some(format!("{} of {} {} or more", used.work, grouped_by(",", used.least?), used.unit))
        });
        let searches = "long searches of the flow shop, if it is faster in a trial".to_owned();
        let all = [begin].into_iter().chain(sized).chain([searches]);
        all.enumerate()
            .map(|(place, text)| row(if place == 0 { "auto" } else { "" }, text))
            .collect()
    }
}

fn processor_to_json(speeds: &ProcessorSpeeds) -> Value {
    json!({
        "measured": speeds.measured,
        "age_seconds": age(speeds.measured_at),
        "core_add_min_rate": speeds.core_add_min_rate,
        "core_serial_rate": speeds.core_serial_rate,
        "core_memory_rate": speeds.core_memory_rate,
        "memory_rate": speeds.memory_rate,
        "wake_seconds": speeds.wake_seconds,
    })
}

fn processor_to_text(context: &Context, speeds: &ProcessorSpeeds) -> String {
    let rows = [
        row("threads", context.threads().to_string()),
        row("speeds", origin(speeds.measured_at)),
        row(
            "arithmetic",
            format!(
                "{} pairs of addition and minimum a core, {} one by one",
                rate(speeds.core_add_min_rate, "/s"),
                rate(speeds.core_serial_rate, "/s"),
            ),
        ),
        row(
            "bandwidth",
            format!(
                "{} one core, {} all threads",
                rate(speeds.core_memory_rate, "B/s"),
                rate(speeds.memory_rate, "B/s"),
            ),
        ),
        row("threads wake", format!("in {}", time(speeds.wake_seconds))),
    ];
    format!("processor\n{}", align(&rows))
}

fn row(label: &str, text: String) -> [String; 2] {
    [format!("  {label}"), text]
}

/// Seconds since the measurement; none for estimates and for a time in the future.
fn age(measured_at: Option<SystemTime>) -> Option<f64> {
    Some(measured_at?.elapsed().ok()?.as_secs_f64())
}

/// Whether and when the figures were measured.
fn origin(measured_at: Option<SystemTime>) -> String {
    match (measured_at, age(measured_at)) {
        (None, _) => "estimates; not measured: run makespan devices --calibrate".to_owned(),
        (Some(_), None) => "measured".to_owned(),
        (Some(_), Some(seconds)) => {
            let (count, unit) = match seconds {
                ..60.0 => return "measured just now".to_owned(),
                ..3600.0 => (seconds / 60.0, "minute"),
                ..86_400.0 => (seconds / 3600.0, "hour"),
                _ => (seconds / 86_400.0, "day"),
            };
            let plural = if count as u64 == 1 { "" } else { "s" };
            format!("measured {} {unit}{plural} ago", count as u64)
        }
    }
}

/// A rate with three digits, such as `1.25 TB/s`.
fn rate(value: f64, unit: &str) -> String {
    scaled(value, unit, &[(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")])
}

/// A time with three digits, such as `3.14 µs`.
fn time(seconds: f64) -> String {
    scaled(seconds, "s", &[(1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n")])
}

fn scaled(value: f64, unit: &str, prefixes: &[(f64, &str)]) -> String {
    let fitting = prefixes.iter().find(|(scale, _)| value >= *scale).or(prefixes.last());
    let &(scale, prefix) = fitting.unwrap_or(&(1.0, ""));
    let value = value / scale;
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$} {prefix}{unit}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn figures_have_three_digits_and_a_unit() {
        assert_eq!(rate(4.123e12, "B/s"), "4.12 TB/s");
        assert_eq!(rate(25.67e9, "/s"), "25.7 G/s");
        assert_eq!(rate(0.0, "B/s"), "0.00 B/s");
        assert_eq!(time(3.14159e-6), "3.14 µs");
        assert_eq!(time(0.250), "250 ms");
        assert_eq!(time(0.0), "0.00 ns");
    }

    #[test]
    fn the_origin_names_the_age() {
        let ago = |seconds| Some(SystemTime::now() - Duration::from_secs(seconds));
        assert!(origin(None).contains("not measured: run makespan devices --calibrate"));
        assert_eq!(origin(ago(5)), "measured just now");
        assert_eq!(origin(ago(90)), "measured 1 minute ago");
        assert_eq!(origin(ago(3 * 3600 + 5)), "measured 3 hours ago");
        assert_eq!(origin(ago(2 * 86_400 + 5)), "measured 2 days ago");
        assert_eq!(origin(Some(SystemTime::now() + Duration::from_secs(99))), "measured");
    }
}
