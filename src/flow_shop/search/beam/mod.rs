//! Bi-directional iterative beam search: Libralesso, Focke, Secardin and Jost (2022), "Iterative beam search algorithms
//! for the permutation flowshop", EJOR 301, 217-234.
//!
//! A node is a sequence of which both ends are known; its children add a job at the end where fewer of them could still
//! lead to a better schedule. The tree is searched level by level, and of each level only the best nodes by a guide are
//! kept. A pass that dropped no node for lack of room has proved that nothing better exists.

mod best;
mod expand;
mod node;

use rayon::prelude::*;

use self::best::{Best, Threshold};
use self::expand::{Children, Lanes};
use self::node::{Level, Node, Side, Step};
use super::Shop;
use crate::solve::Monitor;
use crate::{Error, Result};

/// Which nodes of a level are the promising ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guide {
    /// At first those with little idle time of the machines, weighted, later those with a small bound.
    IdleThenBound,
    /// Those with a small bound, between equal ones those with little idle time.
    Bound,
}

/// What a pass found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pass {
    /// A better sequence with its makespan.
    pub(super) found: Option<(Vec<u32>, u32)>,
    /// Nothing better than that, or than what was known, exists.
    pub(super) exhaustive: bool,
    /// Children generated.
    pub(super) children: u64,
}

/// Passes over the tree of one shop.
pub(super) struct Beam<'a> {
    shop: &'a Shop,
    monitor: &'a Monitor,
    lanes: Lanes,
    /// The one-machine bound of the root.
    root_bound: u32,
}

/// The expansion of a part of a level.
struct Expansion<'a> {
    best: Best<'a>,
    /// The side that each node grows at.
    sides: Vec<Side>,
    children: u64,
}

impl<'a> Beam<'a> {
    pub(super) fn new(shop: &'a Shop, monitor: &'a Monitor, root_bound: u32) -> Self {
        Beam { shop, monitor, lanes: Lanes::new(shop), root_bound }
    }

    /// The widest beam that the memory and the numbering of children allow.
    pub(super) fn widest(&self) -> usize {
        let jobs = self.shop.jobs();
        // Two levels, the steps of all levels, and the candidates of all threads.
        let node = 2 * Level::node_bytes(self.shop) + jobs * size_of::<Step>() + 64;
        let by_memory = self.monitor.memory_bytes() / 2 / node as u64;
        by_memory.min(u64::from(u32::MAX) / jobs as u64).max(1) as usize
    }

    /// Searches for a sequence shorter than `upper`, keeping at most `width` nodes of each level. To be called on a
    /// thread of the pool.
    pub(super) fn pass(&self, guide: Guide, width: usize, upper: u32) -> Result<Pass> {
        let jobs = self.shop.jobs();
        let mut level = Level::root(self.shop);
        let mut history: Vec<Vec<Step>> = Vec::with_capacity(jobs);
        let mut pass = Pass { found: None, exhaustive: true, children: 0 };
        while level.depth < jobs {
            // The last level has nothing but schedules.
            let width = if level.depth + 1 == jobs { 1 } else { width };
            let (kept, sides, dropped) = self.expand(&level, guide, width, upper, &mut pass.children)?;
            pass.exhaustive &= !dropped || level.depth + 1 == jobs;
            if kept.is_empty() {
                return Ok(pass);
            }
            let next = self.grow(&level, &kept, &sides)?;
            history.push(std::mem::replace(&mut level, next).steps);
        }
        history.push(level.steps);
        let order = self.trace(&history);
        let makespan = self.shop.makespan(&order);
        if makespan >= upper {
            return Err(Error::Internal(format!("a beam found {makespan} looking for less than {upper}")));
        }
        pass.found = Some((order, makespan));
        Ok(pass)
    }

