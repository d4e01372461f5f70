//! Searches for short schedules: they look at many sequences, and prove nothing unless they saw
//! all.
//!
//! The searches ([`iterated_greedy`], [`tabu`], [`beam`]) know what they minimise by the traits of
//! [`evaluator`] alone, and neighbourhoods by [`moves`]. What implements the traits for the
//! makespan is in [`makespan`]; [`portfolio`] brings them together.

mod beam;
mod evaluator;
mod iterated_greedy;
mod makespan;
mod moves;
mod options;
mod portfolio;
mod shop;
mod tabu;
#[cfg(test)]
mod testing;

pub use makespan::Evaluation;
pub use moves::Neighbourhood;
pub use options::SearchOptions;
pub use tabu::TabuList;

use self::portfolio::Portfolio;
use self::shop::Shop;
use super::{Incumbent, Method, Options};
use crate::solve::{SolveOptions, Statistics};
use crate::{Dispatch, Result};

/// Improves the incumbent by a method that searches.
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
        context,
        shop: &shop,
        incumbent,
        options: &options.search,
        exact: &options.exact,
        solve_options,
        statistics,
    };
    // Generations of tabu search are timed against those of others: nothing is computed beside
    // them.
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
