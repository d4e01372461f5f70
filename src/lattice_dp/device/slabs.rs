//! Slab after slab: the CPU fills the small slabs at the table's head, the device the large ones,
//! each in one launch or several.

use std::ops::Range;
use std::sync::Arc;

use super::check::{Checks, check};
use super::parts::Parts;
use super::self_test;
use super::slab_plan::SlabPlan;
use super::traceback::{TRACEBACK_HEAD, Traceback};
use crate::lattice_dp::cell::{Cell, CellWidth};
use crate::lattice_dp::instance::{Dimension, Instance, Packed, WORDS};
use crate::lattice_dp::{Path, cpu};
use crate::opencl::{
    Buffer, Device, Failing, GroupArrays, Kernel, KernelFamily, Program, Queue, Source, Trial,
    Tunable, kernel_arguments, source,
};
use crate::solve::Monitor;
use crate::{Context, Pacer, Result, Units};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "lattice_slabs",
    sources: &[
        Source::Text("#define PLAN_SPACE global"),
        source!("lattice_dp.cl"),
        source!("lattice_slabs.cl"),
    ],
    #[cfg(test)]
    kernels: crate::opencl::declared![Slab, TracePath],
    constants: &[("TRACEBACK_HEAD", TRACEBACK_HEAD as u64)],
    tuning: &[
        Tunable::power("SLAB_GROUP: work-items of a group for slabs", (16, 1024)),
        Tunable::power("TRACEBACK_GROUP: work-items of a group for the traceback", (16, 1024)),
        REPLAY_LOOKUPS,
        HEAD_CELLS,
    ],
    self_test: compare,
};

/// A table in spans of one dimension and of the next.
fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
    let compare_as = match self_test::width(trial) {
        CellWidth::Bits8 => compare_as::<u8>,
        CellWidth::Bits16 => compare_as::<u16>,
    };
    [SPAN, 200].into_iter().try_for_each(|span| compare_as(trial, span))
}

fn compare_as<C: Cell>(trial: &Trial<'_>, span: u64) -> Result<(), Failing> {
    let [count, shift] = ["PARTS", "PART_SHIFT"].map(|name| trial.define(name).unwrap_or(0));
    // Tests may make the buffers so small that together they hold less.
    let room = if count == 1 { u64::MAX } else { count << shift };
    self_test::compare_table::<C>(FAMILY.name, room, |context, instance, monitor| {
        let built = (count, shift as u32);
        let parts = Parts::for_kernels(trial.device(), instance.cells(), C::WIDTH, built)?;
        let table = Table::new(trial.device(), instance, parts, self_test::HEAD_CELLS, span)?;
        table.fill(context, monitor)?;
        let mut traceback = Traceback::new(instance, C::WIDTH);
        table.follow(&mut traceback, 0, instance.cells() / 2, monitor)?;
        table.follow(&mut traceback, 0, 0, monitor)?;
        Ok((table.read()?, traceback.into_path(instance)?))
    })
}

kernel_arguments! {
    /// Some cells of a slab.
    struct Slab<'a> = "lattice_slab" {
        table: &'a Parts,
        plan: &'a Buffer<u64> as ulong4,
        offset_first: u32,
        offset_end: u32,
        component_first: u32,
        component_end: u32,
        guards_low: u64,
        guards_high: u64,
        base: u64,
        base_low: u64,
        base_high: u64,
        first: u32,
        count: u32,
    }

    /// The traceback from a cell on.
    struct TracePath<'a> = "lattice_traceback" {
        table: &'a Parts,
        plan: &'a Buffer<u64> as ulong4,
        dimension_first: u32,
        guards_low: u64,
        guards_high: u64,
        index: u64,
        least: u64,
        packed_low: u64,
        packed_high: u64,
        steps: u32,
        max_steps: u32,
        traceback: &'a Buffer<u64>,
        group_arrays: GroupArrays,
    }
}

/// Most cells of a launch, which the kernels count with 32 bits.
pub(super) const SPAN: u64 = 1 << 31;

pub(super) fn solve<C: Cell>(
    context: &Context,
    device: &Device,
    instance: &Instance,
    checks: &Checks,
    monitor: &Monitor,
) -> Result<Option<Path>> {
    let parts = Parts::new(device, instance.cells(), C::WIDTH)?;
    let table = Table::new(device, instance, parts, most_head_cells(device), SPAN)?;
    table.fill(context, monitor)?;
    let path = table.traceback(monitor)?;
    let read = |first: u64, cells: &mut [C]| {
        table.parts.read_from(&table.queue, first, bytemuck::cast_slice_mut(cells))
    };
    let head = head_cells(instance, table.head_cells);
    check::<C>(context, instance, head, &read, path.as_ref(), checks)?;
    Ok(path)
}

