//! Tables that exceed a device's memory, segment by segment.

use super::check::{Checks, check_cells, check_value};
use super::parts::Parts;
use super::slabs::{SPAN, Table, head_cells, most_head_cells};
use super::traceback::Traceback;
use crate::lattice_dp::Path;
use crate::lattice_dp::cell::Cell;
use crate::lattice_dp::instance::Instance;
use crate::lattice_dp::windows::Windows;
use crate::opencl::Device;
use crate::solve::Monitor;
use crate::{Context, Result};

/// Fills the table and traces the cheapest path to its last cell back.
pub(super) fn solve<C: Cell>(
    context: &Context,
    device: &Device,
    instance: &Instance,
    windows: &Windows,
    checks: &Checks,
    monitor: &Monitor,
) -> Result<Option<Path>> {
    let window = Parts::new(device, windows.window_cells(), C::WIDTH)?;
    let kept = (windows.segments() - 1) * windows.checkpoint_cells();
    let table = Table::new(device, instance, window, most_head_cells(device), SPAN)?;
    let checkpoints = Parts::new(device, kept, C::WIDTH)?;
    Segments { context, table, checkpoints, windows, checks, monitor }.solve::<C>(instance)
}

/// A table's window on a device.
struct Segments<'a> {
    context: &'a Context,
    table: Table<'a>,
    /// The planes before each segment but the first.
    checkpoints: Parts,
    windows: &'a Windows,
    checks: &'a Checks,
    monitor: &'a Monitor,
}

impl Segments<'_> {
    fn solve<C: Cell>(&self, instance: &Instance) -> Result<Option<Path>> {
        let last = self.windows.segments() - 1;
        for segment in 0..=last {
            if segment > 0 {
                self.keep_checkpoint(segment)?;
            }
            self.begin(segment)?;
            self.fill(segment, true)?;
            self.check::<C>(instance, segment)?;
        }

        let mut value = [C::ZERO];
        self.read(instance.cells() - 1, last, &mut value)?;
        let mut traceback = Traceback::new(instance, C::WIDTH);
        self.follow(&mut traceback, last)?;
        let unfinished = if traceback.is_unreachable() { 0..0 } else { 0..last };
        for segment in unfinished.rev() {
            self.begin(segment)?;
            self.fill(segment, false)?;
            self.follow(&mut traceback, segment)?;
        }
        let path = traceback.into_path(instance)?;
        check_value(value[0], path.as_ref())?;
        Ok(path)
    }

    /// Reads cells of a segment's window from number `first` on.
    fn read<C: Cell>(&self, first: u64, segment: u64, cells: &mut [C]) -> Result<()> {
        let (queue, window) = self.table.queue_and_parts();
        let place = first - self.windows.origin(segment);
        window.read_from(queue, place, bytemuck::cast_slice_mut(cells))
    }

    /// Keeps the last planes of the window, which are the first ones for this segment.
    fn keep_checkpoint(&self, segment: u64) -> Result<()> {
        let (queue, window) = self.table.queue_and_parts();
        let cells = self.windows.checkpoint_cells();
        let place = (&self.checkpoints, (segment - 1) * cells);
        window.copy(queue, self.windows.handed_over(), place, cells)
    }

    /// Makes the planes before a segment the first ones of the window. Before the first segment this
    /// is plane 0.
    fn begin(&self, segment: u64) -> Result<()> {
        let Some(before) = segment.checked_sub(1) else {
            return self.table.fill_from(1, self.context, self.monitor);
        };
        let (queue, window) = self.table.queue_and_parts();
        let cells = self.windows.checkpoint_cells();
        self.checkpoints.copy(queue, before * cells, (window, 0), cells)
    }

    fn fill(&self, segment: u64, is_first: bool) -> Result<()> {
        let (planes, origin) = (self.windows.planes(segment), self.windows.origin(segment));
        self.table.fill_planes(planes, origin, is_first, self.monitor)
    }

    fn follow(&self, traceback: &mut Traceback, segment: u64) -> Result<()> {
        let least = if segment == 0 { 0 } else { self.windows.filled(segment).start };
        self.table.follow(traceback, self.windows.origin(segment), least, self.monitor)
    }

    /// Compares some cells of a segment with their definition.
    fn check<C: Cell>(&self, instance: &Instance, segment: u64) -> Result<()> {
        let (filled, origin) = (self.windows.filled(segment), self.windows.origin(segment));
        let read = |first: u64, cells: &mut [C]| self.read(first, segment, cells);
        let on_cpu = head_cells(instance, self.table.head_cells).min(self.windows.plane);
        let range = filled.start.max(on_cpu)..filled.end;
        check_cells::<C>(self.context, instance, range, origin, &read, self.checks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice_dp::cell::CellWidth;
    use crate::lattice_dp::cpu;
    use crate::lattice_dp::testing::instances;
    use crate::opencl::testing::test_devices;
    use crate::solve::SolveOptions;
    use crate::testing::{check_cases, cpu_context};
    use proptest::prelude::*;
    use proptest::test_runner::TestCaseError;
    use std::sync::Mutex;

    #[test]
    fn windows_on_a_device_change_nothing() {
        for device in test_devices() {
            let cases = if device.quirks().simulator { 20 } else { 100 };
            // The smallest power of two of cells in a buffer, so that windows lie in several ones.
            let inputs = (instances(), 1u64..4000, prop_oneof![Just(30), Just(9)]);
            check_cases(cases, &inputs, |(instance, room, shift)| {
                let (context, monitor) = (cpu_context(1), Monitor::new(&SolveOptions::default()));
                let Some(windows) = Windows::new(&instance, room % instance.cells()) else {
                    return Ok(());
                };
                let expected = cpu::solve(&context, &instance, &monitor).unwrap();
                let checks = Mutex::new(crate::context::SpotChecks::new());
                let parts = |cells| Parts::with_shift(&device, cells, CellWidth::Bits16, shift);
                let window = parts(windows.window_cells()).unwrap();
                let segments = Segments {
                    context: &context,
                    table: Table::new(&device, &instance, window, 20, SPAN).unwrap(),
                    checkpoints: parts((windows.segments() - 1) * windows.checkpoint_cells())
                        .unwrap(),
                    windows: &windows,
                    checks: &checks,
                    monitor: &monitor,
                };
                prop_assert_eq!(segments.solve::<u16>(&instance).unwrap(), expected);
                Ok::<(), TestCaseError>(())
            });
        }
    }
}
