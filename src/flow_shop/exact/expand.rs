//! Decomposes a node on the CPU: bounds its children, chooses the end to branch at and lists the
//! open children.

use std::cmp::Reverse;

use super::Bound;
use super::lanes::{Children, Limits};
use super::node::{End, State};
use super::pairs::{Child, Composer};
use super::problem::Problem;
use crate::Result;
use crate::solve::Monitor;

/// Scratch for decomposing nodes, reused from node to node.
#[derive(Default)]
pub(super) struct Expander {
    children: Children,
    composer: Composer,
}

impl Expander {
    /// Lists the children whose bounds are below the limit, in descending order of the bound, for a
    /// node with at least two free jobs. Returns the end where the children's jobs are fixed, and
    /// the number of bounded children. Gives up when the solve has to stop.
    pub(super) fn expand(
        &mut self,
        problem: &Problem<'_>,
        state: &State,
        limit: u32,
        monitor: &Monitor,
        open: &mut Vec<Child>,
    ) -> Result<(End, u64)> {
        let limits = Limits { open: limit, branching: problem.initial_limit };
        problem.lanes.bound(state, limits, &mut self.children);
        if problem.bound == Bound::TwoMachine {
            self.raise_all(problem, state, limits, monitor)?;
        }
        let bounded = problem.branching.bounds_of(state.free_count);
        if self.children.are_closed() {
            // No child is open at either end.
            return Ok((End::Front, bounded));
        }
        let end = problem.branching.choose(&state.free, &self.children.front, &self.children.back);
        let chosen = match end {
            End::Front => &self.children.front,
            End::Back => &self.children.back,
        };
        open.extend(
            chosen.open_jobs().map(|job| Child { bound: chosen.values[job as usize], job }),
        );
        if problem.bound == Bound::Refined {
            self.composer.raise(problem, state, end, open, Some(limit), monitor)?;
            open.retain(|child| child.bound < limit);
        }
        open.sort_unstable_by_key(|child| {
            Reverse(u64::from(child.bound) << 32 | u64::from(child.job))
        });
        Ok((end, bounded))
    }

    /// Computes the two-machine bounds of all children at both ends, so that they also choose the
    /// end.
    fn raise_all(
        &mut self,
        problem: &Problem<'_>,
        state: &State,
        limits: Limits,
        monitor: &Monitor,
    ) -> Result<()> {
        let Expander { children, composer } = self;
        for (end, bounds) in [(End::Front, &mut children.front), (End::Back, &mut children.back)] {
            let values = &bounds.values;
            let mut list: Vec<Child> =
                state.free_jobs().map(|job| Child { bound: values[job as usize], job }).collect();
            composer.raise(problem, state, end, &mut list, None, monitor)?;
            bounds.replace(
                state.free.len(),
                list.iter().map(|child| (child.job, child.bound)),
                limits,
            );
        }
        Ok(())
    }
}
