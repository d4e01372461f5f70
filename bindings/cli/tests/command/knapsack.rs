//! What `makespan knapsack` prints and refuses.

use std::process::Output;

use crate::common::{assert_refused, instance, makespan, stderr, stdout};
use crate::standard_input::assert_dash_is_standard_input;
use serde_json::Value;

const BOUNDED: &str = "3 10\n10 6 1\n7 5 2\n4 3 inf\n";

fn knapsack(arguments: &[&str]) -> Output {
    makespan().arg("knapsack").args(arguments).output().unwrap()
}

/// Runs the command with `--json` on an instance and parses the object it prints.
#[track_caller]
fn solve(text: &str, arguments: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let file = instance(&folder, text);
    let output = knapsack(&[&["--json", file.to_str().unwrap()], arguments].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_str(stdout(&output)).unwrap()
}

#[test]
fn every_method_says_what_it_takes() {
    for method in ["auto", "core", "dense"] {
        let result = solve(BOUNDED, &["--method", method]);
        assert_eq!(result["problem"], "knapsack");
        assert_eq!(result["method"], method);
        assert_eq!(result["status"], "optimal");
        assert_eq!((result["objective"].as_u64(), result["bound"].as_u64()), (Some(14), Some(14)));
        let items = result["solution"]["items"].as_array().unwrap();
        let sum = |name: &str| -> u64 {
            items
                .iter()
                .map(|item| item[name].as_u64().unwrap() * item["count"].as_u64().unwrap())
                .sum()
        };
        assert_eq!(
            (sum("profit"), Some(sum("weight"))),
            (14, result["solution"]["weight"].as_u64())
        );
        assert!(sum("weight") <= 10);
    }
    let greedy = solve(BOUNDED, &["--method", "greedy"]);
    assert!(greedy["objective"].as_u64() <= Some(14) && greedy["bound"].as_u64() >= Some(14));
}

#[test]
fn both_formats_are_read() {
    assert_eq!(solve("2\n0 5 3\n1 4 2\n4\n", &[])["objective"], 5);
    assert_eq!(solve("3 10\n4\n5\n9\n", &[])["objective"], 9);
}

#[test]
fn batches_say_what_each_knapsack_takes() {
    let folder = tempfile::tempdir().unwrap();
    let rows = folder.path().join("rows");
    std::fs::write(&rows, "10 7 4\n1 1 9\n").unwrap();
    let result = solve(BOUNDED, &["--profits", rows.to_str().unwrap()]);
    assert_eq!(
        (result["method"].as_str(), result["objective"].as_u64()),
        (Some("batch"), Some(14 + 27))
    );
    let choices = result["solution"].as_array().unwrap();
    let profits: Vec<u64> =
        choices.iter().map(|choice| choice["profit"].as_u64().unwrap()).collect();
    assert_eq!((profits, choices[1]["items"][0]["count"].as_u64()), (vec![14, 27], Some(3)));
    std::fs::write(&rows, "\n").unwrap();
    let file = instance(&folder, BOUNDED);
    let none = knapsack(&[file.to_str().unwrap(), "--profits", rows.to_str().unwrap()]);
    assert_refused(&none, 2, "rows: there are no profits");
    let method =
        knapsack(&[file.to_str().unwrap(), "--profits", rows.to_str().unwrap(), "--method=core"]);
    assert_refused(&method, 2, "--profits has its own method and takes no --method");
    std::fs::write(&rows, "10 7\n").unwrap();
    let output = knapsack(&[file.to_str().unwrap(), "--profits", rows.to_str().unwrap()]);
    assert_refused(&output, 2, "rows: line 1: 2 profits, but there are 3 items");
}

#[test]
fn zeros_are_numbers_like_others() {
    for method in ["auto", "greedy", "core", "dense"] {
        let result = solve("4 0\n3 0 2\n0 0 inf\n5 1 1\n0 4 1\n", &["--method", method]);
        assert_eq!(
            (&result["status"], &result["objective"]),
            (&"optimal".into(), &6.into()),
            "{method}"
        );
        let taken = serde_json::json!([{ "item": 0, "profit": 3, "weight": 0, "count": 2 }]);
        assert_eq!(result["solution"]["items"], taken);
    }
}

#[test]
fn wrong_files_are_refused_with_the_line() {
    for (text, message) in [
        ("2\n0 5 3\n", "line 2: the file ends where item 1 of 2 is expected"),
        ("2 9\n5 3\n4\n", "line 3: 1 numbers, but 2 in the lines before"),
        (
            "1 9\n3 0 inf\n",
            "copies[0]: is unbounded, but the item weighs nothing and is worth something",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = instance(&folder, text);
        assert_refused(&knapsack(&[file.to_str().unwrap()]), 2, message);
    }
}

#[test]
fn a_dash_is_standard_input() {
    assert_dash_is_standard_input(&["knapsack"], "coils.subset-sum");
}

#[test]
fn pinned_copies_are_part_of_the_choice() {
    let text = "3 12\n8 4\n10 6\n10 6\n";
    let pinned = solve(text, &["--pinned", "1 0 0"]);
    assert_eq!((&pinned["objective"], &pinned["status"]), (&18.into(), &"optimal".into()));
    assert_eq!(pinned["solution"]["items"][0]["item"], 0);
    let folder = tempfile::tempdir().unwrap();
    let path = instance(&folder, text);
    let path = path.to_str().unwrap();
    for (arguments, message) in [
        (&[path, "--pinned", "2 0 0"] as &[&str], "--pinned[0]: is 2, the most is 1"),
        (&[path, "--pinned", "1 1 1"], "--pinned: weigh 16, the capacity is 12"),
        (&[path, "--pinned", "1 0 0", "--start", "0 1 1"], "--start[0]: is 0, 1 copies are pinned"),
        (&[path, "--pinned", "1 0 0", "--profits", "-"], "--profits takes no --pinned"),
        (&[path, "--device", "0,1"], "--device takes one index here"),
    ] {
        assert_refused(&knapsack(arguments), 2, message);
    }
}

#[test]
fn a_solve_begins_with_the_start() {
    let text = "3 12\n8 4\n10 6\n10 6\n";
    let started = solve(text, &["--time-limit", "0", "--start", "0 1 1"]);
    assert_eq!(started["objective"], 20);
    let folder = tempfile::tempdir().unwrap();
    let path = instance(&folder, text);
    let refused = knapsack(&[path.to_str().unwrap(), "--start", "0 2 0"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("--start[1]: is 2"), "{}", stderr(&refused));
    let refused = knapsack(&[path.to_str().unwrap(), "--start", "0 1 1", "--profits", "-"]);
    assert!(stderr(&refused).contains("--profits takes no --start"), "{}", stderr(&refused));
}
