//! The layout of a sequence's tables in memory.

/// Most lanes of a wavefront, and the size of groups of one wavefront.
pub(super) const WAVE: usize = 32;

/// The layout of the tables in memory; the kernels describe it.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub(super) lanes: usize,
    pub(super) lane_machines: usize,
    pub(super) quads: usize,
    /// Table rows that a wavefront loads in advance.
    pub(super) ahead: usize,
    pub(super) tiles: usize,
}

/// Lanes of a wavefront that work on the machines, and the machines of a lane.
pub(super) fn lanes(machines: usize) -> (usize, usize) {
    let lane_machines = machines.div_ceil(WAVE);
    (machines.div_ceil(lane_machines), lane_machines)
}

impl Layout {
    /// Number of machines, rounded up to full lanes.
    pub(super) fn machines(&self) -> usize {
        self.lanes * self.lane_machines
    }

    /// Length of a job's row of times, in full vectors.
    pub(super) fn row(&self) -> usize {
        self.machines().next_multiple_of(4)
    }

    /// Number of positions, rounded up to full tiles.
    pub(super) fn positions(&self) -> usize {
        self.tiles * 4 * self.quads
    }

    /// Number of elements in a table.
    pub(super) fn table(&self) -> usize {
        (self.tiles + self.lanes + self.ahead) * 4 * self.quads * self.machines()
    }

    /// Bytes of the buffers in which lanes pass one quantity on, alternating between two.
    pub(super) fn link_bytes(&self) -> usize {
        2 * 16 * self.quads * (self.lanes + 1)
    }
}
