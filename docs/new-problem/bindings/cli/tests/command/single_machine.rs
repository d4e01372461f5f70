//! What `makespan single-machine` prints and refuses.

use std::process::Output;

use crate::common::{assert_refused, instance, makespan, sample, stderr, stdout};
use crate::standard_input::assert_dash_is_standard_input;
use serde_json::{Value, json};

fn single_machine(arguments: &[&str]) -> Output {
    makespan().arg("single-machine").args(arguments).output().unwrap()
}

#[test]
fn the_sample_is_solved() {
    let output = single_machine(&[&sample("repairs-5-jobs.single-machine"), "--json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let result: Value = serde_json::from_str(stdout(&output)).unwrap();
    for (field, expected) in [
        ("problem", json!("single-machine")),
        ("method", json!("smith")),
        ("status", json!("optimal")),
        ("objective", json!(147)),
        ("bound", json!(147)),
        ("solution", json!({"order": [1, 4, 2, 3, 0]})),
    ] {
        assert_eq!(result[field], expected, "{field}");
    }
}

#[test]
fn the_summary_is_for_people() {
    let output = single_machine(&[&sample("repairs-5-jobs.single-machine")]);
    for part in ["repairs-5-jobs: 5 jobs", "cost       147", "proved optimal", "position  job"] {
        assert!(stdout(&output).contains(part), "'{part}' is not in: {}", stdout(&output));
    }
}

#[test]
fn wrong_input_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = instance(&folder, "1\n0 2");
    let message = "line 2: the time of job 0 must be at least 1";
    assert_refused(&single_machine(&[file.to_str().unwrap()]), 2, message);
}

#[test]
fn a_dash_is_standard_input() {
    assert_dash_is_standard_input(&["single-machine"], "repairs-5-jobs.single-machine");
}
