//! Certified solving of P||Cmax over a folder of instances.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use makespan::parallel_machines::{Instance, Method, Options, solve};

use crate::common::Result;
use crate::common::log::Log;
use crate::common::options::{Run, method};

/// A folder of P||Cmax instances, with a summary for each family: 1 s each, one thread
///
/// The folder has a subfolder for each family, and `optima.csv` with lines
/// `family,instance,optimum`. An unknown optimum is left empty; gaps are then to the bound. A bound
/// above a listed optimum, or a makespan below it, ends the run.
#[derive(Args)]
pub(crate) struct Families {
    folder: PathBuf,
    #[arg(long, default_value = "auto", value_parser = named)]
    method: Method,
    /// Only files whose paths have this word
    #[arg(long, default_value = "")]
    word: String,
    #[command(flatten)]
    run: Run,
}

fn named(name: &str) -> std::result::Result<Method, String> {
    method(name, Method::ALL, Method::name)
}

/// Results over one family.
#[derive(Default)]
struct Family {
    solved: usize,
    at_optimum: usize,
    proved: usize,
    certified: usize,
    gaps: f64,
    slowest: f64,
}

impl Families {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let (context, solve_options) = (self.run.context(1)?, self.run.solve_options(Some(1.0)));
        let options = Options { method: self.method, ..Options::default() };
        let mut families: BTreeMap<String, Family> = BTreeMap::new();
        for (family, file, optimum) in listed(&self.folder)? {
            if !file.to_string_lossy().contains(&self.word) {
                continue;
            }
            let instance = Instance::read(&file)?;
            let outcome = solve(&context, &instance, &options, &solve_options)?;
            let (makespan, bound) = (outcome.objective.unwrap(), outcome.bound.unwrap());
            let optimum = optimum.unwrap_or(bound);
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            println!(
                "{family} {name} n {} m {} optimum {optimum} makespan {makespan} bound {bound} \
                 {:.4} s {:?}",
                instance.jobs(),
                instance.machines(),
                outcome.report.seconds,
                outcome.report.statistics.iter().collect::<Vec<_>>(),
            );
            assert!(
                bound <= optimum && optimum <= makespan,
                "an unsound certificate, or a wrong optimum listed"
            );
            let line = log.outcome(name, &context, &solve_options, &outcome);
            line.class(&family).with("optimum", optimum).write()?;
            families.entry(family).or_default().add(
                makespan,
                bound,
                optimum,
                outcome.report.seconds,
            );
        }
        print(&families);
        Ok(())
    }
}

impl Family {
    fn add(&mut self, makespan: i64, bound: i64, optimum: i64, seconds: f64) {
        self.solved += 1;
        self.at_optimum += usize::from(makespan == optimum);
        self.proved += usize::from(makespan == bound);
        self.certified += usize::from(makespan * 10 <= bound * 11);
        self.gaps += (makespan - optimum) as f64 / optimum.max(1) as f64;
        self.slowest = self.slowest.max(seconds);
    }
}

fn print(families: &BTreeMap<String, Family>) {
    println!("family       files  at optimum  proved  mean gap %  bound within 10 %  slowest s");
    for (family, sums) in families {
        println!(
            "{family:<12} {:>5} {:>11} {:>7} {:>11.4} {:>18} {:>10.3}",
            sums.solved,
            sums.at_optimum,
            sums.proved,
            100.0 * sums.gaps / sums.solved as f64,
            sums.certified,
            sums.slowest
        );
    }
}

/// Family, file and optimum of an instance.
type Listed = (String, PathBuf, Option<i64>);

/// All instances of `optima.csv`.
fn listed(folder: &Path) -> Result<Vec<Listed>> {
    let mut list = Vec::new();
    for line in std::fs::read_to_string(folder.join("optima.csv"))?.lines().skip(1) {
        // Names of instances may hold commas; families and optima don't.
        let (family, rest) = line.split_once(',').ok_or("a line without a comma")?;
        let (instance, optimum) = rest.rsplit_once(',').ok_or("a line with one comma")?;
        let file = folder.join(family).join(instance.trim_matches('"'));
        let optimum = optimum.trim();
        let optimum = if optimum.is_empty() { None } else { Some(optimum.parse()?) };
        list.push((family.to_owned(), file, optimum));
    }
    Ok(list)
}
