//! `makespan interval-dp`: matrix chains, search trees, triangulations and custom split costs.

mod batch;
mod expression;
mod source;

use makespan::interval_dp::{
    AnyInstance, CellType, Instance, Kind, MappingOptions, Method, Number, Options, Solution, solve,
};
use serde::Serialize;

use crate::answer::{self, Answer, Wording, count};
use crate::enumeration::named;
use crate::failure::Failure;
use crate::files::OutputFile;
use crate::options::Common;
use crate::session;
use expression::ExpressionArguments;
use source::Source;

/// Split intervals at the best points: matrix chains, search trees, triangulations, custom costs
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Kind of the instance
    #[arg(value_parser = named::<Kind>())]
    problem: Kind,
    /// Instance: random:N:SEED, random:N:SEED:LARGEST with numbers up to LARGEST, or a file. The
    /// file has the dimensions of a chain; n, n key weights and n + 1 gap weights of a tree; a line
    /// for each vertex of a polygon, with its weight or its two coordinates; or the data of an
    /// expression
    #[arg(value_name = "FILE|random:N:SEED")]
    instance: Source,
    /// Solution method
    #[arg(long, value_parser = named::<Method>(), default_value = Method::default().name())]
    method: Method,
    /// Type of the table's cells, for methods other than hu-shing and knuth [default: the fastest
    /// exact type]
    #[arg(long, value_parser = named::<CellType>())]
    cell_type: Option<CellType>,
    /// Also print the values of these cells, such as "0,5 3,9"
    #[arg(long, value_name = "CELLS", value_parser = parse_cells)]
    cells: Option<Cells>,
    /// Write the tree as a graph in the DOT language
    #[arg(long, value_name = "TREE.dot", value_parser = |text: &str| OutputFile::parse_as("dot", text))]
    dot: Option<OutputFile>,
    /// Solve many instances: one per line of FILE, or COUNT random ones with seeds from SEED on
    #[arg(long, value_name = "COUNT", num_args = 0..=1, require_equals = true, conflicts_with_all = ["dot", "cells"])]
    batch: Option<Option<u64>>,
    #[command(flatten)]
    expression: ExpressionArguments,
    #[command(flatten)]
    mapping: MappingArguments,
    #[command(flatten)]
    common: Common,
}

/// Parameters of the mappings
#[derive(clap::Args)]
#[command(next_help_heading = "Mappings (cm-1 to cm-4 and gmm)")]
struct MappingArguments {
    /// Work-items per work-group, for cm-1 to cm-4 [default: 64]
    #[arg(long, value_name = "N")]
    group_size: Option<usize>,
    /// Number of work-groups, for cm-3 [default: 64]
    #[arg(long, value_name = "N")]
    groups: Option<usize>,
    /// Parameter k of gmm, which sets its regions [default: 4]
    #[arg(long, value_name = "K")]
    mapping_k: Option<usize>,
}

#[derive(Clone)]
struct Cells(Vec<(usize, usize)>);

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

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.common.check_one_device()?;
    if let (Some(output), Source::File(path)) = (&arguments.common.output, &arguments.instance) {
        output.check_other(path)?;
    }
    if arguments.dot.is_some() && arguments.dot == arguments.common.output {
        return Err(Failure::usage("--output and --dot name the same file"));
    }
    let options = arguments.options()?;
    if let Some(count) = arguments.batch {
        return batch::run(arguments, &options, count);
    }
    match arguments.instance()? {
        None => arguments.publish_stopped("one instance"),
        Some(AnyInstance::Whole(instance)) => run_with(arguments, &options, &instance),
        Some(AnyInstance::Real(instance)) => run_with(arguments, &options, &instance),
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
    let outcome = session::solve(&arguments.common, |context, solve_options| {
        solve(context, instance, options, solve_options)
    })?;
    let tree = outcome.solution.as_ref().and_then(|solution| solution.tree.as_ref());
    if let (Some(dot), Some(tree)) = (&arguments.dot, tree) {
        dot.write(&tree.dot(instance.kind()))?;
    }
    let name = arguments.instance.to_string();
    let found = outcome.solution.as_ref().map(PrintedSolution::new);
    let answer = Answer::new("interval-dp", &name, &outcome, found);
    let size = format!("{} of {}", instance.kind().name(), count(instance.points(), "point"));
    answer.publish(&arguments.common, &Wording { size, objective: "cost" })
}

impl Arguments {
    /// The instance; `None` if the time limit ends its random generation.
    fn instance(&self) -> Result<Option<AnyInstance>, Failure> {
        match self.problem {
            Kind::Custom => self.expression.instance(&self.instance, &self.common),
            kind => {
                self.expression.check_unused()?;
                self.instance.instance(kind, &self.common)
            }
        }
    }

    /// Publishes the result of a time limit that came before the instances were complete.
    fn publish_stopped(&self, instances: &str) -> Result<(), Failure> {
        let name = self.instance.to_string();
        let size = format!("{}, {instances} not complete in time", self.problem.name());
        let answer = Answer::stopped("interval-dp", &name, self.method.name());
        answer.publish(&self.common, &Wording { size, objective: "cost" })
    }

    fn options(&self) -> Result<Options, Failure> {
        Ok(Options {
            method: self.method,
            cell_type: self.cell_type,
            mapping: self.mapping.options(self.method)?,
            cells: self.cells.as_ref().map(|cells| cells.0.clone()).unwrap_or_default(),
            ..Options::default()
        })
    }
}

impl MappingArguments {
    /// Refuses options that do not apply to the method.
    fn options(&self, method: Method) -> Result<MappingOptions, Failure> {
        let name = method.name();
        let value = |option: &str, given: Option<usize>, default, methods: &[&str]| match given {
            Some(_) if !methods.contains(&name) => Err(Failure::usage(format!(
                "{option} is for --method {}, not for {name}",
                methods.join(", ")
            ))),
            given => Ok(given.unwrap_or(default)),
        };
        let default = MappingOptions::default();
        let in_groups = ["cm-1", "cm-2", "cm-3", "cm-4"];
        Ok(MappingOptions {
            group_size: value("--group-size", self.group_size, default.group_size, &in_groups)?,
            groups: value("--groups", self.groups, default.groups, &["cm-3"])?,
            k: value("--mapping-k", self.mapping_k, default.k, &["gmm"])?,
            ..default
        })
    }
}

fn parse_cells(text: &str) -> Result<Cells, String> {
    let cell = |word: &str| {
        let (i, j) = word.split_once(',')?;
        Some((i.parse().ok()?, j.parse().ok()?))
    };
    let cells: Option<Vec<_>> = text.split_whitespace().map(cell).collect();
    cells.map(Cells).ok_or_else(|| "cells are pairs of points such as \"0,5 3,9\"".into())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_pairs() {
        assert_eq!(parse_cells("0,5 3,9").unwrap().0, [(0, 5), (3, 9)]);
        assert!(parse_cells("0 5").is_err());
    }
}
