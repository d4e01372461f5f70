use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::dispatch::OPENING;
use super::patience::Watching;
use super::slot::Slot;
use super::{Context, Failure, side_by_side};
use crate::mutex::lock;
use crate::opencl::{Device, Patience};
use crate::solve::Monitor;
#[cfg(test)]
use crate::solve::SolveOptions;
use crate::{Error, Result};

/// How long the chosen device works before others may join.
const ALONE: Duration = Duration::from_millis(500);
/// How long the chosen device works before others are opened. Opening takes a third of a second, and
/// delays the launches of the chosen device by some hundredths of a second.
const OPEN_AFTER: Duration = Duration::from_millis(300);

/// The further devices that share one solve's work with the chosen one. A device that fails is left
/// out for the rest of the solve.
pub(crate) struct Team<'c> {
    context: &'c Context,
    /// Watched while the devices wait for their kernels.
    monitor: Monitor,
    /// The devices by place in the team, None for a device that did not open.
    devices: Vec<OnceLock<Option<Device>>>,
    /// [`ALONE`], or nothing in tests.
    alone: Duration,
    /// Whether the context was asked to open the devices ahead.
    is_opening: AtomicBool,
    /// Whether the present step is over, so that no device has to wait for its kernels any more.
    is_dismissed: Arc<AtomicBool>,
    record: Mutex<Record>,
}

/// Which devices worked or failed.
#[derive(Default)]
struct Record {
    left_out: Vec<usize>,
    /// Devices that were given work.
    used: Vec<usize>,
    warnings: Vec<String>,
}

impl<'c> Team<'c> {
    pub(super) fn new(context: &'c Context, monitor: &Monitor) -> Self {
        let (monitor, places) = (monitor.clone(), context.source.further_indices.iter());
        let devices = places.map(|_| OnceLock::new()).collect();
        let (is_opening, is_dismissed) = (AtomicBool::new(false), Arc::default());
        let (alone, record) = (ALONE, Mutex::default());
        Team { context, monitor, devices, alone, is_opening, is_dismissed, record }
    }

    /// A team of open devices, which join at once.
    #[cfg(test)]
    pub(crate) fn of(context: &'c Context, devices: &[&Device]) -> Self {
        Team::watching(context, devices, &Monitor::new(&SolveOptions::default()))
    }

    /// Like [`Team::of`], for a solve with this monitor.
    #[cfg(test)]
    pub(crate) fn watching(context: &'c Context, devices: &[&Device], monitor: &Monitor) -> Self {
        let team = Team::new(context, monitor);
        let devices = devices.iter().map(|device| Some(team.watched(device)).into()).collect();
        Team { devices, alone: Duration::ZERO, ..team }
    }

