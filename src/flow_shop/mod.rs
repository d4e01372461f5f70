//! F|prmu|Cmax, the permutation flow shop: jobs pass all machines in the same sequence. The
//! makespan, the time at which the last job ends, is minimised.
//!
//! The problem is strongly NP-hard from three machines on. [`solve`] returns the best sequence that
//! the method found and a proved lower bound.

mod bounds;
mod completion;
mod distinct;
mod end;
mod exact;
mod format;
mod incumbent;
mod insertion;
mod instance;
mod method;
mod model;
mod neh;
mod options;
mod permutation;
mod planner;
mod search;
mod self_test;
pub mod taillard;
#[cfg(test)]
mod testing;

#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz_checkpoint(data: &[u8]) {
    exact::fuzz_checkpoint(data);
}

#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz_unit(data: &[u8]) {
    exact::fuzz_unit(data);
}

pub use exact::{
    Bound, Branching, ChildBounds, ExactOptions, Exploration, HostPool, Placement, Searched,
    Subproblem, bound_children, search_subproblems, units,
};
pub use format::Format;
pub use instance::Instance;
pub use method::Method;
pub use model::{Criterion, Objective, Setups, Stage};
pub use options::Options;
pub use permutation::Permutation;
pub use search::{Evaluation, Neighbourhood, SearchOptions, TabuList};

pub(crate) const KERNEL_FAMILIES: [&[crate::opencl::TimedFamily]; 4] = {
    let [makespan, general] = exact::KERNEL_FAMILIES;
    [makespan, general, search::KERNEL_FAMILIES, planner::KERNEL_FAMILIES]
};

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use self::incumbent::{Best, Incumbent};
use self::planner::Variants;
use crate::batch::{Batch, WHOLE, Ways};
use crate::opencl::Usual;
use crate::solve::{Monitor, Outcome, Report, Sense, SolveOptions};
use crate::{Context, Error, Limits, Result};

/// Instances with 5, 10 and 20 machines, as most of the known ones have.
const USUAL: [&str; 3] = ["ta001", "ta011", "ta021"];

/// The programs of the usual numbers of machines.
pub(crate) fn usual_programs() -> Vec<Usual> {
    USUAL.iter().filter_map(|name| Instance::named(name)).flat_map(programs_of).collect()
}

/// The programs of this instance.
pub(crate) fn programs_of(instance: Instance) -> Vec<Usual> {
    let instance = Arc::new(instance);
    let searches = search::usual(&instance).into_iter().chain(planner::usual(&instance));
    exact::usual(&instance).chain(searches).collect()
}

