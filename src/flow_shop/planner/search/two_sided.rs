//! Insertions where the makespan decides: the longest path through the inserted job, from the heads
//! of the jobs before it and the tails of those behind it. With release times, a path may also begin
//! at a later job.

use std::sync::Arc;

use super::block::BlockPlaces;
use super::heads::{Heads, LANES, lanes, longer, plus};
use super::places::Places;
use super::plan::Plan;
use super::spread::Lane;
use super::tables::{BLOCKING_LAG, COLUMNS, MARGIN, Tables};
use crate::flow_shop::insertion::idle_time;
use crate::flow_shop::planner::cost::Cost;
use crate::flow_shop::search::PartialSequence;
use crate::simd::{self, HotLoop};
use crate::{Result, memory};

/// A sequence with heads and tails.
pub(super) struct TwoSided<'a, T> {
    heads: Heads<'a, T>,
    plan: Plan<'a>,
    /// Rows by machine, with margins. For each position, the time from the start of the job there
    /// on the machine to the end of the schedule. Rows are aligned at the end of the sequence, so
    /// that positions after a change keep their place: position `p` is at `base() + p`.
    tails: Vec<T>,
    /// For each position, aligned like the tails, the makespan that the release times from there on
    /// enforce.
    released: Vec<T>,
    /// Tails are valid from this place in their rows on.
    known: usize,
    /// For each position, the makespan with the job or block inserted there.
    makespans: Vec<T>,
    /// Scratch for blocks: by machine, when it is free behind the block at some positions.
    front: Vec<[T; LANES]>,
}

impl<'a, T: Lane> TwoSided<'a, T> {
    pub(super) fn new(tables: Arc<Tables<'a, T>>) -> Result<Self> {
        let heads = Heads::new(tables)?;
        let (tables, stride) = (&heads.tables, heads.stride);
        Ok(TwoSided {
            plan: Plan::new(tables.problem),
            tails: memory::zeroed(tables.rows * stride)?,
            released: memory::zeroed(stride)?,
            known: stride,
            makespans: memory::zeroed(stride)?,
            front: Vec::new(),
            heads,
        })
    }

    /// The place of the first position's tails in their rows; surplus lanes read beyond the last
    /// row.
    fn base(&self) -> usize {
        self.heads.stride - LANES - self.heads.order.len() - 1
    }

    fn forget_tails(&mut self, position: usize) {
        self.known = self.known.max(self.base() + position + 1);
    }

    fn complete_tails(&mut self) {
        match self.heads.tables.problem.has_blocking {
            true => self.extend::<true>(),
            false => self.extend::<false>(),
        }
        self.known = self.base();
    }

    /// The mirror image of [`Heads::complete`].
    fn extend<const BLOCKING: bool>(&mut self) {
        let lag = if BLOCKING { BLOCKING_LAG } else { 1 };
        let (base, heads) = (self.base(), &self.heads);
        let (tables, order, stride) = (&heads.tables, &heads.order, heads.stride);
        let tails = &mut self.tails[..];
        // With blocking, the row behind the last machine is the departure from there.
        let last_row = MARGIN + tables.machines - 1 + usize::from(BLOCKING);
        let steps = last_row - MARGIN + 1 + lag * (COLUMNS - 1);
        // The column of the end always stays zero.
        let unknown = order.len().min(self.known.saturating_sub(base));
        for last in (1..=unknown).rev().step_by(COLUMNS) {
            let job = |column| order.get((last - 1).wrapping_sub(column)).copied();
            // What each column reads, the last step first. Equal lengths spare checks of indices.
            let first_row = |column: usize| last_row + lag * column + 1 - steps;
            let times: [&[T]; COLUMNS] =
                simd::array(|column| &tables.times(job(column))[first_row(column)..][..steps]);
            let links: [&[T]; COLUMNS] = simd::array(|column| {
                let links = heads.links(last.saturating_sub(column));
                &links[first_row(column) - usize::from(BLOCKING)..][..steps]
            });
            let place = base + last;
            let mut tail = [T::default(); COLUMNS];
            for step in (0..steps).rev() {
                for column in (0..COLUMNS).rev() {
                    let row = first_row(column) + step;
                    let next = row - usize::from(BLOCKING);
                    let after = match column {
                        0 if next >= MARGIN && row <= last_row => tails[next * stride + place],
                        0 => T::default(),
                        _ => tail[column - 1],
                    };
                    let (time, after) = (times[column][step], after.plus(links[column][step]));
                    tail[column] = match BLOCKING {
                        true => tail[column].plus(time).max(after),
                        false => tail[column].max(after).plus(time),
                    };
                    tails[row * stride + place - column - 1] = tail[column];
                }
            }
        }
        if tables.has_releases() {
            for position in (0..unknown).rev() {
                let tail = tails[MARGIN * stride + base + position];
                let own = tables.release(Some(order[position])).plus(tail);
                let later = self.released[base + position + 1];
                self.released[base + position] = own.max(later);
            }
        }
    }

