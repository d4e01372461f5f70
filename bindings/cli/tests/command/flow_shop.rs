//! What `makespan flow-shop` prints, draws and refuses.

use std::process::Output;

use crate::common::{assert_refused, instance, makespan, stderr, stdout};
use crate::standard_input::assert_dash_is_standard_input;
use serde_json::Value;

fn flow_shop(arguments: &[&str]) -> Output {
    makespan().arg("flow-shop").args(arguments).output().unwrap()
}

/// Runs the command with `--json` and parses the object it prints.
#[track_caller]
fn solve(arguments: &[&str]) -> Value {
    let output = flow_shop(&[&["--json"], arguments].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_str(stdout(&output)).unwrap()
}

#[test]
fn a_file_that_reads_two_ways_is_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let result = solve(&[instance(&folder, "1 2\n3 4\n").to_str().unwrap()]);
    assert!(result["warning"].as_str().unwrap().contains("1 job on 2 machines"), "{result}");
    assert_eq!(result["objective"], 7);
    for clear in ["9 2\n3 4\n5 6\n", "jobs machines\n2 2\nprocessing times\n1 2\n3 4\n"] {
        let result = solve(&[instance(&folder, clear).to_str().unwrap()]);
        assert_eq!(result["warning"], serde_json::Value::Null, "{clear:?}");
    }
}

#[test]
fn the_hosts_pool_needs_a_device() {
    let arguments = ["flow-shop", "ta001", "--exploration", "host-pool", "--engine", "cpu"];
    assert_refused(&makespan().args(arguments).output().unwrap(), 2, "--exploration host-pool");
}

#[test]
fn a_schedule_is_printed_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = instance(&folder, "3 2\n3 1 2\n2 4 1\n");
    let chart = folder.path().join("chart.svg");
    let result = solve(&[file.to_str().unwrap(), "--gantt", chart.to_str().unwrap()]);
    assert_eq!(result["problem"], "flow-shop");
    assert_eq!(
        (&result["status"], &result["objective"], &result["bound"]),
        (&"optimal".into(), &8.into(), &8.into())
    );
    assert_eq!(result["solution"]["permutation"][0], 1);
    assert_eq!(result["solution"]["starts"][1], serde_json::json!([0, 1]));
    assert_eq!(result["solution"]["ends"][1], serde_json::json!([1, 5]));
    let svg = std::fs::read_to_string(chart).unwrap();
    assert!(svg.contains("machine 1") && svg.contains("J1: 1 to 5"), "{svg}");
}

#[test]
fn constraints_and_a_start_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    let file = instance(&folder, "3 2\n3 1 2\n2 4 1\n");
    let path = file.to_str().unwrap();
    assert_eq!(solve(&[path, "--ready-times", "0,9"])["objective"], 16);
    let pinned = solve(&[path, "--pinned", "2", "--start", "2 1 0"]);
    assert_eq!(
        (&pinned["objective"], &pinned["solution"]["permutation"][0]),
        (&9.into(), &2.into())
    );
}

#[test]
fn known_instances_are_found_by_name() {
    let result = solve(&["ta001", "--method", "neh"]);
    let makespan = result["objective"].as_u64().unwrap();
    assert!((1278..1400).contains(&makespan), "{makespan}");
    assert_eq!((&result["instance"], &result["method"]), (&"ta001".into(), &"neh".into()));
}

#[test]
fn branch_and_bound_counts_its_nodes_and_keeps_its_search() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("ta003");
    let known =
        ["ta003", "--method", "branch-and-bound", "--upper-bound", "1081", "--engine", "cpu"];
    let keeping = [&known[..], &["--checkpoint", checkpoint.to_str().unwrap()]].concat();
    for _ in 0..2 {
        // The second run finds the proof in the file.
        let result = solve(&keeping);
        assert_eq!((&result["bound"], &result["statistics"]["nodes"]), (&1081.into(), &28.into()));
        assert_eq!((&result["status"], &result["objective"]), (&"infeasible".into(), &Value::Null));
        assert_eq!((&result["solution"], &result["interrupted"]), (&Value::Null, &false.into()));
    }
    let summary = flow_shop(&known);
    let line = "status     infeasible: no solution better than 1081\n";
    assert!(summary.status.success() && stdout(&summary).contains(line), "{}", stdout(&summary));
    for (rule, nodes) in [("max-sum", 43), ("min-min", 28), ("min-min-front", 27)] {
        let result = solve(&[&known[..], &["--branching", rule]].concat());
        assert_eq!(result["statistics"]["nodes"], nodes, "{rule}");
    }
    let other =
        ["ta001", "--method", "branch-and-bound", "--checkpoint", checkpoint.to_str().unwrap()];
    assert_refused(&flow_shop(&other), 2, "belongs to another instance");
    for output in ["--output", "--gantt"] {
        let onto_it = [&keeping[..], &[output, checkpoint.to_str().unwrap()]].concat();
        assert_refused(&flow_shop(&onto_it), 2, "would be overwritten");
    }
    let pool = ["ta001", "--method", "branch-and-bound", "--exploration", "host-pool"];
    assert_refused(
        &flow_shop(&[&pool[..], &["--pool-size", "0"]].concat()),
        2,
        "'--pool-size <N>': must be from 1",
    );
    assert_refused(
        &flow_shop(&[&pool[..], &["--bound", "lb1-lb2"]].concat()),
        2,
        "--bound: host-pool and tree-pool take lb1 or lb2",
    );
    assert_refused(
        &flow_shop(&[&pool[..], &["--pool-budget", "8"]].concat()),
        2,
        "--pool-budget: applies only to tree-pool",
    );
}

