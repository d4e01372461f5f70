//! The OpenCL engines: one launch for each level, whose cells all work-items share; one launch for
//! each block level, with a work-group for each block; or either order in a single launch.

use std::ops::Range;
use std::sync::Arc;

use super::layout::Layout;
use super::plan::{AXIS_WORDS, BIT_WORDS, Blocks, Inside, MOVE_WORDS, PartitionPlan};
use super::{Order, Way, self_test, table_bytes, work_per_cell};
use crate::context::{check_sample, wrong};
use crate::lattice_dp::cell::CellWidth;
use crate::lattice_dp::cpu::check_memory;
use crate::lattice_dp::device::{REPLAY_LOOKUPS, TRACEBACK_HEAD, Traceback};
use crate::lattice_dp::instance::{Packed, WORDS};
use crate::lattice_dp::{Children, Launches, Path};
use crate::opencl::{
    Arguments, BARRIER, BARRIER_GIVEN_UP, Buffer, Device, DeviceKind, Failing, GroupArrays, Kernel,
    KernelFamily, Local, Program, Queue, Trial, Tunable, Usual, kernel_arguments, source,
};
use crate::solve::{Monitor, SolveOptions};
use crate::{Context, Pacer, Result, Units};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "lattice_partition",
    sources: &[
        source!("device_barrier.cl"),
        source!("lattice_partition.cl"),
        source!("lattice_partition_persistent.cl"),
    ],
    #[cfg(test)]
    kernels: crate::opencl::declared![Level, Block, TracePath, AllLevels, AllBlocks],
    constants: &[
        BARRIER[0],
        BARRIER[1],
        ("BITS", (64 * WORDS) as u64),
        ("BIT_WORDS", BIT_WORDS as u64),
        ("MOVE_WORDS", MOVE_WORDS as u64),
        ("AXIS_WORDS", AXIS_WORDS as u64),
        ("TRACEBACK_HEAD", TRACEBACK_HEAD as u64),
    ],
    tuning: &[
        Tunable::power("LEVEL_GROUP: work-items of a group for levels", (16, 1024)),
        Tunable::power("BLOCK_GROUP: work-items of a group for a block", (16, 1024)),
        Tunable::power("CHILD_GROUP: work-items for the offsets of a cell", (2, 256)),
        Tunable::power(
            "PERSISTENT_GROUP: work-items of a group for all blocks of a persistent group",
            (16, 1024),
        ),
        Tunable::power("TRACEBACK_GROUP: work-items of a group for the traceback", (16, 1024)),
        Tunable::power("GROUP_CELLS: most cells of a group in a launch", (16, 1 << 20)),
        REPLAY_LOOKUPS,
    ],
    self_test: compare,
};

/// Tables filled as the program does it.
fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
    let is = |name| trial.define(name) == Some(1);
    let way = Way {
        order: if is(BLOCKS) { Order::Blocks } else { Order::Levels },
        launches: if is(PERSISTENT) { Launches::Persistent } else { Launches::Stepwise },
        children: if is(CHILDREN) { Children::Parallel } else { Children::Loop },
    };
    let monitor = Monitor::new(&SolveOptions::default());
    self_test::compare(way.order, |layout, group_cells| {
        let table = Table::new(trial.device(), layout, way)?;
        match way.launches {
            Launches::Persistent => table.fill_at_once(trial.device().resident_groups())?,
            _ => table.fill(group_cells, &monitor)?,
        }
        Ok((table.read()?, table.traceback(&monitor)?))
    })
}

kernel_arguments! {
    /// The table and the description of its box.
    struct TableBox<'a> {
        table: &'a Buffer<u16>,
        offsets: &'a Buffer<u64> as ulong4,
        plan: &'a Buffer<u32>,
        guards_low: u64,
        guards_high: u64,
        axes_at: u32,
        dimensions: u32,
    }

    /// Some cells of a level of the box, which is one block.
    struct Level<'a> = "lattice_partition_level" {
        table_box: TableBox<'a>,
        inside: Inside,
        level: u32,
        first: u32,
        count: u32,
        least: Option<Local> as uint,
    }

    /// Some levels, or some cells of a level, of some blocks of a block level.
    struct Block<'a> = "lattice_partition_block" {
        table_box: TableBox<'a>,
        blocks: Blocks,
        block_level: u32,
        block_first: u32,
        inside: Inside,
        level_first: u32,
        level_end: u32,
        first: u32,
        end: u32,
        least: Option<Local> as uint,
    }

    /// All levels of the box, which is one block.
    struct AllLevels<'a> = "lattice_partition_levels" {
        table_box: TableBox<'a>,
        arrived: &'a Buffer<u32>,
        inside: Inside,
        least: Option<Local> as uint,
    }

    /// All block levels.
    struct AllBlocks<'a> = "lattice_partition_blocks" {
        table_box: TableBox<'a>,
        arrived: &'a Buffer<u32>,
        blocks: Blocks,
        inside: Inside,
        least: Option<Local> as uint,
    }

    /// The traceback from a cell on.
    struct TracePath<'a> = "lattice_partition_traceback" {
        table_box: TableBox<'a>,
        place: u32,
        packed_low: u64,
        packed_high: u64,
        steps: u32,
        max_steps: u32,
        traceback: &'a Buffer<u64>,
        group_arrays: GroupArrays,
    }
}

