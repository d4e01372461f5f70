//! `makespan parallel-machines`: P||Cmax.

use std::path::PathBuf;

use makespan::parallel_machines::{Instance, Method, Options, Schedule, solve};
use makespan::{Error, Outcome};
use serde::Serialize;

use crate::answer::{count, excess};
use crate::arguments;
use crate::failure::Failure;
use crate::gantt::{Bar, Chart, Fill, Mark, Row, time_axis};
use crate::labels::Labels;
use crate::names;
use crate::options::ChartOption;
use crate::session::{self, Task};
use crate::settings::{Problem, Settings};
use crate::sheet::{self, FormatOption, Sheet};
use crate::table::Table;
use crate::wording::Wording;

/// Assign jobs to identical parallel machines, so that the last one ends as early as possible
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Instance: `p p_cmax n m`, then n times and a closing 0; `m n`, then n times; or CSV with
    /// the columns time and, if the jobs have names, job
    file: PathBuf,
    #[command(flatten)]
    format: FormatOption,
    /// Machines of a CSV file: how many, or their names with commas between
    #[arg(long, value_name = "N|NAMES", value_parser = Machines::parse)]
    machines: Option<Machines>,
    #[command(flatten)]
    settings: Settings<Options>,
    /// Jobs that run on a machine already, such as "0:2 3:1" for job 0 on machine 2 and job 3 on
    /// machine 1, or a file with them
    #[arg(long, value_name = "JOB:MACHINE|FILE", value_parser = Pins::parse)]
    pinned: Option<Pins>,
    #[command(flatten)]
    chart: ChartOption,
}

/// Machines given on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Machines {
    count: u32,
    names: Labels,
}

/// Jobs with their machines, given on the command line.
#[derive(Debug, Clone, Default)]
struct Pins {
    jobs: Vec<u32>,
    machines: Vec<u32>,
}

/// An instance with the names of its parts.
struct Named {
    instance: Instance,
    jobs: Labels,
    machines: Labels,
}

/// The schedule as it is printed.
#[derive(Serialize)]
struct PrintedSchedule<'a> {
    #[serde(skip_serializing_if = "Labels::is_empty")]
    job_names: &'a Labels,
    #[serde(skip_serializing_if = "Labels::is_empty")]
    machine_names: &'a Labels,
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
    let mut named = instance(arguments)?;
    if let Some(pins) = &arguments.pinned {
        named.instance = pins.pin(named.instance)?;
    }
    let instance = &named.instance;
    let task = Task {
        problem: "parallel-machines",
        file: &arguments.file,
        wording: Wording {
            unit: arguments.chart.time_unit.clone(),
            ..Wording::new(size(instance), "makespan")
        },
        common,
    };
    let (outcome, printed) = task.run_with_table(
        |context, solve_options| {
            let mut outcome = solve(context, instance, options, solve_options)?;
            let left_out =
                outcome.solution.as_ref().and_then(|schedule| idle_left_out(instance, schedule));
            session::warn(&mut outcome.report, left_out.filter(|_| common.writes_json()));
            Ok(outcome)
        },
        |schedule| PrintedSchedule::new(&named, schedule),
    )?;
    if let (Some(file), Some(printed)) = (&arguments.chart.gantt, &printed) {
        let name = names::instance_name(&arguments.file);
        let unit = arguments.chart.time_unit.as_deref();
        file.write(&chart(&name, instance, &outcome, printed, unit).to_svg())?;
    }
    Ok(())
}

impl Machines {
    /// A number, or names.
    fn parse(text: &str) -> Result<Self, String> {
        if let Ok(count) = text.trim().parse() {
            return match count {
                0 => Err("must be at least 1".into()),
                count => Ok(Machines { count, names: Labels::default() }),
            };
        }
        let names: Vec<&str> = text.split(',').map(str::trim).collect();
        if names.contains(&"") {
            return Err("must be a number or names with commas between".into());
        }
        let count = names.len() as u32;
        Ok(Machines { count, names: Labels::new(names.into_iter().map(str::to_owned)) })
    }
}

