//! `makespan flow-shop`: the permutation flow shop.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use makespan::Outcome;
use makespan::flow_shop::{
    Bound, Branching, Evaluation, ExactOptions, Exploration, HostPool, Instance, Method,
    Neighbourhood, Options, Permutation, Placement, SearchOptions, TabuList, solve,
};
use serde::Serialize;

use crate::answer::{Wording, count, excess};
use crate::enumeration::named;
use crate::failure::Failure;
use crate::files;
use crate::gantt::{Bar, Chart, Mark, Row};
use crate::names;
use crate::options::{ChartOption, Common, parse_seconds};
use crate::session;

/// Sequence jobs that pass all machines in the same order, so that the last one ends as early as
/// possible
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Instance: a file in the format of Taillard or of Vallada, Ruiz and Framinan; a file with a
    /// line of times for each job; or a name from ta001 to ta120
    #[arg(value_parser = files::instance_path())]
    file: PathBuf,
    /// Solution method
    #[arg(long, value_parser = named::<Method>(), default_value = Method::default().name())]
    method: Method,
    /// Sequence to start from, in addition to that of NEH: job numbers from 0, or a file with them
    #[arg(long, value_name = "\"0 1 2 ...\"|FILE")]
    permutation: Option<String>,
    /// First jobs of every sequence, such as "4 1"
    #[arg(long, value_name = "JOBS", value_parser = Permutation::parse)]
    pinned: Option<Permutation>,
    /// Time for each machine before which it does nothing, such as "0 12 7"
    #[arg(long, value_name = "TIMES", value_parser = parse_times)]
    ready_times: Option<Times>,
    #[command(flatten)]
    exact: ExactArguments,
    #[command(flatten)]
    search: SearchArguments,
    #[command(flatten)]
    chart: ChartOption,
    #[command(flatten)]
    common: Common,
}

/// Options of branch and bound
#[derive(clap::Args)]
#[command(next_help_heading = "Branch and bound")]
struct ExactArguments {
    /// Lower bound
    #[arg(long, value_parser = named::<Bound>(), default_value = Bound::default().name())]
    bound: Bound,
    /// Branching rule: the end of the sequence at which the next job is fixed
    #[arg(long, value_parser = named::<Branching>(), default_value = Branching::default().name())]
    branching: Branching,
    /// How a device takes part in the search
    #[arg(long, value_parser = named::<Exploration>(), default_value = Exploration::default().name())]
    search: Exploration,
    #[command(flatten)]
    pool: PoolArguments,
    /// Look only for schedules shorter than U; the status is infeasible if there are none
    #[arg(long, value_name = "U")]
    upper_bound: Option<u64>,
    /// Save the search in this file; if the file exists, continue its search
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Time between two checkpoints
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, requires = "checkpoint", default_value = "60")]
    checkpoint_interval: Duration,
}

/// Options of the host's pool
#[derive(clap::Args)]
struct PoolArguments {
    /// Nodes that the device bounds in one launch; for --search host-pool, like the next three
    /// options
    #[arg(long, value_name = "N", default_value_t = HostPool::default().size)]
    pool_size: usize,
    /// Leave the pool in the order of branching instead of sorting it by depth
    #[arg(long)]
    unsorted: bool,
    /// Bound the pool by a kernel with branches
    #[arg(long)]
    branches: bool,
    /// Tables in the device's local memory
    #[arg(long, value_parser = named::<Placement>(), default_value = Placement::default().name())]
    placement: Placement,
}

/// Options of beam, tabu and iterated greedy search
#[derive(clap::Args)]
#[command(next_help_heading = "Search")]
struct SearchArguments {
    /// Most nodes that beam search keeps per level [default: doubled from pass to pass]
    #[arg(long, value_name = "NODES")]
    beam_width: Option<usize>,
    /// Trajectories of tabu or iterated greedy search at once [default: 1 for tabu; for iterated
    /// greedy one per thread if only time is limited, else 4]
    #[arg(long, value_name = "N")]
    trajectories: Option<usize>,
    /// Neighbourhood of tabu search
    #[arg(long, value_parser = named::<Neighbourhood>(),
          default_value = Neighbourhood::default().name())]
    neighbourhood: Neighbourhood,
    /// Positions that tabu search computes for the makespan of a swap
    #[arg(long, value_enum, default_value_t)]
    evaluation: EvaluationChoice,
    /// Moves that tabu search forbids
    #[arg(long, value_parser = named::<TabuList>(), default_value = TabuList::default().name())]
    tabu_list: TabuList,
    /// Generations for which a move stays forbidden
    #[arg(long, value_name = "GENERATIONS", default_value_t = SearchOptions::default().tenure)]
    tenure: u32,
    /// Keep the columns of swaps in a device's local memory
    #[arg(long)]
    local_columns: bool,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum EvaluationChoice {
    /// The fastest for all sizes measured: heads-and-tails
    #[default]
    Auto,
    /// All positions
    Full,
    /// From the first changed position to the end
    Prefix,
    /// From the first to the last changed position
    HeadsAndTails,
}

/// Times given on the command line.
#[derive(Clone)]
struct Times(Vec<u32>);

