//! What `makespan cutting-stock` prints, writes and refuses.

use std::process::Output;

use crate::common::{assert_refused, instance, makespan, sample, stderr, stdout};
use crate::standard_input::assert_dash_is_standard_input;
use serde_json::Value;

fn cutting_stock(arguments: &[&str]) -> Output {
    makespan().arg("cutting-stock").args(arguments).output().unwrap()
}

/// Runs the command with `--json` and parses the object it prints.
#[track_caller]
fn solve(arguments: &[&str]) -> Value {
    let output = cutting_stock(&[&["--json"], arguments].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    serde_json::from_str(stdout(&output)).unwrap()
}

/// Lengths and demands of a sample, and its stock length, read by other code than the library's.
fn read(text: &str, with_demands: bool) -> (Vec<(u64, u64)>, u64) {
    let numbers: Vec<u64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let items = &numbers[2..];
    let items = if with_demands {
        items.chunks(2).map(|pair| (pair[0], pair[1])).collect()
    } else {
        items.iter().map(|&length| (length, 1)).collect()
    };
    (items, numbers[1])
}

#[track_caller]
fn assert_sound(result: &Value, items: &[(u64, u64)], stock_length: u64) {
    let mut cut = vec![0; items.len()];
    let mut pieces = 0;
    for pattern in result["solution"]["patterns"].as_array().unwrap() {
        let count = pattern["count"].as_u64().unwrap();
        let mut used = pattern["waste"].as_u64().unwrap();
        for item in pattern["items"].as_array().unwrap() {
            let number = |name: &str| item[name].as_u64().unwrap();
            assert_eq!(number("length"), items[number("type") as usize].0);
            used += number("length") * number("count");
            cut[number("type") as usize] += number("count") * count;
        }
        assert_eq!(used, stock_length);
        pieces += count;
    }
    assert_eq!(cut, items.iter().map(|item| item.1).collect::<Vec<u64>>());
    assert_eq!(result["objective"], pieces);
    let bound = result["bound"].as_u64().unwrap();
    assert!(bound <= pieces);
    assert_eq!(result["status"] == "optimal", bound == pieces);
}

#[test]
fn every_sample_is_solved() {
    for (name, methods) in [
        ("bars-4-lengths.csp", &["auto", "ffd", "exact"] as &[&str]),
        ("window-frames.csp", &["auto", "ffd"]),
        ("pallets.bpp", &["auto", "ffd", "exact"]),
    ] {
        let file = sample(name);
        let (items, stock_length) =
            read(&std::fs::read_to_string(&file).unwrap(), name.ends_with("csp"));
        for method in methods {
            let result = solve(&[&file, "--method", method]);
            assert_eq!(
                (&result["problem"], &result["method"]),
                (&"cutting-stock".into(), &(*method).into())
            );
            assert_sound(&result, &items, stock_length);
        }
    }
}

#[test]
fn the_table_finds_what_first_fit_misses() {
    let file = sample("bars-4-lengths.csp");
    assert_eq!(solve(&[&file, "--method", "ffd"])["objective"], 6);
    let result = solve(&[&file]);
    assert_eq!((&result["objective"], &result["status"]), (&5.into(), &"optimal".into()));
    assert_eq!(result["statistics"]["cells"], 1225);
}

#[test]
fn the_summary_is_for_people() {
    let output = cutting_stock(&[&sample("bars-4-lengths.csp")]);
    let text = stdout(&output);
    for part in
        ["bars-4-lengths: 20 items of 4 types, stock length 100", "pieces     5", "proved optimal"]
    {
        assert!(text.contains(part), "'{part}' is not in: {text}");
    }
}

#[test]
fn the_result_is_written_as_it_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("solution.json");
    let file = sample("pallets.bpp");
    let output = cutting_stock(&[&file, "--json", "--output", path.to_str().unwrap()]);
    assert!(output.status.success());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), stdout(&output));
    let itself = folder.path().join("itself");
    std::fs::write(&itself, "1 5\n5").unwrap();
    let itself = itself.to_str().unwrap();
    assert_refused(&cutting_stock(&[itself, "--output", itself]), 2, "would be overwritten");
}

#[test]
fn wrong_input_is_refused() {
    for (text, message) in [
        ("", "line 1: the file is empty"),
        ("2 10\n7\n11", "line 3: the length of item type 1 is 11, a stock piece only 10"),
        ("3 10\n7 2\n5 1", "line 3: 3 lengths, with or without a demand each, are expected"),
        ("4 10\n7 2\n5 1", "line 2: lengths in lines of two"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = instance(&folder, text);
        assert_refused(&cutting_stock(&[file.to_str().unwrap()]), 2, message);
    }
    let file = sample("bars-4-lengths.csp");
    assert_refused(&cutting_stock(&[&file, "--method", "ptas"]), 2, "'ptas'");
}

#[test]
fn a_table_that_is_too_large_costs_the_proof_alone() {
    let file = sample("bars-4-lengths.csp");
    let result = solve(&[&file, "--method", "exact", "--memory-limit", "100"]);
    let (items, stock_length) = read(&std::fs::read_to_string(&file).unwrap(), true);
    assert_sound(&result, &items, stock_length);
    assert_eq!(result["status"], "feasible");
    let warning = "the dynamic program is left out: \
                   a lattice of 1225 cells needs 1225 bytes, the limit is 100 bytes";
    assert!(result["warning"].as_str().unwrap().starts_with(warning), "{result}");
}

#[test]
fn a_dash_is_standard_input() {
    assert_dash_is_standard_input(&["cutting-stock"], "bars-4-lengths.csp");
}

#[test]
fn pieces_in_use_come_first() {
    let folder = tempfile::tempdir().unwrap();
    let file = instance(&folder, "2 10\n6 2\n4 2\n");
    let path = file.to_str().unwrap();
    let result = solve(&[path, "--pinned", "1 1 1 2"]);
    assert_eq!((&result["objective"], &result["status"]), (&3.into(), &"optimal".into()));
    let first = &result["solution"]["patterns"][0]["items"];
    assert_eq!((&first[0]["type"], &first[0]["count"]), (&1.into(), &2.into()));
    let list = folder.path().join("in-use");
    std::fs::write(&list, "1 0\n1 1 0 1\n").unwrap();
    assert_eq!(solve(&[path, "--pinned", list.to_str().unwrap()])["objective"], 2);
    for (arguments, message) in [
        (&[path, "--pinned", "1 1 0 2"] as &[&str], "--pinned[0]: is 12 long"),
        (&[path, "--pinned", "3 1 0 1"], "--pinned: have 3 items of type 0, the demand is 2"),
        (&[path, "--pinned", "1 1 0"], "ends within a pattern"),
        (
            &[path, "--pinned", "1 1 1 2", "--start", "2 2 0 1 1 1"],
            "--start[0]: has 1 items of type 1, 2 are pinned",
        ),
    ] {
        let refused = cutting_stock(arguments);
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains(message), "{}", stderr(&refused));
    }
}

#[test]
fn a_solve_begins_with_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = instance(&folder, "2 10\n4 2\n3 4\n");
    let path = file.to_str().unwrap();
    let without_time = |start| ["--time-limit", "0", "--start", start, path];
    assert_eq!(solve(&without_time("2 2 0 1 1 2"))["objective"], 2);
    let refused = cutting_stock(&without_time("1 1 0 3"));
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("--start[0]: is 12 long, a stock piece only 10"),
        "{}",
        stderr(&refused)
    );
}
