//! Options whose values are an enumeration of the library.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use makespan::Enumeration;

/// Reads a value by its name. The help lists all names with their texts.
pub(crate) fn named<T: Enumeration + Send + Sync>() -> impl TypedValueParser<Value = T> {
    let listed = |value: &T| PossibleValue::new(value.name()).help(value.text());
    PossibleValuesParser::new(T::VALUES.iter().map(listed)).try_map(|name| {
        let mut values = T::VALUES.iter().copied();
        values.find(|value| value.name() == name).ok_or("there is no such value")
    })
}
