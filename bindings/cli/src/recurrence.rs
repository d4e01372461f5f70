//! `makespan recurrence`: recurrences with fixed offsets.

use std::path::PathBuf;

use makespan::recurrence::{
    Instance, Method, NO_CHOICE, Options, Output, Semiring, Solution, solve,
};
use serde::{Serialize, Serializer};

use crate::answer::{Answer, Number, Wording};
use crate::enumeration::named;
use crate::failure::Failure;
use crate::options::Common;
use crate::{files, session};

/// Fill tables in which every element follows from earlier ones at fixed offsets, over a semiring
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Instance: lines `semiring`, `length`, `offsets`, `initial`, and optionally `weights`,
    /// `terms`, `instances`; or lines `capacity`, `weights`, `profits` of a 0-1 knapsack
    #[arg(value_parser = files::instance_path())]
    file: PathBuf,
    /// Solution method
    #[arg(long, value_parser = named::<Method>(), default_value = Method::default().name())]
    method: Method,
    /// p of the p-fold pipeline [default: the largest that is correct]
    #[arg(long, value_name = "P")]
    fold: Option<u64>,
    /// Elements to return [default: last; table with --choices]
    #[arg(long, value_parser = named::<Output>())]
    values: Option<Output>,
    /// Return the whole table and the offset of each element's best operand, or -1 for none; in a
    /// knapsack, 0 for an item taken and 1 for one left
    #[arg(long)]
    choices: bool,
    #[command(flatten)]
    common: Common,
}

/// The tables as they are printed, one list for each instance.
#[derive(Serialize)]
struct Tables {
    last: Elements,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<Elements>,
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<Vec<Vec<i64>>>,
}

/// Elements of a table.
struct Elements {
    values: Vec<i64>,
    notation: Notation,
}

/// How elements of a semiring are written.
#[derive(Clone, Copy)]
struct Notation {
    /// Whether the ends of the range mean unreachable or unlimited.
    has_infinities: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.common.check_one_device()?;
    let output = match arguments.values {
        Some(Output::Last) if arguments.choices => {
            return Err(Failure::usage("--choices needs --values table"));
        }
        Some(values) => values,
        None if arguments.choices => Output::Table,
        None => Output::Last,
    };
    let instance = session::read(&arguments.common, &arguments.file, |file| {
        Instance::read_within(file, &arguments.common.limits())
    })?;
    let options = Options {
        method: arguments.method,
        output,
        fold: arguments.fold,
        choices: arguments.choices,
    };
    let outcome = session::solve(&arguments.common, |context, solve_options| {
        solve(context, &instance, &options, solve_options)
    })?;
    let tables = outcome.solution.as_ref().map(|solution| Tables::new(&instance, solution));
    let name = files::instance_name(&arguments.file);
    let notation = Notation::of(instance.semiring());
    let answer = Answer::new("recurrence", &name, &outcome, tables)
        .with_numbers(|value| notation.form(value));
    answer.publish(&arguments.common, &Wording { size: size(&instance), objective: "last" })
}

impl Notation {
    fn of(semiring: &Semiring) -> Self {
        let has_infinities =
            matches!(semiring, Semiring::MinPlus | Semiring::MaxPlus | Semiring::MaxMin);
        Notation { has_infinities }
    }

    fn form(self, value: Number) -> Number {
        match value {
            Number::Integer(value) if self.has_infinities && value == i64::MAX.into() => {
                Number::Infinite("inf")
            }
            Number::Integer(value) if self.has_infinities && value == i64::MIN.into() => {
                Number::Infinite("-inf")
            }
            finite => finite,
        }
    }
}

impl Serialize for Elements {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.values.iter().map(|&value| self.notation.form(value.into())))
    }
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
        let notation = Notation::of(instance.semiring());
        let elements = |values: &[i64]| Elements { values: values.to_vec(), notation };
        Tables {
            last: elements(&solution.last),
            values: solution.values.chunks(length).map(elements).collect(),
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
