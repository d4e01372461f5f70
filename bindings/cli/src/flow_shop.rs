//! `makespan flow-shop`: the permutation flow shop.

use std::path::PathBuf;

use makespan::Outcome;
use makespan::flow_shop::{Exploration, Instance, Method, Options, Permutation, solve};
use serde::Serialize;

use crate::answer::{Wording, count, excess};
use crate::failure::Failure;
use crate::gantt::{Bar, Chart, Mark, Row};
use crate::labels::Labels;
use crate::names;
use crate::options::ChartOption;
use crate::session;
use crate::settings::{Problem, Settings};
use crate::sheet::{FormatOption, Sheet};
use crate::table::Table;

/// Sequence jobs that pass all machines in the same order, so that the last one ends as early as
/// possible
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Instance: a file in the format of Taillard or of Vallada, Ruiz and Framinan; a file with a
    /// line of times for each job; CSV with a header of machines and the names of the jobs in the
    /// first column; or a name from ta001 to ta120
    file: PathBuf,
    #[command(flatten)]
    format: FormatOption,
    #[command(flatten)]
    settings: Settings<Options>,
    /// First jobs of every sequence, such as "4 1"
    #[arg(long, value_name = "JOBS", value_parser = Permutation::parse)]
    pinned: Option<Permutation>,
    /// Time for each machine before which it does nothing, such as "0 12 7"
    #[arg(long, value_name = "TIMES", value_parser = parse_times)]
    ready_times: Option<Times>,
    #[command(flatten)]
    chart: ChartOption,
}

/// Times given on the command line.
#[derive(Clone)]
struct Times(Vec<u32>);

/// An instance with the names of its parts.
struct Named {
    instance: Instance,
    jobs: Labels,
    machines: Labels,
    /// A warning if the file could also be read in another way.
    doubt: Option<String>,
}

/// The schedule as it is printed.
#[derive(Serialize)]
struct PrintedSchedule<'a> {
    #[serde(skip_serializing_if = "Labels::is_empty")]
    job_names: &'a Labels,
    #[serde(skip_serializing_if = "Labels::is_empty")]
    machine_names: &'a Labels,
    /// The jobs in their sequence.
    permutation: Vec<u32>,
    /// For each job its start times on the machines.
    starts: Vec<Vec<u64>>,
    /// Its ends there.
    ends: Vec<Vec<u64>>,
}

impl Problem for Options {
    const NAME: &'static str = "flow-shop";
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let file = &arguments.file;
    let Settings { problem: options, common, .. } = &arguments.settings;
    arguments.chart.check(common)?;
    for output in [&common.publication.output, &arguments.chart.gantt].into_iter().flatten() {
        output.check_other(file)?;
        let mut checkpoint = options.exact.checkpoint.iter();
        checkpoint.try_for_each(|checkpoint| output.check_other(checkpoint))?;
    }
    if common.is_cpu_only() && options.exact.exploration == Exploration::HostPool {
        return Err(Failure::usage(
            "--exploration host-pool needs a device and makes no sense with --engine cpu",
        ));
    }
    if arguments.settings.is_given("checkpoint_interval") && options.exact.checkpoint.is_none() {
        return Err(Failure::usage("--checkpoint-interval needs --checkpoint"));
    }
    match options.method {
        Method::Auto | Method::BranchAndBound => {}
        Method::Neh => {
            common.check_one_device()?;
            common.check_no_iterations(Method::Neh.name())?;
        }
        Method::Beam | Method::IteratedGreedy | Method::Tabu => common.check_one_device()?,
    }
    let named = instance(arguments)?;
    let instance = &named.instance;
    let wording = Wording { size: size(instance), objective: "makespan" };
    let task = session::Task { problem: "flow-shop", file, wording, common };
    let (outcome, printed) = task.run_with_table(
        |context, solve_options| {
            let mut outcome = solve(context, instance, options, solve_options)?;
            session::warn(&mut outcome.report, named.doubt.clone());
            Ok(outcome)
        },
        |permutation| PrintedSchedule::new(&named, permutation),
    )?;
    if let (Some(chart_file), Some(printed)) = (&arguments.chart.gantt, &printed) {
        chart_file
            .write(&chart(&names::instance_name(file), instance, &outcome, printed).to_svg())?;
    }
    Ok(())
}

