//! `makespan prewarm` on a machine without OpenCL, and arguments that it refuses.

use crate::common::{makespan, stderr, stdout};
use serde_json::Value;

#[test]
fn a_machine_without_opencl_says_why() {
    let output = makespan().args(["prewarm", "--json", "knapsack"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let result: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(result["done"], 0);
    assert!(result["total"].as_u64().unwrap() > 1);
    assert!(result["problems"][0].as_str().unwrap().starts_with("no OpenCL device: "));
    let error = stderr(&output);
    assert!(error.contains("kernels are missing: no OpenCL device: "), "{error}");
}

#[test]
fn the_processor_is_measured_once() {
    let folder = tempfile::tempdir().unwrap();
    let measured = || {
        let mut command = makespan();
        command.env("MAKESPAN_CACHE_DIR", folder.path());
        let output = command.args(["prewarm", "--json", "knapsack"]).output().unwrap();
        let result: Value = serde_json::from_str(stdout(&output)).unwrap();
        result["measured"].clone()
    };
    assert_eq!(measured(), serde_json::json!(["processor"]));
    assert_eq!(measured(), serde_json::json!([]));
    for file in std::fs::read_dir(folder.path()).unwrap() {
        std::fs::write(file.unwrap().path(), "damaged").unwrap();
    }
    assert_eq!(measured(), serde_json::json!(["processor"]));
    let mut command = makespan();
    let folder = tempfile::tempdir().unwrap();
    let output = command.env("MAKESPAN_CACHE_DIR", folder.path()).args(["prewarm", "knapsack"]);
    let text = stdout(&output.output().unwrap()).to_owned();
    assert!(text.starts_with("speeds of processor in "), "{text}");
}

#[test]
fn the_size_of_an_instance_needs_fewer_kernels_than_the_usual_sizes() {
    let total = |names: &[&str]| {
        let output = makespan().args(["prewarm", "--json"]).args(names).output().unwrap();
        let result: Value = serde_json::from_str(stdout(&output)).unwrap();
        result["total"].as_u64().unwrap()
    };
    let (one, usual) = (total(&["flow-shop", "ta021"]), total(&["flow-shop"]));
    assert!(one < usual);
    assert_eq!(total(&["knapsack", "flow_shop", "ta021"]), total(&["knapsack"]) + one);
    assert!(total(&[]) > usual);
}

#[test]
fn unknown_names_and_files_are_refused() {
    let refusal = |names: &[&str]| {
        let output = makespan().arg("prewarm").args(names).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{names:?}");
        stderr(&output).to_owned()
    };
    let error = refusal(&["knapsack", "job-shop"]);
    assert!(error.contains("\"job-shop\" is no problem and no kernel family; known: "), "{error}");
    assert!(error.contains("lattice_slabs"), "{error}");
    let error = refusal(&["flow-shop", "/nowhere/x"]);
    assert!(error.contains("/nowhere/x: No such file"), "{error}");
}
