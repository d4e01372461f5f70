//! Sums of an objective in vector lanes.

use bytemuck::Zeroable;

use super::heads::{LANES, lanes};
use crate::flow_shop::Objective;
use crate::flow_shop::planner::cost::Cost;
use crate::flow_shop::planner::problem::Problem;
use crate::flow_shop::planner::scoring::Tally;
use crate::{Result, memory};

const STAGES: usize = Objective::MAX_STAGES;

/// Integers that hold the sums of an objective: 32 bits if they suffice. Operations wrap around;
/// for times up to [`Sum::most`] no meaningful one does.
pub(super) trait Sum: Copy + Ord + Default + Zeroable + Send + Sync + 'static {
    /// The number, or the nearest one.
    fn of(number: i64) -> Self;
    fn to_i64(self) -> i64;
    fn of_time(time: u32) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;

    /// The largest time for which no sum of this problem overflows.
    fn most(problem: &Problem<'_>) -> u32;
}

macro_rules! sum {
    ($type:ty) => {
        #[inline(always)]
        fn to_i64(self) -> i64 {
            self.into()
        }

        #[inline(always)]
        fn of_time(time: u32) -> Self {
            time as $type
        }

        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            self.wrapping_add(other)
        }

        #[inline(always)]
        fn minus(self, other: Self) -> Self {
            self.wrapping_sub(other)
        }

        #[inline(always)]
        fn times(self, other: Self) -> Self {
            self.wrapping_mul(other)
        }
    };
}

/// Due dates beyond this are later than all times, or earlier.
const MOST_DUE: i64 = 1 << 30;

impl Sum for i32 {
    #[inline(always)]
    fn of(number: i64) -> i32 {
        number.clamp(i32::MIN.into(), i32::MAX.into()) as i32
    }

    fn most(problem: &Problem<'_>) -> u32 {
        let scoring = &problem.scoring;
        let jobs = || 0..problem.jobs() as u32;
        let has_lateness = scoring.lateness_factors() != Cost::default();
        let is_too_far = |job: u32| {
            let (due, terms) = (scoring.due_date(job), scoring.terms(job));
            let has_tardiness = terms.iter().any(|terms| terms.tardy != 0);
            due < -MOST_DUE && has_tardiness || due.abs() > MOST_DUE && has_lateness
        };
        if jobs().any(is_too_far) {
            return 0;
        }
        let most = (0..scoring.stages).map(|stage| {
            let (mut factors, mut fixed) = (0i128, 0i128);
            for job in jobs() {
                let terms = scoring.terms(job)[stage];
                let [flow, tardy, late] = [terms.flow, terms.tardy, terms.late].map(i128::from);
                factors += flow + tardy;
                fixed += tardy * i128::from(-scoring.due_date(job)).max(0) + late;
            }
            (i128::from(i32::MAX) - fixed).max(0) / factors.max(1)
        });
        most.chain([i128::from(MOST_DUE - 1)]).min().unwrap_or(0) as u32
    }

    sum!(i32);
}

impl Sum for i64 {
    #[inline(always)]
    fn of(number: i64) -> i64 {
        number
    }

    fn most(_: &Problem<'_>) -> u32 {
        u32::MAX
    }

    sum!(i64);
}

/// What a job adds to the stages.
pub(super) struct Score<S> {
    due: S,
    stages: [StageScore<S>; STAGES],
    /// Whether the largest lateness counts.
    has_lateness: bool,
}

/// `flow` C - `released` + `tardy` max(0, C - d) + `late` if C > d.
#[derive(Clone, Copy, Default)]
struct StageScore<S> {
    flow: S,
    released: S,
    tardy: S,
    late: S,
}

impl<S: Sum> Score<S> {
    /// By job.
    pub(super) fn all(problem: &Problem<'_>) -> Result<Vec<Self>> {
        let mut scores = memory::list(problem.jobs())?;
        scores.extend((0..problem.jobs() as u32).map(|job| Score::of(problem, job)));
        Ok(scores)
    }

    fn of(problem: &Problem<'_>, job: u32) -> Self {
        let scoring = &problem.scoring;
        let mut stages = [StageScore::default(); STAGES];
        for (stage, terms) in stages.iter_mut().zip(scoring.terms(job)) {
            *stage = StageScore {
                flow: S::of(terms.flow),
                released: S::of(terms.flow * scoring.release_time(job)),
                tardy: S::of(terms.tardy),
                late: S::of(terms.late),
            };
        }
        let due = scoring.due_date(job);
        let due =
            if S::of(i64::MAX).to_i64() == i64::MAX { due } else { due.clamp(-MOST_DUE, MOST_DUE) };
        let has_lateness = scoring.lateness_factors() != Cost::default();
        Score { due: S::of(due), stages, has_lateness }
    }
}

