//! The makespan of sequences, for each search as it asks for it: the only part of the searches that
//! knows the objective.

mod neighbours;
mod reinsertion;
mod time;
mod tree;

pub use self::neighbours::Evaluation;
pub(super) use self::neighbours::{CpuNeighbours, DeviceTabu, Scan};
pub(super) use self::reinsertion::Reinsertion;
pub(super) use self::time::Time;
pub(super) use self::tree::{Guide, TwoEndedTree};

use super::Shop;
use crate::flow_shop::completion::append;

impl Shop {
    /// The makespan of a sequence of all jobs, or of some of them.
    pub(super) fn makespan(&self, order: &[u32]) -> u32 {
        let mut free = self.front().to_vec();
        order.iter().for_each(|&job| append(&mut free, self.job(job)));
        free.last().copied().unwrap_or(0)
    }

    /// Whether numbers of this type hold all times of a schedule of that makespan, and of all that
    /// come of it when so many jobs go to other places: without them no path through the schedule
    /// is longer, and each adds its own times at most.
    pub(super) fn fits<T: Time>(&self, makespan: u64, moved: u32) -> bool {
        let longest = makespan + u64::from(moved) * u64::from(self.longest_job());
        longest.min(self.horizon().into()) < T::NONE.to_u32().into()
    }
}
