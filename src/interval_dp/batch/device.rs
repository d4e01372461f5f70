//! Small instances on a device, each in the local memory of a work-group.

use crate::Result;
use crate::context::Pacer;
use crate::interval_dp::kernels::{self, Form, LISTS};
use crate::interval_dp::number::Number;
use crate::interval_dp::plan::Plan;
use crate::interval_dp::semiring::{Cell, CellType};
use crate::interval_dp::tree::Tree;
use crate::interval_dp::{Instance, Values};
use crate::opencl::{Arg, Device, DeviceInfo, KernelFamily};
use crate::solve::Monitor;

const FAMILY: KernelFamily = KernelFamily {
    name: "interval_dp_batch",
    sources: &[include_str!("../../../cl/interval_dp.cl"), include_str!("../../../cl/interval_dp_batch.cl")],
    tuning: &[],
};

/// Points that every instance's lists are filled up to: what fits a byte and common local memories.
pub(super) const POINTS: usize = 64;
/// Work-items of a group.
const GROUP: usize = 64;
/// Most instances of a launch: some tens of megabytes to send.
const LAUNCH: usize = 1 << 14;

/// Bytes of local memory for a table and its splits.
fn local_bytes(cell_type: CellType) -> [usize; 2] {
    [POINTS * POINTS * cell_type.bytes(), POINTS * POINTS]
}

/// Whether a work-group of the device has room for a table.
pub(super) fn has_room(device: &DeviceInfo, cell_type: CellType) -> bool {
    local_bytes(cell_type).iter().sum::<usize>() as u64 <= device.local_memory_bytes
}

/// Solves instances of up to [`POINTS`] points and of one form.
pub(super) fn solve<V: Number>(
    device: &Device,
    instances: &[&Instance<V>],
    cell_type: CellType,
    monitor: &Monitor,
) -> Result<Vec<Values<V>>> {
    let solve = match cell_type {
        CellType::U16 => solve_as::<V, u16>,
        CellType::I32 => solve_as::<V, i32>,
        CellType::I64 => solve_as::<V, i64>,
        CellType::F32 => solve_as::<V, f32>,
        CellType::F64 => solve_as::<V, f64>,
    };
    solve(device, instances, monitor)
}

fn solve_as<V: Number, C: Cell>(
    device: &Device,
    instances: &[&Instance<V>],
    monitor: &Monitor,
) -> Result<Vec<Values<V>>> {
    let Some(&first) = instances.first() else { return Ok(Vec::new()) };
    let first = Plan::<C>::new(first, POINTS);
    let program = kernels::build(device, &Form::of(&first), kernels::Layout::Square, &FAMILY)?;
    let kernel = program.kernel("interval_batch")?;
    let queue = device.queue()?;
    let most = LAUNCH.min(instances.len());
    let numbers = device.buffer::<u8>(most * LISTS * POINTS * size_of::<C>())?;
    let sizes = device.buffer::<u32>(most)?;
    let values = device.buffer::<u8>(most * size_of::<C>())?;
    let splits = device.buffer::<u16>(most * POINTS)?;
    let group = GROUP.min(kernel.max_work_group_size());
    let [table, places] = local_bytes(C::TYPE).map(Arg::Local);
    let mut pacer = Pacer::new(&queue, monitor, "batch");
    let mut found = Vec::with_capacity(instances.len());
    while found.len() < instances.len() {
        let work = (POINTS as u64).pow(3) / 6;
        let count = (pacer.room() / work).clamp(1, most as u64) as usize;
        let some = &instances[found.len()..instances.len().min(found.len() + count)];
        let plans: Vec<Plan<'_, C>> = some.iter().map(|instance| Plan::new(instance, POINTS)).collect();
        let lists: Vec<C> = plans.iter().flat_map(kernels::numbers).collect();
        queue.write(&numbers, 0, bytemuck::cast_slice(&lists))?;
        queue.write(&sizes, 0, &plans.iter().map(|plan| plan.points as u32).collect::<Vec<_>>())?;
        let padded = Arg::U32(POINTS as u32);
        let arguments = [numbers.arg(), padded, sizes.arg(), values.arg(), splits.arg(), table, places];
        queue.launch(&kernel, &arguments, [some.len() * group], [group])?;
        let done = (found.len() + some.len()) as f64 / instances.len() as f64;
        pacer.launched(some.len() as u64 * work, Some(done))?;
        let mut best = vec![C::default(); some.len()];
        queue.read(&values, 0, bytemuck::cast_slice_mut(&mut best))?;
        let mut cells = vec![0; some.len() * POINTS];
        queue.read(&splits, 0, &mut cells)?;
        for ((plan, value), cells) in plans.iter().zip(best).zip(cells.chunks_exact(POINTS)) {
            let tree = plan.semiring.selects().then(|| tree(plan.points, cells));
            let values = Values { value, cells: Vec::new(), tree, terms: None, cell_type: C::TYPE };
            found.push(values.into_numbers());
        }
    }
    Ok(found)
}

/// The tree of the cell that is split at each point, whose last point is in the upper byte.
fn tree(points: usize, cells: &[u16]) -> Tree {
    let bounds = |&cell: &u16| (u32::from(cell & 0xff), u32::from(cell >> 8));
    Tree::new(points, &cells[1..points - 1].iter().map(bounds).collect::<Vec<_>>())
}
