//! What `makespan recurrence` prints and refuses.

use std::process::Output;

use crate::common::{assert_refused, instance, makespan, parse, sample, stdout, with_device};
use crate::standard_input::assert_dash_is_standard_input;
use serde_json::{Value, json};

fn recurrence(arguments: &[&str]) -> Output {
    makespan().arg("recurrence").args(arguments).output().unwrap()
}

/// Runs the command with `--json` and parses the object it prints.
#[track_caller]
fn solve(arguments: &[&str]) -> Value {
    parse(&recurrence(&[&["--json"], arguments].concat()))
}

/// The fewest coins for an amount, by trying all of the largest ones first: right for these coins.
fn greedy(mut amount: u64) -> u64 {
    let mut count = 0;
    for coin in [50, 20, 10, 5, 2, 1] {
        count += amount / coin;
        amount %= coin;
    }
    count
}

#[test]
fn methods_fill_the_sample_alike() {
    let file = sample("coins.recurrence");
    let expected: Vec<u64> = (0..1000).map(greedy).collect();
    for method in
        ["auto", "sequential", "tournament", "pipeline", "two-by-two", "p-fold", "blocked"]
    {
        let result = solve(&[&file, "--method", method, "--values", "table"]);
        assert_eq!(result["problem"], "recurrence");
        assert_eq!(
            (&result["status"], &result["objective"]),
            (&json!("optimal"), &json!(greedy(999)))
        );
        assert_eq!(result["solution"]["values"], json!([expected]));
        assert_eq!(result["statistics"]["operands"], 950 * 6);
    }
    let last = solve(&[&file]);
    assert_eq!(last["solution"], json!({ "last": [greedy(999)] }));
}

#[test]
fn an_operator_of_the_users_own_is_read_from_a_file() {
    let (file, operator) = (sample("common-divisor.recurrence"), sample("common-divisor.cl"));
    let refused = |arguments: &[&str], code, message| {
        assert_refused(&recurrence(arguments), code, message);
    };
    refused(&[&file], 2, "line 1: semiring: custom needs an operator with the file");
    let coins = sample("coins.recurrence");
    refused(&[&coins, "--operator", &operator], 2, "semiring: custom is expected");
    let on_cpu = [&file[..], "--operator", &operator, "--engine", "cpu"];
    refused(&on_cpu, 1, "a custom operator on the CPU without a callback");
    refused(&[&file, "--operator", "missing.cl"], 2, "missing.cl: ");
    let Some(mut command) = with_device("recurrence") else { return };
    let arguments = [&file, "--operator", &operator, "--values", "table"];
    let result = parse(&command.args(arguments).output().unwrap());
    assert_eq!(result["solution"]["values"], json!([[12, 18, 30, 45, 60, 6, 9, 30, 3, 3, 6, 3]]));
}

#[test]
fn what_no_way_leads_to_is_infinite_as_in_files() {
    let folder = tempfile::tempdir().unwrap();
    let check = |text: &str, last: Value, values: Value| {
        let path = instance(&folder, text);
        let file = path.to_str().unwrap();
        let result = solve(&[file, "--values", "table"]);
        assert_eq!(
            [&result["status"], &result["objective"], &result["bound"]],
            [&json!("optimal"), &last, &last]
        );
        assert_eq!(result["solution"], json!({ "last": [last], "values": [values] }));
        let summary = recurrence(&[file]);
        let shown = last.as_str().map_or(last.to_string(), str::to_owned);
        assert!(
            stdout(&summary).contains(&format!("  last       {shown}\n")),
            "{}",
            stdout(&summary)
        );
    };
    let unreachable = "length 4\noffsets 3 1\nweights 1 1\ninitial";
    let all = |value: &str| json!([value, value, value, value]);
    check(&format!("semiring max-plus\n{unreachable} -inf*3\n"), json!("-inf"), all("-inf"));
    check(&format!("semiring min-plus\n{unreachable} inf*3\n"), json!("inf"), all("inf"));
    check(
        "semiring max-min\nlength 2\noffsets 2 1\ninitial -inf inf\n",
        json!("inf"),
        json!(["-inf", "inf"]),
    );
    // Numbers of these have no such meaning.
    let largest = format!("semiring sum-product\nlength 1\noffsets 1\ninitial {}\n", i64::MAX);
    check(&largest, json!(i64::MAX), json!([i64::MAX]));
}

