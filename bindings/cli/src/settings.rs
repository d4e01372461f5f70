//! The options of a problem by name, from the command line and from files of options.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::builder::{OsStringValueParser, Resettable, TypedValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use makespan::options::{Line, Named};
use makespan::{ContextOptions, Error, SolveOptions};

use crate::arguments::{self, Row};
use crate::files;
use crate::options::{Common, Publication};

/// The argument that names a file of options.
const PARAMS: &str = "params";

/// A problem with the options of its solver.
pub(crate) trait Problem: Named {
    /// The subcommand.
    const NAME: &'static str;

    /// The command's defaults.
    fn defaults() -> Self {
        Self::default()
    }
}

/// A problem's name and its options with their defaults.
pub(crate) type Listed = (&'static str, fn() -> Vec<Row>);

/// The problem for lists of options.
pub(crate) const fn listed<O: Problem>() -> Listed {
    (O::NAME, || Tables::<O>::default().rows())
}

/// The options of all tables of a problem.
struct Tables<O> {
    problem: O,
    solve: SolveOptions,
    context: ContextOptions,
}

impl<O: Problem> Default for Tables<O> {
    fn default() -> Self {
        let (solve, context) = (SolveOptions::default(), ContextOptions::default());
        Tables { problem: O::defaults(), solve, context }
    }
}

impl<O: Problem> Tables<O> {
    /// The options with their values. The engine is that of the context.
    fn rows(&self) -> Vec<Row> {
        let solve = arguments::common(&self.solve).filter(|row| row.name != "engine");
        arguments::own(&self.problem).chain(solve).chain(arguments::common(&self.context)).collect()
    }

    /// Sets an option, or returns the reason why the value does not fit.
    fn set(&mut self, name: &str, value: &OsStr) -> Result<(), String> {
        let set = if has::<O>(name) {
            self.problem.set(name, value)
        } else if has::<ContextOptions>(name) {
            self.context.set(name, value)
        } else {
            self.solve.set(name, value)
        };
        set.map_err(|error| match *error {
            Error::InvalidArgument { reason, .. } => reason,
            error => error.to_string(),
        })
    }

    fn check(name: &str, value: &OsStr) -> Result<(), String> {
        Tables::<O>::default().set(name, value)
    }

    /// The options of a file.
    fn read(path: &Path) -> Result<Params, String> {
        let text = files::read_text(path)?;
        let rows = Tables::<O>::default().rows();
        let param = |line: &Line| {
            let row = rows.iter().find(|row| row.name == line.name).ok_or_else(|| {
                let (name, problem) = (line.name, O::NAME);
                format!("there is no option \"{name}\"; see makespan options {problem}")
            })?;
            let value = OsString::from(line.value);
            let value = if row.may_name_a_file() { arguments::content(value)? } else { value };
            let refused = |reason| format!("{}: {reason}", row.name);
            Tables::<O>::check(row.name, &value).map_err(refused)?;
            Ok((row.name, value))
        };
        let lines = Line::parse(&text).map_err(|error| error.to_string())?;
        let in_line = |line: &Line| {
            param(line).map_err(|reason: String| format!("line {}: {reason}", line.number))
        };
        lines.iter().map(in_line).collect::<Result<_, _>>().map(Params)
    }
}

fn has<O: Named>(name: &str) -> bool {
    O::TABLE.iter().any(|entry| entry.name == name)
}

/// Names and values of options.
#[derive(Clone)]
struct Params(Vec<(&'static str, OsString)>);

/// The options of a problem's solver, and those of all problems.
pub(crate) struct Settings<O> {
    pub(crate) problem: O,
    pub(crate) common: Common,
    given: Vec<&'static str>,
}

impl<O> Settings<O> {
    /// Whether the command line or the file of options sets this option.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        self.given.contains(&name)
    }
}

impl<O: Problem> Args for Settings<O> {
    fn augment_args(command: Command) -> Command {
        let argument = |row: Row| {
            let name = row.name;
            row.argument(move |value| Tables::<O>::check(name, value))
        };
        let params = OsStringValueParser::new().try_map(|path| Tables::<O>::read(Path::new(&path)));
        let command = command.args(Tables::<O>::default().rows().into_iter().map(argument)).arg(
            Arg::new(PARAMS)
                .long(PARAMS)
                .value_name("FILE")
                .help(
                    "Read options from a file with a line such as `time_limit = 5` for each; those \
                     of the command line take precedence",
                )
                .help_heading(arguments::COMMON)
                .value_parser(params),
        );
        Publication::augment_args(command).next_help_heading(Resettable::Reset)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<O: Problem> FromArgMatches for Settings<O> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut tables = Tables::<O>::default();
        let defaults = tables.rows();
        let typed = |row: &Row| {
            let is_typed = matches.value_source(row.name) == Some(ValueSource::CommandLine);
            let value = matches.get_one::<OsString>(row.name).filter(|_| is_typed)?;
            Some((row.name, value.clone()))
        };
        let Params(mut values) =
            matches.get_one(PARAMS).cloned().unwrap_or_else(|| Params(Vec::new()));
        values.extend(defaults.iter().filter_map(typed));
        for (name, value) in &values {
            let refused =
                |reason| clap::Error::raw(clap::error::ErrorKind::ValueValidation, reason);
            tables.set(name, value).map_err(refused)?;
        }
        let changed = tables.rows().into_iter().zip(&defaults);
        let changed =
            changed.filter(|(row, default)| row.name == "method" || row.value != default.value);
        let changed = changed.map(|(row, _)| (row.name, row.json())).collect();
        let publication = Publication::from_arg_matches(matches)?;
        let common = Common::new(tables.solve, tables.context, changed, publication);
        let given = values.iter().map(|&(name, _)| name).collect();
        Ok(Settings { problem: tables.problem, common, given })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::{CommandFactory, Parser};
    use makespan::flow_shop;

    use super::*;
    use crate::{Arguments, PROBLEMS};

    /// Each problem with its options and the positional arguments that it takes.
    fn problems() -> impl Iterator<Item = (&'static str, Vec<Row>, Vec<&'static str>)> {
        PROBLEMS.iter().map(|&(name, rows)| {
            let positions: &[&str] =
                if name == "interval-dp" { &["matrix-chain", "random:3:1"] } else { &["x"] };
            (name, rows(), [&["makespan", name], positions].concat())
        })
    }

    #[test]
    fn every_option_is_an_argument_with_a_help_text() {
        for (name, rows, call) in problems() {
            let mut command = Arguments::command();
            let help = command.find_subcommand_mut(name).unwrap().render_long_help().to_string();
            for row in rows {
                let long = format!("--{}", row.name.replace('_', "-"));
                let words = || help.split(|letter: char| letter.is_whitespace() || letter == '[');
                assert!(words().any(|word| word == long), "{name}: {long}");
                let given = format!("{long}={}", row.value);
                let parsed = Arguments::try_parse_from(call.iter().copied().chain([&*given]));
                assert!(parsed.is_ok(), "{name} {given}: {}", parsed.err().unwrap());
            }
        }
    }

    #[test]
    fn every_option_may_be_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("options");
        let file = path.to_str().unwrap();
        for (name, rows, call) in problems() {
            let call = call.iter().copied().chain(["--params", file]);
            let text: String =
                rows.iter().map(|row| format!("{} = {}\n", row.name, row.value)).collect();
            fs::write(&path, &text).unwrap();
            assert!(Arguments::try_parse_from(call.clone()).is_ok(), "{name}: {text}");
            for (text, message) in [
                ("\nengine = gpu\n", "options' for '--params <FILE>': line 2: engine: must be one"),
                ("no_option = 1", "line 1: there is no option \"no_option\"; see makespan options"),
                ("seed", "line 1: expected NAME = VALUE"),
                ("json = true", "there is no option \"json\""),
            ] {
                fs::write(&path, text).unwrap();
                let error = Arguments::try_parse_from(call.clone()).err().unwrap().to_string();
                assert!(error.contains(message), "{error}");
            }
        }
    }

    #[test]
    fn arguments_take_precedence_over_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("options");
        let start = folder.path().join("start");
        fs::write(&start, "2 0\r\n1\r\n").unwrap();
        let text = format!(
            "tenure = 7 # generations\nseed = 3\nthreads = 2\nstart = {}\npool_sorted = 0\n",
            start.display()
        );
        fs::write(&file, text).unwrap();
        let command = Settings::<flow_shop::Options>::augment_args(Command::new("test"));
        let call = ["test", "--params", file.to_str().unwrap(), "--seed", "4", "--local-columns"];
        let matches = command.try_get_matches_from(call).unwrap();
        let settings = Settings::<flow_shop::Options>::from_arg_matches(&matches).unwrap();
        let options = &settings.problem;
        assert_eq!((options.search.tenure, settings.common.solve().seed), (7, 4));
        assert_eq!(options.start.as_ref().unwrap().jobs(), [2, 0, 1]);
        assert!(settings.is_given("start") && !settings.is_given("method"));
        let expected = serde_json::json!({
            "method": "auto", "tenure": 7, "seed": 4, "threads": 2, "start": "2 0 1",
            "pool_sorted": false, "local_columns": true,
        });
        assert_eq!(serde_json::json!(settings.common.changed), expected);
    }
}
