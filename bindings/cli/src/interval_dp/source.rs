//! Sources of instances: files and random numbers.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use makespan::Error;
use makespan::interval_dp::{AnyInstance, DEFAULT_LARGEST, Kind};

use crate::failure::Failure;
use crate::names;
use crate::options::Common;
use crate::session;

/// The source of an instance.
#[derive(Clone)]
pub(super) enum Source {
    File(PathBuf),
    Random { size: usize, seed: u64, largest: i64 },
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some(numbers) = text.strip_prefix("random:") else {
            return Ok(Source::File(text.into()));
        };
        let wrong = || "random:N:SEED and random:N:SEED:LARGEST take whole numbers".to_owned();
        let parts: Vec<&str> = numbers.split(':').collect();
        let (size, seed, largest) = match parts[..] {
            [size, seed] => (size, seed, None),
            [size, seed, largest] => (size, seed, Some(largest)),
            _ => return Err(wrong()),
        };
        Ok(Source::Random {
            size: size.parse().map_err(|_| wrong())?,
            seed: seed.parse().map_err(|_| wrong())?,
            largest: largest.map_or(Ok(DEFAULT_LARGEST), str::parse).map_err(|_| wrong())?,
        })
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::File(path) => f.write_str(&names::instance_name(path)),
            Source::Random { size, seed, largest: DEFAULT_LARGEST } => {
                write!(f, "random:{size}:{seed}")
            }
            Source::Random { size, seed, largest } => write!(f, "random:{size}:{seed}:{largest}"),
        }
    }
}

impl Source {
    /// The instance; `None` if the time limit ends its random generation.
    pub(super) fn instance(
        &self,
        kind: Kind,
        common: &Common,
    ) -> Result<Option<AnyInstance>, Failure> {
        match self {
            Source::File(path) => {
                session::read(common, path, |text| AnyInstance::parse(kind, text)).map(Some)
            }
            &Source::Random { size, seed, largest } => Ok(unless_stopped(AnyInstance::random(
                kind,
                size,
                seed,
                largest,
                &common.limits(),
            ))?),
        }
    }

    /// One instance for each line of the file that is not empty, or `count` random instances with
    /// seeds from the source's seed on. `None` if the time limit comes before they are complete.
    pub(super) fn batch(
        &self,
        kind: Kind,
        count: Option<u64>,
        common: &Common,
    ) -> Result<Option<Vec<AnyInstance>>, Failure> {
        match (self, count) {
            (Source::File(path), None) => {
                let limits = common.limits();
                session::read(common, path, |text| {
                    unless_stopped(AnyInstance::parse_batch(kind, text, &limits))
                })
            }
            (Source::File(_), Some(_)) => Err(Failure::usage(
                "--batch takes a number for random instances only; a file has one instance per line",
            )),
            (&Source::Random { size, seed, largest }, Some(count)) => {
                let drawn =
                    AnyInstance::random_batch(kind, size, seed, largest, count, &common.limits());
                Ok(unless_stopped(drawn)?)
            }
            (Source::Random { .. }, None) => {
                Err(Failure::usage("--batch needs a number for random instances"))
            }
        }
    }
}

/// `None` where the time limit came first.
pub(super) fn unless_stopped<T>(made: makespan::Result<T>) -> makespan::Result<Option<T>> {
    match made {
        Err(error) if matches!(*error, Error::Stopped) => Ok(None),
        made => made.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_have_names() {
        for name in ["random:10:3", "random:10:3:7"] {
            assert_eq!(name.parse::<Source>().unwrap().to_string(), name);
        }
        assert_eq!("data/chain.txt".parse::<Source>().unwrap().to_string(), "chain");
        for wrong in ["random:", "random:10", "random:10:x", "random:1:2:3:4", "random:-1:2"] {
            assert!(wrong.parse::<Source>().is_err(), "{wrong}");
        }
    }
}
