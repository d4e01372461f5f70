//! `makespan interval-dp`: matrix chains, search trees, triangulations, custom split costs and
//! folding.

mod batch;
mod chart;
mod expression;
mod folding;
mod source;

use makespan::Enumeration;
use makespan::interval_dp::{
    AnyInstance, Instance, Kind, Method, Node, Number, Options, Solution, solve,
};
use serde::Serialize;

use crate::answer::{self, Answer, count};
use crate::enumeration::named;
use crate::failure::Failure;
use crate::files::OutputFile;
use crate::session;
use crate::settings::{self, Settings};
use crate::table::Table;
use crate::wording::Wording;
use chart::Heading;
use expression::ExpressionArguments;
use folding::FoldingArguments;
use source::Source;

/// Split intervals at the best points: matrix chains, search trees, triangulations, RNA, own costs
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Kind of the instance
    #[arg(value_parser = named::<Problem>())]
    problem: Problem,
    /// Instance: random:N:SEED, random:N:SEED:LARGEST with numbers up to LARGEST, or a file. The
    /// file has the dimensions of a chain; n, n key weights and n + 1 gap weights of a tree; a line
    /// for each vertex of a polygon, with its weight or its two coordinates; the data of an
    /// expression; or an RNA sequence in FASTA's format
    #[arg(value_name = "FILE|random:N:SEED")]
    instance: Source,
    #[command(flatten)]
    settings: Settings<Options>,
    /// Write the tree as a graph in the DOT language
    #[arg(long, value_name = "TREE.dot", value_parser = |text: &str| OutputFile::parse_as(&["dot"], text))]
    dot: Option<OutputFile>,
    /// Draw the tree, or the pairs of a folded sequence
    #[arg(long, value_name = "CHART.svg", conflicts_with = "batch", value_parser = |text: &str| OutputFile::parse_as(&["svg"], text))]
    chart: Option<OutputFile>,
    /// Solve many instances: one per line of FILE, or COUNT random ones with seeds from SEED on
    #[arg(long, value_name = "COUNT", num_args = 0..=1, require_equals = true, conflicts_with = "dot")]
    batch: Option<Option<u64>>,
    #[command(flatten)]
    expression: ExpressionArguments,
    #[command(flatten)]
    folding: FoldingArguments,
}

/// The problem to solve.
#[derive(Clone, Copy, PartialEq)]
enum Problem {
    /// One of the library's general form.
    Of(Kind),
    Nussinov,
    Zuker,
}

impl Enumeration for Problem {
    const VALUES: &'static [Self] = &[
        Problem::Of(Kind::MatrixChain),
        Problem::Of(Kind::SearchTree),
        Problem::Of(Kind::Triangulation),
        Problem::Of(Kind::Custom),
        Problem::Nussinov,
        Problem::Zuker,
    ];

    fn name(self) -> &'static str {
        match self {
            Problem::Of(kind) => kind.name(),
            Problem::Nussinov => "nussinov",
            Problem::Zuker => "zuker",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Problem::Of(kind) => kind.text(),
            Problem::Nussinov => "The nested base pairs of an RNA sequence with the largest weight",
            Problem::Zuker => "The structure of an RNA sequence with the least energy",
        }
    }
}

impl Problem {
    /// What the objective is called.
    fn objective(self) -> &'static str {
        match self {
            Problem::Of(_) => "cost",
            Problem::Nussinov => "weight",
            Problem::Zuker => "energy",
        }
    }
}

/// The solution as it is printed.
#[derive(Serialize)]
struct PrintedSolution<V> {
    cell_type: &'static str,
    parenthesisation: Option<String>,
    /// First point, split and last point of each inner node, from the root on.
    nodes: Option<Vec<[u32; 3]>>,
    /// Values of the cells asked for.
    cells: Vec<V>,
    /// Largest possible error of these values; null if nothing is known.
    cell_error: Option<f64>,
}

impl settings::Problem for Options {
    const NAME: &'static str = "interval-dp";
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Settings { problem: options, common, .. } = &arguments.settings;
    let is_shared = matches!(options.method, Method::Auto | Method::Cubic)
        && matches!(arguments.problem, Problem::Of(_));
    if !is_shared {
        common.check_one_device()?;
    }
    let publication = &common.publication;
    if let Source::File(path) = &arguments.instance {
        publication.files().try_for_each(|output| output.check_other(path))?;
    }
    publication.check_apart("dot", arguments.dot.as_ref())?;
    publication.check_apart("chart", arguments.chart.as_ref())?;
    if let (Some(chart), Source::File(path)) = (&arguments.chart, &arguments.instance) {
        chart.check_other(path)?;
    }
    let Problem::Of(kind) = arguments.problem else { return folding::run(arguments, options) };
    arguments.folding.check_unused()?;
    if let Some(count) = arguments.batch {
        common.check_no_table("a batch of interval-dp")?;
        return batch::run(arguments, kind, options, count);
    }
    match arguments.instance(kind)? {
        None => arguments.publish_stopped("one instance"),
        Some(AnyInstance::Whole(instance)) => run_with(arguments, options, &instance),
        Some(AnyInstance::Real(instance)) => run_with(arguments, options, &instance),
    }
}

