use super::lanes::Lanes;
use super::node::{Open, State};
use super::pairs::Pairs;
use super::{Bound, Branching};
use crate::Result;
use crate::flow_shop::Instance;
use crate::flow_shop::bounds::Surroundings;
use crate::solve::Monitor;

/// The problem of one search, prepared once and read by all threads and devices.
pub(super) struct Problem<'a> {
    pub(super) instance: &'a Instance,
    pub(super) root: State,
    pub(super) lanes: Lanes,
    /// The tables of the two-machine bound, if it is used.
    pub(super) pairs: Option<Pairs>,
    pub(super) bound: Bound,
    pub(super) branching: Branching,
    /// Children with bounds from here on count as closed in the choice of the end. It stays
    /// constant, so that the tree does not depend on the incumbents.
    pub(super) initial_limit: u32,
}

impl<'a> Problem<'a> {
    /// # Errors
    /// [`Error::Stopped`](crate::Error::Stopped) and [`Error::OutOfMemory`](crate::Error::OutOfMemory)
    /// of the two-machine bound's tables.
    pub(super) fn new(
        instance: &'a Instance,
        bound: Bound,
        branching: Branching,
        initial_limit: u32,
        monitor: &Monitor,
    ) -> Result<Self> {
        let around = Surroundings::of(instance);
        let free_jobs = instance.free_jobs();
        let mut free = vec![0; instance.jobs().div_ceil(32)];
        free_jobs.iter().for_each(|&job| free[job as usize / 32] |= 1 << (job % 32));
        let root = State {
            front: around.front,
            back: around.back,
            remaining: around.remaining,
            free,
            free_count: free_jobs.len(),
        };
        let pairs = match bound {
            Bound::OneMachine => None,
            Bound::TwoMachine | Bound::Refined => Some(Pairs::new(instance, monitor)?),
        };
        let lanes = Lanes::new(instance);
        Ok(Problem { instance, root, lanes, pairs, bound, branching, initial_limit })
    }

    /// The number of jobs that the instance fixes at the front.
    pub(super) fn pinned(&self) -> usize {
        self.instance.pinned().len()
    }

    /// About the most steps that bounding a node's children takes.
    pub(super) fn steps_per_node(&self) -> usize {
        let pairs = self.pairs.as_ref().map_or(1, |pairs| pairs.list.len());
        self.instance.jobs().saturating_mul(self.instance.machines().max(2 * pairs))
    }

    /// The sequence of an instance with at most one free job.
    pub(super) fn only_sequence(&self) -> Vec<u32> {
        [self.instance.pinned(), &self.instance.free_jobs()].concat()
    }

    /// The root: the node above all sequences.
    pub(super) fn root_node(&self) -> Open {
        let pinned = self.instance.pinned();
        Open {
            bound: self.root.one_machine(),
            front: pinned.len() as u32,
            fixed: pinned.to_vec().into(),
        }
    }
}
