//! The knapsack problem: given items with profits and weights, find the largest profit whose weight
//! does not exceed a capacity. 0-1, bounded and unbounded, and subset sum.
//!
//! [`solve`] is exact: a dynamic program over the items that matter, nearest to the break item's
//! efficiency first (Pisinger 1997). If that grows too large, it uses Bellman's dense table.

mod batch;
mod blocks;
#[cfg(target_arch = "x86_64")]
mod blocks_avx512;
mod bounds;
mod core;
mod dense;
mod format;
mod instance;
mod lines;
mod options;
mod reduction;
mod solution;
mod stop;
#[cfg(test)]
mod testing;

pub(crate) use batch::solve_instances;
pub use batch::{Batch, solve_batch};
pub use instance::Instance;
pub use options::{Method, Options};
pub use solution::{Profile, Solution};

#[cfg(test)]
pub(crate) use batch::FAMILY as BATCH_FAMILY;
#[cfg(test)]
pub(crate) use dense::FAMILY as DENSE_FAMILY;

use self::core::{Core, Ended, TooLarge, WorkLimit};
use self::reduction::Problem;
use crate::solve::{Certificate, Monitor, Outcome, Report, Sense, SolveOptions, unless_stopped};
use crate::{Context, Dispatch, Error, Result};

/// [`Method::Auto`] turns to the table when the core has used 1 / `CORE_SHARE` as many states and
/// cells as the table has cells. The table fills a cell in a fraction of the core's time.
const CORE_SHARE: u64 = 4;
/// Work limit of a first core, before analysing the pieces' lines.
const PROBE: WorkLimit = WorkLimit { states: 1 << 19, all: 1 << 25 };
/// Work that the core may always do before the comparison with the table.
const CORE_WORK: u64 = 1 << 28;

/// Finds the largest profit that fits, with a proved upper bound.
///
/// There always is a solution, under any limits. The status is
/// [`Status::Optimal`](crate::Status::Optimal) if the bound equals its profit, otherwise
/// [`Status::Feasible`](crate::Status::Feasible). An iteration is one of the two dynamic programs.
/// Statistics: `states` of the core's lists and `cells` of its windows and of the table. The result
/// is the same for every engine and number of threads, unless time, memory or a stop request ends
/// the solve. If the memory limit ends it, the report says `interrupted`. May be called on several
/// threads at once.
///
/// # Errors
/// [`Error::OutOfMemory`] for too many items, and with [`Method::Dense`] if the table is too large;
/// with [`Engine::Device`](crate::Engine::Device) device errors, and [`Error::Unsupported`] for the
/// methods that run on the CPU only, [`Method::Greedy`] and [`Method::Core`].
pub fn solve(
    context: &Context,
    instance: &Instance,
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Outcome<Solution>> {
    let monitor = context.watch_profit(solve_options)?;
    if context.wants_device(solve_options.engine) && !options.method.has_kernels() {
        return Err(Error::unsupported(format!(
            "the method {} on a device",
            options.method.name()
        )));
    }
    let mut dispatch = context.dispatch(solve_options.engine)?;
    let mut report = Report { method: options.method.name(), ..Report::default() };
    ["states", "cells"].into_iter().for_each(|counter| report.statistics.add(counter, 0));
    let problem = match Problem::new(instance, &monitor) {
        Ok(problem) => problem,
        Err(error) if matches!(*error, Error::Stopped) => {
            dispatch.finish(&monitor, &mut report);
            let (counts, bound) = bounds::in_order(instance);
            let profit = instance.profit_of(&counts)?;
            return Ok(monitor.conclude(certify(instance, counts, profit, bound, report)?));
        }
        Err(error) => return Err(error),
    };
    let mut search = Search::start(&problem, &monitor)?;
    search.run(options.method, &mut dispatch, &monitor, &mut report)?;
    dispatch.finish(&monitor, &mut report);
    report.interrupted |= search.out_of_memory;
    Ok(monitor.conclude(search.into_outcome(instance, report)?))
}

/// Fills the dense table and returns the largest profit for every capacity from 0 to the
/// instance's. The last value is the objective. Without a limit the status is
/// [`Status::Optimal`](crate::Status::Optimal); if a limit or a stop request comes first, it is
/// [`Status::Stopped`](crate::Status::Stopped) and there is no profile.
///
/// # Errors
/// [`Error::OutOfMemory`] for too many items or a table that is too large; device errors with
/// [`Engine::Device`](crate::Engine::Device).
pub fn profile(
    context: &Context,
    instance: &Instance,
    solve_options: &SolveOptions,
) -> Result<Outcome<Profile>> {
    let monitor = context.watch_profit(solve_options)?;
    let mut dispatch = context.dispatch(solve_options.engine)?;
    let mut report = Report { method: Method::Dense.name(), ..Report::default() };
    report.statistics.add("cells", 0);
    let values = Problem::new(instance, &monitor).and_then(|problem| {
        dense::profile(&mut dispatch, &monitor, instance, &problem, &mut report.statistics)
    });
    let profile = unless_stopped(values)?.map(|values| Profile { values });
    dispatch.finish(&monitor, &mut report);
    let certificate = match &profile {
        Some(profile) => Certificate::proved(profile.values().last().copied()),
        None => Certificate::stopped(None),
    };
    Ok(monitor.conclude(certificate.outcome(profile, report)))
}

/// The best solution and the best bound so far, in units of the reduced problem.
struct Search<'a> {
    problem: &'a Problem,
    taken: Vec<bool>,
    profit: i64,
    bound: i64,
    /// Whether the memory limit ended the search.
    out_of_memory: bool,
}

