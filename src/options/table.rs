use std::ffi::OsStr;

use super::Field;
use super::field::{AUTO, NONE};
use crate::{Error, Result};

/// A struct of options that can be read and set by their names.
///
/// Names are words of small letters with underscores between. Values are texts; [`Kind`] says how
/// they are written.
pub trait Named: Clone + Default + 'static {
    /// The options, in the order in which help texts list them.
    const TABLE: &'static [Entry<Self>];

    /// Sets an option.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an unknown name, with `name` as its argument, and for a value
    /// that does not fit, with the option's name as its argument.
    fn set(&mut self, name: &str, value: impl AsRef<OsStr>) -> Result<()> {
        Entry::find(name)?.set(self, value.as_ref())
    }

    /// An option's value as a text, which [`Named::set`] can read.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an unknown name.
    fn get(&self, name: &str) -> Result<String> {
        Ok(Entry::find(name)?.get(self))
    }
}

/// One option of a table.
pub struct Entry<O: 'static> {
    /// The option's name, such as `time_limit`.
    pub name: &'static str,
    /// Its meaning.
    pub text: &'static str,
    /// How its value is written.
    pub kind: Kind,
    /// The smallest and the largest number.
    pub range: Range,
    /// The word for a value that is left to the library, `auto` or `none`. Without one there is
    /// always a value.
    pub unset: Option<&'static str>,
    /// Who needs the option.
    pub tier: Tier,
    /// The methods that use it; none for all methods. Other methods refuse another value than the
    /// default.
    pub methods: &'static [&'static str],
    pub(crate) read: fn(&mut O, &OsStr) -> Result<(), String>,
    pub(crate) write: fn(&O) -> String,
    /// Whether two structs have the same value.
    pub(crate) equal: fn(&O, &O) -> bool,
}

/// How the value of an option is written.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Whole,
    /// A number, or a fraction of whole numbers such as 1/6.
    Real,
    /// A number of seconds; `inf` for no limit.
    Seconds,
    /// A number of bytes; K, M and G are powers of 1024.
    Bytes,
    /// One of these names, each with its meaning.
    Choice(fn() -> Vec<(&'static str, &'static str)>),
    /// The path of a file or folder.
    Path,
    /// Numbers with spaces or commas between.
    List,
}

/// The allowed numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Range {
    /// All that the type holds.
    All,
    /// Whole numbers from the first to the second.
    Whole(u64, u64),
    /// Numbers above the first and up to the second.
    Above(f64, f64),
}

/// Who needs an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// Most users.
    Basic,
    /// Users who know the method.
    Advanced,
    /// Research: the option may change in every version.
    Experimental,
}

impl Kind {
    /// The kind's name in one word.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Flag => "flag",
            Kind::Whole => "whole",
            Kind::Real => "real",
            Kind::Seconds => "seconds",
            Kind::Bytes => "bytes",
            Kind::Choice(_) => "choice",
            Kind::Path => "path",
            Kind::List => "list",
        }
    }
}

impl Tier {
    /// The tier's name.
    pub fn name(self) -> &'static str {
        match self {
            Tier::Basic => "basic",
            Tier::Advanced => "advanced",
            Tier::Experimental => "experimental",
        }
    }
}

impl<O: Named> Entry<O> {
    /// The entry of that name.
    fn find(name: &str) -> Result<&'static Self> {
        O::TABLE
            .iter()
            .find(|entry| entry.name == name)
            .ok_or_else(|| unknown(name, O::TABLE.iter().map(|entry| entry.name)))
    }

    /// Sets the option. The options are unchanged if the value does not fit.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] with the option's name.
    pub fn set(&self, options: &mut O, value: &OsStr) -> Result<()> {
        let mut changed = options.clone();
        (self.read)(&mut changed, value).map_err(|reason| Error::argument(self.name, reason))?;
        self.check_range(&changed)?;
        *options = changed;
        Ok(())
    }

    /// The option's value as a text.
    pub fn get(&self, options: &O) -> String {
        let text = (self.write)(options);
        match self.unset {
            Some(word) if text == AUTO => word.into(),
            _ => text,
        }
    }

    /// The default as a text.
    pub fn default(&self) -> String {
        self.get(&O::default())
    }

    /// The option's tier is `tier`.
    pub(crate) const fn tier(mut self, tier: Tier) -> Self {
        self.tier = tier;
        self
    }

    /// The value is a number of this range.
    pub(crate) const fn range(mut self, range: Range) -> Self {
        self.range = range;
        self
    }

    /// A value that is left to the library is none.
    pub(crate) const fn or_none(mut self) -> Self {
        self.unset = Some(NONE);
        self
    }

    /// Only these methods use the option.
    pub(crate) const fn methods(mut self, methods: &'static [&'static str]) -> Self {
        self.methods = methods;
        self
    }

    fn check_range(&self, options: &O) -> Result<()> {
        match self.range {
            Range::All => Ok(()),
            range => range.check(self.name, &(self.write)(options)),
        }
    }
}