fn run_with<V>(
    arguments: &Arguments,
    options: &Options,
    instance: &Instance<V>,
) -> Result<(), Failure>
where
    V: Number + Serialize + Into<answer::Number>,
{
    let outcome = session::solve(&arguments.settings.common, |context, solve_options| {
        solve(context, instance, options, solve_options)
    })?;
    let tree = outcome.solution.as_ref().and_then(|solution| solution.tree.as_ref());
    if let (Some(dot), Some(tree)) = (&arguments.dot, tree) {
        dot.write(&tree.dot(instance.kind()))?;
    }
    let name = arguments.instance.to_string();
    let size = format!("{} of {}", instance.kind().name(), count(instance.points(), "point"));
    if let (Some(file), Some(tree)) = (&arguments.chart, tree) {
        let heading = arguments.heading(&size, outcome.objective.map(|cost| cost.into()));
        file.write(&chart::tree(&heading, tree, instance.kind()))?;
    }
    let rows = outcome.solution.as_ref().map(|solution| Rows { solution, cells: &options.cells });
    let rows = rows.filter(|_| arguments.settings.common.writes_table());
    let found = outcome.solution.as_ref().map(PrintedSolution::new);
    let answer = Answer::new("interval-dp", &name, &outcome, found)
        .with_table(rows.as_ref().map(|rows| rows as _));
    answer.publish(&arguments.settings.common, &arguments.wording(size))
}

/// The rows of a solution: the cells that were asked for, or else the nodes of the tree.
struct Rows<'a, V> {
    solution: &'a Solution<V>,
    cells: &'a [(usize, usize)],
}

impl<V: Number + Into<answer::Number>> Table for Rows<'_, V> {
    fn columns(&self) -> Vec<&'static str> {
        match self.cells.is_empty() {
            true => vec!["first", "split", "last"],
            false => vec!["first", "last", "value"],
        }
    }

    /// Inner nodes from the root on.
    fn rows(&self) -> Box<dyn Iterator<Item = Vec<String>> + '_> {
        if self.cells.is_empty() {
            let nodes = self.solution.tree.iter().flat_map(|tree| tree.nodes());
            let row =
                |node: &Node| [node.first, node.split, node.last].map(|point| point.to_string());
            return Box::new(nodes.map(move |node| row(node).into()));
        }
        let cells = self.cells.iter().zip(&self.solution.cells);
        let row = |(&(first, last), &value): (&(usize, usize), &V)| {
            vec![
                first.to_string(),
                last.to_string(),
                Into::<answer::Number>::into(value).to_string(),
            ]
        };
        Box::new(cells.map(row))
    }
}

impl Arguments {
    /// The instance; `None` if the time limit ends its random generation.
    fn instance(&self, kind: Kind) -> Result<Option<AnyInstance>, Failure> {
        let common = &self.settings.common;
        match kind {
            Kind::Custom => self.expression.instance(&self.instance, common),
            kind => {
                self.expression.check_unused()?;
                self.instance.instance(kind, common)
            }
        }
    }

    /// Publishes the result of a time limit that came before the instances were complete.
    fn publish_stopped(&self, instances: &str) -> Result<(), Failure> {
        let name = self.instance.to_string();
        let size = format!("{}, {instances} not complete in time", self.problem.name());
        let answer = Answer::stopped("interval-dp", &name, self.settings.problem.method.name());
        answer.publish(&self.settings.common, &self.wording(size))
    }

    /// The heading of the chart.
    fn heading(&self, size: &str, value: Option<answer::Number>) -> Heading {
        let objective = self.problem.objective();
        let value = value.map_or(String::new(), |value| format!(": {objective} {value}"));
        Heading { title: self.instance.to_string(), subtitle: format!("{size}{value}") }
    }

    fn wording(&self, size: String) -> Wording {
        let kind = Some(self.problem.name());
        Wording { kind, ..Wording::new(size, self.problem.objective()) }
    }
}

impl<V: Number> PrintedSolution<V> {
    fn new(solution: &Solution<V>) -> Self {
        let tree = solution.tree.as_ref();
        PrintedSolution {
            cell_type: solution.cell_type.name(),
            parenthesisation: tree.map(|tree| tree.parenthesisation()),
            nodes: tree.map(|tree| {
                tree.nodes().iter().map(|node| [node.first, node.split, node.last]).collect()
            }),
            cells: solution.cells.clone(),
            cell_error: Some(solution.cell_error).filter(|error| error.is_finite()),
        }
    }
}
