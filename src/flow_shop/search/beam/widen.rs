//! Passes of doubling width.

use std::time::{Duration, Instant};

use super::Pass;
use super::passes::{Passes, Request, Trees};
use crate::solve::Monitor;
use crate::{Context, Dispatch, Error, Result};

/// The widths of a beam search.
#[derive(Debug, Clone, Copy)]
pub(in crate::flow_shop) struct Widths {
    /// Up to this width all guides are tried; wider beams use the best guide.
    pub(in crate::flow_shop) trial: usize,
    pub(in crate::flow_shop) widest: usize,
    /// No pass begins that would not end this long after the start of the solve.
    pub(in crate::flow_shop) until: Option<Duration>,
}

/// What a beam search improves.
pub(in crate::flow_shop) trait Goal<V> {
    /// The best sequence so far and its value.
    fn best(&self) -> (&[u32], V);

    /// Takes over the result of a pass for `target`; returns whether the search is over.
    fn settle(&mut self, pass: Pass<V>, target: V) -> bool;
}

/// Runs passes until a limit, at the widest one, or until the next one would not end in time. An
/// iteration is a pass.
pub(in crate::flow_shop) fn widen<T: Trees>(
    goal: &mut dyn Goal<T::Value>,
    trees: &T,
    guides: &[T::Guide],
    widths: Widths,
    (context, monitor): (&Context, &Monitor),
    dispatch: &mut Dispatch<'_>,
) -> Result<()> {
    let mut passes = Passes::new(context, monitor, trees, widths.widest, dispatch);
    let ended = widen_passes(goal, &mut passes, guides, widths, monitor, dispatch);
    passes.end(dispatch);
    ended
}

fn widen_passes<T: Trees>(
    goal: &mut dyn Goal<T::Value>,
    passes: &mut Passes<'_, T>,
    guides: &[T::Guide],
    Widths { trial, widest, until }: Widths,
    monitor: &Monitor,
    dispatch: &mut Dispatch<'_>,
) -> Result<()> {
    let mut guides: Vec<_> = guides.iter().map(|&guide| (guide, T::WORST)).collect();
    let (mut width, mut last_time, mut narrowed) = (1, Duration::ZERO, false);
    loop {
        for (guide, own) in &mut guides {
            if monitor.begin_iteration().is_err() {
                return Ok(());
            }
            let start = Instant::now();
            let (best, value) = goal.best();
            // While the guides compete, none may profit from the others' sequences.
            let target = if width <= trial { *own } else { value };
            let request = Request { guide: *guide, width, target, best };
            let pass = match passes.run(&request, dispatch) {
                Err(error) if matches!(*error, Error::Stopped) => return Ok(()),
                pass => pass?,
            };
            (last_time, narrowed) = (start.elapsed(), narrowed | (pass.width < width));
            *own = pass.found.as_ref().map_or(*own, |found| found.value);
            if goal.settle(pass, target) {
                return Ok(());
            }
        }
        if width >= trial {
            if let Some(best) = (0..guides.len()).min_by_key(|&guide| guides[guide].1) {
                guides.swap(0, best);
            }
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
            Some(until) => next_width(width, last_time, until.saturating_sub(monitor.elapsed())),
        }
        .min(widest);
        if width == 0 {
            return Ok(());
        }
    }
}

/// The next width: twice the last one, or less if time is short; 0 if time allows less than half of
/// the doubled width.
fn next_width(width: usize, last: Duration, left: Duration) -> usize {
    let factor = left.as_secs_f64() / last.as_secs_f64().max(1e-9) * 0.9;
    if factor < 0.5 { 0 } else { (width as f64 * factor.min(2.0)) as usize }
}
