//! Iterative beam search for any objective: Libralesso, Focke, Secardin and Jost (2022), "Iterative
//! beam search algorithms for the permutation flowshop", EJOR 301, 217-234.
//!
//! Sequences grow at the end only, since most objectives need the completion times of the placed
//! jobs. The levels of the tree and the selection of nodes are those of the beam for the makespan.

mod block;
mod device;
mod guide;
mod lanes;
mod level;
mod model;
mod node;
mod outlook;
mod score;
mod self_test;
mod shape;
mod shop;
mod tree;
mod workload;

pub(crate) use self::device::usual;
pub(crate) use self::workload::TIMED;

use std::time::Duration;

use self::guide::{Guide, Weighting, competing};
use self::model::Model;
use self::shop::Shop;
use self::tree::ForwardTree;
use super::cost::Cost;
use super::incumbent::Incumbent;
use super::problem::Problem;
use crate::flow_shop::search::beam::{Goal, Pass, Request, Trees, Widths, widen};
use crate::solve::{Monitor, Statistics};
use crate::{Context, Dispatch, Limits, Result};

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
    dispatch: &mut Dispatch<'_>,
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
    let forest = Forest { shop: &shop, has_kernels: Model::of(problem).is_ok() };
    let widest = widest(&shop, &extent);
    let widths = Widths { trial: TRIAL_WIDTH, widest, until: extent.until };
    let guides = competing(&shop);
    let mut goal = Improvement { incumbent, shop: &shop, statistics };
    widen(&mut goal, &forest, guides, widths, (context, monitor), dispatch)
}

/// Refuses a model for which there is no kernel.
pub(super) fn check_device_model(problem: &Problem<'_>) -> Result<()> {
    Model::of(problem).map(drop)
}

/// The trees of a shop.
struct Forest<'a> {
    shop: &'a Shop<'a>,
    has_kernels: bool,
}

impl Trees for Forest<'_> {
    type Guide = Weighting;
    type Value = Cost;
    type Tree<'t>
        = ForwardTree<'t>
    where
        Self: 't;

    const WORST: Cost = Cost::WORST;

    fn jobs(&self) -> usize {
        self.shop.jobs.len()
    }

    fn has_kernels(&self) -> bool {
        self.has_kernels
    }

    fn tree<'t>(
        &'t self,
        monitor: &'t Monitor,
        request: &Request<'_, Self>,
    ) -> Result<ForwardTree<'t>> {
        let cost = self.shop.problem.cost(request.best);
        let guide = Guide::new(self.shop, request.guide, request.best, cost);
        ForwardTree::new(self.shop, monitor, guide, request.target)
    }
}

/// The incumbent of a beam search.
struct Improvement<'a, 'i> {
    incumbent: &'a mut Incumbent<'i>,
    shop: &'a Shop<'a>,
    statistics: &'a mut Statistics,
}

impl Goal<Cost> for Improvement<'_, '_> {
    fn best(&self) -> (&[u32], Cost) {
        (self.incumbent.order(), self.incumbent.cost())
    }

    fn settle(&mut self, pass: Pass<Cost>, target: Cost) -> bool {
        self.statistics.add("children", pass.children);
        self.statistics.add("iterations", 1);
        let best = pass.found.as_ref().map_or(target, |found| found.value);
        if let Some(found) = &pass.found {
            self.incumbent.offer(&self.shop.sequence(&found.order));
        }
        if pass.exhaustive {
            // No sequence is better than `best`, whether or not one of that cost exists.
            self.incumbent.raise(best.min(self.incumbent.cost()));
        }
        self.incumbent.is_optimal()
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

#[cfg(test)]
mod tests;
