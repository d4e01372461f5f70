use super::lanes::Lanes;
use super::node::{Open, State};
use super::pairs::{Child, Pairs, Step};
use super::{Bound, Branching};
use crate::flow_shop::Instance;
use crate::flow_shop::bounds::Surroundings;

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
    pub(super) fn new(
        instance: &'a Instance,
        bound: Bound,
        branching: Branching,
        initial_limit: u32,
    ) -> Self {
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
        let pairs = (bound != Bound::OneMachine).then(|| Pairs::new(instance));
        Problem { instance, root, lanes: Lanes::new(instance), pairs, bound, branching, initial_limit }
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

    /// Bytes that a search by so many threads takes at most: Johnson's orders, and for each thread and depth a state and
    /// the children that wait.
    pub(super) fn memory_bytes(instance: &Instance, bound: Bound, threads: usize) -> u128 {
        let [jobs, machines, threads] =
            [instance.jobs(), instance.machines(), threads].map(|size| size as u128);
        let pairs = if bound == Bound::OneMachine { 0 } else { machines * (machines - 1) / 2 };
        let orders = pairs * jobs * size_of::<Step>() as u128;
        let level = 3 * machines * 4 + jobs / 8 + jobs * size_of::<Child>() as u128;
        orders + threads * jobs * level
    }

    /// The sequence of an instance with one free job at most.
    pub(super) fn only_sequence(&self) -> Vec<u32> {
        [self.instance.pinned(), &self.instance.free_jobs()].concat()
    }

    /// The node that all sequences are below.
    pub(super) fn root_node(&self) -> Open {
        let pinned = self.instance.pinned();
        Open { bound: self.root.one_machine(), front: pinned.len() as u32, fixed: pinned.to_vec().into() }
    }
}
