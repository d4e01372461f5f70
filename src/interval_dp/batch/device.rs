//! Small instances on a device, each in the local memory of a work-group.

use crate::context::Pacer;
use crate::interval_dp::device::instance::{DeviceInstance, Form, LISTS, device_instance};
use crate::interval_dp::device::kernels::{self, CONSTANTS};
use crate::interval_dp::device::self_test;
use crate::interval_dp::number::{Number, Value};
use crate::interval_dp::semiring::CellType;
use crate::interval_dp::tree::Tree;
use crate::interval_dp::values::Values;
use crate::interval_dp::view::View;
use crate::interval_dp::{Instance, device};
use crate::memory::Gather;
use crate::opencl::{
    Buffer, Device, DeviceInfo, Kernel, KernelFamily, Local, Queue, Tunable, Usual,
    kernel_arguments, source,
};
use crate::solve::{Monitor, unless_stopped};
use crate::{Result, memory};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "interval_dp_batch",
    sources: &[source!("interval_dp.cl"), source!("interval_dp_batch.cl")],
    #[cfg(test)]
    kernels: crate::opencl::declared![Batch],
    constants: CONSTANTS,
    tuning: &[Tunable::power("BATCH_GROUP", (16, 256), "work-items of a group")],
    self_test: |trial| self_test::compare_batch(trial, solve),
};

/// The programs of the usual problems.
pub(in crate::interval_dp) fn usual_programs() -> impl Iterator<Item = Usual> {
    device::usual_forms().map(|(instance, cell_type)| {
        Usual::new(FAMILY.name, move |device| {
            let instance = instance()?;
            let form = device_instance(&View::of(&instance), cell_type, POINTS)?;
            kernels::build(device, &form.form(), kernels::Layout::Square, &FAMILY).map(drop)
        })
    })
}

kernel_arguments! {
    /// A table in each group.
    struct Batch<'a> = "interval_batch" {
        numbers: &'a Buffer<u8> as VALUE,
        padded: u32,
        sizes: &'a Buffer<u32>,
        values: &'a Buffer<u8> as VALUE,
        splits: &'a Buffer<u16>,
        cells: Local as VALUE,
        places: Local as uchar,
    }
}

/// Points to which every instance's lists are padded: they fit into a byte, and the tables into
/// common local memories.
pub(super) const POINTS: usize = 64;
/// Most instances of a launch: some tens of megabytes to send.
pub(super) const LAUNCH: usize = 1 << 14;

/// Bytes of local memory for a table and its splits.
fn local_bytes(cell_type: CellType) -> [usize; 2] {
    [POINTS * POINTS * cell_type.bytes(), POINTS * POINTS]
}

/// Whether a table fits into the local memory of a work-group.
pub(super) fn has_room(device: &DeviceInfo, cell_type: CellType) -> bool {
    local_bytes(cell_type).iter().sum::<usize>() as u64 <= device.local_memory_bytes
}

/// Solves instances of one form with up to [`POINTS`] points, until a stop.
pub(in crate::interval_dp) fn solve<V: Number>(
    device: &Device,
    instances: &[&Instance<V>],
    cell_type: CellType,
    monitor: &Monitor,
) -> Result<Vec<Values<Value>>> {
    let view = |index: usize| View::of(instances[index]);
    solve_views(device, instances.len(), &view, cell_type, monitor)
}

