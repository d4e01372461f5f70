//! P||Cmax: jobs on identical parallel machines, the last one to end as early as possible.
//!
//! The problem is strongly NP-hard. [`solve`] returns the best schedule of all methods it tried together with
//! a proved lower bound, so that the caller knows the guarantee reached, makespan / bound, for this very
//! instance ([`Outcome::guarantee`]).

mod bounds;
mod instance;
mod lpt;
mod multifit;
mod ptas;
mod rounding;
mod schedule;

use std::collections::HashMap;

pub use instance::Instance;
pub use schedule::Schedule;

use self::ptas::{Findings, Scheme};
use crate::solve::{Monitor, Outcome, Report, SolveOptions, Status};
use crate::{Context, Dispatch, Error, Result};

/// How to solve.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// LPT and MULTIFIT; where they are not proved optimal, the scheme between their makespan and the bound,
    /// as far as its tables are of moderate size.
    #[default]
    Auto,
    /// Longest processing time first (Graham 1969).
    Lpt,
    /// LPT, then MULTIFIT (Coffman, Garey, Johnson 1978).
    Multifit,
    /// LPT, MULTIFIT and the whole approximation scheme of Hochbaum and Shmoys (1987), bisection between the
    /// simple bounds and the best schedule; an error if it can't reach 1 + epsilon within the memory limit.
    Ptas,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 4] = [Method::Auto, Method::Lpt, Method::Multifit, Method::Ptas];

    /// The method's name in the command's spelling.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Lpt => "lpt",
            Method::Multifit => "multifit",
            Method::Ptas => "ptas",
        }
    }
}

/// Options of [`solve`] beside those common to all solvers.
#[derive(Debug, Clone)]
pub struct Options {
    /// How to solve.
    pub method: Method,
    /// Precision of the scheme, in (0, 1]: its schedules are at most 1 + epsilon times the bound it proves.
    /// Below 2^-31 it is taken for 2^-31.
    pub epsilon: f64,
}

impl Options {
    /// Epsilon by default: 1/6, the largest 1/k below MULTIFIT's 2/11.
    pub const DEFAULT_EPSILON: f64 = 1.0 / 6.0 + f64::EPSILON;
}

impl Default for Options {
    /// Method `Auto` with [`Options::DEFAULT_EPSILON`].
    fn default() -> Self {
        Options { method: Method::Auto, epsilon: Options::DEFAULT_EPSILON }
    }
}

/// Look-ups that [`Method::Auto`] spends on one table at most, some seconds of one core.
const AUTO_WORK_LIMIT: u64 = 2_000_000_000;

/// Finds a short schedule and proves a bound on the shortest.
///
/// There always is a schedule, since LPT runs to its end whatever the limits; the status is [`Status::Optimal`] where the bound meets it, else
/// [`Status::Feasible`]. An iteration is one table of the scheme. The result is the same for every engine and
/// number of threads, unless time, memory or a stop request ends the solve. May be called on several threads at
/// once.
///
/// # Errors
/// [`Error::InvalidArgument`] if epsilon is not in (0, 1]; with [`Method::Ptas`], [`Error::OutOfMemory`] or
/// [`Error::Unsupported`] if a table is too large and the guarantee 1 + epsilon is not reached without it;
/// device errors with [`Engine::Device`](crate::Engine::Device).
pub fn solve(
    context: &Context,
    instance: &Instance,
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Outcome<Schedule>> {
    let k = rounding::precision(options.epsilon)?;
    let monitor = Monitor::new(solve_options);
    let mut dispatch = context.dispatch(solve_options.engine)?;
    let mut report = Report { method: options.method.name(), ..Report::default() };

    let mut search = Incumbent::start(instance, &monitor);
    if options.method != Method::Lpt {
        search.multifit(&monitor);
    }
    if matches!(options.method, Method::Auto | Method::Ptas) {
        search.scheme(options.method, k, &mut dispatch, &monitor, &mut report)?;
    }
    dispatch.finish(&monitor, &mut report);
    search.into_outcome(report)
}

/// The best schedule and the best bound so far.
struct Incumbent<'a> {
    instance: &'a Instance,
    longest_first: Vec<u32>,
    assignment: Vec<u32>,
    /// As the method that built the assignment has it; checked at the end.
    makespan: u64,
    bound: u64,
}

impl<'a> Incumbent<'a> {
    fn start(instance: &'a Instance, monitor: &Monitor) -> Self {
        let longest_first = instance.longest_first();
        let (makespan, assignment) = lpt::lpt(instance, &longest_first);
        let bound = bounds::lower_bound(instance, &longest_first);
        monitor.note(Some(makespan), Some(bound));
        monitor.report("lpt", None);
        Incumbent { instance, longest_first, assignment, makespan, bound }
    }

    /// Takes over a schedule if it is better.
    fn offer(&mut self, (makespan, assignment): (u64, Vec<u32>)) {
        if makespan < self.makespan {
            self.assignment = assignment;
            self.makespan = makespan;
        }
    }

    fn multifit(&mut self, monitor: &Monitor) {
        let found =
            multifit::multifit(self.instance, &self.longest_first, self.bound, self.makespan, monitor);
        if let Some(found) = found {
            self.offer(found);
            monitor.note(Some(self.makespan), None);
            monitor.report("multifit", None);
        }
    }

    fn scheme(
        &mut self,
        method: Method,
        k: u64,
        dispatch: &mut Dispatch<'_>,
        monitor: &Monitor,
        report: &mut Report,
    ) -> Result<()> {
        let whole = method == Method::Ptas;
        // There also where the first bound is met already.
        ["targets", "tables", "cells"].into_iter().for_each(|counter| report.statistics.add(counter, 0));
        let longest_first = std::mem::take(&mut self.longest_first);
        let mut scheme = Scheme {
            instance: self.instance,
            longest_first: &longest_first,
            k,
            work_limit: if whole { u64::MAX } else { AUTO_WORK_LIMIT },
            dispatch,
            monitor,
            statistics: &mut report.statistics,
            known: HashMap::new(),
        };
        let Findings { bound, best, refused } = scheme.search(self.bound, self.makespan)?;
        self.bound = self.bound.max(bound);
        if let Some(found) = best {
            self.offer(found);
        }
        match refused {
            Some(error) if whole && !self.reaches(k) && !monitor.interrupted() => Err(error),
            Some(error) => {
                dispatch.context().log().info(|| format!("the scheme is incomplete: {error}"));
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Whether the makespan is at most (1 + 1/k) times the bound.
    fn reaches(&self, k: u64) -> bool {
        u128::from(self.makespan) * u128::from(k) <= u128::from(self.bound) * (u128::from(k) + 1)
    }

    fn into_outcome(self, report: Report) -> Result<Outcome<Schedule>> {
        let schedule = Schedule::new(self.assignment);
        let makespan = schedule.makespan(self.instance)?;
        if makespan != self.makespan || makespan < self.bound {
            let (expected, bound) = (self.makespan, self.bound);
            return Err(Error::Internal(format!("makespan {makespan}, expected {expected}, bound {bound}")));
        }
        Ok(Outcome {
            status: if makespan == self.bound { Status::Optimal } else { Status::Feasible },
            objective: Some(makespan),
            bound: Some(self.bound),
            solution: Some(schedule),
            report,
        })
    }
}
