//! What `makespan multidimensional-knapsack` prints and refuses.

use std::process::Output;

use crate::common::{assert_refused, instance, makespan, sample, stderr, stdout};
use crate::standard_input::assert_dash_is_standard_input;
use serde_json::Value;

const SAMPLE: &str = "trucks-10-pallets.mknap";

fn run(arguments: &[&str]) -> Output {
    makespan().arg("multidimensional-knapsack").args(arguments).output().unwrap()
}

#[test]
fn every_method_says_what_it_takes() {
    for method in ["auto", "branch-and-bound", "dense"] {
        let output = run(&[&sample(SAMPLE), "--json", "--method", method]);
        assert!(output.status.success(), "{}", stderr(&output));
        let result: Value = serde_json::from_str(stdout(&output)).unwrap();
        assert_eq!(result["problem"], "multidimensional-knapsack");
        assert_eq!((&result["method"], &result["status"]), (&method.into(), &"optimal".into()));
        assert_eq!(result["objective"], result["bound"]);
        let choice = &result["solution"];
        let items = choice["items"].as_array().unwrap();
        let sum = |of: &dyn Fn(&Value) -> u64| items.iter().map(of).sum::<u64>();
        assert_eq!(result["objective"], sum(&|item| item["profit"].as_u64().unwrap()));
        for (dimension, capacity) in [60, 40, 16].into_iter().enumerate() {
            let weight = sum(&|item| item["weights"][dimension].as_u64().unwrap());
            assert!(choice["weights"][dimension] == weight && weight <= capacity);
        }
    }
}

#[test]
fn the_summary_is_for_people() {
    let output = run(&[&sample(SAMPLE)]);
    for part in ["trucks-10-pallets: 10 items, 3 dimensions", "proved optimal", "item  profit"] {
        assert!(stdout(&output).contains(part), "'{part}' is not in: {}", stdout(&output));
    }
}

#[test]
fn wrong_files_are_refused_with_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = instance(&folder, "2 1 0\n5 4\n3");
    let message = "line 3: the file ends where the weight of item 1 in dimension 0 is expected";
    assert_refused(&run(&[file.to_str().unwrap()]), 2, message);
}

#[test]
fn a_start_has_to_fit() {
    let start = "1 1 1 1 1 1 1 1 1 1";
    let refused = run(&[&sample(SAMPLE), "--start", start]);
    assert_refused(&refused, 2, "--start: weigh 119 in dimension 0, the capacity is 60");
    let started = run(&[&sample(SAMPLE), "--start", "1 0 0 0 1 1 1 1 1 0", "--time-limit", "0"]);
    assert!(stdout(&started).contains("profit     130"), "{}", stdout(&started));
}

#[test]
fn a_dash_is_standard_input() {
    assert_dash_is_standard_input(&["multidimensional-knapsack"], SAMPLE);
}
