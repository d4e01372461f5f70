//! What `makespan devices` prints, and the options that need no solve.

use crate::common::{makespan, stderr, stdout};
use serde_json::Value;

#[test]
fn a_machine_without_opencl_says_why() {
    let output = makespan().arg("devices").output().unwrap();
    assert!(output.status.success());
    assert!(stdout(&output).starts_with("no OpenCL device: "), "{}", stdout(&output));
}

#[test]
fn the_json_object_has_devices_and_reason() {
    let output = makespan().args(["devices", "--json"]).output().unwrap();
    assert!(output.status.success());
    let result: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(result["devices"], Value::Array(vec![]));
    assert!(!result["reason"].as_str().unwrap().is_empty());
    assert!(result["processor"]["threads"].as_u64().unwrap() >= 1);
}

#[test]
fn what_was_measured_is_kept_until_it_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let devices = |arguments: &[&str]| {
        let mut command = makespan();
        command.env("MAKESPAN_CACHE_DIR", folder.path()).arg("devices").args(arguments);
        let output = command.output().unwrap();
        assert!(output.status.success());
        stdout(&output).to_owned()
    };
    let speeds = |arguments: &[&str]| -> Value {
        let found: Value = serde_json::from_str(&devices(arguments)).unwrap();
        found["processor"]["speeds"].clone()
    };
    let hint = "not measured: run makespan devices --calibrate";
    assert!(devices(&[]).contains(hint));
    let estimate = speeds(&["--json"]);
    assert_eq!((&estimate["measured"], &estimate["age_seconds"]), (&false.into(), &Value::Null));
    assert!(devices(&["--calibrate"]).contains("measured just now"));
    let kept = speeds(&["--json"]);
    assert_eq!(kept["measured"], true);
    assert!(kept["age_seconds"].as_f64().unwrap() < 600.0);
    assert_ne!(kept["core_serial_rate"], estimate["core_serial_rate"]);
    assert!(!devices(&[]).contains(hint));
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let path = file.unwrap().path();
        let mut bytes = std::fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&path, bytes).unwrap();
    }
    assert_eq!(speeds(&["--json"]), estimate);
    assert_eq!(speeds(&["--json", "--calibrate"])["measured"], true);
}

#[test]
fn each_number_of_threads_has_its_own_speeds() {
    let folder = tempfile::tempdir().unwrap();
    let processor = |arguments: &[&str]| -> Value {
        let mut command = makespan();
        command.env("MAKESPAN_CACHE_DIR", folder.path()).args(arguments).arg("--json");
        let found: Value = serde_json::from_str(stdout(&command.output().unwrap())).unwrap();
        found["processor"].clone()
    };
    let measured = |threads: &str| {
        let found = processor(&["devices", "--threads", threads]);
        assert_eq!(found["threads"].to_string(), threads);
        found["speeds"]["measured"].as_bool().unwrap()
    };
    assert!(!measured("2"));
    assert_eq!(processor(&["devices", "--threads", "2", "--calibrate"])["threads"], 2);
    assert!(measured("2") && !measured("3"));
    processor(&["prewarm", "knapsack", "--threads", "3"]);
    assert!(measured("3"));
    for subcommand in ["devices", "prewarm"] {
        let output = makespan().args([subcommand, "--threads", "0"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("threads"), "{}", stderr(&output));
    }
}

#[test]
fn help_and_version_go_to_standard_output() {
    for option in ["--help", "--version"] {
        let output = makespan().arg(option).output().unwrap();
        assert!(output.status.success());
        assert!(stdout(&output).contains("makespan"));
    }
}
