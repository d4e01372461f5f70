//! Compares an [`Explorer`] with the CPU.

use super::explorer::{Explorer, Task, TreePooled};
use super::replay;
use super::trees::{Tree, decode};
use crate::context::Pacer;
use crate::flow_shop::exact::node::Open;
use crate::flow_shop::exact::pool::{Host, HostPool, Orders};
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::exact::{objective::Objective, self_test};
use crate::opencl::{Failing, Trial, agree};
use crate::solve::Monitor;
use crate::{Context, Result};

/// Most free jobs of a root.
pub(in crate::flow_shop::exact) const FREE: usize = 6;
/// Nodes decomposed in a tree.
const BUDGET: usize = 3;

/// Explores trees below random nodes of a problem that matches the program's defines, in several
/// work-groups and a part of one, or only in the latter.
pub(in crate::flow_shop::exact) fn compare<O: TreePooled>(
    trial: &Trial<'_>,
    problem: &Problem<'_, O>,
    options: &HostPool,
    groups: usize,
    monitor: &Monitor,
) -> Result<(), Failing> {
    const MORE: usize = 21;
    let mut explorer = O::explorer(problem, trial.device(), options, monitor.memory_bytes())?;
    let pool =
        Pool::new(problem, options, [groups * explorer.group() + MORE, FREE, BUDGET], monitor)?;
    pool.compare(problem, &mut *explorer, monitor)
}

/// Random nodes, the roots of trees, and what the CPU finds in these.
pub(in crate::flow_shop::exact) struct Pool {
    roots: Vec<Open>,
    orders: Orders,
    task: Task,
    expected: Vec<Tree>,
}

impl Pool {
    pub(in crate::flow_shop::exact) fn new<O: Objective>(
        problem: &Problem<'_, O>,
        options: &HostPool,
        [trees, most_free, budget]: [usize; 3],
        monitor: &Monitor,
    ) -> Result<Pool> {
        let roots: Vec<Open> = self_test::nodes(problem, [2, most_free]).take(trees).collect();
        let host = Host { problem, options };
        let orders = Context::of_one_thread()?.install(|| host.orders(&roots))??;
        let free = roots.iter().map(|root| host.free_count(root)).max().unwrap_or(2);
        let task = Task { trees, free, limit: problem.initial_limit, budget };
        let explore = |root| replay::explore(problem, root, task.limit, budget as u64, monitor);
        let expected = roots.iter().map(explore).collect::<Result<_>>()?;
        Ok(Pool { roots, orders, task, expected })
    }

    /// Compares the trees with the CPU's.
    pub(in crate::flow_shop::exact) fn compare<O: Objective>(
        &self,
        problem: &Problem<'_, O>,
        explorer: &mut dyn Explorer,
        monitor: &Monitor,
    ) -> Result<(), Failing> {
        explorer.begin(&self.orders, self.task)?;
        let explorer = &*explorer;
        let mut pacer = Pacer::new(explorer.queue(), monitor, "self-test");
        while explorer.step(&mut pacer)?.0 > 0 {}
        let explored = explorer.end(&mut pacer)?;
        let decode = || decode(problem, &self.roots, &explored, self.task.limit);
        let found = Context::of_one_thread()?.install(decode)??;
        agree("trees below nodes", &found, &self.expected)
    }
}