    /// The best children of a level, the side that each node grows at, and whether children were dropped.
    fn expand(
        &self,
        level: &Level,
        guide: Guide,
        width: usize,
        upper: u32,
        children: &mut u64,
    ) -> Result<(Vec<u64>, Vec<Side>, bool)> {
        let threshold = Threshold::new();
        let ranges = ranges(level.nodes());
        let expand = |range: &std::ops::Range<usize>| -> Result<Expansion<'_>> {
            let ranking = Ranking::new(guide, level.depth + 1, self.shop.jobs(), self.root_bound, upper);
            let mut expansion =
                Expansion { best: Best::new(width, &threshold), sides: Vec::new(), children: 0 };
            let mut room = (Vec::new(), [Children::default(), Children::default()]);
            for index in range.clone() {
                self.monitor.check()?;
                self.expand_node(level, index, &ranking, &mut room, &mut expansion);
            }
            Ok(expansion)
        };
        let parts: Vec<Expansion<'_>> = ranges.par_iter().map(expand).collect::<Result<_>>()?;
        *children += parts.iter().map(|part| part.children).sum::<u64>();
        let mut sides = Vec::with_capacity(level.nodes());
        let mut bests = Vec::with_capacity(parts.len());
        for part in parts {
            sides.extend(part.sides);
            bests.push(part.best);
        }
        let (mut kept, dropped) = Best::merge(bests, width);
        // In the order of their parents, which lie side by side then.
        kept.par_sort_unstable_by_key(|candidate| *candidate as u32);
        Ok((kept, sides, dropped))
    }

    fn expand_node(
        &self,
        level: &Level,
        index: usize,
        ranking: &Ranking,
        room: &mut (Vec<node::Term>, [Children; 2]),
        expansion: &mut Expansion<'_>,
    ) {
        let (terms, children) = room;
        let node = level.node(index, terms);
        let sums = Side::BOTH.map(|side| {
            self.lanes.expand(&node, side, &mut children[side as usize]);
            ranking.open(&node, &children[side as usize].bounds)
        });
        let [front, back] = sums;
        let side = if front.0 < back.0 || (front.0 == back.0 && front.1 >= back.1) {
            Side::Front
        } else {
            Side::Back
        };
        expansion.sides.push(side);
        expansion.children += 2 * (self.shop.jobs() - level.depth) as u64;
        let children = &children[side as usize];
        let first = index as u64 * self.shop.jobs() as u64;
        for job in free_jobs(&node, self.shop.jobs()) {
            let bound = children.bounds[job];
            if bound < ranking.upper {
                let key = ranking.key(&node, side, bound, children.idle[job]);
                expansion.best.push(u64::from(key) << 32 | (first + job as u64));
            }
        }
    }

    /// Makes the level of these children.
    fn grow(&self, level: &Level, kept: &[u64], sides: &[Side]) -> Result<Level> {
        let mut next = level.next(kept.len());
        let jobs = self.shop.jobs();
        let share = kept.len().div_ceil(rayon::current_num_threads() * PARTS).max(1);
        let parts: Vec<_> = next.parts(share).zip(kept.chunks(share)).collect();
        parts.into_par_iter().try_for_each(|(mut part, kept)| {
            self.monitor.check()?;
            let mut terms = Vec::new();
            for (index, &candidate) in kept.iter().enumerate() {
                let child = candidate as u32 as usize;
                let (parent, job) = (child / jobs, (child % jobs) as u32);
                let node = level.node(parent, &mut terms);
                let step = Step { parent: parent as u32, job, side: sides[parent] };
                part.make(index, &node, step, self.shop.job(job));
            }
            Ok(())
        })?;
        Ok(next)
    }

    /// The sequence of the only node of the last level.
    fn trace(&self, history: &[Vec<Step>]) -> Vec<u32> {
        let (mut front, mut back) = (Vec::new(), Vec::new());
        let mut node = 0;
        for steps in history[1..].iter().rev() {
            let step = steps[node];
            match step.side {
                Side::Front => front.push(step.job),
                Side::Back => back.push(step.job),
            }
            node = step.parent as usize;
        }
        front.reverse();
        front.extend(back);
        front
    }
}

/// Parts of a level for each thread.
const PARTS: usize = 4;

fn ranges(nodes: usize) -> Vec<std::ops::Range<usize>> {
    let share = nodes.div_ceil(rayon::current_num_threads() * PARTS).max(1);
    (0..nodes).step_by(share).map(|first| first..(first + share).min(nodes)).collect()
}

fn free_jobs(node: &Node<'_>, jobs: usize) -> impl Iterator<Item = usize> {
    node.placed().iter().enumerate().flat_map(move |(word, &placed)| {
        let last = (jobs - word * 64).min(64);
        let mut free = !placed & (u64::MAX >> (64 - last));
        std::iter::from_fn(move || {
            let bit = free.trailing_zeros() as usize;
            free &= free.wrapping_sub(1);
            (bit < 64).then_some(word * 64 + bit)
        })
    })
}

/// Turns bounds and idle times into numbers of which the smaller are the better.
struct Ranking {
    guide: Guide,
    /// The children are schedules.
    complete: bool,
    /// Share of the jobs that are placed.
    progress: f32,
    root_bound: u32,
    upper: u32,
    jobs: usize,
}

/// Nodes with jobs at one end only come after all others.
const ONE_SIDED: f32 = 1e20;

impl Ranking {
    fn new(guide: Guide, depth: usize, jobs: usize, root_bound: u32, upper: u32) -> Self {
        let progress = depth as f32 / jobs as f32;
        Ranking { guide, complete: depth == jobs, progress, root_bound, upper, jobs }
    }

    /// How many children could lead to a better schedule, and the sum of their bounds.
    fn open(&self, node: &Node<'_>, bounds: &[u32]) -> (usize, u64) {
        let open = free_jobs(node, self.jobs).map(|job| bounds[job]).filter(|&bound| bound < self.upper);
        open.fold((0, 0), |(count, sum), bound| (count + 1, sum + u64::from(bound)))
    }

    fn key(&self, node: &Node<'_>, side: Side, bound: u32, idle: f32) -> u32 {
        if self.complete {
            return bound;
        }
        let opposite = node.idle[side.other() as usize];
        let idle = idle + if opposite.is_nan() { 0.0 } else { opposite };
        let value = match self.guide {
            Guide::IdleThenBound => bound as f32 * (self.progress + (1.0 - self.progress) * idle),
            // The bound is a whole number, and the rest is less than one.
            Guide::Bound => (bound - self.root_bound.min(bound)) as f32 + idle / (1.0 + idle),
        };
        // The bits of positive numbers are in their order.
        (if opposite.is_nan() { value.max(1.0) * ONE_SIDED } else { value }).to_bits()
    }
}

#[cfg(test)]
mod tests;
