//! How short the flow shop schedules are: deviations from the best known makespans.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use clap::{Args, ValueEnum};
use makespan::flow_shop::{self, Instance, Method, Options, SearchOptions, solve, taillard};
use makespan::{Context, Value};

use crate::common::Result;
use crate::common::log::Log;
use crate::common::options::{Run, Selection, flow_shop_method};
use crate::deviation::deviation;

/// Deviations from the best known makespans on Taillard's instances, or those of Vallada and others
///
/// Prints a line for each instance and the average relative percentage deviation by class. A
/// makespan below a proved bound ends the run.
#[derive(Args)]
pub(crate) struct Quality {
    /// Solve this folder instead of Taillard's: `instances/`, and `best_known.csv` with lines
    /// `name,jobs,machines,best`
    #[arg(long, value_name = "FOLDER")]
    vrf: Option<PathBuf>,
    #[arg(long, default_value = "auto", value_parser = flow_shop_method)]
    method: Method,
    /// Tabu search's neighbourhood
    #[arg(long, value_enum, default_value_t)]
    neighbourhood: Neighbourhood,
    /// What tabu search forbids
    #[arg(long, value_enum, default_value_t)]
    tabu_list: TabuList,
    /// Generations for which tabu search forbids it
    #[arg(long, default_value_t = SearchOptions::default().tenure)]
    tenure: u32,
    /// Without a time limit, an instance gets jobs x machines / 2 times this number
    #[arg(long, default_value_t = 30)]
    milliseconds: u64,
    /// Solves side by side
    #[arg(long, default_value_t = 1)]
    runs: usize,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    run: Run,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Neighbourhood {
    #[default]
    Insertion,
    Swap,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum TabuList {
    #[default]
    Attributes,
    Sequences,
}

/// An instance with its best known makespan.
struct Case {
    name: String,
    instance: Instance,
    best: i64,
}

impl Case {
    fn class(&self) -> String {
        format!("{}x{}", self.instance.jobs(), self.instance.machines())
    }

    /// Jobs and machines.
    fn size(&self) -> (usize, usize) {
        (self.instance.jobs(), self.instance.machines())
    }
}

impl Quality {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let cases = self.chosen(match &self.vrf {
            Some(folder) => vrf_cases(folder)?,
            None => taillard_cases(),
        });
        let deviations = self.solve_all(log, &cases)?;
        print(&cases, &deviations);
        Ok(())
    }

    /// The cases asked for, the longest first, so that runs side by side end together.
    fn chosen(&self, cases: Vec<Case>) -> Vec<Case> {
        let mut chosen = self.selection.of(cases, Case::class, |case| &case.name);
        chosen
            .sort_by_key(|case| std::cmp::Reverse(case.instance.jobs() * case.instance.machines()));
        chosen
    }

    /// The deviation of each case in percent.
    fn solve_all(&self, log: &Log, cases: &[Case]) -> Result<Vec<f64>> {
        let next = AtomicUsize::new(0);
        let deviations = Mutex::new(vec![f64::NAN; cases.len()]);
        let work = || -> Result<()> {
            let context = self.run.context(2)?;
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(case) = cases.get(index) else { return Ok(()) };
                let deviation = self.solve_one(log, &context, case)?;
                deviations.lock().map_err(|_| "a run failed")?[index] = deviation;
            }
        };
        thread::scope(|scope| {
            let threads: Vec<_> = (0..self.runs).map(|_| scope.spawn(work)).collect();
            threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a run failed")?)
        })?;
        Ok(deviations.into_inner()?)
    }

    fn solve_one(&self, log: &Log, context: &Context, case: &Case) -> Result<f64> {
        let (jobs, machines) = case.size();
        let usual = (jobs * machines) as f64 * self.milliseconds as f64 / 2e3;
        let solve_options = self.run.solve_options(Some(usual));
        let outcome = solve(context, &case.instance, &self.options(), &solve_options)?;
        let (makespan, bound) = outcome.objective.zip(outcome.bound).ok_or("no schedule")?;
        if bound > case.best || (makespan == bound && makespan > case.best) {
            return Err(format!("{}: bound {bound} above {}", case.name, case.best).into());
        }
        let deviation = deviation(makespan, case.best);
        let (seconds, status) = (outcome.report.seconds, outcome.status);
        let objective = Some(Value::Whole(makespan));
        let found = outcome.report.trace.iter().find(|point| point.objective == objective);
        let at = found.map_or(f64::NAN, |found| found.seconds);
        let counters = outcome.report.statistics.iter();
        let counters: Vec<_> =
            counters.map(|(name, count)| format!("{count:.2e} {name}")).collect();
        println!(
            "{}: {makespan}, best known {}, {deviation:.2} %, bound {bound}, {status}, \
             {at:.1} of {seconds:.1} s, {}",
            case.name,
            case.best,
            counters.join(", ")
        );
        log.outcome(&case.name, context, &solve_options, &outcome)
            .class(case.class())
            .with("best_known", case.best)
            .with("deviation_percent", deviation)
            .with("improved_at", at)
            .write()?;
        Ok(deviation)
    }

    fn options(&self) -> Options {
        let search = SearchOptions {
            neighbourhood: match self.neighbourhood {
                Neighbourhood::Insertion => flow_shop::Neighbourhood::Insertion,
                Neighbourhood::Swap => flow_shop::Neighbourhood::Swap,
            },
            tabu_list: match self.tabu_list {
                TabuList::Attributes => flow_shop::TabuList::Attributes,
                TabuList::Sequences => flow_shop::TabuList::Sequences,
            },
            tenure: self.tenure,
            ..SearchOptions::default()
        };
        Options { method: self.method, search, ..Options::default() }
    }
}

fn taillard_cases() -> Vec<Case> {
    let case = |known: taillard::Known| Case {
        name: known.name(),
        instance: known.instance(),
        best: known.upper_bound.into(),
    };
    taillard::all().map(case).collect()
}

fn vrf_cases(folder: &Path) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for line in std::fs::read_to_string(folder.join("best_known.csv"))?.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [name, _, _, best] = fields[..] else { continue };
        let instance = Instance::read(folder.join("instances").join(format!("{name}.txt")))?;
        cases.push(Case { name: name.to_owned(), instance, best: best.parse()? });
    }
    Ok(cases)
}

fn print(cases: &[Case], deviations: &[f64]) {
    let mut classes: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
    for (case, &deviation) in cases.iter().zip(deviations) {
        classes.entry(case.size()).or_default().push(deviation);
    }
    println!("\njobs machines instances deviation in %");
    for ((jobs, machines), deviations) in &classes {
        println!("{jobs:4} {machines:8} {:9} {:9.3}", deviations.len(), mean(deviations));
    }
    println!("mean over {} instances {:.3} %", cases.len(), mean(deviations));
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
