//! What `makespan devices` prints, and the options that need no solve.

use crate::common::{makespan, stdout};
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
}

#[test]
fn help_and_version_go_to_standard_output() {
    for option in ["--help", "--version"] {
        let output = makespan().arg(option).output().unwrap();
        assert!(output.status.success());
        assert!(stdout(&output).contains("makespan"));
    }
}