    /// Computes `makespans` with a job or a block of jobs at each position.
    fn evaluate(&mut self, block: &[u32]) -> &[T] {
        self.heads.complete();
        self.complete_tails();
        if let (Some(&first), Some(&last)) = (block.first(), block.last()) {
            self.heads.gather(first, Some(last));
        }
        let problem = self.heads.tables.problem;
        match (self.heads.tables.setups.is_some(), problem.has_blocking) {
            (false, false) => self.fill::<false, false>(block),
            (false, true) => self.fill::<false, true>(block),
            (true, false) => self.fill::<true, false>(block),
            (true, true) => self.fill::<true, true>(block),
        }
        self.raise_to_releases();
        &self.makespans[..=self.heads.order.len()]
    }

    fn fill<const SETUPS: bool, const BLOCKING: bool>(&mut self, block: &[u32]) {
        let (base, heads) = (self.base(), &self.heads);
        let (tables, stride) = (&heads.tables, heads.stride);
        let places = heads.order.len() + 1;
        let (entering, leaving) = heads.gathered();
        let tails = &self.tails[MARGIN * stride + base..];
        let makespans = &mut self.makespans[..places.next_multiple_of(LANES)];
        // A single job needs no front in memory.
        if let &[job] = block {
            heads.simd.run(Insertions::<T, SETUPS, BLOCKING> {
                times: &tables.times(Some(job))[MARGIN..][..tables.machines],
                release: tables.release(Some(job)),
                heads: heads.heads(),
                tails,
                entering,
                leaving,
                stride,
                makespans,
            });
        } else {
            self.front.resize(tables.machines, [T::default(); LANES]);
            heads.simd.run(BlockPlaces {
                tables,
                block,
                heads: heads.heads(),
                tails,
                around: SETUPS.then_some((entering, leaving)),
                stride,
                front: &mut self.front,
                makespans,
            });
        }
    }

    /// Raises `makespans` to what the release times of later jobs enforce.
    fn raise_to_releases(&mut self) {
        if self.heads.tables.has_releases() {
            let released = &self.released[self.base()..][..=self.heads.order.len()];
            self.makespans.iter_mut().zip(released).for_each(|(makespan, &released)| {
                *makespan = released.max(*makespan);
            });
        }
    }

    /// The cost of a makespan, without the comparison with the running plan.
    #[inline]
    fn cost(&self, makespan: u32) -> Cost {
        let mut tally = self.heads.tables.tally;
        tally.latest = makespan.into();
        self.heads.tables.problem.scoring.cost(&tally)
    }

    /// The additional idle time of the machines with the job at the position, if it can be
    /// estimated.
    fn idle_time(&self, job: u32, position: usize) -> i64 {
        let (heads, problem) = (&self.heads, self.heads.tables.problem);
        if problem.has_blocking || heads.tables.setups.is_some() {
            return 0;
        }
        let next = heads.order.get(position).map(|&next| problem.instance.job(next));
        idle_time(problem.instance.job(job), next, |machine, later| {
            heads.heads()[machine * heads.stride + position + later].to_u32()
        })
    }
}

