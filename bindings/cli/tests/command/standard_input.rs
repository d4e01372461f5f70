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

#[test]
fn a_dash_is_standard_input_for_every_problem() {
    let cases: [(&[&str], &str); 7] = [
        (&["parallel-machines"], "lpt-worst-case.pcmax"),
        (&["flow-shop"], "finishing-8-jobs.txt"),
        (&["cutting-stock"], "bars-4-lengths.csp"),
        (&["knapsack"], "coils.subset-sum"),
        (&["interval-dp", "matrix-chain"], "six-matrices.chain"),
        (&["recurrence"], "coins.recurrence"),
        (&["lattice-dp"], "three-moves.lattice"),
    ];
    for (arguments, name) in cases {
        let file = sample(name);
        let (piped, read) = (
            solve(arguments, "-", &std::fs::read_to_string(&file).unwrap()),
            solve(arguments, &file, ""),
        );
        assert_eq!(piped["instance"], "stdin");
        for field in ["status", "objective", "bound", "solution"] {
            assert_eq!(piped[field], read[field], "{field} of {name}");
        }
    }
}

#[test]
fn no_file_is_written_by_the_name_of_a_dash() {
    for option in ["--output", "--gantt"] {
        let refused = parallel_machines(&[&sample("lpt-worst-case.pcmax"), option, "-"]);
        assert_refused(&refused, 2, "it is not the name of a file; ./- is");
    }
}
