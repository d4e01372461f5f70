//! The flow shop with set-ups, due dates, flow times and blocking: deviations from the best known
//! values, and how much of them the bounds certify.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use makespan::flow_shop::{Format, Instance, Method, Objective, Options, solve};
use serde_json::Value;

use crate::common::Result;
use crate::common::log::Log;
use crate::common::options::{Run, Selection, flow_shop_method};
use crate::deviation::deviation;

/// Deviations from the best known values of flow shops with set-ups, due dates, flow times, blocking
///
/// Prints a line for each instance, and means by class. Without a time limit, a solve gets
/// jobs x machines / 2 x 60 ms, a tenth of it from 250 jobs on with due dates. With --json, a run
/// skips the instances that the file has already. The means are over all lines of the file.
#[derive(Args)]
pub(crate) struct Planner {
    /// A folder with `taillard_other_objectives.csv`, `flow-shop-setups/` and
    /// `flow-shop-due-dates/`. Both folders have instances and a `best_known.csv`
    #[arg(long, value_name = "FOLDER")]
    data: PathBuf,
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["setups", "tardiness", "flow-time", "blocking"])]
    sets: Vec<Set>,
    #[arg(long, default_value = "auto", value_parser = flow_shop_method)]
    method: Method,
    #[command(flatten)]
    selection: Selection,
    /// Multiply the usual time by this number
    #[arg(long, default_value_t = 1.0)]
    share: f64,
    #[command(flatten)]
    run: Run,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Set {
    Setups,
    Tardiness,
    FlowTime,
    Blocking,
}

impl Set {
    fn name(self) -> &'static str {
        match self {
            Set::Setups => "setups",
            Set::Tardiness => "tardiness",
            Set::FlowTime => "flow-time",
            Set::Blocking => "blocking",
        }
    }

    /// Reads the table of best known values.
    fn cases(self, data: &Path) -> Result<Vec<Case>> {
        let (table, column) = match self {
            Set::Setups => ("flow-shop-setups/best_known.csv", "best_known"),
            Set::Tardiness => ("flow-shop-due-dates/best_known.csv", "best_known_total_tardiness"),
            Set::FlowTime => ("taillard_other_objectives.csv", "total_flow_time"),
            Set::Blocking => ("taillard_other_objectives.csv", "blocking_makespan"),
        };
        let text = std::fs::read_to_string(data.join(table))?;
        let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let caption = lines.next().ok_or("an empty table")?;
        let place = caption.iter().position(|name| *name == column).ok_or(column)?;
        let case = |line: Vec<&str>| {
            let [name, jobs, machines, ..] = line[..] else { return Err("a short line".into()) };
            let size = (jobs.parse()?, machines.parse()?);
            Ok(Case { set: self, name: name.to_owned(), size, best: line[place].parse()? })
        };
        lines.map(case).collect()
    }
}

/// An instance with its best known value.
struct Case {
    set: Set,
    name: String,
    /// Jobs and machines.
    size: (usize, usize),
    best: i64,
}

impl Case {
    fn class(&self) -> String {
        format!("{} {}", self.set.name(), self.shape())
    }

    fn shape(&self) -> String {
        format!("{}x{}", self.size.0, self.size.1)
    }

    fn read(&self, data: &Path) -> Result<Instance> {
        let of_taillard = || Instance::named(&self.name).ok_or("no instance of that name");
        Ok(match self.set {
            Set::Setups => {
                Instance::read_as(data.join("flow-shop-setups").join(&self.name), Format::Setups)?
            }
            Set::Tardiness => {
                let path = data.join("flow-shop-due-dates").join(&self.name);
                Instance::read_as(path, Format::DueDates)?
                    .with_objective(Objective::parse("total-tardiness")?)?
            }
            Set::FlowTime => of_taillard()?.with_objective(Objective::parse("total-flow-time")?)?,
            Set::Blocking => of_taillard()?.with_blocking()?,
        })
    }

    /// Seconds of a solve.
    fn limit(&self) -> f64 {
        let usual = (self.size.0 * self.size.1) as f64 * 0.03;
        let is_large = self.set == Set::Tardiness && self.size.0 >= 250;
        if is_large { usual / 10.0 } else { usual }
    }
}

