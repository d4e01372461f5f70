//! The flow shop with set-ups, release times, blocking and any objective. The makespan alone has
//! searches of its own in [`search`](super::search) and [`exact`](super::exact).

mod beam;
mod bounds;
mod construct;
mod cost;
mod exact;
mod front;
mod incumbent;
mod problem;
mod scoring;
#[cfg(test)]
mod testing;

use self::incumbent::Incumbent;
use self::problem::Problem;
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
    exact::check_options(&options.exact)?;
    let problem = Problem::new(instance);
    let mut incumbent = start(&problem, options, monitor)?;
    incumbent.raise(bounds::lower(&problem, monitor));
    match options.method {
        Method::Neh => {}
        Method::Auto => {
            let (context, statistics) = (dispatch.context(), &mut report.statistics);
            exact::prove_small(&mut incumbent, &problem, context, statistics)?;
        }
        Method::Beam => {
            let extent = beam::Extent::new(options.search.beam_width, &solve_options.limits);
            beam::run(&mut incumbent, dispatch.context(), extent, &mut report.statistics)?;
        }
        Method::BranchAndBound => {
            dispatch.cpu_only("branch and bound for this model")?;
            let counts_iterations = solve_options.limits.iterations.is_some();
            let (context, statistics) = (dispatch.context(), &mut report.statistics);
            exact::run(&mut incumbent, &problem, context, counts_iterations, statistics)?;
        }
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
    options: &Options,
    monitor: &'a Monitor,
) -> Result<Incumbent<'a>> {
    let given = options.start.as_ref();
    // Refuses an invalid sequence before any work.
    given
        .map(|start| start.starts(problem.instance).map_err(|error| error.about("start")))
        .transpose()?;
    let opening = monitor.opening();
    let order = construct::construct(problem, &opening);
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
