//! Insertions for any objective: the beginning before the inserted job is reused, and everything
//! behind it is computed for many positions at once. The jobs behind are the same for all of them,
//! so that each step is one job in all lanes.

use std::sync::Arc;

use super::heads::{Heads, LANES, lanes};
use super::places::Places;
use super::plan::Plan;
use super::spread::Lane;
use super::sums::{LaneTotals, Score, Sum, Totals};
use super::tables::{MARGIN, Tables};
use crate::flow_shop::planner::cost::Cost;
use crate::flow_shop::planner::scoring::Tally;
use crate::flow_shop::search::PartialSequence;
use crate::simd::HotLoop;
use crate::{Result, memory};

/// A sequence with the scores of its beginnings. Sums are of type `S`.
pub(super) struct Prefix<'a, T, S> {
    heads: Heads<'a, T>,
    plan: Plan<'a>,
    /// For each position the score of the jobs before it.
    tallies: Vec<Tally>,
    scores: Arc<Vec<Score<S>>>,
    /// Largest time for which no sum overflows.
    most: u32,
    /// The machines behind the inserted job: `starts[machine * stride + position]`.
    starts: Vec<T>,
    /// The machines of a vector of positions: `state[machine * LANES + lane]`.
    state: Vec<T>,
    /// For each position, the time at which the last job ends, and the score of all.
    ends: Vec<T>,
    totals: Totals<S>,
}

impl<'a, T: Lane, S: Sum> Prefix<'a, T, S> {
    /// Times of evaluated sequences must be at most `most`.
    pub(super) fn new(
        tables: Arc<Tables<'a, T>>,
        scores: Arc<Vec<Score<S>>>,
        most: u32,
    ) -> Result<Self> {
        let heads = Heads::new(tables)?;
        let (tables, stride) = (&heads.tables, heads.stride);
        Ok(Prefix {
            plan: Plan::new(tables.problem),
            tallies: memory::filled(tables.tally, stride)?,
            scores,
            most,
            starts: memory::zeroed(tables.machines * stride)?,
            state: memory::zeroed(tables.machines * LANES)?,
            ends: memory::zeroed(stride)?,
            totals: Totals::new(tables.problem.scoring.stages, stride)?,
            heads,
        })
    }

    fn complete(&mut self) {
        let known = self.heads.complete();
        let scoring = &self.heads.tables.problem.scoring;
        for position in known..self.heads.order.len() {
            let mut tally = self.tallies[position];
            let completion = self.heads.completion(position + 1);
            scoring.add(&mut tally, self.heads.order[position], completion.into());
            self.tallies[position + 1] = tally;
        }
    }

    /// Computes `ends` and `totals` for a job at each position.
    fn evaluate(&mut self, job: u32) {
        self.complete();
        self.heads.gather(job, None);
        let problem = self.heads.tables.problem;
        match (self.heads.tables.setups.is_some(), problem.has_blocking) {
            (false, false) => self.fill::<false, false>(job),
            (false, true) => self.fill::<false, true>(job),
            (true, false) => self.fill::<true, false>(job),
            (true, true) => self.fill::<true, true>(job),
        }
    }

    fn fill<const SETUPS: bool, const BLOCKING: bool>(&mut self, job: u32) {
        let (heads, tables) = (&self.heads, &self.heads.tables);
        let (stride, places) = (heads.stride, heads.order.len() + 1);
        heads.simd.run(Starts::<T, SETUPS, BLOCKING> {
            times: &tables.times(Some(job))[MARGIN..][..tables.machines],
            release: tables.release(Some(job)),
            heads: heads.heads(),
            entering: heads.gathered().0,
            stride,
            starts: &mut self.starts,
            ends: &mut self.ends[..places.next_multiple_of(LANES)],
        });
        for position in 0..places {
            let mut tally = self.tallies[position];
            tables.problem.scoring.add(&mut tally, job, self.ends[position].to_u32().into());
            self.totals.set(position, &tally);
        }
        heads.simd.run(Walk::<T, S, SETUPS, BLOCKING> {
            heads: &self.heads,
            job,
            scores: &self.scores,
            starts: &self.starts,
            state: &mut self.state,
            ends: &mut self.ends,
            totals: &mut self.totals,
        });
    }

