//! One-dimensional cutting stock: items of given lengths and demands, cut from as few stock pieces of one length
//! as possible. With every demand 1 it is bin packing.
//!
//! The problem is strongly NP-hard. [`solve`] returns the best packing of the methods it tried with a proved
//! lower bound. Its exact method is a dynamic program over all vectors of item counts, pseudo-polynomial where
//! there are few lengths, whatever the demands' structure: the second client of [`lattice_dp`](crate::lattice_dp).

mod bounds;
mod decreasing;
mod exact;
mod instance;
mod packing;
mod sizes;

pub use instance::Instance;
pub use packing::{Cut, Packing, Pattern};

use self::decreasing::{Fit, decreasing};
use self::sizes::Sizes;
use crate::solve::{Monitor, Outcome, Report, SolveOptions, Status};
use crate::{Context, Dispatch, Error, Result};

/// How to solve.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// First-fit and best-fit decreasing; where they are not proved optimal, the dynamic program if its table is
    /// of moderate size.
    #[default]
    Auto,
    /// First-fit decreasing.
    Ffd,
    /// First-fit and best-fit decreasing, and where they are not proved optimal the dynamic program; an error if
    /// its table is too large.
    Exact,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 3] = [Method::Auto, Method::Ffd, Method::Exact];

    /// The method's name in the command's spelling.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Ffd => "ffd",
            Method::Exact => "exact",
        }
    }
}

/// Options of [`solve`] beside those common to all solvers.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How to solve.
    pub method: Method,
}

/// Look-ups that [`Method::Auto`] spends on the table at most, some seconds of one core.
const AUTO_WORK_LIMIT: u64 = 2_000_000_000;

/// Cuts the items from few stock pieces and proves a bound on the fewest: L2 of Martello and Toth (1990), or
/// what the dynamic program finds.
///
/// There always is a packing, whatever the limits; the status is [`Status::Optimal`] where the bound meets it,
/// else [`Status::Feasible`]. An iteration is the table of the dynamic program. The result is the same for every
/// engine and number of threads, unless time, memory or a stop request ends the solve. May be called on several
/// threads at once.
///
/// # Errors
/// With [`Method::Exact`], [`Error::OutOfMemory`] or [`Error::Unsupported`] if the table is needed and too large;
/// device errors with [`Engine::Device`](crate::Engine::Device).
pub fn solve(
    context: &Context,
    instance: &Instance,
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Outcome<Packing>> {
    let monitor = Monitor::new(solve_options);
    let mut dispatch = context.dispatch(solve_options.engine)?;
    let mut report = Report { method: options.method.name(), ..Report::default() };

    let mut search = Incumbent::start(instance, &monitor);
    if options.method != Method::Ffd {
        search.best_fit(&monitor);
        search.exact(options.method, &mut dispatch, &monitor, &mut report)?;
    }
    dispatch.finish(&monitor, &mut report);
    search.into_outcome(report)
}

/// The best packing and the best bound so far.
struct Incumbent<'a> {
    instance: &'a Instance,
    sizes: Sizes,
    /// Patterns of sizes, not yet of item types.
    patterns: Vec<Pattern>,
    /// Stock pieces as the method that made the patterns has it; checked at the end.
    pieces: u64,
    bound: u64,
}

impl<'a> Incumbent<'a> {
    fn start(instance: &'a Instance, monitor: &Monitor) -> Self {
        let sizes = Sizes::new(instance);
        let bound = bounds::lower_bound(&sizes.list, instance.stock_length());
        monitor.note(None, Some(bound));
        let patterns = decreasing(&sizes.list, instance.stock_length(), Fit::First, monitor);
        let pieces = count(&patterns);
        monitor.note(Some(pieces), None);
        monitor.report("ffd", None);
        Incumbent { instance, sizes, patterns, pieces, bound }
    }

    fn is_optimal(&self) -> bool {
        self.pieces == self.bound
    }

    /// Takes over a packing if it is better.
    fn offer(&mut self, patterns: Vec<Pattern>, monitor: &Monitor) {
        let pieces = count(&patterns);
        if pieces < self.pieces {
            self.patterns = patterns;
            self.pieces = pieces;
            monitor.note(Some(pieces), None);
        }
    }

    fn best_fit(&mut self, monitor: &Monitor) {
        if !self.is_optimal() {
            let found = decreasing(&self.sizes.list, self.instance.stock_length(), Fit::Best, monitor);
            self.offer(found, monitor);
            monitor.report("bfd", None);
        }
    }

    fn exact(
        &mut self,
        method: Method,
        dispatch: &mut Dispatch<'_>,
        monitor: &Monitor,
        report: &mut Report,
    ) -> Result<()> {
        // There also where no table is needed.
        ["patterns", "tables", "cells"].into_iter().for_each(|counter| report.statistics.add(counter, 0));
        if self.is_optimal() {
            return Ok(());
        }
        let work_limit = if method == Method::Exact { u64::MAX } else { AUTO_WORK_LIMIT };
        let (sizes, stock_length) = (&self.sizes.list, self.instance.stock_length());
        match exact::solve(sizes, stock_length, work_limit, dispatch, monitor, &mut report.statistics) {
            Ok(patterns) => {
                self.bound = self.bound.max(count(&patterns));
                self.offer(patterns, monitor);
                monitor.note(None, Some(self.bound));
                monitor.report("exact", None);
                Ok(())
            }
            Err(Error::Stopped) => Ok(()),
            Err(error @ (Error::OutOfMemory { .. } | Error::Unsupported(_))) if method == Method::Auto => {
                dispatch.context().log().info(|| format!("the dynamic program is left out: {error}"));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn into_outcome(self, report: Report) -> Result<Outcome<Packing>> {
        let packing = Packing::new(self.sizes.name_types(&self.patterns));
        let pieces = packing.stock_pieces(self.instance)?;
        if pieces != self.pieces || pieces < self.bound {
            let (expected, bound) = (self.pieces, self.bound);
            return Err(Error::Internal(format!(
                "{pieces} stock pieces, expected {expected}, bound {bound}"
            )));
        }
        Ok(Outcome {
            status: if pieces == self.bound { Status::Optimal } else { Status::Feasible },
            objective: Some(pieces),
            bound: Some(self.bound),
            solution: Some(packing),
            report,
        })
    }
}

/// Stock pieces that patterns use.
fn count(patterns: &[Pattern]) -> u64 {
    patterns.iter().map(|pattern| u64::from(pattern.pieces)).sum()
}
