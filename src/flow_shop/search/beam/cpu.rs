//! The CPU engine: the nodes of a level are spread over the threads.

use rayon::prelude::*;

use super::best::{Best, Threshold};
use super::expand::{Children, Lanes};
use super::guide::{Guide, Ranking, Shares};
use super::node::{self, Level, Node, Side, Step};
use super::{Beam, Found, sequence};
use crate::{Result, parallel};

/// One pass on the pool's threads.
pub(super) struct CpuPass<'a> {
    beam: &'a Beam<'a>,
    lanes: Lanes,
    shares: Shares,
    guide: Guide,
    upper: u32,
}

/// The expansion of a part of a level.
struct Expansion<'a> {
    best: Best<'a>,
    /// The side that each node grows at.
    sides: Vec<Side>,
    children: u64,
}

impl<'a> CpuPass<'a> {
    pub(super) fn new(beam: &'a Beam<'a>, guide: Guide, upper: u32) -> Self {
        CpuPass { beam, lanes: Lanes::new(beam.shop), shares: Shares::of(beam.shop), guide, upper }
    }

    pub(super) fn run(&self, width: usize) -> Result<Found> {
        let jobs = self.beam.shop.jobs();
        let mut level = Level::root(self.beam.shop);
        let mut history: Vec<Vec<Step>> = Vec::with_capacity(jobs);
        let mut found = Found { order: None, exhaustive: true, children: 0 };
        while level.depth < jobs {
            // The last level has nothing but schedules.
            let width = if level.depth + 1 == jobs { 1 } else { width };
            let (kept, sides, dropped) = self.expand(&level, width, &mut found.children)?;
            found.exhaustive &= !dropped || level.depth + 1 == jobs;
            if kept.is_empty() {
                return Ok(found);
            }
            let next = self.grow(&level, &kept, &sides)?;
            history.push(std::mem::replace(&mut level, next).steps);
        }
        history.push(level.steps);
        found.order = Some(trace(&history));
        Ok(found)
    }

    /// The best children of a level, the side that each node grows at, and whether children were dropped.
    fn expand(&self, level: &Level, width: usize, children: &mut u64) -> Result<(Vec<u64>, Vec<Side>, bool)> {
        let threshold = Threshold::new();
        let expand = |range: std::ops::Range<usize>| -> Result<Expansion<'_>> {
            let beam = self.beam;
            let ranking = Ranking::new(self.guide, beam.shop, level.depth + 1, beam.root_bound, self.upper);
            let mut expansion =
                Expansion { best: Best::new(width, &threshold), sides: Vec::new(), children: 0 };
            let mut room = (Vec::new(), Children::default());
            for index in range {
                self.beam.monitor.check()?;
                self.expand_node(level, index, &ranking, &mut room, &mut expansion);
            }
            Ok(expansion)
        };
        let parts = parallel::try_map(ranges(level.nodes()), expand)?;
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
        room: &mut (Vec<node::Term>, Children),
        expansion: &mut Expansion<'_>,
    ) {
        let (terms, children) = room;
        let jobs = self.beam.shop.jobs();
        let node = level.node(index, terms);
        self.lanes.bound(&node, children);
        let [front, back] = children.bounds.each_ref().map(|bounds| open(&node, jobs, bounds, ranking.upper));
        let side = if front.0 < back.0 || (front.0 == back.0 && front.1 >= back.1) {
            Side::Front
        } else {
            Side::Back
        };
        self.lanes.idle(&node, side, children);
        expansion.sides.push(side);
        expansion.children += 2 * (jobs - level.depth) as u64;
        let bounds = &children.bounds[side as usize];
        let opposite = node.idle[side.other() as usize];
        let first = index as u64 * jobs as u64;
        for job in free_jobs(&node, jobs) {
            if bounds[job] < ranking.upper {
                let key = ranking.key(bounds[job], children.idle[job], opposite);
                expansion.best.push(u64::from(key) << 32 | (first + job as u64));
            }
        }
    }

    /// Makes the level of these children.
    fn grow(&self, level: &Level, kept: &[u64], sides: &[Side]) -> Result<Level> {
        let mut next = level.next(kept.len());
        let jobs = self.beam.shop.jobs();
        let share = kept.len().div_ceil(rayon::current_num_threads() * PARTS).max(1);
        parallel::try_for_each(next.parts(share).zip(kept.chunks(share)), |(mut part, kept)| {
            let mut terms = Vec::new();
            for (index, &candidate) in kept.iter().enumerate() {
                self.beam.monitor.check()?;
                let child = candidate as u32 as usize;
                let (parent, job) = (child / jobs, (child % jobs) as u32);
                let node = level.node(parent, &mut terms);
                let step = Step { parent: parent as u32, job, side: sides[parent] };
                part.make(index, &node, step, self.beam.shop.job(job), self.shares);
            }
            Ok(())
        })?;
        Ok(next)
    }
}

/// The sequence of the only node of the last level.
fn trace(history: &[Vec<Step>]) -> Vec<u32> {
    let mut node = 0;
    let steps = history[1..].iter().rev().map(|steps| {
        let step = steps[node];
        node = step.parent as usize;
        step
    });
    sequence(steps)
}

/// How many children could lead to a better schedule, and the sum of their bounds.
fn open(node: &Node<'_>, jobs: usize, bounds: &[u32], upper: u32) -> (usize, u64) {
    let open = free_jobs(node, jobs).map(|job| bounds[job]).filter(|&bound| bound < upper);
    open.fold((0, 0), |(count, sum), bound| (count + 1, sum + u64::from(bound)))
}

/// Parts of a level for each thread.
const PARTS: usize = 4;

fn ranges(nodes: usize) -> impl ExactSizeIterator<Item = std::ops::Range<usize>> {
    let share = nodes.div_ceil(rayon::current_num_threads() * PARTS).max(1);
    (0..nodes).step_by(share).map(move |first| first..(first + share).min(nodes))
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
