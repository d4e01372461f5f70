//! Options by name: lists of them, their schemas, files of options, and options in results.

use crate::common::{assert_refused, makespan, sample, stderr, stdout};
use serde_json::{Value, json};

const PROBLEMS: [(&str, &[&str]); 7] = [
    ("cutting-stock", &["method"]),
    ("flow-shop", &["method", "start", "exploration", "pool_sorted", "tenure"]),
    ("interval-dp", &["method", "cells", "assume_quadrangle", "warp", "resident_items"]),
    ("knapsack", &["method"]),
    ("lattice-dp", &["traversal", "partition", "divisors", "launches"]),
    ("parallel-machines", &["method", "epsilon", "segments", "traversal"]),
    ("recurrence", &["method", "values", "choices", "fold"]),
];
const COMMON: [&str; 9] = [
    "time_limit",
    "iteration_limit",
    "memory_limit",
    "seed",
    "engine",
    "device",
    "threads",
    "cache",
    "tuning",
];

fn run(arguments: &[&str]) -> String {
    let output = makespan().args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output).to_owned()
}

fn schema(problem: &str) -> Value {
    serde_json::from_str(&run(&["options", problem, "--schema"])).unwrap()
}

#[test]
fn lists_and_schemas_name_every_option() {
    for (problem, own) in PROBLEMS {
        let list = run(&["options", problem]);
        let listed: Vec<&str> =
            list.lines().skip(1).map(|line| line.split_whitespace().next().unwrap()).collect();
        let schema = schema(problem);
        let properties = schema["properties"].as_object().unwrap();
        assert_eq!(properties.len(), listed.len(), "{problem}");
        for name in own.iter().chain(&COMMON) {
            assert!(listed.contains(name), "{problem}: {name} is not in {list}");
        }
        for name in listed {
            let property = &properties[name];
            for field in ["type", "default", "description", "x-tier", "x-methods"] {
                assert!(!property[field].is_null(), "{problem}: {field} of {name}");
            }
        }
    }
}

#[test]
fn a_schema_has_types_ranges_and_choices() {
    let schema = schema("flow-shop");
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    let properties = &schema["properties"];
    assert_eq!(
        properties["tenure"],
        json!({
            "description": "Generations for which a move of tabu search stays forbidden",
            "type": "integer", "minimum": 1, "maximum": 4096, "default": 10,
            "x-tier": "advanced", "x-methods": ["tabu"],
        })
    );
    let methods = &properties["method"]["enum"];
    assert!(methods.as_array().unwrap().contains(&json!("iterated-greedy")), "{methods}");
    assert!(properties["evaluation"]["enum"].as_array().unwrap().contains(&json!("auto")));
    assert_eq!(properties["time_limit"]["type"], json!(["number", "string"]));
    assert_eq!(properties["time_limit"]["pattern"], "^(inf|none)$");
    assert_eq!(properties["pool_sorted"]["default"], true);
}

#[test]
fn a_file_of_options_is_read_and_the_result_tells_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("options");
    let text = "# short\nmethod = tabu\ntenure = 5\niteration_limit = 3\nengine = cpu\n";
    std::fs::write(&file, text).unwrap();
    let params = file.to_str().unwrap();
    let instance = sample("finishing-8-jobs.txt");
    let solve = |more: &[&str]| {
        run(&[&["flow-shop", &instance, "--json", "--params", params], more].concat())
    };
    let mut expected =
        json!({ "method": "tabu", "tenure": 5, "iteration_limit": 3, "engine": "cpu" });
    let result: Value = serde_json::from_str(&solve(&[])).unwrap();
    assert_eq!((&result["options"], &result["method"]), (&expected, &json!("tabu")));
    let result: Value =
        serde_json::from_str(&solve(&["--tenure", "10", "--time-limit=1.5"])).unwrap();
    expected["time_limit"] = json!(1.5);
    expected.as_object_mut().unwrap().remove("tenure");
    assert_eq!(result["options"], expected);

    std::fs::write(&file, "seed = 1\n\ntenure = 0\n").unwrap();
    let refused = makespan().args(["flow-shop", &instance, "--params", params]).output().unwrap();
    assert_refused(&refused, 2, "' for '--params <FILE>': line 3: tenure: must be from 1 to 4096");
    assert_refused(&refused, 2, params);
}
