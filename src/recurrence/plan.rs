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

    /// The source's parallel steps until the table is full, and the threads of a step; `None` for
    /// methods that are not the source's.
    pub(super) fn steps_and_threads(&self) -> Result<Option<(u64, u64)>> {
        let elements = self.instance.length() - self.instance.preset();
        let operands = self.instance.operands() as u64;
        // Two operands meet in each pair of a round.
        let rounds = u64::from(operands.next_power_of_two().ilog2()).max(1);
        Ok(match self.method {
            Method::Sequential => Some((elements.saturating_mul(operands), 1)),
            Method::Tournament => Some((elements.saturating_mul(rounds), (operands / 2).max(1))),
            _ => self
                .schedule()?
                .map(|schedule| (schedule.steps() as u64, schedule.threads() as u64)),
        })
    }
}