/// Defines: whether the kernels fill by blocks, whether in a single launch, and whether several
/// work-items share the offsets of a cell.
pub(super) const BLOCKS: &str = "BLOCKS";
pub(super) const PERSISTENT: &str = "PERSISTENT";
pub(super) const CHILDREN: &str = "CHILDREN";
/// The most cells that a work-group fills in one launch, unless a level of its block has more, where
/// launches must be short.
const FEW_CELLS: u32 = 1 << 8;

/// The same elsewhere.
pub(super) fn group_cells(device: &Device) -> u32 {
    device.tuned(&FAMILY, "GROUP_CELLS") as u32
}

/// Fills the table on the device and traces the cheapest path to the last cell back. If the groups
/// of a persistent kernel wait for each other in vain, or if launches must be short, it proceeds by
/// many launches.
pub(super) fn solve(
    context: &Context,
    device: &Device,
    layout: &Layout<'_>,
    way: Way,
    monitor: &Monitor,
) -> Result<Option<Path>> {
    let solve_by = |way| solve_by(context, device, layout, way, monitor);
    let is_persistent = way.launches == Launches::Persistent;
    let stepwise = Way { launches: Launches::Stepwise, ..way };
    if is_persistent && device.needs_short_launches() {
        return solve_by(stepwise);
    }
    match solve_by(way) {
        Err(_) if is_persistent && device.has_waited_in_vain() => solve_by(stepwise),
        solved => solved,
    }
}

fn solve_by(
    context: &Context,
    device: &Device,
    layout: &Layout<'_>,
    way: Way,
    monitor: &Monitor,
) -> Result<Option<Path>> {
    if device.info().kind == DeviceKind::Cpu {
        // A CPU device uses the host's memory.
        check_memory(layout.instance.cells(), table_bytes(layout.instance).into(), monitor)?;
    }
    let table = Table::new(device, layout, way)?;
    monitor.check()?;
    if way.launches == Launches::Persistent {
        table.fill_at_once(device.resident_groups())?;
    } else {
        let is_short = device.quirks().short_loops;
        table.fill(if is_short { FEW_CELLS } else { group_cells(device) }, monitor)?;
    }
    let path = table.traceback(monitor)?;
    // The spot check reads the whole table.
    check_memory(layout.instance.cells(), table_bytes(layout.instance).into(), monitor)?;
    table.check(context, path.as_ref())?;
    Ok(path)
}

/// The table of one instance on a device, and the kernels' other input.
pub(super) struct Table<'a> {
    device: &'a Device,
    layout: &'a Layout<'a>,
    way: Way,
    program: Arc<Program>,
    queue: Queue,
    values: Buffer<u16>,
    offsets: Buffer<u64>,
    words: Buffer<u32>,
    plan: PartitionPlan,
}

/// The programs of both orders.
pub(in crate::lattice_dp) fn usual_programs() -> impl Iterator<Item = Usual> {
    let usual = |order| {
        let way = Way { order, launches: Launches::Stepwise, children: Children::Loop };
        Usual::new(FAMILY.name, move |device| program(device, way).map(drop))
    };
    [Order::Levels, Order::Blocks].into_iter().map(usual)
}

fn program(device: &Device, way: Way) -> Result<Arc<Program>> {
    // The self-test reads these.
    let defines = [
        (BLOCKS, u64::from(way.order == Order::Blocks)),
        (PERSISTENT, u64::from(way.launches == Launches::Persistent)),
        (CHILDREN, u64::from(way.children == Children::Parallel)),
    ];
    device.program(&FAMILY, &defines)
}

