use super::lanes::Lanes;
use super::node::{Open, State};
use super::pairs::Pairs;
use super::{Bound, Branching};
use crate::Result;
use crate::flow_shop::Instance;
use crate::flow_shop::bounds::Surroundings;
use crate::solve::Monitor;

/// What one search is about: prepared once, read by all its threads and devices.
pub(super) struct Problem<'a> {
    pub(super) instance: &'a Instance,
    pub(super) root: State,
    pub(super) lanes: Lanes,
    /// The tables of the two-machine bound, where it is used.
    pub(super) pairs: Option<Pairs>,
    pub(super) bound: Bound,
    pub(super) branching: Branching,
    /// Bounds from here on count as closed in the choice of the end, whatever is found later.
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

    /// How many jobs at the front are fixed by the instance.
    pub(super) fn pinned(&self) -> usize {
        self.instance.pinned().len()
    }

    /// Steps of bounding a node's children take at most, about.
    pub(super) fn steps_per_node(&self) -> usize {
        let pairs = self.pairs.as_ref().map_or(1, |pairs| pairs.list.len());
        self.instance.jobs().saturating_mul(self.instance.machines().max(2 * pairs))
    }

    /// The sequence of an instance with one free job at most.
    pub(super) fn only_sequence(&self) -> Vec<u32> {
        [self.instance.pinned(), &self.instance.free_jobs()].concat()
    }

    /// The node that all sequences are below.
    pub(super) fn root_node(&self) -> Open {
        let pinned = self.instance.pinned();
        Open {
            bound: self.root.one_machine(),
            front: pinned.len() as u32,
            fixed: pinned.to_vec().into(),
        }
    }
}
