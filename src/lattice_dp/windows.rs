//! Tables of which a part is kept at a time.
//!
//! A *plane* is the cells with one component in the first dimension of the layout. Its cells depend
//! on cells of the same offsets' group only, at most `reach` planes back. So a table is filled in
//! segments of planes, and a *window* holds one segment with the `reach` planes before it. The cells
//! of a window have the same order and distances as in the whole table.
//!
//! A *checkpoint* is a copy of the `reach` planes before a segment. The path is traced back from the
//! last segment to the first; each segment but the last is filled again from its checkpoint.

use std::ops::Range;

use super::instance::Instance;
use crate::solve::Monitor;

/// The segments of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Windows {
    /// Cells of a plane.
    pub(super) plane: u64,
    planes: u64,
    reach: u64,
    /// Planes that a window holds besides the `reach` first ones.
    length: u64,
}

impl Windows {
    /// The fewest segments for which window and checkpoints have at most `room` cells; `None` if no
    /// number of segments, from two on, fits.
    pub(super) fn new(instance: &Instance, room: u64) -> Option<Self> {
        let dimension = instance.dimensions().first()?;
        let planes = u64::from(dimension.max) + 1;
        let offsets = &instance.offsets()[dimension.group.clone()];
        let reach = offsets.iter().map(|offset| dimension.component(&offset.packed)).max();
        let reach = u64::from(reach.unwrap_or(0)).max(1);
        let behind = planes.checked_sub(reach)?;
        let cut = |segments: u64| Windows {
            plane: dimension.stride,
            planes,
            reach,
            length: behind.div_ceil(segments),
        };
        // More segments than about this square root need more room again. The planes that a segment
        // takes over must not overlap with their new places.
        let most = (behind / reach).isqrt() + 1;
        let mut possible = (2..=most).map(cut).filter(|windows| windows.length >= reach);
        possible.find(|windows| windows.segments() > 1 && windows.cells() <= room)
    }

    /// Segments for a table that exceeds the memory limit, if they do not; `None` for a table within
    /// the limit, too.
    pub(super) fn within_memory(instance: &Instance, monitor: &Monitor) -> Option<Self> {
        match monitor.has_memory(instance.table_bytes().into()) {
            true => None,
            false => Windows::new(instance, monitor.memory_bytes() / instance.cell_width().bytes()),
        }
    }

    /// Number of segments.
    pub(super) fn segments(&self) -> u64 {
        (self.planes - self.reach).div_ceil(self.length)
    }

    /// Cells of the window.
    pub(super) fn window_cells(&self) -> u64 {
        (self.reach + self.length) * self.plane
    }

    /// Cells of a checkpoint.
    pub(super) fn checkpoint_cells(&self) -> u64 {
        self.reach * self.plane
    }

    /// Cells of the window and of the checkpoints of all segments but the first.
    pub(super) fn cells(&self) -> u64 {
        self.window_cells() + (self.segments() - 1) * self.checkpoint_cells()
    }

    /// The number of the cell with which the window of a segment begins.
    pub(super) fn origin(&self, segment: u64) -> u64 {
        segment * self.length * self.plane
    }

    /// The planes that are filled for a segment. Plane 0 is filled with the first segment, before
    /// them.
    pub(super) fn planes(&self, segment: u64) -> Range<u64> {
        let begin = segment * self.length;
        let first = if segment == 0 { 1 } else { begin + self.reach };
        first..(begin + self.length + self.reach).min(self.planes)
    }

    /// The numbers of the cells that are filled for a segment.
    pub(super) fn filled(&self, segment: u64) -> Range<u64> {
        let planes = self.planes(segment);
        let first = if segment == 0 { 0 } else { planes.start };
        first * self.plane..planes.end * self.plane
    }

    /// The place in a segment's window of the planes that the next segment takes over.
    pub(super) fn handed_over(&self) -> u64 {
        self.length * self.plane
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_cover_the_table_within_the_room() {
        // Forty planes of six cells; steps of at most two planes.
        let instance = Instance::new(&[40, 6], [([2, 1], 1), ([1, 0], 1), ([0, 1], 1)]).unwrap();
        let plane = instance.dimensions()[0].stride;
        let planes = instance.cells() / plane;
        for room in 0..instance.cells() + 2 {
            let Some(windows) = Windows::new(&instance, room) else { continue };
            assert!(windows.cells() <= room);
            let mut next = 0;
            for segment in 0..windows.segments() {
                let filled = windows.filled(segment);
                assert_eq!(filled.start, next);
                assert!(filled.end - windows.origin(segment) <= windows.window_cells());
                assert!(!filled.is_empty());
                next = filled.end;
            }
            assert_eq!(next, instance.cells(), "{planes} planes in {windows:?}");
        }
        assert!(Windows::new(&instance, instance.cells() / 2).is_some());
        assert_eq!(Windows::new(&instance, plane), None);
    }
}