    /// The cost with the evaluated job at a position, without the comparison with the running plan.
    #[inline]
    fn cost(&self, position: usize) -> Cost {
        let tally = self.totals.tally(position, self.ends[position].to_u32());
        self.heads.tables.problem.scoring.cost(&tally)
    }
}

impl<T: Lane, S: Sum> PartialSequence for Prefix<'_, T, S> {
    type Value = Cost;

    fn order(&self) -> &[u32] {
        &self.heads.order
    }

    fn set(&mut self, order: &[u32]) {
        self.heads.set(order);
        self.plan.set(order);
    }

    fn insert(&mut self, position: usize, job: u32) {
        self.plan.insert(&self.heads.order, position, job);
        self.heads.insert(position, job);
    }

    fn remove(&mut self, position: usize) -> u32 {
        let job = self.heads.remove(position);
        self.plan.remove(&self.heads.order, position, job);
        job
    }

    fn value(&mut self) -> Cost {
        self.complete();
        let tally = &self.tallies[self.heads.order.len()];
        self.heads.tables.problem.scoring.cost(tally) + self.plan.cost
    }

    fn accepts(&self, worse: Cost, better: Cost, unit: f64) -> bool {
        self.heads.tables.tolerance.accepts(worse, better, unit)
    }

    /// On ties the shortest makespan decides, then the first position.
    fn best_place(&mut self, job: u32) -> (usize, Cost) {
        self.evaluate(job);
        let planned = self.plan.with(&self.heads.order, job).to_vec();
        let place = |position: usize| {
            let planned = planned.get(position).copied().unwrap_or_default();
            (self.cost(position) + planned, self.ends[position], position)
        };
        let best = (0..=self.heads.order.len()).map(place).min();
        best.map_or((0, Cost::WORST), |(cost, _, position)| (position, cost))
    }

    fn reaches(&self, _: Cost, moved: u32) -> bool {
        self.heads.reaches(moved, self.most)
    }
}

impl<T: Lane, S: Sum> Places for Prefix<'_, T, S> {
    fn costs(&mut self, job: u32, costs: &mut Vec<Cost>) {
        self.evaluate(job);
        let planned = self.plan.with(&self.heads.order, job).to_vec();
        let cost = |position: usize| {
            self.cost(position) + planned.get(position).copied().unwrap_or_default()
        };
        costs.clear();
        costs.extend((0..=self.heads.order.len()).map(cost));
    }
}

/// Computes the machines behind a job at each position of a sequence.
struct Starts<'p, T, const SETUPS: bool, const BLOCKING: bool> {
    /// The job's times.
    times: &'p [T],
    release: T,
    /// Rows by machine at distance `stride`.
    heads: &'p [T],
    entering: &'p [T],
    stride: usize,
    starts: &'p mut [T],
    /// For each position, the job's completion time.
    ends: &'p mut [T],
}

impl<T: Lane, const SETUPS: bool, const BLOCKING: bool> HotLoop
    for Starts<'_, T, SETUPS, BLOCKING>
{
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (vector, ends) in self.ends.chunks_exact_mut(LANES).enumerate() {
            let row = |machine: usize| machine * self.stride + vector * LANES;
            let mut end = [self.release; LANES];
            for (machine, &time) in self.times.iter().enumerate() {
                let mut start: [T; LANES] = *lanes(self.heads, row(machine));
                if SETUPS {
                    let entering = lanes(self.entering, row(machine));
                    for lane in 0..LANES {
                        start[lane] = start[lane].plus(entering[lane]);
                    }
                }
                for lane in 0..LANES {
                    start[lane] = start[lane].max(end[lane]);
                    end[lane] = start[lane].plus(time);
                }
                if !BLOCKING {
                    self.starts[row(machine)..][..LANES].copy_from_slice(&end);
                } else if machine > 0 {
                    // The machine before is free once this one has the job.
                    self.starts[row(machine - 1)..][..LANES].copy_from_slice(&start);
                }
            }
            if BLOCKING {
                self.starts[row(self.times.len() - 1)..][..LANES].copy_from_slice(&end);
            }
            ends.copy_from_slice(&end);
        }
    }
}

