//! Parallel evaluation of bounds, the system of Melab, Chakroun, Mezmaz and Tuyttens: the host
//! keeps the pool of open nodes, branches, selects and prunes; the device computes the bounds of a
//! pool of children in one launch, one work-item for each.
//!
//! Choices where the paper is silent: nodes are branched at the end that the rule chooses, so a
//! pool holds children at both ends; a child travels as its parent and the job that it fixes; all
//! threads of the host prepare and branch a pool; the two-machine bound uses what lies behind both
//! machines of a pair.

mod bounder;
mod host;
mod self_test;

use self::bounder::Bounder;
use self::host::Host;
use super::evaluate::check_rows;
use super::keeper::Keeper;
use super::limit::Limit;
use super::node::Open;
use super::problem::Problem;
use super::{Counts, Slice};
use crate::context::{Pacer, SpotChecks};
use crate::memory::Grow;
use crate::opencl::Device;
use crate::solve::Monitor;
use crate::{Context, Error, Result};

/// How the host's pool is bounded on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostPool {
    /// Nodes that are bounded in one launch, from 1 to [`HostPool::MAX_SIZE`]; the paper's are
    /// 4,096 to 262,144.
    pub size: usize,
    /// Whether nodes are sorted by depth, so that neighbouring work-items run loops of the same
    /// length.
    pub sorted: bool,
    /// Whether the kernel's conditions are arithmetic instead of branches.
    pub branch_free: bool,
    /// Which tables are kept in local memory.
    pub placement: Placement,
}

impl HostPool {
    /// Most nodes of one launch.
    pub const MAX_SIZE: usize = 1 << 20;
}

impl Default for HostPool {
    /// 65,536 nodes, sorted, without branches, the placement by size.
    fn default() -> Self {
        HostPool { size: 1 << 16, sorted: true, branch_free: true, placement: Placement::Auto }
    }
}

/// The tables in a work-group's local memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Placement {
    /// As much as fits: both, else Johnson's orders, else the times.
    #[default]
    Auto,
    /// None.
    Global,
    /// The processing times.
    Times,
    /// Johnson's orders.
    Johnson,
    /// Both.
    Both,
}

impl Placement {
    /// All placements.
    pub const ALL: [Placement; 5] =
        [Placement::Auto, Placement::Global, Placement::Times, Placement::Johnson, Placement::Both];

    /// The placement's name in the command's spelling.
    pub fn name(self) -> &'static str {
        match self {
            Placement::Auto => "auto",
            Placement::Global => "global",
            Placement::Times => "times",
            Placement::Johnson => "johnson",
            Placement::Both => "both",
        }
    }
}

/// Searches below the open nodes until there are none or the slice ends; leaves those that are open
/// then.
pub(super) fn advance(
    context: &Context,
    device: &Device,
    problem: &Problem<'_>,
    options: &HostPool,
    limit: &Limit,
    open: &mut Vec<Open>,
    slice: &Slice<'_>,
) -> Result<Counts> {
    let queue = device.queue()?;
    let host = Host { problem, options };
    let mut bounder = Bounder::new(device, &queue, problem, options)?;
    let mut pacer = Pacer::new(&queue, slice.monitor, "branch and bound");
    let mut checks = SpotChecks::new();
    let mut counts = Counts::default();
    // Children are as many again until they have been branched.
    let memory = slice.monitor.memory_bytes() / 2 / Open::bytes(problem.instance.jobs());
    let most_open = usize::try_from(memory).unwrap_or(usize::MAX);
    while !open.is_empty() && !slice.is_over() {
        // Where there is little room left, few are branched at once, so that depth first they get
        // fewer.
        let room = most_open.saturating_sub(open.len());
        let parents = host.select(open, options.size.min(room), limit, slice);
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

/// Computes some of the bounds again.
fn check(
    context: &Context,
    host: &Host<'_>,
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

/// Opens children, deepest first, as the paper selects them. Complete ones are offered.
fn take_in(
    host: &Host<'_>,
    children: Vec<Open>,
    limit: &Limit,
    open: &mut Vec<Open>,
    slice: &Slice<'_>,
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
