//! A device that explores trees below the host's nodes.

use std::time::{Duration, Instant};

use super::explorer::{Explorer, Task, TreePooled};
use super::replay;
use super::trees::{Tree, decode, summarize};
use crate::context::{Pacer, SpotChecks, sample, wrong};
use crate::flow_shop::exact::Counts;
use crate::flow_shop::exact::node::Open;
use crate::flow_shop::exact::pool::{Search, Worker, open_children};
use crate::opencl::Device;
use crate::solve::Monitor;
use crate::{Result, parallel};

/// About the longest time of a round, which a stop loses.
const ROUND: Duration = Duration::from_millis(500);
/// A round ends when fewer than 1 / `BUSY_SHARE` of its trees have more to do.
const BUSY_SHARE: usize = 4;
/// Most nodes of each tree while there are too few for a pool: their children soon fill it.
const FEW_NODES: usize = 8;

pub(super) struct Exploration<'a, 's, O: TreePooled> {
    search: &'a Search<'a, 's, O>,
    explorer: Box<dyn Explorer + 'a>,
    /// What the pacer has learnt.
    budget: Option<u64>,
    checks: SpotChecks,
    /// Trees for which the present pool had room.
    room: usize,
    /// Most nodes left of a tree, on the average of a round.
    left: usize,
}

impl<'a, 's, O: TreePooled> Exploration<'a, 's, O> {
    pub(super) fn new(device: &'a Device, search: &'a Search<'a, 's, O>) -> Result<Self> {
        let Search { host, slice, .. } = search;
        let memory = slice.monitor.memory_bytes();
        let explorer = O::explorer(host.problem, device, host.options, memory)?;
        let (budget, checks) = (None, SpotChecks::new());
        Ok(Exploration { search, explorer, budget, checks, room: 1, left: 1 })
    }

    /// Trees that fit into the device's memory and whose rest is likely to fit into the host's, which
    /// has room for `room` nodes.
    fn most_trees(&self, room: usize) -> Result<usize> {
        let host = &self.search.host;
        let free = host.problem.root.free_count.max(2);
        let (trees, limit, budget) = (0, 0, host.options.budget);
        let on_device = self.explorer.most_trees(Task { trees, free, limit, budget })?;
        Ok(host.options.size.min(room / self.left).min(on_device).max(1))
    }

    /// Explores the trees below nodes.
    fn explore(&mut self, nodes: &[Open], limit: u32, monitor: &Monitor) -> Result<Vec<Tree>> {
        let Search { context, host, slice, .. } = self.search;
        let free = nodes.iter().map(|node| host.free_count(node)).max().unwrap_or(2);
        let budget = host.options.budget;
        let budget = if nodes.len() < self.room { budget.min(FEW_NODES) } else { budget };
        let orders = context.install(|| host.orders(nodes))??;
        let task = Task { trees: nodes.len(), free, limit, budget };
        self.explorer.begin(&orders, task)?;
        let explorer = &*self.explorer;
        let pacer = Pacer::new(explorer.queue(), monitor, "branch and bound");
        let mut pacer = match self.budget {
            Some(learnt) => pacer.with_budget(learnt),
            None => pacer,
        };
        let begun = Instant::now();
        let mut bounded = 0;
        loop {
            let (busy, steps) = explorer.step(&mut pacer)?;
            bounded += steps;
            // Each tree has at least one node decomposed, so that the search ends.
            let may_end = bounded as u64 >= host.problem.branching.bounds_of(free);
            let is_long = || slice.is_over() || begun.elapsed() > ROUND;
            if busy == 0 || may_end && (busy < nodes.len() / BUSY_SHARE || is_long()) {
                break;
            }
        }
        let explored = explorer.end(&mut pacer)?;
        self.budget = Some(pacer.budget());
        context.install(|| decode(host.problem, nodes, &explored, limit))?
    }

    /// Explores some of the trees on the host again.
    fn check(
        &mut self,
        nodes: &[Open],
        trees: &[Tree],
        limit: u32,
        monitor: &Monitor,
    ) -> Result<()> {
        let Search { context, host, .. } = self.search;
        let wanted = self.checks.quota();
        let results: u64 = trees.iter().map(|tree| tree.free + 1).sum();
        if wanted == 0 || trees.is_empty() {
            return Ok(());
        }
        let share = (u128::from(wanted) * trees.len() as u128).div_ceil(u128::from(results));
        self.checks.check(|random| {
            let chosen = sample(random, trees.len(), usize::try_from(share).unwrap_or(usize::MAX));
            let compare = |index: usize| {
                let (tree, root) = (&trees[index], &nodes[index]);
                let found = replay::explore(host.problem, root, limit, tree.nodes, monitor)?;
                if found == *tree { Ok(tree.free + 1) } else { Err(wrong("trees below nodes")) }
            };
            let chosen: Vec<usize> = chosen.into_iter().flatten().collect();
            let results = context.install(|| parallel::try_map(chosen.into_iter(), compare))??;
            Ok(results.into_iter().sum())
        })
    }
}

impl<O: TreePooled> Worker for Exploration<'_, '_, O> {
    fn select(&mut self, open: &mut Vec<Open>, most: usize, room: usize) -> Result<Vec<Open>> {
        let Search { host, limit, slice, .. } = self.search;
        self.room = self.most_trees(room)?;
        Ok(host.select(open, most, self.room, |_| 1, limit, slice))
    }

    fn branch(&mut self, nodes: &[Open], monitor: &Monitor) -> Result<(Vec<Open>, Counts)> {
        let limit = self.search.limit.get();
        let trees = self.explore(nodes, limit, monitor)?;
        self.check(nodes, &trees, limit, monitor)?;
        let count = trees.len().max(1);
        let (left, counts) = summarize(self.search, trees)?;
        self.left = self.left.max(left.len().div_ceil(count));
        Ok((open_children(self.search, left)?, counts))
    }
}
