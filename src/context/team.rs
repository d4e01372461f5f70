use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use super::Context;
use super::patience::Watching;
use crate::opencl::Device;
use crate::solve::Monitor;
#[cfg(test)]
use crate::solve::SolveOptions;
use crate::{Error, Result};

/// The further devices that share one solve's work with the chosen one. A device that fails is left
/// out for the rest of the solve.
pub(crate) struct Team<'c> {
    context: &'c Context,
    /// Watched while the devices wait for their kernels.
    monitor: Monitor,
    /// The devices by place in the team, None for a device that did not open. They are opened on
    /// first use.
    devices: OnceCell<Vec<Option<Device>>>,
    record: RefCell<Record>,
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
        let monitor = monitor.clone();
        Team { context, monitor, devices: OnceCell::new(), record: RefCell::default() }
    }

    /// A team of open devices.
    #[cfg(test)]
    pub(crate) fn of(context: &'c Context, devices: &[&Device]) -> Self {
        let team = Team::new(context, &Monitor::new(&SolveOptions::default()));
        let devices: Vec<_> = devices.iter().map(|device| Some(team.watched(device))).collect();
        Team { devices: devices.into(), ..team }
    }

    pub(crate) fn context(&self) -> &'c Context {
        self.context
    }

    /// The devices that may take part, with their places.
    pub(crate) fn able(&self) -> Vec<(usize, &Device)> {
        let devices = self.devices();
        let record = self.record.borrow();
        let able = devices.iter().enumerate().filter(|(place, _)| !record.left_out.contains(place));
        able.filter_map(|(place, device)| Some((place, device.as_ref()?))).collect()
    }

    /// Records that the device at this place was given work.
    pub(crate) fn joined(&self, place: usize) {
        let mut record = self.record.borrow_mut();
        if !record.used.contains(&place) {
            record.used.push(place);
        }
    }

    /// Excludes the device at this place from now on. If it is lost, the next solve opens it anew.
    pub(crate) fn leave_out(&self, place: usize, error: &Error) {
        let device = self.devices()[place].as_ref();
        let name = device.map_or("?", |device| &device.info().name);
        self.warn(format!("{name} was left out: {error}"));
        // A team of a test has devices that are not the context's.
        let slot = self.context.further_devices.get(place);
        if let (Some(device), Some(slot), Error::DeviceFailed(reason)) = (device, slot, error) {
            slot.close_if_lost(device, reason);
        }
        self.record.borrow_mut().left_out.push(place);
    }

    /// The names of the devices that took part, and the warnings about others.
    pub(crate) fn into_record(self) -> (Vec<String>, Vec<String>) {
        let devices = self.devices.into_inner().unwrap_or_default();
        let Record { used, warnings, .. } = self.record.into_inner();
        let names = used.into_iter().filter_map(|place| devices[place].as_ref());
        (names.map(|device| device.info().name.clone()).collect(), warnings)
    }

    fn watched(&self, device: &Device) -> Device {
        device.for_step(Watching(self.monitor.clone()))
    }

    fn devices(&self) -> &[Option<Device>] {
        self.devices.get_or_init(|| {
            let open = |(index, device): (usize, Result<Arc<Device>>)| {
                let device = device.map(|device| self.watched(&device));
                device
                    .map_err(|error| self.warn(format!("device {index} took no part: {error}")))
                    .ok()
            };
            self.context.further_devices().map(open).collect()
        })
    }

    fn warn(&self, warning: String) {
        self.context.log.warn(|| warning.clone());
        self.record.borrow_mut().warnings.push(warning);
    }
}