impl<'a> Table<'a> {
    pub(super) fn new(device: &'a Device, layout: &'a Layout<'a>, way: Way) -> Result<Self> {
        // First of all: a solve that stops while it waits for the kernels has nothing to release.
        let program = program(device, way)?;
        let queue = device.queue();
        // Fewer cells than 2^32.
        let values = device.buffer(layout.instance.cells() as usize)?;
        let plan = PartitionPlan::new(layout)?;
        let offsets = device.buffer_from(&queue, &plan.offsets)?;
        let words = device.buffer_from(&queue, &plan.words)?;
        Ok(Table { device, layout, way, program, queue, values, offsets, words, plan })
    }

    fn table_box(&self) -> TableBox<'_> {
        let [guards_low, guards_high] = *self.layout.instance.guards();
        TableBox {
            table: &self.values,
            offsets: &self.offsets,
            plan: &self.words,
            guards_low,
            guards_high,
            axes_at: self.plan.axes,
            dimensions: self.layout.axes.len() as u32,
        }
    }

    /// Computes all cells. A block of more than `group_cells` cells takes several launches, and so
    /// does a level that is too large, to respond to stops quickly.
    pub(super) fn fill(&self, group_cells: u32, monitor: &Monitor) -> Result<()> {
        self.queue.fill(&self.values, 0, 1, 0)?;
        let pacer = Pacer::new(&self.queue, monitor, "lattice");
        match self.way.order {
            Order::Levels => self.fill_by_levels(pacer),
            Order::Blocks => self.fill_by_blocks(pacer, group_cells),
        }
    }

    /// Computes all cells in one launch of at most `groups` work-groups and waits for it.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`](crate::Error::DeviceFailed) if the groups can't run at the same time;
    /// [`Device::has_waited_in_vain`] is then true.
    pub(super) fn fill_at_once(&self, groups: usize) -> Result<()> {
        self.queue.fill(&self.values, 0, 1, 0)?;
        // No group has arrived yet.
        let arrived = self.device.buffer::<u32>(1)?;
        self.queue.fill(&arrived, 0, 1, 0)?;
        let table_box = self.table_box();
        let (arrived, &PartitionPlan { blocks, inside, .. }) = (&arrived, &self.plan);
        // Lock only after the program is built, since its self-test calls this function.
        let _alone = self.device.resident_launch();
        match self.way.order {
            Order::Levels => self.launch_at_once(groups, |group| {
                let least = self.least(group);
                AllLevels { table_box, arrived, inside, least }
            }),
            Order::Blocks => self.launch_at_once(groups, |group| {
                let least = self.least(group);
                AllBlocks { table_box, arrived, blocks, inside, least }
            }),
        }?;
        let mut count = [0];
        self.queue.read(arrived, 0, &mut count)?;
        if count[0] >= BARRIER_GIVEN_UP { Err(self.device.waited_in_vain()) } else { Ok(()) }
    }

    /// Launches groups that wait for each other. `arguments` are those of groups of a size.
    fn launch_at_once<A: Arguments>(
        &self,
        groups: usize,
        arguments: impl Fn(usize) -> A,
    ) -> Result<()> {
        let kernel = self.program.kernel()?;
        let group = kernel.group("PERSISTENT_GROUP");
        self.queue.launch(&kernel, &arguments(group), [groups * group], [group])
    }

    /// Local memory for the least values of a group's cells, if work-items share cells.
    fn least(&self, group: usize) -> Option<Local> {
        match self.way.children {
            Children::Loop => None,
            Children::Parallel => Some(Local(group * size_of::<u32>())),
        }
    }

    fn fill_by_levels(&self, mut pacer: Pacer<'_>) -> Result<()> {
        let kernel: Kernel<Level<'static>> = self.program.kernel()?;
        let group = kernel.group("LEVEL_GROUP");
        // The cells of a work-group, as `team_of` has them.
        let teams = match self.way.children {
            Children::Loop => group,
            Children::Parallel => group / kernel.group("CHILD_GROUP").min(group),
        };
        let inside = &self.layout.inside;
        let cell_work = work_per_cell(self.layout.instance);
        for level in 1..inside.levels() {
            let width = inside.width(level) as usize;
            pacer.launch(0..width, Units::of(cell_work), &mut |cells| {
                let arguments = Level {
                    table_box: self.table_box(),
                    inside: self.plan.inside,
                    level,
                    first: cells.start as u32,
                    count: cells.len() as u32,
                    least: self.least(group),
                };
                let items = cells.len().div_ceil(teams) * group;
                self.queue.launch(&kernel, &arguments, [items], [group])?;
                Ok(Some(f64::from(level) / f64::from(inside.levels())))
            })?;
        }
        Ok(())
    }

    fn fill_by_blocks(&self, mut pacer: Pacer<'_>, group_cells: u32) -> Result<()> {
        let kernel: Kernel<Block<'static>> = self.program.kernel()?;
        let group = kernel.group("BLOCK_GROUP");
        let blocks = &self.layout.blocks;
        let pieces = self.pieces(group_cells);
        let cell_work = work_per_cell(self.layout.instance);
        for level in 0..blocks.levels() {
            let width = blocks.width(level) as usize;
            for piece in &pieces {
                let units = Units::of(u64::from(piece.work) * cell_work);
                pacer.launch(0..width, units, &mut |part| {
                    let arguments = Block {
                        table_box: self.table_box(),
                        blocks: self.plan.blocks,
                        block_level: level,
                        block_first: part.start as u32,
                        inside: self.plan.inside,
                        level_first: piece.levels.start,
                        level_end: piece.levels.end,
                        first: piece.cells.start,
                        end: piece.cells.end,
                        least: self.least(group),
                    };
                    self.queue.launch(&kernel, &arguments, [part.len() * group], [group])?;
                    Ok(Some(f64::from(level) / f64::from(blocks.levels())))
                })?;
            }
        }
        Ok(())
    }

    /// The work of a work-group in one launch: some levels of its block, or some cells of one
    /// level.
    fn pieces(&self, group_cells: u32) -> Vec<Piece> {
        let inside = &self.layout.inside;
        let mut pieces: Vec<Piece> = Vec::new();
        for level in 0..inside.levels() {
            let width = inside.width(level);
            match pieces.last_mut() {
                Some(last) if last.work.saturating_add(width) <= group_cells => {
                    last.levels.end += 1;
                    last.work += width;
                }
                _ if width <= group_cells => {
                    pieces.push(Piece {
                        levels: level..level + 1,
                        cells: 0..u32::MAX,
                        work: width,
                    });
                }
                _ => pieces.extend((0..width).step_by(group_cells as usize).map(|first| {
                    let cells = first..width.min(first.saturating_add(group_cells));
                    // The next level starts a new piece.
                    Piece { levels: level..level + 1, cells, work: group_cells }
                })),
            }
        }
        pieces
    }

    /// Waits until all cells are computed.
    pub(super) fn finish(&self) -> Result<()> {
        self.queue.finish()
    }

    /// The values of all cells.
    pub(super) fn read(&self) -> Result<Vec<u16>> {
        let mut values = vec![0; self.values.len()];
        self.queue.read(&self.values, 0, &mut values)?;
        Ok(values)
    }

    /// Computes some cells again and compares the last one with the path.
    fn check(&self, context: &Context, path: Option<&Path>) -> Result<()> {
        let (instance, layout) = (self.layout.instance, self.layout);
        let values = self.read()?;
        let expected = path.map_or(u16::MAX, |path| path.value);
        if values.last() != Some(&expected) {
            return Err(wrong("the value of a lattice path"));
        }
        check_sample(context, instance.cells() as usize, "the cells of a lattice", |index| {
            let cell = layout.cell_of(index as u64);
            index == 0
                || layout.value(&cell, |place| values[place as usize])
                    == values[cell.place as usize]
        })
    }

    /// Traces the path to the last cell back, by the same rule as the CPU.
    pub(super) fn traceback(&self, monitor: &Monitor) -> Result<Option<Path>> {
        let instance = self.layout.instance;
        let mut traceback = Traceback::new(instance, CellWidth::Bits16);
        let buffer = self.device.buffer(traceback.len())?;
        let kernel: Kernel<TracePath<'static>> = self.program.kernel()?;
        let group = kernel.group("TRACEBACK_GROUP");
        let largest_group =
            instance.dimensions().iter().map(|dimension| dimension.group.len()).max();
        let largest_group = largest_group.unwrap_or(1).max(1);
        let most = (self.program.tuned("REPLAY_LOOKUPS") / largest_group).max(1);
        let mut pacer = Pacer::new(&self.queue, monitor, "path");
        let mut end = false;
        while !end {
            monitor.check()?;
            let max_steps = pacer.share(Units::of(largest_group as u64), most);
            let [packed_low, packed_high] = traceback.packed();
            let arguments = TracePath {
                table_box: self.table_box(),
                place: traceback.index() as u32,
                packed_low,
                packed_high,
                steps: traceback.steps(),
                max_steps: max_steps as u32,
                traceback: &buffer,
                group_arrays: GroupArrays::WORDS,
            };
            self.queue.launch(&kernel, &arguments, [group], [group])?;
            pacer.launched((max_steps * largest_group) as u64, None)?;
            let place_of = |packed: &Packed| self.layout.place_of(packed);
            end = traceback.read(instance, &place_of, (&self.queue, &buffer, 0))?;
        }
        traceback.into_path(instance)
    }
}

