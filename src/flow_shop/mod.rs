//! F|prmu|Cmax, the permutation flow shop: jobs pass all machines in the same sequence, the last one to end as early as
//! possible.
//!
//! The problem is strongly NP-hard from three machines on. [`solve`] returns the best sequence of the method it ran
//! together with a proved lower bound.

mod bounds;
mod completion;
mod exact;
mod format;
mod incumbent;
mod insertion;
mod instance;
mod neh;
mod permutation;
mod search;
pub mod taillard;
#[cfg(test)]
mod testing;

pub use exact::{
    Bound, Branching, CheckpointOptions, ChildBounds, ExactOptions, Exploration, HostPool, Placement,
    Searched, Subproblem, bound_children, search_subproblems,
};
pub use instance::Instance;
pub use permutation::Permutation;
pub use search::{Evaluation, Neighbourhood, SearchOptions, TabuList};

use self::incumbent::Incumbent;
use crate::solve::{Monitor, Outcome, Report, SolveOptions};
use crate::{Context, Error, Result};

/// How to solve.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// The methods that pay for the size, in turn: beam search, branch and bound where the proof may be cheap, iterated
    /// greedy search. With a device the first two use it, the last runs on the CPU.
    #[default]
    Auto,
    /// Branch and bound until the sequence is proved optimal or a limit comes.
    BranchAndBound,
    /// Bi-directional iterative beam search: Libralesso, Focke, Secardin and Jost (2022). An iteration is a
    /// pass.
    Beam,
    /// Iterated greedy search: Ruiz and Stützle (2007), Dubois-Lacoste, Pagnozzi and Stützle (2017). An iteration takes
    /// some jobs out of each trajectory's sequence and puts them back. Runs on the CPU only.
    IteratedGreedy,
    /// Tabu search over all neighbours of each trajectory's sequence: Czapiński and Barnes (2011). An iteration is a
    /// generation.
    Tabu,
    /// The insertion heuristic of Nawaz, Enscore and Ham (1983) with Taillard's acceleration and the tie-breaking of
    /// Fernandez-Viagas and Framinan. Runs on the CPU only.
    Neh,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 6] = [
        Method::Auto,
        Method::BranchAndBound,
        Method::Beam,
        Method::IteratedGreedy,
        Method::Tabu,
        Method::Neh,
    ];

    /// Whether the method looks for better and better sequences until it is stopped.
    fn searches(self) -> bool {
        !matches!(self, Method::BranchAndBound | Method::Neh)
    }

    /// Whether a device can take part.
    fn has_kernels(self) -> bool {
        !matches!(self, Method::IteratedGreedy | Method::Neh)
    }

    /// The method's name in the command's spelling.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::BranchAndBound => "branch-and-bound",
            Method::Beam => "beam",
            Method::IteratedGreedy => "iterated-greedy",
            Method::Tabu => "tabu",
            Method::Neh => "neh",
        }
    }
}

/// Options of [`solve`] beside those common to all solvers.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How to solve.
    pub method: Method,
    /// A sequence to begin with, besides that of NEH.
    pub start: Option<Permutation>,
    /// How branch and bound works.
    pub exact: ExactOptions,
    /// How the searches work.
    pub search: SearchOptions,
}