    pub(crate) fn context(&self) -> &'c Context {
        self.context
    }

    /// The monitor of the solve.
    pub(crate) fn monitor(&self) -> &Monitor {
        &self.monitor
    }

    /// How long the chosen device works before others may join. Shorter work takes longer with
    /// several devices: it is over before all have some.
    pub(crate) fn alone(&self) -> Duration {
        self.alone
    }

    /// Whether others may join a step that began at this time: it has taken long, and they are open
    /// or can be opened before the time limit. Includes [`Team::open_if_long`].
    pub(crate) fn may_join(&self, begun: Instant) -> bool {
        self.open_if_long(begun);
        let is_long = begun.elapsed() >= self.alone;
        is_long && (self.are_open() || !self.monitor.ends_within(OPENING))
    }

    /// [`Team::open_ahead`], once a step that began at this time has taken rather long.
    pub(crate) fn open_if_long(&self, begun: Instant) {
        if begun.elapsed() >= OPEN_AFTER {
            self.open_ahead();
        }
    }

    /// Begins to open the devices on threads of the context, once. They join sooner then, and a step
    /// that ends before they may join does not wait for them.
    pub(crate) fn open_ahead(&self) {
        if self.monitor.ends_within(OPENING) || self.are_open() {
            return;
        }
        if !self.is_opening.swap(true, Ordering::Relaxed) {
            self.context.open_further_ahead();
        }
    }

    /// Whether no device has to be opened any more.
    fn are_open(&self) -> bool {
        let slots = &self.context.source.further_devices;
        let is_open = |(place, device): (usize, &OnceLock<_>)| {
            device.get().is_some() || slots.get(place).is_some_and(Slot::is_known)
        };
        self.devices.iter().enumerate().all(is_open)
    }

    /// The places of the devices that are not left out. No device is opened for this.
    pub(crate) fn places(&self) -> Vec<usize> {
        let record = self.record();
        (0..self.devices.len()).filter(|place| !record.left_out.contains(place)).collect()
    }

    /// The device at this place, which is opened if it is not open yet; None if it does not open.
    pub(crate) fn device(&self, place: usize) -> Option<&Device> {
        self.devices[place].get_or_init(|| self.open(place)).as_ref()
    }

    /// The devices that may take part, with their places. They are opened side by side.
    pub(crate) fn able(&self) -> Vec<(usize, &Device)> {
        let places = self.places();
        // A device whose thread does not start is opened below.
        let open = |&place: &usize| move || Ok(self.device(place).is_some());
        side_by_side(&self.monitor, places.iter().map(open));
        let device = |place| Some((place, self.device(place)?));
        places.into_iter().filter_map(device).collect()
    }

    /// Lets the devices wait for their kernels, from the start of a step until [`Team::dismiss`].
    pub(crate) fn summon(&self) {
        self.is_dismissed.store(false, Ordering::Relaxed);
    }

    /// Ends the waits for kernels when a step is over.
    pub(crate) fn dismiss(&self) {
        self.is_dismissed.store(true, Ordering::Relaxed);
    }

    /// Whether devices have worked with the chosen one.
    pub(crate) fn has_worked(&self) -> bool {
        !self.record().used.is_empty()
    }

    /// Records that the device at this place was given work.
    pub(crate) fn joined(&self, place: usize) {
        let mut record = self.record();
        if !record.used.contains(&place) {
            record.used.push(place);
        }
    }

    /// Excludes the device at this place from now on. If it is lost, the next solve opens it again.
    pub(crate) fn leave_out(&self, place: usize, error: &Error) {
        let device = self.device(place);
        let name = device.map_or("?", |device| &device.info().name);
        self.warn(format!("{name} was left out: {error}"));
        // A team of a test has devices that are not the context's.
        let slot = self.context.source.further_devices.get(place);
        if let (Some(device), Some(slot), Error::DeviceFailed(reason)) = (device, slot, error) {
            slot.close_if_lost(device, reason);
        }
        self.record().left_out.push(place);
    }

    /// Whether the others can work without a further device after this error. A device
    /// with smaller limits than the chosen one may lack a kernel.
    pub(super) fn can_do_without(error: &Error) -> bool {
        let is_unable = matches!(error, Error::ThreadsUnavailable(_) | Error::Unsupported(_));
        is_unable || error.is_device_failure()
    }

    /// Leaves out a device that failed, so that the others can begin again. Number 0 is the chosen
    /// device; 1 and so on are the further ones, at these places. If results of the chosen one are
    /// wrong, another may have given it wrong numbers, and alone it needs less memory: in both cases
    /// it begins again alone.
    ///
    /// # Errors
    /// The failure, if no work without a device of the team is worth a try.
    pub(crate) fn blame(&self, places: &[usize], (number, error): Failure) -> Result<()> {
        match number.checked_sub(1) {
            Some(index) if Team::can_do_without(&error) => self.leave_out(places[index], &error),
            None if matches!(*error, Error::DeviceWrong(_) | Error::OutOfMemory { .. })
                && !places.is_empty() =>
            {
                places.iter().for_each(|&place| self.leave_out(place, &error));
            }
            _ => return Err(error),
        }
        Ok(())
    }

    /// The names of the devices that took part, and the warnings about others.
    pub(crate) fn into_record(self) -> (Vec<String>, Vec<String>) {
        let record = self.record.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Record { used, warnings, .. } = record;
        let names = used.into_iter().filter_map(|place| self.devices[place].get()?.as_ref());
        (names.map(|device| device.info().name.clone()).collect(), warnings)
    }

    fn watched(&self, device: &Device) -> Device {
        let (watching, is_dismissed) = (Watching(self.monitor.clone()), self.is_dismissed.clone());
        device.for_step(Summoned { watching, is_dismissed })
    }

    fn open(&self, place: usize) -> Option<Device> {
        let source = &self.context.source;
        let refused = |error| {
            let index = source.further_indices[place];
            self.warn(format!("device {index} took no part: {error}"));
        };
        let device = source.further_device(place).map_err(refused).ok()?;
        Some(self.watched(&device))
    }

    fn warn(&self, warning: String) {
        self.context.log.warn(|| warning.clone());
        self.record().warnings.push(warning);
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        lock(&self.record)
    }
}

/// Waits for programs until the step ends.
struct Summoned {
    watching: Watching,
    is_dismissed: Arc<AtomicBool>,
}

impl Patience for Summoned {
    fn lasts(&self) -> bool {
        !self.is_dismissed.load(Ordering::Relaxed) && self.watching.lasts()
    }
}
