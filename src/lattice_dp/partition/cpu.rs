//! The CPU engines: threads share the blocks of a block level, or the cells of a level.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering::Relaxed};

use super::layout::{Cell, Layout};
use super::{Order, table_bytes, work_per_cell};
use crate::lattice_dp::Path;
use crate::lattice_dp::cpu::{check_memory, shared_table};
use crate::lattice_dp::instance::WORDS;
use crate::solve::Monitor;
use crate::{Context, Error, Result, parallel};

/// With less work in a level than this, at about a nanosecond for each unit, waking other threads
/// costs more than it saves.
const PARALLEL_WORK: u64 = 1 << 17;
/// Cells of a task in a level.
const TASK_CELLS: u32 = 1 << 10;
/// Cells of a block between two checks for stops.
const CELLS_PER_CHECK: u32 = 1 << 12;

/// Fills the table and traces the cheapest path to the last cell back.
pub(super) fn solve(
    context: &Context,
    layout: &Layout<'_>,
    order: Order,
    monitor: &Monitor,
) -> Result<Option<Path>> {
    let table = Table::new(layout, monitor)?;
    table.fill(context, order, monitor)?;
    layout.traceback(|place| table.value_at(place))
}

/// A table that threads write and read at the same time. Its cells are atomic, because the cells of
/// a block or level are scattered and no slice holds exactly these. The join at a level's end
/// orders its writes before the reads of the next level.
pub(super) struct Table<'a> {
    layout: &'a Layout<'a>,
    values: Vec<AtomicU16>,
}

impl<'a> Table<'a> {
    pub(super) fn new(layout: &'a Layout<'a>, monitor: &Monitor) -> Result<Self> {
        let cells = layout.instance.cells();
        check_memory(cells, table_bytes(layout.instance).into(), monitor)?;
        Ok(Table { layout, values: shared_table(cells, monitor)? })
    }

    pub(super) fn value_at(&self, place: u32) -> u16 {
        self.values[place as usize].load(Relaxed)
    }

    pub(super) fn fill(&self, context: &Context, order: Order, monitor: &Monitor) -> Result<()> {
        match order {
            Order::Levels => self.fill_by_levels(context, monitor),
            Order::Blocks => self.fill_by_blocks(context, monitor),
        }
    }

    /// Fills the whole box as one block, level by level. Cell 0, the first level, costs nothing.
    fn fill_by_levels(&self, context: &Context, monitor: &Monitor) -> Result<()> {
        let inside = &self.layout.inside;
        for level in 1..inside.levels() {
            let width = inside.width(level);
            let task = |task: u32| {
                let first = task * TASK_CELLS;
                self.fill_cells(level, first..width.min(first.saturating_add(TASK_CELLS)));
                monitor.should_stop()
            };
            let progress = (level, inside.levels());
            self.spread(context, width.div_ceil(TASK_CELLS), width, task, progress, monitor)?;
        }
        Ok(())
    }

    fn fill_by_blocks(&self, context: &Context, monitor: &Monitor) -> Result<()> {
        let blocks = &self.layout.blocks;
        for level in 0..blocks.levels() {
            let width = blocks.width(level);
            let task = |number| self.fill_block(&blocks.vector(level, number), monitor);
            // No overflow: the table has fewer than 2^32 cells.
            let cells = width * self.layout.block_cells;
            self.spread(context, width, cells, task, (level + 1, blocks.levels()), monitor)?;
        }
        Ok(())
    }

    /// Runs the tasks of a level, which has `cells` cells in total. A task returns whether it had
    /// to stop.
    fn spread(
        &self,
        context: &Context,
        tasks: u32,
        cells: u32,
        task: impl Fn(u32) -> bool + Sync,
        (level, levels): (u32, u32),
        monitor: &Monitor,
    ) -> Result<()> {
        let stopped = AtomicBool::new(false);
        let run = |number: u32| {
            if !stopped.load(Relaxed) && task(number) {
                stopped.store(true, Relaxed);
            }
        };
        let work = u64::from(cells) * work_per_cell(self.layout.instance);
        if context.threads() == 1 || tasks == 1 || work < PARALLEL_WORK {
            (0..tasks).for_each(|number| {
                run(number);
                monitor.report("lattice", None);
            });
        } else {
            let run_all = || parallel::for_each(0..tasks, run);
            context.install_reporting(monitor, "lattice", || None, run_all)?;
        }
        monitor.report("lattice", Some(f64::from(level) / f64::from(levels)));
        if stopped.into_inner() { Err(Error::stopped()) } else { Ok(()) }
    }