/// Number of cells that the CPU fills.
pub(super) fn head_cells(instance: &Instance, most: u64) -> u64 {
    let first = instance.dimensions().get(large_dimensions(instance, most));
    first.map_or(1, |dimension| dimension.stride * (u64::from(dimension.max) + 1))
}

// Launches for so few cells would take longer.
pub(super) const HEAD_CELLS: Tunable =
    Tunable::power("HEAD_CELLS: most cells that the CPU fills", (1, 1 << 20));

pub(super) fn most_head_cells(device: &Device) -> u64 {
    device.tuned(&FAMILY, "HEAD_CELLS") as u64
}

/// Number of leading dimensions whose slabs the device fills: their slabs extend beyond the first
/// `head_cells` cells.
pub(super) fn large_dimensions(instance: &Instance, head_cells: u64) -> usize {
    let large =
        |dimension: &&Dimension| dimension.stride * (u64::from(dimension.max) + 1) > head_cells;
    instance.dimensions().iter().take_while(large).count()
}

/// The table of one instance on a device, and the kernels' other input.
pub(super) struct Table<'a> {
    device: &'a Device,
    instance: &'a Instance,
    program: Arc<Program>,
    queue: Queue,
    parts: Parts,
    plan: SlabPlan,
    rows: Buffer<u64>,
    pub(super) head_cells: u64,
    span: u64,
}

impl<'a> Table<'a> {
    pub(super) fn new(
        device: &'a Device,
        instance: &'a Instance,
        parts: Parts,
        head_cells: u64,
        span: u64,
    ) -> Result<Self> {
        let program = device.program(&FAMILY, &parts.defines())?;
        let queue = device.queue();
        let plan = SlabPlan::new(instance, parts.width());
        let rows = device.buffer(plan.rows.len())?;
        queue.send(&rows, 0, plan.rows.clone())?;
        Ok(Table { device, instance, program, queue, parts, plan, rows, head_cells, span })
    }

    /// Computes all cells, large slabs in several launches to respond to stops quickly.
    pub(super) fn fill(&self, context: &Context, monitor: &Monitor) -> Result<()> {
        self.fill_from(0, context, monitor)
    }

    /// Computes the cells whose components before dimension `from` are 0.
    pub(super) fn fill_from(
        &self,
        from: usize,
        context: &Context,
        monitor: &Monitor,
    ) -> Result<()> {
        let mut launcher = self.begin_fill(from, context, monitor)?;
        for i in (from..self.large(from)).rev() {
            for component in 1..=self.instance.dimensions()[i].max {
                launcher.fill_slab(i, component)?;
            }
        }
        Ok(())
    }

    /// The end of the dimensions from `from` on whose slabs the device fills.
    pub(super) fn large(&self, from: usize) -> usize {
        large_dimensions(self.instance, self.head_cells).max(from)
    }

