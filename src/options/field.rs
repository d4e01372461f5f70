//! Types of options: how their values are read from texts and written.

use std::ffi::OsStr;
use std::fmt::Display;
use std::path::PathBuf;
use std::time::Duration;

use super::Kind;
use crate::Enumeration;

/// The type of an option.
pub(crate) trait Field: Sized + PartialEq {
    const KIND: Kind;
    /// Whether the value may be left to the library.
    const IS_OPTIONAL: bool = false;

    /// Reads a value, or says what is wrong with it.
    fn read(text: &str) -> Result<Self, String>;

    /// [`Field::read`] for texts in the operating system's encoding.
    fn read_os(text: &OsStr) -> Result<Self, String> {
        Self::read(text.to_str().ok_or("is not UTF-8")?)
    }

    fn write(&self) -> String;
}

impl Field for bool {
    const KIND: Kind = Kind::Flag;

    fn read(text: &str) -> Result<Self, String> {
        match text {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(format!("must be true or false, not \"{text}\"")),
        }
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

macro_rules! whole_numbers {
    ($($type:ty),+) => {$(
        impl Field for $type {
            const KIND: Kind = Kind::Whole;

            fn read(text: &str) -> Result<Self, String> {
                let refused = || format!("must be a whole number of at most {}, not \"{text}\"", Self::MAX);
                text.parse().map_err(|_| refused())
            }

            fn write(&self) -> String {
                self.to_string()
            }
        }
    )+};
}

whole_numbers!(u32, u64, usize);

/// A number, or a fraction of whole numbers such as 1/6.
impl Field for f64 {
    const KIND: Kind = Kind::Real;

    fn read(text: &str) -> Result<Self, String> {
        let refused = || format!("must be a number or a fraction such as 1/6, not \"{text}\"");
        let Some((above, below)) = text.split_once('/') else {
            return text.parse().map_err(|_| refused());
        };
        let whole = |digits: &str| digits.trim().parse::<u32>().map_err(|_| refused());
        let (above, below) = (whole(above)?, whole(below)?);
        if below == 0 {
            return Err(refused());
        }
        let nearest = f64::from(above) / f64::from(below);
        // The nearest double may be below the fraction.
        Ok(if above < below && above > 0 { nearest.next_up() } else { nearest })
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

/// Seconds. A number beyond a duration's range, such as `inf`, means no limit.
impl Field for Duration {
    const KIND: Kind = Kind::Seconds;

    fn read(text: &str) -> Result<Self, String> {
        let seconds: f64 =
            text.parse().map_err(|_| format!("must be a number of seconds, not \"{text}\""))?;
        if seconds.is_nan() || seconds < 0.0 {
            return Err(format!("must be 0 or more, not {text}"));
        }
        Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
    }

    fn write(&self) -> String {
        if *self == Duration::MAX { "inf".into() } else { self.as_secs_f64().to_string() }
    }
}

impl Field for PathBuf {
    const KIND: Kind = Kind::Path;

    fn read(text: &str) -> Result<Self, String> {
        Self::read_os(OsStr::new(text))
    }

    fn read_os(text: &OsStr) -> Result<Self, String> {
        if text.is_empty() { Err("is empty".into()) } else { Ok(text.into()) }
    }

    fn write(&self) -> String {
        self.display().to_string()
    }
}

impl<T: Enumeration> Field for T {
    const KIND: Kind = Kind::Choice(choices::<T>);

    fn read(text: &str) -> Result<Self, String> {
        let names: Vec<_> = T::VALUES.iter().map(|value| value.name()).collect();
        position(&names, text).map(|position| T::VALUES[position])
    }

    fn write(&self) -> String {
        self.name().into()
    }
}

/// The position of a text among names, or why it is refused.
pub(crate) fn position(names: &[&str], text: &str) -> Result<usize, String> {
    let refused = || format!("must be one of {}, not \"{text}\"", names.join(", "));
    names.iter().position(|&name| name == text).ok_or_else(refused)
}

/// The values of an enumeration with their texts.
fn choices<T: Enumeration>() -> Vec<(&'static str, &'static str)> {
    T::VALUES.iter().map(|value| (value.name(), value.text())).collect()
}

/// The words by which an option is left to the library.
pub(super) const AUTO: &str = "auto";
pub(super) const NONE: &str = "none";

/// An option that may be left to the library.
impl<T: Field> Field for Option<T> {
    const KIND: Kind = T::KIND;
    const IS_OPTIONAL: bool = true;

    fn read(text: &str) -> Result<Self, String> {
        Self::read_os(OsStr::new(text))
    }

    fn read_os(text: &OsStr) -> Result<Self, String> {
        if text == AUTO || text == NONE { Ok(None) } else { T::read_os(text).map(Some) }
    }

    fn write(&self) -> String {
        self.as_ref().map_or_else(|| AUTO.into(), T::write)
    }
}

/// Lists of numbers with spaces or commas between.
macro_rules! lists {
    ($($type:ty),*) => {$(
        impl Field for Vec<$type> {
            const KIND: Kind = Kind::List;

            fn read(text: &str) -> Result<Self, String> {
                numbers(text)
            }

            fn write(&self) -> String {
                joined(self)
            }
        }
    )*};
}

lists!(u32, usize);

/// Pairs of numbers, such as "0,5 3,9".
impl Field for Vec<(usize, usize)> {
    const KIND: Kind = Kind::List;

    fn read(text: &str) -> Result<Self, String> {
        let numbers: Vec<usize> = numbers(text)?;
        let (pairs, rest) = numbers.as_chunks();
        match rest {
            [] => Ok(pairs.iter().map(|&[first, second]| (first, second)).collect()),
            _ => Err(format!("must be pairs of numbers, but has {} numbers", numbers.len())),
        }
    }

    fn write(&self) -> String {
        joined(self.iter().map(|(first, second)| format!("{first},{second}")))
    }
}

/// The numbers of a text, with spaces or commas between.
pub(crate) fn numbers<T: std::str::FromStr>(text: &str) -> Result<Vec<T>, String> {
    let separates = |letter: char| letter == ',' || letter.is_whitespace();
    let words = text.split(separates).filter(|word| !word.is_empty());
    let refused = |word| format!("\"{word}\" is not a whole number that fits");
    words.map(|word| word.parse().map_err(|_| refused(word))).collect()
}

/// The elements with spaces between.
pub(crate) fn joined<T: Display>(elements: impl IntoIterator<Item = T>) -> String {
    let words: Vec<String> = elements.into_iter().map(|element| element.to_string()).collect();
    words.join(" ")
}