/// The file or the known instance of that name.
fn instance(arguments: &Arguments) -> Result<Named, Failure> {
    let (file, common) = (&arguments.file, &arguments.settings.common);
    let (mut jobs, mut machines) = (Labels::default(), Labels::default());
    let (mut instance, reads_two_ways) = if arguments.format.is_csv(file) {
        let read;
        (read, jobs, machines) = session::read(common, file, parse_csv)?;
        (read, false)
    } else if names::is_standard_input(file) || file.exists() {
        session::read(common, file, Instance::parse_with_doubt)?
    } else {
        let unknown = "there is no such file and no such known instance; ta001 to ta120 are known";
        let named = file.to_str().and_then(Instance::named);
        let named =
            named.ok_or_else(|| Failure::usage(format!("{}: {unknown}", names::shown(file))))?;
        (named, false)
    };
    if let Some(Times(ready)) = &arguments.ready_times {
        instance = instance.with_ready_times(ready.clone())?;
    }
    if let Some(pinned) = &arguments.pinned {
        instance = instance.with_pinned(pinned.jobs().to_vec())?;
    }
    let doubt = reads_two_ways.then(|| {
        let size = size(&instance);
        format!(
            "the first line is read as the sizes, {size}; the file could also be a matrix of two machines"
        )
    });
    Ok(Named { instance, jobs, machines, doubt })
}

/// An instance with its jobs' and its machines' names.
fn parse_csv(text: &str) -> makespan::Result<(Instance, Labels, Labels)> {
    let sheet = Sheet::parse(text)?;
    let (jobs, machines) = (sheet.labels_at(0), sheet.column_labels());
    let instance = Instance::new(sheet.rows(), machines.len(), sheet.matrix()?)?;
    Ok((instance, jobs, machines))
}

fn parse_times(text: &str) -> Result<Times, String> {
    let words = text.split([' ', ',']).filter(|word| !word.is_empty());
    let parse = |word: &str| word.parse().map_err(|_| format!("'{word}' is not a time of 32 bits"));
    words.map(parse).collect::<Result<_, _>>().map(Times)
}

impl<'a> PrintedSchedule<'a> {
    fn new(named: &'a Named, permutation: &Permutation) -> Result<Self, Failure> {
        let Named { instance, jobs: job_names, machines: machine_names, .. } = named;
        let starts = permutation.starts(instance)?;
        let end = |(start, &time): (&u64, &u32)| start + u64::from(time);
        let ends: Vec<u64> = starts.iter().zip(instance.times()).map(end).collect();
        let by_job = |list: &[u64]| list.chunks(instance.machines()).map(<[u64]>::to_vec).collect();
        let permutation = permutation.jobs().to_vec();
        let (starts, ends) = (by_job(&starts), by_job(&ends));
        Ok(PrintedSchedule { job_names, machine_names, permutation, starts, ends })
    }
}

impl Table for PrintedSchedule<'_> {
    fn columns(&self) -> Vec<&'static str> {
        vec!["job", "machine", "start", "end"]
    }

    /// The operations in the order of their starts.
    fn rows(&self) -> Box<dyn Iterator<Item = Vec<String>> + '_> {
        let on_all =
            |&job: &u32| (0..self.starts[job as usize].len()).map(move |on| (job as usize, on));
        let mut operations: Vec<(usize, usize)> =
            self.permutation.iter().flat_map(on_all).collect();
        operations.sort_by_key(|&(job, machine)| self.starts[job][machine]);
        Box::new(operations.into_iter().map(|(job, machine)| {
            let (start, end) = (self.starts[job][machine], self.ends[job][machine]);
            let names = [self.job_names.of(job), self.machine_names.of(machine)];
            names.into_iter().chain([start, end].map(|time| time.to_string())).collect()
        }))
    }
}

fn size(instance: &Instance) -> String {
    format!("{} on {}", count(instance.jobs(), "job"), count(instance.machines(), "machine"))
}

fn chart(
    name: &str,
    instance: &Instance,
    outcome: &Outcome<Permutation>,
    printed: &PrintedSchedule<'_>,
) -> Chart {
    let bar = |machine: usize, job: u32| {
        let start = printed.starts[job as usize][machine];
        let end = printed.ends[job as usize][machine];
        Bar { label: printed.job_names.with("J", job as usize), start, end, colour: job as usize }
    };
    let row = |machine| Row {
        label: printed.machine_names.with("machine ", machine),
        bars: printed.permutation.iter().map(|&job| bar(machine, job)).collect(),
    };
    let quality =
        outcome.objective.zip(outcome.bound).and_then(|(makespan, bound)| excess(makespan, bound));
    let quality = quality.unwrap_or_else(|| outcome.status.to_string());
    Chart {
        title: name.to_owned(),
        subtitle: format!("{}: schedule {quality}", size(instance)),
        rows: (0..instance.machines()).map(row).collect(),
        marks: Mark::of_makespan(outcome.objective, outcome.bound),
    }
}
