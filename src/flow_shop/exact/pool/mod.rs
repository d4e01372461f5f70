//! Parallel evaluation of bounds, after Melab, Chakroun, Mezmaz and Tuyttens: the host keeps the
//! pool of open nodes, selects, branches and prunes; the device bounds a pool of children in one
//! launch, with one work-item for each.
//!
//! Our choices where the paper is silent: the branching rule chooses the end of each node, so a
//! pool holds children at both ends; a child is sent to the device as its parent's index and the
//! job that it fixes; all host threads prepare and branch a pool; the two-machine bound includes
//! the tails of both machines of a pair. Several devices have a pool each, and the CPU's threads
//! may take nodes, too.

mod bounder;
mod crew;
mod evaluation;
mod host;
mod self_test;
mod threads;

pub(super) use self::bounder::{Bounder, Orders, Pooled};
pub(super) use self::crew::{Search, Worker, advance as search_together};
pub(super) use self::host::Host;
pub(super) use self::self_test::{Pool, compare};

use self::evaluation::Evaluation;
use self::threads::Threads;
use super::limit::Limit;
use super::node::Open;
use super::objective::Objective;
use super::problem::Problem;
use super::{Counts, Slice};
use crate::enumeration::enumeration;
use crate::memory::Grow;
use crate::opencl::Device;
use crate::{Result, Team};

/// How a device works on the host's pools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostPool {
    /// Nodes bounded, or trees explored, at once, from 1 to [`HostPool::MAX_SIZE`]; the paper uses
    /// 4,096 to 262,144.
    pub size: usize,
    /// Whether to sort nodes by depth, so that neighbouring work-items run loops of equal length.
    pub sorted: bool,
    /// Whether the kernel computes its conditions by arithmetic instead of branches.
    pub branch_free: bool,
    /// Which tables to copy to local memory.
    pub placement: Placement,
    /// For [`Exploration::TreePool`](super::Exploration::TreePool): nodes that a work-item
    /// decomposes before the rest of its tree returns to the host, from 1 to
    /// [`HostPool::MAX_BUDGET`].
    pub budget: usize,
}

impl HostPool {
    /// Most nodes in one launch.
    pub const MAX_SIZE: usize = 1 << 20;
    /// Most nodes of a work-item.
    pub const MAX_BUDGET: usize = 1 << 12;
}

impl Default for HostPool {
    /// 65,536 nodes, sorted, branch-free, with automatic placement; 64 nodes for each work-item.
    fn default() -> Self {
        HostPool {
            size: 1 << 16,
            sorted: true,
            branch_free: true,
            placement: Placement::Auto,
            budget: 64,
        }
    }
}

enumeration! {
    /// Which tables are in a work-group's local memory.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum Placement {
        /// As much as fits: both tables, otherwise Johnson's orders, otherwise the times.
        #[default]
        Auto: "auto", "As many as fit";
        /// None.
        Global: "global", "None";
        /// The processing times.
        Times: "times", "The processing times";
        /// Johnson's orders.
        Johnson: "johnson", "Johnson's orders";
        /// Johnson's orders of the first pairs of machines, as many as fit. The others are in global
        /// memory.
        PartOfJohnson: "part-of-johnson", "Johnson's orders of as many pairs of machines as fit";
        /// The processing times and Johnson's orders.
        Both: "both", "The processing times and Johnson's orders";
    }
}

/// Searches below the open nodes until none is left or the slice ends; leaves the remaining open
/// nodes in `open`.
pub(super) fn advance<O: Pooled>(
    device: &Device,
    team: &Team<'_>,
    problem: &Problem<'_, O>,
    options: &HostPool,
    limit: &Limit,
    open: &mut Vec<Open>,
    slice: &Slice<'_, O>,
) -> Result<Counts> {
    let host = Host { problem, options };
    let search = Search { context: team.context(), host, limit, slice };
    search_together(device, team, &search, open, |device| {
        Ok(Box::new(Evaluation::new(device, &search)?))
    })
}

/// The children that stay open, in the order in which the paper selects them: the deepest last.
/// Offers complete sequences.
pub(super) fn open_children<O: Objective>(
    search: &Search<'_, '_, O>,
    children: Vec<Open>,
) -> Result<Vec<Open>> {
    let Search { host, limit, slice, .. } = search;
    let mut open = Vec::new();
    for child in children {
        match host.free_count(&child) {
            1 => host.offer(&child, limit, slice),
            _ => open.try_push(child)?,
        }
    }
    open.sort_by_cached_key(|node| node.fixed.len() as u64);
    Ok(open)
}
