//! Small instances on a device, each in the local memory of a work-group.

use std::ops::Range;

use crate::context::Pacer;
use crate::interval_dp::device::instance::{Form, LISTS, device_instance};
use crate::interval_dp::device::kernels::{self, CONSTANTS};
use crate::interval_dp::device::self_test;
use crate::interval_dp::number::{Number, Value};
use crate::interval_dp::semiring::CellType;
use crate::interval_dp::tree::Tree;
use crate::interval_dp::values::Values;
use crate::interval_dp::view::View;
use crate::interval_dp::{Instance, device};
use crate::memory::{Gather, Grow};
use crate::opencl::{
    Buffer, Device, DeviceInfo, Kernel, KernelFamily, Local, Queue, Tunable, Usual,
    kernel_arguments, source,
};
use crate::solve::{Monitor, unless_stopped};
use crate::{Context, Result, memory, parallel};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "interval_dp_batch",
    sources: &[source!("interval_dp.cl"), source!("interval_dp_batch.cl")],
    #[cfg(test)]
    kernels: crate::opencl::declared![Batch],
    constants: CONSTANTS,
    tuning: &[
        Tunable::power("BATCH_GROUP: work-items of a group", (16, 256)),
        Tunable::power("BATCH_INSTANCES: most instances of a launch", (64, 1 << 16)),
    ],
    self_test: |trial| {
        self_test::compare_batch(trial, |device, all, cell_type, monitor| {
            solve(None, device, all, cell_type, monitor)
        })
    },
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
/// Instances that a thread of the host takes at once: tens of microseconds.
pub(super) const TOGETHER: usize = 64;

/// Bytes of local memory for a table and its splits.
fn local_bytes(cell_type: CellType) -> [usize; 2] {
    [POINTS * POINTS * cell_type.bytes(), POINTS * POINTS]
}

/// Whether a table fits into the local memory of a work-group.
pub(super) fn has_room(device: &DeviceInfo, cell_type: CellType) -> bool {
    local_bytes(cell_type).iter().sum::<usize>() as u64 <= device.group_memory_bytes()
}

/// Solves instances of one form with up to [`POINTS`] points, until a stop. The host's part of the
/// work is done on the threads of `context`, or on the calling one.
pub(in crate::interval_dp) fn solve<V: Number>(
    context: Option<&Context>,
    device: &Device,
    instances: &[&Instance<V>],
    cell_type: CellType,
    monitor: &Monitor,
) -> Result<Vec<Values<Value>>> {
    let host = Host { context, instances, cell_type };
    let Some(&first) = instances.first() else { return Ok(Vec::new()) };
    let first = View::of(first);
    let first = device_instance(&first, cell_type, POINTS)?;
    let list_bytes = LISTS * POINTS * cell_type.bytes();
    let room = device.info().max_allocation_bytes as usize / list_bytes;
    let tuned = device.tuned(&FAMILY, "BATCH_INSTANCES").min(room).max(1);
    let most = tuned.min(instances.len());
    let tables = Tables::new(device, &first.form(), most)?;
    let selects = first.form().semiring.selects();
    let mut pacer = Pacer::new(&tables.queue, monitor, "batch");
    let mut found = memory::list(instances.len())?;
    while found.len() < instances.len() {
        let work = (POINTS as u64).pow(3) / 6;
        let count = (pacer.room() / work).clamp(1, most as u64) as usize;
        let lists = host.lists(found.len()..instances.len().min(found.len() + count))?;
        tables.launch(&lists)?;
        let launched = lists.points.len();
        let done = (found.len() + launched) as f64 / instances.len() as f64;
        if unless_stopped(pacer.launched(launched as u64 * work, Some(done)))?.is_none() {
            break;
        }
        let (best, cells) = tables.read(launched)?;
        for part in host.values(&lists.points, &best, &cells, selects)? {
            found.extend(part);
        }
    }
    Ok(found)
}

/// What the host does for the instances of a launch, some of them at a time on each thread.
struct Host<'a, V> {
    context: Option<&'a Context>,
    instances: &'a [&'a Instance<V>],
    cell_type: CellType,
}

/// The lists of a launch's instances one after the other, and how many points each instance has.
#[derive(Default)]
struct Lists {
    numbers: Vec<u8>,
    points: Vec<u32>,
}

impl<V: Number> Host<'_, V> {
    fn on_threads<T: Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        match self.context {
            Some(context) => context.install(work)?,
            None => work(),
        }
    }

    /// The lists of some instances.
    fn lists(&self, range: Range<usize>) -> Result<Lists> {
        let some = self.instances[range].chunks(TOGETHER);
        let parts = self.on_threads(|| parallel::try_map(some, |some| self.lists_of(some)))?;
        let mut all = Lists::default();
        for Lists { numbers, points } in parts {
            all.numbers.try_extend(numbers)?;
            all.points.try_extend(points)?;
        }
        Ok(all)
    }

    fn lists_of(&self, instances: &[&Instance<V>]) -> Result<Lists> {
        let mut lists = Lists::default();
        for instance in instances {
            let view = View::of(instance);
            let instance = device_instance(&view, self.cell_type, POINTS)?;
            kernels::write_numbers(&*instance, &mut lists.numbers)?;
            lists.points.try_push(instance.sizes()[0] as u32)?;
        }
        Ok(lists)
    }

    /// What a launch found, given each instance's points, value and splits.
    fn values(
        &self,
        points: &[u32],
        best: &[u8],
        cells: &[u16],
        selects: bool,
    ) -> Result<Vec<Vec<Values<Value>>>> {
        let cell_type = self.cell_type;
        let value = |((&points, value), cells): ((&u32, &[u8]), &[u16])| {
            let tree = selects.then(|| tree(points as usize, cells)).transpose()?;
            let value = Value::read(cell_type, value);
            Ok(Values { value, cells: Vec::new(), tree, pairs: None, terms: None, cell_type })
        };
        let bytes = cell_type.bytes();
        let parts = points
            .chunks(TOGETHER)
            .zip(best.chunks(TOGETHER * bytes))
            .zip(cells.chunks(TOGETHER * POINTS));
        self.on_threads(|| {
            parallel::try_map(parts, |((points, best), cells)| {
                let best = best.chunks_exact(bytes);
                points.iter().zip(best).zip(cells.chunks_exact(POINTS)).map(value).try_gather()
            })
        })
    }
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

    fn launch(&self, lists: &Lists) -> Result<()> {
        self.queue.write(&self.numbers, 0, &lists.numbers)?;
        self.queue.write(&self.sizes, 0, &lists.points)?;
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
        self.queue.launch(&self.kernel, &arguments, [lists.points.len() * group], [group])
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
