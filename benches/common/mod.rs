//! What the benchmark programs share: engines, instances, arguments, lines of measurements.
#![allow(dead_code, reason = "no program uses all of it")]

use std::error::Error;

pub(crate) mod engines;
pub(crate) mod fastest;
pub(crate) mod instances;
pub(crate) mod log;
pub(crate) mod options;
pub(crate) mod random;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;
