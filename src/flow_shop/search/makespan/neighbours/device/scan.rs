//! The kernels that evaluate neighbourhoods, and their needs.

use super::kernels::{Insertions, Swaps, SwapsBetween};
use crate::flow_shop::search::makespan::{Evaluation, Scan};
use crate::flow_shop::search::moves::Neighbourhood;
use crate::opencl::Arguments;

/// The kernels that evaluate neighbourhoods.
pub(super) const EVALUATE_KERNELS: [&str; 3] =
    [Insertions::KERNEL, SwapsBetween::KERNEL, Swaps::KERNEL];

impl Scan {
    pub(super) fn kernel(&self) -> &'static str {
        EVALUATE_KERNELS[self.kernel_number() as usize]
    }

    pub(super) fn kernel_number(&self) -> u64 {
        match (self.neighbourhood, self.evaluation) {
            (Neighbourhood::Insertion, _) => 0,
            (Neighbourhood::Swap, Evaluation::HeadsAndTails) => 1,
            (Neighbourhood::Swap, _) => 2,
        }
    }

    /// Whether neighbours are evaluated job by job, without the tables of times by position.
    pub(in super::super) fn reads_orders(&self) -> bool {
        self.neighbourhood == Neighbourhood::Swap && self.evaluation != Evaluation::HeadsAndTails
    }

    /// Whether neighbours are evaluated with the differences of adjacent jobs.
    pub(super) fn has_deltas(&self) -> bool {
        self.neighbourhood == Neighbourhood::Swap && !self.reads_orders()
    }

    /// Whether a swap's column of completion times is in local memory.
    pub(super) fn keeps_local_columns(&self) -> bool {
        self.local_columns && self.reads_orders()
    }

    /// Number of directions for which tables are needed.
    pub(super) fn directions(&self) -> u32 {
        match (self.neighbourhood, self.evaluation) {
            (Neighbourhood::Insertion, _) | (_, Evaluation::HeadsAndTails) => 2,
            (_, Evaluation::Prefix) => 1,
            (_, Evaluation::Full | Evaluation::Stored) => 0,
        }
    }

    /// Work of an evaluating group, in nanoseconds of a slow device.
    pub(super) fn group_work(&self, jobs: usize, machines: usize, group: usize) -> u64 {
        let columns = match (self.neighbourhood, self.evaluation) {
            (Neighbourhood::Insertion, _) => 2 * jobs,
            (_, Evaluation::HeadsAndTails) => 2 * (jobs / 3 + 1) * group,
            (_, Evaluation::Prefix) => (2 * jobs / 3 + 1) * group,
            (_, Evaluation::Full | Evaluation::Stored) => jobs * group,
        };
        columns as u64 * machines as u64
    }
}
