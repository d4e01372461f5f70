//! A device that explores pools.

use std::time::{Duration, Instant};

use super::explorer::{Explorer, Task, TreePooled};
use super::replay;
use super::trees::{Tree, decode};
use crate::context::{Pacer, SpotChecks, sample, wrong};
use crate::flow_shop::exact::Slice;
use crate::flow_shop::exact::node::Open;
use crate::flow_shop::exact::objective::Objective;
use crate::flow_shop::exact::pool::{Host, HostPool};
use crate::flow_shop::exact::problem::Problem;
use crate::opencl::Device;
use crate::solve::Monitor;
use crate::{Context, Result, parallel};

/// About the longest time of a round, which a stop loses.
const ROUND: Duration = Duration::from_millis(500);
/// A round ends when fewer than 1 / `BUSY_SHARE` of its trees have more to do.
const BUSY_SHARE: usize = 4;
/// Most nodes of each tree while there are too few for a pool: their children soon fill it.
const FEW_NODES: usize = 8;

pub(super) struct Member<'a> {
    explorer: Box<dyn Explorer + 'a>,
    /// The device's place in the team; None for the chosen device, whose failure ends the search.
    pub(super) place: Option<usize>,
    /// What the pacer has learnt.
    budget: Option<u64>,
    checks: SpotChecks,
}

impl<'a> Member<'a> {
    pub(super) fn new<O: TreePooled>(
        device: &'a Device,
        place: Option<usize>,
        problem: &'a Problem<'a, O>,
        options: &HostPool,
        monitor: &Monitor,
    ) -> Result<Self> {
        let explorer = O::explorer(problem, device, options, monitor.memory_bytes())?;
        Ok(Member { explorer, place, budget: None, checks: SpotChecks::new() })
    }

    /// Trees that fit into the device's memory.
    pub(super) fn most_trees<O: Objective>(&self, host: &Host<'_, O>) -> Result<usize> {
        let free = host.problem.root.free_count.max(2);
        let (trees, limit, budget) = (0, 0, host.options.budget);
        self.explorer.most_trees(Task { trees, free, limit, budget })
    }

    /// Explores the trees below the nodes of a pool, which has room for `most` nodes.
    pub(super) fn explore<O: Objective>(
        &mut self,
        context: &Context,
        host: &Host<'_, O>,
        (pool, most): (&[Open], usize),
        limit: u32,
        slice: &Slice<'_, O>,
    ) -> Result<Vec<Tree>> {
        let Some(free) = pool.iter().map(|node| host.free_count(node)).max() else {
            return Ok(Vec::new());
        };
        let budget = host.options.budget;
        let budget = if pool.len() < most { budget.min(FEW_NODES) } else { budget };
        let orders = context.install(|| host.orders(pool))??;
        let task = Task { trees: pool.len(), free, limit, budget };
        self.explorer.begin(&orders, task)?;
        let explorer = &*self.explorer;
        let pacer = Pacer::new(explorer.queue(), slice.monitor, "branch and bound");
        let mut pacer = match self.budget {
            Some(learnt) => pacer.with_budget(learnt),
            None => pacer,
        };
        let begun = Instant::now();
        let mut bounded = 0;
        loop {
            let (busy, steps) = explorer.step(&mut pacer)?;
            bounded += steps;
            // Each tree has at least one node decomposed, so that the search comes to an end.
            let may_end = bounded as u64 >= host.problem.branching.bounds_of(free);
            let is_long = || slice.is_over() || begun.elapsed() > ROUND;
            if busy == 0 || may_end && (busy < pool.len() / BUSY_SHARE || is_long()) {
                break;
            }
        }
        let explored = explorer.end(&mut pacer)?;
        self.budget = Some(pacer.budget());
        context.install(|| decode(host.problem, pool, &explored, limit))?
    }

    /// Explores some of the trees on the host again.
    pub(super) fn check<O: Objective>(
        &mut self,
        context: &Context,
        host: &Host<'_, O>,
        pool: &[Open],
        trees: &[Tree],
        limit: u32,
        monitor: &Monitor,
    ) -> Result<()> {
        let wanted = self.checks.quota();
        let results: u64 = trees.iter().map(|tree| tree.free + 1).sum();
        if wanted == 0 || trees.is_empty() {
            return Ok(());
        }
        let share = (u128::from(wanted) * trees.len() as u128).div_ceil(u128::from(results));
        self.checks.check(|random| {
            let chosen = sample(random, trees.len(), usize::try_from(share).unwrap_or(usize::MAX));
            let compare = |index: usize| {
                let tree = &trees[index];
                let found =
                    replay::explore(host.problem, &pool[index], limit, tree.nodes, monitor)?;
                if found == *tree { Ok(tree.free + 1) } else { Err(wrong("trees below nodes")) }
            };
            let chosen: Vec<usize> = chosen.into_iter().flatten().collect();
            let results = context.install(|| parallel::try_map(chosen.into_iter(), compare))??;
            Ok(results.into_iter().sum())
        })
    }
}
