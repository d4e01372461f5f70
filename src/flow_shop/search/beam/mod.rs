//! Bi-directional iterative beam search: Libralesso, Focke, Secardin and Jost (2022), "Iterative
//! beam search algorithms for the permutation flowshop", EJOR 301, 217-234.
//!
//! The search builds a tree of partial sequences level by level and keeps only the best nodes of
//! each level, ranked by a guide. A pass that dropped no node for lack of room has proved that no
//! better sequence exists.

mod best;
mod cpu;
pub(in crate::flow_shop) mod device;
mod passes;
mod widen;

pub(in crate::flow_shop) use self::passes::{Request, Trees};
pub(in crate::flow_shop) use self::widen::{Goal, Widths, widen};

use self::cpu::CpuPass;
use self::device::{DeviceNodes, Levels, Together};
use super::evaluator::{Step, Tree, ValuedSequence};
use crate::context::{Failure, wrong};
use crate::flow_shop::end::End;
use crate::flow_shop::permutation::is_permutation;
use crate::opencl::{Device, DeviceInfo, Queue};
use crate::solve::Monitor;
use crate::{Context, Error, Result, Team};

/// The result of a pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::flow_shop) struct Pass<V = u64> {
    /// A sequence better than the cutoff.
    pub(in crate::flow_shop) found: Option<ValuedSequence<V>>,
    /// Whether it is proved that no sequence is better than `found`, or than the cutoff without it.
    pub(in crate::flow_shop) exhaustive: bool,
    /// Children generated.
    pub(in crate::flow_shop) children: u64,
    /// Most nodes kept of a level. Less than requested if memory is too small.
    pub(in crate::flow_shop) width: usize,
}

/// The result of a pass on one engine, before checks.
pub(in crate::flow_shop) struct Reached {
    pub(super) order: Option<Vec<u32>>,
    pub(super) exhaustive: bool,
    pub(super) children: u64,
}

/// A tree that a device can search.
pub(in crate::flow_shop) trait DeviceTree: Tree {
    /// The widest beam that fits in the device's memory, with at most `limit` bytes for buffers.
    fn widest(&self, info: &DeviceInfo, limit: u64) -> Result<usize>;

    /// What a device needs for the same passes as the CPU engine, with the root as its node.
    type Nodes<'t>: DeviceNodes
    where
        Self: 't;

    fn monitor(&self) -> &Monitor;

    /// Builds the kernels and fills the buffers for a pass.
    fn prepare(
        &self,
        device: &Device,
        queue: &Queue,
        width: usize,
    ) -> Result<(Levels, Self::Nodes<'_>)>;
}

/// Searches a tree for a sequence better than its cutoff, keeping at most `width` nodes of each
/// level. Call it on a pool thread.
pub(in crate::flow_shop) fn on_cpu<T: Tree>(
    tree: &T,
    monitor: &Monitor,
    width: usize,
) -> Result<Pass<T::Value>> {
    let width = width.min(widest(tree, monitor)?);
    checked(tree, CpuPass { tree, monitor }.run(width)?, width)
}

/// The widest beam up to `width` that the device runs.
pub(super) fn widest_on_device<T: DeviceTree>(
    tree: &T,
    device: &Device,
    monitor: &Monitor,
    width: usize,
) -> Result<usize> {
    let limit = device.info().buffer_bytes(monitor.memory_bytes());
    Ok(width.min(widest(tree, monitor)?).min(tree.widest(device.info(), limit)?))
}

/// The further devices of a team that hold as wide a beam as the chosen one, with their places. The
/// others are left out: a narrower beam might not find the same sequence.
pub(super) fn devices_for<'t, T: DeviceTree>(
    tree: &T,
    chosen: &Device,
    team: &'t Team<'_>,
    monitor: &Monitor,
    width: usize,
) -> Result<Vec<(usize, &'t Device)>> {
    let width = widest_on_device(tree, chosen, monitor, width)?;
    let mut able = team.able();
    able.retain(|&(place, device)| {
        let holds = widest_on_device(tree, device, monitor, width).is_ok_and(|most| most == width);
        if !holds {
            let reason = format!("a beam of {width} nodes in its memory");
            team.leave_out(place, &Error::Unsupported(reason));
        }
        holds
    });
    Ok(able)
}