/// Continues the schedules of all positions to the end of the sequence.
struct Walk<'p, 'a, T, S, const SETUPS: bool, const BLOCKING: bool> {
    heads: &'p Heads<'a, T>,
    /// The inserted job.
    job: u32,
    scores: &'p [Score<S>],
    starts: &'p [T],
    state: &'p mut [T],
    ends: &'p mut [T],
    totals: &'p mut Totals<S>,
}

impl<T: Lane, S: Sum, const SETUPS: bool, const BLOCKING: bool> HotLoop
    for Walk<'_, '_, T, S, SETUPS, BLOCKING>
{
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let jobs = self.heads.order.len();
        for first in (0..jobs).step_by(LANES) {
            // Lanes whose position is still ahead compute what nobody reads.
            let mut end = [T::default(); LANES];
            let mut totals = LaneTotals::new(self.totals);
            for position in first..jobs {
                let lane = position - first;
                if lane < LANES {
                    self.enter(position, lane);
                    totals.enter(self.totals, position, lane);
                }
                end = self.step(position);
                totals.add(&self.scores[self.heads.order[position] as usize], &end);
            }
            let used = LANES.min(jobs - first);
            self.ends[first..][..used].copy_from_slice(&end[..used]);
            self.totals.take_over(first, used, &totals);
        }
    }
}

impl<T: Lane, S: Sum, const SETUPS: bool, const BLOCKING: bool>
    Walk<'_, '_, T, S, SETUPS, BLOCKING>
{
    /// Lets a lane begin behind the inserted job. The next job's set-ups after that one
    /// replace those after its predecessor, which all other lanes have.
    #[inline(always)]
    fn enter(&mut self, position: usize, lane: usize) {
        let (heads, tables) = (self.heads, &self.heads.tables);
        let (own, links): (&[T], &[T]) = match &tables.setups {
            Some(setups) if SETUPS => {
                let own = setups.from(self.job, heads.order[position]);
                (own, &heads.links(position)[MARGIN..])
            }
            _ => (&[], &[]),
        };
        for machine in 0..tables.machines {
            let mut free = self.starts[machine * heads.stride + position];
            if SETUPS {
                free = free.plus(own[machine]).minus(links[machine]);
            }
            self.state[machine * LANES + lane] = free;
        }
    }

    /// Appends the job at a position in all lanes, and returns its completion times.
    #[inline(always)]
    fn step(&mut self, position: usize) -> [T; LANES] {
        let (heads, tables) = (self.heads, &self.heads.tables);
        let job = Some(heads.order[position]);
        let times = &tables.times(job)[MARGIN..][..tables.machines];
        let links = &heads.links(position)[MARGIN..][..tables.machines];
        let state = &mut self.state.as_chunks_mut::<LANES>().0[..times.len()];
        let mut end = [tables.release(job); LANES];
        for (machine, (&time, &link)) in times.iter().zip(links).enumerate() {
            let mut start = state[machine];
            for lane in 0..LANES {
                let free = if SETUPS { start[lane].plus(link) } else { start[lane] };
                start[lane] = free.max(end[lane]);
                end[lane] = start[lane].plus(time);
            }
            if !BLOCKING {
                state[machine] = end;
            } else if machine > 0 {
                state[machine - 1] = start;
            }
        }
        if BLOCKING {
            state[times.len() - 1] = end;
        }
        end
    }
}