#[test]
fn choices_lead_back_to_the_start() {
    let result = solve(&[&sample("coins.recurrence"), "--choices"]);
    let choices = result["solution"]["choices"][0].as_array().unwrap();
    let (mut amount, mut coins) = (999, 0);
    while amount >= 50 {
        let coin = choices[amount - 50].as_u64().unwrap() as usize;
        assert!([50, 20, 10, 5, 2, 1].contains(&coin));
        amount -= coin;
        coins += 1;
    }
    assert_eq!(coins + greedy(amount as u64), greedy(999));
}

#[test]
fn choices_are_there_even_if_they_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = instance(&folder, "semiring min-plus\nlength 2\noffsets 2 1\ninitial 1 2\n");
    let result = solve(&[path.to_str().unwrap(), "--choices"]);
    assert_eq!(result["solution"], json!({ "last": [2], "values": [[1, 2]], "choices": [[]] }));
    let path = instance(&folder, "semiring or-and\nlength 3\noffsets 2 1\ninitial 1 2\n");
    let refused = recurrence(&[path.to_str().unwrap(), "--choices"]);
    assert_refused(&refused, 1, "not supported: choices of or-and");
}

#[test]
fn pipelines_tell_their_steps() {
    let folder = tempfile::tempdir().unwrap();
    let text = "semiring max-plus\nlength 100\noffsets 10 8 5\ninitial 0 -inf*9\nweights 3 2 1\n";
    let path = instance(&folder, text);
    let file = path.to_str().unwrap();
    let statistics =
        |arguments: &[&str]| solve(&[&[file], arguments].concat())["statistics"].clone();
    let steps = |arguments: &[&str]| {
        let statistics = statistics(arguments);
        (statistics["steps"].as_u64(), statistics["threads"].as_u64())
    };
    assert_eq!(steps(&["--method", "pipeline"]), (Some(92), Some(3)));
    assert_eq!(steps(&["--method", "p-fold"]), (Some(32), Some(9)));
    assert_eq!(steps(&["--method", "p-fold", "--fold", "2"]), (Some(47), Some(6)));
    let unsafe_fold = recurrence(&[file, "--method", "p-fold", "--fold", "4"]);
    assert_refused(&unsafe_fold, 2, "--fold: is 4; these offsets are safe from 1 to 3");
    assert_refused(
        &recurrence(&[file, "--fold", "2"]),
        2,
        "--fold: applies only to the p-fold pipeline",
    );
    let last = recurrence(&[file, "--choices", "--values", "last"]);
    assert_refused(&last, 2, "--choices: need the whole table");
    let jump = recurrence(&[file, "--method", "jump", "--values", "table"]);
    assert_refused(&jump, 1, "not supported: a jump to more than the last element");
}

#[test]
fn a_summary_is_for_people() {
    let output = recurrence(&[&sample("coins.recurrence")]);
    let text = stdout(&output);
    assert!(text.starts_with("coins: 1000 elements, 6 offsets, min-plus\n"), "{text}");
    assert!(text.contains("  last       24\n"), "{text}");
}

#[test]
fn items_may_weigh_nothing_or_be_worth_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = instance(&folder, "capacity 1\nweights 0 2 0\nprofits 3 4 0");
    let output = recurrence(&[path.to_str().unwrap()]);
    let text = stdout(&output);
    assert!(text.contains("  last       3\n"), "{text}");
}

#[test]
fn bad_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (text, message) in [
        ("", "line 1: the file is empty"),
        (
            "semiring min-plus\nlength 9\noffsets 2 2\ninitial 0 0",
            "offsets[1]: is 2, not below the 2 before it",
        ),
        ("semiring min-plus\nlength 9\noffsets 2 1\ninitial 0", "initial: 1 values"),
        ("capacity 0\nweights 1 2\nprofits 3 4", "capacity: must be at least 1"),
        ("capacity 9\nweights 1 2\nprofits 3", "profits: 1 profits for 2 weights"),
    ] {
        let path = instance(&folder, text);
        assert_refused(&recurrence(&[path.to_str().unwrap()]), 2, message);
    }
}

#[test]
fn a_dash_is_standard_input() {
    assert_dash_is_standard_input(&["recurrence"], "coins.recurrence");
}