impl Range {
    /// Refuses a number that is out of the range. A text that is no number passes.
    fn check(self, name: &'static str, written: &str) -> Result<()> {
        let refused = |reason: String| Err(Error::argument(name, reason));
        match self {
            Range::All => Ok(()),
            Range::Whole(least, most) => match written.parse::<u64>() {
                Ok(number) if number < least && most == u64::MAX => {
                    refused(format!("must be at least {least}, not {number}"))
                }
                Ok(number) if !(least..=most).contains(&number) => {
                    refused(format!("must be from {least} to {most}, not {number}"))
                }
                _ => Ok(()),
            },
            Range::Above(least, most) => match written.parse::<f64>() {
                Ok(number) if !(number > least && number <= most) => {
                    refused(format!("must be above {least} and at most {most}, not {number}"))
                }
                _ => Ok(()),
            },
        }
    }
}

/// Refuses a name that is none of these.
pub(crate) fn unknown(name: &str, names: impl Iterator<Item = &'static str>) -> Box<Error> {
    let names: Vec<_> = names.collect();
    let reason = format!("there is no option \"{name}\"; the options are {}", names.join(", "));
    Error::argument("name", reason)
}

/// Refuses numbers out of their range, and options that the method does not use.
pub(crate) fn check<O: Named>(options: &O, method: &str) -> Result<()> {
    let default = O::default();
    for entry in O::TABLE {
        entry.check_range(options)?;
        let is_used = entry.methods.is_empty() || entry.methods.contains(&method);
        if !is_used && !(entry.equal)(options, &default) {
            return Err(not_for(entry.name, entry.methods));
        }
    }
    Ok(())
}

/// The refusal of an option that only other methods use.
fn not_for(name: &'static str, methods: &[&str]) -> Box<Error> {
    Error::argument(name, format!("applies only to {}", methods.join(", ")))
}

/// The kind of a field.
pub(crate) const fn kind_of<O, T: Field>(_field: fn(&O) -> &T) -> Kind {
    T::KIND
}

/// The word for a field that is left to the library.
pub(crate) const fn unset<O, T: Field>(_field: fn(&O) -> &T) -> Option<&'static str> {
    if T::IS_OPTIONAL { Some(AUTO) } else { None }
}

/// Sets a field. Compiled once for each type, like [`written`].
#[inline(never)]
pub(crate) fn assign<T: Field>(field: &mut T, text: &OsStr) -> Result<(), String> {
    T::read_os(text).map(|value| *field = value)
}

/// A field's value as a text.
#[inline(never)]
pub(crate) fn written<T: Field>(field: &T) -> String {
    field.write()
}

/// An [`Entry`] for a field of `Self`, by name, path and text.
macro_rules! entry {
    ($name:literal, $($field:ident).+, $text:expr) => {
        $crate::options::Entry::<Self> {
            name: $name,
            text: $text,
            kind: $crate::options::kind_of(|options: &Self| &options.$($field).+),
            range: $crate::options::Range::All,
            unset: $crate::options::unset(|options: &Self| &options.$($field).+),
            tier: $crate::options::Tier::Advanced,
            methods: &[],
            read: |options, text| $crate::options::assign(&mut options.$($field).+, text),
            write: |options| $crate::options::written(&options.$($field).+),
            equal: |options, others| options.$($field).+ == others.$($field).+,
        }
    };
}

pub(crate) use entry;
