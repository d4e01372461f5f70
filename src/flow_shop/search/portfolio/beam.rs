//! Beam search with a width that doubles from pass to pass.

use std::marker::PhantomData;
use std::time::Duration;

use super::{Portfolio, refuse_more_jobs, value};
use crate::flow_shop::Instance;
use crate::flow_shop::search::Shop;
use crate::flow_shop::search::beam::{Goal, Pass, Request, Trees, Widths, widen};
use crate::flow_shop::search::objective::Objective;
use crate::solve::Monitor;
use crate::{Dispatch, Result};

/// Beams up to this width try both guides; wider ones use the better guide.
const TRIAL_WIDTH: usize = 64;

impl<O: Objective> Portfolio<'_, '_, O> {
    /// Runs beam search until a limit.
    pub(in crate::flow_shop::search) fn run_beam(
        &mut self,
        dispatch: &mut Dispatch<'_>,
    ) -> Result<()> {
        self.beam(self.is_limited(), None, dispatch)
    }

    /// Runs beam search with doubling width. Ends at a limit, at the default width if there is
    /// none, or when the next pass would not end before `until` after the start. An iteration is a
    /// pass.
    pub(super) fn beam(
        &mut self,
        limited: bool,
        until: Option<Duration>,
        dispatch: &mut Dispatch<'_>,
    ) -> Result<()> {
        refuse_more_jobs(self.shop, "beam search", O::MOST_BEAM_JOBS, dispatch)?;
        let widths = Widths { trial: TRIAL_WIDTH, widest: self.widest_beam(limited), until };
        let instance = self.incumbent.instance;
        let trees = ObjectiveTrees::<O> { shop: self.shop, instance, objective: PhantomData };
        let whole = (self.context, self.incumbent.monitor);
        widen(self, &trees, &O::GUIDES, widths, whole, dispatch)
    }

    /// The widest beam. Without a limit it takes about a second.
    fn widest_beam(&self, limited: bool) -> usize {
        let work = (self.shop.jobs() * self.shop.jobs()) as u64 * self.shop.machines() as u64;
        let usual =
            if limited { usize::MAX } else { (400_000_000 / work.max(1)).clamp(1, 1024) as usize };
        self.options.beam_width.unwrap_or(usual)
    }
}

impl<O: Objective> Goal<u64> for Portfolio<'_, '_, O> {
    fn best(&self) -> (&[u32], u64) {
        (self.incumbent.order(), self.incumbent.value().into())
    }

    fn settle(&mut self, pass: Pass, target: u64) -> bool {
        self.statistics.add("children", pass.children);
        self.statistics.add("iterations", 1);
        let target = u32::try_from(target).unwrap_or(u32::MAX);
        let best = pass.found.as_ref().map_or(target, value);
        if let Some(found) = pass.found {
            self.offer(&found);
        }
        if pass.exhaustive {
            // No sequence is better than `best`, whether or not one of that value exists.
            self.incumbent.raise(best.min(self.incumbent.value()));
        }
        self.is_settled()
    }
}

/// The trees of an objective.
struct ObjectiveTrees<'a, O> {
    shop: &'a Shop,
    instance: &'a Instance,
    objective: PhantomData<O>,
}

impl<O: Objective> Trees for ObjectiveTrees<'_, O> {
    type Guide = O::Guide;
    type Value = u64;
    type Tree<'t>
        = O::Tree<'t>
    where
        Self: 't;

    const WORST: u64 = u64::MAX;

    fn jobs(&self) -> usize {
        self.shop.jobs()
    }

    fn has_kernels(&self) -> bool {
        true
    }

    fn tree<'t>(
        &'t self,
        monitor: &'t Monitor,
        request: &Request<'_, Self>,
    ) -> Result<O::Tree<'t>> {
        let cutoff = u32::try_from(request.target).unwrap_or(u32::MAX);
        Ok(O::tree(self.shop, monitor, self.instance, request.guide, cutoff))
    }
}
