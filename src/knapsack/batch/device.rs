use std::sync::atomic::Ordering;

use super::cpu::Profit;
use super::{Engine, Job, self_test};
use crate::context::{Pacer, Units};
use crate::opencl::{
    Buffer, Device, DeviceInfo, Failing, Kernel, KernelFamily, Local, Queue, Trial, Tunable, Usual,
    kernel_arguments, source,
};
use crate::{Error, Result};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "knapsack_batch",
    sources: &[source!("knapsack_batch.cl")],
    #[cfg(test)]
    kernels: crate::opencl::declared![Tables<i64>],
    constants: &[],
    tuning: &[
        Tunable::power("MOST_EACH: most cells of a work-item", (1, EACH as u64)),
        Tunable::power("LEAST_GROUP: least work-items of a group", (16, 256)),
        Tunable::power("UNIT_GROUPS: work-groups for each compute unit", (1, 256)),
        Tunable::power("DECISION_BYTES: most bytes of decisions", (1 << 16, 1 << 31)),
    ],
    self_test: |trial| match trial.define("CELL_BYTES") {
        Some(4) => compare::<i32>(trial),
        _ => compare::<i64>(trial),
    },
};

fn compare<T: Profit>(trial: &Trial<'_>) -> Result<(), Failing> {
    self_test::compare::<T>(trial, |job, device, groups| {
        Ok(Box::new(DeviceBatch::<T>::of_groups(job, device, groups)?))
    })
}

/// Capacities of the batches whose programs are built ahead.
const USUAL_CELLS: usize = 1001;

/// The programs of batches of this many capacities, for profits of 32 and of 64 bits.
pub(in crate::knapsack) fn usual_programs() -> impl Iterator<Item = Usual> {
    let narrow = |device: &Device| DeviceBatch::<i32>::kernel(device, USUAL_CELLS).map(drop);
    let wide = |device: &Device| DeviceBatch::<i64>::kernel(device, USUAL_CELLS).map(drop);
    [Usual::new(FAMILY.name, narrow), Usual::new(FAMILY.name, wide)].into_iter()
}

kernel_arguments! {
    /// The tables of some instances, one after the other in each group.
    struct Tables<'a, T: Profit> = "knapsack_batch" {
        profits: &'a Buffer<T> as cell_t,
        weights: &'a Buffer<i32>,
        bundles: u32,
        cells: u32,
        instances_first: u32,
        instances_end: u32,
        decisions: &'a Buffer<u32>,
        values: &'a Buffer<T> as cell_t,
        taken: &'a Buffer<u32>,
        local_cells: Local as cell_t,
    }
}

/// Most cells of a work-item: a word holds two bits of each.
const EACH: usize = 16;
/// Least work-items of a group, where rows do not matter.
const LEAST_GROUP: usize = 64;

/// A batch's tables on a device.
pub(super) struct DeviceBatch<'a, T: Profit> {
    job: &'a Job<'a>,
    device: &'a Device,
    queue: Queue,
    kernel: Kernel<Tables<'static, T>>,
    weights: Buffer<i32>,
    decisions: Buffer<u32>,
    group: usize,
    groups: usize,
    local_bytes: usize,
}

