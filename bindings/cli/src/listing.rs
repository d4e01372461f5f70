//! `makespan options`: the options of a problem's solver.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use makespan::options::{Kind, Range};
use serde_json::{Map, Value, json};

use crate::PROBLEMS;
use crate::arguments::Row;
use crate::columns::align;
use crate::console;
use crate::failure::Failure;
use crate::settings::Listed;

/// List the options of a problem by name, as files of options have them
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Problem whose options to list
    #[arg(value_parser = problem())]
    problem: Listed,
    /// Print a JSON schema (draft 2020-12) instead of a table
    #[arg(long)]
    schema: bool,
}

fn problem() -> impl TypedValueParser<Value = Listed> {
    PossibleValuesParser::new(PROBLEMS.iter().map(|&(name, _)| name)).try_map(|name| {
        PROBLEMS.iter().copied().find(|&(known, _)| known == name).ok_or("there is no such problem")
    })
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (name, rows) = arguments.problem;
    console::write(&if arguments.schema {
        format!("{:#}\n", schema(name, &rows()))
    } else {
        table(&rows())
    })
}

fn table(rows: &[Row]) -> String {
    let header = ["option", "default", "values", "tier", "meaning"].map(str::to_owned);
    let row = |row: &Row| {
        [
            row.name.to_owned(),
            row.shown_default().unwrap_or_default().to_owned(),
            row.kind.name().to_owned(),
            row.tier.name().to_owned(),
            match row.kind {
                Kind::Choice(choices) => {
                    let names: Vec<_> = choices().into_iter().map(|(name, _)| name).collect();
                    format!("{} [values: {}]", row.help(), names.join(", "))
                }
                _ => row.help(),
            },
        ]
    };
    align(&std::iter::once(header).chain(rows.iter().map(row)).collect::<Vec<_>>())
}

/// A schema whose values are those of a file of options, or numbers and flags of JSON.
fn schema(problem: &str, rows: &[Row]) -> Value {
    let properties: Map<_, _> =
        rows.iter().map(|row| (row.name.to_owned(), property(row))).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("Options of makespan {problem}"),
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

fn property(row: &Row) -> Value {
    let mut property = json!({
        "description": row.text,
        "default": row.json(),
        "x-tier": row.tier.name(),
        "x-methods": row.methods,
    });
    // Texts that are allowed in place of numbers.
    let (kind, text) = match row.kind {
        Kind::Flag => ("boolean", None),
        Kind::Whole => ("integer", None),
        Kind::Real => ("number", Some("[0-9]+/[0-9]+")),
        Kind::Seconds => ("number", Some("inf")),
        Kind::Bytes => ("integer", Some("[0-9]+[KkMmGg]?")),
        Kind::Choice(_) | Kind::Path | Kind::List => ("string", None),
    };
    let automatic = row.unset;
    let texts: Vec<&str> = text.into_iter().chain(automatic).collect();
    property["type"] = match kind {
        "string" => kind.into(),
        _ if texts.is_empty() => kind.into(),
        _ => {
            property["pattern"] = format!("^({})$", texts.join("|")).into();
            json!([kind, "string"])
        }
    };
    if let Kind::Choice(choices) = row.kind {
        let names = choices().into_iter().map(|(name, _)| name);
        property["enum"] = names.chain(automatic).collect();
    }
    match row.range {
        Range::All if matches!(kind, "integer" | "number") => property["minimum"] = 0.into(),
        Range::All => {}
        Range::Whole(least, most) => {
            property["minimum"] = least.into();
            if most < u64::MAX {
                property["maximum"] = most.into();
            }
        }
        Range::Above(least, most) => {
            property["exclusiveMinimum"] = least.into();
            property["maximum"] = most.into();
        }
    }
    property
}
