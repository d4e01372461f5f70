//! The CPU engine: fills slab after slab in rows. Threads share large slabs.

mod windows;

use std::sync::atomic::{AtomicBool, Ordering};

use super::cell::{Cell, CellWidth};
use super::instance::{Dimension, Instance, Offset, Packed, WORDS, fits};
use super::rows::{Rows, advance};
use super::windows::Windows;
use super::{Path, fit_together, solve_each};
use crate::solve::Monitor;
use crate::table::Table;
use crate::{Context, Error, Result, parallel};

/// Look-ups of one task, well below a millisecond. Each task ends with a check for stops.
const TASK_LOOKUPS: usize = 1 << 20;
/// Cells of a shared table that are allocated between two checks for stops, about a millisecond.
const CELLS_PER_CHECK: usize = 1 << 20;
/// With fewer look-ups than this, waking other threads costs more than it saves.
pub(super) const PARALLEL_LOOKUPS: usize = 1 << 21;

/// Fills the table and traces the cheapest path to the last cell back.
pub(super) fn solve(
    context: &Context,
    instance: &Instance,
    monitor: &Monitor,
) -> Result<Option<Path>> {
    match instance.cell_width() {
        CellWidth::Bits8 => solve_in::<u8>(context, instance, monitor),
        CellWidth::Bits16 => solve_in::<u16>(context, instance, monitor),
    }
}

/// Solves several instances, in parallel where the memory limit allows it.
pub(super) fn solve_all(
    context: &Context,
    instances: &[&Instance],
    monitor: &Monitor,
) -> Result<Vec<Option<Path>>> {
    let side_by_side = context.threads() > 1 && fit_together(instances, u64::MAX, monitor);
    solve_each(context, instances, side_by_side, monitor, |instance| {
        solve(context, instance, monitor)
    })
}

fn solve_in<C: Cell>(
    context: &Context,
    instance: &Instance,
    monitor: &Monitor,
) -> Result<Option<Path>> {
    if let Some(windows) = Windows::within_memory(instance, monitor) {
        return windows::solve::<C>(context, instance, &windows, monitor);
    }
    let table = fill::<C>(context, instance, 0, monitor)?;
    Traceback::new(instance).follow(&table, 0, 0)?.into_path()
}

/// The values of the cells whose components before dimension `from` are 0, in layout order.
pub(super) fn fill<C: Cell>(
    context: &Context,
    instance: &Instance,
    from: usize,
    monitor: &Monitor,
) -> Result<Table<C>> {
    let cells = cells_from(instance, from);
    let mut table = allocate(cells, monitor)?;
    Filler::<C>::new(context, instance, Some(cells), monitor).fill_from(&mut table, from)?;
    Ok(table)
}

/// Number of cells whose components before dimension `from` are 0.
fn cells_from(instance: &Instance, from: usize) -> u64 {
    let first = instance.dimensions().get(from);
    first.map_or(1, |dimension| dimension.stride * (u64::from(dimension.max) + 1))
}

/// Fills slabs of a table.
struct Filler<'a, C> {
    context: &'a Context,
    instance: &'a Instance,
    rows: Rows<'a, C>,
    /// Number of cells in all, for the progress; None while cells are filled again.
    cells: Option<u64>,
    monitor: &'a Monitor,
}

impl<'a, C: Cell> Filler<'a, C> {
    fn new(
        context: &'a Context,
        instance: &'a Instance,
        cells: Option<u64>,
        monitor: &'a Monitor,
    ) -> Self {
        Filler { context, instance, rows: Rows::new(instance), cells, monitor }
    }

    /// Fills the cells whose components before dimension `from` are 0.
    fn fill_from(&self, table: &mut [C], from: usize) -> Result<()> {
        for (i, dimension) in self.instance.dimensions().iter().enumerate().skip(from).rev() {
            for component in 1..=dimension.max {
                self.fill_slab(table, 0, i, component)?;
            }
        }
        Ok(())
    }

    /// Fills the slab of a dimension's component in a table that begins with cell `origin`.
    fn fill_slab(
        &self,
        table: &mut [C],
        origin: u64,
        dimension: usize,
        component: u32,
    ) -> Result<()> {
        let Dimension { stride, group, .. } = &self.instance.dimensions()[dimension];
        let first = u64::from(component) * stride;
        let (done, rest) = table.split_at_mut((first - origin) as usize);
        let slab = &mut rest[..*stride as usize];
        if dimension < self.rows.outer {
            let at = (dimension, component);
            fill_rows(self.context, &self.rows, done, slab, at, group.len(), self.monitor)?;
            let share = |cells| (first + stride) as f64 / cells as f64;
            self.monitor.report("lattice", self.cells.map(share));
            return Ok(());
        }
        fill_cells(self.instance, done, slab, dimension, component);
        self.monitor.check()
    }
}