/// What a solve reached.
struct Reached {
    best: i64,
    objective: i64,
    bound: i64,
}

impl Planner {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let (mut classes, mut done) = (BTreeMap::<String, Vec<Reached>>::new(), BTreeSet::new());
        for line in log.earlier()? {
            let words = line["class"].as_str().zip(line["instance"].as_str());
            if let (Some((class, name)), Some(reached)) = (words, reached(&line)) {
                classes.entry(class.to_owned()).or_default().push(reached);
                done.insert((class.to_owned(), name.to_owned()));
            }
        }
        let context = self.run.context(2)?;
        for &set in &self.sets {
            let cases = set.cases(&self.data)?;
            for case in self.selection.of(cases, Case::shape, |case| &case.name) {
                if !done.contains(&(case.class(), case.name.clone())) {
                    let reached = self.solve_one(log, &context, &case)?;
                    classes.entry(case.class()).or_default().push(reached);
                }
            }
        }
        print(&classes);
        Ok(())
    }

    fn solve_one(&self, log: &Log, context: &makespan::Context, case: &Case) -> Result<Reached> {
        let instance = case.read(&self.data)?;
        let solve_options = self.run.solve_options(Some(case.limit() * self.share));
        let options = Options { method: self.method, ..Options::default() };
        let outcome = solve(context, &instance, &options, &solve_options)?;
        let (objective, bound) = outcome.objective.zip(outcome.bound).ok_or("no schedule")?;
        if bound > case.best {
            return Err(format!("{}: bound {bound} above {}", case.name, case.best).into());
        }
        let counters = outcome.report.statistics.iter();
        let counters: Vec<_> =
            counters.map(|(name, count)| format!("{count:.2e} {name}")).collect();
        println!(
            "{} {}: {objective}, best known {}, {:.2} %, bound {bound}, {}, {:.1} s, {}",
            case.class(),
            case.name,
            case.best,
            from_best(objective, case.best).unwrap_or(0.0),
            outcome.status,
            outcome.report.seconds,
            counters.join(", ")
        );
        log.outcome(&case.name, context, &solve_options, &outcome)
            .class(case.class())
            .with("best_known", case.best)
            .write()?;
        Ok(Reached { best: case.best, objective, bound })
    }
}

/// What an earlier line says.
fn reached(line: &Value) -> Option<Reached> {
    let best = line["statistics"]["best_known"].as_i64()?;
    let (objective, bound) = (line["objective"].as_i64()?, line["bound"].as_i64()?);
    Some(Reached { best, objective, bound })
}

/// The deviation from the best known value, where that is above 0.
fn from_best(value: i64, best: i64) -> Option<f64> {
    (best > 0).then(|| deviation(value, best))
}

fn print(classes: &BTreeMap<String, Vec<Reached>>) {
    println!(
        "\nclass, instances, mean deviation and gap in % where the best is above 0, zeros found"
    );
    let mut sets: BTreeMap<&str, Vec<&Reached>> = BTreeMap::new();
    for (class, list) in classes {
        let set = class.split(' ').next().unwrap_or_default();
        sets.entry(set).or_default().extend(list);
        print_means(class, &list.iter().collect::<Vec<_>>());
    }
    for (set, list) in &sets {
        print_means(&format!("all of {set}"), list);
    }
}

fn print_means(what: &str, list: &[&Reached]) {
    let mean = |value: &dyn Fn(&Reached) -> Option<f64>| {
        let values: Vec<f64> = list.iter().filter_map(|reached| value(reached)).collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    let zeros: Vec<_> = list.iter().filter(|reached| reached.best == 0).collect();
    let found = zeros.iter().filter(|reached| reached.objective == 0).count();
    println!(
        "{what:24} {:4} {:8.3} {:8.2} {found:4} of {}",
        list.len(),
        mean(&|reached| from_best(reached.objective, reached.best)),
        mean(&|reached| from_best(reached.bound, reached.best).map(|gap| -gap)),
        zeros.len()
    );
}
