//! The CPU engine: threads share the nodes of a level.

use std::ops::Range;

use super::best::{Best, Threshold};
use super::{Reached, sequence};
use crate::flow_shop::end::End;
use crate::flow_shop::search::evaluator::{Step, Tree};
use crate::memory::Gather;
use crate::solve::Monitor;
use crate::{Result, memory, parallel};

/// One pass over a tree on the pool's threads.
pub(super) struct CpuPass<'a, T> {
    pub(super) tree: &'a T,
    pub(super) monitor: &'a Monitor,
}

/// The result of expanding a part of a level.
struct Expansion<'a> {
    best: Best<'a>,
    /// The side at which each node grows.
    sides: Vec<End>,
    children: u64,
}

impl<T: Tree> CpuPass<'_, T> {
    pub(super) fn run(&self, width: usize) -> Result<Reached> {
        let jobs = self.tree.jobs();
        let (mut level, mut nodes) = (self.tree.root(), 1);
        let mut history: Vec<Vec<Step>> = Vec::with_capacity(jobs);
        let mut reached = Reached { order: None, exhaustive: true, children: 0 };
        for depth in 0..jobs {
            // The last level contains only schedules.
            let last = depth + 1 == jobs;
            let width = if last { 1 } else { width };
            let (steps, dropped) = self.expand(&level, nodes, width, &mut reached.children)?;
            reached.exhaustive &= !dropped || last;
            if steps.is_empty() {
                return Ok(reached);
            }
            level = self.tree.grow(&level, &steps)?;
            nodes = steps.len();
            history.push(steps);
        }
        reached.order = Some(trace(&history));
        Ok(reached)
    }

    /// The steps to the best children of a level with `nodes` nodes, and whether children were
    /// dropped.
    fn expand(
        &self,
        level: &T::Level,
        nodes: usize,
        width: usize,
        children: &mut u64,
    ) -> Result<(Vec<Step>, bool)> {
        let threshold = Threshold::new();
        let expand =
            |range: Range<usize>| self.expand_part(level, range, Best::new(width, &threshold));
        let parts = parallel::try_map(ranges(nodes), expand)?;
        *children += parts.iter().map(|part| part.children).sum::<u64>();
        let mut sides = memory::list(nodes)?;
        let mut bests = memory::list(parts.len())?;
        for part in parts {
            sides.extend(part.sides);
            bests.push(part.best);
        }
        let (mut kept, dropped) = Best::merge(bests, width);
        sort_by_parent(&mut kept);
        let jobs = self.tree.jobs() as u32;
        let step = |candidate| {
            let child = candidate as u32;
            let parent = child / jobs;
            Step { parent, job: child % jobs, side: sides[parent as usize] }
        };
        Ok((kept.into_iter().map(step).gather()?, dropped))
    }

    /// Collects the children of some nodes by rank and number.
    fn expand_part<'b>(
        &self,
        level: &T::Level,
        nodes: Range<usize>,
        best: Best<'b>,
    ) -> Result<Expansion<'b>> {
        let mut expansion = Expansion { best, sides: memory::list(nodes.len())?, children: 0 };
        let jobs = self.tree.jobs() as u64;
        let mut scratch = T::Scratch::default();
        for node in nodes {
            self.monitor.check()?;
            let first = node as u64 * jobs;
            let (side, children) = self.tree.expand(level, node, &mut scratch, |job, rank| {
                expansion.best.push(u64::from(rank) << 32 | (first + u64::from(job)));
            });
            expansion.sides.push(side);
            expansion.children += children as u64;
        }
        Ok(expansion)
    }
}

/// Sorts children by parent, so that the accesses to parents are sequential. Compiled once for all
/// trees.
fn sort_by_parent(children: &mut [u64]) {
    parallel::sort_by_key(children, |child| *child as u32);
}

/// Traces the sequence back from the only node of the last level.
fn trace(history: &[Vec<Step>]) -> Vec<u32> {
    let mut node = 0;
    let steps = history.iter().rev().map(|steps| {
        let step = steps[node];
        node = step.parent as usize;
        step
    });
    sequence(steps)
}

/// Parts of a level for each thread.
const PARTS: usize = 4;

fn ranges(nodes: usize) -> impl ExactSizeIterator<Item = Range<usize>> {
    let share = nodes.div_ceil(parallel::threads() * PARTS).max(1);
    (0..nodes).step_by(share).map(move |first| first..(first + share).min(nodes))
}
