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
mod pinned;
mod reduction;
mod scales;
mod search;
mod selection;
mod solution;
mod stop;
#[cfg(test)]
pub(crate) mod testing;

pub(crate) use batch::solve_instances;
pub use batch::{Batch, solve_profits};
pub use instance::Instance;
pub use options::{Method, Options};
pub(crate) use scales::SCALES;
pub use solution::{Profile, Solution};

pub(crate) const KERNEL_FAMILIES: &[crate::opencl::TimedFamily] = &[batch::TIMED, dense::TIMED];

use std::sync::Arc;

use self::pinned::Rest;
use self::reduction::Problem;
use self::search::{Answer, Search};
use crate::opencl::Usual;
use crate::solve::{
    Certificate, Monitor, Outcome, Report, STEPS_PER_CHECK, Sense, SolveOptions, unless_stopped,
};
use crate::{Context, Dispatch, Error, Result, memory};

/// The programs of tables and of small batches.
pub(crate) fn usual_programs() -> Vec<Usual> {
    dense::usual_programs().chain(batch::usual_programs()).collect()
}

/// Finds the largest profit that fits, with a proved upper bound.
///
/// The result has a solution under any limits. It is never worth less than [`Options::start`]. The
/// status is [`Status::Optimal`](crate::Status::Optimal) if the bound equals its profit, otherwise
/// [`Status::Feasible`](crate::Status::Feasible). An iteration is one of the two dynamic programs.
/// Statistics: `states` of the core's lists and `cells` of its windows and of the table. The result
/// is the same for every engine and number of threads, unless time, memory or a stop request ends
/// the solve. If the memory limit ends it, the report says `interrupted`. May be called on several
/// threads at once.
///
/// # Errors
/// [`Error::InvalidArgument`] if the start does not fit, takes more copies than an item has or
/// lacks pinned ones; [`Error::OutOfMemory`] for too many items, and with [`Method::Dense`] if the
/// table is too large. With [`Engine::Device`](crate::Engine::Device), [`Method::Greedy`] and
/// [`Method::Core`] are [`Error::Unsupported`], since they run on the CPU only, and device errors
/// are possible.
pub fn solve(
    context: &Context,
    instance: &Instance,
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Outcome<Solution>> {
    let monitor = context.watch(Sense::Maximise, solve_options)?;
    if context.wants_device(solve_options.engine) && !options.method.has_kernels() {
        return Err(Error::unsupported(format!(
            "the method {} on a device",
            options.method.name()
        )));
    }
    // Refuses a wrong start before any work.
    let start = match &options.start {
        Some(start) => {
            instance.profit_of(&start.counts).map_err(|error| error.about("start"))?;
            Some(&start.counts[..])
        }
        None => None,
    };
    let mut dispatch = context.dispatch(solve_options.engine)?;
    let mut report = Report { method: options.method.name(), ..Report::default() };
    ["states", "cells"].into_iter().for_each(|counter| report.statistics.add(counter, 0));
    let mut fill = |instance: &Instance, start: Option<&[u64]>, monitor: &Monitor| {
        fill(instance, start, options.method, &mut dispatch, monitor, &mut report)
    };
    let (answer, out_of_memory) = if instance.pinned().is_empty() {
        fill(instance, start, &monitor)?
    } else {
        let rest = Rest::new(instance)?;
        let start = start.map(|start| rest.without(start)).transpose()?;
        let part = rest.watch(&monitor)?;
        let (answer, out_of_memory) = fill(&rest.instance, start.as_deref(), &part)?;
        monitor.join(&part);
        (rest.answer(answer), out_of_memory)
    };
    let mut outcome = if instance.items() >= MANY {
        context.install(|| answer.certify(instance, report))??
    } else {
        answer.certify(instance, report)?
    };
    dispatch.finish(&monitor, &mut outcome.report);
    outcome.report.interrupted |= out_of_memory;
    Ok(monitor.conclude(outcome))
}

/// All threads check an answer for this number of items and more.
const MANY: usize = 1 << 20;

/// Fills a knapsack without pinned copies. Returns also whether the memory limit ended the search.
fn fill(
    instance: &Instance,
    start: Option<&[u64]>,
    method: Method,
    dispatch: &mut Dispatch<'_>,
    monitor: &Monitor,
    report: &mut Report,
) -> Result<(Answer, bool)> {
    // With many items a stop may come before there is another answer, and it does not wait for one.
    let is_long = instance.items() > STEPS_PER_CHECK || start.is_some();
    let opening = is_long.then(|| opening(instance, start, monitor)).transpose()?;
    let mut search = || {
        let problem = Arc::new(Problem::new(instance, monitor)?);
        let mut search = Search::start(&problem, monitor)?;
        if let Some(start) = start {
            search.offer(start, monitor)?;
        }
        search.run(method, dispatch, monitor, report)?;
        let out_of_memory = search.out_of_memory;
        Ok((search.into_answer()?, out_of_memory))
    };
    match (unless_stopped(search())?, opening) {
        (Some((answer, out_of_memory)), Some(opening)) if opening.profit > answer.profit => {
            Ok((Answer { bound: answer.bound, ..opening }, out_of_memory))
        }
        (Some(ended), _) => Ok(ended),
        (None, Some(opening)) => Ok((opening, false)),
        (None, None) => Ok((self::opening(instance, start, monitor)?, false)),
    }
}

/// The answer without a search: the start, or items in the given order.
fn opening(instance: &Instance, start: Option<&[u64]>, monitor: &Monitor) -> Result<Answer> {
    let mut answer = bounds::in_order(instance, monitor)?;
    if let Some(start) = start {
        let worth = instance.profit_of(start).map_err(Error::defect)?;
        if worth > answer.profit {
            (answer.profit, answer.counts) = (worth, memory::copied(start)?);
        }
    }
    Ok(answer)
}

/// Solves many small instances, each on one thread of the CPU, and returns their outcomes in the
/// same order. Where [`Engine::Device`](crate::Engine::Device) is asked for, they are solved one
/// after the other.
///
/// The limits apply to the whole batch, [`Limits::iterations`](crate::Limits::iterations) to each
/// instance. Instances that a limit leaves out are [`Status::Stopped`](crate::Status::Stopped) and
/// have no solution.
///
/// # Errors
/// Those of [`solve`] for the first instance in order that fails.
pub fn solve_batch(
    context: &Context,
    instances: &[&Instance],
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Vec<Outcome<Solution>>> {
    let solve = |context: &Context, instance: &Instance, part: &SolveOptions| {
        solve(context, instance, options, part)
    };
    crate::batch::solve_each(context, instances, Sense::Maximise, solve_options, solve)
}

/// Fills the dense table and returns the largest profit for every capacity from 0 to the
/// instance's. The last value is the objective. Without a limit the status is
/// [`Status::Optimal`](crate::Status::Optimal); if a limit or a stop request comes first, it is
/// [`Status::Stopped`](crate::Status::Stopped) and there is no profile.
///
/// # Errors
/// [`Error::Unsupported`] for an instance with pinned copies; [`Error::OutOfMemory`] for too many
/// items or a table that is too large; device errors with
/// [`Engine::Device`](crate::Engine::Device).
pub fn profile(
    context: &Context,
    instance: &Instance,
    solve_options: &SolveOptions,
) -> Result<Outcome<Profile>> {
    refuse_pinned(instance, "a profit for every capacity")?;
    let monitor = context.watch(Sense::Maximise, solve_options)?;
    let mut dispatch = context.dispatch(solve_options.engine)?;
    let mut report = Report { method: Method::Dense.name(), ..Report::default() };
    report.statistics.add("cells", 0);
    let values = Problem::new(instance, &monitor).and_then(|problem| {
        dense::profile(&mut dispatch, &monitor, instance, &problem, &mut report.statistics)
    });
    let profile = unless_stopped(values)?.map(|values| Profile { values });
    dispatch.finish(&monitor, &mut report);
    let certificate = match &profile {
        Some(profile) => {
            let last = profile.values().last().and_then(|&profit| profit.try_into().ok());
            Certificate::proved(Sense::Maximise, last)
        }
        None => Certificate::stopped(Sense::Maximise, None),
    };
    Ok(monitor.conclude(certificate.outcome(profile, report)))
}

/// Refuses pinned copies, which only [`solve`] knows.
fn refuse_pinned(instance: &Instance, what: &str) -> Result<()> {
    match instance.pinned().is_empty() {
        true => Ok(()),
        false => Err(Error::unsupported(format!("{what} with pinned copies"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_error, cpu_context, limited};
    use crate::{ContextOptions, Engine, Limits, Status};

    #[test]
    fn a_method_without_kernels_does_not_pretend_to_use_a_device() {
        let context = Context::new(ContextOptions::default()).unwrap();
        let instance = Instance::new(vec![1], vec![1], 1).unwrap();
        let solve_options =
            SolveOptions { engine: Some(Engine::Device), ..SolveOptions::default() };
        for method in [Method::Greedy, Method::Core] {
            let refused = solve(&context, &instance, &method.into(), &solve_options);
            assert_error!(refused, Error::Unsupported(_), "{method:?}");
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
        let solve_with = |instance: &Instance, method: Method, options: &SolveOptions| {
            let outcome = solve(&context, instance, &method.into(), options).unwrap();
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
        let context = cpu_context(1);
        let solve_options =
            limited(Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() });
        let instance = grouped(600, 30_000_000);
        let greedy = Options::from(Method::Greedy);
        let expected = solve(&context, &instance, &greedy, &SolveOptions::default()).unwrap();
        for method in Method::ALL {
            let outcome = solve(&context, &instance, &method.into(), &solve_options).unwrap();
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
        let context = cpu_context(1);
        let solve_options = limited(Limits { memory: Some(100_000), ..Limits::default() });
        for method in [Method::Core, Method::Auto] {
            let outcome = solve(&context, &instance, &method.into(), &solve_options).unwrap();
            assert!(outcome.report.interrupted && outcome.status == Status::Feasible);
            assert!(outcome.objective < outcome.bound);
        }
    }
}
