//! Where instances come from: files and random numbers.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use makespan::interval_dp::{AnyInstance, DEFAULT_LARGEST, Kind};

use crate::failure::Failure;
use crate::files;
use crate::options::Common;
use crate::session;

/// Where an instance comes from.
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
            Source::File(path) => f.write_str(&files::instance_name(path)),
            Source::Random { size, seed, largest: DEFAULT_LARGEST } => {
                write!(f, "random:{size}:{seed}")
            }
            Source::Random { size, seed, largest } => write!(f, "random:{size}:{seed}:{largest}"),
        }
    }
}

impl Source {
    /// The instance.
    pub(super) fn instance(&self, kind: Kind, common: &Common) -> Result<AnyInstance, Failure> {
        match self {
            Source::File(path) => session::read(common, path, |path| AnyInstance::read(kind, path)),
            &Source::Random { size, seed, largest } => {
                Ok(AnyInstance::random(kind, size, seed, largest, &common.limits())?)
            }
        }
    }

    /// An instance for each line of the file that has anything on it, or `count` drawn ones with seeds from the
    /// source's own on.
    pub(super) fn batch(
        &self,
        kind: Kind,
        count: Option<u64>,
        common: &Common,
    ) -> Result<Vec<AnyInstance>, Failure> {
        match (self, count) {
            (Source::File(path), None) => {
                let limits = common.limits();
                session::read(common, path, |path| AnyInstance::read_batch(kind, path, &limits))
            }
            (Source::File(_), Some(_)) => Err(Failure::usage(
                "--batch takes a number for random instances only; a file has one on each line",
            )),
            (&Source::Random { size, seed, largest }, Some(count)) => {
                Ok(AnyInstance::random_batch(kind, size, seed, largest, count, &common.limits())?)
            }
            (Source::Random { .. }, None) => {
                Err(Failure::usage("--batch needs a number for random instances"))
            }
        }
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
