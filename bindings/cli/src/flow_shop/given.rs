//! What the command line adds to an instance.

use std::path::Path;
use std::str::FromStr;

use makespan::flow_shop::{Criterion, Instance, Objective, Permutation};

use super::named::Named;
use crate::arguments;
use crate::failure::Failure;
use crate::files;

/// Parts of the instance, which take the place of those in the file.
#[derive(clap::Args)]
pub(super) struct Given {
    /// Objective: criteria with commas between, the most important first, each perhaps a sum such
    /// as "late-jobs,total-tardiness+5*makespan"
    #[arg(long, value_name = "LIST", value_parser = parse_objective)]
    objective: Option<Objective>,
    /// First jobs of every sequence, such as "4 1"
    #[arg(long, value_name = "JOBS", value_parser = Permutation::parse)]
    pinned: Option<Permutation>,
    /// Time for each machine before which it does nothing, such as "0 12 7"
    #[arg(long, value_name = "TIMES", value_parser = numbers::<u32>)]
    ready_times: Option<Numbers<u32>>,
    /// Time for each job before which it does not start, such as "0 30 12"
    #[arg(long, value_name = "TIMES|FILE", value_parser = numbers::<u32>)]
    release_times: Option<Numbers<u32>>,
    /// Due date of each job; negative ones are overdue already
    #[arg(long, value_name = "TIMES|FILE", value_parser = numbers::<i64>, allow_hyphen_values = true)]
    due_dates: Option<Numbers<i64>>,
    /// Weight of each job in the weighted criteria
    #[arg(long, value_name = "WEIGHTS|FILE", value_parser = numbers::<u32>)]
    weights: Option<Numbers<u32>>,
    /// Set-ups between jobs, or between families if the file has them: one matrix for all machines
    /// or one for each; row i and column j is the set-up for j after i
    #[arg(long, value_name = "FILE", value_parser = numbers_in_file)]
    setups: Option<Numbers<u32>>,
    /// No buffers: a job blocks its machine until the next one is free and set up
    #[arg(long)]
    blocking: bool,
    /// The jobs in the sequence that the plant follows now
    #[arg(long, value_name = "JOBS|FILE", value_parser = numbers::<u32>)]
    running_plan: Option<Numbers<u32>>,
    /// Add this many times the distance from the running plan to the objective's first stage
    #[arg(long, value_name = "WEIGHT", value_parser = clap::value_parser!(u32).range(1..))]
    stability: Option<u32>,
    /// The distance from the running plan: inversions or new-predecessors
    #[arg(long, value_name = "CRITERION", value_parser = parse_stability, default_value = "inversions", hide_possible_values = true)]
    stability_of: Criterion,
}

/// Numbers given on the command line.
#[derive(Clone)]
struct Numbers<T>(Vec<T>);

impl Given {
    /// Changes the instance as the command line says.
    pub(super) fn apply(&self, named: &mut Named) -> Result<(), Failure> {
        if let Some(Numbers(times)) = &self.ready_times {
            named.change(|instance| instance.with_ready_times(times.clone()))?;
        }
        if let Some(pinned) = &self.pinned {
            named.change(|instance| instance.with_pinned(pinned.jobs().to_vec()))?;
        }
        if let Some(Numbers(times)) = &self.release_times {
            named.change(|instance| instance.with_release_times(times.clone()))?;
        }
        if let Some(Numbers(dates)) = &self.due_dates {
            named.change(|instance| instance.with_due_dates(dates.clone()))?;
        }
        if let Some(Numbers(weights)) = &self.weights {
            named.change(|instance| instance.with_weights(weights.clone()))?;
        }
        if let Some(Numbers(matrices)) = &self.setups {
            let setups = named.setups(matrices.clone())?;
            named.change(|instance| instance.with_setups(setups))?;
        }
        if self.blocking {
            named.change(Instance::with_blocking)?;
        }
        if let Some(Numbers(plan)) = &self.running_plan {
            named.change(|instance| instance.with_running_plan(plan.clone()))?;
        }
        if let Some(objective) = &self.objective {
            named.change(|instance| instance.with_objective(objective.clone()))?;
        }
        if let Some(weight) = self.stability {
            if named.instance.running_plan().is_empty() {
                return Err(Failure::usage("--stability needs a running plan"));
            }
            let objective = self.steadier(named.instance.objective(), weight)?;
            named.change(|instance| instance.with_objective(objective))?;
        }
        if named.families.is_some() && named.instance.setups().is_none() {
            named.warnings.push("the families are not used: there are no set-ups".into());
        }
        Ok(())
    }

    /// The objective with the distance from the running plan in its first stage.
    fn steadier(&self, objective: &Objective, weight: u32) -> makespan::Result<Objective> {
        let mut stages: Vec<_> =
            objective.stages().iter().map(|stage| stage.terms().to_vec()).collect();
        stages[0].push((weight, self.stability_of));
        Objective::new(stages)
    }
}

fn parse_objective(text: &str) -> Result<Objective, String> {
    Objective::parse(text).map_err(|error| match *error {
        makespan::Error::InvalidArgument { reason, .. } => reason,
        error => error.to_string(),
    })
}

fn parse_stability(text: &str) -> Result<Criterion, String> {
    let choices = Criterion::ALL.into_iter().filter(|criterion| criterion.has_plan());
    let found = choices.clone().find(|criterion| criterion.name() == text);
    found.ok_or_else(|| {
        let names: Vec<_> = choices.map(Criterion::name).collect();
        format!("must be {}", names.join(" or "))
    })
}

/// Numbers, or the file that has them.
fn numbers<T: FromStr>(text: &str) -> Result<Numbers<T>, String> {
    let first = text.split([' ', ',']).next().unwrap_or_default();
    // What begins with a number is a list with a mistake rather than a file.
    if first.parse::<i64>().is_ok() && !Path::new(text).exists() {
        return parse_numbers(text);
    }
    let text = arguments::content(text.into())?;
    parse_numbers(text.to_str().ok_or("is not UTF-8")?)
}

fn numbers_in_file(path: &str) -> Result<Numbers<u32>, String> {
    parse_numbers(&files::read_text(Path::new(path))?)
}

fn parse_numbers<T: FromStr>(text: &str) -> Result<Numbers<T>, String> {
    let bits = 8 * size_of::<T>();
    let mut numbers = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        for word in text.split([' ', ',', '\t']).filter(|word| !word.is_empty()) {
            let number = word.parse().map_err(|_| {
                let word: String = word.chars().take(24).collect();
                format!("line {line}: '{}' is not a number of {bits} bits", word.escape_debug())
            })?;
            numbers.push(number);
        }
    }
    Ok(Numbers(numbers))
}
