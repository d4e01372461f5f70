//! What `makespan interval-dp` prints and refuses.

use std::process::Output;

use crate::common::{assert_refused, instance, makespan, parse, stderr, stdout, with_device};
use crate::standard_input::assert_dash_is_standard_input;
use serde_json::{Value, json};

const CHAIN: &str = "30 35 15 5 10 20 25";

fn interval_dp(arguments: &[&str]) -> Output {
    makespan().arg("interval-dp").args(arguments).output().unwrap()
}

#[test]
fn methods_find_the_textbook_chain() {
    let folder = tempfile::tempdir().unwrap();
    let file = instance(&folder, CHAIN);
    let dot = folder.path().join("tree.dot");
    for method in ["auto", "hu-shing", "cubic", "serial"] {
        let arguments = [
            "matrix-chain",
            file.to_str().unwrap(),
            "--json",
            "--method",
            method,
            "--cells",
            "1,5",
        ];
        let result =
            parse(&interval_dp(&[&arguments[..], &["--dot", dot.to_str().unwrap()]].concat()));
        assert_eq!((&result["status"], &result["objective"]), (&json!("optimal"), &json!(15125)));
        assert_eq!(result["solution"]["parenthesisation"], "((A1 (A2 A3)) ((A4 A5) A6))");
        assert_eq!(result["solution"]["cells"], json!([7125]));
        assert_eq!(result["solution"]["cell_error"], json!(0.0));
        assert!(std::fs::read_to_string(&dot).unwrap().starts_with("digraph tree {"));
    }
}

