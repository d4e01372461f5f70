//! Bi-directional iterative beam search: Libralesso, Focke, Secardin and Jost (2022), "Iterative
//! beam search algorithms for the permutation flowshop", EJOR 301, 217-234.
//!
//! A tree of partial sequences is searched level by level, and of each level only the best nodes by
//! a guide are kept. A pass that dropped no node for lack of room has proved that nothing better
//! exists.

mod best;
mod cpu;

use self::cpu::CpuPass;
use super::evaluator::{Found, Side, Step, Tree};
use crate::context::wrong;
use crate::flow_shop::permutation::is_permutation;
use crate::opencl::{Device, DeviceInfo};
use crate::solve::Monitor;
use crate::{Context, Error, Result};

/// What a pass found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pass {
    /// A sequence better than the goal.
    pub(super) found: Option<Found>,
    /// Nothing better than that, or than the goal, exists.
    pub(super) exhaustive: bool,
    /// Children generated.
    pub(super) children: u64,
    /// Most nodes that were kept of a level: fewer than asked for where the memory holds no more.
    pub(super) width: usize,
}

/// What an engine came to.
pub(super) struct Reached {
    pub(super) order: Option<Vec<u32>>,
    pub(super) exhaustive: bool,
    pub(super) children: u64,
}

/// A tree that a device searches by kernels.
pub(super) trait DeviceTree: Tree {
    /// The widest beam that the device has memory for, with `limit` bytes for buffers.
    fn widest(&self, info: &DeviceInfo, limit: u64) -> Result<usize>;

    /// The same pass as on the CPU.
    fn run(&self, device: &Device, width: usize) -> Result<Reached>;
}

/// Searches a tree for a sequence better than its goal, keeping at most `width` nodes of each
/// level. To be called on a thread of the pool.
pub(super) fn on_cpu<T: Tree>(tree: &T, monitor: &Monitor, width: usize) -> Result<Pass> {
    let width = width.min(widest(tree, monitor)?);
    checked(tree, CpuPass { tree, monitor }.run(width)?, width)
}

/// [`on_cpu`] on a device. A pass that dropped no node is a proof only after the host has made the
/// same pass, which is short where the tree is that small.
pub(super) fn on_device<T: DeviceTree>(
    context: &Context,
    tree: &T,
    device: &Device,
    monitor: &Monitor,
    width: usize,
) -> Result<Pass> {
    let limit = device.info().buffer_bytes(monitor.memory_bytes());
    let width = width.min(widest(tree, monitor)?).min(tree.widest(device.info(), limit)?);
    let reached = tree.run(device, width)?;
    let is_better = |order: &Vec<u32>| {
        is_permutation(order.iter().copied(), tree.jobs()) && tree.value(order) < tree.goal()
    };
    if !reached.order.as_ref().is_none_or(is_better) {
        return Err(wrong("the sequence of a beam"));
    }
    let pass = checked(tree, reached, width)?;
    if !pass.exhaustive {
        return Ok(pass);
    }
    let again = || on_cpu(tree, monitor, width);
    match context.install_reporting(monitor, "beam", || None, again)? {
        Ok(again) if again == pass => Ok(again),
        Ok(_) => Err(wrong("a beam that dropped no node")),
        Err(error) if matches!(*error, Error::Stopped) => Ok(Pass { exhaustive: false, ..pass }),
        Err(error) => Err(error),
    }
}

/// The widest beam that the memory and the numbering of children allow.
fn widest<T: Tree>(tree: &T, monitor: &Monitor) -> Result<usize> {
    let jobs = tree.jobs();
    // Two levels, the steps of all levels, and the ranks of the children.
    let node = 2 * (tree.node_bytes() + size_of::<Step>()) + jobs * (size_of::<Step>() + 8) + 16;
    let by_memory = nodes_within(monitor.memory_bytes(), node)?;
    Ok(by_memory.min(u64::from(u32::MAX) / jobs as u64).max(1) as usize)
}

/// With the value of what was found, as the whole sequence has it.
fn checked<T: Tree>(tree: &T, reached: Reached, width: usize) -> Result<Pass> {
    let Reached { order, exhaustive, children } = reached;
    let found = order.map(|order| Found { value: tree.value(&order), order });
    match found {
        Some(Found { value, .. }) if value >= tree.goal() => Err(Error::internal(format!(
            "a beam found {value} looking for less than {}",
            tree.goal()
        ))),
        found => Ok(Pass { found, exhaustive, children, width }),
    }
}

/// How many nodes of `node` bytes fit into half of the limit.
pub(super) fn nodes_within(limit: u64, node: usize) -> Result<u64> {
    match limit / 2 / node as u64 {
        0 => Err(Box::new(Error::OutOfMemory {
            what: "a node of beam search".into(),
            required: 2 * node as u128,
            limit,
        })),
        nodes => Ok(nodes),
    }
}

/// The sequence that steps make, the last one first.
pub(super) fn sequence(steps: impl Iterator<Item = Step>) -> Vec<u32> {
    let (mut front, mut back) = (Vec::new(), Vec::new());
    for step in steps {
        match step.side {
            Side::Front => front.push(step.job),
            Side::Back => back.push(step.job),
        }
    }
    front.reverse();
    front.extend(back);
    front
}

#[cfg(test)]
mod tests;