/// A table of zeros, if it fits into the memory limit. Cell 0 costs nothing; all other cells are
/// written before they are read.
fn allocate<C: Cell>(cells: u64, monitor: &Monitor) -> Result<Table<C>> {
    let required = u128::from(cells) * size_of::<C>() as u128;
    check_memory(cells, required, monitor)?;
    let refused = || monitor.out_of_memory(required, lattice(cells));
    usize::try_from(cells).ok().and_then(Table::zeroed).ok_or_else(refused)
}

/// A table of zeros whose cells several threads write. It is allocated in parts, since a stop
/// request cannot wait for gigabytes to be cleared.
pub(super) fn shared_table<A: Default>(cells: u64, monitor: &Monitor) -> Result<Vec<A>> {
    let required = u128::from(cells) * size_of::<A>() as u128;
    let refused = || monitor.out_of_memory(required, lattice(cells));
    let cells = usize::try_from(cells).map_err(|_| refused())?;
    let mut table = Vec::new();
    table.try_reserve_exact(cells).map_err(|_| refused())?;
    while table.len() < cells {
        monitor.check()?;
        table.resize_with(cells.min(table.len() + CELLS_PER_CHECK), A::default);
    }
    Ok(table)
}

/// Refuses a table in host memory that exceeds the memory limit.
pub(super) fn check_memory(cells: u64, required: u128, monitor: &Monitor) -> Result<()> {
    monitor.check_memory(required, || lattice(cells))
}

/// The name of a table in error messages.
pub(super) fn lattice(cells: u64) -> String {
    format!("a lattice of {cells} cells")
}

/// Fills a slab of whole rows, on all threads if it is large. `at` is its dimension and component.
fn fill_rows<C: Cell>(
    context: &Context,
    rows: &Rows<'_, C>,
    done: &[C],
    slab: &mut [C],
    at: (usize, u32),
    offsets: usize,
    monitor: &Monitor,
) -> Result<()> {
    let cells_of = |lookups: usize| (lookups / (offsets + 1) / rows.cells).max(1) * rows.cells;
    let task = cells_of(TASK_LOOKUPS);
    let fill_task = |first: usize, chunk: &mut [C]| {
        rows.fill(done, chunk, first / rows.cells, at.0, at.1);
        monitor.should_stop()
    };
    if context.threads() == 1 || slab.len() <= cells_of(PARALLEL_LOOKUPS) {
        for (index, chunk) in slab.chunks_mut(task).enumerate() {
            if fill_task(index * task, chunk) {
                return Err(Error::stopped());
            }
            monitor.report("lattice", None);
        }
        return Ok(());
    }
    // A small slab makes up to four tasks for each thread. In a large slab the task size is the
    // limit.
    let task = task.min(slab.len().div_ceil(4 * context.threads())).next_multiple_of(rows.cells);
    let stopped = AtomicBool::new(false);
    let fill_all = || {
        parallel::for_each(slab.chunks_mut(task).enumerate(), |(index, chunk)| {
            if !stopped.load(Ordering::Relaxed) && fill_task(index * task, chunk) {
                stopped.store(true, Ordering::Relaxed);
            }
        });
    };
    context.install_reporting(monitor, "lattice", || None, fill_all)?;
    monitor.check()
}

/// Fills a slab inside the first row, cell by cell.
fn fill_cells<C: Cell>(
    instance: &Instance,
    done: &[C],
    slab: &mut [C],
    dimension: usize,
    component: u32,
) {
    let dimensions = instance.dimensions();
    let offsets = &instance.offsets()[dimensions[dimension].group.clone()];
    let mut cell = dimensions[dimension].packed(component);
    for (index, value) in (done.len() as u64..).zip(slab) {
        *value = offsets
            .iter()
            .filter(|offset| fits(&offset.packed, &cell, instance.guards()))
            .map(|offset| done[(index - offset.distance) as usize].plus(C::from_cost(offset.cost)))
            .min()
            .unwrap_or(C::UNREACHABLE);
        advance(instance, &mut cell, dimension + 1..dimensions.len());
    }
}

/// The path from the last cell back, as far as it is known.
struct Traceback<'a> {
    instance: &'a Instance,
    cell: Packed,
    /// The value of the last cell, once it was read.
    value: Option<u16>,
    is_unreachable: bool,
    steps: Vec<u32>,
}

impl<'a> Traceback<'a> {
    fn new(instance: &'a Instance) -> Self {
        let cell = *instance.corner();
        Traceback { instance, cell, value: None, is_unreachable: false, steps: Vec::new() }
    }

