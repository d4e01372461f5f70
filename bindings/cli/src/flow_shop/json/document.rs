//! The fields of a JSON instance.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

use super::instant::Unit;

/// A whole file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub(super) start: Option<String>,
    pub(super) time_unit: Option<Unit>,
    pub(super) machines: Vec<Machine>,
    pub(super) jobs: Vec<Job>,
    #[serde(default)]
    pub(super) families: Vec<String>,
    pub(super) setups: Option<Setups>,
    #[serde(default)]
    pub(super) buffers: Buffers,
    #[serde(default)]
    pub(super) pinned: Vec<Reference>,
    #[serde(default)]
    pub(super) running_plan: Vec<Reference>,
    pub(super) objective: Option<String>,
}

/// A machine: its name, or an object.
pub(super) struct Machine(pub(super) MachineFields);

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MachineFields {
    pub(super) name: Option<String>,
    pub(super) ready: Option<Amount>,
    /// The job or family that the machine is set up for.
    pub(super) last: Option<Reference>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Job {
    pub(super) name: Option<String>,
    pub(super) times: Vec<u64>,
    pub(super) release: Option<Amount>,
    pub(super) due: Option<Amount>,
    pub(super) weight: Option<u64>,
    pub(super) family: Option<Reference>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Setups {
    pub(super) between: Kind,
    /// For all machines.
    pub(super) matrix: Option<Matrix>,
    /// One for each machine.
    pub(super) matrices: Option<Vec<Matrix>>,
    /// A row for all machines or for each.
    pub(super) first: Option<Matrix>,
}

pub(super) type Matrix = Vec<Vec<u64>>;

/// What set-ups depend on.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Jobs,
    Families,
}

#[derive(Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Buffers {
    #[default]
    Unlimited,
    None,
}

/// A job or a family by its number or its name.
pub(super) enum Reference {
    Number(u64),
    Name(String),
}

/// A time: a number, or an instant of the calendar.
pub(super) enum Amount {
    Whole(i64),
    Fraction(f64),
    Instant(String),
}

impl<'de> Deserialize<'de> for Machine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrObject;

        impl<'de> Visitor<'de> for NameOrObject {
            type Value = Machine;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a machine or an object")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Machine, E> {
                Ok(Machine(MachineFields { name: Some(name.to_owned()), ..Default::default() }))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Machine, A::Error> {
                MachineFields::deserialize(MapAccessDeserializer::new(map)).map(Machine)
            }
        }

        deserializer.deserialize_any(NameOrObject)
    }
}

impl<'de> Deserialize<'de> for Reference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrName;

        impl Visitor<'_> for NumberOrName {
            type Value = Reference;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number from 0 or a name")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Reference, E> {
                Ok(Reference::Number(number))
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Reference, E> {
                Ok(Reference::Name(name.to_owned()))
            }
        }

        deserializer.deserialize_any(NumberOrName)
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrInstant;

        impl Visitor<'_> for NumberOrInstant {
            type Value = Amount;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or an instant such as \"2026-01-05T06:00:00Z\"")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Amount, E> {
                let number = i64::try_from(number);
                number.map(Amount::Whole).map_err(|_| E::custom("a number is 2^63 or more"))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Amount, E> {
                Ok(Amount::Whole(number))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Amount, E> {
                Ok(Amount::Fraction(number))
            }

            fn visit_str<E: Error>(self, instant: &str) -> Result<Amount, E> {
                Ok(Amount::Instant(instant.to_owned()))
            }
        }

        deserializer.deserialize_any(NumberOrInstant)
    }
}
