//! Spot checks of tables on a device: the host computes again all cells of some windows of
//! neighbouring points, and some long cells, always including the last one.

use super::instance::DeviceInstance;
use super::kernels::{Layout, Table, Tiling};
use crate::context::{SpotChecks, places, wrong};
use crate::interval_dp::instance::pairs;
use crate::memory::Gather;
use crate::{Context, Result, memory, parallel};

/// Tiles along the edge of a window, enough to cover diagonal tiles and tiles that are products.
const WINDOW_TILES: usize = 3;
/// Points of a window in a table without tiles, and if only the device can compute the split costs.
const WINDOW_POINTS: usize = 96;
const EXPRESSION_POINTS: usize = 32;
/// Long cells to check, in addition to the last one.
const LONG_CELLS: usize = 1;

/// The cells over a range of points.
struct Window {
    first: usize,
    points: usize,
    /// Rows of the square; only the upper half counts.
    rows: Vec<u8>,
    columns: Vec<u8>,
}

impl Table<'_> {
    /// Computes as many cells again as spot checks require.
    pub(super) fn check(&self, context: &Context, instance: &dyn DeviceInstance) -> Result<()> {
        let knows_terms = !self.for_devices;
        let unit = match self.layout {
            Layout::Triangle(Tiling { tile, .. }) => tile,
            Layout::Square => 1,
        };
        let width = match self.layout {
            _ if !knows_terms => EXPRESSION_POINTS,
            // A small table is checked as a whole.
            _ if pairs(self.points) as u64 <= SpotChecks::LEAST => self.points,
            Layout::Triangle(Tiling { tile, .. }) => WINDOW_TILES * tile,
            Layout::Square => WINDOW_POINTS,
        };
        let mut random = places();
        let mut left = SpotChecks::LEAST as usize;
        let places = self.points.saturating_sub(width).div_ceil(unit) + 1;
        let mut firsts: Vec<usize> = (0..places).gather()?;
        let count = places.min(left / pairs(width).max(1) + 1);
        random.choose(&mut firsts, count);
        for first in &firsts[..count] {
            let window = self.window(first * unit, width)?;
            left = left.saturating_sub(self.check_window(context, instance, &window)?);
        }
        if !knows_terms {
            return Ok(());
        }
        let last = self.points - 1;
        let long = (0..LONG_CELLS).map(|_| {
            let i = random.below(last as u64) as usize;
            (i, i + 1 + random.below((last - i) as u64) as usize)
        });
        long.chain([(0, last)]).try_for_each(|(i, j)| self.check_long(instance, i, j))
    }

    /// The cells over `width` points from `first` on; fewer at the end of the table.
    fn window(&self, first: usize, width: usize) -> Result<Window> {
        let (points, bytes) = (width.min(self.points - first), self.cell_type.bytes());
        let end = first + points;
        let square = || memory::filled(0, points * points * bytes);
        let (mut rows, mut columns) = (square()?, square()?);
        match self.layout {
            Layout::Square => {
                for (i, row) in rows.chunks_exact_mut(points * bytes).enumerate() {
                    self.read_cells(first + i, first, row)?;
                }
            }
            Layout::Triangle(Tiling { tile, .. }) => {
                let begin = first / tile;
                for q in begin..end.div_ceil(tile) {
                    let mut column = memory::filled(0, (q + 1 - begin) * tile * tile * bytes)?;
                    self.read_cells(begin * tile, q * tile, &mut column)?;
                    let (left, right) = (first.max(q * tile), end.min((q + 1) * tile));
                    for (i, line) in (begin * tile..end).zip(column.chunks_exact(tile * bytes)) {
                        if i >= first {
                            let to = (i - first) * points + left - first;
                            rows[to * bytes..][..(right - left) * bytes].copy_from_slice(
                                &line[(left - q * tile) * bytes..(right - q * tile) * bytes],
                            );
                        }
                    }
                }
            }
        }
        for (i, row) in rows.chunks_exact(points * bytes).enumerate() {
            for (j, cell) in row.chunks_exact(bytes).enumerate() {
                columns[(j * points + i) * bytes..][..bytes].copy_from_slice(cell);
            }
        }
        Ok(Window { first, points, rows, columns })
    }

    /// Computes all cells of a window again; returns their number.
    fn check_window(
        &self,
        context: &Context,
        instance: &dyn DeviceInstance,
        window: &Window,
    ) -> Result<usize> {
        let (first, end, bytes) =
            (window.first, window.first + window.points, self.cell_type.bytes());
        let splits = |i: usize| (i + 2..end).flat_map(move |j| (i + 1..j).map(move |k| [i, k, j]));
        let terms = match self.for_devices {
            // Another kernel computes the split costs.
            true => {
                let triples = (first..end).flat_map(splits).flatten().map(|point| point as u32);
                self.terms(&triples.gather()?)?
            }
            false => Vec::new(),
        };
        let mut begins = vec![0];
        for i in first..end {
            begins.push(begins[i - first] + (i + 2..end).map(|j| j - i - 1).sum::<usize>());
        }
        let place = |i: usize, j: usize| ((i - first) * window.points + j - first) * bytes;
        let check_row = |i: usize| {
            self.monitor.check()?;
            let mut terms = terms.get(begins[i - first] * bytes..).unwrap_or_default();
            for j in i + 1..end {
                let row = &window.rows[place(i, i + 1)..][..(j - i) * bytes];
                let column = &window.columns[place(j, i + 1)..][..(j - i - 1) * bytes];
                let (row, found) = row.split_at(column.len());
                let of_cell = terms.split_off(..column.len().min(terms.len())).unwrap_or_default();
                compare(instance, [i, j], found, row, column, of_cell)?;
            }
            Ok(())
        };
        context.install(|| parallel::try_for_each(first..end, check_row))??;
        Ok(window.points * (window.points - 1) / 2)
    }

    /// Computes one cell again from its row and its column.
    fn check_long(&self, instance: &dyn DeviceInstance, i: usize, j: usize) -> Result<()> {
        self.monitor.check()?;
        let bytes = self.cell_type.bytes();
        // Cells from the one after the diagonal on; the row ends with (i, j).
        let mut row = memory::filled(0, (j - i) * bytes)?;
        let mut column = memory::filled(0, (j - i - 1) * bytes)?;
        match self.layout {
            Layout::Square => {
                self.read_cells(i, i + 1, &mut row)?;
                for (k, cell) in (i + 1..).zip(column.chunks_exact_mut(bytes)) {
                    self.read_cells(k, j, cell)?;
                }
            }
            Layout::Triangle(Tiling { tile, .. }) => {
                for q in i / tile..=j / tile {
                    let begin = (i + 1).max(q * tile);
                    let end = ((q + 1) * tile).min(j + 1).max(begin);
                    self.read_cells(
                        i,
                        begin,
                        &mut row[(begin - i - 1) * bytes..(end - i - 1) * bytes],
                    )?;
                }
                let begin = i / tile;
                let mut tiles = memory::filled(0, (j / tile + 1 - begin) * tile * tile * bytes)?;
                self.read_cells(begin * tile, j / tile * tile, &mut tiles)?;
                let lines = tiles.chunks_exact(tile * bytes).skip(i + 1 - begin * tile);
                for (cell, line) in column.chunks_exact_mut(bytes).zip(lines) {
                    cell.copy_from_slice(&line[j % tile * bytes..][..bytes]);
                }
            }
        }
        let (row, found) = row.split_at(column.len());
        compare(instance, [i, j], found, row, &column, &[])
    }
}

/// Compares a cell with the value that its splits give.
fn compare(
    instance: &dyn DeviceInstance,
    [i, j]: [usize; 2],
    found: &[u8],
    row: &[u8],
    column: &[u8],
    terms: &[u8],
) -> Result<()> {
    match instance.explains([i, j], found, row, column, terms) {
        true => Ok(()),
        false => Err(wrong(&format!("cell ({i}, {j})"))),
    }
}
