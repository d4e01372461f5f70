//! Running the built command.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// The command, on a machine that seems to have no OpenCL.
pub(crate) fn makespan() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_makespan"));
    command
        .env("OCL_ICD_VENDORS", "/nonexistent")
        .env("OPENCL_DYLIB_PATH", "/nonexistent/libOpenCL.so");
    command
}

/// The subcommand with `--json`, on a device of the platform that tests are for, with the machine's own
/// drivers.
pub(crate) fn with_device(subcommand: &str) -> Option<Command> {
    let platform = std::env::var("MAKESPAN_TEST_PLATFORM").ok()?;
    let command = || Command::new(env!("CARGO_BIN_EXE_makespan"));
    let found = parse(&command().args(["devices", "--json"]).output().unwrap());
    let mut devices = found["devices"].as_array().unwrap().iter();
    let device = devices.find(|device| device["platform"].as_str().unwrap().contains(&platform))?;
    let mut command = command();
    let index = device["index"].to_string();
    command.args([subcommand, "--json", "--engine", "device", "--cache", "off"]);
    command.args(["--device", &index]);
    Some(command)
}

/// The object that a command has printed with `--json`.
#[track_caller]
pub(crate) fn parse(output: &Output) -> Value {
    assert!(output.status.success(), "{}", stderr(output));
    assert_eq!(stderr(output), "");
    serde_json::from_str(stdout(output)).unwrap()
}

/// `makespan parallel-machines` with these arguments.
pub(crate) fn parallel_machines(arguments: &[&str]) -> Output {
    makespan().arg("parallel-machines").args(arguments).output().unwrap()
}

pub(crate) fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

pub(crate) fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// Path of a sample instance.
pub(crate) fn sample(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data");
    folder.join(name).to_str().unwrap().to_owned()
}

/// Writes an instance into a scratch folder.
pub(crate) fn instance(folder: &tempfile::TempDir, text: &str) -> PathBuf {
    let path = folder.path().join("instance.pcmax");
    std::fs::write(&path, text).unwrap();
    path
}

/// Checks that the command refused its work: exit code, nothing on standard output, a message with
/// that text.
#[track_caller]
pub(crate) fn assert_refused(output: &Output, code: i32, message: &str) {
    let stderr = stderr(output);
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    assert_eq!(stdout(output), "");
    assert!(stderr.starts_with("makespan: error: "), "{stderr}");
    assert!(stderr.contains(message), "'{message}' is not in: {stderr}");
}