/// Finds a short schedule and proves a bound on the shortest.
///
/// There always is a schedule, even if a limit ends the solve early. The status is
/// [`Status::Optimal`](crate::Status::Optimal) if the bound equals its makespan, otherwise
/// [`Status::Feasible`](crate::Status::Feasible). [`ExactOptions::upper_bound`] is an exception: if
/// no shorter schedule exists and the best known one is longer than the upper bound, the status is
/// [`Status::Infeasible`](crate::Status::Infeasible) without a schedule, and the bound is what was
/// proved. May be called on several threads at once.
///
/// # Errors
/// [`Error::InvalidArgument`] if the start is not a sequence of the instance, if an option is
/// invalid or does not apply to the method, if a search has an iteration limit of 0, or if a
/// checkpoint belongs to another instance; [`Error::Io`] if a checkpoint can't be read or written;
/// [`Error::OutOfMemory`] if the tables of the heuristic, the trajectories of a search or a
/// checkpoint don't fit (a proof that runs out of memory instead ends with a
/// [`warning`](crate::Report::warning) and its best result). With
/// [`Engine::Device`](crate::Engine::Device) also device errors, and [`Error::Unsupported`] for a
/// method that runs on the CPU only, or for branch and bound with an iteration limit, which only
/// the CPU supports.
pub fn solve(
    context: &Context,
    instance: &Instance,
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Outcome<Permutation>> {
    let monitor = context.watch(Sense::Minimise, solve_options)?;
    let mut report = Report { method: options.method.name(), ..Report::default() };
    options.check(&solve_options.limits)?;
    if context.wants_device(solve_options.engine)
        && !options.method.has_kernels(instance.is_plain())
    {
        return Err(Error::unsupported(format!(
            "the method {} on a device",
            options.method.name()
        )));
    }
    let mut dispatch = context.dispatch(solve_options.engine)?;
    if !instance.is_plain() {
        return planner::solve(instance, options, solve_options, dispatch, &monitor, report);
    }
    if let Some(unused) = instance.unused() {
        dispatch.warn(unused);
    }
    check_memory(instance, &monitor)?;
    let mut incumbent = start(instance, options, &monitor)?;
    let statistics = &mut report.statistics;
    match options.method {
        Method::Neh => {}
        Method::BranchAndBound => {
            let counts_iterations = solve_options.limits.iterations.is_some();
            exact::run(
                &mut incumbent,
                &options.exact,
                counts_iterations,
                &mut dispatch,
                statistics,
            )?;
        }
        Method::Auto | Method::Beam | Method::IteratedGreedy | Method::Tabu => {
            search::run(&mut incumbent, options, solve_options, &mut dispatch, statistics)?;
        }
    }
    dispatch.finish(&monitor, &mut report);
    Ok(monitor.conclude(incumbent.into_outcome(report, options.exact.upper_bound)?))
}

/// Solves many small instances, each on one thread of the CPU, and returns their outcomes in the
/// same order. Where [`Engine::Device`](crate::Engine::Device) is asked for, they are solved one
/// after the other. There, iterated greedy search works on all variants of an instance at once that
/// have more than a makespan and differ only in times, release times, due dates, weights, pinned
/// jobs and ready times. [`Engine::Auto`](crate::Engine::Auto) does the same for at least 16
/// variants for each thread, if all of them are variants of one instance, time alone is limited,
/// and the device is faster.
///
/// The limits apply to the whole batch, [`Limits::iterations`](crate::Limits::iterations) to each
/// instance. Each instance has an equal share of the time that is left, since a search takes all
/// the time that it has. Instances that a limit leaves out are
/// [`Status::Stopped`](crate::Status::Stopped) and have no solution.
///
/// # Errors
/// Those of [`solve`] for the first instance in order that fails.
pub fn solve_batch(
    context: &Context,
    instances: &[&Instance],
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Vec<Outcome<Permutation>>> {
    let monitor = &context.watch(Sense::Minimise, solve_options)?;
    let unsolved = AtomicUsize::new(instances.len());
    let solve = |own: &Context, instance: &Instance, part: &SolveOptions| {
        let at_once = context.threads() / own.threads();
        let rounds = unsolved.load(Ordering::Relaxed).div_ceil(at_once) as f64;
        let time = part.limits.time.map(|left| left.div_f64(rounds));
        let part = SolveOptions { limits: Limits { time, ..part.limits }, ..part.clone() };
        let outcome = solve(own, instance, options, &part)?;
        unsolved.fetch_sub(1, Ordering::Relaxed);
        Ok(outcome)
    };
    let variants = Variants { context, instances, options, solve_options, monitor };
    let batch = Batch { context, instances, options: solve_options, monitor, share: WHOLE };
    let outcomes = batch.solve(&Ways {
        sense: &|_| Sense::Minimise,
        is_large: &|_| false,
        together: &|slots, on_cpu| variants.solve(slots, on_cpu),
        solve: &solve,
    })?;
    monitor.conclude_batch();
    Ok(outcomes)
}

/// The given sequence if the method begins with it, else the better one of it and NEH's.
fn start<'a>(
    instance: &'a Instance,
    options: &Options,
    monitor: &'a Monitor,
) -> Result<Incumbent<'a>> {
    let given = options.start.as_ref();
    // Refuses an invalid sequence before any work.
    let makespan =
        |start: &Permutation| start.makespan(instance).map_err(|error| error.about("start"));
    let given = given.map(|start| makespan(start).map(|makespan| (start, makespan))).transpose()?;
    let (order, phase) = match options.only_start() {
        Some(start) => (start.jobs().to_vec(), "start"),
        None => {
            let opening = monitor.opening();
            let order = neh::neh(instance, &opening)?;
            monitor.join(&opening);
            (order, "neh")
        }
    };
    let makespan = completion::makespan(instance, &order);
    let mut incumbent = Incumbent::start(
        instance,
        monitor,
        Best { value: makespan, order },
        bounds::one_machine(instance),
    );
    if let Some((start, makespan)) = given {
        incumbent.offer(start.jobs(), makespan as u32);
    }
    monitor.report(phase, None);
    Ok(incumbent)
}

