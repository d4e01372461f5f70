//! What `makespan lattice-dp` prints and refuses.

use std::process::Output;

use crate::common::{assert_refused, instance, makespan, sample, stderr, stdout};
use crate::standard_input::assert_dash_is_standard_input;
use serde_json::{Value, json};

fn lattice_dp(arguments: &[&str]) -> Output {
    makespan().arg("lattice-dp").args(arguments).output().unwrap()
}

/// Runs the command with `--json` and parses the object it prints.
#[track_caller]
fn solve(arguments: &[&str]) -> Value {
    let output = lattice_dp(&[&["--json"], arguments].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    serde_json::from_str(stdout(&output)).unwrap()
}

#[test]
fn a_way_leads_from_corner_to_corner() {
    let result = solve(&[&sample("three-moves.lattice")]);
    assert_eq!(result["problem"], "lattice-dp");
    assert_eq!((&result["status"], &result["objective"]), (&json!("optimal"), &json!(37)));
    assert_eq!(result["statistics"]["cells"], 9 * 8 * 7);
    let moves = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 1, 1]];
    let mut reached = [0; 3];
    for offset in result["solution"]["offsets"].as_array().unwrap() {
        let vector = moves[offset.as_u64().unwrap() as usize];
        (0..3).for_each(|axis| reached[axis] += vector[axis]);
    }
    assert_eq!(reached, [8, 7, 6]);
}

#[test]
fn every_traversal_finds_the_same_way() {
    let file = sample("three-moves.lattice");
    let way = solve(&[&file])["solution"].clone();
    for more in [
        &["--launches", "stepwise"] as &[&str],
        &["--launches", "persistent"],
        &["--traversal", "levels"],
        &["--traversal", "levels", "--launches", "persistent"],
        &["--traversal", "levels", "--children", "parallel"],
        &["--traversal", "blocks"],
        &[
            "--traversal",
            "blocks",
            "--partition",
            "3",
            "--divisors",
            "printed",
            "--launches",
            "stepwise",
        ],
    ] {
        let result = solve(&[&[file.as_str()], more].concat());
        assert_eq!(result["solution"], way, "{more:?}");
    }
    assert_eq!(solve(&[&file, "--traversal", "blocks"])["method"], "blocks");
}

#[test]
fn traversals_are_for_lattices_and_must_make_sense() {
    let (lattice, packing) = (sample("three-moves.lattice"), sample("pallets.lattice"));
    for (file, arguments, words) in [
        (&packing, ["--traversal", "levels"], "--traversal: applies only to lattices"),
        (&packing, ["--launches", "persistent"], "--launches: applies only to lattices"),
        (&lattice, ["--recurrence", "unit-steps"], "--recurrence: applies only to packings"),
        (&lattice, ["--traversal", "spiral"], "'spiral'"),
        (&lattice, ["--launches", "once"], "'once'"),
        (&lattice, ["--children", "parallel"], "--children: applies only to the traversals"),
        (&lattice, ["--partition", "4"], "--partition: applies only to the traversal 'blocks'"),
    ] {
        assert_refused(&lattice_dp(&[&[file.as_str()], &arguments[..]].concat()), 2, words);
    }
    let shared = [&lattice, "--traversal", "levels", "--device", "0,1"];
    assert_refused(&lattice_dp(&shared), 2, "--device takes one index here");
}

#[test]
fn both_recurrences_pack_into_as_few_containers() {
    for recurrence in ["configurations", "unit-steps"] {
        let result = solve(&[&sample("pallets.lattice"), "--recurrence", recurrence]);
        assert_eq!((&result["method"], &result["status"]), (&json!(recurrence), &json!("optimal")));
        assert_eq!(result["objective"], 6);
        let mut items = [0; 3];
        for container in result["solution"]["containers"].as_array().unwrap() {
            let list = container["items"].as_array().unwrap();
            let counts: Vec<u64> = list.iter().map(|count| count.as_u64().unwrap()).collect();
            assert!(4 * counts[0] + 5 * counts[1] + 7 * counts[2] <= 16);
            let times = container["count"].as_u64().unwrap();
            (0..3).for_each(|item| items[item] += times * counts[item]);
        }
        assert_eq!(items, [7, 6, 5]);
    }
}

#[test]
fn a_box_without_a_way_is_infeasible() {
    let folder = tempfile::tempdir().unwrap();
    let file = instance(&folder, "sizes 3 2\noffset 1 2 0\n");
    let result = solve(&[file.to_str().unwrap()]);
    assert_eq!((&result["status"], &result["objective"]), (&json!("infeasible"), &json!(null)));
}

#[test]
fn bad_problems_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (text, words) in [
        ("", "the file is empty"),
        ("sizes 3 x\n", "line 1: a size is expected, not 'x'"),
        ("sizes 3 0\n", "sizes[1]: must be at least 1"),
        ("sizes 3\noffset 1 0\n", "offsets[0]: is all zeros"),
        ("capacity 9\nitem 10 1\n", "sizes[0]: must be from 1 to the capacity 9, not 10"),
    ] {
        let file = instance(&folder, text);
        assert_refused(&lattice_dp(&[file.to_str().unwrap()]), 2, words);
    }
}

#[test]
fn what_is_too_large_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |text, arguments: &[&str], words| {
        let file = instance(&folder, text);
        let output = lattice_dp(&[&[file.to_str().unwrap()], arguments].concat());
        assert!(!output.status.success());
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
    };
    refused("sizes 1048576 1048576\n", &[], "a lattice of 1099511627776 cells needs");
    let limited = ["--memory-limit", "100K", "--engine", "cpu"];
    refused("sizes 100 100 100\noffset 1 1 1 1\n", &limited, "a lattice of 1000000 cells needs");
    let twos = format!("sizes{}\n", " 2".repeat(40));
    refused(&twos, &[], "a lattice of 1099511627776 cells needs");
    let (large, by_levels) = ("sizes 2000 2000 2000\noffset 1 1 1 1\n", ["--traversal", "levels"]);
    refused(large, &by_levels, "not supported: a lattice of 8000000000 cells by levels or blocks");
    let many = "capacity 9\nitem 1 65535\nitem 2 65535\n";
    refused(
        many,
        &["--recurrence", "unit-steps"],
        "not supported: a lattice of 4294967296 cells and 131070 items",
    );
}

#[test]
fn a_dash_is_standard_input() {
    assert_dash_is_standard_input(&["lattice-dp"], "three-moves.lattice");
}