/// Finds a short schedule and proves a bound on the shortest.
///
/// There always is a schedule, whatever the limits; the status is [`Status::Optimal`](crate::Status::Optimal) where the
/// bound meets it, else [`Status::Feasible`](crate::Status::Feasible). But where schedules shorter than
/// [`ExactOptions::upper_bound`] were sought and it is proved that there are none, and the best one known is longer than
/// that, the status is [`Status::Infeasible`](crate::Status::Infeasible) without a schedule, and the bound says what was
/// proved. May be called on several threads at once.
///
/// # Errors
/// [`Error::InvalidArgument`] if the start is no sequence of the instance, an option has no meaning, a search gets a time
/// or iteration limit of 0, or a checkpoint is no search on the instance or asked of another method than branch and bound;
/// [`Error::Io`] if a checkpoint can't be read or written; [`Error::OutOfMemory`] if the tables of the heuristic, the
/// trajectories of a search or a checkpoint don't fit (a search for proof that runs out of memory ends with a
/// [`warning`](crate::Report::warning) and what it has found); and with
/// [`Engine::Device`](crate::Engine::Device) device errors, [`Error::Unsupported`] for a method that runs on the CPU only,
/// and for branch and bound with an iteration limit, which the CPU alone can honour.
pub fn solve(
    context: &Context,
    instance: &Instance,
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Outcome<Permutation>> {
    let monitor = Monitor::new(solve_options);
    let mut report = Report { method: options.method.name(), ..Report::default() };
    options.search.check(options.method, &solve_options.limits)?;
    if options.exact.checkpoint.is_some() && options.method != Method::BranchAndBound {
        let reason =
            format!("the method {} keeps no search, only branch-and-bound does", options.method.name());
        return Err(Error::argument("checkpoint", reason));
    }
    if context.wants_device(solve_options.engine) && !options.method.has_kernels() {
        return Err(Error::Unsupported(format!("the method {} on a device", options.method.name())));
    }
    let mut dispatch = context.dispatch(solve_options.engine)?;
    check_memory(instance, &monitor)?;
    let mut incumbent = start(instance, options, &monitor)?;
    let statistics = &mut report.statistics;
    match options.method {
        Method::Neh => {}
        Method::BranchAndBound => {
            let counts_iterations = solve_options.limits.iterations.is_some();
            exact::run(&mut incumbent, &options.exact, counts_iterations, &mut dispatch, statistics)?;
        }
        Method::Auto | Method::Beam | Method::IteratedGreedy | Method::Tabu => {
            search::run(&mut incumbent, options, solve_options, &mut dispatch, statistics)?;
        }
    }
    dispatch.finish(&monitor, &mut report);
    let seeks_shorter = matches!(options.method, Method::Auto | Method::BranchAndBound);
    incumbent.into_outcome(report, options.exact.upper_bound.filter(|_| seeks_shorter))
}

/// NEH's sequence or the given one, the better of them.
fn start<'a>(instance: &'a Instance, options: &Options, monitor: &'a Monitor) -> Result<Incumbent<'a>> {
    let given = options.start.as_ref();
    // A sequence that is none is refused before any work.
    let given = given.map(|start| Ok((start, start.makespan(instance)?))).transpose().map_err(start_fault)?;
    let order = neh::neh(instance, monitor);
    let makespan = completion::makespan(instance, &order);
    let mut incumbent = Incumbent::start(instance, monitor, order, makespan);
    if let Some((start, makespan)) = given {
        incumbent.offer(start.jobs(), makespan as u32);
    }
    monitor.report("neh", None);
    Ok(incumbent)
}

/// A fault of the start by the name that the caller knows.
fn start_fault(error: Error) -> Error {
    match error {
        Error::InvalidArgument { index, reason, .. } => {
            Error::InvalidArgument { argument: "start", index, reason }
        }
        other => other,
    }
}

/// Heads and tails are two tables of the instance's size.
fn check_memory(instance: &Instance, monitor: &Monitor) -> Result<()> {
    let required = 2 * (instance.times().len() + instance.machines()) as u128 * size_of::<u32>() as u128;
    monitor.check_memory(required, || format!("heads and tails of {} times", instance.times().len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContextOptions, Engine, Status};

    fn solve_on_cpu(instance: &Instance, options: &Options) -> Result<Outcome<Permutation>> {
        let context = Context::new(ContextOptions { engine: Engine::Cpu, ..ContextOptions::default() })?;
        solve(&context, instance, options, &SolveOptions::default())
    }

    #[test]
    fn a_single_machine_is_solved_by_any_sequence() {
        let instance = Instance::new(3, 1, vec![4, 5, 6]).unwrap();
        let outcome = solve_on_cpu(&instance, &Options::default()).unwrap();
        assert_eq!((outcome.status, outcome.objective, outcome.bound), (Status::Optimal, Some(15), Some(15)));
    }

    #[test]
    fn only_branch_and_bound_keeps_a_search() {
        let instance = Instance::new(1, 1, vec![1]).unwrap();
        let exact = ExactOptions { checkpoint: Some(CheckpointOptions::new("x")), ..ExactOptions::default() };
        let refused = solve_on_cpu(&instance, &Options { exact, ..Options::default() }).unwrap_err();
        let reason = "checkpoint: the method auto keeps no search, only branch-and-bound does";
        assert_eq!(refused.to_string(), reason);
    }

    #[test]
    fn a_better_start_is_kept_and_a_wrong_one_refused() {
        let instance = Instance::new(2, 2, vec![5, 1, 1, 5]).unwrap();
        let options = |jobs| Options { start: Some(Permutation::new(jobs)), ..Options::default() };
        let outcome = solve_on_cpu(&instance, &options(vec![0, 1])).unwrap();
        assert_eq!(outcome.solution.unwrap().jobs(), [1, 0]);
        let error = solve_on_cpu(&instance, &options(vec![0, 0])).unwrap_err();
        assert_eq!(error.to_string(), "start[1]: job 0 stands at position 0 already");
    }
}
