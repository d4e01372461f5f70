//! Searches for short schedules: they look at many sequences, and prove nothing unless they saw all.

mod beam;
mod iterated_greedy;
mod options;
mod portfolio;
mod proof;
mod reinsertion;
mod shop;
mod tabu;
mod time;

pub use options::SearchOptions;
pub(super) use shop::Shop;
pub use tabu::{Evaluation, Neighbourhood, TabuList};

use self::portfolio::Portfolio;
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
    if context.has_further_devices() && matches!(options.method, Method::Beam | Method::Tabu) {
        dispatch.warn("further devices take part in branch and bound alone".into());
    }
    let mut portfolio = Portfolio {
        context,
        shop: &shop,
        incumbent,
        options: &options.search,
        exact: &options.exact,
        solve_options,
        statistics,
    };
    portfolio.raise_root_bound()?;
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
