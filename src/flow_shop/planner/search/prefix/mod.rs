//! Insertions for any objective: the beginning before the inserted job is reused, and everything
//! behind it is computed for many positions at once. The jobs behind are the same for all of them,
//! so that each step is one job in all lanes. The search for the best position leaves the positions
//! of a vector once a lower bound shows that all of them are worse than another one.

mod bound;
mod starts;
mod walk;

use std::iter;
use std::sync::Arc;

use self::bound::Bound;
use self::starts::Starts;
use self::walk::{Row, Walk};
use super::heads::{Heads, LANES};
use super::places::Places;
use super::plan::Plan;
use super::spread::Lane;
use super::sums::{Score, Sum, Totals};
use super::tables::{MARGIN, Tables};
use crate::flow_shop::planner::cost::Cost;
use crate::flow_shop::planner::scoring::Tally;
use crate::flow_shop::search::PartialSequence;
use crate::{Result, memory};

/// Jobs from which on the bound saves time.
const LEAST_BOUNDED: usize = 2 * LANES;

/// A sequence with the scores of its beginnings. Sums are of type `S`.
pub(super) struct Prefix<'a, T, S> {
    heads: Heads<'a, T>,
    plan: Plan<'a>,
    /// For each position the score of the jobs before it.
    tallies: Vec<Tally>,
    scores: Arc<Vec<Score<S>>>,
    /// Largest time for which no sum overflows.
    most: u32,
    /// Whether another job in the sequence never lowers the cost of the jobs behind it.
    is_monotone: bool,
    /// If it is monotone: what the jobs from each position on add to the first stage, and how much
    /// each unit of delay adds to that at least.
    rests: Vec<S>,
    weights: Vec<S>,
    /// The position of the job removed last.
    removed: usize,
    /// The machines behind the inserted job: `starts[machine * stride + position]`.
    starts: Vec<T>,
    /// For each position, how much later than without that job each of them becomes free at least.
    /// Only without set-ups.
    delays: Vec<T>,
    /// By machine, for a vector of positions.
    state: Vec<Row<T>>,
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
            // A set-up of two jobs may be longer than those of a third one between them.
            is_monotone: tables.setups.is_none() && !tables.problem.scoring.has_plan(),
            rests: memory::zeroed(stride)?,
            weights: memory::zeroed(stride)?,
            removed: 0,
            starts: memory::zeroed(tables.machines * stride)?,
            delays: memory::zeroed(stride)?,
            state: memory::filled(Row::default(), tables.machines)?,
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

    /// Computes `rests` and `weights`. A job that waits for its release may make up for a delay.
    fn weigh(&mut self) {
        let heads = &self.heads;
        let (jobs, problem) = (heads.order.len(), heads.tables.problem);
        let sum = |position: usize| self.tallies[position].sums.first();
        (self.rests[jobs], self.weights[jobs]) = (S::default(), S::default());
        let mut weight = 0i64;
        for (position, &job) in heads.order.iter().enumerate().rev() {
            let terms = problem.scoring.terms(job)[0];
            let end = i64::from(heads.completion(position + 1));
            let is_late = end >= problem.scoring.due_date(job);
            let waits = heads.tables.release(Some(job)) > heads.heads()[position];
            let own = if is_late { terms.flow.saturating_add(terms.tardy) } else { terms.flow };
            weight = if waits { 0 } else { own.saturating_add(weight) };
            self.rests[position] = S::of(sum(jobs) - sum(position));
            self.weights[position] = S::of(weight);
        }
    }

    /// Computes `starts`, and the scores with a job at each position without the jobs behind it.
    fn begin(&mut self, job: u32) {
        self.complete();
        self.heads.gather(job, None);
        let (heads, tables) = (&self.heads, &self.heads.tables);
        let (stride, places) = (heads.stride, heads.order.len() + 1);
        heads.simd.run(Starts {
            times: &tables.times(Some(job))[MARGIN..][..tables.machines],
            release: tables.release(Some(job)),
            has_blocking: tables.problem.has_blocking,
            heads: heads.heads(),
            entering: tables.setups.is_some().then(|| heads.gathered().0),
            stride,
            starts: &mut self.starts,
            ends: &mut self.ends[..places.next_multiple_of(LANES)],
            delays: &mut self.delays[..places.next_multiple_of(LANES)],
        });
        for position in 0..places {
            let mut tally = self.tallies[position];
            tables.problem.scoring.add(&mut tally, job, self.ends[position].to_u32().into());
            self.totals.set(position, &tally);
        }
    }

    /// Adds the jobs behind the positions of a vector to `ends` and `totals`. Returns false without
    /// them once the costs of all these positions are known to exceed `most`.
    fn walk(&mut self, job: u32, first: usize, most: i64) -> bool {
        let places = first..(first + LANES).min(self.heads.order.len() + 1);
        if most < i64::MAX && places.into_iter().all(|place| self.excludes(place, most)) {
            return false;
        }
        let problem = self.heads.tables.problem;
        match (self.heads.tables.setups.is_some(), problem.has_blocking) {
            (false, false) => self.run::<false, false>(job, first, most),
            (false, true) => self.run::<false, true>(job, first, most),
            (true, false) => self.run::<true, false>(job, first, most),
            (true, true) => self.run::<true, true>(job, first, most),
        }
    }

    /// Whether a position costs more than `most`, from the scores up to the inserted job.
    fn excludes(&self, position: usize, most: i64) -> bool {
        let (sum, lateness) = self.totals.of_first(position);
        let delay = S::of_time(self.delays[position].to_u32());
        let more = self.rests[position].plus(self.weights[position].times(delay));
        self.bound(most).is_exceeded(sum.plus(more).to_i64(), lateness.to_i64())
    }

    fn bound(&self, most: i64) -> Bound<'a> {
        let whole = self.tallies[self.heads.order.len()];
        let problem = self.heads.tables.problem;
        Bound { scoring: &problem.scoring, whole, most }
    }

    fn run<const SETUPS: bool, const BLOCKING: bool>(
        &mut self,
        job: u32,
        first: usize,
        most: i64,
    ) -> bool {
        let bound = self.bound(most);
        self.heads.simd.run(Walk::<T, S, SETUPS, BLOCKING> {
            heads: &self.heads,
            job,
            first,
            bound,
            behind: (&self.rests, &self.weights),
            scores: &self.scores,
            starts: &self.starts,
            state: &mut self.state,
            ends: &mut self.ends,
            totals: &mut self.totals,
        })
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
        self.removed = position;
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
        self.begin(job);
        let is_bounded = self.is_monotone && self.heads.order.len() >= LEAST_BOUNDED;
        if is_bounded {
            self.weigh();
        }
        let planned = self.plan.with(&self.heads.order, job).to_vec();
        let vectors = self.heads.order.len() / LANES + 1;
        // The place that the job has left is often the best one.
        let likely = (self.removed / LANES).min(vectors - 1);
        let others = (0..vectors).rev().filter(|&vector| vector != likely);
        let mut best: Option<(Cost, T, usize)> = None;
        for vector in iter::once(likely).chain(others) {
            let first = vector * LANES;
            let most = match &best {
                Some((cost, ..)) if is_bounded => cost.first(),
                _ => i64::MAX,
            };
            if !self.walk(job, first, most) {
                continue;
            }
            let place = |position: usize| {
                let planned = planned.get(position).copied().unwrap_or_default();
                (self.cost(position) + planned, self.ends[position], position)
            };
            let places = first..(first + LANES).min(self.heads.order.len() + 1);
            best = places.map(place).chain(best).min();
        }
        best.map_or((0, Cost::WORST), |(cost, _, position)| (position, cost))
    }

    fn reaches(&self, _: Cost, moved: u32) -> bool {
        self.heads.reaches(moved, self.most)
    }
}

impl<T: Lane, S: Sum> Places for Prefix<'_, T, S> {
    fn costs(&mut self, job: u32, costs: &mut Vec<Cost>) {
        self.begin(job);
        for first in (0..self.heads.order.len()).step_by(LANES) {
            self.walk(job, first, i64::MAX);
        }
        let planned = self.plan.with(&self.heads.order, job).to_vec();
        let cost = |position: usize| {
            self.cost(position) + planned.get(position).copied().unwrap_or_default()
        };
        costs.clear();
        costs.extend((0..=self.heads.order.len()).map(cost));
    }
}
