//! The library's tables of options as arguments of the command.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::Arg;
use clap::builder::{
    OsStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser, ValueParser,
};
use makespan::Error;
use makespan::options::{Entry, Kind, Named, Range, Tier};
use serde_json::Value;

use crate::files;

/// Heading of the options that all problems share.
pub(crate) const COMMON: &str = "Common options";

/// An option of any table, with a value as a text.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
    pub(crate) kind: Kind,
    pub(crate) range: Range,
    pub(crate) unset: Option<&'static str>,
    pub(crate) tier: Tier,
    pub(crate) methods: &'static [&'static str],
    pub(crate) value: String,
    is_common: bool,
}

/// The rows of a problem's own table.
pub(crate) fn own<O: Named>(options: &O) -> impl Iterator<Item = Row> {
    O::TABLE.iter().map(|entry| Row::new(entry, options, false))
}

/// The rows of a table that all problems share.
pub(crate) fn common<O: Named>(options: &O) -> impl Iterator<Item = Row> {
    O::TABLE.iter().map(|entry| Row::new(entry, options, true))
}

impl Row {
    fn new<O: Named>(entry: &Entry<O>, options: &O, is_common: bool) -> Self {
        let &Entry { name, text, kind, range, unset, tier, methods, .. } = entry;
        let value = entry.get(options);
        Row { name, text, kind, range, unset, tier, methods, value, is_common }
    }

    /// The option as an argument whose values `check` accepts or refuses with a reason. The row's
    /// value is the default.
    pub(crate) fn argument(
        &self,
        check: impl Fn(&OsStr) -> Result<(), String> + Clone + Send + Sync + 'static,
    ) -> Arg {
        let (kind, names_file) = (self.kind, self.may_name_a_file());
        let parser: ValueParser = match kind {
            Kind::Choice(choices) => {
                PossibleValuesParser::new(self.possible(&choices())).map(OsString::from).into()
            }
            _ => OsStringValueParser::new()
                .try_map(move |text| {
                    let value = if names_file { content(text)? } else { text };
                    check(&value).map(|()| value)
                })
                .into(),
        };
        let argument = Arg::new(self.name)
            .long(self.name.replace('_', "-"))
            .value_name(self.value_name())
            .help(self.help())
            .allow_negative_numbers(true)
            .value_parser(parser)
            .hide_short_help(self.tier != Tier::Basic);
        let argument = match (self.is_common, self.tier) {
            (true, _) => argument.help_heading(COMMON),
            (false, Tier::Basic) => argument,
            (false, Tier::Advanced) => argument.help_heading("Advanced options"),
            (false, Tier::Experimental) => argument.help_heading("Experimental options"),
        };
        let argument = match self.kind {
            Kind::Flag => {
                argument.num_args(0..=1).require_equals(true).default_missing_value("true")
            }
            _ => argument,
        };
        match self.shown_default() {
            Some(default) => argument.default_value(default.to_owned()),
            None => argument,
        }
    }

    /// The names of the choices with their texts.
    fn possible(&self, choices: &[(&'static str, &'static str)]) -> Vec<PossibleValue> {
        let own = choices.iter().map(|&(name, text)| PossibleValue::new(name).help(text));
        let automatic = PossibleValue::new("auto").alias("none").help("The choice of the library");
        own.chain(self.unset.map(|_| automatic)).collect()
    }

    /// Whether the value may be a file that has the list.
    pub(crate) fn may_name_a_file(&self) -> bool {
        matches!(self.kind, Kind::List) && !self.is_common
    }

    fn value_name(&self) -> String {
        match self.kind {
            Kind::Flag => "true|false".into(),
            Kind::Whole => "N".into(),
            Kind::Real => "X".into(),
            Kind::Choice(_) => self.name.to_uppercase(),
            Kind::List if self.may_name_a_file() => "LIST|FILE".into(),
            kind => kind.name().to_uppercase(),
        }
    }

    /// The default, unless it only says that the option is not given or the text has it.
    pub(crate) fn shown_default(&self) -> Option<&str> {
        match &*self.value {
            "" | "false" => None,
            // One word for a value that is left to the library; the text explains it.
            word if self.unset == Some(word) => {
                self.unset.filter(|word| self.text.contains(&format!("{word} ")))
            }
            _ if self.text.contains("the default is") => None,
            value => Some(value),
        }
    }

    /// The option's meaning with its range and its methods.
    pub(crate) fn help(&self) -> String {
        let mut help = self.text.to_owned();
        match self.range {
            Range::All => {}
            Range::Whole(least, u64::MAX) => help += &format!(" [range: from {least}]"),
            Range::Whole(least, most) => help += &format!(" [range: {least} to {most}]"),
            Range::Above(least, most) => help += &format!(" [range: above {least}, to {most}]"),
        }
        if !self.methods.is_empty() {
            help += &format!(" [methods: {}]", self.methods.join(", "));
        }
        help
    }

    /// The value in JSON: a number or a flag if it is one.
    pub(crate) fn json(&self) -> Value {
        let number = match self.kind {
            Kind::Flag => self.value.parse().ok().map(Value::Bool),
            Kind::Whole | Kind::Real | Kind::Seconds | Kind::Bytes => {
                let whole = self.value.parse::<u64>().map(Value::from);
                whole.or_else(|_| self.value.parse::<f64>().map(Value::from)).ok()
            }
            Kind::Choice(_) | Kind::Path | Kind::List => None,
        };
        // Infinity is no number of JSON.
        number.filter(|number| !number.is_null()).unwrap_or_else(|| (&*self.value).into())
    }
}

/// Options with this one set to a list: the text itself, or the content of the file that it names.
pub(crate) fn with_list<O: Named>(name: &str, text: &str) -> Result<O, String> {
    let mut options = O::default();
    options.set(name, content(text.into())?).map_err(|error| match *error {
        Error::InvalidArgument { reason, .. } => reason,
        error => error.to_string(),
    })?;
    Ok(options)
}

/// The list that the text is, or the content of the file that it names.
pub(crate) fn content(text: OsString) -> Result<OsString, String> {
    let shown = text.to_string_lossy();
    if shown == "auto" || shown == "none" || !shown.contains(char::is_alphabetic) {
        return Ok(text);
    }
    files::read_text(Path::new(&text)).map(OsString::from)
}
