//! Parallel tree exploration, the first approach of Melab, Chakroun, Mezmaz and Tuyttens: the host
//! keeps the open nodes and selects pools of them, deepest first. On the device each work-item
//! branches, bounds and prunes the tree below one node. It returns the rest of the trees.
//!
//! Our choices where the paper is silent: a work-item explores depth first, children with small
//! bounds first, and returns the rest once it has decomposed a number of nodes; the branching rule
//! chooses the end of each node; each of several devices takes its own pool; a round also ends when
//! few trees are left in it, so that lanes get new ones.

mod exploration;
mod explorer;
pub(super) mod replay;
mod self_test;
#[cfg(test)]
mod tests;
mod trees;

use self::exploration::Exploration;
pub(super) use self::explorer::{Done, Explored, Explorer, NOBODY, Task, TreePooled};
pub(super) use self::self_test::{FREE, Pool, compare};
pub(super) use self::trees::summarize;
use super::limit::Limit;
use super::node::Open;
use super::pool::{Host, HostPool, Search, search_together};
use super::problem::Problem;
use super::{Counts, Slice};
use crate::opencl::Device;
use crate::{Result, Team};

/// Searches below the open nodes until none is left or the slice ends; leaves the remaining open
/// nodes in `open`.
pub(super) fn advance<O: TreePooled>(
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
        Ok(Box::new(Exploration::new(device, &search)?))
    })
}
