//! Instances with names in CSV files, and solutions as tables.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use crate::common::{assert_refused, makespan, sample, stderr, stdout};
use serde_json::{Value, json};

const SHOP: &str = "job,cut,\"drill, fine\",paint\nchair,3,2,4\ntable,1,5,2\nshelf,4,1,3\n";

/// Writes a file of this name and runs a subcommand in its folder.
fn run(problem: &str, name: &str, text: &str, arguments: &[&str]) -> (tempfile::TempDir, Output) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), text).unwrap();
    let output =
        makespan().current_dir(&folder).args([problem, name]).args(arguments).output().unwrap();
    (folder, output)
}

/// The same with `--json`.
#[track_caller]
fn solve(problem: &str, text: &str, arguments: &[&str]) -> Value {
    let (_, output) = run(problem, "x.csv", text, &[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_str(stdout(&output)).unwrap()
}

#[track_caller]
fn refused(problem: &str, text: &str, arguments: &[&str], message: &str) {
    assert_refused(&run(problem, "x.csv", text, arguments).1, 2, message);
}

fn read(folder: &tempfile::TempDir, name: impl AsRef<Path>) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

#[test]
fn a_flow_shop_keeps_its_names() {
    let arguments = ["--output", "plan.csv", "--gantt", "chart.svg"];
    let (folder, output) = run("flow-shop", "shop.csv", SHOP, &arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    let summary = stdout(&output);
    assert!(summary.starts_with("shop: 3 jobs on 3 machines\n"), "{summary}");
    assert!(
        summary.contains("\n  job    machine      start  end\n  table  cut          0      1\n"),
        "{summary}"
    );
    let plan = read(&folder, "plan.csv");
    assert!(plan.starts_with("job,machine,start,end\ntable,cut,0,1\ntable,\"drill, fine\",1,6\n"));
    assert_eq!(plan.lines().count(), 10);
    let chart = read(&folder, "chart.svg");
    assert!(chart.contains("drill, fine") && chart.contains("chair: 1 to 4"), "{chart}");

    let result = solve("flow-shop", SHOP, &[]);
    assert_eq!(result["solution"]["job_names"], json!(["chair", "table", "shelf"]));
    assert_eq!(result["solution"]["machine_names"], json!(["cut", "drill, fine", "paint"]));
    assert_eq!(result["objective"], 15);
}

#[test]
fn other_separators_are_found() {
    for separator in [";", "\t"] {
        let text = "\u{feff}job;time\r\nA ; 3\r\n\r\n\"B;C\";5\r\n".replace(';', separator);
        let result = solve("parallel-machines", &text, &["--machines", "2"]);
        let names = json!(["A", format!("B{separator}C")]);
        assert_eq!((&result["objective"], &result["solution"]["job_names"]), (&5.into(), &names));
    }
}

#[test]
fn machines_of_a_csv_file_have_a_number_or_names() {
    let text = "time\n3\n5\n4\n";
    let result = solve("parallel-machines", text, &["--machines", "2"]);
    assert_eq!(result["objective"], 7);
    assert_eq!(
        (&result["solution"]["job_names"], &result["solution"]["machine_names"]),
        (&Value::Null, &Value::Null)
    );
    let (folder, output) = run(
        "parallel-machines",
        "x.csv",
        text,
        &["--machines", "north, south", "--output", "plan.csv", "--gantt", "chart.svg"],
    );
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(
        read(&folder, "plan.csv"),
        "job,machine,start,end\n1,north,0,5\n0,south,0,3\n2,south,3,7\n"
    );
    assert!(read(&folder, "chart.svg").contains("south"));
}

#[test]
fn items_of_a_knapsack_have_names() {
    let text = "copies,item,weight,profit\ninf,nail,3,4\n3,screw,2,7\n";
    let result = solve("knapsack", text, &["--capacity", "20"]);
    assert_eq!(result["objective"], 37);
    let items = &result["solution"]["items"];
    assert_eq!(items[0], json!({"item": 0, "name": "nail", "profit": 4, "weight": 3, "count": 4}));
    // Subset sum.
    assert_eq!(solve("knapsack", "weight\n4\n5\n9\n", &["--capacity", "10"])["objective"], 9);

    let (folder, output) =
        run("knapsack", "x.csv", text, &["--capacity", "20", "--output", "chosen.csv"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(read(&folder, "chosen.csv"), "item,profit,weight,count\nnail,4,3,4\nscrew,7,2,3\n");
    fs::write(folder.path().join("rows"), "4 7\n9 1\n").unwrap();
    let batch =
        ["knapsack", "x.csv", "--capacity", "6", "--profits", "rows", "--output", "all.csv"];
    assert!(makespan().current_dir(&folder).args(batch).output().unwrap().status.success());
    assert_eq!(
        read(&folder, "all.csv"),
        "knapsack,item,profit,weight,count\n0,screw,7,2,3\n1,nail,9,3,2\n"
    );
}

#[test]
fn items_of_a_cutting_stock_have_names() {
    let text = "item,length,count\nrail,70,3\npost,130,2\n";
    let result = solve("cutting-stock", text, &["--stock-length", "200"]);
    assert_eq!(result["objective"], 3);
    let first = &result["solution"]["patterns"][0]["items"][0];
    assert!(first["name"] == "post" || first["name"] == "rail", "{first}");
    let (folder, output) =
        run("cutting-stock", "x.csv", text, &["--stock-length", "200", "--output", "cuts.csv"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let cuts = read(&folder, "cuts.csv");
    let mut lines = cuts.lines();
    assert_eq!(lines.next(), Some("pattern,pieces,item,length,count,waste"));
    let cut = |name: &str| -> u64 {
        let rows = cuts.lines().map(|line| line.split(',').collect::<Vec<_>>());
        rows.filter(|row| row[2] == name)
            .map(|row| row[1].parse::<u64>().unwrap() * row[4].parse::<u64>().unwrap())
            .sum()
    };
    assert_eq!([cut("rail"), cut("post")], [3, 2]);
}

#[test]
fn a_solve_without_a_solution_writes_an_empty_table() {
    let arguments = ["ta003", "--method", "branch-and-bound", "--upper-bound", "1081"];
    let folder = tempfile::tempdir().unwrap();
    let mut command = makespan();
    command.current_dir(&folder).arg("flow-shop").args(arguments).args(["--output", "none.csv"]);
    assert!(command.output().unwrap().status.success());
    assert_eq!(read(&folder, "none.csv"), "");
}

#[test]
fn standard_input_may_be_csv() {
    let mut command = makespan();
    command.args(["flow-shop", "--csv", "-", "--json"]);
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = pipes.spawn().unwrap();
    child.stdin.take().unwrap().write_all(SHOP.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let result: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!((&result["instance"], &result["objective"]), (&"stdin".into(), &15.into()));
}

#[test]
fn faults_have_their_line_and_column() {
    let machines = &["--machines", "2"];
    for (text, message) in [
        ("job,time\nA,3\nB,x\n", "x.csv: line 3: column time: 'x' is not a whole number"),
        ("job,time\nA,-3\n", "line 2: column time: '-3' is not a whole number"),
        ("job,time\n\n\"A\nB\",\n", "line 3: column time: '' is not a whole number"),
        ("time\n18446744073709551616\n", "line 2: column time: 18446744073709551616 does not fit"),
        ("time\n1\n\r\n\n2,3\n", "line 5: 2 columns in place of the header's 1"),
        ("job,tiem\nA,3\n", "line 1: 'tiem' is no column; the columns are job, time"),
        ("time,time\n1,2\n", "line 1: there are two columns time"),
        ("job\nA\n", "line 1: there is no column time"),
        ("", "line 1: there is no column time"),
    ] {
        refused("parallel-machines", text, machines, message);
    }
    refused("flow-shop", "j,m\nA,1\nB,4294967296\n", &[], "line 3: column m: 4294967296 does not");
    refused("flow-shop", "j,m\n", &[], "x.csv: jobs: must be at least 1");
    refused("flow-shop", "j\nA\n", &[], "x.csv: machines: must be at least 1");
    let stock = &["--stock-length", "100"];
    let message = "x.csv: line 3: column length: is 130, a stock piece only 100";
    refused("cutting-stock", "length\n70\n130\n", stock, message);
    let endless = "weight,profit,copies\n1,1,1\n0,5,inf\n";
    refused(
        "knapsack",
        endless,
        &["--capacity", "9"],
        "x.csv: line 3: column copies: is unbounded",
    );
}

#[test]
fn what_csv_files_lack_has_options() {
    refused("parallel-machines", "time\n1\n", &[], "x.csv: a CSV file needs --machines beside it");
    refused("knapsack", "weight\n1\n", &[], "x.csv: a CSV file needs --capacity beside it");
    refused("cutting-stock", "length\n1\n", &[], "x.csv: a CSV file needs --stock-length beside");
    for (machines, message) in
        [("0", "must be at least 1"), ("a,,b", "must be a number or names with commas")]
    {
        refused("parallel-machines", "time\n1\n", &["--machines", machines], message);
    }
    for (problem, text, option) in [
        ("parallel-machines", "1 1 5", "--machines"),
        ("knapsack", "1 1 5", "--capacity"),
        ("cutting-stock", "1 9 5", "--stock-length"),
    ] {
        let (_, output) = run(problem, "x.txt", text, &[option, "3"]);
        assert_refused(&output, 2, &format!("{option} is for CSV files; x.txt has its own"));
    }
}

/// The table that the command writes for a sample or a random instance.
#[track_caller]
fn table(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut command = makespan();
    command.current_dir(&folder).args(arguments).args(["--output", "x.csv"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    read(&folder, "x.csv")
}

#[test]
fn a_recurrence_is_a_table_of_its_elements() {
    let coins = sample("coins.recurrence");
    assert_eq!(table(&["recurrence", &coins]), "table,element,value\n0,999,24\n");
    let whole = table(&["recurrence", &coins, "--choices"]);
    let lines: Vec<_> = whole.lines().collect();
    assert_eq!(lines.len(), 1001);
    assert_eq!(lines[..2], ["table,element,value,choice", "0,0,0,"]);
    // 50 is a coin.
    assert_eq!(lines[51], "0,50,1,50");
    assert!(table(&["recurrence", &coins, "--values", "table"]).ends_with("\n0,999,24\n"));
    let mut unreachable = tempfile::NamedTempFile::new().unwrap();
    let text = "semiring min-plus\nlength 5\noffsets 2\ninitial 0 inf\ninstances 2\n";
    unreachable.write_all(text.replace("inf\n", "inf 3 4\n").as_bytes()).unwrap();
    let two = table(&["recurrence", unreachable.path().to_str().unwrap(), "--values", "table"]);
    assert!(two.contains("\n0,3,inf\n") && two.ends_with("\n1,4,3\n"), "{two}");
}

#[test]
fn a_lattice_is_a_table_of_steps_and_a_packing_one_of_items() {
    let steps = table(&["lattice-dp", &sample("three-moves.lattice")]);
    assert!(steps.starts_with("step,offset\n0,") && steps.lines().count() == 9, "{steps}");
    let packing = table(&["lattice-dp", &sample("pallets.lattice")]);
    assert!(packing.starts_with("pattern,containers,item,count\n0,"), "{packing}");
}

#[test]
fn an_interval_program_is_a_table_of_nodes_or_cells() {
    let random = ["interval-dp", "matrix-chain", "random:5:1"];
    let nodes = table(&random);
    assert!(nodes.starts_with("first,split,last\n0,") && nodes.lines().count() == 5, "{nodes}");
    let cells = table(&[&random[..], &["--cells", "0,1 1,2"]].concat());
    assert_eq!(cells, "first,last,value\n0,1,0\n1,2,0\n");
    let mut batch = makespan();
    batch.args(random).args(["--batch=3", "--output", "x.csv"]);
    let refusal = "a solution of a batch of interval-dp is no table; use a file that ends in .json";
    assert_refused(&batch.output().unwrap(), 2, refusal);
}
