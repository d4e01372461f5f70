//! The whole table in one launch, whose work-groups wait for each other after every slab. This
//! saves a few microseconds for each slab, most of the time of a table of some hundred thousand
//! cells.

use super::check::{Checks, check};
use super::parts::single;
use super::self_test;
use super::slab_plan::SlabPlan;
use super::slabs::{HEAD_CELLS, head_cells, large_dimensions};
use super::traceback::{TRACEBACK_HEAD, Traceback, WAITED_IN_VAIN};
use crate::lattice_dp::cell::{Cell, CellWidth};
use crate::lattice_dp::instance::Instance;
use crate::lattice_dp::{Path, cpu};
use crate::opencl::{
    BARRIER, Buffer, Device, Failing, GroupArrays, Kernel, KernelFamily, Local, Queue, Source,
    Trial, Tunable, kernel_arguments, source,
};
use crate::solve::Monitor;
use crate::{Context, Error, Result};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "lattice_resident",
    sources: &[
        Source::Text("#define PLAN_SPACE local"),
        source!("device_barrier.cl"),
        source!("lattice_dp.cl"),
        source!("lattice_resident.cl"),
    ],
    #[cfg(test)]
    kernels: crate::opencl::declared![Whole<u16>],
    constants: &[
        BARRIER[0],
        BARRIER[1],
        ("TRACEBACK_HEAD", TRACEBACK_HEAD as u64),
        ("WAITED_IN_VAIN", WAITED_IN_VAIN),
    ],
    tuning: &[
        Tunable::power("RESIDENT_GROUP: work-items of a group", (16, 1024)),
        Tunable::power("GROUP_WORK: most look-ups and cells of a group", (1 << 10, 1 << 20)),
        Tunable::power("MOST_STEPS: most barriers", (1, 1 << 16)),
        Tunable::power("KEPT_CELLS: most cells of a table to keep for reuse", (1 << 10, 1 << 31)),
        HEAD_CELLS,
    ],
    self_test: |trial| match self_test::width(trial) {
        CellWidth::Bits8 => compare::<u8>(trial),
        CellWidth::Bits16 => compare::<u16>(trial),
    },
};

/// A table in one launch.
fn compare<C: Cell>(trial: &Trial<'_>) -> Result<(), Failing> {
    let device = trial.device();
    self_test::compare_table::<C>(FAMILY.name, u64::MAX, |context, instance, monitor| {
        let mut desk = Desk::<C>::new(device)?;
        let shape = (device.resident_groups(), self_test::HEAD_CELLS);
        let path = desk.solve(context, device, instance, shape, monitor)?;
        Ok((bytemuck::cast_slice(&desk.read(instance)?).to_vec(), path))
    })
}

kernel_arguments! {
    /// The slabs of the first `dimensions` dimensions, and the traceback.
    struct Whole<'a, C: Cell> = "lattice_resident" {
        part_0: &'a Buffer<C> as cell_t,
        work: &'a Buffer<u64>,
        plan: Local as ulong4,
        rows: u32,
        dimension_first: u32,
        dimensions: u32,
        guards_low: u64,
        guards_high: u64,
        last: u64,
        last_low: u64,
        last_high: u64,
        group_arrays: GroupArrays,
    }
}

/// Bytes of a group that the kernel may use. Every device has them.
const PLAN_BYTES: usize = 1 << 14;

/// Look-ups and cells of a table; `u64::MAX` if its plan exceeds them.
pub(super) fn work(instance: &Instance) -> u64 {
    let rows =
        instance.offsets().len() + instance.dimensions().len() * (instance.dimensions().len() + 2);
    if rows * ROW_BYTES > PLAN_BYTES {
        return u64::MAX;
    }
    instance.cells().saturating_add(instance.lookups())
}

const ROW_BYTES: usize = 32;

/// Fills the table with as many work-groups as are known to run at the same time.
///
/// # Errors
/// [`Error::DeviceFailed`] if they do not; [`Device::has_waited_in_vain`] is then true.
pub(super) fn solve<C: Cell>(
    context: &Context,
    device: &Device,
    instance: &Instance,
    checks: &Checks,
    monitor: &Monitor,
) -> Result<Option<Path>> {
    let mut desk = match device.take::<Desk<C>>() {
        Some(desk) => desk,
        None => Desk::new(device)?,
    };
    let most_head = device.tuned(&FAMILY, "HEAD_CELLS") as u64;
    let path =
        desk.solve(context, device, instance, (device.resident_groups(), most_head), monitor)?;
    let read = |first: u64, cells: &mut [C]| desk.queue.read(&desk.table, first as usize, cells);
    check::<C>(context, instance, head_cells(instance, most_head), &read, path.as_ref(), checks)?;
    if desk.table.len() <= device.tuned(&FAMILY, "KEPT_CELLS") {
        device.keep(desk);
    }
    Ok(path)
}

/// The buffers of a solve. They are kept for the next one, since creating and freeing them takes
/// longer than filling a small table.
pub(super) struct Desk<C: Cell> {
    queue: Queue,
    kernel: Kernel<Whole<'static, C>>,
    group: usize,
    table: Buffer<C>,
    /// Barrier counter, plan and traceback.
    work: Buffer<u64>,
}

impl<C: Cell> Desk<C> {
    pub(super) fn new(device: &Device) -> Result<Self> {
        let program = device.program(&FAMILY, &single(C::WIDTH))?;
        let kernel: Kernel<Whole<'static, C>> = program.kernel()?;
        Ok(Desk {
            queue: device.queue(),
            group: kernel.group("RESIDENT_GROUP"),
            kernel,
            table: device.buffer(0)?,
            work: device.buffer(0)?,
        })
    }

