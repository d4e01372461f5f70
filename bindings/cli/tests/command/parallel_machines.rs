//! What `makespan parallel-machines` prints and writes.

use crate::common::{
    assert_refused, instance, makespan, parallel_machines, sample, stderr, stdout,
};
use crate::standard_input::assert_dash_is_standard_input;
use serde_json::Value;

/// Runs the command with `--json` and parses the object it prints.
#[track_caller]
fn solve(arguments: &[&str]) -> Value {
    let output = parallel_machines(&[&["--json"], arguments].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    serde_json::from_str(stdout(&output)).unwrap()
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

/// Times of a sample instance, read by other code than the library's.
fn times(text: &str) -> Vec<u64> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let times = if words[0] == "p" { &words[4..words.len() - 1] } else { &words[2..] };
    times.iter().map(|word| word.parse().unwrap()).collect()
}

#[track_caller]
fn assert_sound(result: &Value, times: &[u64]) {
    let solution = &result["solution"];
    let (assignment, starts) = (numbers(&solution["assignment"]), numbers(&solution["starts"]));
    let loads = numbers(&solution["loads"]);
    let ends: Vec<u64> = starts.iter().zip(times).map(|(start, time)| start + time).collect();
    assert_eq!(numbers(&solution["ends"]), ends);
    assert_eq!((assignment.len(), starts.len()), (times.len(), times.len()));
    let mut sums = vec![0; loads.len()];
    for ((&machine, &start), &time) in assignment.iter().zip(&starts).zip(times) {
        assert_eq!(start, sums[machine as usize]);
        sums[machine as usize] += time;
    }
    assert_eq!(sums, loads);
    let makespan = result["objective"].as_u64().unwrap();
    assert_eq!(makespan, loads.into_iter().max().unwrap_or(0));
    let bound = result["bound"].as_u64().unwrap();
    assert!(bound <= makespan);
    assert_eq!(result["status"] == "optimal", bound == makespan);
}

#[test]
fn fractions_and_idle_machines_are_as_they_say() {
    let result = solve(&[&sample("more-machines-than-jobs.pcmax")]);
    assert_eq!(numbers(&result["solution"]["loads"]).len(), 5);
    // 1/5 is as fine as 0.2, not as 1/6: its table has as many cells.
    let file = sample("full-shifts-18-jobs.pcmax");
    let cells = |epsilon| {
        solve(&[&file, "--method", "ptas", "--epsilon", epsilon])["statistics"]["cells"].clone()
    };
    assert_eq!(cells("1/5"), cells("0.2"));
}

#[test]
fn every_sample_is_solved_by_every_method() {
    for entry in std::fs::read_dir(sample("")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "pcmax") {
            continue;
        }
        let times = times(&std::fs::read_to_string(&path).unwrap());
        for method in ["auto", "lpt", "multifit", "ptas", "exact"] {
            let result = solve(&[path.to_str().unwrap(), "--method", method]);
            assert_eq!(result["method"], method);
            assert_sound(&result, &times);
        }
    }
}

#[test]
fn segments_and_traversals_prove_the_same_bound() {
    let file = sample("assembly-40-jobs.pcmax");
    let times = times(&std::fs::read_to_string(&file).unwrap());
    let solve = |more: &[&str]| {
        let result = solve(&[&[&file, "--method", "ptas", "--epsilon", "0.3"], more].concat());
        assert_sound(&result, &times);
        result
    };
    let bound = solve(&[])["bound"].clone();
    for more in [
        &["--segments", "4"] as &[&str],
        &["--segments", "4", "--traversal", "levels"],
        &["--traversal", "blocks", "--children", "parallel"],
        &["--launches", "persistent"],
        &["--traversal", "blocks", "--partition", "auto", "--divisors", "tabulated"],
        &["--segments", "3", "--traversal", "blocks", "--partition", "5", "--divisors", "printed"],
    ] {
        assert_eq!(solve(more)["bound"], bound, "{more:?}");
    }
}

#[test]
fn the_json_object_is_complete() {
    let result = solve(&[&sample("assembly-40-jobs.pcmax"), "--engine", "cpu", "--method", "ptas"]);
    let fields = result.as_object().unwrap();
    let mut names: Vec<&str> = fields.keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "bound",
            "device",
            "engine",
            "fallback",
            "guarantee",
            "instance",
            "interrupted",
            "method",
            "objective",
            "options",
            "problem",
            "seconds",
            "seed",
            "sense",
            "setup_seconds",
            "solution",
            "statistics",
            "status",
            "trace",
            "version",
            "warning"
        ]
    );
    assert_eq!(fields["problem"], "parallel-machines");
    assert_eq!(fields["instance"], "assembly-40-jobs");
    assert_eq!(fields["engine"], "cpu");
    assert_eq!((&fields["device"], &fields["fallback"]), (&Value::Null, &Value::Null));
    assert_eq!(fields["interrupted"], false);
    assert_eq!(fields["options"], serde_json::json!({ "engine": "cpu", "method": "ptas" }));
    let ratio = fields["objective"].as_f64().unwrap() / fields["bound"].as_f64().unwrap();
    assert_eq!(fields["guarantee"].as_f64().unwrap(), ratio);
    assert!(fields["seconds"].as_f64().unwrap() >= 0.0);
    assert_eq!(fields["setup_seconds"], 0.0);
    assert!(fields["statistics"]["cells"].as_u64().unwrap() > 0);
}

