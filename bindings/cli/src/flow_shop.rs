//! `makespan flow-shop`: the permutation flow shop.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use makespan::Outcome;
use makespan::flow_shop::{
    Bound, Branching, CheckpointOptions, Evaluation, ExactOptions, Exploration, HostPool, Instance,
    Method, Neighbourhood, Options, Permutation, Placement, SearchOptions, TabuList, solve,
};
use serde::Serialize;

use crate::answer::{Wording, count, excess};
use crate::failure::Failure;
use crate::files;
use crate::gantt::{Bar, Chart, Mark, Row};
use crate::names;
use crate::options::{ChartOption, Common, parse_seconds};
use crate::session;

/// Jobs that pass all machines in the same sequence, the last one to end as early as possible
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Instance: a file in the format of Taillard or of Vallada, Ruiz and Framinan; a file with a
    /// line of times for each job; or a name from ta001 to ta120
    #[arg(value_parser = files::instance_path())]
    file: PathBuf,
    /// How to solve
    #[arg(long, value_enum, default_value_t)]
    method: MethodChoice,
    /// Sequence to begin with, in addition to that of NEH: job numbers from 0, or a file of them
    #[arg(long, value_name = "\"0 1 2 ...\"|FILE")]
    permutation: Option<String>,
    /// Jobs that every sequence begins with, such as "4 1"
    #[arg(long, value_name = "JOBS", value_parser = Permutation::parse)]
    pinned: Option<Permutation>,
    /// For each machine a time before which it does nothing, such as "0 12 7"
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
    /// Lower bound that prunes
    #[arg(long, value_enum, default_value_t)]
    bound: BoundChoice,
    /// Where the sequences are fixed
    #[arg(long, value_enum, default_value_t)]
    branching: BranchingChoice,
    /// How a device takes part
    #[arg(long, value_enum, default_value_t)]
    search: SearchChoice,
    #[command(flatten)]
    pool: PoolArguments,
    /// Look for schedules shorter than this only; the status is infeasible where there are none
    #[arg(long, value_name = "U")]
    upper_bound: Option<u64>,
    /// Keep the search in this file; if it is there, go on where it stopped
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Time between two writings of the checkpoint
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, requires = "checkpoint", default_value = "60")]
    checkpoint_interval: Duration,
}