/// Heads and tails are two tables of the instance's size. A search has two more, and sequences.
fn check_memory(instance: &Instance, monitor: &Monitor) -> Result<()> {
    let words = 4 * (instance.times().len() + instance.machines()) + 16 * instance.jobs();
    let required = words as u128 * size_of::<u32>() as u128;
    monitor
        .expect_lists(required, || format!("heads and tails of {} times", instance.times().len()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::testing::{cpu_context, limited};
    use crate::{Status, Value};

    fn solve_on_cpu(instance: &Instance, options: &Options) -> Result<Outcome<Permutation>> {
        solve(&cpu_context(1), instance, options, &SolveOptions::default())
    }

    #[test]
    fn a_single_machine_is_solved_by_any_sequence() {
        let instance = Instance::new(3, 1, vec![4, 5, 6]).unwrap();
        let outcome = solve_on_cpu(&instance, &Options::default()).unwrap();
        assert_eq!(
            (outcome.status, outcome.objective, outcome.bound),
            (Status::Optimal, Some(15), Some(15))
        );
    }

    #[test]
    fn instances_of_a_batch_share_the_time() {
        let instance = Instance::named("ta051").unwrap();
        let options = Options { method: Method::IteratedGreedy, ..Options::default() };
        let limits = limited(Limits { time: Some(Duration::from_secs(2)), ..Limits::default() });
        let outcomes = solve_batch(&cpu_context(2), &[&instance; 7], &options, &limits).unwrap();
        let searched = outcomes.iter().filter(|outcome| {
            outcome.status == Status::Feasible
                && outcome.report.statistics.get("iterations") > Some(0)
        });
        // Without shares, each thread would search one. On a busy machine the last may have no
        // time.
        assert!(searched.count() >= 5);
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

    /// The first value that a solve reports.
    fn first_value(instance: &Instance, options: &Options) -> Option<Value> {
        let solve_options = limited(Limits { iterations: Some(1), ..Limits::default() });
        let outcome = solve(&cpu_context(1), instance, options, &solve_options).unwrap();
        outcome.report.trace[0].objective
    }

    #[test]
    fn searches_begin_with_exactly_the_start() {
        let plain = Instance::named("ta001").unwrap();
        let blocking = plain.clone().with_blocking().unwrap();
        for instance in [&plain, &blocking] {
            let start = Permutation::new((0..20).collect());
            let makespan = start.makespan(instance).unwrap() as i64;
            for method in [Method::Tabu, Method::IteratedGreedy] {
                let alone = Options { method, start: Some(start.clone()), ..Options::default() };
                let beside = Options { start_beside_neh: true, ..alone.clone() };
                let neh = Options { start: None, ..alone.clone() };
                assert_eq!(first_value(instance, &alone), Some(Value::Whole(makespan)));
                assert!(first_value(instance, &neh) < Some(Value::Whole(makespan)));
                assert_eq!(first_value(instance, &beside), first_value(instance, &neh));
            }
        }
    }
}