/// The scores with a job at each position.
pub(super) struct Totals<S> {
    stages: usize,
    stride: usize,
    /// `sums[stage * stride + position]`.
    sums: Vec<S>,
    lateness: Vec<S>,
}

impl<S: Sum> Totals<S> {
    pub(super) fn new(stages: usize, stride: usize) -> Result<Self> {
        let (sums, lateness) = (memory::zeroed(stages * stride)?, memory::zeroed(stride)?);
        Ok(Totals { stages, stride, sums, lateness })
    }

    #[inline]
    pub(super) fn set(&mut self, position: usize, tally: &Tally) {
        for stage in 0..self.stages {
            self.sums[stage * self.stride + position] = S::of(tally.sums.0[stage]);
        }
        self.lateness[position] = S::of(tally.lateness);
    }

    /// The score at a position, with the time at which the last job ends.
    #[inline]
    pub(super) fn tally(&self, position: usize, latest: u32) -> Tally {
        let mut sums = Cost::default();
        for stage in 0..self.stages {
            sums.0[stage] = self.sums[stage * self.stride + position].to_i64();
        }
        Tally { sums, latest: latest.into(), lateness: self.lateness[position].to_i64() }
    }

    /// The sum of the first stage and the lateness at a position.
    #[inline]
    pub(super) fn of_first(&self, position: usize) -> (S, S) {
        (self.sums[position], self.lateness[position])
    }

    /// Takes over the scores of the first `used` lanes.
    #[inline(always)]
    pub(super) fn take_over(&mut self, first: usize, used: usize, lanes: &LaneTotals<S>) {
        for stage in 0..self.stages {
            self.sums[stage * self.stride + first..][..used]
                .copy_from_slice(&lanes.sums[stage][..used]);
        }
        self.lateness[first..][..used].copy_from_slice(&lanes.lateness[..used]);
    }
}

/// The scores of a vector of positions.
pub(super) struct LaneTotals<S> {
    stages: usize,
    sums: [[S; LANES]; STAGES],
    lateness: [S; LANES],
}

impl<S: Sum> LaneTotals<S> {
    /// The scores with a job at each position from `first` on.
    #[inline(always)]
    pub(super) fn of(totals: &Totals<S>, first: usize) -> Self {
        let mut sums = [[S::default(); LANES]; STAGES];
        for (stage, sums) in sums[..totals.stages].iter_mut().enumerate() {
            *sums = *lanes(&totals.sums, stage * totals.stride + first);
        }
        LaneTotals { stages: totals.stages, sums, lateness: *lanes(&totals.lateness, first) }
    }

    /// The least sum of the first stage and the least lateness of all lanes. Each lane adds
    /// `weight` for each unit of its delay.
    #[inline(always)]
    pub(super) fn least<T: super::spread::Lane>(&self, weight: S, delays: &[T; LANES]) -> (S, S) {
        let (mut sum, mut lateness) = (S::of(i64::MAX), S::of(i64::MAX));
        for (lane, delay) in delays.iter().enumerate() {
            let more = weight.times(S::of_time(delay.to_u32()));
            sum = sum.min(self.sums[0][lane].plus(more));
            lateness = lateness.min(self.lateness[lane]);
        }
        (sum, lateness)
    }

    /// Counts a job with its completion time in each lane that is meant.
    #[inline(always)]
    pub(super) fn add<T: super::spread::Lane>(
        &mut self,
        score: &Score<S>,
        ends: &[T; LANES],
        is_meant: impl Fn(usize) -> bool,
    ) {
        let mut completions = [S::default(); LANES];
        let mut lateness = [S::default(); LANES];
        for lane in 0..LANES {
            completions[lane] = S::of_time(ends[lane].to_u32());
            lateness[lane] = completions[lane].minus(score.due);
        }
        let zero = S::default();
        let counted = |lane: usize, more: S| if is_meant(lane) { more } else { zero };
        for (sums, &terms) in self.sums[..self.stages].iter_mut().zip(&score.stages) {
            if terms.flow != zero {
                for lane in 0..LANES {
                    let flow = terms.flow.times(completions[lane]).minus(terms.released);
                    sums[lane] = sums[lane].plus(counted(lane, flow));
                }
            }
            if terms.tardy != zero {
                for lane in 0..LANES {
                    let tardiness = terms.tardy.times(lateness[lane].max(zero));
                    sums[lane] = sums[lane].plus(counted(lane, tardiness));
                }
            }
            if terms.late != zero {
                for lane in 0..LANES {
                    let late = if lateness[lane] > zero { terms.late } else { zero };
                    sums[lane] = sums[lane].plus(counted(lane, late));
                }
            }
        }
        if score.has_lateness {
            for (lane, &late) in lateness.iter().enumerate() {
                let largest = self.lateness[lane];
                self.lateness[lane] = if is_meant(lane) { largest.max(late) } else { largest };
            }
        }
    }
}
