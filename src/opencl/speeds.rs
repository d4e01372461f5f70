//! How fast a device is: the facts that cost models are formulas over.

use std::sync::Arc;
use std::time::SystemTime;

use super::cache::{Cache, Key};
use super::facts::{DeviceInfo, DeviceKind};
use super::figures::Figures;
use crate::latest::Latest;

/// Names of the figures in files.
const LAUNCH: &str = "launch_seconds";
const ROUND_TRIP: &str = "round_trip_seconds";
const TO_DEVICE: &str = "to_device_rate";
const TO_HOST: &str = "to_host_rate";
const ADD_MIN: &str = "add_min_rate";
const WIDE_ADD_MIN: &str = "wide_add_min_rate";
const GLOBAL: &str = "global_rate";
const LOCAL: &str = "local_rate";
const BARRIER: &str = "barrier_seconds";

/// How fast a device is. All rates are per second and of the whole device.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct DeviceSpeeds {
    /// Whether the device was measured. Otherwise the figures are estimates from its description.
    pub measured: bool,
    /// When the device was measured, by the clock of the system.
    pub measured_at: Option<SystemTime>,
    /// Seconds from one launch to the next in a queue that does not run empty.
    pub launch_seconds: f64,
    /// Seconds of a launch and the wait for its end.
    pub round_trip_seconds: f64,
    /// Bytes per second from the host to the device.
    pub to_device_rate: f64,
    /// Bytes per second from the device to the host.
    pub to_host_rate: f64,
    /// Pairs of an addition and a minimum of 32-bit integers per second, in registers.
    pub add_min_rate: f64,
    /// The same for 64-bit integers.
    pub wide_add_min_rate: f64,
    /// Bytes per second that kernels read from and write to global memory.
    pub global_rate: f64,
    /// Bytes per second that kernels read from and write to local memory.
    pub local_rate: f64,
    /// Seconds of a barrier across all work-groups, if they can wait for each other inside a
    /// kernel.
    pub barrier_seconds: Option<f64>,
}

impl DeviceSpeeds {
    /// Cautious estimates from the description, for a device that was not measured.
    pub(crate) fn estimate(info: &DeviceInfo, groups_can_wait: bool) -> DeviceSpeeds {
        let clock = info.clock_rate();
        let is_processor = info.kind == DeviceKind::Cpu;
        let pairs_per_clock = info.lanes_per_unit() / 2.0;
        let add_min_rate = f64::from(info.compute_units) * clock * pairs_per_clock;
        let (launch_seconds, copies) = if is_processor { (2e-5, 8e9) } else { (1e-5, 4e9) };
        DeviceSpeeds {
            measured: false,
            measured_at: None,
            launch_seconds,
            round_trip_seconds: 5.0 * launch_seconds,
            to_device_rate: copies,
            to_host_rate: copies,
            add_min_rate,
            wide_add_min_rate: add_min_rate / 4.0,
            // Cards have about a byte of bandwidth for each two pairs.
            global_rate: if is_processor { 1e10 } else { add_min_rate / 2.0 },
            local_rate: 2.0 * add_min_rate,
            barrier_seconds: groups_can_wait.then_some(5e-6),
        }
    }

    /// Measured speeds, for a file.
    fn to_figures(self) -> Option<Figures> {
        let values = [
            (LAUNCH, self.launch_seconds),
            (ROUND_TRIP, self.round_trip_seconds),
            (TO_DEVICE, self.to_device_rate),
            (TO_HOST, self.to_host_rate),
            (ADD_MIN, self.add_min_rate),
            (WIDE_ADD_MIN, self.wide_add_min_rate),
            (GLOBAL, self.global_rate),
            (LOCAL, self.local_rate),
        ];
        let barrier = self.barrier_seconds.map(|seconds| (BARRIER, seconds));
        let values: Vec<_> = values.into_iter().chain(barrier).collect();
        Some(Figures::new(self.measured_at?, &values))
    }

