//! RNA folding: `makespan interval-dp nussinov` and `zuker`.

use makespan::Enumeration;
use makespan::interval_dp::Options;
use makespan::interval_dp::folding::{Instance, Model, Nussinov, Structure, solve};
use serde::Serialize;

use super::source::Source;
use super::{Arguments, Problem, chart};
use crate::answer::{Answer, count};
use crate::failure::Failure;
use crate::options::Common;
use crate::session;
use crate::table::Table;

/// The model of folding
#[derive(clap::Args)]
#[command(next_help_heading = "Folding (nussinov)")]
pub(super) struct FoldingArguments {
    /// Weights of the pairs of G and C, of A and U, and of G and U; pairs of weight 0 are not
    /// allowed [default: 1,1,1]
    #[arg(long, value_name = "GC,AU,GU", value_delimiter = ',')]
    pair_weights: Option<Vec<u32>>,
    /// Least number of bases between the two of a pair [default: 3]
    #[arg(long, value_name = "BASES")]
    hairpin: Option<usize>,
}

/// The solution as it is printed.
#[derive(Serialize)]
struct PrintedStructure {
    /// Dots for unpaired bases, brackets for pairs.
    structure: String,
    /// The bases of each pair, from 0, by the first ones.
    pairs: Vec<[u32; 2]>,
}

impl FoldingArguments {
    /// Refuses these options for other problems.
    pub(super) fn check_unused(&self) -> Result<(), Failure> {
        match self.pair_weights.is_some() || self.hairpin.is_some() {
            true => Err(Failure::usage("--pair-weights and --hairpin are for nussinov")),
            false => Ok(()),
        }
    }

    fn nussinov(&self) -> Result<Nussinov, Failure> {
        let mut model = Nussinov::default();
        if let Some(weights) = &self.pair_weights {
            let [gc, au, gu] = weights[..] else {
                return Err(Failure::usage("--pair-weights takes three numbers: GC,AU,GU"));
            };
            (model.gc, model.au, model.gu) = (gc, au, gu);
        }
        model.hairpin = self.hairpin.unwrap_or(model.hairpin);
        Ok(model)
    }
}

/// Solves a folding problem.
pub(super) fn run(arguments: &Arguments, options: &Options) -> Result<(), Failure> {
    arguments.expression.check_unused()?;
    if arguments.batch.is_some() || arguments.dot.is_some() {
        return Err(Failure::usage("--batch and --dot are not for folding"));
    }
    let common = &arguments.settings.common;
    let model = match arguments.problem {
        Problem::Zuker => {
            arguments.folding.check_unused()?;
            Model::Zuker(Box::default())
        }
        _ => Model::Nussinov(arguments.folding.nussinov()?),
    };
    let Some(instance) = instance(&arguments.instance, model, common)? else {
        return arguments.publish_stopped("one instance");
    };
    let outcome = session::solve(common, |context, solve_options| {
        solve(context, &instance, options, solve_options)
    })?;
    let structure = outcome.solution.as_ref();
    let rows = structure.map(|structure| Pairs { instance: &instance, structure });
    let rows = rows.filter(|_| common.writes_table());
    let name = arguments.instance.to_string();
    let size = format!("{} of {}", arguments.problem.name(), count(instance.len(), "base"));
    if let (Some(file), Some(structure)) = (&arguments.chart, structure) {
        let heading = arguments.heading(&size, outcome.objective.map(Into::into));
        file.write(&chart::arcs(&heading, structure))?;
    }
    let answer = Answer::new("interval-dp", &name, &outcome, structure.map(PrintedStructure::new))
        .with_table(rows.as_ref().map(|rows| rows as _));
    answer.publish(common, &arguments.wording(size))
}

/// The instance; `None` if the time limit ends its random generation.
fn instance(source: &Source, model: Model, common: &Common) -> Result<Option<Instance>, Failure> {
    match source {
        Source::File(path) => {
            session::read(common, path, |text| Instance::parse(text, model)).map(Some)
        }
        Source::Random { size, seed, .. } => Ok(super::source::unless_stopped(Instance::random(
            *size,
            *seed,
            model,
            &common.limits(),
        ))?),
    }
}

impl PrintedStructure {
    fn new(structure: &Structure) -> Self {
        PrintedStructure {
            structure: structure.to_string(),
            pairs: structure.pairs().map(|(first, last)| [first, last]).collect(),
        }
    }
}

/// The pairs as rows.
struct Pairs<'a> {
    instance: &'a Instance,
    structure: &'a Structure,
}

impl Table for Pairs<'_> {
    fn columns(&self) -> Vec<&'static str> {
        vec!["first", "last", "bases"]
    }

    fn rows(&self) -> Box<dyn Iterator<Item = Vec<String>> + '_> {
        let name = |base: u32| self.instance.bases()[base as usize].name();
        let row = move |(first, last)| {
            vec![format!("{first}"), format!("{last}"), format!("{}{}", name(first), name(last))]
        };
        Box::new(self.structure.pairs().map(row))
    }
}
