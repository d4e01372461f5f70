//! Compares the kernels with the CPU.

use crate::lattice_dp::cell::{Cell, CellWidth};
use crate::lattice_dp::self_test::{OFFSETS, SIZES, instance};
use crate::lattice_dp::{Instance, Path, count_cells, cpu};
use crate::opencl::{Device, Failing, Trial, agree};
use crate::solve::{Monitor, SolveOptions};
use crate::{Context, Result};

/// Cells that the CPU fills. The device fills the slabs of three dimensions.
pub(super) const HEAD_CELLS: u64 = 30;

/// What fills the tables of instances and walks their paths back.
type SolveBatch = fn(&Context, &Device, &[&Instance], &Monitor) -> Result<Vec<Option<Path>>>;

/// Tables of several sizes in one launch.
pub(super) fn compare_batch(trial: &Trial<'_>, solve: SolveBatch) -> Result<(), Failing> {
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
    let found = solve(&context, trial.device(), &all, &monitor)?;
    let mut expected = Vec::new();
    for instance in &instances {
        expected.push(cpu::solve(&context, instance, &monitor)?);
    }
    agree("lattice_batch", &found, &expected)
}

/// A table of some slabs, of not more than `room` cells if need be. `run` fills it on the device
/// and gives the bytes of its cells and the path that it walks back.
pub(super) fn compare_table<C: Cell>(
    what: &str,
    room: u64,
    run: impl Fn(&Context, &Instance, &Monitor) -> Result<(Vec<u8>, Option<Path>)>,
) -> Result<(), Failing> {
    let (context, monitor) = (Context::of_one_thread()?, Monitor::new(&SolveOptions::default()));
    let few = [SIZES[0], SIZES[1], SIZES[2] / 2, SIZES[3]];
    let sizes = if count_cells(&SIZES)? <= room { &SIZES } else { &few };
    let instance = instance(sizes, OFFSETS, 3)?;
    let (cells, path) = run(&context, &instance, &monitor)?;
    let expected = cpu::fill::<C>(&context, &instance, 0, &monitor)?;
    agree(what, &cells, bytemuck::cast_slice(&expected))?;
    agree(&format!("the path of {what}"), &[path], &[cpu::solve(&context, &instance, &monitor)?])
}

/// The type of cell that a program is built for.
pub(super) fn width(trial: &Trial<'_>) -> CellWidth {
    if trial.define("CELL_BYTES") == Some(1) { CellWidth::Bits8 } else { CellWidth::Bits16 }
}

#[cfg(test)]
mod tests {
    use crate::lattice_dp::device::{batch, resident, slabs};
    use crate::opencl::testing::expect_lies_to_be_noticed;

    #[test]
    fn wrong_kernels_are_barred() {
        for bytes in [1, 2] {
            let cell_bytes = ("CELL_BYTES", bytes);
            expect_lies_to_be_noticed(
                &batch::FAMILY,
                &[cell_bytes],
                &[("lattice_batch", &["results"])],
            );
            let whole = [cell_bytes, ("PARTS", 1), ("PART_SHIFT", 0)];
            expect_lies_to_be_noticed(
                &resident::FAMILY,
                &whole,
                &[("lattice_resident", &["part_0"])],
            );
            let in_parts = [cell_bytes, ("PARTS", 8), ("PART_SHIFT", 20)];
            expect_lies_to_be_noticed(&slabs::FAMILY, &in_parts, &[]);
            let lies: [(_, &[&str]); 2] =
                [("lattice_slab", &["part_0"]), ("lattice_traceback", &[])];
            expect_lies_to_be_noticed(&slabs::FAMILY, &whole, &lies);
        }
    }
}
