//! One launch or several for each level.

use std::sync::Arc;

use super::cell::PairCell;
use super::{UnitSteps, self_test};
use crate::opencl::{
    Buffer, Device, Kernel, KernelFamily, Program, Tunable, Usual, kernel_arguments, source,
};
use crate::solve::Monitor;
use crate::{Pacer, Result, Units};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "lattice_unit_steps",
    sources: &[source!("lattice_unit_steps.cl")],
    #[cfg(test)]
    kernels: crate::opencl::declared![Level<u32>],
    constants: &[],
    tuning: &[Tunable::power("LEVEL_GROUP: work-items of a group", (16, 1024))],
    self_test: |trial| match trial.define("CELL_BYTES") {
        Some(2) => self_test::compare(trial, fill::<u16>),
        _ => self_test::compare(trial, fill::<u32>),
    },
};

kernel_arguments! {
    /// Some cells of a level.
    struct Level<'a, C: PairCell> = "lattice_unit_steps" {
        table: &'a Buffer<C> as cell_t,
        axes: &'a Buffer<u32> as uint2,
        axis_count: u32,
        counts: &'a Buffer<u32>,
        levels: u32,
        level: u32,
        first: u32,
        count: u32,
        capacity: u32,
        load_bits: u32,
    }
}

/// The programs of both widths of cells.
pub(in crate::lattice_dp) fn usual_programs() -> impl Iterator<Item = Usual> {
    let usual = |bytes| Usual::new(FAMILY.name, move |device| program(device, bytes).map(drop));
    [<u16 as PairCell>::BYTES, <u32 as PairCell>::BYTES].into_iter().map(usual)
}

fn program(device: &Device, cell_bytes: u64) -> Result<Arc<Program>> {
    device.program(&FAMILY, &[("CELL_BYTES", cell_bytes)])
}

/// Fills the table and copies it to the host.
pub(super) fn fill<C: PairCell>(
    device: &Device,
    rule: &UnitSteps,
    monitor: &Monitor,
) -> Result<Vec<C>> {
    let kernel: Kernel<Level<'static, C>> = program(device, C::BYTES)?.kernel()?;
    let group = kernel.group("LEVEL_GROUP");
    let queue = device.queue();
    let table = device.buffer(rule.cells as usize)?;
    queue.write(&table, 0, &[C::from_pair(rule.capacity)])?;
    let axes: Vec<u32> = rule.axes.iter().flat_map(|axis| [axis.stride, axis.size]).collect();
    let axes = device.buffer_from(&queue, &axes)?;
    let counts = device.buffer_from(&queue, rule.levels.counts())?;

    // Finding a cell's vector takes about as long as its look-ups.
    let cell_work = 2 * rule.axes.len().max(1) as u64;
    let mut pacer = Pacer::new(&queue, monitor, "lattice");
    for level in 1..rule.levels.len() {
        let width = rule.levels.width(level) as usize;
        pacer.launch(0..width, Units::of(cell_work), &mut |cells| {
            let arguments = Level {
                table: &table,
                axes: &axes,
                axis_count: rule.axes.len() as u32,
                counts: &counts,
                levels: rule.levels.len() as u32,
                level: level as u32,
                first: cells.start as u32,
                count: cells.len() as u32,
                capacity: rule.capacity,
                load_bits: rule.load_bits,
            };
            queue.launch(&kernel, &arguments, [cells.len().next_multiple_of(group)], [group])?;
            Ok(Some(level as f64 / rule.levels.len() as f64))
        })?;
    }
    let mut cells = vec![C::default(); rule.cells as usize];
    queue.read(&table, 0, &mut cells)?;
    Ok(cells)
}