#[test]
fn better_methods_find_what_lpt_misses() {
    let file = sample("lpt-worst-case.pcmax");
    assert_eq!(solve(&[&file, "--method", "lpt"])["objective"], 11);
    let result = solve(&[&file]);
    assert_eq!((&result["objective"], &result["status"]), (&9.into(), &"optimal".into()));
}

#[test]
fn a_result_says_how_it_came_about() {
    let result = solve(&[&sample("assembly-40-jobs.pcmax"), "--seed", "7"]);
    assert_eq!(result["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&result["seed"], &result["sense"]), (&7.into(), &"minimise".into()));
    let trace = result["trace"].as_array().unwrap();
    let seconds = |point: &Value| point["seconds"].as_f64().unwrap();
    assert!(trace.is_sorted_by(|a, b| seconds(a) < seconds(b)), "{trace:?}");
    let last = trace.last().unwrap();
    assert_eq!((&last["objective"], &last["bound"]), (&result["objective"], &result["bound"]));
}

#[test]
fn no_job_is_an_empty_schedule() {
    let result = solve(&[&sample("no-jobs.pcmax")]);
    assert_eq!(result["status"], "optimal");
    assert_eq!(result["objective"], 0);
    assert_eq!(
        result["solution"],
        serde_json::json!({ "assignment": [], "starts": [], "ends": [], "loads": [0, 0, 0] })
    );
}

#[test]
fn pinned_jobs_keep_their_machines() {
    let folder = tempfile::tempdir().unwrap();
    let file = instance(&folder, "3 7 5 5 4 4 3 3 3\n");
    let path = file.to_str().unwrap();
    let result = solve(&[path, "--pinned", "0:2, 1:2"]);
    assert_sound(&result, &[5, 5, 4, 4, 3, 3, 3]);
    assert_eq!((&result["objective"], &result["status"]), (&10.into(), &"optimal".into()));
    assert_eq!(numbers(&result["solution"]["assignment"])[..2], [2, 2]);
    for (arguments, message) in [
        (&[path, "--pinned", "7:0"] as &[&str], "--pinned[0]: there is no job 7, only 7"),
        (&[path, "--pinned", "1:0 1:1"], "--pinned[1]: job 1 is pinned already"),
        (&[path, "--pinned", "1:3"], "--pinned[0]: there is no machine 3, only 3"),
        (&[path, "--pinned", "1:100000"], "--pinned[0]: machine 100000 is not below 100000"),
        (&[path, "--pinned", "1"], "'1' is not JOB:MACHINE"),
        (
            &[path, "--pinned", "1:0", "--start", "0 1 0 1 2 2 2"],
            "--start[1]: is machine 1, but the job is pinned to 0",
        ),
    ] {
        assert_refused(&parallel_machines(arguments), 2, message);
    }
    let scheme = parallel_machines(&[path, "--pinned", "1:0", "--method", "ptas"]);
    assert_refused(&scheme, 1, "the method ptas with pinned jobs");
}

#[test]
fn loads_that_are_left_out_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let loads = |machines: u32| {
        let file = instance(&folder, &format!("{machines} 2 3 4\n"));
        let result = solve(&[file.to_str().unwrap()]);
        (result["solution"]["loads"].as_array().unwrap().len(), result["warning"].clone())
    };
    assert_eq!(loads(100_000), (100_000, serde_json::Value::Null));
    let left_out =
        "the loads are those of the first 100000 of 100001 machines; the others are idle";
    assert_eq!(loads(100_001), (100_000, left_out.into()));
    let people = parallel_machines(&[instance(&folder, "100001 2 3 4\n").to_str().unwrap()]);
    assert!(!stdout(&people).contains("warning"), "{}", stdout(&people));
}

#[test]
fn results_do_not_depend_on_threads() {
    let file = sample("assembly-40-jobs.pcmax");
    let solution =
        |threads| solve(&[&file, "--threads", threads, "--seed", "7"])["solution"].take();
    assert_eq!(solution("1"), solution("3"));
}

#[test]
fn a_limit_still_gives_a_schedule() {
    for limit in [["--time-limit", "0"], ["--iteration-limit", "0"]] {
        let result =
            solve(&[&sample("assembly-40-jobs.pcmax"), "--method", "ptas", limit[0], limit[1]]);
        assert_eq!((&result["interrupted"], &result["status"]), (&true.into(), &"feasible".into()));
    }
}

#[test]
fn a_result_without_its_tables_says_why() {
    let file = sample("assembly-40-jobs.pcmax");
    let with_limit =
        |limit| solve(&[&file, "--method", "ptas", "--epsilon", "0.2", "--memory-limit", limit]);
    let refused = with_limit("1K");
    assert_eq!(refused["statistics"]["tables"], 0);
    let reason = "a table was refused, but the guarantee holds without it: a lattice of ";
    assert!(refused["warning"].as_str().unwrap().starts_with(reason), "{refused}");
    assert_eq!(with_limit("1G")["warning"], Value::Null);
}

#[test]
fn the_summary_is_for_people() {
    let output = parallel_machines(&[&sample("lpt-worst-case.pcmax"), "--method", "lpt"]);
    let text = stdout(&output);
    for part in [
        "lpt-worst-case: 7 jobs on 3 machines",
        "feasible",
        "11",
        "at most 22.23 % above the optimum",
    ] {
        assert!(text.contains(part), "'{part}' is not in: {text}");
    }
    assert_eq!(stderr(&output), "");
}

#[test]
fn the_log_goes_to_standard_error() {
    let file = sample("assembly-40-jobs.pcmax");
    let arguments =
        ["--json", "-v", "--method", "auto", "--epsilon", "0.005", "--memory-limit", "1k"];
    let output = parallel_machines(&[&[file.as_str()], &arguments as &[&str]].concat());
    assert!(stderr(&output).starts_with("makespan: info: "), "{}", stderr(&output));
    assert!(serde_json::from_str::<Value>(stdout(&output)).is_ok());
}

#[test]
fn the_result_is_written_as_it_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("solution.json");
    let file = sample("workshop-12-jobs.pcmax");
    let output = parallel_machines(&[&file, "--json", "--output", path.to_str().unwrap()]);
    assert!(output.status.success());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), stdout(&output));
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn a_file_that_cannot_be_written_does_not_take_the_result_along() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x".repeat(300));
    let file = sample("workshop-12-jobs.pcmax");
    for option in ["--output", "--gantt"] {
        let output = parallel_machines(&[&file, "--json", option, path.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).starts_with("makespan: error: "));
        let result: Value = serde_json::from_str(stdout(&output)).unwrap();
        assert_eq!(result["status"], "optimal");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    }
}