/// The schedule as it is printed.
#[derive(Serialize)]
struct PrintedSchedule {
    /// The jobs in their sequence.
    permutation: Vec<u32>,
    /// For each job its start times on the machines.
    starts: Vec<Vec<u64>>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (file, common) = (&arguments.file, &arguments.common);
    arguments.chart.check(common)?;
    for output in [&common.output, &arguments.chart.gantt].into_iter().flatten() {
        output.check_other(file)?;
        arguments
            .exact
            .checkpoint
            .iter()
            .try_for_each(|checkpoint| output.check_other(checkpoint))?;
    }
    if common.is_cpu_only() && arguments.exact.search == Exploration::HostPool {
        return Err(Failure::usage(
            "--search host-pool needs a device and makes no sense with --engine cpu",
        ));
    }
    match arguments.method {
        Method::Auto | Method::BranchAndBound => {}
        Method::Neh => {
            common.check_one_device()?;
            common.check_no_iterations(Method::Neh.name())?;
        }
        Method::Beam | Method::IteratedGreedy | Method::Tabu => common.check_one_device()?,
    }
    let (instance, doubt) = instance(arguments)?;
    let options = options(arguments)?;
    let wording = Wording { size: size(&instance), objective: "makespan" };
    let (outcome, printed) = session::Task { problem: "flow-shop", file, wording, common }.run(
        |context, solve_options| {
            let mut outcome = solve(context, &instance, &options, solve_options)?;
            session::warn(&mut outcome.report, doubt.clone());
            Ok(outcome)
        },
        |permutation| PrintedSchedule::new(&instance, permutation),
    )?;
    if let (Some(chart_file), Some(printed)) = (&arguments.chart.gantt, &printed) {
        chart_file
            .write(&chart(&files::instance_name(file), &instance, &outcome, printed).to_svg())?;
    }
    Ok(())
}

/// The file or the known instance of that name, and a warning if the file could also be read in
/// another way.
fn instance(arguments: &Arguments) -> Result<(Instance, Option<String>), Failure> {
    let file = &arguments.file;
    let (mut instance, reads_two_ways) = if file.exists() {
        session::read(&arguments.common, file, Instance::read_with_doubt)?
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
    Ok((instance, doubt))
}

fn options(arguments: &Arguments) -> Result<Options, Failure> {
    let start = arguments.permutation.as_deref().map(permutation).transpose()?;
    Ok(Options {
        method: arguments.method,
        start,
        exact: arguments.exact.options()?,
        search: arguments.search.options(),
    })
}

impl SearchArguments {
    fn options(&self) -> SearchOptions {
        SearchOptions {
            beam_width: self.beam_width,
            trajectories: self.trajectories,
            neighbourhood: self.neighbourhood,
            evaluation: match self.evaluation {
                EvaluationChoice::Auto => None,
                EvaluationChoice::Full => Some(Evaluation::Full),
                EvaluationChoice::Prefix => Some(Evaluation::Prefix),
                EvaluationChoice::HeadsAndTails => Some(Evaluation::HeadsAndTails),
            },
            tabu_list: self.tabu_list,
            tenure: self.tenure,
            local_columns: self.local_columns,
        }
    }
}

impl ExactArguments {
    fn options(&self) -> Result<ExactOptions, Failure> {
        let pool = self.pool.options();
        if self.search == Exploration::OnDevice && pool != HostPool::default() {
            return Err(Failure::usage(
                "--pool-size, --unsorted, --branches and --placement are for --search host-pool only",
            ));
        }
        Ok(ExactOptions {
            bound: self.bound,
            branching: self.branching,
            exploration: self.search,
            pool,
            upper_bound: self.upper_bound,
            checkpoint: self.checkpoint.clone(),
            checkpoint_interval: self.checkpoint_interval,
        })
    }
}

impl PoolArguments {
    fn options(&self) -> HostPool {
        HostPool {
            size: self.pool_size,
            sorted: !self.unsorted,
            branch_free: !self.branches,
            placement: self.placement,
        }
    }
}

/// A sequence from the command line, or from the file named there.
fn permutation(text: &str) -> Result<Permutation, Failure> {
    if text.contains(|letter: char| letter.is_alphabetic()) {
        let path = Path::new(text);
        return Permutation::read(path).map_err(|error| Failure::reading(path, error));
    }
    Permutation::parse(text).map_err(|error| Failure::usage(format!("--permutation: {error}")))
}

fn parse_times(text: &str) -> Result<Times, String> {
    let words = text.split([' ', ',']).filter(|word| !word.is_empty());
    let parse = |word: &str| word.parse().map_err(|_| format!("'{word}' is not a time of 32 bits"));
    words.map(parse).collect::<Result<_, _>>().map(Times)
}

impl PrintedSchedule {
    fn new(instance: &Instance, permutation: &Permutation) -> Result<Self, Failure> {
        let starts = permutation.starts(instance)?;
        let starts = starts.chunks(instance.machines()).map(<[u64]>::to_vec).collect();
        Ok(PrintedSchedule { permutation: permutation.jobs().to_vec(), starts })
    }
}

fn size(instance: &Instance) -> String {
    format!("{} on {}", count(instance.jobs(), "job"), count(instance.machines(), "machine"))
}

fn chart(
    name: &str,
    instance: &Instance,
    outcome: &Outcome<Permutation>,
    printed: &PrintedSchedule,
) -> Chart {
    let bar = |machine: usize, job: u32| {
        let start = printed.starts[job as usize][machine];
        let end = start + u64::from(instance.job(job)[machine]);
        Bar { label: format!("J{job}"), start, end, colour: job as usize }
    };
    let row = |machine| Row {
        label: format!("machine {machine}"),
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