struct Piece {
    levels: Range<u32>,
    /// The numbers of the cells in each level.
    cells: Range<u32>,
    /// Total cells of all levels.
    work: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::lattice_dp::Instance;
    use crate::lattice_dp::cpu;
    use crate::lattice_dp::partition::shape::{DivisorRule, Partition};
    use crate::lattice_dp::partition::testing::{cut_instances, values_by_place};
    use crate::opencl::testing::{real_test_devices, runs_groups_one_by_one, test_devices};
    use crate::solve::SolveOptions;
    use crate::testing::{assert_error, check_cases, cpu_context};
    use proptest::prelude::*;

    #[test]
    fn more_groups_than_a_device_runs_at_once_give_up() {
        for device in test_devices() {
            if !runs_groups_one_by_one(&device) {
                continue;
            }
            let units = (0..3).map(|i| (std::array::from_fn::<u32, 3, _>(|j| (i == j).into()), 1));
            let instance = Instance::new(&[8, 8, 8], units).unwrap();
            let whole = Partition::whole(&instance.sizes());
            let layout = Layout::new(&instance, &whole);
            let way = Way {
                order: Order::Levels,
                launches: Launches::Persistent,
                children: Children::Loop,
            };
            let table = Table::new(&device, &layout, way).unwrap();
            let filled = table.fill_at_once(8 * device.info().compute_units as usize);
            assert_error!(filled, Error::DeviceFailed(_));
            assert!(device.has_waited_in_vain() && device.resident_groups() == 1);
        }
    }

