//! Engines and instances of both benchmark programs.
#![allow(dead_code, reason = "not both use all of it")]

pub(crate) mod engines;
pub(crate) mod instances;
pub(crate) mod random;
