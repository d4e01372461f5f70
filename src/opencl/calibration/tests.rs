use super::*;
use crate::opencl::testing::{Lie, expect_lies_to_be_noticed, test_devices};

/// Kernels with the argument that has their results.
const RESULTS: [(&str, &[&str]); 5] = [
    ("calibration_launch", &["sum"]),
    ("calibration_add_min", &["results"]),
    ("calibration_wide_add_min", &["results"]),
    ("calibration_global", &["target"]),
    ("calibration_local", &["results"]),
];

#[test]
fn a_device_is_measured_in_time() {
    for device in test_devices() {
        let found = calibrate(&device, &|| true).unwrap_or_else(|error| panic!("{error:?}"));
        let simulator = device.quirks().simulator;
        // Ten figures of 20 ms; only the first run of each may take longer.
        let limit = if simulator { 60.0 } else { 1.0 };
        assert!(found.seconds < limit, "{found:?}");
        let speeds = found.speeds;
        assert!(speeds.measured && speeds.measured_at.is_some());
        assert!(speeds.launch_seconds > 0.0 && speeds.round_trip_seconds > 0.0);
        assert_eq!(speeds.barrier_seconds.is_some(), device.resident_groups() > 1);
        let rates = [
            speeds.to_device_rate,
            speeds.to_host_rate,
            speeds.add_min_rate,
            speeds.wide_add_min_rate,
            speeds.global_rate,
            speeds.local_rate,
        ];
        // Between a simulator and the largest cards.
        assert!(rates.iter().all(|rate| (1e3..1e15).contains(rate)), "{speeds:?}");
    }
}

#[test]
fn it_ends_before_the_next_figure_if_it_is_to_stop() {
    for device in test_devices() {
        let asked = std::cell::Cell::new(0);
        let goes_on = || {
            asked.set(asked.get() + 1);
            asked.get() < 3
        };
        let stopped = calibrate(&device, &goes_on).map(|found| found.speeds);
        assert!(
            matches!(&stopped, Err(Failing::Error(error)) if matches!(**error, Error::Stopped)),
            "{stopped:?}"
        );
        assert_eq!(asked.get(), 3);
    }
}

#[test]
fn a_device_that_computes_wrongly_is_not_measured() {
    expect_lies_to_be_noticed(&kernels::FAMILY, &[], &RESULTS);
    for device in test_devices().into_iter().filter(|device| !device.quirks().simulator) {
        device.lie(Lie::of("calibration_add_min", 1).share(0.95).only(&["results"]));
        let wrong = calibrate(&device, &|| true).map(|found| found.speeds);
        assert!(matches!(wrong, Err(Failing::Wrong(_))), "{wrong:?}");
    }
}

#[test]
fn a_device_that_fails_is_not_measured() {
    for device in test_devices() {
        device.program(&kernels::FAMILY, &[]).unwrap();
        device.fail_after(8);
        let failed = calibrate(&device, &|| true).map(|found| found.speeds);
        assert!(
            matches!(&failed, Err(Failing::Error(error)) if error.is_device_failure()),
            "{failed:?}"
        );
    }
}

/// The barrier's kernel with one group, on any device.
#[test]
fn barriers_of_a_single_group_pass() {
    for device in test_devices() {
        try_barrier(&device).unwrap_or_else(|error| panic!("{error:?}"));
    }
}
