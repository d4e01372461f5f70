//! Instances from standard input.

use std::io::Write;
use std::process::Stdio;

use crate::common::{assert_refused, makespan, parallel_machines, sample, stderr, stdout};
use serde_json::Value;

/// What the command finds in that file, with this text for standard input, through a pipe.
#[track_caller]
fn solve(arguments: &[&str], file: &str, input: &str) -> Value {
    let mut command = makespan();
    command.args(arguments).args([file, "--json"]);
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_str(stdout(&output)).unwrap()
}

/// Checks that a dash is standard input: it gives the result of the sample.
#[track_caller]
pub(crate) fn assert_dash_is_standard_input(arguments: &[&str], name: &str) {
    let file = sample(name);
    let piped = solve(arguments, "-", &std::fs::read_to_string(&file).unwrap());
    let read = solve(arguments, &file, "");
    assert_eq!(piped["instance"], "stdin");
    for field in ["status", "objective", "bound", "solution"] {
        assert_eq!(piped[field], read[field], "{field}");
    }
}

#[test]
fn no_file_is_written_by_the_name_of_a_dash() {
    for option in ["--output", "--gantt"] {
        let refused = parallel_machines(&[&sample("lpt-worst-case.pcmax"), option, "-"]);
        assert_refused(&refused, 2, "it is not the name of a file; ./- is");
    }
}
