//! What the searches ask about sequences. They know an objective by these traits alone: what it
//! means, and how fast vectors or kernels compute it, is the matter of what implements them. Values
//! are to become small.

use crate::Result;

/// A sequence with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) order: Vec<u32>,
    pub(super) value: u64,
}

impl Found {
    /// Bytes of a sequence of so many jobs.
    pub(super) fn bytes(jobs: usize) -> u128 {
        size_of::<Found>() as u128 + size_of::<u32>() as u128 * jobs as u128
    }
}

/// A sequence of some jobs that others are put into: what iterated greedy search works on.
pub(super) trait PartialSequence {
    fn order(&self) -> &[u32];
    fn set(&mut self, order: &[u32]);
    fn insert(&mut self, position: usize, job: u32);
    fn remove(&mut self, position: usize) -> u32;

    /// The value of the present sequence.
    fn value(&self) -> u64;

    /// Where a job makes the best sequence, and the value of that. Between equal ones the objective
    /// has its own rule.
    fn best_place(&mut self, job: u32) -> (usize, u64);

    /// Whether all sequences can be evaluated that come of one of that value when so many jobs go
    /// to other places. The search does not go on from others.
    fn reaches(&self, value: u64, moved: u32) -> bool;
}

/// Finds the best neighbour of a sequence: what tabu search goes by.
pub(super) trait NeighbourhoodEvaluator {
    /// The best move by number with the value that it leads to, of equal ones the one with the
    /// smallest number, apart from the forbidden moves that do not lead below `goal`.
    fn best(
        &mut self,
        from: &Found,
        forbidden: &[usize],
        goal: u64,
    ) -> Result<Option<(usize, u64)>>;
}

/// A tree of partial sequences, searched for schedules of a value below some goal: what beam search
/// branches over.
pub(super) trait Tree: Sync {
    /// The nodes of a level, in each of which as many jobs are placed.
    type Level: Sync;
    /// Room for the work on one node after the other.
    type Room: Default;

    /// How many jobs a whole sequence has.
    fn jobs(&self) -> usize;

    /// The level of the empty sequence.
    fn root(&self) -> Self::Level;

    /// Calls `child` with the job of each child of a node that may lead below the goal, and with
    /// its rank: the smaller, the more promising; of whole schedules the best comes first. Gives
    /// the side that these children grow at, and how many were generated at both.
    fn expand(
        &self,
        level: &Self::Level,
        node: usize,
        room: &mut Self::Room,
        child: impl FnMut(u32, u32),
    ) -> (Side, usize);

    /// The level of the nodes that come of these steps.
    fn grow(&self, level: &Self::Level, steps: &[Step]) -> Result<Self::Level>;

    /// Bytes of a node of a level.
    fn node_bytes(&self) -> usize;

    /// The value of a whole sequence, computed without the tree.
    fn value(&self, order: &[u32]) -> u64;

    /// Values of schedules that are sought are below this.
    fn goal(&self) -> u64;
}

/// The end of a partial sequence that a job is added to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Front,
    Back,
}

impl Side {
    pub(super) const BOTH: [Side; 2] = [Side::Front, Side::Back];

    pub(super) fn other(self) -> Side {
        match self {
            Side::Front => Side::Back,
            Side::Back => Side::Front,
        }
    }
}

/// How a node comes from its parent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    /// The number of the parent in its level.
    pub(super) parent: u32,
    pub(super) job: u32,
    pub(super) side: Side,
}