    pub(super) fn solve(
        &mut self,
        context: &Context,
        device: &Device,
        instance: &Instance,
        (groups, head_cells): (usize, u64),
        monitor: &Monitor,
    ) -> Result<Option<Path>> {
        let plan = SlabPlan::new(instance, C::WIDTH);
        let mut traceback = Traceback::new(instance, C::WIDTH);
        let rows = plan.rows.len() / 4;
        let traceback_at = 4 * (rows + 1);
        device.reserve(&mut self.table, instance.cells() as usize)?;
        device.reserve(&mut self.work, traceback_at + traceback.len())?;

        // No group has arrived yet.
        self.queue.send(&self.work, 0, [vec![0; 4], plan.rows].concat())?;
        let large = large_dimensions(instance, head_cells);
        let head = cpu::fill::<C>(context, instance, large, monitor)?;
        self.queue.send(&self.table, 0, head.to_vec())?;

        // Groups beyond the widest slab would only delay the others.
        let widest = instance.dimensions()[..large].iter().map(|dimension| dimension.stride).max();
        let groups = groups.min((widest.unwrap_or(1) as usize).div_ceil(self.group));
        let [guards_low, guards_high] = *instance.guards();
        let [last_low, last_high] = traceback.packed();
        let whole = Whole {
            part_0: &self.table,
            work: &self.work,
            plan: Local(rows * ROW_BYTES),
            rows: rows as u32,
            dimension_first: plan.dimensions,
            dimensions: large as u32,
            guards_low,
            guards_high,
            last: traceback.index(),
            last_low,
            last_high,
            group_arrays: GroupArrays::WORDS,
        };
        // Lock only after the head is filled: that runs on a pool thread, which may enter this
        // function again with another instance.
        let _alone = device.resident_launch();
        self.queue.launch(&self.kernel, &whole, [groups * self.group], [self.group])?;
        let read = traceback.read(
            instance,
            &|packed| instance.index_of(packed),
            (&self.queue, &self.work, traceback_at),
        );
        if traceback.waited_in_vain() {
            return Err(device.waited_in_vain());
        }
        if !read? {
            return Err(Error::device_failed("the lattice path ends early"));
        }
        monitor.report("lattice", Some(1.0));
        traceback.into_path(instance)
    }

    /// The cells of the table filled last.
    pub(super) fn read(&self, instance: &Instance) -> Result<Vec<C>> {
        let mut cells = vec![C::ZERO; instance.cells() as usize];
        self.queue.read(&self.table, 0, &mut cells)?;
        Ok(cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::SpotChecks;
    use crate::lattice_dp::Launches;
    use crate::lattice_dp::testing::{brute_force, instances};
    use crate::opencl::testing::{runs_groups_one_by_one, test_devices};
    use crate::solve::SolveOptions;
    use crate::testing::{assert_error, check_cases, cpu_context};
    use proptest::prelude::*;
    use proptest::test_runner::TestCaseError;

    fn check<C: Cell>(
        device: &Device,
        instance: &Instance,
        head_cells: u64,
    ) -> Result<(), TestCaseError> {
        let (context, monitor) = (cpu_context(1), Monitor::new(&SolveOptions::default()));
        let groups = device.resident_groups();
        let mut desk = Desk::<C>::new(device).unwrap();
        let cells = vec![C::from_cost(123); instance.cells() as usize];
        desk.table = device.buffer_from(&desk.queue, &cells).unwrap();
        let path = desk.solve(&context, device, instance, (groups, head_cells), &monitor).unwrap();
        prop_assert_eq!(desk.read(instance).unwrap(), brute_force::<C>(instance));
        prop_assert_eq!(path, cpu::solve(&context, instance, &monitor).unwrap());
        Ok(())
    }

    #[test]
    fn more_groups_than_a_device_runs_at_once_give_up() {
        for device in test_devices() {
            if !runs_groups_one_by_one(&device) {
                continue;
            }
            let units = (0..3).map(|i| (std::array::from_fn::<u32, 3, _>(|j| (i == j).into()), 1));
            let instance = Instance::new(&[30, 30, 30], units).unwrap();
            let (context, monitor) = (cpu_context(1), Monitor::new(&SolveOptions::default()));
            let mut desk = Desk::<u8>::new(&device).unwrap();
            // The slabs have 900 cells: enough for several groups on each thread.
            desk.group = 1;
            let groups = 8 * device.info().compute_units as usize;
            let path = desk.solve(&context, &device, &instance, (groups, 1), &monitor);
            assert_error!(path, Error::DeviceFailed(_));
            assert!(device.has_waited_in_vain() && device.resident_groups() == 1);
            // By launches there is no need to wait.
            let checks = Checks::new(SpotChecks::new());
            let path = super::super::solve(
                &context,
                &device,
                &instance,
                Launches::Auto,
                &checks,
                &monitor,
            );
            assert_eq!(path.unwrap(), cpu::solve(&context, &instance, &monitor).unwrap());
        }
    }

    #[test]
    fn tables_and_paths_equal_the_cpus_bit_by_bit() {
        for device in test_devices() {
            let cases = if device.quirks().simulator { 20 } else { 200 };
            let inputs = (instances(), prop_oneof![Just(1), Just(20), Just(u64::MAX)]);
            check_cases(cases, &inputs, |(instance, head_cells)| {
                if instance.cell_width() == CellWidth::Bits8 {
                    check::<u8>(&device, &instance, head_cells)?;
                }
                check::<u16>(&device, &instance, head_cells)
            });
        }
    }
}
