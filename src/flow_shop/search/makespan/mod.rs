//! The makespan, as each search needs it. Only this part of the searches knows the objective.

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
    /// The makespan of a complete or partial sequence.
    pub(super) fn makespan(&self, order: &[u32]) -> u32 {
        let mut free = self.front().to_vec();
        order.iter().for_each(|&job| append(&mut free, self.job(job)));
        free.last().copied().unwrap_or(0)
    }

    /// Whether the integer type holds all times of a schedule of this makespan, and of every
    /// schedule that results from moving `moved` jobs. Without these jobs, no path through the
    /// schedule is longer than the makespan, and each of them adds at most its own times.
    pub(super) fn fits<T: Time>(&self, makespan: u64, moved: u32) -> bool {
        let longest = makespan + u64::from(moved) * u64::from(self.longest_job());
        longest.min(self.horizon().into()) < T::NONE.to_u32().into()
    }
}
