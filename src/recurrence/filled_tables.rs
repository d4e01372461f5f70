use std::ops::Range;

use super::plan::EnginePlan;
use super::{Output, check};
use crate::memory::Grow;
use crate::solve::Monitor;
use crate::{Result, memory};

/// Elements that are decoded between two checks for stops.
const DECODED: usize = 1 << 18;

/// An engine's result.
#[derive(Default)]
pub(super) struct FilledTables {
    pub(super) values: Vec<i64>,
    pub(super) last: Vec<i64>,
    pub(super) choices: Vec<u32>,
    pub(super) period: Option<usize>,
}

impl FilledTables {
    /// The requested part of one instance's table, whose elements from `first` on are `values`,
    /// after a check by the definition.
    pub(super) fn of_table(
        count: usize,
        decode: &dyn Fn(Range<usize>, &mut Vec<i64>),
        first: usize,
        plan: &EnginePlan<'_>,
        number: usize,
        monitor: &Monitor,
    ) -> Result<Self> {
        let mut values = memory::list(count)?;
        for begin in (0..count).step_by(DECODED) {
            monitor.check()?;
            decode(begin..count.min(begin + DECODED), &mut values);
        }
        check::check(plan.instance, number, first as u64, &values)?;
        let last = values.last().copied().into_iter().collect();
        let values = if plan.output == Output::Table { values } else { Vec::new() };
        Ok(FilledTables { values, last, ..FilledTables::default() })
    }

    /// Concatenates the results of several instances.
    pub(super) fn join(parts: Vec<FilledTables>) -> Result<FilledTables> {
        let mut parts = parts.into_iter();
        let mut all = parts.next().unwrap_or_default();
        for part in parts {
            all.values.try_extend(part.values)?;
            all.last.try_extend(part.last)?;
            all.choices.try_extend(part.choices)?;
            all.period = all.period.or(part.period);
        }
        Ok(all)
    }
}
