//! Proofs through a shared folder.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use crate::common::{assert_refused, makespan, parse};

/// A worker that looks for schedules of ta030 shorter than the optimum.
fn worker(folder: &Path) -> Command {
    let mut command = makespan();
    command.arg("work").arg(folder).args([
        "ta030",
        "--upper-bound",
        "2178",
        "--lease",
        "1",
        "--threads",
        "1",
        "--json",
    ]);
    command
}

fn start(folder: &Path) -> Child {
    worker(folder).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The nodes of the tree, which every complete proof has.
const NODES: u64 = 2_415_747;

#[track_caller]
fn assert_proved(output: &Output) {
    let result = parse(output);
    assert_eq!(result["status"], "infeasible");
    assert_eq!(result["bound"], 2178);
    assert_eq!(result["statistics"]["nodes"], NODES);
}

#[test]
fn workers_share_a_proof_and_late_ones_find_it_complete() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    let children = [start(&path), start(&path), start(&path)];
    for child in children {
        assert_proved(&child.wait_with_output().unwrap());
    }
    assert_proved(&worker(&path).output().unwrap());
    // The parts are given away, not all work is done by one.
    assert!(std::fs::read_dir(path.join("done")).unwrap().count() > 2);
    let others = makespan().arg("work").arg(&path).args(["ta029", "--threads", "1"]).output();
    assert_refused(&others.unwrap(), 2, "belongs to another instance");
    let others = makespan().arg("work").arg(&path).args(["ta030", "--bound", "lb2"]).output();
    assert_refused(&others.unwrap(), 2, "belongs to a search with other options");
    let others =
        makespan().arg("work").arg(&path).args(["ta030", "--upper-bound", "2170"]).output();
    assert_refused(&others.unwrap(), 2, "the folder's proof looks for schedules below 2178");
    let counted = worker(&path).args(["--iteration-limit", "9"]).output().unwrap();
    assert_refused(&counted, 2, "--iteration-limit makes no sense with work");
}

/// A worker whose device was wrong leaves this note.
#[test]
fn a_distrusted_folder_proves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    assert_proved(&worker(&path).output().unwrap());
    std::fs::write(path.join("distrusted"), "").unwrap();
    let refused = worker(&path).output().unwrap();
    assert_refused(&refused, 1, "nothing in the folder counts");
}

#[test]
fn a_worker_that_is_stopped_leaves_its_work_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof");
    let limited = worker(&path).args(["--time-limit", "0.2"]).output().unwrap();
    let result = parse(&limited);
    if result["interrupted"] == true {
        assert!(result["bound"].as_u64() < Some(2178));
    }
    assert_proved(&worker(&path).output().unwrap());
}

/// Kills a random worker again and again, and starts another one.
fn survives(kills: u32) {
    let mut killed = 0;
    // A proof may end before all kills; then another one begins.
    while killed < kills {
        let folder = tempfile::tempdir().unwrap();
        let mut workers: Vec<Child> = (0..3).map(|_| start(folder.path())).collect();
        while killed < kills && workers.iter_mut().all(|child| child.try_wait().unwrap().is_none())
        {
            thread::sleep(Duration::from_millis(150 + u64::from(killed * 37 % 200)));
            let victim = (killed * 7 + killed / 3) as usize % workers.len();
            workers[victim].kill().unwrap();
            workers[victim].wait().unwrap();
            workers[victim] = start(folder.path());
            killed += 1;
        }
        for child in workers {
            assert_proved(&child.wait_with_output().unwrap());
        }
    }
}

#[test]
fn killed_workers_lose_nothing() {
    survives(8);
}

#[test]
#[ignore = "takes minutes"]
fn a_hundred_killed_workers_lose_nothing() {
    survives(100);
}
