//! Flow shops with set-ups, release times, due dates, blocking and other objectives.

use std::fs;
use std::process::Output;

use crate::common::{assert_refused, makespan, sample, stderr, stdout};
use serde_json::{Value, json};

/// Runs the command on a file of this name, in its folder.
fn run(name: &str, text: &str, arguments: &[&str]) -> (tempfile::TempDir, Output) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), text).unwrap();
    fs::write(folder.path().join("matrix"), "0 9\n8 0\n").unwrap();
    let mut command = makespan();
    command.current_dir(&folder).args(["flow-shop", name]).args(arguments);
    (folder, command.output().unwrap())
}

/// The JSON result.
#[track_caller]
fn solve(name: &str, text: &str, arguments: &[&str]) -> Value {
    let (_, output) = run(name, text, &[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_str(stdout(&output)).unwrap()
}

#[track_caller]
fn refused(name: &str, text: &str, arguments: &[&str], message: &str) {
    assert_refused(&run(name, text, arguments).1, 2, message);
}

const SHOP: &str = "3 2\n1 4\n2 1\n";

#[test]
fn every_part_of_the_model_has_an_option() {
    let with = |arguments: &[&str]| solve("shop", SHOP, arguments);
    let plain = with(&[]);
    assert_eq!((&plain["objective"], plain.get("objectives")), (&8.into(), None));
    assert_eq!(plain["solution"].get("tardiness"), None);
    // Job 1 ends at 5, job 0 at 7, job 2 at 8; no sequence ends earlier.
    let late = with(&["--due-dates", "6 5 9", "--objective", "total-tardiness,makespan"]);
    let objectives = json!([
        {"name": "total-tardiness", "value": late["objective"]},
        {"name": "makespan", "value": 8},
    ]);
    assert_eq!((&late["objective"], &late["objectives"]), (&1.into(), &objectives));
    assert_eq!(late["solution"]["permutation"], json!([1, 0, 2]));
    assert_eq!(late["solution"]["completions"], json!([7, 5, 8]));
    assert_eq!(late["solution"]["tardiness"], json!([1, 0, 0]));
    assert_eq!(with(&["--release-times", "9,9,9"])["objective"], 17);
    assert_eq!(with(&["--blocking"])["objective"], 8);
    let planned = ["--running-plan", "1 0 2", "--objective", "inversions"];
    assert_eq!(with(&planned)["objective"], 0);
    let steady = with(&["--running-plan", "2 0 1", "--stability", "1000"]);
    assert_eq!(steady["objectives"][0]["name"], "makespan+1000*inversions");
    assert_eq!(steady["solution"]["permutation"], json!([2, 0, 1]));
    let steady = with(&[
        "--running-plan",
        "2 0 1",
        "--stability",
        "7",
        "--stability-of",
        "new-predecessors",
    ]);
    assert_eq!(steady["objectives"][0]["name"], "makespan+7*new-predecessors");
    let weighted =
        with(&["--weights", "0 0 1", "--due-dates", "-9 0 0", "--objective", "weighted-tardiness"]);
    assert_eq!(weighted["solution"]["permutation"][0], 2);
}

#[test]
fn setups_come_from_a_file() {
    let two = "3 2\n1 4\n";
    let result = solve("shop", two, &["--setups", "matrix", "--pinned", "0 1"]);
    // Job 1 starts after a set-up of 9 on both machines.
    assert_eq!(result["solution"]["starts"], json!([[0, 3], [12, 14]]));
    refused("shop", SHOP, &["--setups", "matrix"], "--setups: 4 elements are no matrices of 3 x 3");
    refused(
        "shop",
        two,
        &["--setups", "shop", "--objective", "late-jobs"],
        "--objective: late-jobs needs due dates",
    );
    refused("shop", two, &["--setups", "missing"], "'--setups <FILE>': missing: ");
}

#[test]
fn the_formats_of_the_library_are_read() {
    let setups = solve("x", &fs::read_to_string(sample("four-orders.setups")).unwrap(), &[]);
    assert_eq!(setups.get("objectives"), None);
    let due = fs::read_to_string(sample("four-orders.due-dates")).unwrap();
    for arguments in [&[][..], &["--format", "due-dates"]] {
        assert_eq!(solve("x", &due, arguments)["objectives"][0]["name"], "total-tardiness");
    }
    refused("x", &due, &["--format", "setups"], "x: line 3: 4 numbers, where the times of job 0");
    refused("x", &due, &["--format", "taillard"], "x: line 1: captions are expected");
    refused("x", &due, &["--format", "vrf", "--csv"], "cannot be used with");
}

#[test]
fn what_no_criterion_uses_is_warned_of() {
    let arguments = ["--due-dates", "6 5 9", "--weights", "1 2 3", "--running-plan", "0 1"];
    let plain = solve("shop", SHOP, &arguments);
    let warning = "due dates and weights and the running plan are not used by the objective";
    assert_eq!(plain["warning"], warning);
    let other = solve("shop", SHOP, &[&arguments[..4], &["--objective", "late-jobs"]].concat());
    assert_eq!(other["warning"], "weights are not used by the objective");
    let families = "job,m,family\na,1,x\nb,2,y\n";
    let warning = &solve("shop.csv", families, &[])["warning"];
    assert_eq!(warning, "the families are not used: there are no set-ups");
}

#[test]
fn stages_stand_in_the_summary() {
    let arguments = ["--due-dates", "6 5 9", "--objective", "late-jobs,total-flow-time"];
    let (_, output) = run("shop", SHOP, &arguments);
    let summary = stdout(&output);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(summary.contains("\n  late-jobs       1\n  total-flow-time "), "{summary}");
    assert!(summary.contains("\n  method          auto\n"), "{summary}");
}

const LINE: &str = r#"{
    "start": "2026-01-05T06:00:00Z", "time_unit": "minutes",
    "machines": ["cut", {"name": "paint", "ready": "2026-01-05T06:02:00Z", "last": "red"}],
    "families": ["red", "blue"],
    "jobs": [
        {"name": "a", "times": [3, 2], "family": "red", "due": "2026-01-05T07:06:30+01:00"},
        {"name": "b", "times": [1, 4], "family": "blue", "release": 0.5, "weight": 3},
        {"name": "c", "times": [2, 1], "family": 0, "release": "2026-01-05T05:00:00Z"}
    ],
    "setups": {"between": "families", "matrix": [[0, 5], [4, 0]]},
    "pinned": ["b"], "running_plan": ["b", 0], "buffers": "unlimited",
    "objective": "total-tardiness+inversions"
}"#;

#[test]
fn json_has_names_and_instants() {
    let result = solve("line.json", LINE, &[]);
    assert_eq!(result["solution"]["job_names"], json!(["a", "b", "c"]));
    assert_eq!(result["solution"]["machine_names"], json!(["cut", "paint"]));
    assert_eq!(
        result["warning"],
        "weights are not used by the objective; 2 times are rounded to whole units, the first is \
         jobs[1].release; jobs[2].release is before 0 and counts as 0"
    );
    // Released at 1, b is cut until 2; the paint is blue at 2 + 5. It ends at 11, a at 17 after a
    // set-up of 4, late by 11.
    assert_eq!(result["solution"]["permutation"], json!([1, 0, 2]));
    assert_eq!(result["solution"]["starts"][1], json!([1, 7]));
    assert_eq!(
        (&result["objective"], &result["solution"]["tardiness"][0]),
        (&11.into(), &11.into())
    );
    let objectives = json!([{"name": "total-tardiness+inversions", "value": 11}]);
    assert_eq!(result["objectives"], objectives);
    // The command line takes precedence.
    assert_eq!(
        solve("line", LINE, &["--format", "json", "--objective", "makespan"])["objective"],
        18
    );
    assert_eq!(
        solve("line.json", &LINE.replace("unlimited", "none"), &[])["status"],
        result["status"]
    );
}

#[test]
fn json_without_names_has_numbers() {
    let text = r#"{"machines": [{}, {}], "jobs": [{"times": [3, 2]}, {"times": [1, 4]}]}"#;
    let result = solve("x.json", text, &[]);
    assert_eq!((&result["objective"], &result["warning"]), (&7.into(), &Value::Null));
    assert_eq!(result["solution"].get("job_names"), None);
}

#[test]
fn faults_of_json_are_placed() {
    for (old, new, message) in [
        (
            "\"weight\"",
            "\"wieght\"",
            "line.json: unknown field `wieght`, expected one of `name`, `times`",
        ),
        ("\"ready\"", "\"readi\"", "unknown field `readi`"),
        ("[1, 4]", "[1, -4]", "invalid value: integer `-4`, expected u64 at line"),
        ("[1, 4]", "[1, null]", "invalid type: null, expected u64 at line"),
        ("[1, 4]", "[1]", "jobs[1].times: 1 elements for 2 machines"),
        ("[1, 4]", "[1, 4294967296]", "jobs[1].times[1]: 4294967296 does not fit into 32 bits"),
        ("[1, 4]", "[1, 4294967295]", "jobs.times: schedules might last"),
        (
            "07:06:30+01:00",
            "07:06:30",
            "jobs[0].due: \"2026-01-05T07:06:30\" is no instant with a time zone",
        ),
        ("06:00:00Z", "06:00:00", "start: \"2026-01-05T06:00:00\" is no instant with a time zone"),
        ("\"time_unit\": \"minutes\",", "", "start: needs time_unit"),
        (
            "\"start\": \"2026-01-05T06:00:00Z\",",
            "",
            "machines[1].ready: an instant needs start and time_unit",
        ),
        (
            "\"minutes\"",
            "\"days\"",
            "unknown variant `days`, expected one of `seconds`, `minutes`, `hours`",
        ),
        (
            "\"due\": \"2026-01-05T07:06:30+01:00\"",
            "\"due\": 9007199254740993",
            "jobs[0].due: beyond",
        ),
        (
            "\"due\": \"2026-01-05T07:06:30+01:00\"",
            "\"weight\": 1",
            "objective: total-tardiness needs due dates",
        ),
        ("\"release\": 0.5", "\"release\": 4294967296", "jobs[1].release: 4294967296 does not fit"),
        ("\"release\": 0.5", "\"release\": {}", "expected a number or an instant such as"),
        ("\"weight\": 3", "\"weight\": 4294967296", "jobs[1].weight: 4294967296 does not fit"),
        (
            "\"family\": \"blue\"",
            "\"family\": \"green\"",
            "jobs[1].family: there is no \"green\" in families",
        ),
        ("\"family\": \"blue\", ", "", "jobs[1].family: is missing"),
        ("\"family\": 0", "\"family\": 2", "jobs[2].family: there is no number 2 in families"),
        (
            "[\"red\", \"blue\"]",
            "[\"red\", \"red\"]",
            "families[1]: \"red\" is the name of families[0]",
        ),
        ("\"name\": \"b\"", "\"name\": \"a\"", "jobs[1].name: \"a\" is the name of jobs[0]"),
        (
            "\"last\": \"red\"",
            "\"last\": \"green\"",
            "machines[1].last: there is no \"green\" in families",
        ),
        ("[[0, 5], [4, 0]]", "[[0, 5]]", "setups.matrix: 1 rows, 2 are expected"),
        ("[[0, 5], [4, 0]]", "[[0, 5], [4]]", "setups.matrix[1]: 1 elements, 2 are expected"),
        ("[[0, 5], [4, 0]]", "[[0, 5], [4, -1]]", "invalid value: integer `-1`"),
        (
            "\"matrix\": [[0, 5], [4, 0]]",
            "\"matrices\": [[[0, 5], [4, 0]]]",
            "setups.matrices: 1 elements for 2 machines",
        ),
        (
            "\"matrix\": [[0, 5], [4, 0]]",
            "\"first\": []",
            "setups: either matrix or matrices is expected",
        ),
        ("\"between\": \"families\", ", "", "missing field `between`"),
        (
            "[[0, 5], [4, 0]]}",
            "[[0, 5], [4, 0]], \"first\": [[1, 2]]}",
            "setups.first: makes no sense beside last",
        ),
        ("[\"b\"]", "[\"z\"]", "pinned[0]: there is no \"z\" in jobs"),
        ("[\"b\", 0]", "[\"b\", 3]", "running_plan[1]: there is no number 3 in jobs"),
        ("[\"b\", 0]", "[\"b\", 1]", "running_plan[1]: job 1 stands at position 0 already"),
        ("+inversions", "+speed", "objective: \"speed\" is none of makespan"),
        ("\"unlimited\"", "3", "line.json: "),
        ("{\n", "", "line.json: "),
    ] {
        assert!(LINE.contains(old), "{old}");
        refused("line.json", &LINE.replacen(old, new, 1), &[], message);
    }
}

#[test]
fn csv_has_columns_for_jobs() {
    let text = "job,cut,due,paint,release,weight,family\na,3,6,2,0,1,red\nb,1,-2,4,,,blue\nc,2,,1,9,5,red\n";
    let result = solve("shop.csv", text, &["--objective", "total-tardiness", "--setups", "matrix"]);
    assert_eq!(result["solution"]["machine_names"], json!(["cut", "paint"]));
    assert_eq!(result["solution"]["tardiness"][2], 0);
    assert!(result["solution"]["starts"][2][0].as_u64().unwrap() >= 9);
    assert_eq!(result["warning"], "weights are not used by the objective");
    for (old, new, message) in [
        ("a,3,6", "a,3,x", "shop.csv: line 2: column due: 'x' is not a whole number"),
        ("weight", "due", "shop.csv: line 1: there are two columns due"),
        ("1,9,5", "1,-9,5", "shop.csv: line 4: column release: '-9' is not a whole number"),
        ("b,1,-2", "b,1,-9007199254740993", "shop.csv: line 3: column due: beyond"),
    ] {
        refused("shop.csv", &text.replacen(old, new, 1), &[], message);
    }
}

#[test]
fn charts_show_setups_and_late_jobs() {
    let (folder, output) = run("line.json", LINE, &["--gantt", "chart.svg"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let chart = fs::read_to_string(folder.path().join("chart.svg")).unwrap();
    assert!(chart.contains("set-ups in grey; late jobs in red"), "{chart}");
    assert!(chart.contains("<title>set-up for b: 2 to 7</title>"), "{chart}");
    assert!(chart.contains("<title>a is due at 6</title>") && chart.contains("b is released at 1"));
    assert!(chart.contains("fill=\"#ff6b5e\"") && chart.contains("makespan 18"), "{chart}");
    roxmltree::Document::parse(&chart).unwrap();
}

#[test]
fn wrong_values_are_refused() {
    for (arguments, message) in [
        (&["--objective", "speed"][..], "'--objective <LIST>': \"speed\" is none of makespan"),
        (&["--objective", "late-jobs"], "--objective: late-jobs needs due dates"),
        (&["--objective", "inversions"], "--objective: inversions needs a running plan"),
        (&["--release-times", "1 2"], "--release-times: 2 elements for 3 jobs"),
        (&["--release-times", "1 -2 3"], "line 1: '-2' is not a number of 32 bits"),
        (&["--due-dates", "1 2"], "--due-dates: 2 elements for 3 jobs"),
        (&["--due-dates", "missing"], "'--due-dates <TIMES|FILE>': missing: "),
        (&["--weights", "1 2 3 4"], "--weights: 4 elements for 3 jobs"),
        (&["--running-plan", "0 0"], "--running-plan[1]: job 0 stands at position 0 already"),
        (&["--stability", "5"], "--stability needs a running plan"),
        (&["--stability", "0", "--running-plan", "0 1"], "'--stability <WEIGHT>': 0 is not in 1.."),
        (
            &["--stability", "5", "--stability-of", "makespan"],
            "must be inversions or new-predecessors",
        ),
        (&["--format", "xml"], "invalid value 'xml' for '--format <FORMAT>'"),
    ] {
        refused("shop", SHOP, arguments, message);
    }
    let huge = ["--due-dates", "9007199254740992 0 0", "--weights", "4294967295 1 1"];
    let huge = [&huge[..], &["--objective", "weighted-tardiness"]].concat();
    refused("shop", SHOP, &huge, "--objective: the objective might need more than 62 bits");
}
