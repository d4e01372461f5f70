//! Branch and bound of the permutation flow shop: whole trees, parts of larger ones, stops.

use std::path::Path;
use std::time::{Duration, Instant};

use clap::Args;
use makespan::flow_shop::{
    self, Bound, Branching, ExactOptions, Instance, Method, Options, Searched, Subproblem,
    search_subproblems, taillard,
};
use makespan::{Context, SolveOptions};

use crate::common::Result;
use crate::common::engines::{NamedEngine, device_indices};
use crate::common::log::Log;
use crate::common::options::{Compared, limited};

/// Trees below known optima: proofs that no schedule is shorter
///
/// Where several devices share the searches, only they run the trees.
#[derive(Args)]
pub(crate) struct Trees {
    #[command(flatten)]
    compared: Compared,
}

impl Trees {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let (engines, shared) = (self.compared.engines(), device_indices().len() > 1);
        println!("| instance | bound | engine | nodes | seconds | M nodes/s | M bounds/s |");
        println!("| --- | --- | --- | ---: | ---: | ---: | ---: |");
        let mut all_hard = 0.0;
        for (name, bound, hard) in rows() {
            for engine in &engines {
                if engine.is_device() || !hard && !shared {
                    let seconds = tree(log, engine, &name, bound)?;
                    all_hard += if hard { seconds } else { 0.0 };
                }
            }
        }
        println!("ta021 to ta030 on the device together: {all_hard:.2} s");
        Ok(())
    }
}

/// Instances with their bounds, and whether their trees are for devices.
fn rows() -> impl Iterator<Item = (String, Bound, bool)> {
    let listed = ["ta014", "ta030", "ta029", "ta028", "ta022", "ta050"];
    let listed = listed.map(|name| (name.to_owned(), Bound::OneMachine, false));
    let refined = ["ta014", "ta020", "ta030"];
    let refined = refined.map(|name| (name.to_owned(), Bound::Refined, false));
    let hard = (21..=30).map(|number| (format!("ta{number:03}"), Bound::OneMachine, true));
    listed.into_iter().chain(refined).chain(hard)
}

/// Searches a whole tree, a small one twice. Returns the seconds.
fn tree(log: &Log, engine: &NamedEngine, name: &str, bound: Bound) -> Result<f64> {
    let known = taillard::find(name).ok_or("no such instance")?;
    let options = ExactOptions {
        bound,
        upper_bound: Some(known.upper_bound.into()),
        ..ExactOptions::default()
    };
    let (instance, root) = (known.instance(), [Subproblem::default()]);
    let solve_options = SolveOptions::default();
    let search = || search_subproblems(&engine.context, &instance, &root, &options, &solve_options);
    let mut best = search()?;
    if best.report.seconds < 1.0 {
        let again = search()?;
        best = if again.report.seconds < best.report.seconds { again } else { best };
    }
    let line = log.report(name, &engine.context, &solve_options, &best.report);
    line.variant(bound.name()).write()?;
    println!("| {name} | {} | {} | {} |", bound.name(), engine.name, rates(&best, 4));
    Ok(best.report.seconds)
}

pub(crate) fn nodes(searched: &Searched) -> u64 {
    searched.report.statistics.get("nodes").unwrap()
}

/// The columns of nodes, of seconds with `digits` decimals, of nodes and bounds a second.
fn rates(searched: &Searched, digits: usize) -> String {
    let seconds = searched.report.seconds;
    let (nodes, bounds) = (nodes(searched), searched.report.statistics.get("bounds").unwrap());
    let rate = |count: u64| count as f64 / seconds / 1e6;
    format!("{nodes} | {seconds:.digits$} | {:.2} | {:.0}", rate(nodes), rate(bounds))
}

/// The largest trees with forward branching only
#[derive(Args)]
pub(crate) struct Fronts {
    #[command(flatten)]
    compared: Compared,
}

impl Fronts {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let engines = self.compared.engines();
        for name in ["ta030", "ta020", "ta022"] {
            let known = taillard::find(name).ok_or("no such instance")?;
            let options = ExactOptions {
                branching: Branching::Forward,
                upper_bound: Some(known.upper_bound.into()),
                ..ExactOptions::default()
            };
            let (instance, root) = (known.instance(), [Subproblem::default()]);
            // One core takes minutes.
            for NamedEngine { name: engine, context } in
                engines.iter().filter(|engine| engine.name != "core")
            {
                let solve_options = SolveOptions::default();
                let searched =
                    search_subproblems(context, &instance, &root, &options, &solve_options)?;
                let (nodes, seconds) = (nodes(&searched), searched.report.seconds);
                println!("{name} forward: {nodes} nodes in {seconds:.2} s, {engine}");
                log.report(name, context, &solve_options, &searched.report)
                    .variant(options.branching.name())
                    .write()?;
            }
        }
        Ok(())
    }
}

