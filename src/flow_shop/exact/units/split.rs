//! Splitting a unit into parts.

use std::cmp::Reverse;

use super::{Checkpoint, Unit};
use crate::flow_shop::exact::Counts;
use crate::flow_shop::exact::expand::Expander;
use crate::flow_shop::exact::makespan::Makespan;
use crate::flow_shop::exact::node::{Child, Open};
use crate::flow_shop::exact::problem::Problem;
use crate::memory::{Gather, Grow};
use crate::solve::{Monitor, SolveOptions};
use crate::{Error, Result, memory};

/// The shallowest level shall have at least this many nodes for each part: a part with one large
/// subtree more than another is then not much longer.
const NODES_PER_PART: usize = 2;
/// Levels that may be decomposed for that.
const MOST_LEVELS: usize = 6;

impl Unit {
    /// Splits the unit into disjoint parts that make up the whole. Each part has an equal share of
    /// the nodes of each level. If the shallowest level has few nodes, it is decomposed first, and
    /// the first part counts that work. The first part also has the unit's counts of work. The
    /// parts have no epoch. Of a unit that is nearly done, some parts may be done.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for no parts; [`Error::OutOfMemory`].
    pub fn split(mut self, parts: usize) -> Result<Vec<Unit>> {
        if parts == 0 {
            return Err(Error::argument("parts", "must be at least 1, not 0"));
        }
        let mut open = self.take_open();
        if parts > 1 && !open.is_empty() {
            self.widen(&mut open, parts)?;
        }
        open.sort_by_cached_key(|node| (node.fixed.len(), node.bound, Reverse(node.front)));
        let mut dealt = memory::filled(Vec::new(), parts)?;
        for (position, node) in open.into_iter().enumerate() {
            // Every other round backwards, so that no part always has the best node of a round.
            let (round, place) = (position / parts, position % parts);
            let part = if round % 2 == 0 { place } else { parts - 1 - place };
            dealt[part].try_push(node)?;
        }
        let Unit { tree, search, .. } = self;
        let of = |(index, open): (usize, Vec<Open>)| {
            let counts = if index == 0 { search.counts } else { Counts::default() };
            tree.unit(Checkpoint { counts, open: open.into(), ..search.clone() })
        };
        dealt.into_iter().enumerate().map(of).gather()
    }

    /// Decomposes the shallowest level until it has enough nodes.
    fn widen(&mut self, open: &mut Vec<Open>, parts: usize) -> Result<()> {
        let enough = parts.saturating_mul(NODES_PER_PART);
        let (tree, monitor) = (self.tree.clone(), Monitor::new(&SolveOptions::default()));
        let mut decomposer = None;
        for _ in 0..MOST_LEVELS {
            let Some(least) = open.iter().map(|node| node.fixed.len()).min() else { break };
            let is_shallow = |node: &Open| node.fixed.len() == least;
            let count = open.iter().filter(|&node| is_shallow(node)).count();
            // A node with one free job has no children, only a sequence.
            if count >= enough || least + 2 > tree.instance().jobs() {
                break;
            }
            let (problem, expander) = match &mut decomposer {
                Some(made) => made,
                none => none.insert((
                    tree.problem(self.search.branching_limit, &monitor)?,
                    Expander::default(),
                )),
            };
            let (level, deeper) = std::mem::take(open).into_iter().partition(is_shallow);
            *open = deeper;
            for node in Vec::from_iter(level) {
                self.decompose(problem, &node, expander, &monitor, open)?;
            }
        }
        Ok(())
    }

    /// Adds the children of a node to the open nodes.
    fn decompose<'t>(
        &mut self,
        problem: &Problem<'t, Makespan<'t>>,
        node: &Open,
        expander: &mut Expander<Makespan<'t>>,
        monitor: &Monitor,
        open: &mut Vec<Open>,
    ) -> Result<()> {
        let mut children: Vec<Child> = Vec::new();
        let at_work = problem.node(node);
        let (end, bounds) =
            expander.expand(problem, &at_work, self.search.limit, monitor, &mut children)?;
        self.search.counts.nodes += 1;
        self.search.counts.bounds += bounds;
        for child in children {
            open.try_push(node.child(child.bound, child.job, end)?)?;
        }
        Ok(())
    }
}
