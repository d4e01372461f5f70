use super::super::bounds::Bounds;
use super::super::cost::Cost;
use super::super::front::Front;
use super::super::problem::Problem;

/// A beginning of sequences.
pub(super) struct Node {
    pub(super) front: Front,
    /// Its jobs, with the pinned ones.
    pub(super) order: Vec<u32>,
    /// The other jobs, by their places in [`Bounds::jobs`].
    pub(super) free: u64,
    pub(super) bound: Cost,
}

impl Node {
    pub(super) fn root(problem: &Problem<'_>, bounds: &Bounds<'_>) -> Self {
        let front = problem.root();
        let places: Vec<usize> = (0..bounds.jobs().len()).collect();
        let bound = bounds.behind(&front, &places, None);
        let free = places.iter().fold(0, |set, place| set | 1 << place);
        Node { front, order: problem.pinned().to_vec(), free, bound }
    }
}
