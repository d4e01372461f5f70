//! What the command says and returns when it can't do its work.

use crate::common::{
    assert_refused, instance, makespan, parallel_machines, sample, stderr, stdout,
};

#[test]
fn broken_files() {
    for (text, message) in [
        ("", "line 1: the file is empty"),
        ("p p_cmax 3 2\n1 2", "line 2: the file ends where the time of job 2 of 3 is expected"),
        ("p p_cmax 3 2\n1 2 3", "the closing 0 is expected"),
        ("2 3\n1 2\n3 4", "line 3: '4' follows the 3 times"),
        ("2 3\n1 -2 3", "-2 is negative"),
        ("2 3\n1 two 3", "'two' is not a whole number"),
        ("2 3\n1 2.5 3", "'2.5' is not a whole number"),
        ("0 3\n1 2 3", "at least 1 machine"),
        ("2 99999999999\n1", "99999999999 jobs are more than"),
        ("2 1\n18446744073709551616", "does not fit into 64 bits"),
        ("2 2\n4611686018427387904 4611686018427387904", "does not fit into 63 bits"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = instance(&folder, text);
        let output = parallel_machines(&[file.to_str().unwrap(), "--json"]);
        assert_refused(&output, 2, message);
        assert_refused(&output, 2, "instance.pcmax: ");
    }
}

#[test]
fn a_binary_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = instance(&folder, "");
    std::fs::write(&file, [0xff, 0xfe, 0, 0x80]).unwrap();
    assert_refused(&parallel_machines(&[file.to_str().unwrap()]), 2, "instance.pcmax: ");
}

#[test]
fn files_that_are_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    assert_refused(&parallel_machines(&[path]), 2, path);
    assert_refused(&parallel_machines(&[&format!("{path}/missing.pcmax")]), 2, "missing.pcmax: ");
}

#[test]
fn names_forge_no_lines() {
    let folder = tempfile::tempdir().unwrap();
    let forged = "x\n  status     optimal\u{1b}[2K\nmakespan: error: y";
    let file = folder.path().join(format!("{forged}.pcmax"));
    std::fs::write(&file, "2 3\n1 2 3").unwrap();
    let output = parallel_machines(&[file.to_str().unwrap()]);
    let summary = stdout(&output);
    assert!(
        summary.starts_with("x\\n  status     optimal\\u{1b}[2K\\nmakespan: error: y: 3 jobs"),
        "{summary}"
    );
    assert_eq!(summary.matches("\n  status ").count(), 1, "{summary}");

    std::fs::write(&file, "2 3\n1 2").unwrap();
    for arguments in [
        &[file.to_str().unwrap()][..],
        &[&format!("{forged}.missing")],
        &[&sample("furnaces.pcmax"), "--output", &format!("{forged}/file")],
        &[&sample("furnaces.pcmax"), &format!("--epsilon={forged}")],
        &[&sample("furnaces.pcmax"), &format!("--{forged}")],
    ] {
        let output = parallel_machines(arguments);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.starts_with("makespan: error: "), "{message}");
        assert!(!message.contains('\u{1b}') && !message.contains("\nmakespan: "), "{message}");
    }
}

#[test]
fn methods_without_iterations_refuse_a_limit_of_them() {
    for (problem, file, method) in [
        ("parallel-machines", "lpt-worst-case.pcmax", "lpt"),
        ("parallel-machines", "lpt-worst-case.pcmax", "multifit"),
        ("cutting-stock", "bars-4-lengths.csp", "ffd"),
        ("knapsack", "coils.subset-sum", "greedy"),
        ("flow-shop", "ta001", "neh"),
    ] {
        let file = if problem == "flow-shop" { file.to_owned() } else { sample(file) };
        let limited = [problem, &file, "--method", method, "--iteration-limit", "9"];
        let message = format!("--iteration-limit makes no sense with --method {method}");
        assert_refused(&makespan().args(limited).output().unwrap(), 2, &message);
    }
}

#[test]
fn wrong_usage() {
    for (arguments, message) in [
        (&["--no-such-option"] as &[&str], "'--no-such-option'"),
        (&["--method", "magic"], "'magic'"),
        (&["--epsilon", "0"], "epsilon"),
        (&["--epsilon", "-1"], "epsilon"),
        (&["--epsilon", "1.5"], "epsilon"),
        (&["--epsilon", "NaN"], "epsilon"),
        (&["--epsilon", "small"], "'small'"),
        (&["--epsilon", "1/0"], "'1/0'"),
        (&["--method", "lpt", "--epsilon", "0.2"], "--epsilon: applies only to auto, ptas, exact"),
        (&["--device", "0,1"], "--device takes one index"),
        (&["--gantt", "chart.png"], "must end in .svg"),
        (&["--output", "plan.xlsx"], "must end in .json or .csv"),
        (&["--method", "ptas", "--segments", "0"], "'--segments <N>': must be from 1 to 64, not 0"),
        (&["--method", "ptas", "--segments", "-4"], "'-4'"),
        (&["--segments", "4"], "--segments: applies only to ptas"),
        (&["--traversal", "levels"], "--traversal: applies only to ptas"),
        (&["--launches", "persistent"], "--launches: applies only to ptas"),
        (&["--method", "ptas", "--traversal", "spiral"], "'spiral'"),
        (&["--method", "ptas", "--traversal", "blocks", "--partition", "2"], "'2'"),
        (
            &["--method", "ptas", "--traversal", "levels", "--partition", "4"],
            "--partition: applies only to the traversal 'blocks'",
        ),
        (&["--method", "ptas", "--divisors", "printed"], "--divisors: applies only to"),
        (&["--threads", "0"], "'--threads <N>': must be from 1 to 1024"),
        (&["--threads", "1000000"], "'--threads <N>': must be from 1 to 1024"),
        (&["--time-limit", "-1"], "0 or more"),
        (&["--time-limit", "NaN"], "0 or more"),
        (&["--iteration-limit", "many"], "'many'"),
        (&["--memory-limit", "1X"], "'1X'"),
        (&["--seed", "0.5"], "'0.5'"),
        (&["--seed", "-1"], "'-1'"),
        (&["--iteration-limit", "-1"], "'-1'"),
        (&["--engine", "gpu"], "'gpu'"),
        (&["--engine", "cpu", "--device", "0"], "--device makes no sense with --engine cpu"),
        (&["--cache", ""], "'--cache"),
        (&["--output", "/nonexistent/solution.json"], "there is no folder /nonexistent"),
        (&["--gantt", "."], "not a regular file"),
        (&["--json", "--json"], "'--json'"),
        (&["second.pcmax"], "'second.pcmax'"),
    ] {
        let file = sample("workshop-12-jobs.pcmax");
        let arguments: Vec<&str> = [file.as_str()].iter().chain(arguments).copied().collect();
        assert_refused(&parallel_machines(&arguments), 2, message);
    }
}

