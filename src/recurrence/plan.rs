//! The work of each engine in a solve.

use std::sync::atomic::AtomicUsize;

use super::instance::Instance;
use super::schedule::Schedule;
use super::{Method, Options, Output, period};
use crate::Result;

/// The work of one engine.
pub(super) struct EnginePlan<'a> {
    pub(super) instance: &'a Instance,
    /// Never [`Method::Auto`].
    pub(super) method: Method,
    pub(super) fold: Option<u64>,
    pub(super) output: Output,
    pub(super) choices: bool,
    /// The period that the tables end in, if they end in one.
    pub(super) period: Option<usize>,
    /// Number of complete tables.
    pub(super) completed: AtomicUsize,
}

impl<'a> EnginePlan<'a> {
    pub(super) fn new(instance: &'a Instance, options: &Options, method: Method) -> Self {
        let &Options { output, fold, choices, .. } = options;
        let (period, completed) = (period::candidate(instance), AtomicUsize::default());
        EnginePlan { instance, method, fold, output, choices, period, completed }
    }

    /// The schedule of one of the source's pipelines; `None` for other methods.
    pub(super) fn schedule(&self) -> Result<Option<Schedule>> {
        match self.method {
            Method::Pipeline => Schedule::new(self.instance, 1, Some(1)).map(Some),
            Method::TwoByTwo => Schedule::new(self.instance, 2, Some(1)).map(Some),
            Method::PFold => Schedule::new(self.instance, 1, self.fold).map(Some),
            _ => Ok(None),
        }
    }
}
