//! Many instances in one run.

use std::time::Instant;

use makespan::interval_dp::{AnyInstance, Instance, Kind, Number, Options, Solution, solve_batch};
use makespan::{Enumeration, Outcome};
use serde::Serialize;

use super::{Arguments, PrintedSolution};
use crate::answer::{self, Answer, count};
use crate::failure::Failure;
use crate::session;
use crate::wording::Wording;

/// One of the instances as it is printed.
#[derive(Serialize)]
struct Member<V> {
    status: String,
    objective: Option<V>,
    bound: Option<V>,
    #[serde(flatten)]
    found: Option<PrintedSolution<V>>,
}

pub(super) fn run(
    arguments: &Arguments,
    kind: Kind,
    options: &Options,
    number: Option<u64>,
) -> Result<(), Failure> {
    if kind == Kind::Custom {
        return Err(Failure::usage("--batch is not for custom problems"));
    }
    if !options.cells.is_empty() {
        return Err(Failure::usage("--batch returns no --cells"));
    }
    arguments.expression.check_unused()?;
    let instances = arguments.instance.batch(kind, number, &arguments.settings.common)?;
    let Some(instances) = instances else { return arguments.publish_stopped("instances") };
    let all_whole: Option<Vec<_>> = instances.iter().map(whole).collect();
    let all_real: Option<Vec<_>> = instances.iter().map(real).collect();
    match (all_whole, all_real) {
        (Some(instances), _) => run_with(arguments, options, &instances),
        (None, Some(instances)) => run_with(arguments, options, &instances),
        (None, None) => Err(Failure::usage(
            "a batch has only whole numbers or only real ones, with a point in each line",
        )),
    }
}

fn whole(instance: &AnyInstance) -> Option<&Instance<i64>> {
    match instance {
        AnyInstance::Whole(instance) => Some(instance),
        AnyInstance::Real(_) => None,
    }
}

fn real(instance: &AnyInstance) -> Option<&Instance<f64>> {
    match instance {
        AnyInstance::Real(instance) => Some(instance),
        AnyInstance::Whole(_) => None,
    }
}

fn run_with<V>(
    arguments: &Arguments,
    options: &Options,
    instances: &[&Instance<V>],
) -> Result<(), Failure>
where
    V: Number + Serialize + Into<answer::Number>,
{
    let (outcomes, seconds) =
        session::solve(&arguments.settings.common, |context, solve_options| {
            let start = Instant::now();
            let outcomes = solve_batch(context, instances, options, solve_options)?;
            Ok((outcomes, start.elapsed().as_secs_f64()))
        })?;
    let members: Vec<_> = outcomes.iter().map(Member::new).collect();
    let name = arguments.instance.to_string();
    let answer = Answer::of_batch("interval-dp", &name, &outcomes, seconds, members);
    let answer = answer.ok_or_else(|| Failure::usage(format!("{name} has no instances")))?;
    let size = format!("{} of {}", arguments.problem.name(), count(instances.len(), "instance"));
    answer.publish(&arguments.settings.common, &Wording::new(size, "total cost"))
}

impl<V: Number> Member<V> {
    fn new(outcome: &Outcome<Solution<V>, V>) -> Self {
        Member {
            status: outcome.status.to_string(),
            objective: outcome.objective,
            bound: outcome.bound,
            found: outcome.solution.as_ref().map(PrintedSolution::new),
        }
    }
}
