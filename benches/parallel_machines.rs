//! Certified solving of P||Cmax over a folder of instances, one line each and a summary per family.
//!
//! ```text
//! cargo bench --bench parallel_machines -- FOLDER [SECONDS [METHOD [WORD]]]
//! ```
//!
//! The folder has one subfolder per family and `optima.csv` with lines `family,instance,optimum`,
//! the optimum left empty where it is not known: gaps are taken to the bound there. A bound above a
//! listed optimum, or a makespan below it, ends the run. With a word, only files that contain it
//! are solved.
#![allow(clippy::print_stdout, reason = "a measuring program")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

use makespan::parallel_machines::{Instance, Method, Options, solve};
use makespan::{Context, ContextOptions, Engine, Limits, SolveOptions};

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

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let Some(folder) = arguments.first() else {
        println!("usage: parallel_machines FOLDER [SECONDS [METHOD [WORD]]]");
        return Ok(());
    };
    let seconds: f64 = arguments.get(1).map_or(Ok(1.0), |word| word.parse())?;
    let name = arguments.get(2).map_or("auto", String::as_str);
    let method =
        Method::ALL.into_iter().find(|method| method.name() == name).ok_or("no such method")?;
    let word = arguments.get(3).map_or("", String::as_str);

    let context_options =
        ContextOptions { engine: Engine::Cpu, threads: Some(1), ..ContextOptions::default() };
    let context = Context::new(context_options)?;
    let limits = Limits { time: Some(Duration::from_secs_f64(seconds)), ..Limits::default() };
    let solve_options = SolveOptions { limits, ..SolveOptions::default() };
    let options = Options { method, ..Options::default() };
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    for (family, file, optimum) in listed(Path::new(folder))? {
        if !file.to_string_lossy().contains(word) {
            continue;
        }
        let instance = Instance::read(&file)?;
        let outcome = solve(&context, &instance, &options, &solve_options)?;
        let (makespan, bound) = (outcome.objective.unwrap(), outcome.bound.unwrap());
        let optimum = optimum.unwrap_or(bound);
        println!(
            "{family} {} n {} m {} optimum {optimum} makespan {makespan} bound {bound} {:.4} s {:?}",
            file.file_name().unwrap_or_default().to_string_lossy(),
            instance.jobs(),
            instance.machines(),
            outcome.report.seconds,
            outcome.report.statistics.iter().collect::<Vec<_>>(),
        );
        assert!(
            bound <= optimum && optimum <= makespan,
            "an unsound certificate, or a wrong optimum listed"
        );
        let sums = families.entry(family).or_default();
        sums.solved += 1;
        sums.at_optimum += usize::from(makespan == optimum);
        sums.proved += usize::from(makespan == bound);
        sums.certified += usize::from(makespan * 10 <= bound * 11);
        sums.gaps += (makespan - optimum) as f64 / optimum as f64;
        sums.slowest = sums.slowest.max(outcome.report.seconds);
    }
    println!("family       files  at optimum  proved  mean gap %  bound within 10 %  slowest s");
    for (family, sums) in &families {
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
    Ok(())
}

/// Family, file and optimum of an instance.
type Listed = (String, PathBuf, Option<u64>);

/// All instances of `optima.csv`.
fn listed(folder: &Path) -> Result<Vec<Listed>, Box<dyn Error>> {
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
