//! The OpenCL engine: it processes a pass level by level; the host only keeps the queue filled.

mod levels;
mod post;
mod together;

#[cfg(test)]
pub(in crate::flow_shop) use self::levels::{Count, Narrow, Offset, Place, Tally, Trace};
pub(in crate::flow_shop) use self::levels::{Levels, control};
pub(in crate::flow_shop) use self::together::Together;

use super::{DeviceTree, Reached, sequence};
use crate::flow_shop::end::End;
use crate::flow_shop::search::evaluator::Step;
use crate::opencl::{Buffer, Device, Queue, Tunable};
use crate::{Error, Pacer, Result, Units};

/// The tunables of a tree's kernels and of those that select its children.
pub(in crate::flow_shop) const TUNING: &[Tunable] = &[
    Tunable::power("EXPAND_GROUP: work-items of a group that expands a node", (16, 1024)),
    Tunable::power("GROUP: work-items of all other groups", (16, 1024)),
    Tunable::power("BLOCK: children in a block", (256, 1 << 16)),
    Tunable::power("UNIT_GROUPS: most groups of a compute unit", (1, 256)),
];

/// Steps per machine in the kernels of a tree, in nanoseconds of a slow device.
const MACHINE_WORK: u64 = 8;

/// The kernels and buffers of a tree. The levels alternate between two sets of buffers.
pub(in crate::flow_shop) trait DeviceNodes {
    /// Whether the tree's words have the least number of each level's nodes, which their children are
    /// ranked by.
    const HAS_LEAST: bool;

    /// The buffers of a level's nodes, each with the number of words of a node.
    fn records(&self, depth: usize) -> Vec<(&Buffer<u32>, usize)>;

    /// Work-items of a group of [`DeviceNodes::grow`].
    fn grow_group(&self) -> usize;

    /// Ranks the children of `count` nodes from `first` on, behind `depth` placed jobs.
    fn expand(
        &self,
        queue: &Queue,
        levels: &Levels,
        depth: usize,
        range: (usize, usize),
    ) -> Result<()>;

    /// Computes nodes of the next level: `count` work-items from `first` on.
    fn grow(
        &self,
        queue: &Queue,
        levels: &Levels,
        depth: usize,
        range: (usize, usize),
    ) -> Result<()>;
}

/// The size of a pass.
#[derive(Debug, Clone, Copy)]
pub(in crate::flow_shop) struct Size {
    pub(in crate::flow_shop) jobs: usize,
    pub(in crate::flow_shop) machines: usize,
    /// Most nodes of a level.
    pub(in crate::flow_shop) width: usize,
}

/// Runs a pass on a device. Reports to `progress` how many levels are complete or queued.
pub(super) fn run<T: DeviceTree>(
    tree: &T,
    device: &Device,
    width: usize,
    progress: &dyn Fn(usize),
) -> Result<Reached> {
    let queue = device.queue();
    let (levels, nodes) = tree.prepare(device, &queue, width)?;
    let pacer = Pacer::new(&queue, tree.monitor(), "beam");
    let (size, levels, nodes) = (levels.size(), &levels, &nodes);
    DevicePass { nodes, levels, queue: &queue, pacer, size }.run(progress)
}

/// Refuses nodes that a work-group's local memory does not hold, with `job_bytes` for each job.
pub(in crate::flow_shop) fn check_local_memory(
    device: &Device,
    (jobs, job_bytes): (usize, usize),
    machines: usize,
) -> Result<()> {
    let local_bytes = 32 * machines + job_bytes * jobs;
    if local_bytes as u64 > device.info().group_memory_bytes() {
        let sizes = format!("{jobs} jobs on {machines} machines");
        return Err(Error::device_failed(format!(
            "the memory of a work-group holds no node of {sizes}"
        )));
    }
    Ok(())
}

/// One pass on a device.
struct DevicePass<'a, N> {
    nodes: &'a N,
    levels: &'a Levels,
    queue: &'a Queue,
    pacer: Pacer<'a>,
    size: Size,
}

impl<N: DeviceNodes> DevicePass<'_, N> {
    fn run(mut self, progress: &dyn Fn(usize)) -> Result<Reached> {
        let jobs = self.size.jobs;
        // Only the device knows the number of nodes; this is an upper limit.
        let mut nodes = 1;
        for depth in 0..jobs {
            // The last level contains only schedules.
            let width = if depth + 1 == jobs { 1 } else { self.size.width };
            let children = nodes * (jobs - depth);
            let on = (self.queue, self.levels);
            expand(self.nodes, on, &mut self.pacer, self.size, depth, nodes)?;
            self.levels.select(self.queue, &mut self.pacer, depth, children, width)?;
            nodes = children.min(width);
            grow(self.nodes, on, &mut self.pacer, self.size, depth, nodes)?;
            progress(depth + 1);
        }
        let counts = self.levels.counts(self.queue)?;
        let order = if counts.nodes > 0 { Some(self.trace()?) } else { None };
        Ok(Reached { order, exhaustive: !counts.dropped, children: counts.children })
    }

    /// Traces the sequence back from the only node of the last level.
    fn trace(&self) -> Result<Vec<u32>> {
        order_of(&self.levels.trace(self.queue)?, self.size.jobs)
    }
}

/// Ranks the children of `nodes` nodes of a level.
fn expand<N: DeviceNodes>(
    tree: &N,
    (queue, levels): (&Queue, &Levels),
    pacer: &mut Pacer<'_>,
    size: Size,
    depth: usize,
    nodes: usize,
) -> Result<()> {
    let work = ((size.jobs - depth) * size.machines) as u64 * MACHINE_WORK;
    in_parts(pacer, nodes, work, |first, count| tree.expand(queue, levels, depth, (first, count)))
}

/// Computes the next level, of `nodes` nodes.
fn grow<N: DeviceNodes>(
    tree: &N,
    (queue, levels): (&Queue, &Levels),
    pacer: &mut Pacer<'_>,
    size: Size,
    depth: usize,
    nodes: usize,
) -> Result<()> {
    let group = tree.grow_group();
    let work = (group * size.machines) as u64 * MACHINE_WORK;
    in_parts(pacer, nodes.div_ceil(group), work, |first, count| {
        tree.grow(queue, levels, depth, (first * group, count * group))
    })
}

/// The sequence that a device's steps build: twice the job, plus its side.
fn order_of(steps: &[u32], jobs: usize) -> Result<Vec<u32>> {
    if let Some(step) = steps.iter().find(|&&step| (step >> 1) as usize >= jobs) {
        let job = step >> 1;
        return Err(Error::device_wrong(format!("a beam that places job {job} of {jobs}")));
    }
    let step =
        |&step: &u32| Step { parent: 0, job: step >> 1, side: End::BOTH[(step & 1) as usize] };
    Ok(sequence(steps.iter().rev().map(step)))
}

/// Launches work for `total` items in parts, each given by its first item and count.
fn in_parts(
    pacer: &mut Pacer<'_>,
    total: usize,
    work: u64,
    mut launch: impl FnMut(usize, usize) -> Result<()>,
) -> Result<()> {
    pacer.launch(0..total, Units::of(work), &mut |part| {
        launch(part.start, part.len()).map(|()| None)
    })
}