impl Pins {
    fn parse(text: &str) -> Result<Self, String> {
        let text = arguments::content(text.into())?;
        let text = text.to_str().ok_or("is not UTF-8")?;
        let words = text.split(|c: char| c == ',' || c.is_whitespace());
        let mut pins = Pins::default();
        for word in words.filter(|word| !word.is_empty()) {
            let pin = word
                .split_once(':')
                .and_then(|(job, machine)| Some((job.parse().ok()?, machine.parse().ok()?)));
            let (job, machine) = pin.ok_or_else(|| format!("'{word}' is not JOB:MACHINE"))?;
            pins.jobs.push(job);
            pins.machines.push(machine);
        }
        Ok(pins)
    }

    fn pin(&self, instance: Instance) -> Result<Instance, Failure> {
        // The loads are printed up to the last machine used.
        let most = MOST_LOADS.max(instance.jobs());
        if let Some(at) = self.machines.iter().position(|&machine| machine as usize >= most) {
            let machine = self.machines[at];
            let reason = format!("--pinned[{at}]: machine {machine} is not below {most}");
            return Err(Failure::usage(reason));
        }
        let pinned = instance.with_pinned(self.jobs.clone(), self.machines.clone());
        pinned.map_err(|error| match *error {
            Error::InvalidArgument { index: Some(index), reason, .. } => {
                Failure::usage(format!("--pinned[{index}]: {reason}"))
            }
            error => Box::new(error).into(),
        })
    }
}

fn instance(arguments: &Arguments) -> Result<Named, Failure> {
    let (file, common) = (&arguments.file, &arguments.settings.common);
    if !arguments.format.is_csv(file) {
        sheet::refuse_for_others(arguments.machines.is_some(), "machines", file)?;
        let instance = session::read(common, file, Instance::parse)?;
        return Ok(Named { instance, jobs: Labels::default(), machines: Labels::default() });
    }
    let Machines { count, names } = sheet::lacking(arguments.machines.clone(), "machines", file)?;
    session::read(common, file, |text| {
        let sheet = Sheet::parse(text)?;
        sheet.check_columns(&["job", "time"])?;
        let instance = Instance::new(sheet.needed("time")?, count)?;
        Ok(Named { instance, jobs: sheet.labels("job"), machines: names })
    })
}

impl<'a> PrintedSchedule<'a> {
    fn new(named: &'a Named, schedule: &Schedule) -> Result<Self, Failure> {
        let Named { instance, jobs: job_names, machines: machine_names } = named;
        let assignment = schedule.assignment().to_vec();
        let mut loads = vec![0; loads_shown(instance, &assignment)];
        for (&machine, time) in assignment.iter().zip(instance.times()) {
            loads[machine as usize] += time;
        }
        let starts = schedule.starts(instance)?;
        let ends = starts.iter().zip(instance.times()).map(|(start, time)| start + time).collect();
        Ok(PrintedSchedule { job_names, machine_names, assignment, starts, ends, loads })
    }
}

impl Table for PrintedSchedule<'_> {
    fn columns(&self) -> Vec<&'static str> {
        vec!["job", "machine", "start", "end"]
    }

    /// The jobs in the order of their starts, and of the machines.
    fn rows(&self) -> Box<dyn Iterator<Item = Vec<String>> + '_> {
        let mut jobs: Vec<usize> = (0..self.assignment.len()).collect();
        jobs.sort_by_key(|&job| (self.starts[job], self.assignment[job]));
        Box::new(jobs.into_iter().map(|job| {
            let machine = self.machine_names.of(self.assignment[job] as usize);
            let times = [self.starts[job], self.ends[job]].map(|time| time.to_string());
            [self.job_names.of(job), machine].into_iter().chain(times).collect()
        }))
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
    printed: &PrintedSchedule<'_>,
    unit: Option<&str>,
) -> Chart {
    let label = |machine| printed.machine_names.with("machine ", machine);
    let row = |machine| Row { label: label(machine), bars: Vec::new(), ticks: Vec::new() };
    let mut rows: Vec<Row> = (0..used(&printed.assignment)).map(row).collect();
    let jobs = printed.assignment.iter().zip(&printed.starts).zip(&printed.ends);
    for (job, ((&machine, &start), &end)) in jobs.enumerate() {
        let label = printed.job_names.with("J", job);
        let bar = Bar { label, start, end, fill: Fill::Colour(job), group: Some(job) };
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
        across: time_axis(unit),
        down: "machine",
        rows,
        marks: Mark::of_makespan(outcome.objective, outcome.bound),
    }
}
