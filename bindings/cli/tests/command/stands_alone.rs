//! A JSON result is complete: a Gantt chart and a convergence curve need no other file.

use crate::common::{makespan, sample, stderr, stdout};
use serde_json::Value;

#[track_caller]
fn solve(arguments: &[&str]) -> Value {
    let output = makespan().args(arguments).arg("--json").output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_str(stdout(&output)).unwrap()
}

/// A bar of a chart: machine, start and end.
type Bar = (usize, u64, u64);

fn numbers(list: &Value) -> Vec<u64> {
    list.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

fn bars_of_a_flow_shop(solution: &Value) -> Vec<Bar> {
    let jobs = numbers(&solution["permutation"]);
    let on_all = |job: u64| {
        let [starts, ends] = ["starts", "ends"].map(|name| numbers(&solution[name][job as usize]));
        starts
            .into_iter()
            .zip(ends)
            .enumerate()
            .map(|(machine, (start, end))| (machine, start, end))
    };
    jobs.into_iter().flat_map(on_all).collect()
}

fn bars_of_parallel_machines(solution: &Value) -> Vec<Bar> {
    let [machines, starts, ends] =
        ["assignment", "starts", "ends"].map(|name| numbers(&solution[name]));
    let bars = machines.into_iter().zip(starts).zip(ends);
    bars.map(|((machine, start), end)| (machine as usize, start, end)).collect()
}

/// The chart has all jobs, one at a time on each machine, and ends with the objective.
#[track_caller]
fn check_chart(mut bars: Vec<Bar>, count: usize, objective: &Value) {
    assert_eq!(bars.len(), count);
    bars.sort_unstable();
    for pair in bars.windows(2) {
        assert!(pair[0].0 < pair[1].0 || pair[0].2 <= pair[1].1, "{pair:?}");
    }
    assert!(bars.iter().all(|bar| bar.1 <= bar.2));
    assert_eq!(bars.iter().map(|bar| bar.2).max(), objective.as_u64());
}

/// Checks that times increase, values never become worse, and the last point is the result.
#[track_caller]
fn check_curve(result: &Value) {
    let trace = result["trace"].as_array().unwrap();
    let total = result["seconds"].as_f64().unwrap() + result["setup_seconds"].as_f64().unwrap();
    let seconds = |point: &Value| point["seconds"].as_f64().unwrap();
    let better = |value: &Value, than: &Value| than.is_null() || value.as_i64() <= than.as_i64();
    for pair in trace.windows(2) {
        assert!(seconds(&pair[0]) <= seconds(&pair[1]));
        assert!(better(&pair[1]["objective"], &pair[0]["objective"]), "{pair:?}");
        // Bounds rise.
        assert!(pair[0]["bound"].is_null() || better(&pair[0]["bound"], &pair[1]["bound"]));
    }
    let last = trace.last().unwrap();
    assert!(seconds(last) <= total + 1e-3, "{last} after {total}");
    assert_eq!((&last["objective"], &last["bound"]), (&result["objective"], &result["bound"]));
    assert_eq!(result["sense"], "minimise");
}

/// It says how it came about.
#[track_caller]
fn check_origin(result: &Value, seed: u64, options: &[(&str, Value)]) {
    assert_eq!(result["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&result["engine"], &result["device"]), (&"cpu".into(), &Value::Null));
    assert_eq!(result["seed"], seed);
    for (name, value) in options {
        assert_eq!(&result["options"][name], value, "{name}");
    }
}

#[test]
fn a_flow_shop() {
    let arguments = ["flow-shop", "ta001", "--method", "iterated-greedy"];
    let limits = ["--iteration-limit", "200", "--seed", "7"];
    let result = solve(&[&arguments[..], &limits[..]].concat());
    check_chart(bars_of_a_flow_shop(&result["solution"]), 100, &result["objective"]);
    check_curve(&result);
    let options = [("method", "iterated-greedy".into()), ("iteration_limit", 200.into())];
    check_origin(&result, 7, &options);
    assert_eq!(result["instance"], "ta001");
}

#[test]
fn parallel_machines() {
    let file = sample("assembly-40-jobs.pcmax");
    let result = solve(&["parallel-machines", &file, "--time-limit", "9"]);
    check_chart(bars_of_parallel_machines(&result["solution"]), 40, &result["objective"]);
    check_curve(&result);
    check_origin(&result, 0, &[("method", "auto".into()), ("time_limit", 9.into())]);
}
