//! The CPU's threads as an engine that works on the host's pool.

use super::crew::{Search, Worker};
use super::open_children;
use crate::flow_shop::exact::Counts;
use crate::flow_shop::exact::node::Open;
use crate::flow_shop::exact::objective::Objective;
use crate::flow_shop::exact::tree_pool::{replay, summarize};
use crate::solve::Monitor;
use crate::{Result, parallel};

/// Nodes for each thread at once, and nodes to decompose below each. The threads also prepare the
/// pools of devices, which must not wait long.
const NODES: usize = 4;
const BUDGET: u64 = 64;

pub(super) struct Threads<'a, 's, O: Objective> {
    pub(super) search: &'a Search<'a, 's, O>,
}

impl<O: Objective> Worker for Threads<'_, '_, O> {
    fn select(&mut self, open: &mut Vec<Open>, most: usize, room: usize) -> Result<Vec<Open>> {
        let Search { context, host, limit, slice } = self.search;
        let size = (NODES * context.threads()).min(room);
        Ok(host.select(open, most, size, |_| 1, limit, slice))
    }

    fn branch(&mut self, nodes: &[Open], _: &Monitor) -> Result<(Vec<Open>, Counts)> {
        let Search { context, host, limit, slice } = self.search;
        let below = limit.get();
        let explore =
            |root: &Open| replay::explore(host.problem, root, below, BUDGET, slice.monitor);
        let trees = context.install(|| parallel::try_map(nodes.iter(), explore))??;
        let (left, counts) = summarize(self.search, trees)?;
        Ok((open_children(self.search, left)?, counts))
    }
}
