//! `makespan parallel-machines`: P||Cmax.

use std::path::PathBuf;

use clap::ValueEnum;
use makespan::Outcome;
use makespan::parallel_machines::{Instance, Method, Options, Schedule, solve};
use serde::Serialize;

use crate::answer::{Wording, count, excess};
use crate::failure::Failure;
use crate::files;
use crate::gantt::{Bar, Chart, Mark, Row};
use crate::options::{ChartOption, Common};
use crate::session::{self, Task};
use crate::traversal::TraversalOptions;

/// Jobs on identical parallel machines, the last one to end as early as possible
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Instance: `p p_cmax n m`, n times and a closing 0; or `m n` and n times
    file: PathBuf,
    /// How to solve
    #[arg(long, value_enum, default_value_t)]
    method: MethodChoice,
    /// Precision of the approximation scheme, above 0 and at most 1; lpt and multifit have none [default: 1/6]
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    epsilon: Option<f64>,
    /// Decide the middles of so many segments of the targets side by side, with `--method ptas`; 1 is bisection
    /// [default: 1]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    segments: Option<u32>,
    #[command(flatten)]
    tables: TraversalOptions,
    #[command(flatten)]
    chart: ChartOption,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum MethodChoice {
    /// The best of all methods, as far as they pay
    #[default]
    Auto,
    /// Longest processing time first
    Lpt,
    /// LPT, then MULTIFIT
    Multifit,
    /// LPT, MULTIFIT, then the approximation scheme down to 1 + epsilon
    Ptas,
    /// A schedule proved optimal or the limit
    Exact,
}

/// The schedule as it is printed.
#[derive(Serialize)]
struct Plan {
    /// Machine of each job.
    assignment: Vec<u32>,
    /// Start time of each job.
    starts: Vec<u64>,
    /// Load of each machine up to the last one used.
    loads: Vec<u64>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.chart.check(&arguments.common)?;
    if let Some(chart) = &arguments.chart.gantt {
        chart.check_other(&arguments.file)?;
    }
    let options = options(arguments)?;
    let instance = session::read(&arguments.common, &arguments.file, Instance::read)?;
    let task = Task {
        problem: "parallel-machines",
        file: &arguments.file,
        wording: Wording { size: size(&instance), objective: "makespan" },
        common: &arguments.common,
    };
    let (outcome, plan) = task.run(
        |context, solve_options| solve(context, &instance, &options, solve_options),
        |schedule| Plan::new(&instance, schedule),
    )?;
    if let (Some(file), Some(plan)) = (&arguments.chart.gantt, &plan) {
        let name = files::instance_name(&arguments.file);
        file.write(&chart(&name, &instance, &outcome, plan).to_svg())?;
    }
    Ok(())
}

fn options(arguments: &Arguments) -> Result<Options, Failure> {
    let method = match arguments.method {
        MethodChoice::Auto => Method::Auto,
        MethodChoice::Lpt => Method::Lpt,
        MethodChoice::Multifit => Method::Multifit,
        MethodChoice::Ptas => Method::Ptas,
        MethodChoice::Exact => Method::Exact,
    };
    let default = Options::default();
    let tables = arguments.tables.options()?;
    if method != Method::Ptas && (arguments.segments.is_some() || tables != default.tables) {
        return Err(Failure::usage("--segments, --traversal and --launches are for --method ptas"));
    }
    Ok(Options {
        method,
        epsilon: arguments.epsilon.unwrap_or(default.epsilon),
        segments: arguments.segments.unwrap_or(default.segments),
        tables,
    })
}

impl Plan {
    fn new(instance: &Instance, schedule: &Schedule) -> Result<Self, Failure> {
        let assignment = schedule.assignment().to_vec();
        let machines = assignment.iter().max().map_or(0, |&last| last as usize + 1);
        let mut loads = vec![0; machines];
        for (&machine, time) in assignment.iter().zip(instance.times()) {
            loads[machine as usize] += time;
        }
        Ok(Plan { assignment, starts: schedule.starts(instance)?, loads })
    }
}

fn size(instance: &Instance) -> String {
    format!("{} on {}", count(instance.jobs(), "job"), count(instance.machines() as usize, "machine"))
}

fn chart(name: &str, instance: &Instance, outcome: &Outcome<Schedule>, plan: &Plan) -> Chart {
    let mut rows: Vec<Row> = (0..plan.loads.len())
        .map(|machine| Row { label: format!("machine {machine}"), bars: Vec::new() })
        .collect();
    let jobs = plan.assignment.iter().zip(&plan.starts).zip(instance.times());
    for (job, ((&machine, &start), time)) in jobs.enumerate() {
        let bar = Bar { label: format!("J{job}"), start, end: start + time, colour: job };
        rows[machine as usize].bars.push(bar);
    }
    let idle = instance.machines() as usize - rows.len();
    let idle = if idle > 0 { format!(", {idle} of them idle") } else { String::new() };
    let quality = outcome.objective.zip(outcome.bound).and_then(|(makespan, bound)| excess(makespan, bound));
    let quality = quality.unwrap_or_else(|| outcome.status.to_string());
    Chart {
        title: name.to_owned(),
        subtitle: format!("{}{idle}: schedule {quality}", size(instance)),
        rows,
        marks: Mark::of_makespan(outcome.objective, outcome.bound),
    }
}
