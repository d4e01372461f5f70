//! The tree of beginnings of sequences.

use super::super::cost::Cost;
use super::guide::Guide;
use super::level::Level;
use super::node::{Node, NodeView};
use super::score::Scratch;
use super::shop::Shop;
use crate::flow_shop::end::End;
use crate::flow_shop::search::evaluator::{Step, Tree};
use crate::solve::Monitor;
use crate::{Result, memory, parallel};

/// The tree of a shop, with nodes ranked by one guide, for sequences better than `cutoff`.
pub(super) struct ForwardTree<'a> {
    pub(super) shop: &'a Shop<'a>,
    pub(super) monitor: &'a Monitor,
    pub(super) guide: Guide,
    pub(super) cutoff: Cost,
    root: Level,
}

impl<'a> ForwardTree<'a> {
    pub(super) fn new(
        shop: &'a Shop<'a>,
        monitor: &'a Monitor,
        guide: Guide,
        cutoff: Cost,
    ) -> Result<Self> {
        let mut tree = ForwardTree { shop, monitor, guide, cutoff, root: Level::root(shop) };
        let mut root = tree.root.clone();
        tree.seal(&mut root)?;
        tree.root = root;
        Ok(tree)
    }

    /// Prepares a level for its expansion.
    fn seal(&self, level: &mut Level) -> Result<()> {
        level.seal(self.shop, &self.guide)?;
        if level.depth + 1 == self.shop.jobs.len() {
            level.complete = self.complete(level)?;
        }
        Ok(())
    }

    /// The ranks of the complete sequences, each with the only free job behind a node.
    fn complete(&self, level: &Level) -> Result<Vec<Option<u32>>> {
        let mut costs = memory::list(level.nodes.len())?;
        for index in 0..level.nodes.len() {
            self.monitor.check_step(index)?;
            let cost = self.completed(&level.node(index));
            if cost < self.cutoff {
                costs.push((cost, index));
            }
        }
        costs.sort_unstable();
        let mut ranks = memory::filled(None, level.nodes.len())?;
        for (rank, (_, index)) in (0..).zip(costs) {
            ranks[index] = Some(rank);
        }
        Ok(ranks)
    }

    fn completed(&self, node: &NodeView<'_>) -> Cost {
        let (problem, scoring) = (self.shop.problem, &self.shop.problem.scoring);
        let job = self.shop.jobs[self.only_free(node) as usize];
        let mut tally = node.node.tally;
        let end = problem.advance(&mut node.front.to_vec(), node.node.last, job);
        scoring.add(&mut tally, job, end.into());
        tally.sums += scoring.succession(node.node.last, job);
        scoring.cost(&tally)
    }

    #[inline]
    fn only_free(&self, node: &NodeView<'_>) -> u32 {
        let mut numbers = 0..self.shop.jobs.len() as u32;
        numbers.find(|&number| node.is_free(number)).unwrap_or_default()
    }

    /// Whether no sequence behind this child is better than the cutoff. No later job ends before
    /// it, and the first stage decides alone.
    fn is_hopeless(&self, node: &Node, job: u32, end: u32) -> bool {
        let scoring = &self.shop.problem.scoring;
        let (end, terms) = (i64::from(end), scoring.terms(job)[0]);
        let (released, lateness) = (scoring.release_time(job), end - scoring.due_date(job));
        let later =
            (node.open_flow - terms.flow) * end - (node.open_release - terms.flow * released);
        let bound = node.tally.sums.0[0]
            + terms.of(end - released, lateness)
            + scoring.makespan_factors().0[0] * node.tally.latest.max(end)
            + scoring.lateness_factors().0[0] * node.tally.lateness.max(lateness)
            + later;
        bound > self.cutoff.first() || (scoring.stages == 1 && bound == self.cutoff.first())
    }
}

impl Tree for ForwardTree<'_> {
    type Value = Cost;
    type Level = Level;
    type Scratch = Scratch;

    fn jobs(&self) -> usize {
        self.shop.jobs.len()
    }

    fn root(&self) -> Level {
        self.root.clone()
    }

    fn expand(
        &self,
        level: &Level,
        index: usize,
        scratch: &mut Scratch,
        mut child: impl FnMut(u32, u32),
    ) -> (End, usize) {
        let (node, jobs) = (level.node(index), self.shop.jobs.len());
        if let Some(rank) = level.complete.get(index) {
            if let &Some(rank) = rank {
                child(self.only_free(&node), rank);
            }
            return (End::Front, 1);
        }
        let place = (level.depth, level.least);
        scratch.rank(self.shop, &self.guide, &level.lanes, &node, place);
        // Few nodes can be dropped before half of the jobs are placed.
        let drops = 2 * level.depth >= jobs;
        for &lane in &scratch.children.free {
            let lane = lane as usize;
            let number = level.lanes.numbers[lane];
            let job = self.shop.jobs[number as usize];
            if !(drops && self.is_hopeless(node.node, job, scratch.children.ends[lane])) {
                child(number, scratch.ranks[lane]);
            }
        }
        (End::Front, scratch.children.free.len())
    }

    fn grow(&self, level: &Level, steps: &[Step]) -> Result<Level> {
        let mut next = level.next(steps.len())?;
        let share = steps.len().div_ceil(parallel::threads() * PARTS).max(1);
        parallel::try_for_each(next.parts(share).zip(steps.chunks(share)), |(mut part, steps)| {
            for (index, step) in steps.iter().enumerate() {
                self.monitor.check()?;
                let parent = level.node(step.parent as usize);
                part.make(self.shop, &self.guide, index, parent, step.job);
            }
            Ok(())
        })?;
        if next.depth < self.shop.jobs.len() {
            self.seal(&mut next)?;
        }
        Ok(next)
    }

    fn node_bytes(&self) -> usize {
        Level::node_bytes(self.shop)
    }

    fn value(&self, order: &[u32]) -> Cost {
        self.shop.problem.cost(&self.shop.sequence(order))
    }

    fn cutoff(&self) -> Cost {
        self.cutoff
    }
}

/// Parts of a level for each thread.
const PARTS: usize = 4;
