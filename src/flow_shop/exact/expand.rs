//! Decomposes a node on the CPU: bounds its children, chooses the end to branch at and lists the
//! open children.

use std::cmp::Reverse;

use super::children::{Bounds, Children, Limits};
use super::node::{Child, Node, Open};
use super::objective::Objective;
use super::problem::Problem;
use crate::Result;
use crate::flow_shop::end::End;
use crate::solve::Monitor;

/// Scratch for decomposing nodes, reused from node to node.
pub(super) struct Expander<O: Objective> {
    children: Children,
    scratch: O::Scratch,
}

impl<O: Objective> Default for Expander<O> {
    fn default() -> Self {
        Expander { children: Children::default(), scratch: O::Scratch::default() }
    }
}

impl<O: Objective> Expander<O> {
    /// Lists the children whose bounds are below the limit, in descending order of the bound, for a
    /// node with at least two free jobs. Returns the end where the children's jobs are fixed, and
    /// the number of bounded children. Gives up when the solve has to stop.
    pub(super) fn expand(
        &mut self,
        problem: &Problem<'_, O>,
        node: &Node<O::State>,
        limit: u32,
        monitor: &Monitor,
        open: &mut Vec<Child>,
    ) -> Result<(End, u64)> {
        let limits = Limits { open: limit, branching: problem.initial_limit };
        let Expander { children, scratch } = self;
        problem.objective.bound_children(node, limits, monitor, scratch, children)?;
        let bounded = problem.branching.bounds_of(node.free_count);
        if children.are_closed() {
            // No child is open at either end.
            return Ok((End::Front, bounded));
        }
        let end = problem.branching.choose(&node.free, &children.front, &children.back);
        let chosen = match end {
            End::Front => &children.front,
            End::Back => &children.back,
        };
        open.extend(
            chosen.open_jobs().map(|job| Child { bound: chosen.values[job as usize], job }),
        );
        problem.objective.refine(node, end, open, Some(limit), monitor, scratch)?;
        open.sort_unstable_by_key(|child| {
            Reverse(u64::from(child.bound) << 32 | u64::from(child.job))
        });
        Ok((end, bounded))
    }

    /// The best bounds of all children of an open node at the front and at the back, by job.
    pub(super) fn bounds(
        &mut self,
        problem: &Problem<'_, O>,
        open: &Open,
        monitor: &Monitor,
    ) -> Result<Vec<[u32; 2]>> {
        let node = problem.node(open);
        let none = Limits { open: u32::MAX, branching: u32::MAX };
        let Expander { children, scratch } = self;
        problem.objective.bound_children(&node, none, monitor, scratch, children)?;
        let mut at_end = |end, bounds: &Bounds| -> Result<Vec<Child>> {
            let child = |job| Child { bound: bounds.values[job as usize], job };
            let mut list: Vec<Child> = node.free_jobs().map(child).collect();
            problem.objective.refine(&node, end, &mut list, None, monitor, scratch)?;
            Ok(list)
        };
        let front = at_end(End::Front, &children.front)?;
        let back = at_end(End::Back, &children.back)?;
        Ok(front.into_iter().zip(back).map(|(front, back)| [front.bound, back.bound]).collect())
    }
}