/// Draws the instance and returns the chart's text elements.
fn chart(text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let (file, chart) = (instance(&folder, text), folder.path().join("chart.svg"));
    let output = parallel_machines(&[file.to_str().unwrap(), "--gantt", chart.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    let svg = std::fs::read_to_string(&chart).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    assert_eq!(document.root_element().tag_name().name(), "svg");
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.filter_map(|node| node.text().map(str::to_owned)).collect()
}

#[test]
fn charts_show_jobs_machines_and_makespan() {
    let texts = chart("p p_cmax 4 2\n30 20 10 20 0\n");
    for text in
        ["instance", "machine 0", "machine 1", "J0", "J1", "J2", "J3", "makespan = lower bound 40"]
    {
        assert!(texts.iter().any(|found| found == text), "'{text}' is not in {texts:?}");
    }
}

#[test]
fn charts_of_odd_instances() {
    chart("3 0\n");
    chart("2 3\n0 0 0\n");
    chart("2 3\n4611686018427387904 4611686018427387901 1\n");
    chart("4294967295 2\n1 2\n");
    let jobs = "7 ".repeat(5000);
    chart(&format!("2500 5000\n{jobs}"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_with_the_best_schedule_so_far() {
    use std::io::Read;
    use std::process::{Command, Stdio};
    use std::time::Duration;

    let folder = tempfile::tempdir().unwrap();
    // 3^20 cells, of which the run before the interrupt touches a small part.
    let times: Vec<String> = (0..40).map(|job| (1000 + job / 2 * 50).to_string()).collect();
    let file = instance(&folder, &format!("11 40\n{}", times.join(" ")));
    let mut child = makespan()
        .arg("parallel-machines")
        .arg(file)
        .args(["--json", "--engine", "cpu", "--method", "ptas", "--epsilon", "0.05"])
        .args(["--memory-limit", "16G"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Long enough to be at work, far too short to be done.
    std::thread::sleep(Duration::from_secs(1));
    assert!(child.try_wait().unwrap().is_none(), "the instance is too easy for this test");
    assert!(
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success()
    );
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(child.wait().unwrap().success());
    let result: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(result["interrupted"], true);
    assert!(result["objective"].as_u64() > result["bound"].as_u64());
}

#[test]
fn a_dash_is_standard_input() {
    assert_dash_is_standard_input(&["parallel-machines"], "lpt-worst-case.pcmax");
}

#[test]
fn a_solve_begins_with_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = instance(&folder, "3 7\n5 5 4 4 3 3 3\n");
    let path = file.to_str().unwrap();
    let without_time = |start| ["--time-limit", "0", "--start", start, path];
    assert_eq!(solve(&without_time("0 1 0 1 2 2 2"))["objective"], 9);
    let refused = parallel_machines(&without_time("0 1 3 0 0 0 0"));
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        stderr(&refused).contains("--start[2]: there is no machine 3, only 3"),
        "{}",
        stderr(&refused)
    );
}
