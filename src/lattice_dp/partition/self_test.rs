//! Compares the kernels with the CPU.

use super::layout::Layout;
use super::{DivisorRule, Order, Partition, cpu};
use crate::lattice_dp::self_test::{OFFSETS, SIZES, instance};
use crate::lattice_dp::{Path, cpu as by_slabs};
use crate::opencl::{Failing, agree};
use crate::solve::{Monitor, SolveOptions};
use crate::{Context, Result};

/// Most cells that a work-group fills in one launch: the first value covers a whole block, the
/// second less than some levels.
const GROUP_CELLS: [u32; 2] = [1 << 16, 20];

/// Compares a table by levels or blocks. `run` fills it on the device and traces the path back; its
/// second argument is the most cells of a work-group in one launch.
pub(super) fn compare(
    order: Order,
    run: impl Fn(&Layout<'_>, u32) -> Result<(Vec<u16>, Option<Path>)>,
) -> Result<(), Failing> {
    let (context, monitor) = (Context::of_one_thread()?, Monitor::new(&SolveOptions::default()));
    let instance = instance(&SIZES, OFFSETS, 3)?;
    let path = by_slabs::solve(&context, &instance, &monitor)?;
    let partition = match order {
        Order::Blocks => Partition::new(&instance.sizes(), 3, DivisorRule::Tabulated)?,
        Order::Levels => Partition::whole(&instance.sizes()),
    };
    let layout = Layout::new(&instance, &partition);
    let filled = cpu::Table::new(&layout, &monitor)?;
    filled.fill(&context, order, &monitor)?;
    let expected: Vec<u16> =
        (0..instance.cells() as u32).map(|place| filled.value_at(place)).collect();
    for group_cells in GROUP_CELLS {
        let (cells, found) = run(&layout, group_cells)?;
        agree("a partitioned table", &cells, &expected)?;
        agree("lattice_partition_traceback", &[found], std::slice::from_ref(&path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::lattice_dp::partition::device::{BLOCKS, CHILDREN, FAMILY, PERSISTENT};
    use crate::opencl::testing::expect_lies_to_be_noticed_where;
    use crate::opencl::{DeviceInfo, Quirks};

    fn wrong_kernels_are_barred_with(children: u64) {
        let kernels = [
            "lattice_partition_level",
            "lattice_partition_levels",
            "lattice_partition_block",
            "lattice_partition_blocks",
        ];
        for (path, kernel) in (0u64..).zip(kernels) {
            let defines = [(BLOCKS, path / 2), (PERSISTENT, path % 2), (CHILDREN, children)];
            let lies: [(_, &[&str]); 2] =
                [(kernel, &["table"]), ("lattice_partition_traceback", &[])];
            // Devices with short loops fill no table at once.
            let runs = |info: &DeviceInfo| path % 2 == 0 || !Quirks::of(info).short_loops;
            expect_lies_to_be_noticed_where(runs, &FAMILY, &defines, &lies);
        }
    }

    #[test]
    fn wrong_kernels_are_barred() {
        wrong_kernels_are_barred_with(0);
    }

    #[test]
    fn wrong_kernels_are_barred_with_parallel_children() {
        wrong_kernels_are_barred_with(1);
    }
}
