//! The makespan as the objective of a search: its state, its bounds, and what devices do for it.

mod device;
mod evaluate;
mod lanes;
mod pairs;
mod pool;
mod search;
mod state;
mod tree_pool;

pub(in crate::flow_shop) use self::evaluate::bound_watched;
pub use self::evaluate::{ChildBounds, bound_children};
pub(in crate::flow_shop) use self::search::run;
pub use self::search::search_subproblems;

pub(crate) const KERNEL_FAMILIES: &[crate::opencl::TimedFamily] =
    &[device::TIMED, pool::TIMED, tree_pool::TIMED];

use std::sync::Arc;

use self::lanes::{Lanes, Rows};
use self::pairs::{Composer, Pairs};
use self::state::State;
use super::Branching;
use super::children::{Children, Limits};
use super::node::{Child, Node};
use super::objective::Objective;
use super::problem::Problem;
use crate::Result;
use crate::enumeration::enumeration;
use crate::flow_shop::bounds::Surroundings;
use crate::flow_shop::end::End;
use crate::flow_shop::{Instance, Permutation};
use crate::opencl::Usual;
use crate::solve::Monitor;

/// The programs of an instance's proofs.
pub(crate) fn usual(instance: &Arc<Instance>) -> [Usual; 3] {
    [device::usual(instance), pool::usual(instance).by_name(), tree_pool::usual(instance).by_name()]
}

enumeration! {
    /// Lower bound of a node.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum Bound {
        /// The one-machine bound LB1 of all children.
        #[default]
        OneMachine: "lb1", "The one-machine bound";
        /// The two-machine bound LB2 of Lenstra, Lageweg and Rinnooy Kan of all children, over all
        /// pairs of machines.
        TwoMachine: "lb2", "The two-machine bound";
        /// The end is chosen by LB1. The children that remain open at that end get LB2, with the
        /// pairs of machines that closed many children first.
        Refined: "lb1-lb2",
            "The one-machine bound, then the two-machine bound for the children left open";
    }
}

/// A search for the shortest makespan, with the tables of its bounds.
pub(super) struct Makespan<'a> {
    instance: &'a Instance,
    lanes: Lanes,
    /// The tables of the two-machine bound, if it is used.
    pairs: Option<Pairs<'a>>,
    bound: Bound,
    /// The least widths of a device's tables, which a self-test sets to those of its program.
    least_widths: pool::Widths,
}

impl<'a> Makespan<'a> {
    /// # Errors
    /// [`Error::Stopped`](crate::Error::Stopped) and
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) of the two-machine bound's tables.
    pub(super) fn new(instance: &'a Instance, bound: Bound, monitor: &Monitor) -> Result<Self> {
        let pairs = match bound {
            Bound::OneMachine => None,
            Bound::TwoMachine | Bound::Refined => Some(Pairs::new(instance, monitor)?),
        };
        let (lanes, least_widths) = (Lanes::new(instance), pool::Widths::default());
        Ok(Makespan { instance, lanes, pairs, bound, least_widths })
    }

    /// The problem of a search for makespans below a limit.
    pub(super) fn problem(
        instance: &'a Instance,
        bound: Bound,
        branching: Branching,
        initial_limit: u32,
        monitor: &Monitor,
    ) -> Result<Problem<'a, Self>> {
        let objective = Makespan::new(instance, bound, monitor)?;
        Ok(Problem::new(instance, objective, branching, initial_limit))
    }

    /// Computes the two-machine bounds of all children at both ends, so that they also choose the
    /// end.
    fn raise_all(
        &self,
        pairs: &Pairs<'_>,
        node: &Node<State>,
        limits: Limits,
        monitor: &Monitor,
        composer: &mut Composer,
        children: &mut Children,
    ) -> Result<()> {
        for (end, bounds) in [(End::Front, &mut children.front), (End::Back, &mut children.back)] {
            let values = &bounds.values;
            let mut list: Vec<Child> =
                node.free_jobs().map(|job| Child { bound: values[job as usize], job }).collect();
            composer.raise(pairs, node, end, &mut list, None, monitor)?;
            bounds.replace(
                node.free.len(),
                list.iter().map(|child| (child.job, child.bound)),
                limits,
            );
        }
        Ok(())
    }
}

/// Scratch for both bounds.
#[derive(Default)]
pub(super) struct Scratch {
    rows: Rows,
    composer: Composer,
}

impl Objective for Makespan<'_> {
    type State = State;
    type Scratch = Scratch;

    fn file_tag(_instance: &Instance) -> Vec<u8> {
        Vec::new()
    }

    fn value(instance: &Instance, order: &[u32]) -> Result<u64> {
        Permutation::new(order.to_vec()).makespan(instance)
    }

    fn root(&self) -> State {
        let Surroundings { front, back, remaining } = Surroundings::of(self.instance);
        State { front, back, remaining }
    }

    #[inline]
    fn fix(&self, state: &mut State, job: u32, end: End) {
        state.fix(self.instance.job(job), end);
    }

    #[inline]
    fn become_child(&self, state: &mut State, parent: &State, job: u32, end: End) {
        state.become_child(parent, self.instance.job(job), end);
    }

    fn bound(&self, node: &Node<State>) -> u32 {
        node.state.one_machine()
    }

    fn last_value(&self, node: &Node<State>) -> u32 {
        node.state.makespan_with(node.free_jobs().map(|job| self.instance.job(job)))
    }

    /// By the two-machine bound if that is for all children, else by the one-machine bound.
    fn bound_children(
        &self,
        node: &Node<State>,
        limits: Limits,
        monitor: &Monitor,
        scratch: &mut Scratch,
        children: &mut Children,
    ) -> Result<()> {
        self.lanes.bound(node, limits, &mut scratch.rows, children);
        match &self.pairs {
            Some(pairs) if self.bound == Bound::TwoMachine => {
                self.raise_all(pairs, node, limits, monitor, &mut scratch.composer, children)
            }
            _ => Ok(()),
        }
    }

    fn refine(
        &self,
        node: &Node<State>,
        end: End,
        children: &mut Vec<Child>,
        limit: Option<u32>,
        monitor: &Monitor,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let Some(pairs) = self.pairs.as_ref().filter(|_| self.bound == Bound::Refined) else {
            return Ok(());
        };
        scratch.composer.raise(pairs, node, end, children, limit, monitor)?;
        children.retain(|child| limit.is_none_or(|limit| child.bound < limit));
        Ok(())
    }

    fn steps_per_node(&self) -> usize {
        let pairs = self.pairs.as_ref().map_or(1, |pairs| pairs.list.len());
        self.instance.jobs().saturating_mul(self.instance.machines().max(2 * pairs))
    }

    fn state_bytes(&self) -> u128 {
        3 * 4 * self.instance.machines() as u128
    }
}
