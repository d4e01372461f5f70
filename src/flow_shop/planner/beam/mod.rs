//! Iterative beam search for any objective: Libralesso, Focke, Secardin and Jost (2022), "Iterative
//! beam search algorithms for the permutation flowshop", EJOR 301, 217-234.
//!
//! Sequences grow at the end only, since most objectives need the completion times of the placed
//! jobs. The levels of the tree and the selection of nodes are those of the beam for the makespan.

mod guide;
mod lanes;
mod level;
mod outlook;
mod score;
mod shop;
mod tree;

use std::time::{Duration, Instant};

use self::guide::{Guide, Weighting, competing};
use self::shop::Shop;
use self::tree::ForwardTree;
use super::cost::Cost;
use super::incumbent::Incumbent;
use crate::flow_shop::search::beam::{Pass, next_width, on_cpu};
use crate::solve::Statistics;
use crate::{Context, Error, Limits, Result};

/// Beams up to this width try all guides; wider ones use the best guide.
const TRIAL_WIDTH: usize = 256;

/// When a beam ends, besides the limits of the solve.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Extent {
    /// The widest beam.
    pub(super) width: Option<usize>,
    /// Whether some limit ends the solve. Otherwise, and without a width, the beam does a fixed
    /// amount of work.
    pub(super) is_limited: bool,
    /// No pass begins that would not end this long after the start of the solve.
    pub(super) until: Option<Duration>,
}

impl Extent {
    pub(super) fn new(width: Option<usize>, limits: &Limits) -> Self {
        let is_limited = limits.time.is_some() || limits.iterations.is_some();
        Extent { width, is_limited, until: limits.time }
    }
}

/// Runs passes of doubling width until the limits. An iteration is a pass.
pub(super) fn run(
    incumbent: &mut Incumbent<'_>,
    context: &Context,
    extent: Extent,
    statistics: &mut Statistics,
) -> Result<()> {
    let (problem, monitor) = (incumbent.problem(), incumbent.monitor);
    if problem.free_jobs.is_empty() {
        incumbent.raise(incumbent.cost());
    }
    if incumbent.is_optimal() {
        return Ok(());
    }
    let shop = Shop::new(problem, monitor)?;
    let widest = widest(&shop, &extent);
    let mut guides: Vec<(Weighting, Cost)> =
        competing(&shop).iter().map(|&guide| (guide, Cost::WORST)).collect();
    let (mut width, mut last_time, mut narrowed) = (1, Duration::ZERO, false);
    loop {
        for (weighting, own) in &mut guides {
            if monitor.begin_iteration().is_err() {
                return Ok(());
            }
            let start = Instant::now();
            // While the guides compete, none may profit from the others' sequences.
            let cutoff = if width <= TRIAL_WIDTH { *own } else { incumbent.cost() };
            let guide = Guide::new(&shop, *weighting, incumbent.order(), incumbent.cost());
            let tree = ForwardTree::new(&shop, monitor, guide, cutoff)?;
            let pass = context.install_reporting(
                monitor,
                "beam",
                || None,
                || on_cpu(&tree, monitor, width),
            )?;
            let pass = match pass {
                Err(error) if matches!(*error, Error::Stopped) => return Ok(()),
                pass => pass?,
            };
            (last_time, narrowed) = (start.elapsed(), narrowed | (pass.width < width));
            *own = pass.found.as_ref().map_or(*own, |found| found.value);
            settle(incumbent, &shop, &pass, cutoff, statistics);
            if incumbent.is_optimal() {
                return Ok(());
            }
        }
        if width >= TRIAL_WIDTH {
            guides.sort_by_key(|&(_, own)| own);
            guides.truncate(1);
        }
        if narrowed || width >= widest {
            return Ok(());
        }
        width = match extent.until {
            None => width * 2,
            Some(until) => next_width(width, last_time, until.saturating_sub(monitor.elapsed())),
        }
        .min(widest);
        if width == 0 {
            return Ok(());
        }
    }
}

/// The widest beam. Without a limit it takes about a second.
fn widest(shop: &Shop<'_>, extent: &Extent) -> usize {
    let jobs = shop.jobs.len() as u64;
    let work = (jobs * jobs).saturating_mul(shop.machines() as u64);
    let usual = match extent.is_limited {
        true => usize::MAX / 2,
        false => (400_000_000 / work.max(1)).clamp(1, 4096) as usize,
    };
    extent.width.unwrap_or(usual)
}

/// Takes over the result of a pass for sequences better than `cutoff`.
fn settle(
    incumbent: &mut Incumbent<'_>,
    shop: &Shop<'_>,
    pass: &Pass<Cost>,
    cutoff: Cost,
    statistics: &mut Statistics,
) {
    statistics.add("children", pass.children);
    statistics.add("iterations", 1);
    let best = pass.found.as_ref().map_or(cutoff, |found| found.value);
    if let Some(found) = &pass.found {
        incumbent.offer(&shop.sequence(&found.order));
    }
    if pass.exhaustive {
        // No sequence is better than `best`, whether or not one of that cost exists.
        incumbent.raise(best.min(incumbent.cost()));
    }
}

#[cfg(test)]
mod tests;