    /// Fills the head of the table; the launcher fills the slabs of the dimensions before
    /// [`Table::large`], the last one first.
    pub(super) fn begin_fill<'l>(
        &'l self,
        from: usize,
        context: &Context,
        monitor: &'l Monitor,
    ) -> Result<Launcher<'l>> {
        let large = self.large(from);
        let (instance, parts, queue) = (self.instance, &self.parts, &self.queue);
        match parts.width() {
            CellWidth::Bits8 => {
                parts.send(queue, &cpu::fill::<u8>(context, instance, large, monitor)?)?
            }
            CellWidth::Bits16 => {
                let head = cpu::fill::<u16>(context, instance, large, monitor)?;
                parts.send(queue, bytemuck::cast_slice(&head))?;
            }
        }
        self.launcher(0, true, monitor)
    }

    /// Computes planes, the slabs of the first dimension, in a table that begins with cell
    /// `origin`, for the first time or once more.
    pub(super) fn fill_planes(
        &self,
        planes: Range<u64>,
        origin: u64,
        is_first: bool,
        monitor: &Monitor,
    ) -> Result<()> {
        let mut launcher = self.launcher(origin, is_first, monitor)?;
        planes.into_iter().try_for_each(|plane| launcher.fill_slab(0, plane as u32))
    }

    fn launcher<'l>(
        &'l self,
        origin: u64,
        is_first: bool,
        monitor: &'l Monitor,
    ) -> Result<Launcher<'l>> {
        let kernel: Kernel<Slab<'static>> = self.program.kernel()?;
        Ok(Launcher {
            table: self,
            origin,
            is_first,
            group: kernel.group("SLAB_GROUP"),
            kernel,
            pacer: Pacer::new(&self.queue, monitor, "lattice"),
        })
    }

    pub(super) fn queue_and_parts(&self) -> (&Queue, &Parts) {
        (&self.queue, &self.parts)
    }

    /// Waits until all cells are computed.
    pub(super) fn finish(&self) -> Result<()> {
        self.queue.finish()
    }

    /// The bytes of all cells.
    pub(super) fn read(&self) -> Result<Vec<u8>> {
        self.parts.read(&self.queue)
    }

    /// Traces the path to the last cell back, by the same rule as the CPU.
    pub(super) fn traceback(&self, monitor: &Monitor) -> Result<Option<Path>> {
        let mut traceback = Traceback::new(self.instance, self.parts.width());
        self.follow(&mut traceback, 0, 0, monitor)?;
        traceback.into_path(self.instance)
    }

    /// Traces the path further back to cell 0, or to the first cell below number `least`, in a table
    /// that begins with cell `origin`.
    pub(super) fn follow(
        &self,
        traceback: &mut Traceback,
        origin: u64,
        least: u64,
        monitor: &Monitor,
    ) -> Result<()> {
        let buffer = self.device.buffer(traceback.len())?;
        let kernel: Kernel<TracePath<'static>> = self.program.kernel()?;
        let group = kernel.group("TRACEBACK_GROUP");
        let [guards_low, guards_high] = *self.instance.guards();
        let largest_group =
            self.instance.dimensions().iter().map(|dimension| dimension.group.len()).max();
        let largest_group = largest_group.unwrap_or(1).max(1);
        let most = (self.program.tuned("REPLAY_LOOKUPS") / largest_group).max(1);
        let mut pacer = Pacer::new(&self.queue, monitor, "path");
        // A device that is wrong may lead to a cell before the table.
        let place_of = |packed: &Packed| self.instance.index_of(packed).wrapping_sub(origin);
        let mut end = traceback.is_unreachable();
        while !end && self.instance.index_of(&traceback.packed()) >= least {
            monitor.check()?;
            let max_steps = pacer.share(Units::of(largest_group as u64), most);
            let [packed_low, packed_high] = traceback.packed();
            let arguments = TracePath {
                table: &self.parts,
                plan: &self.rows,
                dimension_first: self.plan.dimensions,
                guards_low,
                guards_high,
                index: place_of(&traceback.packed()),
                least: least.saturating_sub(origin),
                packed_low,
                packed_high,
                steps: traceback.steps(),
                max_steps: max_steps as u32,
                traceback: &buffer,
                group_arrays: GroupArrays::WORDS,
            };
            self.queue.launch(&kernel, &arguments, [group], [group])?;
            pacer.launched((max_steps * largest_group) as u64, None)?;
            end = traceback.read(self.instance, &place_of, (&self.queue, &buffer, 0))?;
        }
        Ok(())
    }
}

pub(in crate::lattice_dp) const REPLAY_LOOKUPS: Tunable =
    Tunable::power("REPLAY_LOOKUPS: most look-ups of a launch", (1 << 10, 1 << 24));

/// Fills slabs by launches.
pub(super) struct Launcher<'a> {
    table: &'a Table<'a>,
    /// The number of the table's first cell.
    origin: u64,
    /// Whether the cells are filled for the first time, so that they count as progress.
    is_first: bool,
    kernel: Kernel<Slab<'static>>,
    group: usize,
    pacer: Pacer<'a>,
}

