//! P||Cmax: jobs on identical parallel machines, the last one to end as early as possible.
//!
//! The problem is strongly NP-hard. [`solve`] returns the best schedule of all methods it tried
//! together with a proved lower bound, so that the caller knows the guarantee reached, makespan /
//! bound, for this very instance ([`Outcome::guarantee`]).

mod bounds;
mod completion;
mod configuration_lp;
mod gap;
mod improve;
mod incumbent;
mod instance;
mod job_types;
mod lpt;
mod multifit;
mod portfolio;
mod ptas;
mod rounding;
mod schedule;
mod split;
mod weighting;

pub use instance::Instance;
pub use schedule::Schedule;

/// The question under both this problem and bin packing: do the jobs fit on so many machines, none
/// loaded above a target?
pub(crate) mod bins {
    pub(crate) use super::completion::{Effort, Search, Verdict};
    pub(crate) use super::configuration_lp::{ConfigurationLp, Fractions, Relaxation};
    pub(crate) use super::job_types::{JobTypes, Pattern};
}

use self::incumbent::Incumbent;
use self::portfolio::Portfolio;
use crate::lattice_dp;
use crate::solve::{Outcome, Report, SolveOptions};
use crate::{Context, Error, Result};

/// How to solve.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// A portfolio that mostly proves its schedule optimal, within some seconds or until the time
    /// limit: LPT, MULTIFIT and improvement by subset sums; strengthened bounds; the approximation
    /// scheme where 1 + epsilon isn't reached by then; and the configuration program with bin
    /// completion to close the gap.
    #[default]
    Auto,
    /// Longest processing time first (Graham 1969). Runs on the CPU only.
    Lpt,
    /// LPT, then MULTIFIT (Coffman, Garey, Johnson 1978). Runs on the CPU only.
    Multifit,
    /// LPT, MULTIFIT and the whole approximation scheme of Hochbaum and Shmoys (1987), bisection
    /// between the simple bounds and the best schedule; an error if it can't reach 1 + epsilon
    /// within the memory limit.
    Ptas,
    /// What `Auto` does, with growing effort until the schedule is proved optimal or a limit comes.
    Exact,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 5] =
        [Method::Auto, Method::Lpt, Method::Multifit, Method::Ptas, Method::Exact];

    /// The method's name in the command's spelling.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Lpt => "lpt",
            Method::Multifit => "multifit",
            Method::Ptas => "ptas",
            Method::Exact => "exact",
        }
    }

    /// Whether a device can take part.
    fn has_kernels(self) -> bool {
        !matches!(self, Method::Lpt | Method::Multifit)
    }
}

/// Options of [`solve`] beside those common to all solvers.
#[derive(Debug, Clone)]
pub struct Options {
    /// How to solve.
    pub method: Method,
    /// Precision of the scheme, in (0, 1]: its schedules are at most 1 + epsilon times the bound it
    /// proves. Below 2^-31 it is taken for 2^-31. Without meaning for
    /// [`Method::Lpt`] and [`Method::Multifit`].
    pub epsilon: f64,
    /// Segments into which [`Method::Ptas`] cuts the interval of targets; their middles are decided
    /// side by side. 1 is bisection, 4 the quarter split of Li, Ghalami, Schwiebert and Grosu 2018.
    /// From 1 to 64. The bound is the same for all. On a device, tables by levels and by blocks
    /// follow each other.
    pub segments: u32,
    /// How [`Method::Ptas`] fills its tables; other methods do so their own way.
    pub tables: lattice_dp::Options,
}

impl Options {
    /// Segments at most.
    pub const MAX_SEGMENTS: u32 = 64;
    /// Epsilon by default: 1/6, the largest 1/k below MULTIFIT's 2/11.
    pub const DEFAULT_EPSILON: f64 = 1.0 / 6.0 + f64::EPSILON;