    /// Speeds from a file; none if one is missing or zero.
    fn from_figures(figures: &Figures) -> Option<DeviceSpeeds> {
        let positive = |name| figures.value(name).filter(|&value| value > 0.0);
        Some(DeviceSpeeds {
            measured: true,
            measured_at: Some(figures.measured_at()),
            launch_seconds: positive(LAUNCH)?,
            round_trip_seconds: positive(ROUND_TRIP)?,
            to_device_rate: positive(TO_DEVICE)?,
            to_host_rate: positive(TO_HOST)?,
            add_min_rate: positive(ADD_MIN)?,
            wide_add_min_rate: positive(WIDE_ADD_MIN)?,
            global_rate: positive(GLOBAL)?,
            local_rate: positive(LOCAL)?,
            barrier_seconds: positive(BARRIER),
        })
    }
}

/// The speeds of a device that was measured, once it is. Copies share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Known(Arc<Latest<DeviceSpeeds>>);

impl Known {
    pub(super) fn get(&self) -> Option<DeviceSpeeds> {
        self.0.get()
    }

    /// Notes what was measured, here and on disk.
    pub(super) fn learn(&self, info: &DeviceInfo, speeds: DeviceSpeeds, cache: &Cache) {
        self.0.set(speeds);
        if let Some(figures) = speeds.to_figures() {
            cache.store_figures(&key(info), &figures);
        }
    }

    /// Reads what an earlier process measured.
    pub(super) fn recall(&self, info: &DeviceInfo, cache: &Cache) {
        let figures = cache.load_figures(&key(info));
        if let Some(speeds) = figures.and_then(|figures| DeviceSpeeds::from_figures(&figures)) {
            self.0.set(speeds);
        }
    }
}

/// The key of a device's figures: everything that they depend on, besides the library.
pub(super) fn key(info: &DeviceInfo) -> Key {
    Key::of_figures(&[
        "device",
        &info.name,
        &info.compute_units.to_string(),
        &info.device_version,
        &info.driver_version,
        &info.platform,
        &info.platform_version,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CacheLocation, Log};

    fn measured(info: &DeviceInfo) -> DeviceSpeeds {
        let whole_seconds = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1 << 30);
        let estimate = DeviceSpeeds::estimate(info, true);
        DeviceSpeeds { measured: true, measured_at: Some(whole_seconds), ..estimate }
    }

    #[test]
    fn speeds_are_kept_for_the_same_device_and_driver() {
        let folder = tempfile::tempdir().unwrap();
        let location = CacheLocation::Directory(folder.path().to_owned());
        let cache = Cache::new(&location, Log::default());
        let info = DeviceInfo::sample("X", "Y", "Z", "");
        let speeds = measured(&info);
        Known::default().learn(&info, speeds, &cache);
        let recalled = |info: &DeviceInfo| {
            let known = Known::default();
            known.recall(info, &cache);
            known.get()
        };
        assert_eq!(recalled(&info), Some(speeds));
        let mut new_driver = info.clone();
        new_driver.driver_version = "2".to_owned();
        assert_eq!(recalled(&new_driver), None);
        assert_eq!(recalled(&DeviceInfo::sample("X2", "Y", "Z", "")), None);
        // Another device may have no such barrier.
        let without = DeviceSpeeds { barrier_seconds: None, ..speeds };
        Known::default().learn(&info, without, &cache);
        assert_eq!(recalled(&info), Some(without));
    }

    #[test]
    fn incomplete_figures_count_as_none() {
        let info = DeviceInfo::sample("X", "Y", "Z", "");
        let figures = measured(&info).to_figures().unwrap();
        assert!(DeviceSpeeds::from_figures(&figures).is_some());
        let few = Figures::new(SystemTime::now(), &[(LAUNCH, 1e-6), (GLOBAL, 1e9)]);
        assert_eq!(DeviceSpeeds::from_figures(&few), None);
        let zero = DeviceSpeeds { add_min_rate: 0.0, ..measured(&info) }.to_figures().unwrap();
        assert_eq!(DeviceSpeeds::from_figures(&zero), None);
        assert!(DeviceSpeeds::estimate(&info, true).to_figures().is_none());
    }
}
