//! The flow shop with set-ups, release times, blocking and any objective. The makespan alone has
//! searches of its own in [`search`](super::search) and [`exact`](super::exact).

mod bounds;
mod construct;
mod cost;
mod front;
mod incumbent;
mod problem;
mod scoring;
mod search;
#[cfg(test)]
mod testing;

use self::incumbent::Incumbent;
use self::problem::Problem;
use self::search::{Evaluators, Portfolio};
use super::{Instance, Method, Options, Permutation};
use crate::solve::{Monitor, Outcome, Report, SolveOptions};
use crate::{Dispatch, Error, Result};

/// Finds a good schedule and proves a bound; see [`solve`](super::solve).
pub(super) fn solve(
    instance: &Instance,
    options: &Options,
    solve_options: &SolveOptions,
    mut dispatch: Dispatch<'_>,
    monitor: &Monitor,
    mut report: Report,
) -> Result<Outcome<Permutation>> {
    instance.objective().check_data(instance)?;
    let problem = Problem::new(instance);
    let evaluators = Evaluators::new(&problem);
    let mut incumbent = start(&problem, &evaluators, options, monitor)?;
    incumbent.raise(bounds::lower(&problem));
    let mut search = Portfolio {
        context: dispatch.context(),
        problem: &problem,
        evaluators: &evaluators,
        incumbent: &mut incumbent,
        options: &options.search,
        solve_options,
        statistics: &mut report.statistics,
    };
    match options.method {
        Method::Neh => {}
        Method::Auto | Method::IteratedGreedy => search.iterated_greedy()?,
        method => {
            let what = format!("the method {} for this model", method.name());
            return Err(Error::unsupported(what));
        }
    }
    if let Some(unused) = instance.unused() {
        dispatch.warn(unused);
    }
    dispatch.finish(monitor, &mut report);
    Ok(monitor.conclude(incumbent.into_outcome(report)?))
}

/// The better of the constructed sequence and the given one.
fn start<'a>(
    problem: &'a Problem<'a>,
    evaluators: &Evaluators<'a>,
    options: &Options,
    monitor: &'a Monitor,
) -> Result<Incumbent<'a>> {
    let given = options.start.as_ref();
    // Refuses an invalid sequence before any work.
    given
        .map(|start| start.starts(problem.instance).map_err(|error| error.about("start")))
        .transpose()?;
    let opening = monitor.opening();
    let order = construct::construct(problem, evaluators, &opening)?;
    monitor.join(&opening);
    let mut incumbent = Incumbent::start(problem, monitor, order);
    if let Some(start) = given {
        incumbent.offer(start.jobs());
    }
    monitor.report("neh", None);
    Ok(incumbent)
}

#[cfg(test)]
mod tests;