#[test]
fn missing_and_unknown_subcommands() {
    assert_refused(&makespan().output().unwrap(), 2, "subcommand");
    assert_refused(&makespan().arg("parallel-machine").output().unwrap(), 2, "parallel-machines");
    assert_refused(&parallel_machines(&[]), 2, "FILE");
}

#[test]
fn the_instance_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("precious");
    std::fs::copy(sample("workshop-12-jobs.pcmax"), &path).unwrap();
    let file = path.to_str().unwrap();
    for option in ["--output", "--gantt"] {
        assert_refused(&parallel_machines(&[file, option, file]), 2, "would be overwritten");
    }
    assert_eq!(
        std::fs::read(&path).unwrap(),
        std::fs::read(sample("workshop-12-jobs.pcmax")).unwrap()
    );
}

#[test]
fn a_device_that_fails() {
    // PoCL can't build a kernel if its cache folder is a file; other drivers ignore it.
    if std::env::var("MAKESPAN_TEST_PLATFORM").is_ok_and(|platform| platform.contains("Portable")) {
        let file = tempfile::NamedTempFile::new().unwrap();
        let arguments =
            ["--method", "ptas", "--epsilon", "0.2", "--engine", "device", "--cache", "off"];
        let output = makespan()
            .arg("parallel-machines")
            .arg(sample("assembly-40-jobs.pcmax"))
            .args(arguments)
            .env_remove("OCL_ICD_VENDORS")
            .env_remove("OPENCL_DYLIB_PATH")
            .env("POCL_CACHE_DIR", file.path())
            .output()
            .unwrap();
        assert_refused(&output, 1, "OpenCL device failed: clBuildProgram");
    }
}

#[test]
fn one_file_for_result_and_chart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("same");
    let path = path.to_str().unwrap();
    let output =
        parallel_machines(&[&sample("workshop-12-jobs.pcmax"), "--output", path, "--gantt", path]);
    assert_refused(&output, 2, "--output and --gantt");
}

#[test]
fn a_device_that_is_missing() {
    let output =
        parallel_machines(&[&sample("workshop-12-jobs.pcmax"), "--engine", "device", "--json"]);
    assert_refused(&output, 1, "no OpenCL device: ");
}

#[test]
fn tables_beyond_the_memory_limit() {
    // Three jobs for each machine, whose sums never come near the average load.
    let times =
        [("43 ", 16), ("37 ", 15), ("31 ", 14)].map(|(time, jobs)| time.repeat(jobs)).concat();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("uneven.pcmax");
    std::fs::write(&path, format!("15 45\n{times}\n")).unwrap();
    let file = path.to_str().unwrap();
    let output =
        parallel_machines(&[file, "--method", "ptas", "--epsilon", "0.01", "--memory-limit", "1K"]);
    assert_refused(&output, 1, "a lattice of 4080 cells needs 4080 bytes, the limit is 1024 bytes");
}

#[test]
fn what_is_read_or_drawn_keeps_the_limits() {
    let folder = tempfile::tempdir().unwrap();
    let limits = ["--memory-limit", "64M", "--time-limit", "1"];
    let refused = |problem: &[&str], code: i32, message: &str| {
        let output = makespan().args(problem).args(limits).output().unwrap();
        assert_refused(&output, code, message);
    };
    for (offsets, code, message) in [
        ("7*900000000 20", 2, "line 3: offsets[0]: '7*900000000' repeats an offset"),
        (
            "900000000..1",
            1,
            "line 3: 900000000 offsets needs 7200000000 bytes, the limit is 67108864 bytes",
        ),
    ] {
        let text = format!("semiring min-plus\nlength 900000001\noffsets {offsets}\ninitial 0*7");
        refused(&["recurrence", instance(&folder, &text).to_str().unwrap()], code, message);
    }
    for (problem, points) in [("matrix-chain", "1000000001"), ("search-tree", "1000000002")] {
        let needs = format!("a random instance of {points} points needs ");
        refused(&["interval-dp", problem, "random:1000000000:1"], 1, &needs);
    }
    for headless in ["p p_cmax 4000000000 2\n1 2", "p p_cmax 1000000000000000000 2\n1 2"] {
        let file = instance(&folder, headless);
        let output = parallel_machines(&[file.to_str().unwrap(), "--memory-limit", "64M"]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    }
    let file = instance(&folder, &"1 ".repeat(1 << 20));
    let message = "reading it needs 16777216 bytes, the limit is 8388608 bytes";
    assert_refused(
        &parallel_machines(&[file.to_str().unwrap(), "--memory-limit", "8M"]),
        1,
        message,
    );
}
