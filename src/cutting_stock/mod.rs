//! One-dimensional cutting stock: items of given lengths and demands are cut from as few stock
//! pieces of one length as possible. With every demand 1 it is bin packing.
//!
//! The problem is strongly NP-hard. [`solve`] returns the best packing of the methods it tried,
//! with a proved lower bound. For few lengths, a dynamic program over all vectors of item counts
//! finds the optimum, in pseudo-polynomial time for any demands; it uses
//! [`lattice_dp`](crate::lattice_dp). For many lengths there is column generation.

mod bounds;
mod columns;
mod decreasing;
mod exact;
mod fill;
mod format;
mod instance;
mod options;
mod packing;
mod sizes;

pub use instance::Instance;
pub use options::{Method, Options};
pub use packing::{Cut, Packing, Pattern};

use self::decreasing::{Fit, decreasing};
use self::sizes::Sizes;
use crate::solve::{Certificate, Monitor, Outcome, Report, Sense, SolveOptions};
use crate::{Context, Dispatch, Error, Result};

/// Most look-ups of a table that is filled before column generation, some milliseconds of one core;
/// and of the largest table that [`Method::Auto`] fills, some seconds.
const QUICK_WORK_LIMIT: u64 = 1 << 24;
const AUTO_WORK_LIMIT: u64 = 2_000_000_000;
/// Approximate bytes of all lists for each item type: its size, and the patterns found for it, each
/// of some types.
const TYPE_BYTES: u128 = 512;

/// Most items that are searched individually.
const MAX_ITEMS: u64 = 10_000;

/// Rounds of the search for full pieces without a time limit, some seconds.
const ROUNDS: u32 = 4;

/// Cuts the items from few stock pieces and proves a bound on the fewest: L2 of Martello and Toth
/// (1990), the bound of the program of all patterns in fractions (Gilmore and Gomory 1961), or the
/// dynamic program's optimum.
///
/// There always is a packing, under any limits. The status is
/// [`Status::Optimal`](crate::Status::Optimal) if the bound equals its pieces, otherwise
/// [`Status::Feasible`](crate::Status::Feasible). An iteration is one of these: a table of the
/// dynamic program, the program of all patterns in fractions, a number of pieces that column
/// generation tries to reach or refute, a round of the search for full pieces. Of more than 10,000
/// items the solver first cuts the whole uses of the program's patterns. If more than 10,000 items
/// then remain, it does not search further, and the packing may stay some pieces above the bound.
/// The result is the same for every engine and number of threads, unless time, memory or a stop
/// request ends the solve. May be called on several threads at once.
///
/// # Errors
/// Device errors with [`Engine::Device`](crate::Engine::Device), and [`Error::Unsupported`] with it
/// and [`Method::Ffd`], which has no kernels.
pub fn solve(
    context: &Context,
    instance: &Instance,
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Outcome<Packing>> {
    if context.wants_device(solve_options.engine) && options.method == Method::Ffd {
        return Err(Error::unsupported(format!(
            "the method {} on a device",
            options.method.name()
        )));
    }
    let monitor = context.watch(solve_options)?;
    let mut dispatch = context.dispatch(solve_options.engine)?;
    let required = instance.types() as u128 * TYPE_BYTES;
    monitor.expect_lists(required, || format!("patterns of {} item types", instance.types()))?;
    let mut report = Report { method: options.method.name(), ..Report::default() };

    let mut search = Incumbent::start(instance, &monitor)?;
    if options.method != Method::Ffd {
        let limited = search.improve(
            options.method,
            solve_options.seed,
            &mut dispatch,
            &monitor,
            &mut report,
        );
        match limited {
            // The packing and the bound are sound after a stop, too.
            Ok(()) => {}
            Err(error) if matches!(*error, Error::Stopped) => {}
            Err(error) if matches!(*error, Error::OutOfMemory { .. }) => {
                dispatch.warn(error.to_string())
            }
            Err(error) => return Err(error),
        }
    }
    if let Some(reason) = search.left_out.take()
        && !search.is_optimal()
    {
        dispatch.warn(reason);
    }
    dispatch.finish(&monitor, &mut report);
    Ok(monitor.conclude(search.into_outcome(report)?))
}

/// The best packing and the best bound so far.
struct Incumbent<'a> {
    instance: &'a Instance,
    sizes: Sizes,
    /// Patterns of sizes, not yet of item types.
    patterns: Vec<Pattern>,
    /// Stock pieces as counted by the method that made the patterns; re-checked at the end.
    pieces: u64,
    bound: u64,
    /// The methods for which the instance is too large.
    left_out: Option<String>,
}

impl<'a> Incumbent<'a> {
    fn start(instance: &'a Instance, monitor: &Monitor) -> Result<Self> {
        monitor.enter("ffd")?;
        let sizes = Sizes::new(instance)?;
        let opening = monitor.opening();
        let bound = bounds::lower_bound(&sizes.list, instance.stock_length(), &opening);
        opening.note(None, Some(bound));
        let patterns = decreasing(&sizes.list, instance.stock_length(), Fit::First, &opening);
        monitor.join(&opening);
        let pieces = count(&patterns);
        monitor.note(Some(pieces), None);
        monitor.report("ffd", None);
        Ok(Incumbent { instance, sizes, patterns, pieces, bound, left_out: None })
    }

    fn is_optimal(&self) -> bool {
        self.pieces == self.bound
    }

    /// Replaces the packing if the new one is better.
    fn offer(&mut self, patterns: Vec<Pattern>, monitor: &Monitor) {
        let pieces = count(&patterns);
        if pieces < self.pieces {
            self.patterns = patterns;
            self.pieces = pieces;
            monitor.note(Some(pieces), None);
        }
    }

    fn best_fit(&mut self, monitor: &Monitor) -> Result<()> {
        if !self.is_optimal() {
            monitor.enter("bfd")?;
            let found =
                decreasing(&self.sizes.list, self.instance.stock_length(), Fit::Best, monitor);
            self.offer(found, monitor);
            monitor.report("bfd", None);
        }
        Ok(())
    }

    /// Raises the bound if the new one is better.
    fn raise(&mut self, bound: u64, phase: &'static str, monitor: &Monitor) {
        self.bound = self.bound.max(bound);
        monitor.note(None, Some(self.bound));
        monitor.report(phase, None);
    }

    /// Runs all methods after first-fit decreasing, the cheapest first, until the packing is proved
    /// optimal.
    fn improve(
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
        if !self.is_optimal() {
            let types = columns::job_types(&self.sizes.list);
            let relaxed = columns::relax(self, &types, tight, monitor, statistics)?;
            if !tight && !self.is_optimal() {
                fill::close(self, 0..1, seed, context, monitor, statistics)?;
            }
            if let Some(relaxed) = relaxed.filter(|_| !self.is_optimal()) {
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
        if !self.is_optimal() {
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
        if self.is_optimal() {
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

    fn into_outcome(self, report: Report) -> Result<Outcome<Packing>> {
        let packing = Packing::new(self.sizes.name_types(&self.patterns));
        let pieces = packing.stock_pieces(self.instance)?;
        let bound = Some(self.bound);
        let certificate = Certificate::new(Sense::Minimise, self.pieces, pieces, bound)?;
        Ok(certificate.outcome(Some(packing), report))
    }
}

/// Number of stock pieces that patterns use.
fn count(patterns: &[Pattern]) -> u64 {
    patterns.iter().map(|pattern| u64::from(pattern.pieces)).sum()
}
