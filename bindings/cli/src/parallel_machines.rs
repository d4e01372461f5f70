//! `makespan parallel-machines`: P||Cmax.

use std::path::PathBuf;

use makespan::Outcome;
use makespan::parallel_machines::{Instance, Method, Options, Schedule, solve};
use serde::Serialize;

use crate::answer::{Wording, count, excess};
use crate::failure::Failure;
use crate::files;
use crate::gantt::{Bar, Chart, Mark, Row};
use crate::options::ChartOption;
use crate::session::{self, Task};
use crate::settings::{Problem, Settings};

/// Assign jobs to identical parallel machines, so that the last one ends as early as possible
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Instance: `p p_cmax n m`, then n times and a closing 0; or `m n`, then n times
    #[arg(value_parser = files::instance_path())]
    file: PathBuf,
    #[command(flatten)]
    settings: Settings<Options>,
    #[command(flatten)]
    chart: ChartOption,
}

/// The schedule as it is printed.
#[derive(Serialize)]
struct PrintedSchedule {
    /// Machine of each job.
    assignment: Vec<u32>,
    /// Start time of each job.
    starts: Vec<u64>,
    /// End of each job.
    ends: Vec<u64>,
    /// Load of each machine up to the last one used, and always of the first [`MOST_LOADS`].
    loads: Vec<u64>,
}

/// Machines whose loads are printed even if they are idle.
const MOST_LOADS: usize = 100_000;

impl Problem for Options {
    const NAME: &'static str = "parallel-machines";
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Settings { problem: options, common, .. } = &arguments.settings;
    common.check_one_device()?;
    if matches!(options.method, Method::Lpt | Method::Multifit) {
        common.check_no_iterations(options.method.name())?;
    }
    arguments.chart.check(common)?;
    if let Some(chart) = &arguments.chart.gantt {
        chart.check_other(&arguments.file)?;
    }
    let instance = session::read(common, &arguments.file, Instance::read)?;
    let task = Task {
        problem: "parallel-machines",
        file: &arguments.file,
        wording: Wording { size: size(&instance), objective: "makespan" },
        common,
    };
    let (outcome, printed) = task.run(
        |context, solve_options| {
            let mut outcome = solve(context, &instance, options, solve_options)?;
            let left_out =
                outcome.solution.as_ref().and_then(|schedule| idle_left_out(&instance, schedule));
            session::warn(&mut outcome.report, left_out.filter(|_| common.writes_json()));
            Ok(outcome)
        },
        |schedule| PrintedSchedule::new(&instance, schedule),
    )?;
    if let (Some(file), Some(printed)) = (&arguments.chart.gantt, &printed) {
        let name = files::instance_name(&arguments.file);
        file.write(&chart(&name, &instance, &outcome, printed).to_svg())?;
    }
    Ok(())
}

impl PrintedSchedule {
    fn new(instance: &Instance, schedule: &Schedule) -> Result<Self, Failure> {
        let assignment = schedule.assignment().to_vec();
        let mut loads = vec![0; loads_shown(instance, &assignment)];
        for (&machine, time) in assignment.iter().zip(instance.times()) {
            loads[machine as usize] += time;
        }
        let starts = schedule.starts(instance)?;
        let ends = starts.iter().zip(instance.times()).map(|(start, time)| start + time).collect();
        Ok(PrintedSchedule { assignment, starts, ends, loads })
    }
}

/// Machines whose loads are printed.
fn loads_shown(instance: &Instance, assignment: &[u32]) -> usize {
    used(assignment).max(MOST_LOADS.min(instance.machines() as usize))
}

/// A warning about the machines that the loads leave out.
fn idle_left_out(instance: &Instance, schedule: &Schedule) -> Option<String> {
    let (shown, machines) =
        (loads_shown(instance, schedule.assignment()), instance.machines() as usize);
    (shown < machines).then(|| {
        format!(
            "the loads are those of the first {shown} of {machines} machines; the others are idle"
        )
    })
}

/// Machines up to the last one used.
fn used(assignment: &[u32]) -> usize {
    assignment.iter().max().map_or(0, |&last| last as usize + 1)
}

fn size(instance: &Instance) -> String {
    format!(
        "{} on {}",
        count(instance.jobs(), "job"),
        count(instance.machines() as usize, "machine")
    )
}

fn chart(
    name: &str,
    instance: &Instance,
    outcome: &Outcome<Schedule>,
    printed: &PrintedSchedule,
) -> Chart {
    let row = |machine| Row { label: format!("machine {machine}"), bars: Vec::new() };
    let mut rows: Vec<Row> = (0..used(&printed.assignment)).map(row).collect();
    let jobs = printed.assignment.iter().zip(&printed.starts).zip(&printed.ends);
    for (job, ((&machine, &start), &end)) in jobs.enumerate() {
        let bar = Bar { label: format!("J{job}"), start, end, colour: job };
        rows[machine as usize].bars.push(bar);
    }
    let idle = instance.machines() as usize - rows.len();
    let idle = if idle > 0 { format!(", {idle} of them idle") } else { String::new() };
    let quality =
        outcome.objective.zip(outcome.bound).and_then(|(makespan, bound)| excess(makespan, bound));
    let quality = quality.unwrap_or_else(|| outcome.status.to_string());
    Chart {
        title: name.to_owned(),
        subtitle: format!("{}{idle}: schedule {quality}", size(instance)),
        rows,
        marks: Mark::of_makespan(outcome.objective, outcome.bound),
    }
}