/// A kernel with the shape of its groups.
type Shaped<T> = (Kernel<Tables<'static, T>>, (usize, usize));

/// Work-items for a table, and cells of each work-item, if a group has at most `most` work-items
/// wherever that is possible. The cells take few different values, since each value needs its own
/// program.
fn shape(cells: usize, most: usize, [each, least]: [usize; 2]) -> (usize, usize) {
    let least = least.min(1 << most.max(1).ilog2());
    let group_of = |each| cells.div_ceil(each).next_power_of_two().max(least);
    let group = if group_of(each) <= most { group_of(each) } else { group_of(EACH) };
    (group, cells.div_ceil(group).next_power_of_two())
}

/// Whether a table fits into the device's local memory.
pub(super) fn serves(cells: usize, device: &DeviceInfo) -> bool {
    let (group, each) = shape(cells, device.max_work_group_size, [EACH, LEAST_GROUP]);
    group <= device.max_work_group_size
        && (group * each * size_of::<i64>()) as u64 <= device.group_memory_bytes()
}

impl<'a, T: Profit> DeviceBatch<'a, T> {
    pub(super) fn new(job: &'a Job<'a>, device: &'a Device) -> Result<Self> {
        let groups = device.tuned(&FAMILY, "UNIT_GROUPS");
        Self::of_groups(job, device, device.info().compute_units as usize * groups)
    }

    /// Tables on at most `most` groups.
    pub(super) fn of_groups(job: &'a Job<'a>, device: &'a Device, most: usize) -> Result<Self> {
        let shared = job.shared;
        let (kernel, (group, each)) = Self::kernel(device, shared.cells)?;
        let queue = device.queue();
        let words = shared.bundles.len().div_ceil(2) * group;
        let decisions = device.tuned(&FAMILY, "DECISION_BYTES");
        let decisions = decisions.min(device.info().max_allocation_bytes as usize);
        let groups = most.min(decisions / 4 / words.max(1)).max(1);
        let weights: Vec<i32> = shared.bundles.iter().map(|bundle| bundle.weight as i32).collect();
        Ok(DeviceBatch {
            job,
            device,
            weights: device.buffer_from(&queue, &weights)?,
            decisions: device.buffer(words * groups)?,
            queue,
            kernel,
            group,
            groups,
            local_bytes: group * each * size_of::<T>(),
        })
    }
}

impl<T: Profit> DeviceBatch<'_, T> {
    /// The kernel whose groups the device and the kernel itself allow.
    fn kernel(device: &Device, cells: usize) -> Result<Shaped<T>> {
        let mut most = device.info().max_work_group_size;
        let tuned = ["MOST_EACH", "LEAST_GROUP"].map(|name| device.tuned(&FAMILY, name));
        let mut kernel: Option<Kernel<_>> = None;
        // A kernel may allow smaller groups than its device.
        while kernel.as_ref().is_none_or(|kernel| kernel.max_work_group_size() < most) {
            most = kernel.map_or(most, |kernel| kernel.max_work_group_size());
            let (group, each) = shape(cells, most, tuned);
            if group > most || !serves(cells, device.info()) {
                return Err(Error::unsupported(format!(
                    "a batch of knapsacks of {cells} capacities in a work-group's memory on {}",
                    device.info().name
                )));
            }
            let defines = [
                ("CELL_BYTES", size_of::<T>() as u64),
                ("GROUP", group as u64),
                ("EACH", each as u64),
            ];
            let built: Kernel<_> = device.program(&FAMILY, &defines)?.kernel()?;
            if group <= built.max_work_group_size() {
                return Ok((built, (group, each)));
            }
            kernel = Some(built);
        }
        Err(Error::internal("a kernel without a work-group"))
    }
}

impl<T: Profit> Engine<T> for DeviceBatch<'_, T> {
    fn solve(&mut self, profits: Vec<T>, values: &mut [T], taken: &mut [u32]) -> Result<()> {
        let &Job { monitor, shared, solved, .. } = self.job;
        let bundles = shared.bundles.len();
        if bundles == 0 {
            return Ok(());
        }
        let profits = self.device.buffer_from(&self.queue, &profits)?;
        let found = self.device.buffer::<T>(values.len())?;
        let bits = self.device.buffer::<u32>(taken.len())?;
        let work = (bundles * shared.cells) as u64;
        let mut pacer = Pacer::new(&self.queue, monitor, "batch");
        pacer.launch(0..values.len(), Units::of(work), &mut |part| {
            let tables = Tables {
                profits: &profits,
                weights: &self.weights,
                bundles: bundles as u32,
                cells: shared.cells as u32,
                instances_first: part.start as u32,
                instances_end: part.end as u32,
                decisions: &self.decisions,
                values: &found,
                taken: &bits,
                local_cells: Local(self.local_bytes),
            };
            let groups = part.len().min(self.groups);
            self.queue.launch(&self.kernel, &tables, [groups * self.group], [self.group])?;
            solved.fetch_add(part.len() as u64, Ordering::Relaxed);
            Ok(None)
        })?;
        self.queue.read(&found, 0, values)?;
        self.queue.read(&bits, 0, taken)
    }
}
