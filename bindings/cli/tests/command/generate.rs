//! Manual pages and completions.

use std::fs;

use crate::common::{assert_refused, makespan, stderr};

#[test]
fn every_subcommand_has_a_page_and_completions() {
    let folder = tempfile::tempdir().unwrap();
    let output = makespan().arg("generate").arg(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let all = ["makespan", "makespan-flow-shop", "makespan-knapsack", "makespan-options"];
    for page in all {
        let text = read(&format!("man/man1/{page}.1"));
        assert!(text.contains(".SH SYNOPSIS"), "{page}: {text}");
    }
    assert!(read("man/man1/makespan-flow-shop.1").contains("\\-\\-tenure"));
    assert!(read("man/man1/makespan.1").contains("0.1.0"));
    for completions in [
        "bash-completion/completions/makespan",
        "zsh/site-functions/_makespan",
        "fish/vendor_completions.d/makespan.fish",
    ] {
        let text = read(completions);
        assert!(text.contains("stock-length") && text.contains("iterated-greedy"), "{completions}");
        assert!(!text.contains("generate"), "{completions}");
    }
    assert!(!read("man/man1/makespan.1").contains("generate"));
    assert!(!folder.path().join("man/man1/makespan-generate.1").exists());
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    let file = tempfile::NamedTempFile::new().unwrap();
    assert_refused(
        &makespan().arg("generate").arg(file.path()).output().unwrap(),
        1,
        "Not a directory",
    );
}
