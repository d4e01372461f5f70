//! Parallel evaluation of bounds, after Melab, Chakroun, Mezmaz and Tuyttens: the host keeps the
//! pool of open nodes, selects, branches and prunes; the device bounds a pool of children in one
//! launch, with one work-item for each.
//!
//! Our choices where the paper is silent: the branching rule chooses the end of each node, so a
//! pool holds children at both ends; a child is sent to the device as its parent's index and the
//! job that it fixes; all host threads prepare and branch a pool; the two-machine bound includes
//! the tails of both machines of a pair.

mod bounder;
mod host;
mod self_test;

pub(super) use self::bounder::{Bounder, Orders, Pooled};
pub(super) use self::host::Host;
pub(super) use self::self_test::{Pool, compare};

use super::checks::check_rows;
use super::keeper::Keeper;
use super::limit::Limit;
use super::node::Open;
use super::objective::Objective;
use super::problem::Problem;
use super::{Counts, Slice};
use crate::context::{Pacer, SpotChecks};
use crate::enumeration::enumeration;
use crate::memory::Grow;
use crate::opencl::Device;
use crate::solve::Monitor;
use crate::{Context, Error, Result};

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
    context: &Context,
    device: &Device,
    problem: &Problem<'_, O>,
    options: &HostPool,
    limit: &Limit,
    open: &mut Vec<Open>,
    slice: &Slice<'_, O>,
) -> Result<Counts> {
    let queue = device.queue();
    let host = Host { problem, options };
    let mut bounder = O::bounder(problem, device, &queue, options)?;
    let mut pacer = Pacer::new(&queue, slice.monitor, "branch and bound");
    let mut checks = SpotChecks::new();
    let mut counts = Counts::default();
    // Until they are branched, the children take as much memory again.
    let memory = slice.monitor.memory_bytes() / 2 / Open::bytes(problem.instance.jobs());
    let most_open = usize::try_from(memory).unwrap_or(usize::MAX);
    while !open.is_empty() && !slice.is_over() {
        // With little room left, branch few nodes at once: depth-first search then reduces the
        // number of open nodes.
        let room = most_open.saturating_sub(open.len());
        let children_of = |free_jobs| problem.branching.bounds_of(free_jobs) as usize;
        let parents = host.select(open, options.size.min(room), children_of, limit, slice);
        let (orders, children) = context.install(|| host.children(&parents))??;
        let bounded = bounder.bound(&orders, &children, &mut pacer).and_then(|bounds| {
            check(context, &host, &parents, &bounds, &mut checks, slice.monitor)?;
            Ok(bounds)
        });
        let bounds = match bounded {
            Ok(bounds) => bounds,
            Err(error) if matches!(*error, Error::Stopped) => {
                open.extend(parents);
                break;
            }
            Err(error) => return Err(error),
        };
        counts.nodes += parents.len() as u64;
        counts.bounds += bounds.len() as u64;
        let children = context.install(|| host.branch(&parents, &bounds, limit.get()))??;
        take_in(&host, children, limit, open, slice)?;
        slice.monitor.report("branch and bound", None);
        if slice.keeper.is_some_and(Keeper::is_due) {
            break;
        }
    }
    Ok(counts)
}

/// Recomputes some of the bounds on the host.
fn check<O: Pooled>(
    context: &Context,
    host: &Host<'_, O>,
    parents: &[Open],
    bounds: &[u32],
    checks: &mut SpotChecks,
    monitor: &Monitor,
) -> Result<()> {
    let rows = host.rows(parents, bounds)?;
    check_rows(context, host.problem, parents, &rows, checks, monitor, |row, expected| {
        host.agrees(row, expected)
    })
}

/// Adds open children, deepest first, as the paper selects them. Offers complete sequences.
pub(super) fn take_in<O: Objective>(
    host: &Host<'_, O>,
    children: Vec<Open>,
    limit: &Limit,
    open: &mut Vec<Open>,
    slice: &Slice<'_, O>,
) -> Result<()> {
    let first = open.len();
    for child in children {
        match host.free_count(&child) {
            1 => host.offer(&child, limit, slice),
            _ => open.try_push(child)?,
        }
    }
    open[first..].sort_by_cached_key(|node| node.fixed.len() as u64);
    Ok(())
}