#[test]
fn batches_are_read_by_lines_or_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let file = instance(&folder, &format!("{CHAIN}\n\n2 3 4\n7 8\n"));
    let result =
        parse(&interval_dp(&["matrix-chain", file.to_str().unwrap(), "--batch", "--json"]));
    assert_eq!((&result["status"], &result["objective"]), (&json!("optimal"), &json!(15125 + 24)));
    let objectives = |result: &Value| {
        let members = result["solution"].as_array().unwrap().clone();
        members.into_iter().map(|member| member["objective"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(objectives(&result), [15125, 24, 0]);
    let drawn = parse(&interval_dp(&["search-tree", "random:20:5", "--batch=3", "--json"]));
    for (seed, objective) in (5..).zip(objectives(&drawn)) {
        let single = parse(&interval_dp(&["search-tree", &format!("random:20:{seed}"), "--json"]));
        assert_eq!(single["objective"], objective);
    }
}

#[test]
fn a_limit_ends_before_the_instance_is_there_or_gives_what_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = instance(&folder, CHAIN);
    let limit = ["--time-limit", "0", "--json"];
    let at_once =
        |case: &[&str]| parse(&interval_dp(&[&["matrix-chain"], case, &limit[..]].concat()));
    let read = at_once(&[file.to_str().unwrap()]);
    for small in [&read, &at_once(&["random:500:1", "--method", "hu-shing"])] {
        assert_eq!((&small["status"], &small["interrupted"]), (&json!("feasible"), &json!(true)));
        assert!(small["objective"].is_number() && small["bound"].is_null(), "{small}");
    }
    let many = folder.path().join("many.txt");
    std::fs::write(&many, "2 3 4\n".repeat(170_000)).unwrap();
    let cases: [&[&str]; 2] = [
        &["random:2000:1", "--batch=10000", "--method", "hu-shing"],
        &[many.to_str().unwrap(), "--batch", "--method", "hu-shing"],
    ];
    for case in cases {
        let drawn = at_once(case);
        for field in ["problem", "engine", "interrupted"] {
            assert_eq!(drawn[field], read[field], "{field} of {case:?}");
        }
        assert_eq!(drawn["status"], "stopped", "{case:?}");
        for field in ["objective", "bound", "solution"] {
            assert!(drawn[field].is_null(), "{field} of {case:?}");
        }
    }
    let summary = interval_dp(&["matrix-chain", "random:500:1", "--time-limit", "0"]);
    assert_eq!(summary.status.code(), Some(0), "{}", stderr(&summary));
    assert!(stdout(&summary).contains("feasible, ended early"), "{}", stdout(&summary));
}

#[test]
fn sequences_are_folded() {
    let folder = tempfile::tempdir().unwrap();
    let file = instance(&folder, ">hairpin\nGGGAAAUCC\n");
    let file = file.to_str().unwrap();
    let weighted = ["nussinov", file, "--json", "--pair-weights", "3,2,1"];
    let result = parse(&interval_dp(&weighted));
    assert_eq!((&result["status"], &result["objective"]), (&json!("optimal"), &json!(7)));
    assert_eq!(result["solution"]["structure"], "(((...)))");
    let table = folder.path().join("pairs.csv");
    let written = interval_dp(&["nussinov", file, "--output", table.to_str().unwrap()]);
    assert!(written.status.success(), "{}", stderr(&written));
    let rows = std::fs::read_to_string(&table).unwrap();
    assert!(rows.starts_with("first,last,bases\n0,8,GC\n"), "{rows}");
    let energy = parse(&interval_dp(&["zuker", "random:60:1", "--json"]));
    assert_eq!(energy["sense"], "minimise");
    assert_eq!(energy["objective"], energy["bound"]);
    let near = parse(&interval_dp(&["nussinov", "random:60:1", "--json", "--hairpin", "0"]));
    let far = parse(&interval_dp(&["nussinov", "random:60:1", "--json", "--hairpin", "9"]));
    assert!(near["objective"].as_i64() > far["objective"].as_i64());
    let refused =
        |arguments: &[&str], message: &str| assert_refused(&interval_dp(arguments), 2, message);
    refused(&["nussinov", file, "--batch"], "--batch and --dot are not for folding");
    refused(&["nussinov", file, "--pair-weights", "1,2"], "takes three numbers");
    let method = interval_dp(&["nussinov", file, "--method", "knuth"]);
    assert_refused(&method, 1, "not supported: the method knuth");
    refused(&["nussinov", file, "--expression", "1"], "for custom problems");
    refused(&["matrix-chain", "random:5:1", "--hairpin", "3"], "are for nussinov");
    let wrong = instance(&folder, "GGNCC");
    refused(&["nussinov", wrong.to_str().unwrap()], "line 1: 'N' is not A, C, G, U or T");
}

#[test]
fn wrong_use_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let refused =
        |arguments: &[&str], message: &str| assert_refused(&interval_dp(arguments), 2, message);
    for (text, message) in [
        ("7", "dimensions: 1 given"),
        ("3 0 4", "dimensions[1]: 0 is not positive"),
        ("3 -2 4", "dimensions[1]: -2 is not positive"),
        ("3.5 NaN 4", "dimensions[1]: NaN is not positive"),
        ("3 x 4", "line 1: 'x' is not a number"),
    ] {
        let file = instance(&folder, text);
        refused(&["matrix-chain", file.to_str().unwrap()], message);
    }
    let file = instance(&folder, "1 2\n3 x\n");
    refused(&["matrix-chain", file.to_str().unwrap(), "--batch"], "line 2: ");
    refused(&["matrix-chain", file.to_str().unwrap(), "--batch=4"], "for random instances only");
    for arguments in [["matrix-chain", "--method", "serial"], ["nussinov", "--method", "auto"]] {
        let [problem, option, method] = arguments;
        let given = [problem, "random:9:1", option, method, "--device", "0,1"];
        refused(&given, "--device takes one index here");
    }
    refused(&["matrix-chain", "random:5:1", "--batch"], "--batch needs a number");
    let cells = ["matrix-chain", "random:5:1", "--batch=2", "--cells", "0,1"];
    refused(&cells, "--batch returns no --cells");
    refused(&["matrix-chain", "random:5:1", "--cells", "0,1 2"], "must be pairs of numbers");
    let huge = interval_dp(&["matrix-chain", "random:5:1", "--batch=99999999999999"]);
    assert_refused(&huge, 1, "a batch of 99999999999999 random instances of 6 points needs ");
    refused(&["matrix-chain", "random:5:1", "--expression", "i"], "are for custom problems");
    refused(&["custom", "random:5:1", "--expression", "i"], "needs --expression and --magnitude");
    refused(
        &["custom", "random:5:1", "--expression", "-1000"],
        "needs --expression and --magnitude",
    );
    for (option, method, message) in [
        ("--groups", "hu-shing", "--groups: applies only to cm-3"),
        ("--groups", "cm-1", "--groups: applies only to cm-3"),
        ("--group-size", "knuth", "--group-size: applies only to cm-1, cm-2, cm-3, cm-4"),
        ("--group-size", "gmm", "--group-size: applies only to cm-1"),
        ("--mapping-k", "cubic", "--mapping-k: applies only to gmm"),
        ("--warp", "cm-4", "--warp: applies only to gmm"),
        ("--resident-items", "auto", "--resident-items: applies only to gmm"),
    ] {
        refused(&["matrix-chain", "random:5:1", "--method", method, option, "63"], message);
        refused(
            &["matrix-chain", "random:5:1", "--batch=2", "--method", method, option, "63"],
            message,
        );
    }
    let custom =
        ["custom", "random:5:1", "--expression", "i", "--magnitude", "5", "--engine", "cpu"];
    assert_refused(&interval_dp(&custom), 1, "without a function on the CPU");
}

#[test]
fn expressions_run_on_a_device() {
    let Some(mut command) = with_device("interval-dp") else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = instance(&folder, CHAIN);
    let expression = ["--expression", "data[i] * data[k] * data[j]", "--magnitude", "42875"];
    let output = command.arg("custom").arg(&file).args(expression).output().unwrap();
    let result = parse(&output);
    assert_eq!((&result["status"], &result["objective"]), (&json!("optimal"), &json!(15125)));
    assert_eq!(result["solution"]["parenthesisation"], "((A1 (A2 A3)) ((A4 A5) A6))");
}

#[test]
fn the_compilers_words_reach_the_user() {
    let Some(mut command) = with_device("interval-dp") else { return };
    let output =
        command.args(["custom", "random:5:1", "--expression", "i +\n no_name", "--magnitude", "5"]);
    let output = output.output().unwrap();
    // Drivers may print words of their own before.
    assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""));
    let message = stderr(&output);
    // The second line of the expression, and the column in it.
    assert!(
        message.contains("makespan: error: --expression: ") && message.contains("no_name"),
        "{message}"
    );
    assert!(message.contains("line 2, column 2: "), "{message}");
}

#[test]
fn a_dash_is_standard_input() {
    assert_dash_is_standard_input(&["interval-dp", "matrix-chain"], "six-matrices.chain");
}
