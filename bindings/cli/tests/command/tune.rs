//! What `makespan tune` refuses. The library's tests tune devices.

use crate::common::{assert_refused, makespan};

#[test]
fn without_a_device_there_is_nothing_to_tune() {
    let output = makespan().arg("tune").output().unwrap();
    assert_refused(&output, 1, "no OpenCL device: ");
}

#[test]
fn families_and_options_are_checked_first() {
    let output = makespan().args(["tune", "knapsack", "horse"]).output().unwrap();
    assert_refused(&output, 2, "families[1]: \"horse\" is none of ");
    for arguments in [&["--quick", "--full"][..], &["--output", "/nowhere/rows"]] {
        let output = makespan().arg("tune").args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
    }
}