/// Options of the host's pool
#[derive(clap::Args)]
struct PoolArguments {
    /// Nodes that the device bounds in one launch, with the search host-pool
    #[arg(long, value_name = "N", default_value_t = HostPool::default().size)]
    pool_size: usize,
    /// Leave the pool in the order of branching instead of sorting it by depth
    #[arg(long)]
    unsorted: bool,
    /// Bound by a kernel with branches
    #[arg(long)]
    branches: bool,
    /// Tables in the device's local memory
    #[arg(long, value_enum, default_value_t)]
    placement: PlacementChoice,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum SearchChoice {
    /// The device searches by itself
    #[default]
    OnDevice,
    /// The device bounds the host's nodes
    HostPool,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum PlacementChoice {
    /// As much as fits
    #[default]
    Auto,
    /// None
    Global,
    /// The processing times
    Times,
    /// Johnson's orders
    Johnson,
    /// The processing times and Johnson's orders
    Both,
}

/// Options of the searches
#[derive(clap::Args)]
#[command(next_help_heading = "Search")]
struct SearchArguments {
    /// Most nodes that beam search keeps of a level [default: wider and wider until the limit]
    #[arg(long, value_name = "NODES")]
    beam_width: Option<usize>,
    /// Trajectories at once [default: 1 of tabu search; of iterated greedy search one for each
    /// thread, or 4 where iterations are limited or time is not]
    #[arg(long, value_name = "N")]
    trajectories: Option<usize>,
    /// Sequences that tabu search looks at
    #[arg(long, value_enum, default_value_t)]
    neighbourhood: NeighbourhoodChoice,
    /// How tabu search computes the makespans of swaps
    #[arg(long, value_enum, default_value_t)]
    evaluation: EvaluationChoice,
    /// What tabu search does not go back to
    #[arg(long, value_enum, default_value_t)]
    tabu_list: TabuListChoice,
    /// Generations for which tabu search does not go back
    #[arg(long, value_name = "GENERATIONS", default_value_t = SearchOptions::default().tenure)]
    tenure: u32,
    /// On a device, keep the columns of swaps in local memory
    #[arg(long)]
    local_columns: bool,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum NeighbourhoodChoice {
    /// Two jobs change places
    Swap,
    /// One job moves
    #[default]
    Insertion,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum EvaluationChoice {
    /// With heads and tails: the fastest for all sizes measured
    #[default]
    Auto,
    /// From the first job to the last
    Full,
    /// From the first change on
    Prefix,
    /// From the first to the last change
    HeadsAndTails,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum TabuListChoice {
    /// A job to the position that it left, unless that makes the shortest sequence so far
    #[default]
    Attributes,
    /// Whole sequences
    Sequences,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum BoundChoice {
    /// One machine
    #[default]
    Lb1,
    /// Two machines
    Lb2,
    /// One machine, and two for the children that it leaves open
    #[value(name = "lb1-lb2")]
    Refined,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum BranchingChoice {
    /// At the front
    Forward,
    /// At the back
    Backward,
    /// At the end with fewer open children
    #[default]
    MinBranch,
    /// At the end where the smallest bound is rarer; else at the one with fewer open children
    MinMin,
    /// At the end where the smallest bound is rarer; else at the front
    MinMinFront,
    /// At the end with the larger sum of bounds
    MaxSum,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum MethodChoice {
    /// The best of the methods, as far as they pay
    #[default]
    Auto,
    /// Branch and bound until the optimum is proved or a limit comes
    BranchAndBound,
    /// Bi-directional beam search, wider and wider
    Beam,
    /// Iterated greedy search
    IteratedGreedy,
    /// Tabu search over all neighbours
    Tabu,
    /// The insertion heuristic of Nawaz, Enscore and Ham
    Neh,
}

/// Times given on the command line.
#[derive(Clone)]
struct Times(Vec<u32>);

/// The schedule as it is printed.
#[derive(Serialize)]
struct Plan {
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
    if common.is_cpu_only() && matches!(arguments.exact.search, SearchChoice::HostPool) {
        return Err(Failure::usage(
            "--search host-pool needs a device and makes no sense with --engine cpu",
        ));
    }
    match arguments.method {
        MethodChoice::Auto | MethodChoice::BranchAndBound => {}
        MethodChoice::Neh => {
            common.check_one_device()?;
            common.check_no_iterations(Method::Neh.name())?;
        }
        MethodChoice::Beam | MethodChoice::IteratedGreedy | MethodChoice::Tabu => {
            common.check_one_device()?
        }
    }
    let (instance, doubt) = instance(arguments)?;
    let options = options(arguments)?;
    let wording = Wording { size: size(&instance), objective: "makespan" };
    let (outcome, plan) = session::Task { problem: "flow-shop", file, wording, common }.run(
        |context, solve_options| {
            let mut outcome = solve(context, &instance, &options, solve_options)?;
            session::warn(&mut outcome.report, doubt.clone());
            Ok(outcome)
        },
        |permutation| Plan::new(&instance, permutation),
    )?;
    if let (Some(chart_file), Some(plan)) = (&arguments.chart.gantt, &plan) {
        chart_file
            .write(&chart(&files::instance_name(file), &instance, &outcome, plan).to_svg())?;
    }
    Ok(())
}

/// The file of that name, or the instance known by it. With it comes a warning if the file could be
/// meant in another way than it was read.
fn instance(arguments: &Arguments) -> Result<(Instance, Option<String>), Failure> {
    let file = &arguments.file;
    let (mut instance, reads_two_ways) = if file.exists() {
        session::read(&arguments.common, file, Instance::read_with_doubt)?
    } else {
        let unknown =
            "there is no such file, and no instance is known by that name; ta001 to ta120 are";
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
            "the first line is taken for the sizes, {size}; without it the file is a matrix of two machines"
        )
    });
    Ok((instance, doubt))
}

fn options(arguments: &Arguments) -> Result<Options, Failure> {
    let method = match arguments.method {
        MethodChoice::Auto => Method::Auto,
        MethodChoice::BranchAndBound => Method::BranchAndBound,
        MethodChoice::Beam => Method::Beam,
        MethodChoice::IteratedGreedy => Method::IteratedGreedy,
        MethodChoice::Tabu => Method::Tabu,
        MethodChoice::Neh => Method::Neh,
    };
    let start = arguments.permutation.as_deref().map(permutation).transpose()?;
    Ok(Options {
        method,
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
            neighbourhood: match self.neighbourhood {
                NeighbourhoodChoice::Swap => Neighbourhood::Swap,
                NeighbourhoodChoice::Insertion => Neighbourhood::Insertion,
            },
            evaluation: match self.evaluation {
                EvaluationChoice::Auto => None,
                EvaluationChoice::Full => Some(Evaluation::Full),
                EvaluationChoice::Prefix => Some(Evaluation::Prefix),
                EvaluationChoice::HeadsAndTails => Some(Evaluation::HeadsAndTails),
            },
            tabu_list: match self.tabu_list {
                TabuListChoice::Sequences => TabuList::Sequences,
                TabuListChoice::Attributes => TabuList::Attributes,
            },
            tenure: self.tenure,
            local_columns: self.local_columns,
        }
    }
}

impl ExactArguments {
    fn options(&self) -> Result<ExactOptions, Failure> {
        let pool = self.pool.options();
        if matches!(self.search, SearchChoice::OnDevice) && pool != HostPool::default() {
            return Err(Failure::usage(
                "--pool-size, --unsorted, --branches and --placement are for --search host-pool alone",
            ));
        }
        Ok(ExactOptions {
            bound: match self.bound {
                BoundChoice::Lb1 => Bound::OneMachine,
                BoundChoice::Lb2 => Bound::TwoMachine,
                BoundChoice::Refined => Bound::Refined,
            },
            branching: match self.branching {
                BranchingChoice::Forward => Branching::Forward,
                BranchingChoice::Backward => Branching::Backward,
                BranchingChoice::MinBranch => Branching::MinBranch,
                BranchingChoice::MinMin => Branching::MinMin,
                BranchingChoice::MinMinFront => Branching::MinMinFront,
                BranchingChoice::MaxSum => Branching::MaxSum,
            },
            exploration: match self.search {
                SearchChoice::OnDevice => Exploration::OnDevice,
                SearchChoice::HostPool => Exploration::HostPool(pool),
            },
            upper_bound: self.upper_bound,
            checkpoint: self.checkpoint.as_ref().map(|path| CheckpointOptions {
                path: path.clone(),
                interval: self.checkpoint_interval,
            }),
        })
    }
}

impl PoolArguments {
    fn options(&self) -> HostPool {
        HostPool {
            size: self.pool_size,
            sorted: !self.unsorted,
            branch_free: !self.branches,
            placement: match self.placement {
                PlacementChoice::Auto => Placement::Auto,
                PlacementChoice::Global => Placement::Global,
                PlacementChoice::Times => Placement::Times,
                PlacementChoice::Johnson => Placement::Johnson,
                PlacementChoice::Both => Placement::Both,
            },
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

impl Plan {
    fn new(instance: &Instance, permutation: &Permutation) -> Result<Self, Failure> {
        let starts = permutation.starts(instance)?;
        let starts = starts.chunks(instance.machines()).map(<[u64]>::to_vec).collect();
        Ok(Plan { permutation: permutation.jobs().to_vec(), starts })
    }
}

fn size(instance: &Instance) -> String {
    format!("{} on {}", count(instance.jobs(), "job"), count(instance.machines(), "machine"))
}

fn chart(name: &str, instance: &Instance, outcome: &Outcome<Permutation>, plan: &Plan) -> Chart {
    let bar = |machine: usize, job: u32| {
        let start = plan.starts[job as usize][machine];
        let end = start + u64::from(instance.job(job)[machine]);
        Bar { label: format!("J{job}"), start, end, colour: job as usize }
    };
    let row = |machine| Row {
        label: format!("machine {machine}"),
        bars: plan.permutation.iter().map(|&job| bar(machine, job)).collect(),
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
