//! The jobs behind an inserted job, for many positions at once.

use super::bound::Bound;
use super::starts::shorten;
use crate::flow_shop::planner::search::heads::{Heads, LANES, lanes};
use crate::flow_shop::planner::search::spread::Lane;
use crate::flow_shop::planner::search::sums::{LaneTotals, Score, Sum, Totals};
use crate::flow_shop::planner::search::tables::MARGIN;
use crate::simd::HotLoop;

/// A vector that lies within as few cache lines as possible: a step reads each one soon after the
/// last step has written it.
#[derive(Clone)]
#[repr(align(64))]
pub(super) struct Row<T>([T; LANES]);

impl<T: Lane> Default for Row<T> {
    fn default() -> Self {
        Row([T::default(); LANES])
    }
}

/// Continues the schedules of a vector of positions to the end of the sequence.
pub(super) struct Walk<'p, 'a, T, S, const SETUPS: bool, const BLOCKING: bool> {
    pub(super) heads: &'p Heads<'a, T>,
    /// The inserted job.
    pub(super) job: u32,
    /// The vector's first position.
    pub(super) first: usize,
    pub(super) bound: Bound<'p>,
    /// `rests` and `weights`, see [`Prefix`].
    pub(super) behind: (&'p [S], &'p [S]),
    pub(super) scores: &'p [Score<S>],
    pub(super) starts: &'p [T],
    pub(super) state: &'p mut [Row<T>],
    pub(super) ends: &'p mut [T],
    pub(super) totals: &'p mut Totals<S>,
}

/// The [`LANES`] numbers from `2 * LANES - 1 - lane` on are positive for the lanes up to `lane`,
/// and [`NEW`] for that one. The first [`LANES`] are 1. With a formula instead of a table, the
/// compiler computes it again for each machine.
static ENTERED: [u16; 3 * LANES] = {
    let mut entered = [0; 3 * LANES];
    let mut lane = 0;
    while lane < 2 * LANES {
        entered[lane] = 1;
        lane += 1;
    }
    entered[2 * LANES - 1] = NEW;
    entered
};
const NEW: u16 = 2;

/// Jobs between two looks at the bound.
const STEPS: usize = 8;

impl<T: Lane, S: Sum, const SETUPS: bool, const BLOCKING: bool> HotLoop
    for Walk<'_, '_, T, S, SETUPS, BLOCKING>
{
    type Output = bool;

    #[inline(always)]
    fn run(mut self) -> bool {
        let (first, jobs) = (self.first, self.heads.order.len());
        let is_bounded = !SETUPS && self.bound.most < i64::MAX;
        for (machine, row) in self.state.iter_mut().enumerate() {
            row.0 = *lanes(self.starts, machine * self.heads.stride + first);
        }
        let mut end = [T::default(); LANES];
        let mut totals = LaneTotals::of(self.totals, first);
        for position in first..jobs {
            let lane = position - first;
            if is_bounded && lane >= LANES && lane % STEPS == 0 && self.excludes(&totals, position)
            {
                return false;
            }
            let entered = if lane < LANES { 2 * LANES - 1 - lane } else { 0 };
            end = self.step(position, lanes(&ENTERED, entered), &mut totals);
        }
        // Nothing is behind the last position.
        let used = LANES.min(jobs.saturating_sub(first));
        self.ends[first..][..used].copy_from_slice(&end[..used]);
        self.totals.take_over(first, used, &totals);
        true
    }
}

impl<T: Lane, S: Sum, const SETUPS: bool, const BLOCKING: bool>
    Walk<'_, '_, T, S, SETUPS, BLOCKING>
{
    /// Whether all lanes cost too much, from the scores of the jobs before `position`.
    #[inline(always)]
    fn excludes(&self, totals: &LaneTotals<S>, position: usize) -> bool {
        let (heads, (rests, weights)) = (self.heads, self.behind);
        let mut delays = [T::NONE; LANES];
        for (machine, row) in self.state.iter().enumerate() {
            let sooner = heads.heads()[machine * heads.stride + position];
            shorten(&mut delays, &row.0, &[sooner; LANES]);
        }
        let (sum, lateness) = totals.least(weights[position], &delays);
        self.bound.is_exceeded(sum.plus(rests[position]).to_i64(), lateness.to_i64())
    }

    /// Appends the job at a position, and returns its completion times. In a new lane, the job
    /// comes directly behind the inserted one. Lanes that have not entered wait.
    #[inline(always)]
    fn step(
        &mut self,
        position: usize,
        entered: &[u16; LANES],
        totals: &mut LaneTotals<S>,
    ) -> [T; LANES] {
        let (heads, tables) = (self.heads, &self.heads.tables);
        let job = heads.order[position];
        let times = &tables.times(Some(job))[MARGIN..][..tables.machines];
        // Without set-ups nobody reads these.
        let (mut links, mut own) = (times, times);
        if let Some(setups) = tables.setups.as_ref().filter(|_| SETUPS) {
            links = &heads.links(position)[MARGIN..][..times.len()];
            own = &setups.from(self.job, job)[..times.len()];
        }
        let has_entered = |lane: usize| entered[lane] > 0;
        let state = &mut self.state[..times.len()];
        let mut end = [tables.release(Some(job)); LANES];
        for (machine, &time) in times.iter().enumerate() {
            let mut start = state[machine].0;
            // Loads in the branches below would keep the compiler from vectors.
            let (own, link) = (own[machine], links[machine]);
            for lane in 0..LANES {
                if SETUPS {
                    let before = if entered[lane] == NEW { own } else { link };
                    start[lane] = start[lane].plus(before);
                }
                start[lane] = start[lane].max(end[lane]);
                end[lane] = start[lane].plus(time);
            }
            // With blocking, the machine before is free once this one has the job.
            let (row, free) =
                if BLOCKING { (machine.wrapping_sub(1), &start) } else { (machine, &end) };
            if !BLOCKING || machine > 0 {
                take_over(&mut state[row].0, free, has_entered);
            }
        }
        if BLOCKING {
            take_over(&mut state[times.len() - 1].0, &end, has_entered);
        }
        totals.add(&self.scores[job as usize], &end, has_entered);
        end
    }
}

/// Replaces the numbers of some lanes.
#[inline(always)]
fn take_over<T: Lane>(row: &mut [T; LANES], new: &[T; LANES], is_meant: impl Fn(usize) -> bool) {
    for lane in 0..LANES {
        let (new, old) = (new[lane], row[lane]);
        row[lane] = if is_meant(lane) { new } else { old };
    }
}
