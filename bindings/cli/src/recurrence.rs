//! `makespan recurrence`: recurrences with fixed offsets.

use std::path::{Path, PathBuf};

use makespan::recurrence::{
    Instance, NO_CHOICE, Operator, Options, Output, Semiring, Solution, solve,
};
use serde::{Serialize, Serializer};

use crate::answer::{Answer, Number};
use crate::failure::Failure;
use crate::options::Common;
use crate::settings::{Problem, Settings};
use crate::table::Table;
use crate::wording::Wording;
use crate::{names, session};

/// Fill tables in which every element follows from earlier ones at fixed offsets, over a semiring
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Instance: lines `semiring`, `length`, `offsets`, `initial`, and optionally `weights`,
    /// `terms`, `instances`; or lines `capacity`, `weights`, `profits` of a 0-1 knapsack
    file: PathBuf,
    /// OpenCL C file of the operator of `semiring custom`: `long combine(long left, long right)`,
    /// with weights also `long weigh(long weight, long value)`; needs a device
    #[arg(long, value_name = "FILE")]
    operator: Option<PathBuf>,
    #[command(flatten)]
    settings: Settings<Options>,
}

/// The tables as they are printed, one list for each instance.
#[derive(Serialize)]
struct Tables {
    last: Elements,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<Elements>,
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<Vec<Vec<i64>>>,
    /// Elements of each table, and those of them that are not preset.
    #[serde(skip)]
    length: usize,
    #[serde(skip)]
    filled: usize,
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

impl Problem for Options {
    const NAME: &'static str = "recurrence";

    /// The library returns whole tables, the command their last elements.
    fn defaults() -> Self {
        Options { output: Output::Last, ..Options::default() }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Settings { problem, common, .. } = &arguments.settings;
    common.check_one_device()?;
    let mut options = problem.clone();
    if options.choices && !arguments.settings.is_given("values") {
        options.output = Output::Table;
    }
    let operator = arguments.operator.as_deref();
    let operator = operator.map(|file| self::operator(common, file)).transpose()?;
    let instance = session::read(common, &arguments.file, |text| match operator {
        Some(operator) => Instance::parse_custom(text, operator, &common.limits()),
        None => Instance::parse_within(text, &common.limits()),
    })?;
    let outcome = session::solve(common, |context, solve_options| {
        solve(context, &instance, &options, solve_options)
    })?;
    let tables = outcome.solution.as_ref().map(|solution| Tables::new(&instance, solution));
    let name = names::instance_name(&arguments.file);
    let notation = Notation::of(instance.semiring());
    let rows = tables.as_ref().filter(|_| common.writes_table());
    let answer = Answer::new("recurrence", &name, &outcome, tables.as_ref())
        .with_table(rows.map(|tables| tables as _))
        .with_numbers(|value| notation.form(value));
    answer.publish(common, &Wording::new(size(&instance), "last"))
}

/// The operator whose OpenCL C is in a file.
fn operator(common: &Common, file: &Path) -> Result<Operator, Failure> {
    let source = session::read(common, file, |text| Ok(text.to_owned()))?;
    Ok(Operator { source: Some(source), ..Operator::default() })
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
            length,
            filled,
        }
    }
}

impl Table for Tables {
    fn columns(&self) -> Vec<&'static str> {
        let choice = self.choices.is_some().then_some("choice");
        ["table", "element", "value"].into_iter().chain(choice).collect()
    }

    /// The elements of all tables, or their last ones where there are no others.
    fn rows(&self) -> Box<dyn Iterator<Item = Vec<String>> + '_> {
        let (tables, last) = (self.last.values.len(), self.length - 1);
        let elements = if self.values.is_empty() { last..self.length } else { 0..self.length };
        let row = move |table: usize, element: usize| {
            let list = self.values.get(table).unwrap_or(&self.last);
            let place = if self.values.is_empty() { table } else { element };
            let value = list.notation.form(list.values[place].into()).to_string();
            let choice = self.choices.as_ref().map(|choices| {
                let place = element.checked_sub(self.length - self.filled);
                place.map_or(String::new(), |place| choices[table][place].to_string())
            });
            [table.to_string(), element.to_string(), value].into_iter().chain(choice).collect()
        };
        Box::new(
            (0..tables)
                .flat_map(move |table| elements.clone().map(move |element| row(table, element))),
        )
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
