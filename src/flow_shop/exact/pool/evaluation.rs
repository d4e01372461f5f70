//! A device that bounds the children of the host's nodes.

use super::bounder::{Bounder, Pooled};
use super::crew::{Search, Worker};
use super::open_children;
use crate::Result;
use crate::context::{Pacer, SpotChecks};
use crate::flow_shop::exact::Counts;
use crate::flow_shop::exact::checks::check_rows;
use crate::flow_shop::exact::node::Open;
use crate::opencl::Device;
use crate::solve::Monitor;

pub(super) struct Evaluation<'a, 's, O: Pooled> {
    search: &'a Search<'a, 's, O>,
    bounder: Box<dyn Bounder + 'a>,
    /// What the pacer has learnt.
    budget: Option<u64>,
    checks: SpotChecks,
}

impl<'a, 's, O: Pooled> Evaluation<'a, 's, O> {
    pub(super) fn new(device: &'a Device, search: &'a Search<'a, 's, O>) -> Result<Self> {
        let bounder = O::bounder(search.host.problem, device, search.host.options)?;
        Ok(Evaluation { search, bounder, budget: None, checks: SpotChecks::new() })
    }

    /// The bounds of the nodes' children, ordered by node, end and job.
    fn bounds(&mut self, nodes: &[Open], monitor: &Monitor) -> Result<Vec<u32>> {
        let Search { context, host, .. } = self.search;
        let (orders, children) = context.install(|| host.children(nodes))??;
        self.bounder.begin(&orders, &children)?;
        let mut pacer = Pacer::new(self.bounder.queue(), monitor, "branch and bound");
        if let Some(learnt) = self.budget {
            pacer = pacer.with_budget(learnt);
        }
        let bounds = self.bounder.bound(&mut pacer)?;
        self.budget = Some(pacer.budget());
        Ok(bounds)
    }

    /// Computes some of the bounds again, on the host.
    fn check(&mut self, nodes: &[Open], bounds: &[u32], monitor: &Monitor) -> Result<()> {
        let Search { context, host, .. } = self.search;
        let rows = host.rows(nodes, bounds)?;
        check_rows(
            context,
            host.problem,
            nodes,
            &rows,
            &mut self.checks,
            monitor,
            |row, expected| host.agrees(row, expected),
        )
    }
}

impl<O: Pooled> Worker for Evaluation<'_, '_, O> {
    fn select(&mut self, open: &mut Vec<Open>, most: usize, room: usize) -> Result<Vec<Open>> {
        let Search { host, limit, slice, .. } = self.search;
        let size = host.options.size.min(room);
        let children = |free_jobs| host.problem.branching.bounds_of(free_jobs) as usize;
        Ok(host.select(open, most, size, children, limit, slice))
    }

    fn branch(&mut self, nodes: &[Open], monitor: &Monitor) -> Result<(Vec<Open>, Counts)> {
        let bounds = self.bounds(nodes, monitor)?;
        self.check(nodes, &bounds, monitor)?;
        let Search { context, host, limit, .. } = self.search;
        let children = context.install(|| host.branch(nodes, &bounds, limit.get()))??;
        let counts = Counts { nodes: nodes.len() as u64, bounds: bounds.len() as u64 };
        Ok((open_children(self.search, children)?, counts))
    }
}
