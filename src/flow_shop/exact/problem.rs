use super::Branching;
use super::node::{Node, Open};
use super::objective::Objective;
use crate::flow_shop::Instance;
use crate::flow_shop::end::End;

/// The problem of one search, prepared once and read by all threads and devices.
pub(super) struct Problem<'a, O: Objective> {
    pub(super) instance: &'a Instance,
    pub(super) objective: O,
    pub(super) root: Node<O::State>,
    pub(super) branching: Branching,
    /// Children with bounds from here on count as closed in the choice of the end. It stays
    /// constant, so that the tree does not depend on the incumbents.
    pub(super) initial_limit: u32,
}

impl<'a, O: Objective> Problem<'a, O> {
    pub(super) fn new(
        instance: &'a Instance,
        objective: O,
        branching: Branching,
        initial_limit: u32,
    ) -> Self {
        let root = Node::new(objective.root(), instance.jobs(), &instance.free_jobs());
        Problem { instance, objective, root, branching, initial_limit }
    }

    /// The number of jobs that the instance fixes at the front.
    pub(super) fn pinned(&self) -> usize {
        self.instance.pinned().len()
    }

    /// The sequence of an instance with at most one free job.
    pub(super) fn only_sequence(&self) -> Vec<u32> {
        [self.instance.pinned(), &self.instance.free_jobs()].concat()
    }

    /// The open node that all sequences are below.
    pub(super) fn root_node(&self) -> Open {
        let pinned = self.instance.pinned();
        Open {
            bound: self.objective.bound(&self.root),
            front: pinned.len() as u32,
            fixed: pinned.to_vec().into(),
        }
    }

    /// An open node as engines work on it, from the root down.
    pub(super) fn node(&self, open: &Open) -> Node<O::State> {
        let mut node = self.root.clone();
        let fix = |(job, end)| {
            self.objective.fix(&mut node.state, job, end);
            node.free[job as usize / 32] &= !(1 << (job % 32));
            node.free_count -= 1;
        };
        let front = open.front_jobs()[self.pinned()..].iter().map(|&job| (job, End::Front));
        front.chain(open.back_jobs().iter().rev().map(|&job| (job, End::Back))).for_each(fix);
        node
    }

    /// Makes `node` the child of `parent` with the job fixed; keeps its memory.
    #[inline]
    pub(super) fn become_child(
        &self,
        node: &mut Node<O::State>,
        parent: &Node<O::State>,
        job: u32,
        end: End,
    ) {
        self.objective.become_child(&mut node.state, &parent.state, job, end);
        node.free.copy_from_slice(&parent.free);
        node.free[job as usize / 32] &= !(1 << (job % 32));
        node.free_count = parent.free_count - 1;
    }
}