/// [`on_cpu`] on a device, which passes the number of complete levels to `progress`. A pass that
/// dropped no node proves optimality only after the host has repeated it, which is quick for such a
/// small tree.
pub(in crate::flow_shop) fn on_device<T: DeviceTree>(
    context: &Context,
    tree: &T,
    device: &Device,
    monitor: &Monitor,
    width: usize,
    progress: &dyn Fn(usize),
) -> Result<Pass<T::Value>> {
    let width = widest_on_device(tree, device, monitor, width)?;
    settled(context, tree, monitor, width, device::run(tree, device, width, progress)?)
}

/// [`on_device`] on several devices. An error has the number of its device.
pub(in crate::flow_shop) fn on_devices<T: DeviceTree>(
    context: &Context,
    tree: &T,
    (chosen, devices): (&Device, &Together<'_>),
    monitor: &Monitor,
    width: usize,
    progress: &(dyn Fn(usize) + Sync),
) -> std::result::Result<Pass<T::Value>, Failure> {
    let of_all = |error| (0, error);
    let width = widest_on_device(tree, chosen, monitor, width).map_err(of_all)?;
    let reached = devices.run(tree, width, progress)?;
    settled(context, tree, monitor, width, reached).map_err(of_all)
}

/// Checks what devices have reached.
fn settled<T: DeviceTree>(
    context: &Context,
    tree: &T,
    monitor: &Monitor,
    width: usize,
    reached: Reached,
) -> Result<Pass<T::Value>> {
    let is_better = |order: &Vec<u32>| {
        is_permutation(order.iter().copied(), tree.jobs()) && tree.value(order) < tree.cutoff()
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

/// The widest beam that memory and the numbering of children allow.
pub(super) fn widest<T: Tree>(tree: &T, monitor: &Monitor) -> Result<usize> {
    let jobs = tree.jobs();
    // Two levels, the steps of all levels, and the ranks of the children.
    let node = 2 * (tree.node_bytes() + size_of::<Step>()) + jobs * (size_of::<Step>() + 8) + 16;
    let by_memory = nodes_within(monitor.memory_bytes(), node)?;
    Ok(by_memory.min(u64::from(u32::MAX) / jobs as u64).max(1) as usize)
}

/// The pass, with the value of its sequence computed independently.
fn checked<T: Tree>(tree: &T, reached: Reached, width: usize) -> Result<Pass<T::Value>> {
    let Reached { order, exhaustive, children } = reached;
    let found = order.map(|order| ValuedSequence { value: tree.value(&order), order });
    match found {
        Some(ValuedSequence { value, .. }) if value >= tree.cutoff() => Err(Error::internal(
            format!("a beam found {value:?} looking for less than {:?}", tree.cutoff()),
        )),
        found => Ok(Pass { found, exhaustive, children, width }),
    }
}

/// Number of nodes of `node` bytes that fit into half of the limit.
pub(in crate::flow_shop) fn nodes_within(limit: u64, node: usize) -> Result<u64> {
    match limit / 2 / node as u64 {
        0 => Err(Box::new(Error::OutOfMemory {
            what: "a node of beam search".into(),
            required: 2 * node as u128,
            limit,
        })),
        nodes => Ok(nodes),
    }
}

/// The sequence that the steps build, given the last step first.
pub(super) fn sequence(steps: impl Iterator<Item = Step>) -> Vec<u32> {
    let (mut front, mut back) = (Vec::new(), Vec::new());
    for step in steps {
        match step.side {
            End::Front => front.push(step.job),
            End::Back => back.push(step.job),
        }
    }
    front.reverse();
    front.extend(back);
    front
}

#[cfg(test)]
mod tests;
