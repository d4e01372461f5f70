//! Every table and figure of the five papers, with our numbers and the published ones.
//!
//! ```text
//! cargo bench --bench papers -- [PAPER [TABLE OR FIGURE ...]] [--quick] [--engine core,cores]
//! cargo bench --bench papers -- PAPER --from FILE.jsonl
//! cargo bench --bench papers -- --book [--check]
//! ```
//!
//! A paper is measured, and the lines of the measurements are rendered. Lines are appended to
//! DIR/PAPER.jsonl; of lines that measure the same thing at the same place, the last one counts.
//! Rendering only reads lines and published numbers.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "prints tables, and says what is left out"
)]

mod branch_and_bound;
mod chart;
#[path = "../common/mod.rs"]
mod common;
mod interval_dp;
mod parallel_machines;
mod pipeline;
mod recorded;
mod report;
mod tabu;

use std::fs;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, Parser, Subcommand};

use crate::common::Result;
use crate::common::log::Log;
use crate::common::options::Compared;
use crate::recorded::Lines;
use crate::report::Report;

/// Every table and figure of the five papers, with our numbers and the published ones
///
/// Without a paper, all of them. Seconds are without the building of kernels. The device is the
/// first one, or that with the index in MAKESPAN_BENCH_DEVICE.
#[derive(Parser)]
#[command(name = "papers")]
struct Arguments {
    #[command(subcommand)]
    paper: Option<Paper>,
    #[command(flatten)]
    run: Run,
    /// Folder for PAPER.jsonl, PAPER.md and the charts
    #[arg(long, global = true, value_name = "DIR", default_value = "target/papers")]
    out: PathBuf,
    /// Render these lines instead of measuring
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "book")]
    from: Vec<PathBuf>,
    /// Render the lines that the book keeps in docs/src/papers/data
    #[arg(long, global = true)]
    book: bool,
    /// With --book: write nothing, and fail if a file is not what its lines give
    #[arg(long, global = true, requires = "book")]
    check: bool,
    /// Print the names of the papers with their tables and figures
    #[arg(long)]
    list: bool,
    // Cargo adds it.
    #[arg(long, global = true, hide = true)]
    bench: bool,
}

/// How to measure.
#[derive(clap::Args)]
struct Run {
    #[command(flatten)]
    compared: Compared,
    /// Fewer sizes, instances and repetitions: all papers in some minutes
    #[arg(long, global = true)]
    quick: bool,
}

#[derive(Subcommand)]
enum Paper {
    BranchAndBound(branch_and_bound::BranchAndBound),
    IntervalDp(interval_dp::IntervalDp),
    ParallelMachines(parallel_machines::ParallelMachines),
    Pipeline(pipeline::Pipeline),
    Tabu(tabu::Tabu),
}

/// The tables and figures of a paper.
trait Reproduction {
    /// As the command and the pages of the book name it.
    fn name(&self) -> &'static str;
    /// Writes lines.
    fn measure(&self, run: &Run, log: &Log) -> Result<()>;
    /// Reads them.
    fn render(&self, lines: &Lines, report: &mut Report) -> Result<()>;
}

impl Paper {
    fn reproduction(&self) -> &dyn Reproduction {
        match self {
            Paper::BranchAndBound(paper) => paper,
            Paper::IntervalDp(paper) => paper,
            Paper::ParallelMachines(paper) => paper,
            Paper::Pipeline(paper) => paper,
            Paper::Tabu(paper) => paper,
        }
    }

    /// All of them, with their defaults.
    fn all() -> Result<Vec<Paper>> {
        let names: Vec<String> = Arguments::command()
            .get_subcommands()
            .map(|paper| paper.get_name().to_owned())
            .collect();
        let parsed = names.iter().map(|name| {
            let arguments = Arguments::try_parse_from(["papers", name])?;
            arguments.paper.ok_or_else(|| "a paper was named".into())
        });
        parsed.collect()
    }
}

/// The Markdown and the charts of these lines, with that folder of the charts in links, and that
/// suffix of the files.
fn render(paper: &dyn Reproduction, text: &str, links: &str, suffix: &str) -> Result<Report> {
    let lines = Lines::parse(text, paper.name())?;
    let mut report = Report::new(links, suffix);
    paper.render(&lines, &mut report)?;
    let provenance = lines.provenance();
    if !provenance.is_empty() {
        report.heading("Machines");
        report.table(&["", "processor", "devices", "version", "commands"], &provenance);
    }
    Ok(report)
}

