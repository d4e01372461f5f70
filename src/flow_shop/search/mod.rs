//! Searches for short schedules. They evaluate many sequences, and prove optimality only if they
//! cover all.
//!
//! The searches ([`iterated_greedy`], [`tabu`], [`beam`]) see the objective only through the traits
//! of [`evaluator`], and neighbourhoods through [`moves`]. [`makespan`] implements the traits for
//! the makespan; [`portfolio`] combines the searches, and knows the objective only by the trait of
//! [`objective`].

pub(super) mod beam;
pub(super) mod evaluator;
mod iterated_greedy;
mod makespan;
mod moves;
mod objective;
mod options;
mod portfolio;
mod shop;
pub(super) mod tabu;
#[cfg(test)]
mod testing;

pub use makespan::Evaluation;
pub use moves::Neighbourhood;
pub use options::SearchOptions;
pub use tabu::TabuList;

pub(super) use self::evaluator::{NeighbourhoodEvaluator, PartialSequence, ValuedSequence};
pub(super) use self::iterated_greedy::{IteratedGreedy, Settings};
pub(super) use self::makespan::{DeviceTabu, Scan, Time};
pub(crate) use self::makespan::{KERNEL_FAMILIES, usual};
pub(super) use self::moves::Move;

use std::marker::PhantomData;
use std::time::Duration;

use self::makespan::Makespan;
use self::portfolio::Portfolio;
pub(super) use self::shop::Shop;
use super::{Incumbent, Method, Options};
use crate::solve::{SolveOptions, Statistics};
use crate::{Dispatch, Result};

/// How long the CPU searches before the library looks for a device and opens it.
pub(super) const WORTH_A_LOOK: Duration = Duration::from_millis(100);
/// Seconds of work for the CPU that justify the opening of a device.
const WORTH_OPENING: f64 = 0.3;

/// Improves the incumbent by a search method.
pub(super) fn run(
    incumbent: &mut Incumbent<'_>,
    options: &Options,
    solve_options: &SolveOptions,
    dispatch: &mut Dispatch<'_>,
    statistics: &mut Statistics,
) -> Result<()> {
    let shop = Shop::of(incumbent.instance);
    if shop.jobs() < 2 || incumbent.is_optimal() {
        return Ok(());
    }
    let context = dispatch.context();
    let mut portfolio = Portfolio {
        objective: PhantomData::<Makespan>,
        context,
        shop: &shop,
        incumbent,
        options: &options.search,
        exact: &options.exact,
        solve_options,
        statistics,
    };
    // The time of tabu search is compared with published times, so it must not include a bound.
    if options.method != Method::Tabu {
        portfolio.raise_root_bound()?;
    }
    if portfolio.is_settled() {
        return Ok(());
    }
    match options.method {
        Method::IteratedGreedy => portfolio.run_iterated_greedy(),
        Method::Beam => portfolio.run_beam(dispatch),
        Method::Tabu => portfolio.tabu(dispatch),
        _ => portfolio.run_all(dispatch),
    }
}

#[cfg(test)]
mod tests;