impl<'a> Search<'a> {
    fn start(problem: &'a Problem, monitor: &Monitor) -> Result<Self> {
        let (taken, bound) = bounds::greedy(problem)?;
        let profit = problem.profit(&taken);
        let search = Search { problem, taken, profit, bound, out_of_memory: false };
        search.note(monitor);
        monitor.report("greedy", None);
        Ok(search)
    }

    fn note(&self, monitor: &Monitor) {
        let [profit, bound] = [self.profit, self.bound].map(|profit| self.problem.scaled(profit));
        monitor.note(Some(profit), Some(bound));
    }

    fn run(
        &mut self,
        method: Method,
        dispatch: &mut Dispatch<'_>,
        monitor: &Monitor,
        report: &mut Report,
    ) -> Result<()> {
        let context = dispatch.context();
        match method {
            Method::Greedy => {}
            Method::Dense => self.dense(dispatch, monitor, report)?,
            Method::Core => {
                self.out_of_memory = self.core(context, u64::MAX, monitor, report)?.is_some()
            }
            Method::Auto => {
                let cells = dense::work(self.problem);
                let limit = cells.map_or(u64::MAX, |cells| (cells / CORE_SHARE).max(CORE_WORK));
                let Some(ended) = self.core(context, limit, monitor, report)? else {
                    return Ok(());
                };
                match self.dense(dispatch, monitor, report) {
                    // The table is too large. If only the work limit ended the core, the core
                    // continues.
                    Err(error) if matches!(*error, Error::OutOfMemory { .. }) => {
                        self.out_of_memory = ended == TooLarge::Memory
                            || self.core(context, u64::MAX, monitor, report)?.is_some();
                    }
                    result => result?,
                }
            }
        }
        Ok(())
    }

    /// Searches the core. Returns the limit that it exceeded, except limits of the solve.
    fn core(
        &mut self,
        context: &Context,
        work_limit: u64,
        monitor: &Monitor,
        report: &mut Report,
    ) -> Result<Option<TooLarge>> {
        if self.profit == self.bound || monitor.begin_iteration().is_err() {
            return Ok(None);
        }
        match self.search_core(context, work_limit, monitor, report) {
            Ok(Some(Ended::TooLarge(limit))) => Ok(Some(limit)),
            // Memory that the system refuses counts as beyond the memory limit.
            Err(error) if matches!(*error, Error::OutOfMemory { .. }) => Ok(Some(TooLarge::Memory)),
            ended => ended.map(|_| None),
        }
    }