    /// Refuses impossible values, and those that the method has no use for.
    fn check(&self) -> Result<()> {
        let (segments, most) = (self.segments, Options::MAX_SEGMENTS);
        if segments == 0 || segments > most {
            return Err(Error::argument(
                "segments",
                format!("must be from 1 to {most}, not {segments}"),
            ));
        }
        self.tables.check()?;
        let (default, given) = (lattice_dp::Options::default(), self.tables);
        for (argument, is_given) in [
            ("segments", segments > 1),
            ("traversal", given.traversal != default.traversal),
            ("launches", given.launches != default.launches),
        ] {
            if is_given && self.method != Method::Ptas {
                return Err(Error::argument(argument, "is for the method ptas alone"));
            }
        }
        Ok(())
    }
}

impl Default for Options {
    /// Method `Auto` with [`Options::DEFAULT_EPSILON`]; bisection, by slabs.
    fn default() -> Self {
        Options {
            method: Method::Auto,
            epsilon: Options::DEFAULT_EPSILON,
            segments: 1,
            tables: lattice_dp::Options::default(),
        }
    }
}

/// Bytes of all lists for each job, about: its place in the order and in some schedules, its type,
/// what sorting takes, and at most one machine with its jobs.
const JOB_BYTES: u128 = 128;

/// Finds a short schedule and proves a bound on the shortest.
///
/// There always is a schedule, since LPT runs to its end under any limits; the status is
/// [`Status::Optimal`](crate::Status::Optimal) where the bound meets it, else
/// [`Status::Feasible`](crate::Status::Feasible). An iteration is one table of the scheme, or one
/// attempt to find a schedule for a target or to refute it. The result is the same for every engine
/// and number of threads, unless time, memory or a stop request ends the solve. May be called on
/// several threads at once.
///
/// # Errors
/// [`Error::InvalidArgument`] if epsilon is not in (0, 1], for an impossible number of segments or
/// traversal, and for segments and ways to fill tables with other methods than
/// [`Method::Ptas`]; with that one, [`Error::OutOfMemory`] or [`Error::Unsupported`] if a table is
/// too large and the guarantee 1 + epsilon is not reached without it; device errors with
/// [`Engine::Device`](crate::Engine::Device), and [`Error::Unsupported`] with it and a method
/// without kernels.
pub fn solve(
    context: &Context,
    instance: &Instance,
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Outcome<Schedule>> {
    let k = rounding::precision(options.epsilon)?;
    options.check()?;
    if context.wants_device(solve_options.engine) && !options.method.has_kernels() {
        return Err(Error::unsupported(format!(
            "the method {} on a device",
            options.method.name()
        )));
    }
    let monitor = context.watch(solve_options)?;
    let mut dispatch = context.dispatch(solve_options.engine)?;
    let required = instance.jobs() as u128 * JOB_BYTES;
    monitor.expect_lists(required, || format!("schedules of {} jobs", instance.jobs()))?;
    let mut report = Report { method: options.method.name(), ..Report::default() };

    // A table's verdict decides which table is next.
    dispatch.chain_steps();
    let incumbent = loop {
        let mut portfolio = Portfolio {
            incumbent: Incumbent::start(instance, &monitor)?,
            dispatch: &mut dispatch,
            statistics: &mut report.statistics,
            seed: solve_options.seed,
        };
        match portfolio.run(options, k) {
            // The incumbent is sound at any moment.
            Ok(()) => break portfolio.incumbent,
            Err(error) if matches!(*error, Error::Stopped) => break portfolio.incumbent,
            // What the device said before does not count either.
            Err(error)
                if matches!(*error, Error::DeviceWrong(_))
                    && portfolio.dispatch.has_fallen_back() =>
            {
                report.statistics = Default::default();
            }
            Err(error)
                if matches!(*error, Error::OutOfMemory { .. })
                    && options.method != Method::Ptas =>
            {
                portfolio.dispatch.warn(error.to_string());
                break portfolio.incumbent;
            }
            Err(error) => return Err(error),
        }
    };
    dispatch.finish(&monitor, &mut report);
    Ok(monitor.conclude(incumbent.into_outcome(report)?))
}
