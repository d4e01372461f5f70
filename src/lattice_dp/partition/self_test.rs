//! Compares the kernels with the CPU.

use super::device::{BLOCKS, PERSISTENT, Table};
use super::layout::Layout;
use super::{DivisorRule, Order, Partition, cpu};
use crate::Context;
use crate::lattice_dp::self_test::{OFFSETS, SIZES, instance};
use crate::lattice_dp::{Launches, cpu as by_slabs};
use crate::opencl::{Failing, Trial, agree};
use crate::solve::{Monitor, SolveOptions};

/// Most cells that a work-group fills in one launch: the first value covers a whole block, the
/// second less than some levels.
const GROUP_CELLS: [u32; 2] = [1 << 16, 20];

/// Fills a table by levels or blocks, as the program is built, and traces it back.
pub(super) fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
    let (context, monitor) = (Context::of_one_thread()?, Monitor::new(&SolveOptions::default()));
    let instance = instance(&SIZES, OFFSETS, 3)?;
    let path = by_slabs::solve(&context, &instance, &monitor)?;
    let (order, partition) = match trial.define(BLOCKS) {
        Some(1) => (Order::Blocks, Partition::new(&instance.sizes(), 3, DivisorRule::Tabulated)?),
        _ => (Order::Levels, Partition::whole(&instance.sizes())),
    };
    let layout = Layout::new(&instance, &partition);
    let filled = cpu::Table::new(&layout, &monitor)?;
    filled.fill(&context, order, &monitor)?;
    let expected: Vec<u16> =
        (0..instance.cells() as u32).map(|place| filled.value_at(place)).collect();
    let persistent = trial.define(PERSISTENT) == Some(1);
    let launches = if persistent { Launches::Persistent } else { Launches::Stepwise };
    for group_cells in GROUP_CELLS {
        let table = Table::new(trial.device(), &layout, order, launches)?;
        match persistent {
            true => table.fill_at_once(trial.device().resident_groups())?,
            false => table.fill(group_cells, &monitor)?,
        }
        agree("a partitioned table", &table.read()?, &expected)?;
        agree("partition_replay", &[table.replay(&monitor)?], std::slice::from_ref(&path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{BLOCKS, PERSISTENT};
    use crate::lattice_dp::partition::device::FAMILY;
    use crate::opencl::testing::expect_lies_to_be_noticed;

    #[test]
    fn wrong_kernels_are_barred() {
        let kernels =
            ["partition_level", "partition_levels", "partition_block", "partition_blocks"];
        for (path, kernel) in (0u64..).zip(kernels) {
            let defines = [(BLOCKS, path / 2), (PERSISTENT, path % 2)];
            let lies: [(_, &[usize]); 2] = [(kernel, &[0]), ("partition_replay", &[])];
            expect_lies_to_be_noticed(&FAMILY, &defines, &lies);
        }
    }
}
