//! P||Cmax: jobs on identical parallel machines with the least makespan.
//!
//! The problem is strongly NP-hard. [`solve`] returns the best schedule of all methods that it
//! tried, with a proved lower bound, so that the caller knows the guarantee reached for this
//! instance, makespan / bound ([`Outcome::guarantee`]).

mod bounds;
mod format;
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

pub use instance::Instance;
pub use schedule::Schedule;

use self::incumbent::Incumbent;
use self::portfolio::Portfolio;
use crate::lattice_dp;
use crate::solve::{Outcome, Report, SolveOptions};
use crate::{Context, Error, Result};

/// The algorithm.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// A portfolio that usually proves its schedule optimal, within some seconds or until the time
    /// limit: LPT, MULTIFIT and improvement by subset sums; stronger bounds; the approximation
    /// scheme if 1 + epsilon is not reached by then; and the configuration program with bin
    /// completion to close the gap.
    #[default]
    Auto,
    /// Longest processing time first (Graham 1969). Runs on the CPU only.
    Lpt,
    /// LPT, then MULTIFIT (Coffman, Garey, Johnson 1978). Runs on the CPU only.
    Multifit,
    /// LPT, MULTIFIT and the whole approximation scheme of Hochbaum and Shmoys (1987), a bisection
    /// between the simple bounds and the best schedule; an error if it cannot reach 1 + epsilon
    /// within the memory limit.
    Ptas,
    /// Like `Auto`, with growing effort until the schedule is proved optimal or a limit comes.
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

    /// Whether the method can use a device.
    fn has_kernels(self) -> bool {
        !matches!(self, Method::Lpt | Method::Multifit)
    }
}

/// Options of [`solve`] in addition to those common to all solvers.
#[derive(Debug, Clone)]
pub struct Options {
    /// The algorithm.
    pub method: Method,
    /// Precision of the scheme, in (0, 1]: its schedules are at most 1 + epsilon times the bound
    /// that it proves. Values below 2^-31 count as 2^-31. [`Method::Lpt`] and [`Method::Multifit`]
    /// ignore it.
    pub epsilon: f64,
    /// Number of segments into which [`Method::Ptas`] divides the interval of targets, from 1 to
    /// 64; their middles are decided in parallel. 1 is bisection, 4 the quarter split of Li,
    /// Ghalami, Schwiebert and Grosu 2018. The bound is the same for all values. On a device,
    /// tables by levels and by blocks are filled one after the other.
    pub segments: u32,
    /// How [`Method::Ptas`] fills its tables; other methods choose themselves.
    pub tables: lattice_dp::Options,
}

impl Options {
    /// Most segments.
    pub const MAX_SEGMENTS: u32 = 64;
    /// Default epsilon: 1/6, the largest 1/k below MULTIFIT's 2/11.
    pub const DEFAULT_EPSILON: f64 = 1.0 / 6.0 + f64::EPSILON;

    /// Refuses impossible values, and options that the method does not use.
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

/// Approximate bytes of all lists for each job: its position in the order and in some schedules,
/// its type, memory for sorting, and at most one machine with its jobs.
const JOB_BYTES: u128 = 128;

/// Finds a short schedule and proves a bound on the shortest.
///
/// There always is a schedule, since LPT completes under any limits. The status is
/// [`Status::Optimal`](crate::Status::Optimal) if the bound equals its makespan, otherwise
/// [`Status::Feasible`](crate::Status::Feasible). An iteration is one table of the scheme, or one
/// attempt to find a schedule for a target or to refute it. The result is the same for every engine
/// and number of threads, unless time, memory or a stop request ends the solve. May be called on
/// several threads at once.
///
/// # Errors
/// [`Error::InvalidArgument`] if epsilon is not in (0, 1], for an impossible number of segments or
/// traversal, and for segments or table options with methods other than [`Method::Ptas`]. With
/// [`Method::Ptas`], [`Error::OutOfMemory`] or [`Error::Unsupported`] if a table is too large and
/// the guarantee 1 + epsilon is not reached without it. With
/// [`Engine::Device`](crate::Engine::Device) device errors, and [`Error::Unsupported`] for a method
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

    // A table's result decides which table is next.
    dispatch.chain_steps();
    let incumbent = loop {
        let mut portfolio = Portfolio {
            incumbent: Incumbent::start(instance, &monitor)?,
            dispatch: &mut dispatch,
            statistics: &mut report.statistics,
            seed: solve_options.seed,
        };
        match portfolio.run(options, k) {
            // The incumbent is sound after a stop, too.
            Ok(()) => break portfolio.incumbent,
            Err(error) if matches!(*error, Error::Stopped) => break portfolio.incumbent,
            // The device's earlier results do not count either.
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
