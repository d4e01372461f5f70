//! The kernel that evaluates a neighbourhood, and its work-groups.

use std::sync::Arc;

use super::buffers::Buffers;
use super::kernels::{Insertions, Neighbours, SetupInsertions, Swaps, SwapsBetween};
use super::setups::Memory;
use super::{Layout, Scan, Shop, WAVE};
use crate::flow_shop::search::makespan::Evaluation;
use crate::flow_shop::search::moves::Neighbourhood;
use crate::flow_shop::search::tabu::TabuList;
use crate::opencl::{Buffer, Device, Kernel, Local, Program, Queue};
use crate::{Error, Result};

pub(super) struct Evaluate {
    way: Way,
    /// Work-items of a work-group.
    pub(super) group: usize,
    /// Work-groups for each trajectory.
    pub(super) groups: usize,
    /// Parts of a trajectory's insertions, the longest chains in the first one. A launch takes the
    /// first part of all trajectories, then the second one, and so on, so that it ends with short
    /// chains.
    parts: usize,
}

/// A kernel with its arguments after the common ones.
enum Way {
    Insertions {
        kernel: Kernel<Insertions<'static>>,
        links: Local,
        closed: Local,
    },
    SetupInsertions {
        kernel: Kernel<SetupInsertions<'static>>,
        memory: Memory,
    },
    SwapsBetween {
        kernel: Kernel<SwapsBetween<'static>>,
        group_leasts: Local,
    },
    Swaps {
        kernel: Kernel<Swaps<'static>>,
        reads_stored: bool,
        group_leasts: Local,
        evaluation: u32,
        column_memory: Local,
    },
}

impl Evaluate {
    pub(super) fn new(
        program: &Arc<Program>,
        device: &Device,
        shop: &Shop,
        scan: &Scan,
        list: TabuList,
        layout: Layout,
    ) -> Result<Self> {
        let (jobs, parts) = (shop.jobs(), program.tuned("PARTS"));
        if scan.neighbourhood == Neighbourhood::Insertion {
            let way = if shop.setups().is_some() {
                Way::SetupInsertions {
                    kernel: program.kernel()?,
                    memory: Memory::new(layout, bitmaps(list)),
                }
            } else {
                Way::Insertions {
                    kernel: program.kernel()?,
                    links: Local(3 * layout.link_bytes()),
                    closed: closed_bytes(list, layout),
                }
            };
            return Ok(Evaluate { way, group: WAVE, groups: 2 * jobs, parts });
        }
        let info = device.info();
        let column = if scan.keeps_local_columns() { 4 * layout.machines() } else { 0 };
        let sized = |wanted, most| {
            group_size(wanted, most, info.group_memory_bytes(), 8 + column).ok_or_else(|| {
                let machines = layout.machines();
                Error::device_failed(format!(
                    "the memory of a work-group holds no column of {machines} machines"
                ))
            })
        };
        if scan.has_deltas() {
            let kernel: Kernel<SwapsBetween<'static>> = program.kernel()?;
            let eights = jobs.div_ceil(8);
            let group = sized(WAVE, kernel.max_work_group_size())?;
            let groups = (eights * (eights + 1) / 2 * WAVE).div_ceil(group);
            let way = Way::SwapsBetween { kernel, group_leasts: Local(8 * group) };
            return Ok(Evaluate { way, group, groups, parts });
        }
        let kernel: Kernel<Swaps<'static>> = program.kernel()?;
        let (numbers, large) = (scan.neighbourhood.numbers(jobs), program.tuned("SWAP_GROUP"));
        // If each compute unit has only a few large groups, small groups balance the load better.
        let few = numbers.div_ceil(large).div_ceil(info.compute_units.max(1) as usize);
        let wanted = if (2..=program.tuned("FEW_GROUPS")).contains(&few) { WAVE } else { large };
        let group = sized(wanted, kernel.max_work_group_size())?;
        let groups = numbers.div_ceil(group);
        let many = program.tuned("AT_ONCE") * info.compute_units as usize;
        let crowded = group == WAVE && groups > many;
        let reuses = scan.evaluation == Evaluation::Prefix && column > 0;
        let least = if crowded && reuses { program.tuned("PREFIX_BYTES") } else { 0 };
        let way = Way::Swaps {
            kernel,
            reads_stored: scan.stores_neighbours(),
            group_leasts: Local(8 * group),
            evaluation: if scan.evaluation == Evaluation::Prefix { PREFIX } else { FULL },
            column_memory: Local(least.max(column * group)),
        };
        Ok(Evaluate { way, group, groups, parts })
    }