    fn search_core(
        &mut self,
        context: &Context,
        work_limit: u64,
        monitor: &Monitor,
        report: &mut Report,
    ) -> Result<Option<Ended>> {
        let mut core = Core::new(context, self.problem)?;
        core.learn(self.profit, self.bound);
        let mut ended = core.search(monitor, PROBE)?;
        if ended == Some(Ended::TooLarge(TooLarge::Work)) {
            self.follow_lines(monitor)?;
            core.learn(self.profit, self.bound);
            ended = core.search(monitor, WorkLimit { states: u64::MAX, all: work_limit })?;
        }
        let found = core.into_result(&mut report.statistics)?;
        self.bound = self.bound.min(found.bound);
        if let Some(taken) = found.taken {
            (self.taken, self.profit) = (taken, found.profit);
        }
        self.note(monitor);
        Ok(ended)
    }

    /// Uses the solution and bound by lines, if the pieces lie on few lines.
    fn follow_lines(&mut self, monitor: &Monitor) -> Result<()> {
        let found = match lines::solve(self.problem, monitor) {
            Ok(Some(found)) => found,
            // The core works without them.
            Ok(None) => return Ok(()),
            Err(error) if matches!(*error, Error::Stopped | Error::OutOfMemory { .. }) => {
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        self.bound = self.bound.min(found.bound);
        if let Some((taken, profit)) = found.best.filter(|best| best.1 > self.profit) {
            (self.taken, self.profit) = (taken, profit);
        }
        self.note(monitor);
        Ok(())
    }

    fn dense(
        &mut self,
        dispatch: &mut Dispatch<'_>,
        monitor: &Monitor,
        report: &mut Report,
    ) -> Result<()> {
        if self.profit == self.bound || monitor.begin_iteration().is_err() {
            return Ok(());
        }
        match dense::solve(dispatch, monitor, self.problem, self.bound, &mut report.statistics) {
            Ok(taken) => {
                (self.profit, self.taken) = (self.problem.profit(&taken), taken);
                self.bound = self.profit;
                self.note(monitor);
                Ok(())
            }
            Err(error) if matches!(*error, Error::Stopped) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn into_outcome(self, instance: &Instance, report: Report) -> Result<Outcome<Solution>> {
        let counts = self.problem.counts(&self.taken)?;
        let [claimed, bound] = [self.profit, self.bound].map(|profit| self.problem.scaled(profit));
        certify(instance, counts, claimed, bound, report)
    }
}

/// The outcome with these copies, re-checked against the instance.
fn certify(
    instance: &Instance,
    counts: Vec<u64>,
    claimed: u64,
    bound: u64,
    report: Report,
) -> Result<Outcome<Solution>> {
    let profit = instance.profit_of(&counts)?;
    let certificate = Certificate::new(Sense::Maximise, claimed, profit, Some(bound))?;
    Ok(certificate.outcome(Some(Solution { counts }), report))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContextOptions, Engine, Limits, Status};

    #[test]
    fn a_method_without_kernels_does_not_pretend_to_use_a_device() {
        let context = Context::new(ContextOptions::default()).unwrap();
        let instance = Instance::new(vec![1], vec![1], 1).unwrap();
        let solve_options =
            SolveOptions { engine: Some(Engine::Device), ..SolveOptions::default() };
        for method in [Method::Greedy, Method::Core] {
            let refused = solve(&context, &instance, &Options { method }, &solve_options);
            assert!(
                matches!(refused.as_ref().err().map(Box::as_ref), Some(Error::Unsupported(_))),
                "{method:?}"
            );
        }
    }

    /// Items in a few groups of similar weights: each step adds many states to lists and tables.
    fn grouped(items: u64, capacity: u64) -> Instance {
        let weight = |item: u64| (capacity >> (1 + item % 12)) + item * item * 7919 % 1_000_003 + 1;
        let weights: Vec<u64> = (0..items).map(weight).collect();
        let profits =
            weights.iter().zip(0..).map(|(weight, item)| weight + item * 31 % 97).collect();
        Instance::new(profits, weights, capacity).unwrap()
    }

    #[test]
    fn a_stop_is_seen_in_every_phase() {
        let context = Context::of_one_thread().unwrap();
        let solve_with = |instance: &Instance, method, options: &SolveOptions| {
            let outcome = solve(&context, instance, &Options { method }, options).unwrap();
            assert!(outcome.objective <= outcome.bound);
        };
        let (lists, tables) = (grouped(600, 10_000_000_000), grouped(600, 30_000_000));
        let many = {
            let numbers = |factor| (0..200_000u64).map(|i| 1 + i * factor % 9_999_991).collect();
            Instance::new(numbers(7_368_787), numbers(3_497_861), 1_000_000_000).unwrap()
        };
        type Run<'a> = &'a dyn Fn(&SolveOptions);
        let runs: [(&str, u64, Run<'_>); 5] = [
            ("lists", 400, &|options| solve_with(&lists, Method::Core, options)),
            ("windows", 400, &|options| solve_with(&tables, Method::Core, options)),
            ("dense", 100, &|options| solve_with(&tables, Method::Dense, options)),
            ("profile", 100, &|options| drop(profile(&context, &tables, options).unwrap())),
            ("sorting", 10, &|options| solve_with(&many, Method::Greedy, options)),
        ];
        for (name, work, run) in runs {
            let after = testing::time_after_stop(std::time::Duration::from_millis(work), run);
            // Usually twenty milliseconds; tests are built with few optimisations.
            assert!(after.is_none_or(|after| after.as_millis() < 60), "{name}: {after:?}");
        }
    }

    #[test]
    fn without_time_greedy_is_the_answer() {
        let context =
            Context::new(ContextOptions { engine: Engine::Cpu, ..Default::default() }).unwrap();
        let limits = Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() };
        let solve_options = SolveOptions { limits, ..SolveOptions::default() };
        let instance = grouped(600, 30_000_000);
        let greedy = Options { method: Method::Greedy };
        let expected = solve(&context, &instance, &greedy, &SolveOptions::default()).unwrap();
        for method in Method::ALL {
            let outcome = solve(&context, &instance, &Options { method }, &solve_options).unwrap();
            assert_eq!(outcome.solution, expected.solution, "{method:?}");
            assert_eq!(outcome.report.statistics.get("cells"), Some(0));
        }
        // Too many items to sort in time.
        let weights: Vec<u64> = (1..100_000).collect();
        let many = Instance::subset_sum(weights, 1_000_000).unwrap();
        let outcome = solve(&context, &many, &Options::default(), &solve_options).unwrap();
        assert!(outcome.report.interrupted && outcome.objective > Some(0));
    }

    #[test]
    fn a_core_beyond_the_memory_says_that_it_was_interrupted() {
        let weights: Vec<u64> = (0..200u64).map(|i| 100_000 + i * i * 7919 % 100_003).collect();
        let profits: Vec<u64> = weights.iter().map(|weight| weight + 10_000).collect();
        let instance = Instance::new(profits, weights, 15_000_001).unwrap();
        let context =
            Context::new(ContextOptions { engine: Engine::Cpu, ..Default::default() }).unwrap();
        let limits = Limits { memory: Some(100_000), ..Limits::default() };
        let solve_options = SolveOptions { limits, ..SolveOptions::default() };
        for method in [Method::Core, Method::Auto] {
            let outcome = solve(&context, &instance, &Options { method }, &solve_options).unwrap();
            assert!(outcome.report.interrupted && outcome.status == Status::Feasible);
            assert!(outcome.objective < outcome.bound);
        }
    }
}
