//! The order of the methods, and their budgets.

use super::decreasing::{Fit, decreasing};
use super::incumbent::{Incumbent, count};
use super::sizes::MAX_ITEMS;
use super::{Method, columns, exact, fill};
use crate::solve::{Monitor, Report};
use crate::{Dispatch, Error, Result};

/// Most look-ups of a table that is filled before column generation, some milliseconds of one core;
/// and of the largest table that [`Method::Auto`] fills, some seconds.
const QUICK_WORK_LIMIT: u64 = 1 << 24;
const AUTO_WORK_LIMIT: u64 = 2_000_000_000;

/// Rounds of the search for full pieces without a time limit, some seconds.
const ROUNDS: u32 = 4;

impl Incumbent<'_> {
    fn best_fit(&mut self, monitor: &Monitor) -> Result<()> {
        if !self.is_settled() {
            monitor.check()?;
            monitor.enter("bfd")?;
            let found =
                decreasing(&self.sizes.list, self.instance.stock_length(), Fit::Best, monitor);
            self.offer(found, monitor);
            monitor.report("bfd", None);
        }
        Ok(())
    }

    /// Runs all methods after first-fit decreasing, the cheapest first, until the packing is proved
    /// optimal.
    pub(super) fn improve(
        &mut self,
        method: Method,
        seed: u64,
        dispatch: &mut Dispatch<'_>,
        monitor: &Monitor,
        report: &mut Report,
    ) -> Result<()> {
        // Create these statistics even if they stay 0.
        let counters = ["patterns", "tables", "cells", "columns", "attempts"];
        counters.into_iter().for_each(|counter| report.statistics.add(counter, 0));
        self.best_fit(monitor)?;
        let mut refused = self.table(QUICK_WORK_LIMIT, dispatch, monitor, report)?;
        let context = dispatch.context();
        let statistics = &mut report.statistics;
        // If pieces leave almost nothing unused, the program in fractions proves no more and takes
        // longer.
        let tight = fill::is_tight(&self.sizes.list, self.instance.stock_length(), self.bound);
        if tight {
            fill::close(self, 0..1, seed, context, monitor, statistics)?;
        }
        if !self.is_settled() {
            let types = columns::job_types(&self.sizes.list);
            let relaxed = columns::relax(self, &types, tight, monitor, statistics)?;
            if !tight && !self.is_settled() {
                fill::close(self, 0..1, seed, context, monitor, statistics)?;
            }
            if let Some(relaxed) = relaxed.filter(|_| !self.is_settled()) {
                relaxed.dive(MAX_ITEMS, self, seed, monitor, statistics)?;
            }
        }
        if refused.is_some() {
            let work_limit = if method == Method::Exact { u64::MAX } else { AUTO_WORK_LIMIT };
            refused = self.table(work_limit, dispatch, monitor, report)?;
        }
        if let Some(error) = refused {
            let reason = format!("the dynamic program is left out: {error}");
            match method {
                Method::Exact => dispatch.warn(reason),
                _ => dispatch.context().log().info(|| reason),
            }
        }
        if !self.is_settled() {
            let rounds =
                if monitor.has_deadline() { u32::MAX / fill::SIDE_BY_SIDE } else { ROUNDS };
            fill::close(
                self,
                1..rounds,
                seed,
                dispatch.context(),
                monitor,
                &mut report.statistics,
            )?;
        }
        Ok(())
    }

    /// The dynamic program, unless the packing is already optimal; returns the reason if its table
    /// is refused.
    fn table(
        &mut self,
        work_limit: u64,
        dispatch: &mut Dispatch<'_>,
        monitor: &Monitor,
        report: &mut Report,
    ) -> Result<Option<Box<Error>>> {
        if self.is_settled() {
            return Ok(None);
        }
        monitor.enter("table")?;
        let (sizes, stock_length) = (&self.sizes.list, self.instance.stock_length());
        match exact::solve(
            sizes,
            stock_length,
            work_limit,
            dispatch,
            monitor,
            &mut report.statistics,
        ) {
            Ok(patterns) => {
                let fewest = count(&patterns);
                self.offer(patterns, monitor);
                self.raise(fewest, "table", monitor);
                Ok(None)
            }
            Err(error) if matches!(*error, Error::OutOfMemory { .. } | Error::Unsupported(_)) => {
                Ok(Some(error))
            }
            Err(error) => Err(error),
        }
    }
}