/// Measures a paper, or reads its lines, and renders them.
fn reproduce(paper: &dyn Reproduction, arguments: &Arguments) -> Result<()> {
    let Arguments { run, out, from, .. } = arguments;
    fs::create_dir_all(out)?;
    let text = if from.is_empty() {
        let lines = out.join(format!("{}.jsonl", paper.name()));
        let log = Log::new("papers", paper.name(), lines.to_str())?;
        paper.measure(run, &log)?;
        fs::read_to_string(lines)?
    } else {
        from.iter().map(fs::read_to_string).collect::<std::io::Result<Vec<_>>>()?.join("\n")
    };
    let report = render(paper, &text, "", "")?;
    println!("{}", report.markdown);
    for (name, content) in report.files(paper.name()) {
        fs::write(out.join(name), content)?;
    }
    Ok(())
}

/// Renders the book's lines: PAPER.jsonl, and further measurements in PAPER-SUFFIX.jsonl. The pages
/// include the Markdown, so its links begin at their folder.
fn book(papers: &[&dyn Reproduction], check: bool) -> Result<()> {
    let folder = Path::new("docs/src/papers");
    let mut stale = Vec::new();
    for &paper in papers {
        let mut files = Vec::new();
        for (lines, suffix) in recorded(&folder.join("data"), paper.name())? {
            let report = render(paper, &fs::read_to_string(lines)?, "report/", &suffix)?;
            files.extend(report.files(paper.name()));
        }
        for name in old_files(&folder.join("report"), paper.name(), &files)? {
            if !check {
                fs::remove_file(&name)?;
            } else {
                stale.push(name.display().to_string());
            }
        }
        for (name, content) in files {
            let path = folder.join("report").join(name);
            if !check {
                fs::write(path, content)?;
            } else if fs::read_to_string(&path).ok().as_deref() != Some(&content) {
                stale.push(path.display().to_string());
            }
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("run `cargo bench --bench papers -- --book`, out of date: {}", stale.join(", "))
        .into())
}

/// The files with lines of a paper, and the suffixes of their names.
fn recorded(folder: &Path, paper: &str) -> Result<Vec<(PathBuf, String)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(suffix) = name.strip_prefix(paper) {
            found.push((path, suffix.to_owned()));
        }
    }
    found.sort();
    Ok(found)
}

/// Files of that paper in the folder that are not rendered any more.
fn old_files(folder: &Path, paper: &str, files: &[(String, String)]) -> Result<Vec<PathBuf>> {
    let mut old = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(paper) && files.iter().all(|(rendered, _)| *rendered != name) {
            old.push(entry.path());
        }
    }
    Ok(old)
}

/// The names of the papers, with the values of their first argument.
fn list() {
    for paper in Arguments::command().get_subcommands() {
        println!("{:18} {}", paper.get_name(), paper.get_about().unwrap_or_default());
        let items = paper.get_positionals().next().map(|argument| argument.get_possible_values());
        let items = items.unwrap_or_default();
        let items: Vec<&str> = items.iter().map(|item| item.get_name()).collect();
        println!("{:18} {}", "", items.join(" "));
    }
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if arguments.list {
        list();
        return Ok(());
    }
    let all = Paper::all()?;
    let papers: Vec<&dyn Reproduction> = match &arguments.paper {
        Some(paper) => vec![paper.reproduction()],
        None => all.iter().map(Paper::reproduction).collect(),
    };
    if arguments.book {
        // Whole pages, also where tables or figures are named.
        let names: Vec<&str> = papers.iter().map(|paper| paper.name()).collect();
        let pages = all.iter().map(Paper::reproduction);
        let pages: Vec<_> = pages.filter(|page| names.contains(&page.name())).collect();
        return book(&pages, arguments.check);
    }
    // A paper that fails does not keep the others from being measured.
    let mut failed = Vec::new();
    for paper in papers {
        if let Err(error) = reproduce(paper, &arguments) {
            failed.push(format!("{}: {error}", paper.name()));
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ").into()) }
}
