//! Tables in rows of the upper triangle, as the host reads them from a device.

use super::NONE;
use crate::solve::Monitor;
use crate::{Result, memory};

/// The tables of least energies.
pub(super) trait Cells: Sync {
    /// Of cell (i, j), i < j, whose ends are a pair.
    fn paired(&self, i: usize, j: usize) -> i32;

    /// Of cell (i, j) in a loop; [`NONE`] unless i < j.
    fn some(&self, i: usize, j: usize) -> i32;
}

pub(super) struct Triangle {
    points: usize,
    /// The cells behind the diagonal, row by row.
    pub(super) paired: Vec<i32>,
    pub(super) some: Vec<i32>,
}

impl Triangle {
    /// Bytes of both tables.
    pub(super) fn bytes(points: usize) -> u128 {
        4 * points as u128 * (points as u128 - 1)
    }

    /// Tables that are still to be written.
    pub(super) fn new(points: usize) -> Result<Self> {
        let cells = points * (points - 1) / 2;
        Ok(Triangle { points, paired: memory::list(cells)?, some: memory::list(cells)? })
    }

    fn place(&self, i: usize, j: usize) -> usize {
        i * (2 * self.points - i - 1) / 2 + j - i - 1
    }

    /// The least energies of the first bases, by their number.
    pub(super) fn outside(&self, monitor: &Monitor) -> Result<Vec<i32>> {
        let mut outside = memory::filled(0, self.points)?;
        for i in 0..self.points - 1 {
            monitor.check()?;
            let (before, rest) = outside.split_at_mut(i + 1);
            let row = &self.paired[self.place(i, i + 1)..];
            for (least, paired) in rest.iter_mut().zip(row) {
                *least = (*least).min(before[i] + paired);
            }
            // A base more never makes the least energy larger.
            rest[0] = rest[0].min(before[i]);
        }
        Ok(outside)
    }
}

impl Cells for Triangle {
    fn paired(&self, i: usize, j: usize) -> i32 {
        self.paired[self.place(i, j)]
    }

    fn some(&self, i: usize, j: usize) -> i32 {
        if i < j { self.some[self.place(i, j)] } else { NONE }
    }
}