/// Solves `instances` instances, which become cells launch by launch.
fn solve_views<'a>(
    device: &Device,
    instances: usize,
    view: &dyn Fn(usize) -> View<'a>,
    cell_type: CellType,
    monitor: &Monitor,
) -> Result<Vec<Values<Value>>> {
    let instance = |index| device_instance(&view(index), cell_type, POINTS);
    let Some(first) = (0..instances.min(1)).map(instance).try_gather()?.pop() else {
        return Ok(Vec::new());
    };
    let most = LAUNCH.min(instances);
    let tables = Tables::new(device, &first.form(), most)?;
    let selects = first.form().semiring.selects();
    let mut pacer = Pacer::new(&tables.queue, monitor, "batch");
    let mut found = memory::list(instances)?;
    while found.len() < instances {
        let work = (POINTS as u64).pow(3) / 6;
        let count = (pacer.room() / work).clamp(1, most as u64) as usize;
        let launched =
            (found.len()..instances.min(found.len() + count)).map(instance).try_gather()?;
        tables.launch(&launched)?;
        let done = (found.len() + launched.len()) as f64 / instances as f64;
        if unless_stopped(pacer.launched(launched.len() as u64 * work, Some(done)))?.is_none() {
            break;
        }
        let (best, cells) = tables.read(launched.len())?;
        let best = best.chunks_exact(cell_type.bytes());
        for ((instance, value), cells) in launched.iter().zip(best).zip(cells.chunks_exact(POINTS))
        {
            let [points, _] = instance.sizes();
            let tree = selects.then(|| tree(points, cells)).transpose()?;
            let value = Value::read(cell_type, value);
            found.push(Values {
                value,
                cells: Vec::new(),
                tree,
                pairs: None,
                terms: None,
                cell_type,
            });
        }
    }
    Ok(found)
}

/// The tables of a launch on the device. Only the size of the type of cell matters here.
struct Tables {
    queue: Queue,
    kernel: Kernel<Batch<'static>>,
    cell_type: CellType,
    /// Each instance's lists, its points, its value, its splits.
    numbers: Buffer<u8>,
    sizes: Buffer<u32>,
    values: Buffer<u8>,
    splits: Buffer<u16>,
}

impl Tables {
    /// Buffers for up to `most` instances of a form.
    fn new(device: &Device, form: &Form<'_>, most: usize) -> Result<Self> {
        let cell_type = form.cell_type;
        let program = kernels::build(device, form, kernels::Layout::Square, &FAMILY)?;
        Ok(Tables {
            queue: device.queue(),
            kernel: program.kernel()?,
            cell_type,
            numbers: device.buffer(most * LISTS * POINTS * cell_type.bytes())?,
            sizes: device.buffer(most)?,
            values: device.buffer(most * cell_type.bytes())?,
            splits: device.buffer(most * POINTS)?,
        })
    }

    fn launch(&self, instances: &[Box<dyn DeviceInstance + '_>]) -> Result<()> {
        let mut numbers = memory::list(instances.len() * LISTS * POINTS * self.cell_type.bytes())?;
        instances
            .iter()
            .try_for_each(|instance| kernels::write_numbers(&**instance, &mut numbers))?;
        let sizes = instances.iter().map(|instance| instance.sizes()[0] as u32).gather()?;
        self.queue.write(&self.numbers, 0, &numbers)?;
        self.queue.write(&self.sizes, 0, &sizes)?;
        let group = self.kernel.group("BATCH_GROUP");
        let [cells, places] = local_bytes(self.cell_type).map(Local);
        let arguments = Batch {
            numbers: &self.numbers,
            padded: POINTS as u32,
            sizes: &self.sizes,
            values: &self.values,
            splits: &self.splits,
            cells,
            places,
        };
        self.queue.launch(&self.kernel, &arguments, [sizes.len() * group], [group])
    }

    /// Waits for `instances` instances; returns their values and splits.
    fn read(&self, instances: usize) -> Result<(Vec<u8>, Vec<u16>)> {
        let mut values = memory::filled(0, instances * self.cell_type.bytes())?;
        self.queue.read(&self.values, 0, &mut values)?;
        let mut cells = memory::filled(0, instances * POINTS)?;
        self.queue.read(&self.splits, 0, &mut cells)?;
        Ok((values, cells))
    }
}

/// The tree, given for each point the cell that it splits, whose last point is in the upper byte.
fn tree(points: usize, cells: &[u16]) -> Result<Tree> {
    let bounds = |&cell: &u16| (u32::from(cell & 0xff), u32::from(cell >> 8));
    Tree::new(points, &cells[1..points - 1].iter().map(bounds).gather()?)
}
