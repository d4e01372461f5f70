//! The kernel that evaluates a neighbourhood, and its work-groups.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::{Layout, Scan, WAVE};
use crate::flow_shop::search::makespan::Evaluation;
use crate::flow_shop::search::moves::Neighbourhood;
use crate::flow_shop::search::tabu::TabuList;
use crate::opencl::{Arg, Device, Kernel, Program};
use crate::{Error, Result};

pub(super) struct Evaluate {
    pub(super) kernel: Kernel,
    /// Work-items of a work-group.
    pub(super) group: usize,
    /// Work-groups for each trajectory.
    pub(super) groups: usize,
    /// The kernel's arguments after the common ones.
    pub(super) own: Vec<Arg<'static>>,
}

impl Evaluate {
    pub(super) fn new(
        program: &Arc<Program>,
        device: &Device,
        jobs: usize,
        scan: &Scan,
        list: TabuList,
        layout: Layout,
    ) -> Result<Self> {
        let kernel = program.kernel(scan.kernel())?;
        if scan.neighbourhood == Neighbourhood::Insertion {
            let bitmaps = if list == TabuList::Attributes { 2 } else { 1 };
            let closed = bitmaps * 4 * layout.positions().div_ceil(32);
            let own = vec![Arg::Local(3 * layout.link_bytes()), Arg::Local(closed)];
            return Ok(Evaluate { kernel, group: WAVE, groups: 2 * jobs, own });
        }
        let define = |name| program.define(name).unwrap_or(0) as usize;
        let info = device.info();
        let (items, wanted) = if scan.reads_orders() {
            let numbers = scan.neighbourhood.numbers(jobs);
            let large = define("SWAP_GROUP");
            // If each compute unit has only a few large groups, small groups balance the load
            // better.
            let few = numbers.div_ceil(large).div_ceil(info.compute_units.max(1) as usize);
            (numbers, if FEW.contains(&few) { WAVE } else { large })
        } else {
            let eights = jobs.div_ceil(8);
            (eights * (eights + 1) / 2 * WAVE, WAVE)
        };
        let column = if scan.keeps_local_columns() { 4 * layout.machines() } else { 0 };
        let (most, local) = (kernel.max_work_group_size(), info.local_memory_bytes);
        let group = group_size(wanted, most, local, 8 + column).ok_or_else(|| {
            let machines = layout.machines();
            Error::device_failed(format!("local memory holds no column of {machines} machines"))
        })?;
        let groups = items.div_ceil(group);
        let mut own = vec![Arg::Local(8 * group)];
        if scan.reads_orders() {
            let crowded = group == WAVE && groups > AT_ONCE * info.compute_units as usize;
            let reuses = scan.evaluation == Evaluation::Prefix && column > 0;
            let least = if crowded && reuses { define("PREFIX_BYTES") } else { 0 };
            let way = if scan.evaluation == Evaluation::Full { FULL } else { PREFIX };
            own.extend([Arg::U32(way), Arg::Local(least.max(column * group))]);
        }
        Ok(Evaluate { kernel, group, groups, own })
    }
}

/// Values of the argument of `evaluate_swaps` that selects the evaluation.
const FULL: u32 = 0;
const PREFIX: u32 = 1;
/// Numbers of large groups per compute unit that are too few for balance.
const FEW: RangeInclusive<usize> = 2..=10;
/// Number of small groups that keep a compute unit busy.
const AT_ONCE: usize = 16;

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