    /// Launches some of the groups for some trajectories, from the first one of each.
    pub(super) fn launch(
        &self,
        queue: &Queue,
        buffers: &Buffers,
        orders: &Buffer<u32>,
        neighbours: Neighbours<'_>,
        (trajectory, counts): (usize, [usize; 2]),
    ) -> Result<()> {
        let (first, [groups, trajectories]) = ([0, trajectory], counts);
        let (global, local) = ([groups * self.group, trajectories], [self.group, 1]);
        match self.way {
            Way::Insertions { ref kernel, links, closed } => {
                let times = &buffers.sequence_times;
                let arguments = Insertions { times, neighbours, links, closed };
                // If the pacer splits the groups, a launch is already a part.
                let each = groups.div_ceil(if groups == self.groups { self.parts } else { 1 });
                let first = [0, trajectory, 0];
                let global = [each * self.group, trajectories, groups.div_ceil(each)];
                queue.launch_from(kernel, &arguments, first, global, [self.group, 1, 1])
            }
            Way::SetupInsertions { ref kernel, ref memory } => {
                let Some(setups) = &buffers.setups else {
                    return Err(Error::internal("a search with set-ups has none"));
                };
                let arguments = SetupInsertions {
                    steps: &buffers.sequence_times,
                    into: &setups.into,
                    out_of: &setups.out_of,
                    kinds: &setups.kinds,
                    orders,
                    neighbours,
                    none: setups.none,
                    chains: memory.chains,
                    closed: memory.closed,
                    own: memory.own,
                    ring: memory.ring,
                    group_leasts: memory.group_leasts,
                };
                queue.launch_from(kernel, &arguments, first, global, local)
            }
            Way::SwapsBetween { ref kernel, group_leasts } => {
                let Buffers { sums, deltas, .. } = buffers;
                let arguments = SwapsBetween { sums, orders, deltas, neighbours, group_leasts };
                queue.launch_from(kernel, &arguments, first, global, local)
            }
            Way::Swaps { ref kernel, reads_stored, group_leasts, evaluation, column_memory } => {
                let arguments = Swaps {
                    times: &buffers.times,
                    front: &buffers.front,
                    orders,
                    neighbours,
                    group_leasts,
                    evaluation,
                    column_memory,
                    stored: reads_stored.then_some(&buffers.stored),
                };
                queue.launch_from(kernel, &arguments, first, global, local)
            }
        }
    }
}

/// Bits of each position: whether it is closed, and with attributes whether it is barred.
fn bitmaps(list: TabuList) -> usize {
    if list == TabuList::Attributes { 2 } else { 1 }
}

/// The memory of a group that evaluates insertions for its bits.
pub(super) fn closed_bytes(list: TabuList, layout: Layout) -> Local {
    Local(bitmaps(list) * 4 * layout.positions().div_ceil(32))
}

/// Values of the argument of `flow_shop_swaps` that selects the evaluation.
pub(super) const FULL: u32 = 0;
pub(super) const PREFIX: u32 = 1;

/// The largest power of two up to `wanted`, which reductions require, within the device's most
/// work-items and with `item_bytes` of local memory for each.
fn group_size(wanted: usize, most: usize, local_bytes: u64, item_bytes: usize) -> Option<usize> {
    let fit = usize::try_from(local_bytes / item_bytes as u64).unwrap_or(usize::MAX);
    Some(1 << wanted.min(most).min(fit).checked_ilog2()?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn groups_are_powers_of_two_within_all_limits(
            wanted in 1usize..300, most in 0usize..300, local in 0u64..5000, item in 1usize..300,
        ) {
            let limit = wanted.min(most).min(local as usize / item);
            match group_size(wanted, most, local, item) {
                None => prop_assert_eq!(limit, 0),
                Some(group) => {
                    prop_assert!(group.is_power_of_two());
                    prop_assert!(group <= limit && limit < 2 * group);
                }
            }
        }
    }
}