/// Trees that take too long, for three seconds of the device
#[derive(Args)]
pub(crate) struct Rates {
    /// Further instances with upper bounds
    #[arg(value_name = "FILE=BOUND", value_parser = file_and_bound)]
    files: Vec<(String, u64)>,
    #[arg(long, value_name = "SECONDS", default_value_t = 3.0)]
    time_limit: f64,
}

fn file_and_bound(word: &str) -> std::result::Result<(String, u64), String> {
    let (file, bound) = word.split_once('=').ok_or("a file and a bound with = between")?;
    Ok((file.to_owned(), bound.parse().map_err(|_| "the bound is a whole number")?))
}

impl Rates {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let Some(device) = crate::common::engines::device(None) else { return Ok(()) };
        let mut cases = Vec::new();
        for name in ["ta051", "ta081", "ta101"] {
            let known = taillard::find(name).ok_or("no such instance")?;
            cases.push((name, known.instance(), known.upper_bound.into()));
        }
        for (file, bound) in &self.files {
            cases.push((file, Instance::read(file)?, *bound));
        }
        println!("| instance | bound | upper bound | nodes | seconds | M nodes/s | M bounds/s |");
        println!("| --- | --- | ---: | ---: | ---: | ---: | ---: |");
        let (solve_options, root) = (limited(self.time_limit), [Subproblem::default()]);
        for (name, instance, upper_bound) in cases {
            for bound in [Bound::OneMachine, Bound::Refined] {
                let options = ExactOptions {
                    bound,
                    upper_bound: Some(upper_bound),
                    ..ExactOptions::default()
                };
                let search =
                    || search_subproblems(&device, &instance, &root, &options, &solve_options);
                // The first one builds kernels.
                search()?;
                let searched = search()?;
                let columns = rates(&searched, 2);
                println!("| {name} | {} | {upper_bound} | {columns} |", bound.name());
                log.report(name, &device, &solve_options, &searched.report)
                    .variant(bound.name())
                    .write()?;
            }
        }
        Ok(())
    }
}

/// Time that a search needs after its time limit, with all open nodes written to a file
#[derive(Args)]
pub(crate) struct Stops {
    #[command(flatten)]
    compared: Compared,
}

impl Stops {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        println!(
            "| instance | engine | limit, s | beyond it, ms | file, MB | \
             read and stopped again, ms |"
        );
        println!("| --- | --- | ---: | ---: | ---: | ---: |");
        let engines = self.compared.engines();
        for name in ["ta021", "ta056", "ta081", "ta101"] {
            for engine in engines.iter().filter(|engine| engine.name != "core") {
                for limit in [0.15, 1.0, 3.0] {
                    stop(log, engine, name, limit)?;
                }
            }
        }
        Ok(())
    }
}

fn stop(log: &Log, engine: &NamedEngine, name: &str, limit: f64) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("search");
    let run = |seconds| checkpointed(log, &engine.context, name, &path, seconds);
    // The first one builds kernels.
    run(0.05)?;
    std::fs::remove_file(&path)?;
    let (beyond, interrupted) = run(limit)?;
    if !interrupted {
        return Ok(());
    }
    let megabytes = std::fs::metadata(&path)?.len() as f64 / 1e6;
    let (again, _) = run(0.001)?;
    println!("| {name} | {} | {limit} | {beyond:.0} | {megabytes:.1} | {again:.0} |", engine.name);
    Ok(())
}

/// Continues the search in the file. Returns the milliseconds beyond the limit, and whether the
/// limit ended the search.
fn checkpointed(
    log: &Log,
    context: &Context,
    name: &str,
    path: &Path,
    seconds: f64,
) -> Result<(f64, bool)> {
    let known = taillard::find(name).ok_or("no such instance")?;
    let exact = ExactOptions {
        checkpoint: Some(path.to_owned()),
        upper_bound: Some(known.upper_bound.into()),
        ..ExactOptions::default()
    };
    let options = Options { method: Method::BranchAndBound, exact, ..Options::default() };
    let solve_options = limited(seconds);
    let start = Instant::now();
    let outcome = flow_shop::solve(context, &known.instance(), &options, &solve_options)?;
    let beyond = start.elapsed().saturating_sub(Duration::from_secs_f64(seconds));
    let beyond = (beyond.as_secs_f64() - outcome.report.setup_seconds) * 1e3;
    let line = log.outcome(name, context, &solve_options, &outcome);
    line.with("beyond_limit_ms", beyond).write()?;
    Ok((beyond, outcome.report.interrupted))
}
