//! The interface of searches to an objective. Searches see only these traits. An implementation
//! defines the objective and computes it by vectors or kernels. Lower values are better.

use std::fmt::Debug;

use crate::Result;
use crate::flow_shop::end::End;

/// A sequence with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::flow_shop) struct ValuedSequence<V = u64> {
    pub(in crate::flow_shop) order: Vec<u32>,
    pub(in crate::flow_shop) value: V,
}

impl<V> ValuedSequence<V> {
    /// Bytes of a sequence of `jobs` jobs.
    pub(super) fn bytes(jobs: usize) -> u128 {
        size_of::<Self>() as u128 + size_of::<u32>() as u128 * jobs as u128
    }
}

/// A partial sequence to insert jobs into, for iterated greedy search.
pub(in crate::flow_shop) trait PartialSequence {
    /// A number, or several of which the first one that differs decides.
    type Value: Copy + Ord;

    fn order(&self) -> &[u32];
    fn set(&mut self, order: &[u32]);
    fn insert(&mut self, position: usize, job: u32);
    fn remove(&mut self, position: usize) -> u32;

    /// The value of the present sequence.
    fn value(&mut self) -> Self::Value;

    /// Whether the search continues from a worse value instead of a better one, by a random number
    /// in [0, 1).
    fn accepts(&self, worse: Self::Value, better: Self::Value, unit: f64) -> bool;

    /// The best position for a job, and the value with the job there. The objective breaks ties by
    /// its own rule.
    fn best_place(&mut self, job: u32) -> (usize, Self::Value);

    /// The best position for a block of jobs in this order, and the value with the block there. `None`
    /// if the sequence takes single jobs alone.
    fn best_place_of_block(&mut self, _: &[u32]) -> Option<(usize, Self::Value)> {
        None
    }

    /// Whether the integer type can hold all numbers of any sequence reached from the present one,
    /// which has this value, by moving `moved` jobs. The search does not continue from others.
    fn reaches(&self, value: Self::Value, moved: u32) -> bool;
}

/// Finds the best neighbour of a sequence, for tabu search.
pub(in crate::flow_shop) trait NeighbourhoodEvaluator {
    /// A number, or several of which the first one that differs decides.
    type Value: Copy + Ord;

    /// The index of the best move and the value it leads to; on ties the smallest index. Forbidden
    /// moves count only if they lead below `cutoff`.
    fn best(
        &mut self,
        from: &ValuedSequence<Self::Value>,
        forbidden: &[usize],
        cutoff: Self::Value,
    ) -> Result<Option<(usize, Self::Value)>>;
}

/// A tree of partial sequences for beam search, which looks for schedules with values below a
/// cutoff.
pub(in crate::flow_shop) trait Tree: Sync {
    /// The values of complete sequences.
    type Value: Copy + Ord + Debug + Send;
    /// The nodes of one level, all with the same number of placed jobs.
    type Level: Sync;
    /// Scratch for one node after the other.
    type Scratch: Default;

    /// Number of jobs of a complete sequence.
    fn jobs(&self) -> usize;

    /// The level of the empty sequence.
    fn root(&self) -> Self::Level;

    /// Calls `child` with the job and rank of each child that may lead below the cutoff. Smaller
    /// ranks are more promising; the best complete schedule ranks first. Returns the side at which
    /// these children grow, and the number of children generated at both sides.
    fn expand(
        &self,
        level: &Self::Level,
        node: usize,
        scratch: &mut Self::Scratch,
        child: impl FnMut(u32, u32),
    ) -> (End, usize);

    /// The level of the nodes that these steps lead to.
    fn grow(&self, level: &Self::Level, steps: &[Step]) -> Result<Self::Level>;

    /// Bytes of a node of a level.
    fn node_bytes(&self) -> usize;

    /// The value of a complete sequence, computed without the tree.
    fn value(&self, order: &[u32]) -> Self::Value;

    /// The cutoff: schedules must have lower values.
    fn cutoff(&self) -> Self::Value;
}

/// The step from a parent to a node.
#[derive(Debug, Clone, Copy)]
pub(in crate::flow_shop) struct Step {
    /// The index of the parent in its level.
    pub(in crate::flow_shop) parent: u32,
    pub(in crate::flow_shop) job: u32,
    pub(in crate::flow_shop) side: End,
}
