//! How far the figures of calibrations spread.

use clap::Args;
use makespan::{CacheLocation, Context, ContextOptions, DeviceCalibration, ProcessorSpeeds};

use crate::common::Result;

/// The speeds of the processor and of all devices, measured several times
///
/// The median of each figure, then the smallest and the largest as shares of it.
#[derive(Args)]
pub(crate) struct Calibrations {
    /// Measurements
    #[arg(long, default_value_t = 10)]
    times: usize,
    /// Threads
    #[arg(long)]
    threads: Option<usize>,
}

impl Calibrations {
    pub(crate) fn run(&self) -> Result<()> {
        let (threads, cache) = (self.threads, CacheLocation::Off);
        let context = Context::new(ContextOptions { threads, cache, ..ContextOptions::default() })?;
        let found =
            (0..self.times).map(|_| Ok(context.calibrate()?)).collect::<Result<Vec<_>>>()?;
        println!("processor, {} threads", context.threads());
        for (name, figure) in PROCESSOR {
            print(name, found.iter().map(|found| figure(&found.processor)).collect());
        }
        for info in context.devices() {
            println!("device {}: {}", info.index, info.name);
            let all: Vec<_> = found.iter().map(|found| &found.devices[info.index]).collect();
            if let Some(problem) = all.iter().find_map(|device| device.problem.as_ref()) {
                println!("  {problem}");
            }
            for (name, figure) in DEVICE {
                print(name, all.iter().filter_map(|device| figure(device)).collect());
            }
        }
        Ok(())
    }
}

/// A name and how to read the figure.
type Named<T> = (&'static str, fn(&T) -> f64);

const PROCESSOR: [Named<ProcessorSpeeds>; 5] = [
    ("core_add_min_rate", |speeds| speeds.core_add_min_rate),
    ("core_serial_rate", |speeds| speeds.core_serial_rate),
    ("core_memory_rate", |speeds| speeds.core_memory_rate),
    ("memory_rate", |speeds| speeds.memory_rate),
    ("wake_seconds", |speeds| speeds.wake_seconds),
];

/// A name and how to read the figure, if the device has it.
type Perhaps = (&'static str, fn(&DeviceCalibration) -> Option<f64>);

const DEVICE: [Perhaps; 11] = [
    ("launch_seconds", |device| Some(device.speeds.launch_seconds)),
    ("round_trip_seconds", |device| Some(device.speeds.round_trip_seconds)),
    ("to_device_rate", |device| Some(device.speeds.to_device_rate)),
    ("to_host_rate", |device| Some(device.speeds.to_host_rate)),
    ("add_min_rate", |device| Some(device.speeds.add_min_rate)),
    ("wide_add_min_rate", |device| Some(device.speeds.wide_add_min_rate)),
    ("global_rate", |device| Some(device.speeds.global_rate)),
    ("local_rate", |device| Some(device.speeds.local_rate)),
    ("barrier_seconds", |device| device.speeds.barrier_seconds),
    ("setup_seconds", |device| Some(device.setup_seconds)),
    ("calibration_seconds", |device| Some(device.seconds)),
];

fn print(name: &str, mut figures: Vec<f64>) {
    figures.sort_by(f64::total_cmp);
    let (Some(least), Some(most)) = (figures.first(), figures.last()) else { return };
    let median = figures[figures.len() / 2];
    let [least, most] = [least, most].map(|figure| figure / median);
    println!("  {name:20} {median:12.4e}  {least:.3} to {most:.3}");
}
