//! Compares the kernel with the CPU.

use super::cell::PairCell;
use super::{UnitSteps, cpu};
use crate::lattice_dp::Packing;
use crate::opencl::{Device, Failing, Trial, agree};
use crate::solve::{Monitor, SolveOptions};
use crate::{Context, Result};

/// What fills a table on a device.
type Fill<C> = fn(&Device, &UnitSteps, &Monitor) -> Result<Vec<C>>;

/// A table whose widest levels take several groups and part of another.
pub(super) fn compare<C: PairCell>(trial: &Trial<'_>, fill: Fill<C>) -> Result<(), Failing> {
    let packing = Packing::new(vec![7, 11, 13, 19, 23], vec![6, 5, 4, 6, 5], 50)?;
    let (rule, monitor) = (UnitSteps::new(&packing)?, Monitor::new(&SolveOptions::default()));
    let expected: Vec<C> = cpu::fill(&Context::of_one_thread()?, &rule, &monitor)?;
    let found = fill(trial.device(), &rule, &monitor)?;
    let numbers = |cells: Vec<C>| cells.into_iter().map(Into::into).collect::<Vec<u32>>();
    agree("lattice_unit_steps", &numbers(found), &numbers(expected))
}

#[cfg(test)]
mod tests {
    use crate::lattice_dp::unit_steps::device::FAMILY;
    use crate::opencl::testing::expect_lies_to_be_noticed;

    #[test]
    fn wrong_kernels_are_barred() {
        for bytes in [2, 4] {
            expect_lies_to_be_noticed(
                &FAMILY,
                &[("CELL_BYTES", bytes)],
                &[("lattice_unit_steps", &["table"])],
            );
        }
    }
}