impl Launcher<'_> {
    pub(super) fn fill_slab(&mut self, dimension: usize, component: u32) -> Result<()> {
        let cells = self.table.instance.dimensions()[dimension].stride;
        self.fill_part(dimension, component, 0..cells)
    }

    /// Fills some cells of a slab, in spans that 32 bits can count. Within a span the dimensions up
    /// to `fixed` have constant components.
    pub(super) fn fill_part(
        &mut self,
        dimension: usize,
        component: u32,
        cells: Range<u64>,
    ) -> Result<()> {
        let dimensions = self.table.instance.dimensions();
        let own = &dimensions[dimension];
        let within = |inner: &Dimension| inner.stride <= self.table.span;
        let fixed = dimension + dimensions[dimension..].iter().position(within).unwrap_or(0);
        let span = dimensions[fixed].stride;
        for number in cells.start / span..cells.end.div_ceil(span) {
            let mut left = number * span;
            let mut packed = own.packed(component);
            for outer in &dimensions[dimension + 1..=fixed] {
                let part = outer.packed((left / outer.stride) as u32);
                (0..WORDS).for_each(|word| packed[word] |= part[word]);
                left %= outer.stride;
            }
            let base = u64::from(component) * own.stride + number * span - self.origin;
            let place = |cell: u64| cell.saturating_sub(number * span).min(span) as usize;
            let some = place(cells.start)..place(cells.end);
            self.fill_span(dimension, fixed, base, packed, some)?;
        }
        Ok(())
    }

    /// Fills some cells of the span that begins with cell `base`, in launches of the pacer's sizes.
    fn fill_span(
        &mut self,
        dimension: usize,
        fixed: usize,
        base: u64,
        packed: Packed,
        some: Range<usize>,
    ) -> Result<()> {
        let Table { instance, plan, rows, parts, queue, .. } = self.table;
        let group = &instance.dimensions()[dimension].group;
        let components = plan.partners(instance, dimension, fixed);
        // Computing a component takes about as long as a look-up.
        let cell_work = (group.len() + components.len() + 1) as u64;
        let [guards_low, guards_high] = *instance.guards();
        let ([base_low, base_high], origin, is_first) = (packed, self.origin, self.is_first);
        self.pacer.launch(some, Units::of(cell_work), &mut |cells| {
            let slab = Slab {
                table: parts,
                plan: rows,
                offset_first: group.start as u32,
                offset_end: group.end as u32,
                component_first: components.start,
                component_end: components.end,
                guards_low,
                guards_high,
                base,
                base_low,
                base_high,
                first: cells.start as u32,
                count: cells.len() as u32,
            };
            let items = cells.len().next_multiple_of(self.group);
            queue.launch(&self.kernel, &slab, [items], [self.group])?;
            let share = (origin + base + cells.end as u64) as f64 / instance.cells() as f64;
            Ok(is_first.then_some(share))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice_dp::testing::{brute_force, instances};
    use crate::opencl::testing::test_devices;
    use crate::solve::SolveOptions;
    use crate::testing::{check_cases, cpu_context};
    use proptest::prelude::*;
    use proptest::test_runner::TestCaseError;

    /// How a table is split: cells of the head, cells of a span, cells of a buffer as a power of
    /// two.
    type Cuts = (u64, u64, u32);

    fn check<C: Cell>(
        device: &Device,
        instance: &Instance,
        cuts: Cuts,
    ) -> Result<(), TestCaseError> {
        let (context, monitor) = (cpu_context(1), Monitor::new(&SolveOptions::default()));
        let parts = Parts::with_shift(device, instance.cells(), C::WIDTH, cuts.2).unwrap();
        let table = Table::new(device, instance, parts, cuts.0, cuts.1).unwrap();
        table.parts.poison(&table.queue);
        table.fill(&context, &monitor).unwrap();
        let expected = brute_force::<C>(instance);
        prop_assert_eq!(&table.read().unwrap(), bytemuck::cast_slice::<_, u8>(&expected));
        let path = table.traceback(&monitor).unwrap();
        prop_assert_eq!(path, cpu::solve(&context, instance, &monitor).unwrap());
        Ok(())
    }

    #[test]
    fn tables_and_paths_equal_the_cpus_bit_by_bit() {
        for device in test_devices() {
            let cases = if device.quirks().simulator { 40 } else { 200 };
            let head = prop_oneof![Just(1), Just(20), Just(u64::MAX)];
            let span = prop_oneof![Just(SPAN), 1u64..100];
            // At most 4,000 cells: eight parts of 512, or one part.
            let shift = prop_oneof![Just(30), 9u32..12];
            let inputs = (instances(), (head, span, shift));
            check_cases(cases, &inputs, |(instance, cuts)| {
                if instance.cell_width() == CellWidth::Bits8 {
                    check::<u8>(&device, &instance, cuts)?;
                }
                check::<u16>(&device, &instance, cuts)
            });
        }
    }
}
