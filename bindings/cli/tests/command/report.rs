//! Pages of results, and charts of solutions that are no schedules.

use std::fs;
use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{assert_refused, makespan, sample, stderr, stdout};

/// Runs the command in a scratch folder.
fn run(arguments: &[&str]) -> (TempDir, Output) {
    run_on("unused", "", arguments)
}

/// The same, run in the folder of a file.
fn run_on(name: &str, text: &str, arguments: &[&str]) -> (TempDir, Output) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), text).unwrap();
    let output = makespan().current_dir(&folder).args(arguments).output().unwrap();
    (folder, output)
}

#[track_caller]
fn read(folder: &TempDir, output: &Output, name: &str) -> String {
    assert!(output.status.success(), "{}", stderr(output));
    fs::read_to_string(folder.path().join(name)).unwrap()
}

/// The JSON in an element of a page.
fn inside(page: &str, id: &str) -> Value {
    let (_, rest) = page.split_once(&format!("id=\"{id}\">")).unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn a_page_has_the_object_that_the_command_prints() {
    let (folder, output) =
        run(&["flow-shop", "ta081", "--method", "neh", "--json", "--report", "run.html"]);
    let page = read(&folder, &output, "run.html");
    assert_eq!(inside(&page, "result"), serde_json::from_str::<Value>(stdout(&output)).unwrap());
    // A hundred jobs on twenty machines.
    assert!(page.len() < 400_000, "{}", page.len());
    let about = inside(&page, "about");
    assert_eq!(about["size"], "100 jobs on 20 machines");
    assert_eq!(about["objective"], "makespan");
}

#[test]
fn a_long_trace_fits_too() {
    // The library keeps at most 4096 points; a longer one needs more digits than most.
    let point = json!({"seconds": 1234.567890123, "objective": 123456, "bound": 123456});
    let trace = serde_json::to_string(&vec![point; 4096]).unwrap();
    let (folder, output) = run(&["flow-shop", "ta081", "--method", "neh", "--report", "run.html"]);
    let page = read(&folder, &output, "run.html");
    assert!(page.len() + trace.len() < 400_000, "{} and {}", page.len(), trace.len());
}

#[test]
fn names_of_users_stay_text() {
    let hostile = "<b>&\"\"'</script><!--";
    let text = format!("job,\"{hostile}\"\n\"{hostile}\",3\nplain,4\n");
    let arguments = [
        "flow-shop",
        "x.csv",
        "--report",
        "run.html",
        "--gantt",
        "chart.svg",
        "--time-unit",
        "<h>",
    ];
    let (folder, output) = run_on("x.csv", &text, &arguments);
    let page = read(&folder, &output, "run.html");
    let name = "<b>&\"'</script><!--";
    assert_eq!(inside(&page, "result")["solution"]["job_names"], json!([name, "plain"]));
    assert_eq!(inside(&page, "about")["unit"], "<h>");
    assert_eq!(page.matches("</script>").count(), 3);
    let chart = read(&folder, &output, "chart.svg");
    let document = roxmltree::Document::parse(&chart).unwrap();
    let texts: Vec<_> = document.descendants().filter_map(|node| node.text()).collect();
    assert!(texts.contains(&name) && texts.contains(&"time (<h>)"), "{texts:?}");
}

#[test]
fn every_problem_has_a_page() {
    let solves: [(&[&str], &str); 11] = [
        (&["parallel-machines"], "furnaces.pcmax"),
        (&["flow-shop"], "joinery.csv"),
        (&["cutting-stock"], "window-frames.csp"),
        (&["knapsack"], "orders-10-items.knapsack"),
        (&["multidimensional-knapsack"], "trucks-10-pallets.mknap"),
        (&["interval-dp", "matrix-chain"], "six-matrices.chain"),
        (&["interval-dp", "matrix-chain", "--batch"], "three-chains.chains"),
        (&["interval-dp", "zuker"], "trna.fasta"),
        (&["recurrence"], "coins.recurrence"),
        (&["lattice-dp"], "pallets.lattice"),
        (&["lattice-dp"], "three-moves.lattice"),
    ];
    for (arguments, file) in solves {
        let file = sample(file);
        let arguments = [arguments, &[&*file, "--report", "run.html"]].concat();
        let (folder, output) = run(&arguments);
        let result = inside(&read(&folder, &output, "run.html"), "result");
        assert_eq!(
            (&result["problem"], result["solution"].is_null()),
            (&arguments[0].into(), false)
        );
    }
}

#[test]
fn an_instance_without_a_solution_has_one() {
    let instance = ["interval-dp", "matrix-chain", "random:2000:1", "--batch=10000"];
    let arguments = ["--time-limit", "0", "--method", "hu-shing", "--report", "run.html"];
    let (folder, output) = run(&[&instance[..], &arguments].concat());
    assert_eq!(inside(&read(&folder, &output, "run.html"), "result")["status"], "stopped");
}

#[test]
fn times_have_the_unit_of_the_file() {
    let file = sample("paint-line.json");
    let arguments = ["flow-shop", &file, "--report", "run.html", "--gantt", "chart.svg"];
    let (folder, output) = run(&arguments);
    let unit = "minutes since 2026-01-05T06:00:00Z";
    let page = read(&folder, &output, "run.html");
    assert_eq!(inside(&page, "about")["unit"], unit);
    assert!(read(&folder, &output, "chart.svg").contains(&format!("time ({unit})")));
    // The times from which the page draws set-ups in front of the jobs.
    let solution = &inside(&page, "result")["solution"];
    let (setups, starts) = (&solution["setups"], &solution["starts"]);
    assert_eq!(setups.as_array().unwrap().len(), starts.as_array().unwrap().len());
    assert!(setups.as_array().unwrap().iter().any(|job| job[1] != 0), "{setups}");
}

#[test]
fn due_dates_after_the_end_are_counted() {
    let text = "job,cut,weld,due\nearly,3,2,500\nnone,4,1,\nlate,2,2,1\n";
    let arguments = ["flow-shop", "x.csv", "--objective", "total-tardiness", "--gantt", "x.svg"];
    let (folder, output) = run_on("x.csv", text, &arguments);
    assert!(read(&folder, &output, "x.svg").contains("; 1 due date after the end"));
}

#[test]
fn patterns_are_drawn() {
    let text = "item,length,count\nrail <2>,45,3\npost,30,4\n";
    let arguments = ["cutting-stock", "x.csv", "--stock-length", "100", "--chart", "cut.svg"];
    let (folder, output) = run_on("x.csv", text, &arguments);
    let chart = read(&folder, &output, "cut.svg");
    let document = roxmltree::Document::parse(&chart).unwrap();
    let titles: Vec<_> = document
        .descendants()
        .filter(|node| node.has_tag_name("title"))
        .filter_map(|node| node.text())
        .collect();
    assert!(titles.iter().any(|title| title.starts_with("rail <2>: 0 to 45")), "{titles:?}");
    assert!(titles.iter().any(|title| title.starts_with("waste: ")), "{titles:?}");
    assert!(chart.contains(">length</text>") && chart.contains("1 ×"), "{chart}");
}

#[test]
fn structures_are_drawn() {
    for (kind, file, shown) in [
        ("matrix-chain", "six-matrices.chain", "A1 to A6, cut after A3"),
        ("search-tree", "five-keys.tree", "key 4"),
        ("triangulation", "hexagon.weights", "triangle 0, "),
        ("zuker", "trna.fasta", "bases 0 and 71"),
    ] {
        let file = sample(file);
        let (folder, output) = run(&["interval-dp", kind, &file, "--chart", "tree.svg"]);
        let chart = read(&folder, &output, "tree.svg");
        assert!(chart.contains(shown), "{kind}: {chart}");
        roxmltree::Document::parse(&chart).unwrap();
    }
}

#[test]
fn files_that_would_be_lost_are_refused() {
    let file = sample("workshop-12-jobs.pcmax");
    for (arguments, message) in [
        (&["--output", "x", "--report", "x"][..], "--output and --report name the same file"),
        (&["--gantt", "x", "--report", "x"], "--report and --gantt name the same file"),
        (&["--report", "x.pdf"], "must end in .html or .htm"),
        (&["--time-unit", "hours"], "--time-unit needs --gantt or --report"),
    ] {
        let (_folder, output) = run(&[&["parallel-machines", &file], arguments].concat());
        assert_refused(&output, 2, message);
    }
    for arguments in [
        &["parallel-machines", "x", "--report", "x"][..],
        &["interval-dp", "matrix-chain", "x", "--chart", "x"],
        &["cutting-stock", "x", "--chart", "x"],
    ] {
        let (folder, output) = run_on("x", "2 2\n1 1\n", arguments);
        assert_refused(&output, 2, "would be overwritten");
        assert_eq!(fs::read_to_string(folder.path().join("x")).unwrap(), "2 2\n1 1\n");
    }
    let chains = sample("three-chains.chains");
    let batch = ["interval-dp", "matrix-chain", &chains, "--batch", "--chart", "x.svg"];
    assert_refused(&run(&batch).1, 2, "--chart");
}
