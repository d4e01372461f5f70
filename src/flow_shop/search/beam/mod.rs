//! Bi-directional iterative beam search: Libralesso, Focke, Secardin and Jost (2022), "Iterative beam search algorithms
//! for the permutation flowshop", EJOR 301, 217-234.
//!
//! A node is a sequence of which both ends are known; its children add a job at the end where fewer of them could still
//! lead to a better schedule. The tree is searched level by level, and of each level only the best nodes by a guide are
//! kept. A pass that dropped no node for lack of room has proved that nothing better exists.

mod best;
mod cpu;
mod device;
mod expand;
mod guide;
mod node;

pub(super) use self::device::MOST_JOBS as MOST_DEVICE_JOBS;
pub(super) use self::guide::Guide;

use self::cpu::CpuPass;
use self::device::DevicePass;
use self::node::{Level, Side, Step};
use super::Shop;
use crate::opencl::Device;
use crate::solve::Monitor;
use crate::{Error, Result};

/// What a pass found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pass {
    /// A better sequence with its makespan.
    pub(super) found: Option<(Vec<u32>, u32)>,
    /// Nothing better than that, or than what was known, exists.
    pub(super) exhaustive: bool,
    /// Children generated.
    pub(super) children: u64,
    /// Most nodes that were kept of a level: fewer than asked for where the memory holds no more.
    pub(super) width: usize,
}

/// Passes over the tree of one shop, the same on every engine.
pub(super) struct Beam<'a> {
    shop: &'a Shop,
    monitor: &'a Monitor,
    /// The one-machine bound of the root.
    root_bound: u32,
}

impl<'a> Beam<'a> {
    pub(super) fn new(shop: &'a Shop, monitor: &'a Monitor, root_bound: u32) -> Self {
        Beam { shop, monitor, root_bound }
    }

    /// Searches for a sequence shorter than `upper`, keeping at most `width` nodes of each level. To be called on a
    /// thread of the pool.
    pub(super) fn on_cpu(&self, guide: Guide, width: usize, upper: u32) -> Result<Pass> {
        let width = width.min(self.widest()?);
        self.checked(CpuPass::new(self, guide, upper).run(width)?, width, upper)
    }

    /// [`Beam::on_cpu`] on a device.
    pub(super) fn on_device(&self, device: &Device, guide: Guide, width: usize, upper: u32) -> Result<Pass> {
        let limit = device.info().buffer_bytes(self.monitor.memory_bytes());
        let width = width.min(self.widest()?).min(device::widest(self.shop, device.info(), limit)?);
        let queue = device.queue()?;
        let found = DevicePass::new(self, device, &queue, guide, width, upper)?.run()?;
        self.checked(found, width, upper)
    }

    /// The widest beam that the memory and the numbering of children allow.
    fn widest(&self) -> Result<usize> {
        let jobs = self.shop.jobs();
        // Two levels, the steps of all levels, and the ranks of the children.
        let node = 2 * Level::node_bytes(self.shop) + jobs * (size_of::<Step>() + 8) + 16;
        let by_memory = nodes_within(self.monitor.memory_bytes(), node)?;
        Ok(by_memory.min(u64::from(u32::MAX) / jobs as u64).max(1) as usize)
    }

    /// The makespan of what was found, as the whole sequence has it.
    fn checked(&self, found: Found, width: usize, upper: u32) -> Result<Pass> {
        let Found { order, exhaustive, children } = found;
        let found = order.map(|order| {
            let makespan = self.shop.makespan(&order);
            (order, makespan)
        });
        match found {
            Some((_, makespan)) if makespan >= upper => {
                Err(Error::Internal(format!("a beam found {makespan} looking for less than {upper}")))
            }
            found => Ok(Pass { found, exhaustive, children, width }),
        }
    }
}

/// How many nodes of so many bytes fit, with room for as much again.
fn nodes_within(limit: u64, node: usize) -> Result<u64> {
    match limit / 2 / node as u64 {
        0 => Err(Error::OutOfMemory {
            what: "a node of beam search".into(),
            required: 2 * node as u128,
            limit,
        }),
        nodes => Ok(nodes),
    }
}

/// What an engine found.
struct Found {
    order: Option<Vec<u32>>,
    exhaustive: bool,
    children: u64,
}

/// The sequence that steps make, the last one first.
fn sequence(steps: impl Iterator<Item = Step>) -> Vec<u32> {
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
