use crate::Result;
use crate::context::Pacer;
use crate::flow_shop::exact::objective::Objective;
use crate::flow_shop::exact::pool::{HostPool, Orders};
use crate::flow_shop::exact::problem::Problem;
use crate::opencl::{Device, Queue};

/// The job of an entry of [`Explored::left`] that is a present node.
pub(in crate::flow_shop::exact) const NOBODY: u32 = u32::MAX;

/// The work on one pool.
#[derive(Debug, Clone, Copy)]
pub(in crate::flow_shop::exact) struct Task {
    /// Trees of the pool.
    pub(in crate::flow_shop::exact) trees: usize,
    /// Most free jobs of their roots, at least two.
    pub(in crate::flow_shop::exact) free: usize,
    /// What bounds must be below.
    pub(in crate::flow_shop::exact) limit: u32,
    /// Most nodes to decompose in a tree.
    pub(in crate::flow_shop::exact) budget: usize,
}

impl Task {
    /// Most nodes with open children on a path.
    pub(in crate::flow_shop::exact) fn levels(&self) -> usize {
        self.budget.min(self.free - 1)
    }

    /// Most open children of the nodes on a path.
    pub(in crate::flow_shop::exact) fn entries(&self) -> usize {
        let levels = self.levels();
        levels * self.free - levels * (levels - 1) / 2
    }
}

/// The work done in one tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::flow_shop::exact) struct Done {
    /// Decomposed nodes, and the sum of their free jobs.
    pub(in crate::flow_shop::exact) nodes: u32,
    pub(in crate::flow_shop::exact) free: u32,
    /// The value of the best leaf, if it is below the pool's limit.
    pub(in crate::flow_shop::exact) limit: u32,
    /// Entries of [`Explored::left`].
    pub(in crate::flow_shop::exact) left: u32,
}

/// What a device found in the trees of a pool.
#[derive(Debug, Default)]
pub(in crate::flow_shop::exact) struct Explored {
    pub(in crate::flow_shop::exact) done: Vec<Done>,
    /// The sequence of each tree's present node: its front, free jobs, its back.
    pub(in crate::flow_shop::exact) rows: Vec<u32>,
    /// What is left of each tree: the path's open children, then the present node. The numbers are
    /// the bound; twice the job, plus 1 at the back, or [`NOBODY`] for the present node; the numbers
    /// of jobs at the parent's front and back.
    pub(in crate::flow_shop::exact) left: Vec<[u32; 4]>,
    /// The best leaf of each tree, meaningless where there is none; empty if no tree has one.
    pub(in crate::flow_shop::exact) best: Vec<u32>,
}

/// Explores trees on a device, one work-item each.
pub(in crate::flow_shop::exact) trait Explorer: Send {
    fn queue(&self) -> &Queue;

    /// Work-items of a group.
    fn group(&self) -> usize;

    /// Trees that fit into the device's memory, at least one.
    fn most_trees(&self, task: Task) -> Result<usize>;

    /// Begins at the roots of a pool.
    fn begin(&mut self, roots: &Orders, task: Task) -> Result<()>;

    /// Continues in all trees. Returns how many are not complete and have not spent their budget,
    /// and the most children that were bounded in a tree.
    fn step(&self, pacer: &mut Pacer<'_>) -> Result<(usize, usize)>;

    /// What was found and what is left.
    fn end(&self, pacer: &mut Pacer<'_>) -> Result<Explored>;
}

/// An objective with an [`Explorer`].
pub(in crate::flow_shop::exact) trait TreePooled: Objective {
    fn explorer<'a>(
        problem: &'a Problem<'a, Self>,
        device: &'a Device,
        options: &HostPool,
        memory_bytes: u64,
    ) -> Result<Box<dyn Explorer + 'a>>;
}
