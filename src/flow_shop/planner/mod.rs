//! The flow shop with set-ups, release times, blocking and any objective. The makespan alone has
//! other searches, in [`search`](super::search) and [`exact`](super::exact).

mod batch;
mod beam;
mod bounds;
mod construct;
mod cost;
mod counts;
mod exact;
mod front;
mod incumbent;
mod problem;
mod scoring;
mod search;
#[cfg(test)]
pub(super) mod testing;

pub(super) use self::batch::Variants;
pub(super) use self::exact::{JobTerms, MOST_JOBS, Numbers, offset};

use self::construct::Valued;
use self::incumbent::Incumbent;
use self::problem::Problem;
use self::search::{Evaluators, Portfolio};
use super::{Criterion, Instance, Method, Options, Permutation};
use crate::opencl::Usual;
use crate::solve::{Monitor, Outcome, Report, SolveOptions};
use crate::{Dispatch, Error, Result};

pub(crate) const KERNEL_FAMILIES: &[crate::opencl::TimedFamily] = &[search::TIMED, beam::TIMED];

/// The programs for an instance. The makespan alone has other searches.
pub(crate) fn usual(instance: &Instance) -> [Usual; 2] {
    [search::usual(instance), beam::usual(instance)]
}

/// The bound takes at most this part of the time limit, so that short solves search, too.
const BOUND_SHARE: u32 = 4;

/// Finds a good schedule and proves a bound; see [`solve`](super::solve).
pub(super) fn solve(
    instance: &Instance,
    options: &Options,
    solve_options: &SolveOptions,
    mut dispatch: Dispatch<'_>,
    monitor: &Monitor,
    mut report: Report,
) -> Result<Outcome<Permutation>> {
    check(instance, options)?;
    let problem = Problem::new(instance);
    let proves = options.method == Method::BranchAndBound;
    let proves_on_engines =
        proves && exact::uses_engines(&problem, &options.exact, dispatch.wants_device())?;
    if dispatch.wants_device() && !proves {
        match options.method {
            Method::Beam => beam::check_device_model(&problem)?,
            _ => search::check_device_model(&problem)?,
        }
    }
    let evaluators = Evaluators::new(&problem);
    let construct = |opening: &Monitor| construct::construct(&problem, &evaluators, opening);
    let mut incumbent = start(&problem, &construct, options, monitor)?;
    let part = monitor.part(solve_options.limits.time.map(|time| time / BOUND_SHARE), None);
    incumbent.raise(bounds::lower(&problem, incumbent.bound(), &part));
    monitor.join(&part);
    let mut searches = Portfolio {
        context: dispatch.context(),
        problem: &problem,
        evaluators: &evaluators,
        incumbent: &mut incumbent,
        options: &options.search,
        solve_options,
        statistics: &mut report.statistics,
    };
    match proves_on_engines {
        true => searches.prove_on_engines(&options.exact, &mut dispatch)?,
        false => run(&mut searches, options, &mut dispatch)?,
    }
    if let Some(unused) = instance.unused() {
        dispatch.warn(unused);
    }
    dispatch.finish(monitor, &mut report);
    Ok(monitor.conclude(incumbent.into_outcome(report)?))
}

/// Refuses options that do not apply to an instance.
fn check(instance: &Instance, options: &Options) -> Result<()> {
    instance.objective().check_data(instance)?;
    exact::check_options(&options.exact)?;
    if options.method == Method::Auto
        && options.search.beam_width.is_some()
        && beam_share(instance).is_none()
    {
        let reason = "applies only to beam, since auto takes no beam for this instance";
        return Err(Error::argument("beam_width", reason));
    }
    Ok(())
}

/// Improves the incumbent by the method.
fn run(
    searches: &mut Portfolio<'_, '_>,
    options: &Options,
    dispatch: &mut Dispatch<'_>,
) -> Result<()> {
    let limits = &searches.solve_options.limits;
    match options.method {
        Method::Neh => Ok(()),
        Method::Auto => {
            searches.prove_if_small()?;
            let problem = searches.problem;
            let has_kernels = || beam::check_device_model(problem).is_ok();
            let share = beam_share(problem.instance);
            if let Some(share) = share.filter(|_| !dispatch.wants_device() || has_kernels()) {
                searches.beam(limits.time.map(|time| time.mul_f64(share)), dispatch)?;
            }
            searches.iterated_greedy(dispatch)
        }
        Method::IteratedGreedy => searches.iterated_greedy(dispatch),
        Method::Beam => searches.beam(limits.time, dispatch),
        Method::BranchAndBound => searches.prove(&options.exact, dispatch),
        Method::Tabu => searches.tabu(dispatch),
    }
}

/// The share of the time after which `auto` goes over from beam search to iterated greedy search. A
/// beam is best for sums of flow times. For the makespan with set-ups or blocking, it finds better
/// starts for many jobs. For other objectives it is worse than iterated greedy search.
fn beam_share(instance: &Instance) -> Option<f64> {
    let links_jobs = instance.setups().is_some() || instance.has_blocking();
    if has_flow_times(instance) {
        Some(if instance.jobs() < 100 { 0.5 } else { 0.8 })
    } else if has_only(instance, &[Criterion::Makespan]) && links_jobs && instance.jobs() >= 100 {
        Some(if instance.jobs() < 200 { 0.3 } else { 0.5 })
    } else {
        None
    }
}

/// Whether the first stage is a sum of flow times.
fn has_flow_times(instance: &Instance) -> bool {
    has_only(instance, &[Criterion::TotalFlowTime, Criterion::WeightedFlowTime])
}

/// Whether the first stage has no other criteria.
fn has_only(instance: &Instance, criteria: &[Criterion]) -> bool {
    let mut terms = instance.objective().stages()[0].terms().iter();
    terms.all(|(_, criterion)| criteria.contains(criterion))
}

/// The given sequence if the method begins with it, else the better one of it and the constructed
/// one.
fn start<'a>(
    problem: &'a Problem<'a>,
    construct: &dyn Fn(&Monitor) -> Result<Valued>,
    options: &Options,
    monitor: &'a Monitor,
) -> Result<Incumbent<'a>> {
    let given = options.start.as_ref();
    // Refuses an invalid sequence before any work.
    given
        .map(|start| start.starts(problem.instance).map_err(|error| error.about("start")))
        .transpose()?;
    // A stop during the search does not wait for it.
    let bound = bounds::simple(problem);
    let (first, phase) = match options.only_start() {
        Some(start) => ((problem.cost(start.jobs()), start.jobs().to_vec()), "start"),
        None => {
            let opening = monitor.opening();
            let first = construct(&opening)?;
            monitor.join(&opening);
            (first, "neh")
        }
    };
    let mut incumbent = Incumbent::start(problem, monitor, first);
    incumbent.raise(bound);
    if let Some(start) = given {
        incumbent.offer(start.jobs());
    }
    monitor.report(phase, None);
    Ok(incumbent)
}

#[cfg(test)]
mod tests;
