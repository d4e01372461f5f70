//! `makespan recurrence`: recurrences with fixed offsets.

use std::path::PathBuf;

use clap::ValueEnum;
use makespan::recurrence::{Instance, Method, NO_CHOICE, Options, Output, Solution, solve};
use serde::Serialize;

use crate::answer::Wording;
use crate::failure::Failure;
use crate::options::Common;
use crate::session::{self, Task};

/// Tables whose elements follow from earlier ones at fixed offsets, over a semiring
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Instance: lines `semiring`, `length`, `offsets`, `initial`, and optionally `weights`, `terms`, `instances`; or
    /// `capacity`, `weights`, `profits` of a 0-1 knapsack
    file: PathBuf,
    /// How to fill the table
    #[arg(long, value_enum, default_value_t)]
    method: MethodChoice,
    /// p of the p-fold pipeline [default: the largest that is safe]
    #[arg(long, value_name = "P")]
    fold: Option<u64>,
    /// What to compute [default: last; table with --choices]
    #[arg(long = "values", value_enum)]
    values: Option<ValuesChoice>,
    /// Give the whole table and the offset of each element's best operand: -1 means none; in a knapsack, 0 means that the
    /// item is taken, 1 that it is left
    #[arg(long)]
    choices: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum MethodChoice {
    /// The fastest by estimate
    #[default]
    Auto,
    /// One element and one operand after the other
    Sequential,
    /// The operands of each element meet in pairs
    Tournament,
    /// The k-stage pipeline
    Pipeline,
    /// The pipeline with two operands a visit
    TwoByTwo,
    /// The p-fold pipeline
    PFold,
    /// Independent elements at once, small offsets by blocks
    Blocked,
    /// Consecutive offsets with one weight
    SlidingWindow,
    /// The last element without the table
    Jump,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum ValuesChoice {
    /// The last element; the table does not become part of the result
    Last,
    /// The whole table
    Table,
}

/// The tables as they are printed, one list for each instance.
#[derive(Serialize)]
struct Tables {
    last: Vec<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<Vec<i64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<Vec<Vec<i64>>>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.common.check_one_device()?;
    let whole = match arguments.values {
        Some(ValuesChoice::Last) if arguments.choices => {
            return Err(Failure::usage("--choices needs --values table"));
        }
        Some(values) => values == ValuesChoice::Table,
        None => arguments.choices,
    };
    let instance = session::read(&arguments.common, &arguments.file, |file| {
        Instance::read_within(file, &arguments.common.limits())
    })?;
    let options = Options {
        method: match arguments.method {
            MethodChoice::Auto => Method::Auto,
            MethodChoice::Sequential => Method::Sequential,
            MethodChoice::Tournament => Method::Tournament,
            MethodChoice::Pipeline => Method::Pipeline,
            MethodChoice::TwoByTwo => Method::TwoByTwo,
            MethodChoice::PFold => Method::PFold,
            MethodChoice::Blocked => Method::Blocked,
            MethodChoice::SlidingWindow => Method::SlidingWindow,
            MethodChoice::Jump => Method::Jump,
        },
        output: if whole { Output::Table } else { Output::Last },
        fold: arguments.fold,
        choices: arguments.choices,
    };
    let task = Task {
        problem: "recurrence",
        file: &arguments.file,
        wording: Wording { size: size(&instance), objective: "last" },
        common: &arguments.common,
    };
    task.run(
        |context, solve_options| solve(context, &instance, &options, solve_options),
        |solution| Ok(Tables::new(&instance, solution)),
    )?;
    Ok(())
}

impl Tables {
    fn new(instance: &Instance, solution: &Solution) -> Self {
        let length = usize::try_from(instance.length()).unwrap_or(usize::MAX);
        let filled = length - usize::try_from(instance.preset()).unwrap_or(length);
        let offset = |&choice: &u32| match (choice, instance.offsets()) {
            (NO_CHOICE, _) => -1,
            (position, Some(offsets)) => offsets[position as usize] as i64,
            (place, None) => i64::from(place),
        };
        let of_table = |number: usize, choices: &[u32]| {
            choices[number * filled..][..filled].iter().map(offset).collect()
        };
        let of_all = |choices: &Vec<u32>| {
            (0..instance.instances()).map(|number| of_table(number, choices)).collect()
        };
        Tables {
            last: solution.last.clone(),
            values: solution.values.chunks(length).map(<[i64]>::to_vec).collect(),
            choices: solution.choices.as_ref().map(of_all),
        }
    }
}

fn size(instance: &Instance) -> String {
    let (length, operands) = (instance.length(), instance.operands());
    let batch = match instance.instances() {
        1 => String::new(),
        count => format!("{count} times "),
    };
    format!("{batch}{length} elements, {operands} offsets, {}", instance.semiring().name())
}