    /// Steps to cell 0, or to the first cell below number `least`, in a table that begins with cell
    /// `origin`. Each step is the first offset that explains the cell's value.
    fn follow<C: Cell>(mut self, table: &[C], origin: u64, least: u64) -> Result<Self> {
        let instance = self.instance;
        let mut index = instance.index_of(&self.cell);
        let at = |index: u64| table[(index - origin) as usize];
        if self.value.is_none() {
            self.value = Some(at(index).value());
            self.is_unreachable = at(index) == C::UNREACHABLE;
        }
        if self.is_unreachable {
            return Ok(self);
        }
        for dimension in instance.dimensions() {
            let group = &instance.offsets()[dimension.group.clone()];
            while index >= least && dimension.component(&self.cell) > 0 {
                let explains = |offset: &&Offset| {
                    fits(&offset.packed, &self.cell, instance.guards())
                        && at(index - offset.distance).plus(C::from_cost(offset.cost)) == at(index)
                };
                let unexplained = || Error::internal("a lattice value has no explanation");
                let step = group.iter().find(explains).ok_or_else(unexplained)?;
                index -= step.distance;
                (0..WORDS).for_each(|word| self.cell[word] -= step.packed[word]);
                self.steps.push(step.position);
            }
        }
        Ok(self)
    }

    fn into_path(self) -> Result<Option<Path>> {
        let value = self.value.ok_or_else(|| Error::internal("no traceback of a lattice"))?;
        Ok((!self.is_unreachable).then_some(Path { value, steps: self.steps }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StopHandle;
    use crate::lattice_dp::testing::{brute_force, instances};
    use crate::solve::SolveOptions;
    use crate::testing::{assert_error, cpu_context, limited};
    use proptest::prelude::*;
    use proptest::test_runner::TestCaseError;

    fn check<C: Cell>(instance: &Instance) -> Result<(), TestCaseError> {
        let monitor = Monitor::new(&SolveOptions::default());
        let expected = brute_force::<C>(instance);
        let table = fill::<C>(&cpu_context(1), instance, 0, &monitor).unwrap();
        prop_assert_eq!(&table[..], &expected);
        let path = Traceback::new(instance).follow(&table, 0, 0).unwrap().into_path().unwrap();
        let cost = path.as_ref().map(|path| instance.path_cost(&path.steps).unwrap());
        let last = *expected.last().unwrap();
        let reached = (last != C::UNREACHABLE).then_some(last.value());
        prop_assert_eq!(cost, reached.map(u64::from));
        prop_assert_eq!(path.map(|path| path.value), reached);
        Ok(())
    }

    proptest! {
        #[test]
        fn values_and_paths_agree_with_the_definition(instance in instances()) {
            if instance.cell_width() == CellWidth::Bits8 {
                check::<u8>(&instance)?;
            }
            check::<u16>(&instance)?;
        }
    }

    #[test]
    fn threads_change_nothing() {
        // Slabs of many tasks, rows with masks, and a group of two hundred offsets.
        let vectors = (0..6).flat_map(|i| (0..6).flat_map(move |j| (0..6).map(move |k| [i, j, k])));
        let offsets: Vec<_> = vectors
            .map(|ones| {
                (
                    std::array::from_fn::<u32, 6, _>(|d| {
                        ones.iter().filter(|&&one| one == d).count() as u32
                    }),
                    1,
                )
            })
            .collect();
        let instance = Instance::new(&[9, 8, 9, 8, 9, 8], offsets).unwrap();
        let monitor = Monitor::new(&SolveOptions::default());
        let one = fill::<u8>(&cpu_context(1), &instance, 0, &monitor).unwrap();
        let three = fill::<u8>(&cpu_context(3), &instance, 0, &monitor).unwrap();
        assert!(one[..] == three[..]);
        assert_eq!(one.last(), Some(&15), "45 units in steps of three");
    }

    #[test]
    fn a_table_beyond_the_memory_limit_is_refused_with_its_size() {
        let monitor =
            Monitor::new(&limited(crate::Limits { memory: Some(1_999_999), ..Default::default() }));
        let error = allocate::<u16>(1_000_000, &monitor).err().unwrap().to_string();
        assert_eq!(
            error,
            "a lattice of 1000000 cells needs 2000000 bytes, the limit is 1999999 bytes"
        );
    }

    #[test]
    fn a_stop_ends_the_making_of_a_shared_table() {
        let stop = StopHandle::new();
        let monitor =
            Monitor::new(&SolveOptions { stop: Some(stop.clone()), ..SolveOptions::default() });
        assert_eq!(shared_table::<u16>(3, &monitor).unwrap(), [0; 3]);
        stop.stop();
        assert_error!(shared_table::<u16>(1 << 30, &monitor), Error::Stopped);
    }
}
