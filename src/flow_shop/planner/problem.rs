use super::scoring::Scoring;
use crate::flow_shop::Instance;

/// An instance prepared for the solvers.
pub(super) struct Problem<'a> {
    pub(super) instance: &'a Instance,
    pub(super) scoring: Scoring,
    pub(super) has_blocking: bool,
    /// The jobs that are not pinned, in ascending order.
    pub(super) free_jobs: Vec<u32>,
}

impl<'a> Problem<'a> {
    pub(super) fn new(instance: &'a Instance) -> Self {
        Problem {
            instance,
            scoring: Scoring::new(instance),
            has_blocking: instance.has_blocking(),
            free_jobs: instance.free_jobs(),
        }
    }

    pub(super) fn jobs(&self) -> usize {
        self.instance.jobs()
    }

    pub(super) fn machines(&self) -> usize {
        self.instance.machines()
    }

    pub(super) fn pinned(&self) -> &'a [u32] {
        self.instance.pinned()
    }
}
