//! Signals end the command with the best solution so far.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::common::{makespan, stderr, stdout};

/// Whether the process has a handler for that signal.
fn handles(process: u32, signal: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
    u64::from_str_radix(caught, 16).unwrap() >> (signal - 1) & 1 == 1
}

#[test]
fn every_signal_to_end_keeps_the_best_solution() {
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("solution.json");
        let mut command = makespan();
        command.args([
            "flow-shop",
            "ta051",
            "--method",
            "iterated-greedy",
            "--time-limit",
            "600",
            "--json",
        ]);
        command.arg("--output").arg(&file).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        while !handles(child.id(), number) {
            thread::sleep(Duration::from_millis(5));
        }
        let sent =
            Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));
        let result: serde_json::Value = serde_json::from_str(stdout(&output)).unwrap();
        assert!(result["objective"].as_u64() >= Some(3771), "{name}: {result}");
        assert_eq!(fs::read_to_string(&file).unwrap(), stdout(&output));
    }
}
