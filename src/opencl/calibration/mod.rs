//! Measures how fast a device is, within 0.3 s.

mod kernels;

use std::ops::RangeInclusive;
use std::time::{Duration, Instant, SystemTime};

use kernels::{BarrierBench, Bench, LOCAL_ROWS, PAIRS, pattern};

#[cfg(test)]
use super::KernelFamily;
use super::{Device, DeviceSpeeds, Failing};
use crate::stopwatch::Stopwatch;
use crate::{Error, memory};

/// The kernels of a calibration.
#[cfg(test)]
pub(crate) const KERNEL_FAMILIES: &[KernelFamily] = &[kernels::FAMILY, kernels::BARRIER_FAMILY];

/// The time for each of the nine figures. A launch of 2 ms hides the time until it starts.
const WATCH: Stopwatch =
    Stopwatch { enough: Duration::from_millis(2), budget: Duration::from_millis(20) };

/// Most rounds of a launch, so that no 32-bit number overflows.
const MOST_ROUNDS: u64 = 1 << 28;

/// The figures of a device.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Calibrated {
    pub(crate) speeds: DeviceSpeeds,
    /// Seconds of measuring.
    pub(crate) seconds: f64,
}

/// Measures the device while `goes_on`, which is asked before each figure.
///
/// # Errors
/// [`Failing::Wrong`] if a kernel's results differ from the host's, [`Error::Stopped`] if
/// `goes_on` returns false, and errors of the device.
pub(crate) fn calibrate(
    device: &Device,
    goes_on: &dyn Fn() -> bool,
) -> Result<Calibrated, Failing> {
    let bench = Bench::new(device)?;
    let groups_can_wait = device.resident_groups() > 1;
    let barriers = match groups_can_wait.then(|| BarrierBench::new(device)) {
        // The self-test found that groups wait in vain.
        Some(Err(_)) if device.has_waited_in_vain() => None,
        barriers => barriers.transpose()?,
    };
    let start = Instant::now();
    let speeds = measure(&bench, barriers.as_ref(), WATCH, goes_on)?;
    Ok(Calibrated { speeds, seconds: start.elapsed().as_secs_f64() })
}

/// Runs every kernel once and compares the results.
fn try_kernels(device: &Device) -> Result<(), Failing> {
    measure(&Bench::new(device)?, None, Stopwatch::ONCE, &|| true).map(|_| ())
}

fn try_barrier(device: &Device) -> Result<(), Failing> {
    BarrierBench::new(device)?.barriers(FEW_ROUNDS).map(|_| ())
}

/// Rounds of the first launch of a kernel.
const FEW_ROUNDS: u64 = 3;

fn measure(
    bench: &Bench<'_>,
    barriers: Option<&BarrierBench<'_>>,
    watch: Stopwatch,
    goes_on: &dyn Fn() -> bool,
) -> Result<DeviceSpeeds, Failing> {
    let figure = |amounts, work: &mut dyn FnMut(u64) -> Result<Duration, Failing>| {
        if !goes_on() {
            return Err(Failing::Error(Error::stopped()));
        }
        watch.unit_seconds(amounts, work)
    };
    let rounds = FEW_ROUNDS..=MOST_ROUNDS;
    let launch_seconds = figure(rounds.clone(), &mut |count| bench.launches(count))?;
    let round_trip_seconds = figure(rounds.clone(), &mut |count| bench.round_trips(count))?;
    let [to_device, to_host] = measure_copies(bench, &figure)?;
    let mut memory = None;
    let global = figure(FEW_ROUNDS..=u64::MAX, &mut |groups| bench.global(&mut memory, groups))?;
    drop(memory);
    // The rates of arithmetic come last, when the clock has risen.
    let local = match bench.has_local() {
        true => Some(figure(rounds.clone(), &mut |rounds| bench.local(rounds))?),
        false => None,
    };
    let add_min = figure(rounds.clone(), &mut |rounds| bench.add_min(rounds))?;
    let wide_add_min = figure(rounds, &mut |rounds| bench.wide_add_min(rounds))?;
    let barrier_seconds = match barriers {
        None => None,
        Some(barriers) => {
            let amounts = FEW_ROUNDS..=barriers.most_barriers();
            match figure(amounts, &mut |rounds| barriers.barriers(rounds)) {
                Err(_) if barriers.has_waited_in_vain() => None,
                seconds => Some(seconds?),
            }
        }
    };
    let items = bench.items() as f64;
    let global_rate = 2.0 * bench.group_bytes() as f64 / global;
    Ok(DeviceSpeeds {
        measured: true,
        measured_at: Some(SystemTime::now()),
        launch_seconds,
        round_trip_seconds,
        to_device_rate: 4.0 / to_device,
        to_host_rate: 4.0 / to_host,
        add_min_rate: items * PAIRS as f64 / add_min,
        wide_add_min_rate: items * PAIRS as f64 / wide_add_min,
        global_rate,
        // A device without local memory keeps what kernels would use in global memory.
        local_rate: local.map_or(global_rate, |local| items * (4 * LOCAL_ROWS) as f64 / local),
        barrier_seconds,
    })
}

/// Measures one figure.
type Figure<'f> = dyn Fn(
        RangeInclusive<u64>,
        &mut dyn FnMut(u64) -> Result<Duration, Failing>,
    ) -> Result<f64, Failing>
    + 'f;

/// Seconds of a number's copy to the device and back.
fn measure_copies(bench: &Bench<'_>, figure: &Figure<'_>) -> Result<[f64; 2], Failing> {
    let most = bench.most_copied();
    let data = pattern(most as usize)?;
    let mut found = memory::zeroed(data.len())?;
    let buffer = bench.copied(data.len())?;
    let amounts = FIRST_COPY.min(most)..=most;
    let to_device =
        figure(amounts.clone(), &mut |count| bench.to_device(&buffer, &data[..count as usize]))?;
    let to_host = figure(amounts, &mut |count| {
        let count = count as usize;
        bench.to_host(&buffer, &data[..count], &mut found[..count])
    })?;
    Ok([to_device, to_host])
}

/// Numbers of the first copy between host and device.
const FIRST_COPY: u64 = 1 << 14;

#[cfg(test)]
mod tests;