#[test]
fn several_devices_share_a_proof() {
    // PoCL offers as many devices as POCL_DEVICES names; other drivers ignore it.
    if !std::env::var("MAKESPAN_TEST_PLATFORM").is_ok_and(|platform| platform.contains("Portable"))
    {
        return;
    }
    let search = |devices: &str| {
        let arguments =
            ["ta030", "--method", "branch-and-bound", "--upper-bound", "2178", "--json"];
        let output = makespan()
            .arg("flow-shop")
            .args(arguments)
            .args(["--engine", "device", "--device", devices])
            .env_remove("OCL_ICD_VENDORS")
            .env_remove("OPENCL_DYLIB_PATH")
            .env("POCL_DEVICES", "pthread pthread")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let result: Value = serde_json::from_str(stdout(&output)).unwrap();
        assert_eq!((&result["status"], &result["bound"]), (&"infeasible".into(), &2178.into()));
        assert_eq!(result["statistics"]["nodes"], 2_415_747);
        result
    };
    let both = search("0,1");
    assert_eq!(
        (both["device"].as_str().unwrap().matches(", ").count(), &both["warning"]),
        (1, &Value::Null)
    );
    // A device that is not there takes no part, and the result says so.
    let alone = search("1,7");
    let warning = alone["warning"].as_str().unwrap();
    assert!(warning.starts_with("device 7 took no part: "), "{warning}");
    assert_eq!(alone["device"].as_str().unwrap().matches(", ").count(), 0);
}

#[test]
fn wrong_input_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = instance(&folder, "3 2\n3 1 2\n2 4 1\n");
    let path = file.to_str().unwrap();
    for (arguments, message) in [
        (&["ta121"] as &[&str], "ta121: there is no such file and no such known instance"),
        (&[path, "--start", "0 1"], "--start: 2 positions for 3 jobs"),
        (&[path, "--start", "0 1 1"], "--start[2]: job 1 stands at position 1 already"),
        (
            &[path, "--start", "0 -1"],
            "'0 -1' for '--start <LIST|FILE>': \"-1\" is not a whole number",
        ),
        (&[path, "--start", "missing.txt"], "'--start <LIST|FILE>': missing.txt: "),
        (&[path, "--pinned", "3"], "--pinned[0]: there is no job 3"),
        (&[path, "--ready-times", "3"], "--ready-times: 1 ready times for 2 machines"),
        (&[path, "--ready-times", "3 x"], "'x' is not a number of 32 bits"),
        (&[path, "--beam-width", "0"], "'--beam-width <N>': must be at least 1, not 0"),
        (&[path, "--trajectories", "0"], "'--trajectories <N>': must be from 1 to 65536"),
        (
            &[path, "--method", "tabu", "--tenure", "0"],
            "'--tenure <N>': must be from 1 to 4096, not 0",
        ),
        (&[path, "--method", "tabu", "--tenure", "4097"], "must be from 1 to 4096, not 4097"),
        (&[path, "--method", "tabu", "--tabu-list", "jobs"], "invalid value 'jobs'"),
        (&[path, "--iteration-limit", "0"], "--iteration-limit: must be at least 1"),
        (&[path, "--device", "1,0,1"], "1 is named twice"),
        (&[path, "--method", "tabu", "--device", "0,1"], "--device takes one index here"),
        (
            &[path, "--method", "iterated-greedy", "--device", "0,1"],
            "--device takes one index here",
        ),
        (&[path, "--method", "neh", "--device", "0,1"], "--device takes one index here"),
        (&[path, "--method", "beam", "--tenure", "9"], "--tenure: applies only to tabu"),
        (
            &[path, "--method", "tabu", "--evaluation", "full"],
            "--evaluation: applies only to swaps",
        ),
        (&[path, "--pool-sorted=false"], "--exploration: is neither host-pool nor tree-pool"),
        (&[path, "--checkpoint-interval", "9"], "--checkpoint-interval needs --checkpoint"),
        (&[path, "--checkpoint-interval", "-9"], "must be 0 or more, not -9"),
        (&[path, "--pool-sorted", "false"], "unexpected argument 'false'"),
        (&[path, "--pool-sorted=no"], "must be true or false"),
        (&[path, "--checkpoint", "x"], "--checkpoint: applies only to branch-and-bound"),
    ] {
        assert_refused(&flow_shop(arguments), 2, message);
    }
}

#[test]
fn a_method_without_kernels_does_not_pretend_to_use_a_device() {
    let devices = makespan().args(["devices", "--json"]).output().unwrap();
    let devices: Value = serde_json::from_str(stdout(&devices)).unwrap();
    let there = devices["devices"].as_array().is_some_and(|devices| !devices.is_empty());
    for method in ["iterated-greedy", "neh"] {
        let refused = flow_shop(&["ta001", "--method", method, "--engine", "device"]);
        let reason = if there { "not supported: the method" } else { "no OpenCL device" };
        assert_refused(&refused, 1, reason);
    }
}

#[test]
fn a_dash_is_standard_input() {
    assert_dash_is_standard_input(&["flow-shop"], "finishing-8-jobs.txt");
}
