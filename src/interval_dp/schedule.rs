//! The order of the tiles in the CPU engine: a tile is solved as soon as its neighbours to the left
//! and below are.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

use crate::memory::Gather;
use crate::solve::Monitor;
use crate::{Context, Error, Result, parallel};

/// Solves tile (p, q), whose neighbours (p, q - 1) and (p + 1, q) are solved; returns false if it
/// was stopped.
type Solve<'a> = dyn Fn(usize, usize) -> bool + Sync + 'a;

/// Solves the tiles (p, q), p <= q < `side`, on all threads.
pub(super) fn solve_all(
    context: &Context,
    side: usize,
    monitor: &Monitor,
    solve: &Solve<'_>,
) -> Result<()> {
    let missing = (0..tiles(side)).map(|_| AtomicU8::new(2)).gather()?;
    let (done, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let schedule = Schedule { side, solve, missing, done, stopped, monitor };
    if side == 1 {
        schedule.solve(0, 0);
    } else {
        let all = (side * (side + 1) * (side + 2) / 6) as f64;
        let fraction = || Some(schedule.done.load(Ordering::Relaxed) as f64 / all);
        context.install_reporting(monitor, "interval", fraction, || {
            match parallel::has_pool() {
                true => rayon::scope(|scope| (0..side).for_each(|p| schedule.spawn(scope, p, p))),
                false => schedule.run_alone(),
            }
        })?;
    }
    match schedule.stopped.into_inner() {
        true => Err(Error::stopped()),
        false => Ok(()),
    }
}

/// Number of tiles of a triangle.
pub(super) fn tiles(side: usize) -> usize {
    side * (side + 1) / 2
}

/// Place of a tile in the list of all, column by column.
pub(super) fn place(p: usize, q: usize) -> usize {
    tiles(q) + p
}

struct Schedule<'a> {
    side: usize,
    solve: &'a Solve<'a>,
    /// For each tile, how many of its two predecessors are not solved yet.
    missing: Vec<AtomicU8>,
    /// Number of finished products of tiles.
    done: AtomicUsize,
    stopped: AtomicBool,
    monitor: &'a Monitor,
}

impl Schedule<'_> {
    fn spawn<'s>(&'s self, scope: &rayon::Scope<'s>, p: usize, q: usize) {
        scope.spawn(move |scope| self.run(scope, p, q));
    }

    /// Solves a tile and starts those that only waited for it.
    fn run<'s>(&'s self, scope: &rayon::Scope<'s>, p: usize, q: usize) {
        if self.stopped.load(Ordering::Relaxed) || !self.solve(p, q) {
            return;
        }
        let above = p.checked_sub(1).map(|above| (above, q));
        let right = (q + 1 < self.side).then_some((p, q + 1));
        for (p, q) in [above, right].into_iter().flatten() {
            if self.missing[place(p, q)].fetch_sub(1, Ordering::AcqRel) == 1 {
                self.spawn(scope, p, q);
            }
        }
    }

    /// Solves all tiles on the calling thread.
    fn run_alone(&self) {
        for q in 0..self.side {
            for p in (0..=q).rev() {
                if !self.solve(p, q) {
                    return;
                }
            }
        }
    }

    fn solve(&self, p: usize, q: usize) -> bool {
        let solved = !self.monitor.should_stop() && (self.solve)(p, q);
        if solved {
            self.done.fetch_add(q - p + 1, Ordering::Relaxed);
        } else {
            self.stopped.store(true, Ordering::Relaxed);
        }
        solved
    }
}
