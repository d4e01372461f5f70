//! Searches on all ranks, each with its own random numbers. Under a time limit they exchange the
//! best schedule after each round.

use std::time::{Duration, Instant};

use makespan::flow_shop::{Method, Options, Permutation, solve};
use makespan::{Context, Error, Limits, Outcome, Result, SolveOptions, Status, StopHandle};
use makespan_cli::failure::Failure;
use makespan_cli::flow_shop::Task;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};

/// Rounds under a time limit, and their least and most length.
const ROUNDS: u32 = 10;
const ROUND: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

/// The tags of results of ranks, and of orders for them.
const FOUND: i32 = 3;
const NEXT: i32 = 4;

pub(crate) fn run(task: &Task<'_>, world: &SimpleCommunicator) -> std::result::Result<(), Failure> {
    if world.rank() == 0 {
        return task.publish(|context, options| rounds(task, world, context, options));
    }
    let context = Context::new(task.context_options()?)?;
    rounds(task, world, &context, &task.solve_options())?;
    Ok(())
}

fn rounds(
    task: &Task<'_>,
    world: &SimpleCommunicator,
    context: &Context,
    given: &SolveOptions,
) -> Result<Outcome<Permutation>> {
    let begun = Instant::now();
    let limit = given.limits.time;
    let length = limit.map(|limit| (limit / ROUNDS).clamp(ROUND.0, ROUND.1));
    let mut options = task.options().clone();
    loop {
        let left = limit.map(|limit| limit.saturating_sub(begun.elapsed()));
        let time = length.zip(left).map(|(length, left)| length.min(left));
        let limits = Limits { time, ..given.limits.clone() };
        let round = SolveOptions { limits, ..given.clone() };
        let own = solve(context, task.instance(), &options, &round)?;
        let is_over = limit.is_none_or(|limit| begun.elapsed() >= limit)
            || own.status == Status::Optimal
            || given.stop.as_ref().is_some_and(StopHandle::is_stopped);
        let next = exchange(task, world, &own, is_over)?;
        if next.is_over {
            return conclude(task, context, given, own, &next, begun);
        }
        options.start = Some(next.best);
        options.start_beside_neh = matches!(options.method, Method::Tabu | Method::IteratedGreedy);
    }
}

/// What all ranks know after a round.
struct Next {
    is_over: bool,
    best: Permutation,
    /// The best bound of all ranks.
    bound: Option<i64>,
}

/// Exchanges the best schedule and the best bound by rank 0.
fn exchange(
    task: &Task<'_>,
    world: &SimpleCommunicator,
    own: &Outcome<Permutation>,
    is_over: bool,
) -> Result<Next> {
    let best = own.solution.clone().ok_or_else(|| Box::new(Error::Stopped))?;
    let mut next = Next { is_over, best, bound: own.bound };
    if world.rank() != 0 {
        world.process_at_rank(0).send_with_tag(&numbers(&next)[..], FOUND);
        let (numbers, _) = world.process_at_rank(0).receive_vec_with_tag::<i64>(NEXT);
        return of_numbers(&numbers);
    }
    for rank in 1..world.size() {
        let (numbers, _) = world.process_at_rank(rank).receive_vec_with_tag::<i64>(FOUND);
        let other = of_numbers(&numbers)?;
        // Another rank is over only if it has proved its schedule optimal or has spent its limits.
        next.is_over |= other.is_over;
        next.bound = next.bound.max(other.bound);
        if other.best.values(task.instance())? < next.best.values(task.instance())? {
            next.best = other.best;
        }
    }
    for rank in 1..world.size() {
        world.process_at_rank(rank).send_with_tag(&numbers(&next)[..], NEXT);
    }
    Ok(next)
}

/// A flag, whether there is a bound, the bound, and the schedule.
fn numbers(next: &Next) -> Vec<i64> {
    let head = [next.is_over.into(), next.bound.is_some().into(), next.bound.unwrap_or(0)];
    head.into_iter().chain(next.best.jobs().iter().map(|&job| job.into())).collect()
}

fn of_numbers(numbers: &[i64]) -> Result<Next> {
    let unknown = || Box::new(Error::Internal("a message of another version".into()));
    let [is_over, has_bound, bound, jobs @ ..] = numbers else { return Err(unknown()) };
    let jobs: std::result::Result<Vec<u32>, _> = jobs.iter().map(|&job| job.try_into()).collect();
    let best = Permutation::new(jobs.map_err(|_| unknown())?);
    Ok(Next { is_over: *is_over != 0, best, bound: (*has_bound != 0).then_some(*bound) })
}

/// The outcome of all ranks, whose schedule is evaluated again here.
fn conclude(
    task: &Task<'_>,
    context: &Context,
    given: &SolveOptions,
    own: Outcome<Permutation>,
    next: &Next,
    begun: Instant,
) -> Result<Outcome<Permutation>> {
    let (method, trace) = (own.report.method, own.report.trace.clone());
    let is_best = own.solution.as_ref().map(Permutation::jobs) == Some(next.best.jobs());
    let mut outcome = match is_best {
        true => own,
        false => {
            // NEH and the start, of which the start is better.
            let options = Options {
                method: Method::Neh,
                start: Some(next.best.clone()),
                ..Options::default()
            };
            let limits = Limits { time: None, iterations: None, ..given.limits.clone() };
            let given = SolveOptions { limits, stop: None, progress: None, ..given.clone() };
            solve(context, task.instance(), &options, &given)?
        }
    };
    if let Some(bound) = next.bound {
        outcome = outcome.with_bound(bound)?;
    }
    outcome.report.method = method;
    outcome.report.trace = trace;
    outcome.report.seconds = begun.elapsed().as_secs_f64();
    Ok(outcome)
}