impl<T: Lane> PartialSequence for TwoSided<'_, T> {
    type Value = Cost;

    fn order(&self) -> &[u32] {
        &self.heads.order
    }

    fn set(&mut self, order: &[u32]) {
        self.heads.set(order);
        self.plan.set(order);
        self.known = self.heads.stride;
    }

    fn insert(&mut self, position: usize, job: u32) {
        self.plan.insert(&self.heads.order, position, job);
        self.heads.insert(position, job);
        self.forget_tails(position);
    }

    fn remove(&mut self, position: usize) -> u32 {
        self.forget_tails(position);
        let job = self.heads.remove(position);
        self.plan.remove(&self.heads.order, position, job);
        job
    }

    fn value(&mut self) -> Cost {
        self.heads.complete();
        let makespan = match self.heads.order.len() {
            0 => self.heads.tables.tally.latest as u32,
            jobs => self.heads.completion(jobs),
        };
        self.cost(makespan) + self.plan.cost
    }

    fn accepts(&self, worse: Cost, better: Cost, unit: f64) -> bool {
        self.heads.tables.tolerance.accepts(worse, better, unit)
    }

    /// On ties the machines' idle time decides, then the first position.
    fn best_place(&mut self, job: u32) -> (usize, Cost) {
        self.evaluate(&[job]);
        let places = self.heads.order.len() + 1;
        let planned = self.plan.with(&self.heads.order, job).to_vec();
        let makespan = |position: usize| self.makespans[position].to_u32();
        let (ties, least): (Vec<usize>, Cost) = if planned.is_empty() {
            let shortest = self.makespans[..places].iter().copied().min().unwrap_or_default();
            let is_tied = |&position: &usize| self.makespans[position] == shortest;
            ((0..places).filter(is_tied).collect(), self.cost(shortest.to_u32()))
        } else {
            let cost = |position: usize| self.cost(makespan(position)) + planned[position];
            let least = (0..places).map(cost).min().unwrap_or(Cost::WORST);
            ((0..places).filter(|&position| cost(position) == least).collect(), least)
        };
        // Only ties need idle times.
        let best = match ties[..] {
            [only] => only,
            _ => {
                let idle = |&position: &usize| self.idle_time(job, position);
                ties.iter().copied().min_by_key(idle).unwrap_or(0)
            }
        };
        (best, least)
    }

    /// On ties the first position. Blocks are not compared with a running plan.
    fn best_place_of_block(&mut self, block: &[u32]) -> Option<(usize, Cost)> {
        if self.plan.is_used {
            return None;
        }
        let makespans = self.evaluate(block).iter().zip(0..);
        let (&least, position) = makespans.min()?;
        Some((position, self.cost(least.to_u32())))
    }

    fn reaches(&self, _: Cost, moved: u32) -> bool {
        self.heads.reaches(moved, T::NONE.to_u32() - 1)
    }
}

impl<T: Lane> Places for TwoSided<'_, T> {
    fn costs(&mut self, job: u32, costs: &mut Vec<Cost>) {
        self.evaluate(&[job]);
        let planned = self.plan.with(&self.heads.order, job).to_vec();
        let cost = |position: usize| {
            let planned = planned.get(position).copied().unwrap_or_default();
            self.cost(self.makespans[position].to_u32()) + planned
        };
        costs.clear();
        costs.extend((0..=self.heads.order.len()).map(cost));
    }
}

/// Computes the makespans with a job at each position of a sequence.
struct Insertions<'p, T, const SETUPS: bool, const BLOCKING: bool> {
    /// The job's times.
    times: &'p [T],
    release: T,
    /// Rows by machine at distance `stride`, from the first position on.
    heads: &'p [T],
    tails: &'p [T],
    entering: &'p [T],
    leaving: &'p [T],
    stride: usize,
    makespans: &'p mut [T],
}

impl<T: Lane, const SETUPS: bool, const BLOCKING: bool> HotLoop
    for Insertions<'_, T, SETUPS, BLOCKING>
{
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (vector, makespans) in self.makespans.chunks_exact_mut(LANES).enumerate() {
            let row = |machine: usize| machine * self.stride + vector * LANES;
            // From when a machine is free to the end of the schedule. Lanes after the last position
            // read data after the row; their results are not used.
            let behind = |machine: usize| {
                let mut tails = *lanes(self.tails, row(machine));
                if SETUPS {
                    plus(&mut tails, lanes(self.leaving, row(machine)));
                }
                tails
            };
            let mut end = [self.release; LANES];
            let mut longest = [T::default(); LANES];
            for (machine, &time) in self.times.iter().enumerate() {
                let mut start = *lanes(self.heads, row(machine));
                if SETUPS {
                    plus(&mut start, lanes(self.entering, row(machine)));
                }
                for lane in 0..LANES {
                    start[lane] = start[lane].max(end[lane]);
                    end[lane] = start[lane].plus(time);
                }
                if !BLOCKING {
                    longer(&mut longest, &end, &behind(machine));
                } else if machine > 0 {
                    // The machine before is free once this one has the job.
                    longer(&mut longest, &start, &behind(machine - 1));
                }
            }
            if BLOCKING {
                longer(&mut longest, &end, &behind(self.times.len() - 1));
            }
            makespans.copy_from_slice(&longest);
        }
    }
}
