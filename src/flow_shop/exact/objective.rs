//! What a search asks of its objective. The engines know it by these traits alone; what implements
//! them for the makespan is in [`makespan`](super::makespan). Lower values are better, and values
//! and bounds have 32 bits.

use super::children::{Children, Limits};
use super::node::{Child, Node};
use crate::Result;
use crate::flow_shop::Instance;
use crate::flow_shop::end::End;
use crate::solve::Monitor;

/// An objective of sequences, with the bounds that prune its search tree.
pub(super) trait Objective: Sized + Sync {
    /// The part of a node that bounds its children, in addition to its free jobs.
    type State: Clone + Send + Sync;
    /// Scratch for bounding, reused from node to node.
    type Scratch: Default;

    /// The tag of a search's file. It differs between objectives, and between instances that differ
    /// in other data than times, ready times and pinned jobs.
    fn file_tag(instance: &Instance) -> Vec<u8>;

    /// The value of a sequence of all jobs, computed without the search's own code.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) if it is no sequence.
    fn value(instance: &Instance, order: &[u32]) -> Result<u64>;

    /// The state of the node that fixes the pinned jobs alone.
    fn root(&self) -> Self::State;

    /// Fixes a free job next to the jobs already fixed at that end.
    fn fix(&self, state: &mut Self::State, job: u32, end: End);

    /// Makes `state` that of the child of `parent` with the job fixed; keeps its memory.
    fn become_child(&self, state: &mut Self::State, parent: &Self::State, job: u32, end: End) {
        state.clone_from(parent);
        self.fix(state, job, end);
    }

    /// No sequence below the node has a smaller value.
    fn bound(&self, node: &Node<Self::State>) -> u32;

    /// The value of the only sequence of a node with one free job at most.
    fn last_value(&self, node: &Node<Self::State>) -> u32;

    /// Bounds the children of a node at both ends. Gives up when the solve is to stop.
    fn bound_children(
        &self,
        node: &Node<Self::State>,
        limits: Limits,
        monitor: &Monitor,
        scratch: &mut Self::Scratch,
        children: &mut Children,
    ) -> Result<()>;

    /// Raises the bounds of children at the end that was chosen, where that pays. With a limit, the
    /// children that reach it are dropped. Gives up when the solve is to stop.
    fn refine(
        &self,
        _node: &Node<Self::State>,
        _end: End,
        _children: &mut Vec<Child>,
        _limit: Option<u32>,
        _monitor: &Monitor,
        _room: &mut Self::Scratch,
    ) -> Result<()> {
        Ok(())
    }

    /// Steps of bounding a node's children at most, about.
    fn steps_per_node(&self) -> usize;

    /// Bytes of a state, about.
    fn state_bytes(&self) -> u128;
}
