//! Compares the kernels with the CPU.

use super::parts::Parts;
use super::{batch, resident, slabs};
use crate::Context;
use crate::lattice_dp::cell::{Cell, CellWidth};
use crate::lattice_dp::self_test::{OFFSETS, SIZES, instance};
use crate::lattice_dp::{Instance, count_cells, cpu};
use crate::opencl::{Failing, Trial, agree};
use crate::solve::{Monitor, SolveOptions};

/// Cells that the CPU fills. The device fills the slabs of three dimensions.
const HEAD_CELLS: u64 = 30;
/// Most cells of a span: the first value covers whole slabs, the second splits them.
const SPANS: [u64; 2] = [1 << 31, 200];

/// Tables of several sizes in one launch.
pub(super) fn compare_batch(trial: &Trial<'_>) -> Result<(), Failing> {
    let (context, monitor) = (Context::of_one_thread()?, Monitor::new(&SolveOptions::default()));
    let width = width(trial);
    // Costs of paths whose values fit into 8 bits, or do not.
    let most_cost = if width == CellWidth::Bits8 { 3 } else { 300 };
    let sizes: [&[u32]; 5] = [&[], &[1], &[40], &[5, 6, 7], &[3, 2, 4, 3, 2]];
    let instances: Result<Vec<Instance>, _> = sizes
        .iter()
        .map(|sizes| instance(sizes, if sizes.is_empty() { 0 } else { OFFSETS }, most_cost))
        .collect();
    let instances: Vec<Instance> =
        instances?.into_iter().filter(|instance| instance.cell_width() == width).collect();
    let all: Vec<&Instance> = instances.iter().collect();
    let found = batch::solve(&context, trial.device(), &all, &monitor)?;
    let mut expected = Vec::new();
    for instance in &instances {
        expected.push(cpu::solve(&context, instance, &monitor)?);
    }
    agree("lattice_batch", &found, &expected)
}

/// A table of some slabs, filled and traced back.
pub(super) fn compare_slabs(trial: &Trial<'_>) -> Result<(), Failing> {
    match width(trial) {
        CellWidth::Bits8 => compare_slabs_as::<u8>(trial),
        CellWidth::Bits16 => compare_slabs_as::<u16>(trial),
    }
}

fn compare_slabs_as<C: Cell>(trial: &Trial<'_>) -> Result<(), Failing> {
    let (context, monitor) = (Context::of_one_thread()?, Monitor::new(&SolveOptions::default()));
    let define = |name| trial.define(name).unwrap_or(0);
    // Tests may make the buffers so small that together they hold less.
    let room =
        if define("PARTS") == 1 { u64::MAX } else { define("PARTS") << define("PART_SHIFT") };
    let few = [SIZES[0], SIZES[1], SIZES[2] / 2, SIZES[3]];
    let sizes = if count_cells(&SIZES)? <= room { &SIZES } else { &few };
    let instance = instance(sizes, OFFSETS, 3)?;
    let expected = cpu::fill::<C>(&context, &instance, 0, &monitor)?;
    let path = cpu::solve(&context, &instance, &monitor)?;
    for span in SPANS {
        let built = (define("PARTS"), define("PART_SHIFT") as u32);
        let parts = Parts::for_kernels(trial.device(), instance.cells(), C::WIDTH, built)?;
        let table = slabs::Table::new(trial.device(), &instance, parts, HEAD_CELLS, span)?;
        table.fill(&context, &monitor)?;
        agree("lattice_slab", &table.read()?, bytemuck::cast_slice(&expected))?;
        agree("lattice_replay", &[table.replay(&monitor)?], std::slice::from_ref(&path))?;
    }
    Ok(())
}

/// The same table in one launch.
pub(super) fn compare_resident(trial: &Trial<'_>) -> Result<(), Failing> {
    match width(trial) {
        CellWidth::Bits8 => compare_resident_as::<u8>(trial),
        CellWidth::Bits16 => compare_resident_as::<u16>(trial),
    }
}

fn compare_resident_as<C: Cell>(trial: &Trial<'_>) -> Result<(), Failing> {
    let (context, monitor) = (Context::of_one_thread()?, Monitor::new(&SolveOptions::default()));
    let instance = instance(&SIZES, OFFSETS, 3)?;
    let expected = cpu::fill::<C>(&context, &instance, 0, &monitor)?;
    let mut desk = resident::Desk::<C>::new(trial.device())?;
    let groups = trial.device().resident_groups();
    let path = desk.solve(&context, trial.device(), &instance, (groups, HEAD_CELLS), &monitor)?;
    agree("lattice_resident", &desk.read(&instance)?, &expected)?;
    agree("the path of lattice_resident", &[path], &[cpu::solve(&context, &instance, &monitor)?])
}

fn width(trial: &Trial<'_>) -> CellWidth {
    if trial.define("CELL_BYTES") == Some(1) { CellWidth::Bits8 } else { CellWidth::Bits16 }
}

#[cfg(test)]
mod tests {
    use super::{batch, resident, slabs};
    use crate::opencl::testing::expect_lies_to_be_noticed;

    #[test]
    fn wrong_kernels_are_barred() {
        for bytes in [1, 2] {
            let cell_bytes = ("CELL_BYTES", bytes);
            expect_lies_to_be_noticed(&batch::FAMILY, &[cell_bytes], &[("lattice_batch", &[2])]);
            let whole = [cell_bytes, ("PARTS", 1), ("PART_SHIFT", 0)];
            expect_lies_to_be_noticed(&resident::FAMILY, &whole, &[("lattice_resident", &[0])]);
            let in_parts = [cell_bytes, ("PARTS", 8), ("PART_SHIFT", 20)];
            expect_lies_to_be_noticed(&slabs::FAMILY, &in_parts, &[]);
            let lies: [(_, &[usize]); 2] = [("lattice_slab", &[0]), ("lattice_replay", &[])];
            expect_lies_to_be_noticed(&slabs::FAMILY, &whole, &lies);
        }
    }
}
