//! `makespan parallel-machines`: P||Cmax.

use std::path::PathBuf;

use makespan::Outcome;
use makespan::parallel_machines::{Instance, Method, Options, Schedule, solve};
use serde::Serialize;

use crate::answer::{Wording, count, excess};
use crate::enumeration::named;
use crate::failure::Failure;
use crate::files;
use crate::gantt::{Bar, Chart, Mark, Row};
use crate::options::{ChartOption, Common};
use crate::session::{self, Task};
use crate::traversal::TraversalOptions;

/// Assign jobs to identical parallel machines, so that the last one ends as early as possible
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Instance: `p p_cmax n m`, then n times and a closing 0; or `m n`, then n times
    #[arg(value_parser = files::instance_path())]
    file: PathBuf,
    /// Solution method
    #[arg(long, value_parser = named::<Method>(), default_value = Method::default().name())]
    method: Method,
    /// Precision of the approximation scheme, above 0 and at most 1, such as 0.2 or 1/5; not for
    /// lpt and multifit [default: 1/6]
    #[arg(long, value_name = "E", value_parser = parse_epsilon, allow_negative_numbers = true)]
    epsilon: Option<f64>,
    /// Segments into which ptas cuts its interval of targets; it decides the middles of all
    /// segments at once; 1 is bisection [default: 1]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    segments: Option<u32>,
    #[command(flatten)]
    tables: TraversalOptions,
    #[command(flatten)]
    chart: ChartOption,
    #[command(flatten)]
    common: Common,
}

/// The schedule as it is printed.
#[derive(Serialize)]
struct PrintedSchedule {
    /// Machine of each job.
    assignment: Vec<u32>,
    /// Start time of each job.
    starts: Vec<u64>,
    /// Load of each machine up to the last one used, and always of the first [`MOST_LOADS`].
    loads: Vec<u64>,
}

/// Machines whose loads are printed even if they are idle.
const MOST_LOADS: usize = 100_000;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.common.check_one_device()?;
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
    let (outcome, printed) = task.run(
        |context, solve_options| {
            let mut outcome = solve(context, &instance, &options, solve_options)?;
            let left_out =
                outcome.solution.as_ref().and_then(|schedule| idle_left_out(&instance, schedule));
            session::warn(&mut outcome.report, left_out.filter(|_| arguments.common.writes_json()));
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

fn options(arguments: &Arguments) -> Result<Options, Failure> {
    let method = arguments.method;
    let default = Options::default();
    let tables = arguments.tables.options()?;
    if method != Method::Ptas && (arguments.segments.is_some() || tables != default.tables) {
        return Err(Failure::usage("--segments, --traversal and --launches are for --method ptas"));
    }
    if arguments.epsilon.is_some() && matches!(method, Method::Lpt | Method::Multifit) {
        return Err(Failure::usage("--epsilon is for --method auto, ptas and exact"));
    }
    if matches!(method, Method::Lpt | Method::Multifit) {
        arguments.common.check_no_iterations(method.name())?;
    }
    Ok(Options {
        method,
        epsilon: arguments.epsilon.unwrap_or(default.epsilon),
        segments: arguments.segments.unwrap_or(default.segments),
        tables,
    })
}

/// A number, or a fraction of whole numbers.
fn parse_epsilon(text: &str) -> Result<f64, String> {
    let refused = || "it is neither a number nor a fraction such as 1/6".to_owned();
    let Some((above, below)) = text.split_once('/') else {
        return text.parse().map_err(|_| refused());
    };
    let whole = |digits: &str| digits.trim().parse::<u32>().map_err(|_| refused());
    let (above, below) = (whole(above)?, whole(below)?);
    if below == 0 {
        return Err(refused());
    }
    let nearest = f64::from(above) / f64::from(below);
    // The double nearest to 1/k may be below it, and the scheme would then be finer.
    Ok(if above < below && above > 0 { nearest.next_up() } else { nearest })
}

impl PrintedSchedule {
    fn new(instance: &Instance, schedule: &Schedule) -> Result<Self, Failure> {
        let assignment = schedule.assignment().to_vec();
        let mut loads = vec![0; loads_shown(instance, &assignment)];
        for (&machine, time) in assignment.iter().zip(instance.times()) {
            loads[machine as usize] += time;
        }
        Ok(PrintedSchedule { assignment, starts: schedule.starts(instance)?, loads })
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
    let jobs = printed.assignment.iter().zip(&printed.starts).zip(instance.times());
    for (job, ((&machine, &start), time)) in jobs.enumerate() {
        let bar = Bar { label: format!("J{job}"), start, end: start + time, colour: job };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_is_no_less_than_what_it_says() {
        for below in 1..2000u32 {
            let epsilon = parse_epsilon(&format!("1/{below}")).unwrap();
            assert_eq!((1.0 / epsilon).ceil(), f64::from(below), "1/{below}");
        }
        assert_eq!((parse_epsilon("0.3"), parse_epsilon("7/7")), (Ok(0.3), Ok(1.0)));
        assert_eq!(parse_epsilon("0/5"), Ok(0.0));
        for text in ["", "small", "1/", "/6", "1/0", "1/2/3", "-1/6", "0.5/2"] {
            assert!(parse_epsilon(text).is_err(), "{text}");
        }
    }
}
