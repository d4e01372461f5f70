//! Beam search with a width that doubles from pass to pass.

use std::time::{Duration, Instant};

use super::passes::{Passes, Request};
use super::{Portfolio, refuse_more_jobs, value};
use crate::flow_shop::search::beam::{Pass, next_width};
use crate::flow_shop::search::objective::Objective;
use crate::{Dispatch, Error, Result};

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
        let widest = self.widest_beam(limited);
        let watched = (self.incumbent.instance, self.incumbent.monitor);
        let mut passes = Passes::new(self.context, self.shop, watched, widest, dispatch);
        let ended = self.widen(&mut passes, widest, until, dispatch);
        passes.log(dispatch);
        ended
    }

    /// Runs passes up to the widest one, or until a limit.
    fn widen(
        &mut self,
        passes: &mut Passes<'_, O>,
        widest: usize,
        until: Option<Duration>,
        dispatch: &mut Dispatch<'_>,
    ) -> Result<()> {
        let monitor = self.incumbent.monitor;
        let mut guides: Vec<(O::Guide, u32)> = O::GUIDES.map(|guide| (guide, u32::MAX)).into();
        let mut width = 1;
        let mut last_time = Duration::ZERO;
        let mut narrowed = false;
        loop {
            for (guide, own) in &mut guides {
                if monitor.begin_iteration().is_err() {
                    return Ok(());
                }
                let start = Instant::now();
                // While the guides compete, neither may profit from the other's sequences.
                let target = if width <= TRIAL_WIDTH { *own } else { self.incumbent.value() };
                let pass = match passes.run(Request { guide: *guide, width, target }, dispatch) {
                    Err(error) if matches!(*error, Error::Stopped) => return Ok(()),
                    pass => pass?,
                };
                narrowed |= pass.width < width;
                last_time = start.elapsed();
                *own = pass.found.as_ref().map_or(*own, value);
                if self.settle(pass, target) {
                    return Ok(());
                }
            }
            if width >= TRIAL_WIDTH {
                guides.sort_by_cached_key(|&(_, own)| u64::from(own));
                guides.truncate(1);
            }
            if narrowed {
                dispatch.warn(format!("memory keeps beam search below a width of {width}"));
            }
            if narrowed || width >= widest {
                return Ok(());
            }
            width = match until {
                None => width * 2,
                Some(until) => {
                    match next_width(width, last_time, until.saturating_sub(monitor.elapsed())) {
                        0 => return Ok(()),
                        width => width,
                    }
                }
            }
            .min(widest);
        }
    }

    /// The widest beam. Without a limit it takes about a second.
    fn widest_beam(&self, limited: bool) -> usize {
        let work = (self.shop.jobs() * self.shop.jobs()) as u64 * self.shop.machines() as u64;
        let usual =
            if limited { usize::MAX } else { (400_000_000 / work.max(1)).clamp(1, 1024) as usize };
        self.options.beam_width.unwrap_or(usual)
    }

    /// Takes over the result of a pass for `target`; returns whether the search is over.
    fn settle(&mut self, pass: Pass, target: u32) -> bool {
        self.statistics.add("children", pass.children);
        self.statistics.add("iterations", 1);
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
