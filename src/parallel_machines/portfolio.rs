//! The order of the methods, and their budgets.
//!
//! Budgets count work, not time, so that a solve without a time limit ends and is reproducible.

use std::collections::HashMap;

use super::gap::{Effort, Gap};
use super::incumbent::Incumbent;
use super::job_types::job_types;
use super::ptas::{Findings, Scheme};
use super::{Method, Options, bounds, improve, multifit};
use crate::configuration_lp::JobTypes;
use crate::solve::Statistics;
use crate::{Dispatch, Error, Result};

/// Most look-ups of one table in [`Method::Auto`], some seconds of one core.
const AUTO_LOOKUPS: u64 = 2_000_000_000;

/// Most steps of one sparse decision in [`Method::Auto`], some tens of milliseconds.
const SPARSE_STEPS: u64 = 500_000;

/// Precision that [`Method::Auto`] tries to reach for any requested precision: the sparse search
/// usually can.
const AUTO_PRECISION: u64 = 10;

/// Subsets of the first improvement, some milliseconds.
const FIRST_SUBSETS: u64 = 1 << 20;

/// One solve with its parts.
pub(super) struct Portfolio<'a, 'r, 'c> {
    pub(super) incumbent: Incumbent<'a>,
    pub(super) dispatch: &'r mut Dispatch<'c>,
    pub(super) statistics: &'r mut Statistics,
    pub(super) seed: u64,
}

impl Portfolio<'_, '_, '_> {
    pub(super) fn run(&mut self, options: &Options, k: u64) -> Result<()> {
        match options.method {
            Method::Lpt => Ok(()),
            Method::Multifit => {
                self.multifit()?;
                Ok(())
            }
            Method::Ptas => {
                self.multifit()?;
                self.whole_scheme(k, options)
            }
            // The time limit bounds the effort.
            Method::Auto if self.incumbent.monitor.has_deadline() => self.certify(k, Effort::EXACT),
            Method::Auto => self.certify(k, Effort::AUTO),
            Method::Exact => self.certify(k, Effort::EXACT),
        }
    }

    fn certify(&mut self, k: u64, effort: Effort) -> Result<()> {
        self.multifit()?;
        self.improve()?;
        let Incumbent { instance, longest_first, monitor, .. } = &self.incumbent;
        let types = job_types(instance, longest_first, monitor)?;
        self.strengthen(&types)?;
        self.reach_precision(k)?;
        let (makespan, bound) = (self.incumbent.makespan(), self.incumbent.bound());
        self.dispatch
            .context()
            .log()
            .info(|| format!("makespan {makespan}, bound {bound} before the search"));
        Gap::new(&mut self.incumbent, &types, self.seed, self.statistics).close(effort)
    }

    fn multifit(&mut self) -> Result<()> {
        self.incumbent.monitor.enter("multifit")?;
        let Incumbent { instance, longest_first, monitor, .. } = &self.incumbent;
        let (bound, makespan) = (self.incumbent.bound(), self.incumbent.makespan());
        if let Some(found) = multifit::multifit(instance, longest_first, bound, makespan, monitor) {
            self.incumbent.offer("multifit", found);
        }
        Ok(())
    }

    fn improve(&mut self) -> Result<()> {
        let Incumbent { instance, monitor, .. } = self.incumbent;
        // Creating the lists takes time if there are many machines.
        if self.incumbent.is_optimal() || monitor.should_stop() {
            return Ok(());
        }
        monitor.enter("subset sums")?;
        let (start, bound) = (self.incumbent.assignment(), self.incumbent.bound());
        let better = improve::improve(instance, start, bound, FIRST_SUBSETS, self.seed, monitor)?;
        self.incumbent.offer("subset sums", better);
        Ok(())
    }

    /// Raises the bound without a search.
    fn strengthen(&mut self, types: &JobTypes) -> Result<()> {
        let Incumbent { instance, monitor, .. } = self.incumbent;
        monitor.enter("bounds")?;
        if !self.incumbent.is_optimal() {
            self.incumbent
                .raise("bounds", bounds::crowded_groups(instance, &self.incumbent.longest_first));
        }
        if !self.incumbent.is_optimal() {
            let (lower, upper) = (self.incumbent.bound(), self.incumbent.makespan());
            let machines = instance.useful_machines();
            self.incumbent
                .raise("bounds", bounds::weighted(types, machines, lower, upper, monitor)?);
        }
        if !self.incumbent.is_optimal() {
            let (lower, upper) = (self.incumbent.bound(), self.incumbent.makespan());
            self.incumbent
                .raise("bounds", bounds::reachable_load(instance, lower, upper, monitor)?);
        }
        Ok(())
    }

    /// Runs the scheme if the guarantee is not reached yet: first sparse at a high precision, then,
    /// if that fails, with tables at the requested precision.
    fn reach_precision(&mut self, k: u64) -> Result<()> {
        for (precision, lookups) in [(k.max(AUTO_PRECISION), 0), (k, AUTO_LOOKUPS)] {
            if self.incumbent.reaches(precision) {
                break;
            }
            let options = Options::default();
            if let Some(error) = self.scheme(precision, SPARSE_STEPS, lookups, &options)? {
                self.log_refusal(&error);
            }
        }
        Ok(())
    }

    /// The scheme as published: only with tables, of any size.
    fn whole_scheme(&mut self, k: u64, options: &Options) -> Result<()> {
        match self.scheme(k, 0, u64::MAX, options)? {
            Some(error) if !self.incumbent.reaches(k) && !self.incumbent.monitor.interrupted() => {
                Err(error)
            }
            Some(error) => {
                if !self.incumbent.monitor.interrupted() {
                    let warning =
                        format!("a table was refused, but the guarantee holds without it: {error}");
                    self.dispatch.warn(warning);
                }
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn log_refusal(&self, error: &Error) {
        self.dispatch.context().log().info(|| format!("the scheme is incomplete: {error}"));
    }

    /// Searches by the scheme; returns the reason why a target could not be decided, if any.
    fn scheme(
        &mut self,
        k: u64,
        sparse_steps: u64,
        work_limit: u64,
        options: &Options,
    ) -> Result<Option<Box<Error>>> {
        self.incumbent.monitor.enter("scheme")?;
        // Create the statistics even if the first bound is already met.
        ["rounds", "targets", "tables", "cells"]
            .into_iter()
            .for_each(|counter| self.statistics.add(counter, 0));
        let mut scheme = Scheme {
            instance: self.incumbent.instance,
            longest_first: &self.incumbent.longest_first,
            k,
            segments: options.segments,
            shares: options.segment_shares,
            tables: options.tables.clone(),
            sparse_steps,
            work_limit,
            dispatch: self.dispatch,
            monitor: self.incumbent.monitor,
            statistics: self.statistics,
            known: HashMap::new(),
        };
        let Findings { bound, best, refused } =
            scheme.search(self.incumbent.bound(), self.incumbent.makespan())?;
        self.incumbent.raise("scheme", bound);
        if let Some(found) = best {
            self.incumbent.offer("scheme", found);
        }
        Ok(refused)
    }
}