    /// A device with short loops makes it by many launches.
    #[test]
    fn a_device_fills_a_large_table_at_once() {
        let (context, monitor) = (cpu_context(1), Monitor::new(&SolveOptions::default()));
        let offsets = (0..60u32).map(|i| ([i % 4, i / 4 % 4, i / 16], 1 + (7 * i % 5) as u16));
        let offsets = offsets.filter(|(vector, _)| *vector != [0; 3]);
        let instance = Instance::new(&[40, 40, 40], offsets).unwrap();
        let expected = cpu::solve(&context, &instance, &monitor).unwrap();
        let whole = Partition::whole(&instance.sizes());
        let cut = Partition::new(&instance.sizes(), 3, DivisorRule::Tabulated).unwrap();
        for device in real_test_devices() {
            for (order, partition) in [(Order::Levels, &whole), (Order::Blocks, &cut)] {
                let layout = Layout::new(&instance, partition);
                for children in [Children::Loop, Children::Parallel] {
                    let way = Way { order, launches: Launches::Persistent, children };
                    assert_eq!(solve(&context, &device, &layout, way, &monitor).unwrap(), expected);
                }
            }
        }
    }

    #[test]
    fn tables_and_paths_equal_the_cpus_bit_by_bit() {
        let (context, monitor) = (cpu_context(1), Monitor::new(&SolveOptions::default()));
        for device in test_devices() {
            let cases = if device.quirks().simulator { 20 } else { 200 };
            let inputs = (cut_instances(), prop_oneof![1u32..30, Just(1 << 16)]);
            check_cases(cases, &inputs, |((instance, cut), group_cells)| {
                let whole = Partition::whole(&instance.sizes());
                let expected = cpu::solve(&context, &instance, &monitor).unwrap();
                for (order, partition) in [(Order::Levels, &whole), (Order::Blocks, &cut)] {
                    let layout = Layout::new(&instance, partition);
                    for (launches, children) in [
                        (Launches::Stepwise, Children::Loop),
                        (Launches::Persistent, Children::Loop),
                        (Launches::Stepwise, Children::Parallel),
                        (Launches::Persistent, Children::Parallel),
                    ] {
                        // Devices with short loops fill no table at once.
                        if launches == Launches::Persistent && device.quirks().short_loops {
                            continue;
                        }
                        let way = Way { order, launches, children };
                        let table = Table::new(&device, &layout, way).unwrap();
                        table.queue.fill(&table.values, 0, table.values.len(), 12345).unwrap();
                        match launches {
                            Launches::Persistent => {
                                table.fill_at_once(device.resident_groups()).unwrap()
                            }
                            _ => table.fill(group_cells, &monitor).unwrap(),
                        }
                        prop_assert_eq!(table.read().unwrap(), values_by_place(&layout));
                        prop_assert_eq!(&table.traceback(&monitor).unwrap(), &expected);
                    }
                }
                Ok(())
            });
        }
    }
}