    /// Fills cells of a level of the only block.
    fn fill_cells(&self, level: u32, numbers: Range<u32>) {
        let inside = &self.layout.inside;
        let first = Cell { packed: [0; WORDS], inner: [0; WORDS], place: 0 };
        let mut coordinates = inside.vector(level, numbers.start);
        for _ in numbers {
            self.fill_cell(&self.layout.cell(&first, &coordinates));
            inside.advance(&mut coordinates);
        }
    }

    /// Fills a block in row-major order, in which every cell comes after those it needs. Returns
    /// whether it had to stop.
    fn fill_block(&self, block: &[u32], monitor: &Monitor) -> bool {
        let mut cell = self.layout.block(block);
        for number in 0..self.layout.block_cells {
            if number > 0 {
                self.layout.advance(&mut cell);
            }
            if cell.place > 0 {
                self.fill_cell(&cell);
            }
            if number % CELLS_PER_CHECK == 0 && monitor.should_stop() {
                return true;
            }
        }
        false
    }

    fn fill_cell(&self, cell: &Cell) {
        let value = self.layout.value(cell, |place| self.value_at(place));
        self.values[cell.place as usize].store(value, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice_dp::partition::shape::Partition;
    use crate::lattice_dp::partition::testing::{cut_instances, values_by_place};
    use crate::lattice_dp::{Instance, cpu};
    use crate::solve::{SolveOptions, StopHandle};
    use crate::testing::{assert_error, cpu_context};

    use proptest::prelude::*;

    fn values(context: &Context, layout: &Layout<'_>, order: Order, monitor: &Monitor) -> Vec<u16> {
        let table = Table::new(layout, monitor).unwrap();
        table.values.iter().for_each(|value| value.store(12345, Relaxed));
        table.values[0].store(0, Relaxed);
        table.fill(context, order, monitor).unwrap();
        table.values.into_iter().map(AtomicU16::into_inner).collect()
    }

    proptest! {
        #[test]
        fn values_and_paths_equal_those_of_slabs((instance, partition) in cut_instances()) {
            let (context, monitor) = (cpu_context(1), Monitor::new(&SolveOptions::default()));
            let whole = Partition::whole(&instance.sizes());
            let expected = cpu::solve(&context, &instance, &monitor).unwrap();
            for (order, partition) in [(Order::Levels, &whole), (Order::Blocks, &partition)] {
                let layout = Layout::new(&instance, partition);
                let values = values(&context, &layout, order, &monitor);
                prop_assert_eq!(values, values_by_place(&layout));
                prop_assert_eq!(&solve(&context, &layout, order, &monitor).unwrap(), &expected);
            }
        }
    }

    fn large() -> Instance {
        let pairs = (0..6).flat_map(|i| (0..6).map(move |j| [i, j]));
        let vectors = pairs.map(|pair| {
            std::array::from_fn::<u32, 6, _>(|d| {
                pair.iter().filter(|&&one| one == d).count() as u32
            })
        });
        Instance::new(&[6, 8, 9, 4, 6, 9], vectors.map(|vector| (vector, 1))).unwrap()
    }

    #[test]
    fn threads_change_nothing() {
        let (instance, monitor) = (large(), Monitor::new(&SolveOptions::default()));
        for (order, dimensions) in [(Order::Levels, 0), (Order::Blocks, 3), (Order::Blocks, 6)] {
            let partition =
                Partition::new(&instance.sizes(), dimensions, Default::default()).unwrap();
            let layout = Layout::new(&instance, &partition);
            let one = values(&cpu_context(1), &layout, order, &monitor);
            let three = values(&cpu_context(3), &layout, order, &monitor);
            assert!(one == three);
            assert_eq!(one.last(), Some(&18), "36 units in steps of two");
        }
    }

    #[test]
    fn a_stop_ends_both_orders() {
        let instance = large();
        let stop = StopHandle::new();
        stop.stop();
        for (order, dimensions) in [(Order::Levels, 0), (Order::Blocks, 3)] {
            let monitor =
                Monitor::new(&SolveOptions { stop: Some(stop.clone()), ..SolveOptions::default() });
            let partition =
                Partition::new(&instance.sizes(), dimensions, Default::default()).unwrap();
            let layout = Layout::new(&instance, &partition);
            for threads in [1, 2] {
                let stopped = solve(&cpu_context(threads), &layout, order, &monitor);
                assert_error!(stopped, Error::Stopped, "{order:?}");
            }
        }
    }
}
